import { bareName, collectionOf } from '../../model/address.ts';
import { isPendingAt } from '../../model/armed.ts';
import { byKey } from '../../model/by-key.ts';
import type { Change, Left, Plan } from '../../model/generated/plan.ts';
import { ownMarkerOf, remarkOf } from '../../model/marker.ts';
import { isTask, type LiveResource, type LiveState } from '../../model/resource.ts';
import { versionAfter } from '../../model/versions.ts';
import { digestOfList, type ListedChange, listedIn, stateOf } from './digest.ts';

/** A plan that was approved elsewhere, with the information available here. */
export interface Approval {
  readonly digest: string;
  /** Undefined if only the digest is known. */
  readonly changes: readonly ListedChange[] | undefined;
  /** Which operations wait for which (`orderOf`): the digest covers it beside the list. */
  readonly order?: string | undefined;
}

/** A change of the current plan that was not approved in this form. */
export interface Moved {
  readonly address: string;
  /** The approved changes at the address, each as `update+start`; empty if nothing was approved. */
  readonly approved: readonly string[];
  /** The current change at the address, as `update+start`; undefined if nothing would be done. */
  readonly now: string | undefined;
  readonly held: boolean;
  /** Why nothing can be done now. */
  readonly blocked: string | undefined;
  /** Nothing would be done, although the address is not as approved. null: it is not known what is left there. */
  readonly open?: Left | null;
}

export interface Judgement {
  /**
   * Changes that are new or differ from the approved ones, and approved ones that are neither to be done nor done: the plan must not
   * be carried out. In the order of the plan's changes.
   */
  readonly moved: readonly Moved[];
  readonly gone: readonly ListedChange[];
  /** Approvals for another project, environment, service or account, or whose list does not match their digest. */
  readonly strange: readonly Approval[];
}

/**
 * Compares a plan with its approvals. An approval must list each of its changes with the same digest, or the change
 * must be the rest of an interrupted one. If an approved change is done already, the others are still carried out.
 * If a task that was approved to be changed is held, blocked or left now, the plan is refused: the reviewers did not see that
 * stop. `merged`: git has what was approved, or took it back. Pure.
 */
export function judgeApproval(
  plan: Plan,
  approvals: readonly Approval[],
  live: LiveState,
  merged = false,
): Judgement {
  const known = approvals.filter(({ changes }) => changes !== undefined);
  const strange = known.filter(
    ({ digest, changes = [], order }) => digestOfList(plan, changes, order) !== digest,
  );
  const listed = known
    .filter((approval) => !strange.includes(approval))
    .flatMap(({ changes = [] }) => changes);
  const approvedAt = byKey(listed, ({ address }) => address);
  const now = new Map(listedIn(plan).map((change) => [change.address, change]));
  const left = new Map((plan.left ?? []).map((one) => [one.address, one]));
  const moved = plan.changes.flatMap((change): Moved[] => {
    const approved = approvedAt.get(change.address) ?? [];
    const own = now.get(change.address);
    const fine =
      own === undefined
        ? approved.length === 0 ||
          (change.blocked === null && (!change.held || approved.every(({ does }) => does.endsWith('+held'))))
        : approved.some(
            (one) => one.digest === own.digest || isRestOf(change, one, live, left.get(change.address)),
          );
    if (fine) return [];
    return [
      {
        address: change.address,
        approved: approved.map(({ does }) => does),
        now: own?.does,
        held: change.held,
        blocked: change.blocked?.text,
      },
    ];
  });
  const stopped = new Set(moved.map(({ address }) => address));
  const gone: ListedChange[] = [];
  for (const [address, there] of approvedAt) {
    if (now.has(address) || stopped.has(address)) continue;
    if (!left.has(address) && there.some((one) => isDone(one, plan, live, merged)))
      gone.push(...there.slice(0, 1));
    else {
      const approved = there.map(({ does }) => does);
      const nothing = { now: undefined, held: false, blocked: undefined };
      moved.push({ address, approved, ...nothing, open: left.get(address) ?? null });
    }
  }
  return { moved, gone, strange };
}

/**
 * True if the service has what the change was to make, or lacks what it was to delete. `merged`: also if git took the change back,
 * and the service has that.
 */
function isDone(
  { address, does, outcome, id }: ListedChange,
  { project, previous_project: previousProject, selection }: Plan,
  live: LiveState,
  merged: boolean,
): boolean {
  const collection = collectionOf(address);
  if (collection === undefined || !live.visible.has(collection)) return false;
  const all: readonly LiveResource[] = [...live.tasks, ...live.templates, ...live.labels];
  const found = all.filter((one) => one.collection === collection);
  const isAt = (one: LiveResource) =>
    !isTask(one) || ownMarkerOf(one, { project, previousProject })?.name === bareName(address);
  const former = found.find((one) => one.id === id);
  if (merged && selection === undefined && live.complete && (former === undefined || isAt(former)))
    return true;
  // A damaged marker may be the project's.
  if (former !== undefined)
    return (
      does.includes('release') &&
      isTask(former) &&
      remarkOf(former).type !== 'damaged' &&
      ownMarkerOf(former, { project, previousProject }) === undefined
    );
  if (/delete|release/.test(does)) return live.complete && id !== undefined;
  return found.some((one) => isAt(one) && stateOf(address, one) === outcome);
}

/**
 * True for the rest of an approved change that was interrupted: the task ends as approved, and its mark proves that a run of
 * tradeform began the change and nobody wrote since. Or the change was to stop the task, which is off, and writes no more than was
 * approved. Or the deletion is left of a change that paused the task first.
 */
function isRestOf(
  change: Change,
  approved: ListedChange,
  { tasks }: LiveState,
  left: Left | undefined,
): boolean {
  // The outcome does not cover the label.
  if (left?.fields.some(({ path }) => path === 'label') === true) return false;
  if (change.held || change.outcome === undefined || change.outcome !== approved.outcome) return false;
  const { actions, replaces_id: replaced } = change;
  const does = approved.does.split('+');
  if (actions.includes('finish')) return replaced === null || replaced === approved.id;
  // The request that announces a pause renames the task, too.
  const task = tasks.find(({ id }) => id === change.id);
  const isAnnounced =
    task?.is_active === true && isPendingAt(remarkOf(task).marker?.armed, versionAfter(task, 1));
  if (isAnnounced && ['rename', ...actions].join('+') === approved.does) return true;
  // What is written to a task that is off brings it to its approved state; without fields, it is the mark alone.
  const isWritten = actions.every(
    (action) => does.includes(action) || (action === 'update' && change.fields.length === 0),
  );
  if (does.includes('stop') && change.former?.is_active === false && !change.starts_trading && isWritten)
    return true;
  if (change.reason === 'replacement-in-progress') return does.includes('replace');
  return actions.join() === 'delete' && does.includes('delete');
}
