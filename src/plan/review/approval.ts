import { byKey } from '../../model/by-key.ts';
import type { Change, Plan } from '../../model/generated/plan.ts';
import { digestOfList, type ListedChange, listedIn } from './digest.ts';

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
}

export interface Judgement {
  /**
   * Changes that are new or differ from the approved ones: the plan must not be carried out. In the order of the plan's
   * changes.
   */
  readonly moved: readonly Moved[];
  /** Approved changes with nothing left to do. */
  readonly gone: readonly ListedChange[];
  /** Approvals for another project, environment, service or account, or whose list does not match their digest. */
  readonly strange: readonly Approval[];
}

/**
 * Compares a plan with its approvals. An approval must list each of its changes with the same digest, or the change
 * must be the rest of an interrupted one. If an approved change is no longer needed, the others are still carried out.
 * If a task that was approved to be changed is held or blocked now, the plan is refused: the reviewers did not see that
 * stop. Pure.
 */
export function judgeApproval(plan: Plan, approvals: readonly Approval[]): Judgement {
  const known = approvals.filter(({ changes }) => changes !== undefined);
  const strange = known.filter(
    ({ digest, changes = [], order }) => digestOfList(plan, changes, order) !== digest,
  );
  const listed = known
    .filter((approval) => !strange.includes(approval))
    .flatMap(({ changes = [] }) => changes);
  const approvedAt = byKey(listed, ({ address }) => address);
  const now = new Map(listedIn(plan).map((change) => [change.address, change]));
  const moved = plan.changes.flatMap((change): Moved[] => {
    const approved = approvedAt.get(change.address) ?? [];
    const own = now.get(change.address);
    const fine =
      own === undefined
        ? approved.every(({ does }) => does.endsWith('+held')) || !(change.held || change.blocked !== null)
        : approved.some((one) => one.digest === own.digest || isRestOf(change, one));
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
  const gone = [...approvedAt.values()].flatMap(([first]) =>
    first === undefined || now.has(first.address) || stopped.has(first.address) ? [] : [first],
  );
  return { moved, gone, strange };
}

/**
 * True for the rest of an approved change that was interrupted: the task ends as approved, and its mark proves that a run of
 * tradeform began the change. Or the deletion is left of a change that paused the task first.
 */
function isRestOf(change: Change, approved: ListedChange): boolean {
  if (change.held || change.outcome === undefined || change.outcome !== approved.outcome) return false;
  if (change.reason === 'interrupted') return true;
  const does = approved.does.split('+');
  if (change.reason === 'replacement-in-progress') return does.includes('replace');
  return change.actions.join() === 'delete' && does.includes('delete');
}
