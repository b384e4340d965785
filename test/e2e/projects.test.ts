import { expect, test } from 'vitest';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { Change, Plan } from '../../src/core/model/generated/plan.ts';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import { isRefused } from '../../src/core/plan/plan.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import fc from '../properties.ts';
import { Vacuous } from '../support/property.ts';
import { runs } from '../support/sample.ts';
import { createWorld, type World } from '../support/world.ts';
import { account, desired } from './arbitrary.ts';

/** Markers that pass from one project name to another, in random worlds: the project renamed, and tasks taken over. */

const RUNS = Number(process.env.CONVERGE_RUNS ?? runs(150));
const SEED = Number(process.env.CONVERGE_SEED ?? 1);
const TIME = 60_000 + RUNS * 30;

interface Scene {
  readonly state: DesiredState;
  readonly seed: SeedAccount;
  /** Which tasks are marked otherwise. */
  readonly bits: readonly boolean[];
}

const scene: fc.Arbitrary<Scene> = desired.chain((state) =>
  fc.record({
    state: fc.constant(state),
    seed: account(state),
    bits: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  }),
);

/** The account with `core` in the markers of these tasks called otherwise. */
function marked(seed: SeedAccount, project: string, which: (index: number) => boolean): SeedAccount {
  const tasks = (seed.tasks ?? []).map((task, index) =>
    which(index) ? { ...task, remark: task.remark?.replace(/\[git:core\//, `[git:${project}/`) ?? '' } : task,
  );
  return { ...seed, tasks };
}

function stored(world: World): ReadonlyMap<string, StoredTask> {
  return new Map(world.sandbox.state.tasks);
}

/** Carries the plan out; false where it is refused. Everything else must come about, and leave nothing to do. */
async function converges(
  world: World,
  state: DesiredState,
  takeOver: readonly string[],
): Promise<Plan | undefined> {
  const plan = await world.plan(state, { allowEmpty: true, takeOver });
  if (isRefused(plan)) return undefined;
  const report = await world.apply(plan);
  const bad = report.changes.filter(({ status }) => !['done', 'held', 'blocked'].includes(status));
  expect(bad.map(({ address, text, error }) => ({ address, text, error }))).toEqual([]);
  const second = await world.plan(state, { allowEmpty: true, takeOver });
  expect(second.operations.map(({ id, verb }) => `${id} ${verb}`)).toEqual([]);
  return plan;
}

const idsOf = ({ id, replaces_id, former, successor }: Change): readonly unknown[] => [
  id,
  replaces_id,
  former?.id,
  successor?.id,
];

test(
  'the project is renamed: it converges, and touches nothing under the former name that no manifest names',
  async () => {
    let renamed = 0;
    let left = 0;
    const vacuous = new Vacuous();
    await fc.assert(
      fc.asyncProperty(scene, async ({ state, seed, bits }) => {
        const world = createWorld(marked(seed, 'was', (index) => bits[index] === true));
        const former = stored(world);
        const names = new Set(state.tasks.map(({ address }) => address as string));
        const plan = await converges(world, { ...state, previousProject: 'was' }, []);
        if (plan === undefined) return vacuous.add();
        const mine = plan.changes.filter(({ address }) => names.has(address)).flatMap(idsOf);
        const after = stored(world);
        for (const [id, task] of former) {
          if (!task.remark.includes('[git:was/')) continue;
          renamed += after.get(id)?.remark.includes('[git:core/') ? 1 : 0;
          if (mine.includes(id)) continue;
          left += 1;
          expect(after.get(id)).toEqual(task);
        }
      }),
      { numRuns: RUNS, seed: SEED },
    );
    vacuous.expectAtMost(0.2, RUNS);
    expect(renamed).toBeGreaterThan(RUNS / 10);
    expect(left).toBeGreaterThan(RUNS / 10);
  },
  TIME,
);

/** What the plan does with the switch, and what it says of it. */
function switchOf(plan: Plan, address: string) {
  const change = plan.changes.find((one) => one.address === address);
  if (change === undefined) return { starts: false, stops: false, held: false, blocked: false };
  const { starts_trading: starts, stops_trading: stops, held, blocked } = change;
  return { starts, stops, held, blocked: blocked !== null };
}

test(
  'whatever a task’s marker says, a rename of the project starts, stops and holds the same tasks',
  async () => {
    let compared = 0;
    const vacuous = new Vacuous();
    await fc.assert(
      fc.asyncProperty(scene, async ({ state, seed: drawn }) => {
        const seed = { ...drawn, quota: { max: 100 } };
        const same = await createWorld(seed).plan(state, { allowEmpty: true });
        const world = createWorld(marked(seed, 'was', () => true));
        const renamed = await world.plan({ ...state, previousProject: 'was' }, { allowEmpty: true });
        const owners = new Set(
          (seed.tasks ?? []).flatMap(({ kind, remark }) => {
            const name = /\[git:core\/([a-z]+)[@#~\]]/.exec(remark ?? '')?.[1];
            return name === undefined ? [] : [`${kind}/${name}`];
          }),
        );
        // What the whole has no room for depends on what is deleted elsewhere.
        if ([same, renamed].some(({ changes }) => changes.some(({ reason }) => reason === 'no-room')))
          return vacuous.add();
        for (const { address } of state.tasks) {
          if (!owners.has(address)) continue;
          compared += 1;
          expect(switchOf(renamed, address), address).toEqual(switchOf(same, address));
        }
        expect(renamed.changes.filter(({ actions }) => actions.includes('delete'))).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    vacuous.expectAtMost(0.2, RUNS);
    expect(compared).toBeGreaterThan(RUNS / 10);
  },
  TIME,
);

test(
  'tasks are taken over: it converges, starts none, and touches nothing else of that project',
  async () => {
    let taken = 0;
    const vacuous = new Vacuous();
    await fc.assert(
      fc.asyncProperty(scene, async ({ state, seed, bits }) => {
        const world = createWorld(marked(seed, 'other', (index) => bits[index] === true));
        const former = stored(world);
        const plan = await converges(world, state, ['other']);
        if (plan === undefined) return vacuous.add();
        const over = plan.changes.filter(({ actions }) => actions.includes('take-over'));
        taken += over.length;
        expect(over.filter((change) => change.starts_trading)).toEqual([]);
        // From now on they are this project's, whether the option is given again or not.
        const later = await world.plan(state, { allowEmpty: true });
        const again = new Set(later.operations.map(({ address }) => address));
        expect(over.filter(({ address }) => again.has(address))).toEqual([]);
        const after = stored(world);
        for (const [id, task] of former) {
          if (!task.remark.includes('[git:other/')) continue;
          if (over.some((change) => change.id === id)) {
            expect(after.get(id)?.is_active === true && !task.is_active).toBe(false);
          } else expect(after.get(id)).toEqual(task);
        }
      }),
      { numRuns: RUNS, seed: SEED },
    );
    vacuous.expectAtMost(0.1, RUNS);
    expect(taken).toBeGreaterThan(RUNS / 20);
  },
  TIME,
);
