import { addDecimals } from '../../model/decimal.ts';
import type { Change, Observation, Plan, PlanExposure } from '../../model/generated/plan.ts';
import { TASK_KINDS } from '../../model/kind.ts';
import type { LiveState, LiveTask } from '../../model/resource.ts';
import { leftOut } from './not-in-total.ts';
import type { Stake } from './stakes.ts';

/** The exposure of the plan: in total, by kind and by label, and the parts that these sums do not hold (DESIGN 8). */
export function totalExposure(
  stakes: readonly Stake[],
  observations: readonly Observation[],
  live: LiveState,
  changes: readonly Change[],
): Plan['exposure'] {
  const kinds = TASK_KINDS.map(({ collection }) => collection);
  return {
    ...total(
      stakes,
      () => true,
      () => true,
    ),
    kinds: kinds
      .map((kind) => ({ kind, ...total(stakes, ...both((stake) => stake.kind === kind)) }))
      .filter(runsAtAll),
    labels: labelsOf(stakes)
      .map((label) => ({
        label,
        ...total(
          stakes,
          (stake) => stake.labelBefore === label,
          (stake) => stake.labelAfter === label,
        ),
      }))
      .filter(runsAtAll),
    left_out: [...leftOut(stakes, observations, live, releasedTasks(changes, stakes, live))],
  };
}

/** Released tasks that run. A task with an amount from the environment is left out: its own stake says so, without a number. */
function releasedTasks(
  changes: readonly Change[],
  stakes: readonly Stake[],
  { tasks }: LiveState,
): readonly LiveTask[] {
  const secret = new Set(stakes.flatMap((stake) => (stake.secret ? [stake.address] : [])));
  const ids = new Set(
    changes.flatMap(({ action, address, id }) => (action === 'release' && !secret.has(address) ? [id] : [])),
  );
  return ids.size === 0 ? [] : tasks.filter(({ id, is_active }) => is_active && ids.has(id));
}

type Total = Pick<PlanExposure, 'before' | 'after' | 'running_before' | 'running_after'>;
type Test = (stake: Stake) => boolean;

function both(test: Test): readonly [Test, Test] {
  return [test, test];
}

function total(stakes: readonly Stake[], countsBefore: Test, countsAfter: Test): Total {
  const before = stakes.filter((stake) => stake.runningBefore && countsBefore(stake));
  const after = stakes.filter((stake) => stake.runningAfter && countsAfter(stake));
  return {
    before: addDecimals(before.map((stake) => (stake.secret ? '0' : stake.before))),
    after: addDecimals(after.map((stake) => (stake.secret ? '0' : stake.after))),
    running_before: before.length,
    running_after: after.length,
  };
}

function runsAtAll({ running_before, running_after }: Total): boolean {
  return running_before > 0 || running_after > 0;
}

/** In code-unit order, no label last. */
function labelsOf(stakes: readonly Stake[]): readonly (string | null)[] {
  const names = new Set(stakes.flatMap(({ labelBefore, labelAfter }) => [labelBefore, labelAfter]));
  const named = [...names].filter((name) => name !== null).sort();
  return names.has(null) ? [...named, null] : named;
}
