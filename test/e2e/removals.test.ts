import { expect, test } from 'vitest';
import { buildChains } from '../../src/core/act/chains.ts';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { Address } from '../../src/core/model/address.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import { TASK_KINDS } from '../../src/core/model/kind.ts';
import { parseRemark } from '../../src/core/model/marker.ts';
import { isRefused } from '../../src/core/plan/plan.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import fc from '../properties.ts';
import { configFor, desiredLabel, removal } from '../support/builders.ts';
import { drawChoices } from '../support/choices.ts';
import { Vacuous } from '../support/property.ts';
import { runs } from '../support/sample.ts';
import { createWorld, type World } from '../support/world.ts';
import { account, desired } from './arbitrary.ts';

const choices = fc.array(fc.nat(1_000), { minLength: 120, maxLength: 120 }).map((numbers) => {
  let at = 0;
  return drawChoices((count) => (numbers[at++] ?? 0) % count);
});

const MOST_LABELS = 20;

/** Removals of what no manifest names, beside labels that want a place, and task manifests that use them. */
const scenario = desired
  .chain((state) =>
    fc.record({
      state: fc.constant(state),
      seed: account(state),
      choices,
      removed: fc.subarray([
        'label/theirs',
        'label/never',
        'label/Filler 0',
        'sniper-template/Theirs',
      ] as const),
      released: fc.subarray(
        TASK_KINDS.flatMap(({ collection }) =>
          ['a', 'b', 'c', 'gone'].map((name) => `${collection}/${name}`),
        ),
      ),
      more: fc.subarray(['filler 0', 'new', 'newer']),
      users: fc.array(fc.constantFrom(null, 'new', 'newer', 'high'), { minLength: 9, maxLength: 9 }),
      full: fc.boolean(),
      prune: fc.constantFrom('delete' as const, 'pause' as const, 'never' as const),
    }),
  )
  .map(({ state, seed, choices: chosen, removed, released, more, users, full, prune }) => {
    const described = new Set<string>(state.tasks.map(({ address }) => address));
    const releases = released.filter((address) => !described.has(address));
    const labels = [
      ...state.labels,
      ...more.map((name) => desiredLabel(name.replace(' ', '-'), { shownName: name })),
    ];
    const names = new Set(labels.map(({ name }) => name));
    const wanted: DesiredState = {
      ...state,
      pruneTasks: prune,
      labels,
      tasks: state.tasks.map((task, index) => {
        const label = users[index % users.length] ?? null;
        return label !== null && names.has(label) ? { ...task, label } : task;
      }),
      removals: [...removed, ...releases].map((address) => removal(address as Address)),
    };
    return { state: wanted, seed: full ? filled(seed) : seed, choices: chosen };
  });

function filled(seed: SeedAccount): SeedAccount {
  const labels = seed.labels ?? [];
  const fillers = Array.from({ length: MOST_LABELS - labels.length }, (_, index) => ({
    name: `Filler ${index}`,
  }));
  const theirs = { kind: 'sniper' as const, name: 'Theirs', config: configFor('sniper') };
  return { ...seed, labels: [...labels, ...fillers], templates: [...(seed.templates ?? []), theirs] };
}

function isOurs({ remark }: StoredTask): boolean {
  const parsed = parseRemark(remark);
  return parsed.type === 'marked' && parsed.marker.project === 'core';
}

function names(world: World): ReadonlySet<string> {
  const { labels, templates } = world.sandbox.state;
  return new Set([
    ...[...labels.values()].map(({ name }) => `label/${name}`),
    ...[...templates.values()].map(({ collection, name }) => `${collection}/${name}`),
  ]);
}

/** Whatever a patch meets on a legacy snapshot is another test's matter. */
function refusedForLegacy(
  error: { readonly code: string } | undefined,
  task: StoredTask | undefined,
): boolean {
  return error?.code === 'validation_error' && task !== undefined && 'since_dropped' in task.config;
}

/** Tasks of others keep all but a label that was deleted. */
function expectUntouched(
  world: World,
  before: ReadonlyMap<string, StoredTask>,
  changed: ReadonlySet<string | null>,
): void {
  for (const [id, task] of before) {
    if (isOurs(task) || changed.has(id)) continue;
    const { remark, is_active, config } = task;
    expect(world.sandbox.state.tasks.get(id)).toMatchObject({ remark, is_active, config });
  }
}

