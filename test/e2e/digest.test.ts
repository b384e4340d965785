import { expect, test } from 'vitest';
import type { DesiredState, DesiredTask } from '../../src/core/desired/state.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { canonicalJson, type Json, type JsonObject } from '../../src/core/model/json.ts';
import { kindOf } from '../../src/core/model/kind.ts';
import { formatRemark, parseRemark } from '../../src/core/model/marker.ts';
import type { LiveState, LiveTask } from '../../src/core/model/resource.ts';
import { canonicalText } from '../../src/core/model/shape.ts';
import { makePlan } from '../../src/core/plan/plan.ts';
import { listedIn } from '../../src/core/plan/review/digest.ts';
import { withProvenance } from '../../src/core/plan/review/provenance.ts';
import fc from '../properties.ts';
import { planInput, wallet } from '../support/builders.ts';
import { runs } from '../support/sample.ts';
import { withVersions } from '../support/versions.ts';
import { createWorld } from '../support/world.ts';
import { account, desired } from './arbitrary.ts';

/** What --expect rests on: plans of the real planner that do the same have one digest, others have another. */

const RUNS = Number(process.env.CONVERGE_RUNS ?? runs(300));
const SEED = Number(process.env.CONVERGE_SEED ?? 1);
const TIMEOUT = 60_000 + RUNS * 100;

const scenario = desired.chain((state) => fc.record({ state: fc.constant(state), seed: account(state) }));

const plan = (state: DesiredState, live: LiveState) => makePlan(planInput(state, live, { allowEmpty: true }));

/** A version that has moved, and the marks with it; at the first two versions it decides what a replacement does. */
function older(task: LiveTask): LiveTask {
  if (task.version <= 2) return task;
  const parsed = parseRemark(task.remark);
  const shifted = (armed: number) => (armed === 0 ? 0 : armed + 100);
  const remark =
    parsed.type === 'marked' && typeof parsed.marker.armed === 'number'
      ? formatRemark(parsed.note, { ...parsed.marker, armed: shifted(parsed.marker.armed) })
      : task.remark;
  return { ...task, remark, version: task.version + 100, updated_at: '2025-01-01T00:00:00Z' };
}

