import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ResultDocument } from '../model/generated/result.ts';
import { severityCounts } from '../render/diagnostics.ts';
import { findingsOf } from '../render/finding.ts';
import { painter } from '../render/layout.ts';
import { type DocumentSubject, noteSections, subjectText, type View } from '../render/view.ts';
import { type DocumentKind, problemsIn } from './document.ts';

/**
 * The view of a command without its own document: why it failed, or what it found. `digest` is the digest of the refused plan.
 */
export function diagnosticsView(
  command: string,
  diagnostics: readonly Diagnostic[],
  subject: DocumentSubject,
  digest: string | null = null,
): View {
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  const counts = severityCounts(diagnostics, painter(false));
  const verdict = `${failed ? 'Failed' : 'Passed'}${counts === '' ? '' : `: ${counts}`}.`;
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

export const UNKNOWN_SUBJECT: DocumentSubject = { project: null, environment: null };

export const resultKind: DocumentKind<ResultDocument> = {
  view: async ({ command, diagnostics, digest }, { subject }) =>
    diagnosticsView(
      command,
      diagnostics,
      (await subject?.()) ?? UNKNOWN_SUBJECT,
      typeof digest === 'string' ? digest : null,
    ),
  notice: ({ diagnostics }) => ({ problems: problemsIn(diagnostics) }),
  findings: ({ diagnostics }) => ({ findings: findingsOf(diagnostics), rules: new Map() }),
};
