import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import type { Fitted } from '../../render/markdown/fit.ts';
import type { View } from '../../render/view.ts';

/** What is never left out of a document: a place that has no room for it gets none. */
interface Essence {
  /** `the essential parts do not fit BYTES bytes: …`. */
  readonly essence: string;
  /** What to do with fewer addresses: `plan`. */
  readonly less: string;
}

/**
 * A view as Markdown, all of it or in at most `maxBytes`. Where what must be seen does not fit, it fails (exit 3); without
 * `required` the verdict alone is the document then.
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

/** Fails (exit 3) where it does not fit. */
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
