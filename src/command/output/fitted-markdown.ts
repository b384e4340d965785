import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import type { Fitted } from '../../render/markdown/fit.ts';
import type { View } from '../../render/view.ts';

/** The part of a document that is never left out. If it does not fit, no document is made. */
interface Essence {
  /** `the essential parts do not fit BYTES bytes: …`. */
  readonly essence: string;
  /** How to get a document with fewer addresses: `plan`. */
  readonly less: string;
}

/**
 * A view as Markdown, in full or in at most `maxBytes`. If the required parts do not fit, it fails (exit 3). Without
 * `required`, the document is then the verdict alone.
 */
export async function fittedMarkdown(
  view: View,
  maxBytes: number | undefined,
  required?: Essence,
): Promise<string> {
  const { viewMarkdown, viewMarkdownWithin } = await import('../../render/markdown/layout.ts');
  if (maxBytes === undefined) return viewMarkdown(view);
  const fitted = viewMarkdownWithin(view, maxBytes);
  if (required !== undefined) return fittedText(fitted, maxBytes, required);
  return 'text' in fitted ? fitted.text : `**${view.verdict}**\n`;
}

/** Fails (exit 3) if the text does not fit. */
export function fittedText(fitted: Fitted, maxBytes: number, { essence, less }: Essence): string {
  if ('text' in fitted) return fitted.text;
  const { needs } = fitted;
  throw CommandFailure.of(
    3,
    'max-bytes-too-small',
    `${essence.replace('BYTES', String(maxBytes))} take ${needs}`,
    `Use --max-bytes ${needs} or more, or ${less} fewer addresses at a time with --target.`,
  );
}
