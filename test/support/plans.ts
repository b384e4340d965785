import type { DesiredState } from '../../src/core/desired/state.ts';
import type { Change, Operation, Plan } from '../../src/core/model/generated/plan.ts';
import type { LiveTask } from '../../src/core/model/resource.ts';
import { makePlan } from '../../src/core/plan/plan.ts';
import { liveState, planInput } from './builders.ts';

/** The plan for an account with this much of its quota left. */
export function planWithRoom(desired: DesiredState, live: readonly LiveTask[], remaining = 10): Plan {
  const quota = { max: live.length + remaining, used: live.length, remaining };
  return makePlan(planInput(desired, liveState(live, [], { account: { ...liveState([]).account, quota } })));
}

export function changeOf(plan: Plan, address: string): Change {
  const change = plan.changes.find((item) => item.address === address);
  if (change === undefined)
    throw new Error(`no change of ${address}: ${plan.changes.map((c) => c.address).join(', ')}`);
  return change;
}

export function operationsOf(plan: Plan, address: string): readonly Operation[] {
  return plan.operations.filter((operation) => operation.address === address);
}

/** The verbs of a chain with the written mark: `mark(pending)`, `pause`, `patch(settled)`. */
export function steps(plan: Plan, address: string): readonly string[] {
  return operationsOf(plan, address).map(({ verb, body, read_first }) => {
    const remark = body?.remark as { mark?: string; replaces?: string | null } | undefined;
    const mark = remark?.mark === undefined ? '' : `(${remark.mark}${remark.replaces ? ' ~' : ''})`;
    return `${read_first === true ? 'read+' : ''}${verb}${mark}`;
  });
}