/** What a failing case needs to be understood. */
function story({ changes, operations }: Plan, { tasks }: DesiredState, seed: SeedAccount): string {
  return [
    ...changes.map(({ address, actions, blocked }) => `${address} ${actions.join()} ${blocked?.text ?? ''}`),
    ...operations.map(({ id, needs }) => `${id} after ${needs.join()}`),
    ...tasks.map(({ address, label, ignoreChanges }) => `wants ${address} ${label} ${ignoreChanges.join()}`),
    ...(seed.tasks ?? []).map(({ kind, remark, label }) => `has ${kind} ${remark} ${label}`),
  ].join('\n');
}

const RUNS = Number(process.env.CONVERGE_RUNS ?? runs(250));
const SEED = Number(process.env.CONVERGE_SEED ?? 1);

test('whatever is removed and released: the plan is carried out, the next one is empty, nothing else is touched', async () => {
  const seen = { removed: 0, released: 0, waiting: 0, blocked: 0 };
  const vacuous = new Vacuous();
  await fc.assert(
    fc.asyncProperty(scenario, async ({ state, seed, choices: chosen }) => {
      const world = createWorld(seed, chosen);
      const before = new Map([...world.sandbox.state.tasks.values()].map((task) => [task.id, task]));
      const plan = await world.plan(state, { allowEmpty: true });
      if (isRefused(plan)) return vacuous.add();
      // Throws where operations wait for each other.
      buildChains(plan);
      const named = new Set<string>(state.removals.map(({ address }) => address));
      for (const { address, actions, kind } of plan.changes) {
        const isTask = TASK_KINDS.some(({ collection }) => collection === kind);
        if (named.has(address))
          expect(actions, address).toEqual([
            expect.stringMatching(isTask ? /^(?:release|none)$/ : /^(?:delete|none)$/),
          ]);
      }
      const report = await world.apply(plan);
      const failed = report.changes.filter(
        ({ id, status, error }) =>
          !['done', 'held', 'blocked'].includes(status) && !refusedForLegacy(error, before.get(id ?? '')),
      );
      const missed = new Set(
        report.changes
          .filter(({ status }) => status === 'failed' || status === 'skipped')
          .map(({ address }) => address),
      );
      expect(failed.filter(({ status }) => missed.size === 0 || status !== 'skipped')).toEqual([]);

      const second = await world.plan(state, { allowEmpty: true });
      // A release, and a label that a task of others loses, can be what something blocked was waiting for.
      const held = new Set(
        plan.changes.flatMap(({ address, blocked }) => (blocked === null ? [] : [address])),
      );
      const left = second.operations.filter(({ address }) => !held.has(address));
      if (missed.size === 0)
        expect(
          left.map(({ id, verb }) => `${id} ${verb}`),
          story(plan, state, seed),
        ).toEqual([]);
      const done = plan.changes.filter(
        ({ address, operations }) => operations.length > 0 && !missed.has(address),
      );
      const deleted = done.filter(({ address, actions }) => named.has(address) && actions.includes('delete'));
      const released = done.filter(({ actions }) => actions.includes('release'));
      for (const { address } of deleted) expect(names(world).has(address), address).toBe(false);
      for (const { id } of released) {
        const task = world.sandbox.state.tasks.get(id ?? '');
        const { is_active, config } = before.get(id ?? '') ?? {};
        expect(task).toMatchObject({ is_active, config });
        expect(task !== undefined && isOurs(task)).toBe(false);
      }
      seen.removed += deleted.length;
      seen.released += released.length;
      expectUntouched(world, before, new Set(plan.changes.map(({ id }) => id)));
      seen.blocked += plan.changes.filter(
        ({ blocked, address }) => blocked !== null && named.has(address),
      ).length;
      seen.waiting += plan.operations.filter(
        ({ verb, needs }) => verb === 'create' && needs.some((need) => named.has(need.slice(0, -2))),
      ).length;
    }),
    { numRuns: RUNS, seed: SEED },
  );
  vacuous.expectAtMost(0.05, RUNS);
  // Each of these would be nothing if the scenarios missed what this is about.
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(RUNS / 50);
}, 120_000);
