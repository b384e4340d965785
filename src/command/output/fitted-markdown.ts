import { CommandFailure } from '../../diagnostics/diagnostic.ts';

/** How a document is written as Markdown: whole, and within a number of bytes. */
interface MarkdownOf<Document> {
  readonly whole: (document: Document) => string;
  readonly within: (
    document: Document,
    maxBytes: number,
  ) => { readonly text: string } | { readonly needs: number };
  /** What does not fit, and what of it is never left out. */
  readonly essence: string;
  readonly less: string;
}

/** A document as Markdown, as it may be shown. What must be seen is not cut away: one that does not fit says so (exit 3). */
export function fittedMarkdown<Document>(
  document: Document,
  maxBytes: number | undefined,
  { whole, within, essence, less }: MarkdownOf<Document>,
): string {
  if (maxBytes === undefined) return whole(document);
  const fitted = within(document, maxBytes);
  if ('text' in fitted) return fitted.text;
  const { needs } = fitted;
  throw CommandFailure.of(
    3,
    'max-bytes-too-small',
    `${essence.replace('BYTES', String(maxBytes))} take ${needs}`,
    `Use --max-bytes ${needs} or more, or ${less} fewer addresses at a time with --target.`,
  );
}
