import { expect, test } from 'vitest';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { SeedTask } from '../../src/core/model/generated/sandbox.ts';
import { isObject, type Json, type JsonObject } from '../../src/core/model/json.ts';
import { parseRemark } from '../../src/core/model/marker.ts';
import { isRefused } from '../../src/core/plan/plan.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import fc from '../properties.ts';
import { Vacuous } from '../support/property.ts';
import { runs } from '../support/sample.ts';
import { createWorld, type World } from '../support/world.ts';
import { account, desired } from './arbitrary.ts';

/** Amounts as whole numbers of 10⁻¹² SOL: nothing here goes through what it checks. */
const DIGITS = 12;

function exact(amount: Json | undefined): bigint {
  if (typeof amount !== 'string' || amount === '') return 0n;
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole) * 10n ** BigInt(DIGITS) + BigInt(fraction.padEnd(DIGITS, '0'));
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function dearest(amounts: readonly bigint[]): bigint {
  return [...amounts].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))[0] ?? 0n;
}

function at(config: JsonObject, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), config);
}

/** DESIGN 8, once more: the buy, and the dearer route's tip and fee. */
function stake({ collection, config }: StoredTask): bigint {
  if (collection !== 'copy-trade') {
    const routes = ['relay_mode', 'priority_mode'].map(
      (mode) => exact(at(config, mode, 'tip_amount')) + exact(at(config, mode, 'priority_fee')),
    );
    return exact(config.buy_amount) + dearest(routes);
  }
  const set = (field: string) => exact(at(config, 'buy_config_universal', field));
  const routes = [set('relay_tip') + set('relay_priority_fee'), set('priority_tip') + set('priority_fee')];
  return set('amount_sol') + dearest(routes);
}

/** Running tasks whose marker names this project, and those that are half of a replacement, told by their `~`. */
function ours(world: World): { readonly running: readonly StoredTask[]; readonly paired: boolean } {
  const tasks = [...world.sandbox.state.tasks.values()].flatMap((task) => {
    const remark = parseRemark(task.remark);
    return remark.type === 'marked' && remark.marker.project === 'core'
      ? [{ task, marker: remark.marker }]
      : [];
  });
  return {
    running: tasks.flatMap(({ task }) => (task.is_active ? [task] : [])),
    paired: tasks.some(({ marker }) => marker.replaces !== undefined),
  };
}

function isWhole({ remark }: SeedTask): boolean {
  const parsed = parseRemark(remark ?? '');
  return parsed.type !== 'marked' || parsed.marker.replaces === undefined;
}

interface Sums {
  readonly before: string;
  readonly after: string;
  readonly running_before: number;
  readonly running_after: number;
}

function added(parts: readonly Sums[]) {
  return {
    before: sum(parts.map(({ before }) => exact(before))),
    after: sum(parts.map(({ after }) => exact(after))),
    running_before: parts.reduce((total, part) => total + part.running_before, 0),
    running_after: parts.reduce((total, part) => total + part.running_after, 0),
  };
}

function byLabel(labels: Plan['exposure']['labels'], side: 'before' | 'after') {
  return labels
    .filter((row) => row[`running_${side}`] > 0)
    .map((row) => [row.label, exact(row[side]), row[`running_${side}`]]);
}

/** Most accounts without tasks that are half of a replacement: these are one task together, and compare with nothing. */
const scenario = desired.chain((state) =>
  fc.record({
    state: fc.constant(state),
    seed: fc
      .tuple(account(state), fc.nat(3))
      .map(([seed, pick]) => (pick === 0 ? seed : { ...seed, tasks: seed.tasks?.filter(isWhole) ?? [] })),
  }),
);

const RUNS = Number(process.env.CONVERGE_RUNS ?? runs(300));
const SEED = Number(process.env.CONVERGE_SEED ?? 2);

test(
  'totals are the sums of their parts, of what runs on the service, and of what an apply then finds',
  async () => {
    const seen = { compared: 0, applied: 0, moved: 0, labels: 0 };
    const vacuous = new Vacuous();
    await fc.assert(
      fc.asyncProperty(scenario, async ({ state, seed }) => {
        const world = createWorld(seed);
        const { running, paired } = ours(world);
        const plan = await world.plan(state, { allowEmpty: true });
        const { exposure } = plan;
        const total = added([exposure]);
        expect(added(exposure.kinds)).toEqual(total);
        expect(added(exposure.labels)).toEqual(total);
        seen.labels += exposure.labels.length;
        // An adopted task counts as well; a pair of a replacement is one task.
        if (!paired && !plan.changes.some(({ actions }) => actions.includes('adopt'))) {
          seen.compared += 1;
          expect(total.before).toBe(sum(running.map(stake)));
          expect(total.running_before).toBe(running.length);
        }
        if (isRefused(plan) || paired) return vacuous.add();
        const report = await world.apply(plan);
        if (report.summary.failed + report.summary.skipped + report.summary.unknown > 0) return vacuous.add();
        seen.applied += 1;
        seen.moved += total.before === total.after ? 0 : 1;
        const second = await world.plan(state, { allowEmpty: true });
        expect(added([second.exposure])).toMatchObject({
          before: total.after,
          running_before: total.running_after,
        });
        expect(byLabel(second.exposure.labels, 'before')).toEqual(byLabel(exposure.labels, 'after'));
      }),
      { numRuns: RUNS, seed: SEED },
    );
    vacuous.expectAtMost(0.4, RUNS);
    expect(seen.compared).toBeGreaterThan(RUNS / 10);
    expect(seen.applied).toBeGreaterThan(RUNS / 10);
    expect(seen.moved).toBeGreaterThan(RUNS / 20);
    expect(seen.labels).toBeGreaterThan(RUNS);
  },
  60_000 + RUNS * 30,
);
