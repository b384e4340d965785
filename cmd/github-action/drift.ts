import { keepIssue } from './drift-issue.ts';
import { type CommentSubject, withHeader, withSince } from './header.ts';
import { requireNamedService } from './named-service.ts';
import type { ActionRun } from './run.ts';
import { runReporting, subjectFor } from './tradeform.ts';

const NO_DRIFT = 0;
const DRIFT = 2;

/**
 * Looks for drift and keeps the issue. The code to end with: drift that an issue tells of is no failure of the run; a
 * report that could not be made is, and leaves the issue as it is.
 */
export async function driftInAction(run: ActionRun): Promise<number> {
  const { inputs, log, event } = run;
  requireNamedService(run, 'drift');
  const { code, document, markdown } = await runReporting(run, 'drift', []);
  log.output('exit-code', String(code));
  log.output('changed', String(code === DRIFT));
  if (!inputs.issue || (code !== NO_DRIFT && code !== DRIFT)) return code;
  const subject = await subjectFor(run, 'drift', document);
  const url = await keepIssue(run.github(), event, {
    subject,
    title: `tradeform: ${titleOf(subject)} differs from git`,
    // The issue remembers when it first told of this drift: it may be the same one as before, or another.
    body: (since) => {
      const seen = code === DRIFT ? `Seen first ${since.slice(0, 16).replace('T', ' ')} UTC, l` : 'L';
      const foot = `\n---\n${seen}ast looked by [this run](${event.runUrl}).\n`;
      return withSince(
        `${withHeader(markdown, subject, undefined)}${foot}`,
        code === DRIFT ? since : undefined,
      );
    },
    now: new Date(run.clock.now()).toISOString(),
    label: inputs.issueLabel,
    drift: code === DRIFT,
  });
  log.output('issue-url', url ?? '');
  if (url !== undefined) log.say(`The issue is ${code === DRIFT ? 'up to date' : 'closed'}: ${url}`);
  return 0;
}

function titleOf({ project, environment }: CommentSubject): string {
  return environment === '-' ? project : `${project} (${environment})`;
}
