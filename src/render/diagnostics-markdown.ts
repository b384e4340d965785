import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { count } from './layout.ts';
import { noteSections } from './markdown/blocks.ts';
import { type Fitted, fitDocument, type MarkdownDocument, wholeDocument } from './markdown/fit.ts';
import { hiddenHeader } from './markdown/header.ts';
import { type DocumentSubject, subjectText } from './markdown/subject.ts';

const UNKNOWN: DocumentSubject = { project: null, environment: null };

interface DiagnosticsMarkdown {
  /** What is known of whose document it is; a command that failed early knows nothing. */
  readonly subject?: DocumentSubject;
  /** Of the plan that was refused; the hidden header has it. */
  readonly digest?: string;
  /** UTF-8 bytes. */
  readonly maxBytes?: number;
}

/** What a command has to say where it has no document of its own: why it failed, or what it found. */
export function diagnosticsMarkdown(
  command: string,
  diagnostics: readonly Diagnostic[],
  { subject = UNKNOWN, digest, maxBytes }: DiagnosticsMarkdown = {},
): string {
  const number = (severity: Diagnostic['severity']) =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  const errors = number('error');
  const counts = [
    ...(errors === 0 ? [] : [count(errors, 'error')]),
    ...(number('warning') === 0 ? [] : [count(number('warning'), 'warning')]),
    ...(number('info') === 0 ? [] : [count(number('info'), 'note')]),
  ];
  const title = `**${errors > 0 ? 'Failed' : 'Passed'}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}.**`;
  // A command line that names no command is of the program as a whole.
  const line = command === 'tradeform' ? command : `tradeform ${command}`;
  const text = subjectText(subject);
  const about = text === '' ? '' : text.startsWith('on ') ? ` ${text}` : ` for ${text}`;
  const document: MarkdownDocument = {
    head: `${hiddenHeader(command, { ...subject, digest: digest ?? null })}\n## \`${line}\`${about}\n\n${title}`,
    seeAll: `To see all of it, run \`${line}\`.`,
    sections: noteSections(diagnostics),
  };
  if (maxBytes === undefined) return wholeDocument(document);
  const fitted: Fitted = fitDocument(document, maxBytes);
  return 'text' in fitted ? fitted.text : `${title}\n`;
}
