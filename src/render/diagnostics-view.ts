import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { count } from './layout.ts';
import { noteSections } from './sections.ts';
import { type DocumentSubject, subjectText } from './subject.ts';
import type { View } from './view.ts';

/**
 * The view of a command without its own document: why it failed, or what it found. `digest` is the digest of the refused plan.
 */
export function diagnosticsView(
  command: string,
  diagnostics: readonly Diagnostic[],
  subject: DocumentSubject,
  digest: string | null = null,
): View {
  const number = (severity: Diagnostic['severity']) =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  const errors = number('error');
  const counts = [
    ...(errors === 0 ? [] : [count(errors, 'error')]),
    ...(number('warning') === 0 ? [] : [count(number('warning'), 'warning')]),
    ...(number('info') === 0 ? [] : [count(number('info'), 'note')]),
  ];
  const verdict = `${errors > 0 ? 'Failed' : 'Passed'}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}.`;
  // A command line without a command is about the program as a whole.
  const line = command === 'tradeform' ? command : `tradeform ${command}`;
  const about = subjectText(subject, (text) => text);
  return {
    command,
    heading: `\`${line}\`${about === '' || about.startsWith('on ') ? '' : ' for'}`,
    subject,
    digest,
    verdict,
    tone: 'title',
    parts: noteSections(diagnostics),
    seeAll: `To see all of it, run \`${line}\`.`,
  };
}
