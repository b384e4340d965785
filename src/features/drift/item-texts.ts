import { type Armed, dueTime, isSwitchedOff, isSwitchForm } from '../../model/armed.ts';
import type { DriftCommit } from '../../model/generated/drift.ts';
import type { Change } from '../../model/generated/plan.ts';
import { commitWords } from '../../origin/past-state.ts';
import type { MovedOn } from '../../origin/tracks.ts';

/** How much of the history was read. The sentences of an item depend on it. */
export type Reach = 'nowhere' | 'part' | 'all';

/** `base`: the commit that was applied last. `waiting`: the commits since, newest first. */
export function pendingText(base: DriftCommit | undefined, waiting: MovedOn, rolledBack: boolean): string {
  const from = base === undefined ? '' : ` from ${commitWords(base)}`;
  const [newest, ...earlier] = waiting;
  const more = earlier.length === 0 ? '' : `, and ${earlier.length} earlier`;
  const not = newest === undefined ? '' : ` Not applied: ${commitWords(newest.commit)}${more}.`;
  return rolledBack
    ? `It was rolled back to the values${from}, and nobody changed it on the service since.${not.replace(' Not applied:', ' Undone:')}`
    : `Git moved on${from}, and nobody changed it on the service.${not}`;
}

/** For tasks: the version says that somebody changed it. For templates and labels the history says it, as far as it was read. */
export function changedText(reach: Reach): string {
  return reach === 'all'
    ? 'It was changed on the service since the last apply.'
    : 'It was changed on the service since the last apply, as far as the history was read.';
}

const READ = (reach: Reach) => (reach === 'all' ? '' : ', as far as it was read');

/** Why nobody knows what was applied last. */
export const UNKNOWN_VERSION: Readonly<Record<'newer' | 'unknown' | 'none', (reach: Reach) => string>> = {
  newer: () => 'It differs from git, and was written from a newer commit than this one.',
  unknown: (reach) =>
    `It differs from git, and was written from a commit that is not in this history${READ(reach)}: from another branch, from uncommitted manifests, or before the history was rewritten.`,
  none: () => 'It differs from git, and its marker has no version: nobody knows what was applied last.',
};

export function orphanText(reach: Reach, base: DriftCommit | undefined): string {
  if (base !== undefined) return `Its manifest was removed; ${commitWords(base)} had it.`;
  return `It carries the marker of this project, no manifest names it, and it was written from a commit that is not in this history${READ(reach)}.`;
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
export const FINISH = 'An apply was interrupted before it started the task; the next apply starts it.';
export const REPLACING =
  'An apply was interrupted while it replaced the task; the next apply completes the replacement.';

export const REPLACED = 'One of the two was changed on the service since.';
export const INTERRUPTED_START =
  'Somebody started it although git wants it paused, and an apply was interrupted while it updated the task: it is paused now.';

export function startedText(): string {
  return 'Git wants it paused, and it runs: it was started on the service.';
}

export const ADOPTED: Readonly<Record<'marker-lost' | 'target-held' | 'id-given', string>> = {
  'marker-lost': 'Its marker is gone from the remark; an apply writes it again.',
  'target-held': 'An unmanaged task has its target, which only one can have; an apply adopts it.',
  'id-given':
    'Git names it by metadata.id, and it carries no marker: an apply adopts it, or somebody removed the marker.',
};
