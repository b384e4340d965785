import { Freeze, frozenBy, readFreezes } from '../../act/freeze.ts';
import { runLabelStep } from '../../act/label-and-template-step.ts';
import { failed } from '../../act/outcome.ts';
import { Interrupted } from '../../act/requests.ts';
import { switchOn } from '../../act/switch-on.ts';
import type { Io } from '../../command/io.ts';
import { CommandFailure, type Diagnostic, problem, warning } from '../../diagnostics/diagnostic.ts';
import { isOff as isMarkedOff } from '../../model/armed.ts';
import { FREEZE_UNSEEN, switchFreezeOf } from '../../model/freeze.ts';
import type { SwitchedTask } from '../../model/generated/report.ts';
import { named } from '../../model/named.ts';
import type { LiveLabel } from '../../model/resource.ts';
import { type KnownTask, nameOf } from '../../plan/identity/known-task.ts';
import { freezesOf } from '../../plan/stakes/frozen.ts';
import { visibleCollections } from '../../service/resources/account.ts';
import { type OperatorContext, type OperatorOptions, visibleKinds } from './context.ts';
import { isEverything, urgent } from './freeze.ts';
import { keptOffBy, type RecordedPause } from './pure/under-freeze.ts';

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

/** What a resume decides before it thaws. */
interface Chosen {
  readonly starting: readonly KnownTask[];
  /** What another pause of the project stopped, and what stays off. It keeps the freeze of its project, or else that of the account. */
  readonly off?: readonly KnownTask[];
  /** What the journal has. With it, what a pause stopped without a mark and is still off keeps the freeze of the account. */
  readonly pauses?: (() => Promise<readonly RecordedPause[]>) | undefined;
}

/** Reads the freezes, before the tasks, so that a later pause is noticed. `said`: one that stays, an error if it forbids what would start. */
export async function readThaw(
  options: OperatorOptions,
  { session, account, project }: OperatorContext,
  io: Io,
): Promise<(seen: readonly KnownTask[], chosen: Chosen) => Promise<Thaw>> {
  const { includeUnmanaged = false } = options;
  const requests = urgent(session, io);
  const seesLabels = account !== undefined && visibleCollections(account).has('label');
  const { labels: all, failure } = await readFreezes(requests, seesLabels);
  const ends = isEverything(options);
  const labels = all.filter((label) => {
    const frozen = switchFreezeOf(label);
    return ends && (frozen === '' ? includeUnmanaged : frozen !== undefined && frozen === project.project);
  });
  return async (seen, { starting, off = [], pauses }) => {
    const starts = starting.length > 0;
    if (failure !== undefined && starts) throw CommandFailure.of(1, 'service-error', failure.text);
    // What is named may be of any project.
    const others = includeUnmanaged && !ends ? [] : seen.map(({ task }) => task);
    const holds = freezesOf(project, others);
    const other = all.find((label) => holds(label) && !labels.includes(label));
    const own = labels.filter((label) => switchFreezeOf(label) !== '');
    const ofAccount = pauses === undefined ? [] : labels.filter((label) => !own.includes(label));
    const byId = new Map(seen.map((known) => [known.task.id, known]));
    const isOff = ({ id, kind }: SwitchedTask) => {
      const known = byId.get(id);
      if (known === undefined) return !visibleKinds(account).includes(kind);
      return !known.task.is_active && !starting.includes(known) && !isMarkedOff(known.marker?.armed);
    };
    const ids = ofAccount.map(({ id }) => id);
    const unmarked = ids.length === 0 ? [] : keptByRecords(keptOffBy(ids, (await pauses?.()) ?? [], isOff));
    const kept = off.length === 0 ? [] : own.length > 0 ? own : labels;
    const stay = [...kept, ...(unmarked.length === 0 ? [] : ofAccount)];
    const unseen = starts && account !== undefined && !seesLabels;
    return {
      labels,
      ends: labels.filter((label) => !stay.includes(label)),
      said: [
        ...kept.map((label) => keptFreeze(label, off)),
        ...unmarked,
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

function keptByRecords({ off, isWhole }: ReturnType<typeof keptOffBy>): readonly Diagnostic[] {
  if (off.length === 0 && isWhole) return [];
  const names = [...new Set(off.flatMap((one) => one.names))];
  const why =
    off.length > 0 ? `it alone keeps off ${named(names, 5)}` : 'this journal lacks a pause under it';
  const from = off.length > 0 ? off.map(({ run }) => run).join('`, `--from ') : 'RUN';
  const hint = `\`tradeform resume --from ${from}\` starts what was not written since that pause. \`tradeform resume --all --include-unmanaged\` ends the freeze; applies may then start what is off.`;
  return [warning('frozen', `the freeze of the account stays: ${why}`, hint)];
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
