import { addDecimals } from '../../model/decimal.ts';
import type { Change, LeftOut, Observation, Plan, PlanExposure } from '../../model/generated/plan.ts';
import { hiddenKinds, TASK_COLLECTIONS } from '../../model/kind.ts';
import { markerOf } from '../../model/marker.ts';
import { count } from '../../model/named.ts';
import type { LiveState, LiveTask } from '../../model/resource.ts';
import { outsideOf } from './exposure.ts';
import type { Stake } from './stakes.ts';

/** The exposure of the plan: in total, by kind and by label, with what these sums do not contain (DESIGN 8). */
export function totalExposure(
  stakes: readonly Stake[],
  observations: readonly Observation[],
  live: LiveState,
  changes: readonly Change[],
): Plan['exposure'] {
  return {
    ...total(stakes, () => true),
    outside: outsideOf([
      ...runningOthers(observations, live),
      ...releasedTasks(changes, stakes, live).map((task) => ({ task })),
    ]),
    kinds: TASK_COLLECTIONS.map((kind) => ({
      kind,
      ...total(stakes, (stake) => stake.kind === kind),
    })).filter(runsAtAll),
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
    left_out: [...leftOut(stakes, live)],
  };
}

function runningOthers(observations: readonly Observation[], { tasks }: LiveState) {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return observations
    .filter(({ running, class: its }) => running && ['unmanaged', 'damaged', 'foreign'].includes(its))
    .flatMap(({ id, secrets }) => {
      const task = byId.get(id);
      return task === undefined ? [] : [{ task, secrets, project: markerOf(task)?.project }];
    });
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

function total(stakes: readonly Stake[], countsBefore: Test, countsAfter = countsBefore): Total {
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

/** What the totals do not contain or cannot know, the most important first; only parts with tasks. */
function leftOut(stakes: readonly Stake[], live: LiveState): readonly LeftOut[] {
  const running = stakes.filter(({ runningAfter }) => runningAfter);
  const hidden = hiddenKinds(live.visible);
  return [
    said('secret', stakes, ({ secret }) => secret),
    said('unreadable', stakes, ({ readable }) => !readable),
    {
      ...said('not-visible', hidden),
      text: `The token cannot read ${hidden.join(' and ')} tasks: they are not counted.`,
    },
    said('global-dexes', running, ({ globalDexes }) => globalDexes),
    said('unknown-route', running),
    said('selling', running, ({ sells }) => sells),
    said('repeated', running, ({ buyOnce }) => !buyOnce),
  ].filter((item) => item.count > 0);
}

const TEXTS: Partial<Readonly<Record<LeftOut['reason'], (number: number) => string>>> = {
  secret: (n) =>
    `${count(n, 'task has', 'tasks have')} amounts that come from the environment and are not shown: they count as 0.`,
  unreadable: (n) =>
    `${count(n, 'running task has an amount that cannot be read (a legacy config): it counts', 'running tasks have amounts that cannot be read (legacy configs): these count')} as 0.`,
  'global-dexes': (n) =>
    `${count(n, 'task trades', 'tasks trade')} on the account’s own DEX list (dex_source: global), which tradeform cannot see.`,
  'unknown-route': () => 'Worst case: the more expensive route and tier.',
  selling: (n) => `${count(n, 'task sells by itself', 'tasks sell by themselves')}: selling is not counted.`,
  repeated: (n) => `${count(n, 'task buys', 'tasks buy')} at every trigger: one trigger is counted.`,
};

function said<Item>(reason: LeftOut['reason'], all: readonly Item[], counts = (_: Item) => true): LeftOut {
  const { length: number } = all.filter(counts);
  return { reason, count: number, text: TEXTS[reason]?.(number) ?? '' };
}
