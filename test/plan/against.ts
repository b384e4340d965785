import type { DesiredState, DesiredTask } from '../../src/core/desired/state.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { LiveTask } from '../../src/core/model/resource.ts';
import { withProvenance } from '../../src/core/plan/review/provenance.ts';
import { desiredState, liveTask, sniperConfig } from '../support/builders.ts';
import { changeOf, planWithRoom } from '../support/plans.ts';

/** The revision that plans are compared with. */
export const at = { revision: 'main', commit: 'c'.repeat(40) };
export const amount = (buy_amount: string) => ({ config: sniperConfig({ buy_amount }) });
export const owned = (name: string, over: Partial<LiveTask> = {}) =>
  liveTask(1, { remark: `Note [git:core/${name}@1]`, ...over });

export type Wanted = readonly DesiredTask[] | DesiredState;
const stateOf = (wanted: Wanted) => ('tasks' in wanted ? wanted : desiredState(wanted));

/** The plan of `head`, compared with that of `base` on the same live view. */
export function against(base: Wanted, head: Wanted, live: readonly LiveTask[], remaining = 10): Plan {
  const plan = planWithRoom(stateOf(head), live, remaining);
  return withProvenance(plan, { ...at, plan: planWithRoom(stateOf(base), live, remaining) });
}

/** Of the change: its provenance, and which of its fields are of this change and which from before. */
export function marks(plan: Plan, address = 'sniper/a') {
  const { provenance, fields } = changeOf(plan, address);
  const of = (wanted: string) => fields.filter((item) => item.provenance === wanted).map(({ path }) => path);
  return { provenance, own: of('this-change'), before: of('before') };
}
