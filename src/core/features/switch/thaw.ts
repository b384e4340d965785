import { Freeze, frozenBy, readFreezes } from '../../act/freeze.ts';
import { runLabelStep } from '../../act/label-and-template-step.ts';
import { failed } from '../../act/outcome.ts';
import { Interrupted } from '../../act/requests.ts';
import { switchOn } from '../../act/switch-on.ts';
import type { Io } from '../../command/io.ts';
import { CommandFailure, type Diagnostic, problem, warning } from '../../diagnostics/diagnostic.ts';
import { FREEZE_UNSEEN, switchFreezeOf } from '../../model/freeze.ts';
import { named } from '../../model/named.ts';
import type { LiveLabel } from '../../model/resource.ts';
import { type KnownTask, nameOf } from '../../plan/identity/known-task.ts';
import { freezesOf } from '../../plan/stakes/frozen.ts';
import { visibleCollections } from '../../service/resources/account.ts';
import type { OperatorContext, OperatorOptions } from './context.ts';
import { isEverything, urgent } from './freeze.ts';

/** What a resume has to know about freezes. */
export interface Thaw {
  /** The labels of the switch under which the resume starts. That of a later pause is another one, and ends the starts. */
  readonly labels: readonly LiveLabel[];
  /** Those of them that the resume deletes at its end. */
  readonly ends: readonly LiveLabel[];
  readonly said: readonly Diagnostic[];
  /** Starts a task, unless something is frozen by then. */
  readonly start: typeof switchOn;
}

/**
 * Reads the freezes, before the tasks, so that a later pause is noticed. `said`: one that stays, an error if it forbids what would start.
 * `off`: what another pause stopped, and what stays off. It keeps the freeze of its project, or else that of the account.
 */
export async function readThaw(
  options: OperatorOptions,
  { session, account, project }: OperatorContext,
  io: Io,
): Promise<(seen: readonly KnownTask[], starts: boolean, off?: readonly KnownTask[]) => Thaw> {
  const { includeUnmanaged = false } = options;
  const requests = urgent(session, io);
  const seesLabels = account !== undefined && visibleCollections(account).has('label');
  const { labels: all, failure } = await readFreezes(requests, seesLabels);
  const ends = isEverything(options);
  const labels = all.filter((label) => {
    const frozen = switchFreezeOf(label);
    return ends && (frozen === '' ? includeUnmanaged : frozen !== undefined && frozen === project.project);
  });
  return (seen, starts, off = []) => {
    if (failure !== undefined && starts) throw CommandFailure.of(1, 'service-error', failure.text);
    // What is named may be of any project.
    const others = includeUnmanaged && !ends ? [] : seen.map(({ task }) => task);
    const holds = freezesOf(project, others);
    const other = all.find((label) => holds(label) && !labels.includes(label));
    const own = labels.filter((label) => switchFreezeOf(label) !== '');
    const kept = off.length === 0 ? [] : own.length > 0 ? own : labels;
    const unseen = starts && account !== undefined && !seesLabels;
    return {
      labels,
      ends: labels.filter((label) => !kept.includes(label)),
      said: [
        ...kept.map((label) => keptFreeze(label, off)),
        ...(other && (starts || ends)
          ? [(starts ? problem : warning)('frozen', frozenBy(other).text, hintFor(other, project.project))]
          : []),
        ...(unseen ? [warning('kind-not-visible', `the token cannot read label: ${FREEZE_UNSEEN}`)] : []),
      ],
      start: startUnder(() => new Freeze(requests, seesLabels, holds, labels)),
    };
  };
}

/**
 * Nothing is sent under a freeze. The last look comes after the mark of the start: a pause whose label it does not show yet finds that
 * mark, and takes it away.
 */
function startUnder(freeze: () => Freeze): Thaw['start'] {
  const shared = freeze();
  return async (task, owner, requests) => {
    const frozen = await shared.seen();
    if (frozen !== undefined) return { ...failed(frozen), resource: task };
    requests.starts = freeze();
    return switchOn(task, owner, requests);
  };
}

function hintFor(label: LiveLabel, project: string | undefined): string {
  const frozen = switchFreezeOf(label);
  if (frozen === undefined)
    return 'Somebody set this label. Delete it in the web application when the reason is gone.';
  if (frozen === project)
    return 'Delete the label in the web application, and run the command again: what it does not name stays off. `tradeform resume --all` starts all that the switch stopped, and deletes the label itself.';
  const scope = frozen === '' ? '--include-unmanaged' : `--project-name ${frozen}`;
  return `\`tradeform pause\` sets such labels, and anybody can: when the reason is gone, \`tradeform resume --all ${scope}\` deletes it.`;
}

function keptFreeze(label: LiveLabel, off: readonly KnownTask[]): Diagnostic {
  const message = `the freeze ${JSON.stringify(label.name)} stays, because another pause stopped ${named(off.map(nameOf), 5)}`;
  const all = `resume --all${switchFreezeOf(label) === '' ? ' --include-unmanaged' : ''}`;
  const hint = `\`tradeform ${all}\` starts all tasks of the project that the switch stopped, and ends the freeze. To keep one off: write \`state: paused\`, apply, and run this command again.`;
  return warning('frozen', message, hint);
}

/** Deletes the labels of the switch. Returns what went wrong. */
export async function endFreeze(
  { ends }: Thaw,
  { session }: OperatorContext,
  io: Io,
): Promise<readonly Diagnostic[]> {
  const said: Diagnostic[] = [];
  for (const label of ends) {
    const end = await runLabelStep(label, null, urgent(session, io)).catch((error: unknown) => {
      if (!(error instanceof Interrupted)) throw error;
      return failed({ kind: 'unknown', text: 'Interrupted.' });
    });
    if (end.type === 'done') continue;
    const { kind, text } = end.failure;
    const stands = kind === 'unknown' ? 'may still stand' : 'still stands';
    said.push(problem('frozen', `The freeze ${stands}. ${text}`, 'Run the command again.'));
  }
  return said;
}
