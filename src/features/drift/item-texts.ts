import { type Armed, dueTime, isSwitchedOff, isSwitchForm } from '../../model/armed.ts';
import type { DriftCommit } from '../../model/generated/drift.ts';
import type { Change } from '../../model/generated/plan.ts';
import { commitWords } from '../../plan/history/past-state.ts';
import type { CommitMatch } from './commit-search.ts';

/** How much of the history was read. The sentences of an item depend on it. */
export type Reach = 'nowhere' | 'part' | 'all';

export function pendingText({ commit, movedOn }: CommitMatch): string {
  const text = `Git moved on, and nobody changed it on the service: it has the values of ${commitWords(commit)}.`;
  return movedOn === null ? text : `${text} Not applied: ${commitWords(movedOn)}.`;
}

/** `known`: each single value occurs in some earlier commit. */
export function changedText(reach: Reach, known: boolean): string {
  if (reach === 'nowhere')
    return 'It differs from git. Without earlier commits, a manual change and a change that is not applied yet look the same.';
  if (known)
    return 'It was changed on the service: each value is from an earlier commit, but no commit has them together.';
  if (reach === 'all') return 'It was changed on the service: no commit has these values.';
  return 'It was probably changed on the service: no commit that was read has these values.';
}

export function orphanText(reach: Reach, named: CommitMatch | undefined): string {
  if (named !== undefined)
    return `Its manifest was removed; ${commitWords(named.commit)} had it. It was changed on the service since then.`;
  if (reach === 'nowhere') return 'It carries the marker of this project, and no manifest names it.';
  const looked = reach === 'all' ? '' : ' that was read';
  return `It carries the marker of this project, and no commit${looked} has a manifest of that name: the marker was written by hand, or from another branch or repository.`;
}

/** The sentence about the next apply for a task without a manifest. */
export function pruneText({ actions, stops_trading }: Change): string {
  if (actions.includes('delete'))
    return stops_trading ? 'An apply stops and deletes it.' : 'An apply deletes it.';
  return actions.includes('stop') ? 'An apply stops it.' : 'An apply leaves it.';
}

export function removalText({ action, blocked }: Change, added: DriftCommit | undefined): string {
  const since = added === undefined ? 'A Removal names it' : `A Removal names it since ${commitWords(added)}`;
  if (blocked !== null) return `${since}. ${blocked.text}`;
  return action === 'release'
    ? `${since}, and it still carries the marker of this project: an apply removes the marker, and the task stays.`
    : `${since}, but it is on the service: it was not applied yet, or somebody created it again.`;
}

export function missingText(added: DriftCommit | undefined, blocked: Change['blocked']): string {
  const since =
    added === undefined
      ? 'Git has it, and the service does not.'
      : `Git has it since ${commitWords(added)}, and the service does not.`;
  return blocked === null
    ? `${since} It was not applied yet, or it was deleted on the service.`
    : `${since} ${blocked.text}`;
}

const STOPPED = 'Git wants it running, but it ran and was stopped: by a person, or by another program.';
export const STOPPED_BY_SOMEBODY = `${STOPPED} It stays paused until you or a manifest change asks for it again.`;
export const STARTED_AGAIN = `${STOPPED} An apply starts it again, because \`stopped_tasks\` is \`resume\`.`;
/** The sentence about a mark with `!`: a pause by `tradeform pause`, or its end. Undefined for other marks. */
export function offText(armed: Armed): string | undefined {
  if (!isSwitchForm(armed)) return undefined;
  const due = dueTime(armed);
  const end =
    due === null
      ? ''
      : ` It is due at ${due.slice(0, 16)}Z: from then on, \`tradeform resume --due\` starts it.`;
  return isSwitchedOff(armed)
    ? `Git wants it running, but \`tradeform pause\` switched it off. It stays paused until \`tradeform resume\`, or until a manifest change asks for it again.${end}`
    : `Git wants it running. Something other than \`tradeform pause\` stopped it, and \`tradeform pause\` keeps it off. \`tradeform resume\` with its name starts it.${end}`;
}
export const FIRED =
  'Git wants it running, and it is paused. It has buy_once: most likely it bought, and switched itself off. It stays paused until you or a manifest change asks for it again.';
export const REARMED =
  'It was stopped on the service. The rearm value in git asks for a start: an apply starts it.';
export const FINISH = 'An apply was interrupted before it started the task; the next apply starts it.';
export const REPLACING =
  'An apply was interrupted while it replaced the task; the next apply completes the replacement.';

export function startedText(wanted: CommitMatch | undefined): string {
  const text = 'Git wants it paused, and it runs: it was started on the service.';
  return wanted === undefined
    ? text
    : `${text} The last one that wanted it running is ${commitWords(wanted.commit)}.`;
}

export const ADOPTED: Readonly<Record<'marker-lost' | 'target-held' | 'id-given', string>> = {
  'marker-lost': 'Its marker is gone from the remark; an apply writes it again.',
  'target-held': 'An unmanaged task has its target, which only one can have; an apply adopts it.',
  'id-given': 'Git names it by metadata.id, and it carries no marker; an apply adopts it.',
};
