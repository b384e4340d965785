import { expect, it } from 'vitest';
import type { Plan } from '../../src/model/generated/plan.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import { type DriftRun, openDrift, task } from '../features/drift/drift-run.ts';
import fc from '../properties.ts';
import { runs } from '../support/sample.ts';

/**
 * `--only pending` against what really happened since the last apply. Values recur, so that people set back what git had before: an
 * edit that is back at the value of the last apply is none.
 */
const RUNS = runs(54);
const HOUR = 3_600_000;
const NAMES = ['dawn', 'dusk', 'noon'] as const;
const FIELDS = ['buy', 'tip', 'remark', 'state'] as const;

type Name = (typeof NAMES)[number];
type Field = (typeof FIELDS)[number];
type Values = Readonly<Record<Field, string>>;

const VALUES = {
  buy: ['0.4', '0.5', '2'],
  tip: ['0.001', '0.002'],
  remark: ['One', 'Two'],
  state: ['active', 'paused'],
} as const satisfies Record<Field, readonly string[]>;
const PATHS: Readonly<Record<Field, string>> = {
  buy: 'config.buy_amount',
  tip: 'config.relay_mode.tip_amount',
  remark: 'remark',
  state: 'state',
};

const change = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...FIELDS), fc.nat(2))
  .map(([name, field, pick]) => ({ name, field, value: VALUES[field][pick % VALUES[field].length] ?? '' }));