test(
  'the digest is the same at another time, with another tool, token and commit, with other versions, marks and bases',
  async () => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(scenario, async ({ state, seed }) => {
        const live = withVersions(state, await createWorld(seed).read());
        const approved = plan(state, live);
        const now = makePlan({
          ...planInput(state, live, { allowEmpty: true }),
          live: {
            ...live,
            account: { ...live.account, token_prefix: 'svc_live_ffffffff' },
            tasks: live.tasks.map(older),
            templates: live.templates.map((item) => ({ ...item, version: item.version + 7 })),
          },
          createdAt: '2026-03-01T00:00:00Z',
          toolVersion: '9.9.9',
          source: { commit: 'f'.repeat(40), dirty: true, manifestsDigest: 'f', number: 7 },
          diagnostics: [{ severity: 'warning', code: 'lint-unused', message: 'x' }],
          furtherSecrets: new Map(approved.changes.map(({ address }) => [address, ['config.buy_amount']])),
        });
        changed += approved.changes.length;
        expect(now.digest).toBe(approved.digest);
        const held = withProvenance(approved, { revision: 'main', commit: 'f'.repeat(40), plan: now });
        expect(held.digest).toBe(approved.digest);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(changed).toBeGreaterThan(RUNS);
  },
  TIMEOUT,
);

type Edit<Item> = (item: Item) => Item;

const TASK_EDITS: readonly Edit<DesiredTask>[] = [
  (task) => ({ ...task, note: 'Another' }),
  (task) => ({ ...task, state: task.state === 'paused' ? 'active' : 'paused' }),
  (task) => ({ ...task, state: task.state === 'manual' ? 'active' : 'manual' }),
  (task) => ({ ...task, label: task.label === 'high' ? null : 'high' }),
  (task) => ({ ...task, rearm: 'z' }),
  (task) => ({ ...task, target_wallet: wallet(5) }),
  (task) => ({ ...task, config: { ...task.config, buy_once: task.config.buy_once !== true } }),
  (task) => ({ ...task, config: { ...task.config, selected_dexes: ['bags'] } }),
  (task) => ({ ...task, ignoreChanges: ['config.buy_once', 'config.bundle_amount'] }),
  (task) => ({ ...task, adopt: 'never' }),
];

const STATE_EDITS: readonly Edit<DesiredState>[] = [
  (state) => ({ ...state, pruneTasks: state.pruneTasks === 'delete' ? 'pause' : 'delete' }),
  (state) => ({ ...state, stoppedTasks: state.stoppedTasks === 'hold' ? 'resume' : 'hold' }),
  (state) => ({ ...state, tasks: state.tasks.slice(1) }),
  (state) => ({ ...state, labels: state.labels.map((label) => ({ ...label, sort_order: 7 })) }),
  ...TASK_EDITS.map((edit) => (state: DesiredState) => ({
    ...state,
    tasks: state.tasks.map((task, index) => (index === 0 ? edit(task) : task)),
  })),
];

const LIVE_EDITS: readonly Edit<LiveTask>[] = [
  (task) => ({ ...task, is_active: !task.is_active }),
  (task) => ({ ...task, config: { ...task.config, buy_once: task.config.buy_once !== true } }),
  (task) => ({ ...task, config: { ...task.config, bundle_amount: '0.9' } }),
  (task) => ({ ...task, risk_label_id: null }),
  (task) => ({ ...task, remark: task.remark.replace(/^[^[]*/, 'Another ') }),
];

/** What apply would do, without marks, in a form that shows nothing but that. */
function work(made: Plan): string {
  const chain = made.operations.filter(
    ({ verb, body }) =>
      verb !== 'mark' && !(verb === 'patch' && Object.keys(body ?? {}).every((key) => key === 'remark')),
  );
  return canonicalJson(
    chain.map(({ address, verb, subject, body, settle_ms = 0 }) => {
      const change = made.changes.find((item) => item.address === address);
      const gone = [change?.former, change?.successor].find((item) => subject === item?.id);
      const deleted = verb === 'delete' ? plainBody(address, gone as JsonObject) : null;
      return {
        address,
        verb,
        subject,
        settle_ms,
        body: plainBody(address, body as JsonObject | null),
        deleted,
      };
    }) as Json,
  );
}

function plainBody(address: string, body: JsonObject | null): Json {
  if (body === null) return null;
  const { remark, config, linked_wallets: linked, target_wallet, risk_label_id, name, sort_order } = body;
  const kind = kindOf(address.split('/')[0] as DesiredTask['collection']);
  const note =
    typeof remark === 'string' ? noteOf(remark) : ((remark as JsonObject | undefined)?.note ?? null);
  return {
    note,
    config: config === undefined ? null : canonicalText(kind.config, config as JsonObject),
    linked: linked === undefined ? null : (linked as string[]).toSorted(),
    rest: JSON.stringify([target_wallet, risk_label_id, name, sort_order]),
  };
}

function noteOf(remark: string): string {
  const parsed = parseRemark(remark);
  return parsed.type === 'damaged' ? remark : parsed.note;
}

test(
  'a task that the plan leaves alone may be paused, started or fire: the digest stays, unless the plan then changes the task',
  async () => {
    const seen = { same: 0, other: 0 };
    const bits = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(scenario, bits, async ({ state, seed }, chosen) => {
        const live = await createWorld(seed).read();
        const approved = plan(state, live);
        const subjects = new Set(
          approved.changes
            .filter(({ digest }) => digest !== undefined)
            .flatMap(({ id, replaces_id, former, successor }) => [
              id,
              replaces_id,
              former?.id,
              successor?.id,
            ]),
        );
        const touched = (task: LiveTask, index: number) =>
          chosen[index % chosen.length] === true && !subjects.has(task.id);
        const now = plan(state, {
          ...live,
          tasks: live.tasks.map((task, index) =>
            touched(task, index)
              ? {
                  ...task,
                  is_active: !task.is_active,
                  version: task.version + 1,
                  updated_at: '2026-01-02T00:00:00Z',
                }
              : task,
          ),
        });
        const before = new Set(listedIn(approved).map(({ address }) => address));
        const more = listedIn(now).filter(({ address }) => !before.has(address));
        // Whatever else is done is to what was touched; what was approved is as it was.
        expect(listedIn(now).filter(({ address }) => before.has(address))).toEqual(listedIn(approved));
        expect(now.digest === approved.digest).toBe(more.length === 0);
        seen[more.length === 0 ? 'same' : 'other'] += 1;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(seen.same).toBeGreaterThan(RUNS / 4);
    expect(seen.other).toBeGreaterThan(0);
  },
  TIMEOUT,
);

test(
  'the digest changes as soon as the plan would do something else',
  async () => {
    const seen = { same: 0, other: 0 };
    await fc.assert(
      fc.asyncProperty(scenario, async ({ state, seed }) => {
        const live = await createWorld(seed).read();
        // What is ignored is kept as it is, whatever that is: there an edit on the service leaves the digest alone.
        const whole = { ...state, tasks: state.tasks.map((task) => ({ ...task, ignoreChanges: [] })) };
        const approved = plan(whole, live);
        const others = [
          ...STATE_EDITS.map((edit) => plan(edit(whole), live)),
          ...LIVE_EDITS.map((edit) => plan(whole, { ...live, tasks: live.tasks.map(edit) })),
          plan(whole, { ...live, account: { ...live.account, quota: { max: 0, used: 0, remaining: 0 } } }),
        ];
        for (const other of others) {
          if (other.digest !== approved.digest) seen.other += 1;
          else {
            seen.same += 1;
            expect(work(other)).toBe(work(approved));
          }
        }
      }),
      { numRuns: Math.ceil(RUNS / 3), seed: SEED },
    );
    expect(seen.other).toBeGreaterThan(RUNS);
    expect(seen.same).toBeGreaterThan(RUNS);
  },
  TIMEOUT,
);
