import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { count } from './layout.ts';
import { viewMarkdown, viewMarkdownWithin } from './markdown/layout.ts';
import { noteSections } from './sections.ts';
import { type DocumentSubject, subjectText } from './subject.ts';
import type { View } from './view.ts';

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
  const verdict = `${errors > 0 ? 'Failed' : 'Passed'}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}.`;
  // A command line that names no command is of the program as a whole.
  const line = command === 'tradeform' ? command : `tradeform ${command}`;
  const about = subjectText(subject, (text) => text);
  const view: View = {
    command,
    heading: `\`${line}\`${about === '' || about.startsWith('on ') ? '' : ' for'}`,
    subject,
    digest: digest ?? null,
    approves: [],
    verdict,
    tone: 'title',
    money: undefined,
    facts: [],
    notes: [],
    parts: noteSections(diagnostics),
    named: [],
    footer: [],
    seeAll: `To see all of it, run \`${line}\`.`,
  };
  if (maxBytes === undefined) return viewMarkdown(view);
  const fitted = viewMarkdownWithin(view, maxBytes);
  return 'text' in fitted ? fitted.text : `**${verdict}**\n`;
}