type OneChange = { readonly name: Name; readonly field: Field; readonly value: string };
const event = fc.oneof(
  fc.record({
    type: fc.constant('commit' as const),
    changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant('person' as const),
    changes: fc.array(change, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ type: fc.constant('apply' as const), only: fc.boolean() }),
);

function liveValues({ config, remark, is_active }: StoredTask): Values {
  return {
    buy: String(config.buy_amount),
    tip: String((config.relay_mode as { tip_amount: string }).tip_amount),
    remark: remark.replace(/ ?\[git.*/, ''),
    state: is_active ? 'active' : 'paused',
  };
}

function manifest(name: Name, { buy, tip, remark, state }: Values): string {
  const text = task(name, { buy, remark, state: state as 'active' });
  return text.replace('relay_mode: { tip_amount: 0.001', `relay_mode: { tip_amount: ${tip}`);
}

/** The world as the test knows it: git, and whose each value of the service is. */
class World {
  readonly git = new Map<Name, Values>(
    NAMES.map((name) => [name, { buy: '0.5', tip: '0.001', remark: 'One', state: 'active' }]),
  );
  /** What git wanted when an apply last decided every field of the task. */
  readonly base = new Map<Name, Values>(this.git);
  readonly run: DriftRun;

  constructor(run: DriftRun) {
    this.run = run;
  }

  live(name: Name): Values {
    return liveValues(this.run.live(name));
  }

  commit(changes: readonly OneChange[]): void {
    this.run.sandbox.advance(HOUR);
    for (const { name, field, value } of changes) {
      this.git.set(name, { ...this.gitOf(name), [field]: value });
    }
    this.run.manifests(
      Object.fromEntries([...this.git].map(([name, values]) => [name, manifest(name, values)])),
    );
    this.run.commit('change');
  }

  person(changes: readonly OneChange[]): void {
    this.run.sandbox.advance(HOUR);
    for (const { name, field, value } of changes) {
      if (this.live(name)[field] === value) continue;
      const { remark, config } = this.run.live(name);
      if (field === 'buy') this.run.edit(name, { merge: { buy_amount: value } });
      if (field === 'tip')
        this.run.edit(name, {
          merge: { relay_mode: { ...(config.relay_mode as object), tip_amount: value } },
        });
      if (field === 'remark') this.run.edit(name, { remark: remark.replace(/^\w+/, value) });
      if (field === 'state') this.run.edit(name, { is_active: value === 'active' });
    }
  }

  async apply(only: boolean): Promise<void> {
    this.run.sandbox.advance(HOUR);
    const before = new Map(NAMES.map((name) => [name, this.live(name).state]));
    const { code, diagnostics } = await this.run.apply(undefined, {
      autoApprove: true,
      firstApply: true,
      ...(only ? { only: 'pending' } : {}),
    });
    expect([code, diagnostics]).toEqual([0, []]);
    for (const name of NAMES) {
      // Git asks for a start, and part of the config is somebody's: the task keeps its version.
      const waits = before.get(name) === this.base.get(name)?.state && !this.agrees(name, 'state');
      if (!only || !waits) this.base.set(name, this.gitOf(name));
    }
  }

  agrees(name: Name, field: Field): boolean {
    return this.live(name)[field] === this.gitOf(name)[field];
  }

  /** True for a value that somebody set since. */
  isPersons(name: Name, field: Field): boolean {
    return this.live(name)[field] !== this.base.get(name)?.[field];
  }

  gitOf(name: Name): Values {
    const values = this.git.get(name);
    if (values === undefined) throw new Error(name);
    return values;
  }
}

it('what git changed arrives, what people changed stays, and drift reports what was left', {
  timeout: 300_000,
}, async () => {
  let arrived = 0;
  let stayed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 2, maxLength: 9 }), async (events) => {
      const run = await openDrift({}, { clock: true });
      try {
        run.manifests(
          Object.fromEntries(
            NAMES.map((name) => [
              name,
              manifest(name, { buy: '0.5', tip: '0.001', remark: 'One', state: 'active' }),
            ]),
          ),
        );
        run.commit('first');
        await run.applied();
        const world = new World(run);
        for (const item of events) {
          if (item.type === 'commit') world.commit(item.changes);
          else if (item.type === 'person') world.person(item.changes);
          else await world.apply(item.only);
        }
        const before = new Map(NAMES.map((name) => [name, world.live(name)]));
        const persons = new Set(
          NAMES.flatMap((name) =>
            FIELDS.filter((field) => world.isPersons(name, field)).map((field) => `${name} ${field}`),
          ),
        );
        run.sandbox.advance(HOUR);
        const { stdout } = await run.plan({ only: 'pending', output: 'json' });
        const { left = [], changes } = JSON.parse(stdout) as Plan;
        const told = new Set(
          left.flatMap(({ address, fields }) => fields.map(({ path }) => `${address} ${path}`)),
        );
        const held = new Set(changes.filter((item) => item.held).map(({ address }) => address));
        await world.apply(true);
        for (const name of NAMES) {
          for (const field of FIELDS) {
            const [was, wanted, is] = [
              before.get(name)?.[field],
              world.gitOf(name)[field],
              world.live(name)[field],
            ];
            const key = `${name} ${field}`;
            const what = { events, key, was, wanted, is };
            const isTold =
              told.has(`sniper/${name} ${PATHS[field]}`) || (field === 'state' && held.has(`sniper/${name}`));
            if (was === wanted || persons.has(key)) expect({ ...what, is }).toEqual({ ...what, is: was });
            // A start of git waits as long as part of the config is somebody's.
            else if (field === 'state' && is !== wanted)
              expect(what).toMatchObject({ wanted: 'active', is: was });
            else {
              expect(what).toEqual({ ...what, is: wanted });
              arrived += 1;
            }
            if (is !== wanted) stayed += 1;
            expect({ ...what, isTold }).toEqual({ ...what, isTold: is !== wanted });
          }
        }
        const second = await run.plan({ only: 'pending', output: 'json' });
        expect((JSON.parse(second.stdout) as Plan).operations).toEqual([]);
        const { items } = await run.report();
        const reported = items.flatMap(({ address, fields }) =>
          fields.map(({ path }) => `${address} ${path}`),
        );
        const remain = NAMES.flatMap((name) =>
          FIELDS.filter((field) => world.live(name)[field] !== world.gitOf(name)[field]).map(
            (field) => `sniper/${name} ${PATHS[field]}`,
          ),
        );
        expect(new Set(reported)).toEqual(new Set(remain));
      } finally {
        await run.remove();
      }
    }),
    { numRuns: RUNS, seed: 1616 },
  );
  expect(arrived).toBeGreaterThan(RUNS / 5);
  expect(stayed).toBeGreaterThan(RUNS / 5);
});
