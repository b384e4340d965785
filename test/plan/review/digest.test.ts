import { expect, test } from 'vitest';
import type { Change, Operation, Plan, RemarkSymbol } from '../../../src/core/model/generated/plan.ts';
import type { JsonObject } from '../../../src/core/model/json.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import { withDigests } from '../../../src/core/plan/review/digest.ts';
import { comparePlans } from '../../../src/core/plan/review/plan-difference.ts';
import {
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { changeOf, operationsOf, planWithRoom } from '../../support/plans.ts';

const PLAN = planWithRoom(desiredState([desiredTask('a', { target_wallet: wallet(1) })]), [
  liveTask(1, { remark: 'Note [git:core/a@1]' }),
]);
const [CHANGE] = PLAN.changes as [Change];
const [FIELD] = CHANGE.fields as [Change['fields'][number]];
const [DELETE] = PLAN.operations.filter(({ verb }) => verb === 'delete') as [Operation];
const patchOf = (mark: RemarkSymbol['mark'], over: object = {}): Operation => ({
  ...DELETE,
  id: 'sniper/a#9',
  verb: 'patch',
  body: { remark: { note: 'Note', mark, version: null, rearm: null, replaces: null, ...over } },
});
const withOperation = (operation: Operation): Plan => ({
  ...PLAN,
  operations: [...PLAN.operations, operation],
});
const withOperations = (over: (one: Operation) => Partial<Operation>): Plan => ({
  ...PLAN,
  operations: PLAN.operations.map((one) => ({ ...one, ...over(one) })),
});
const withChange = (over: Partial<Change>): Plan => ({ ...PLAN, changes: [{ ...CHANGE, ...over }] });
const withField = (over: Partial<Change['fields'][number]>): Plan =>
  withChange({ fields: [{ ...FIELD, ...over }] });

test.each<[string, Plan]>([
  ['the project', { ...PLAN, project: 'other' }],
  ['the environment', { ...PLAN, environment: 'staging' }],
  ['the service', { ...PLAN, service: { ...PLAN.service, base_url: 'https://other.invalid/v1' } }],
  ['the user', { ...PLAN, service: { ...PLAN.service, login_username: 'minnows' } }],
  ['a change more', { ...PLAN, changes: [CHANGE, CHANGE] }],
  ['an address', withChange({ address: 'sniper/b' })],
  ['a former address', withChange({ previous_address: 'sniper/b' })],
  ['the id', withChange({ id: uuid(9) })],
  ['the replaced id', withChange({ replaces_id: uuid(9) })],
  ['an action', withChange({ actions: ['replace', 'stop'] })],
  ['a start', withChange({ starts_trading: true })],
  ['a stop', withChange({ stops_trading: true })],
  ['a hold', withChange({ held: true })],
  ['a field', withField({ path: 'config.buy_amount' })],
  ['a value before', withField({ before: 'x' })],
  ['a value after', withField({ after: 'x' })],
  ['a value of a legacy field', withField({ legacy: true })],
  ['a request more', { ...PLAN, operations: [...PLAN.operations, { ...DELETE, id: 'sniper/a#9' }] }],
  ['the former project', { ...PLAN, previous_project: 'was' }],
  ['a subject', withOperations(({ verb }) => (verb === 'resume' ? { subject: uuid(9) } : {}))],
  ['a mark less', { ...PLAN, operations: PLAN.operations.filter(({ verb }) => verb !== 'mark') }],
  ['a mark that asks for a start', withOperation(patchOf('pending'))],
  ['a mark that is taken away', withOperation(patchOf('none'))],
  ['a rearm value', withOperation(patchOf('settled', { rearm: 'x' }))],
  ['a replaced task', withOperation(patchOf('settled', { replaces: uuid(9) }))],
  ['a note', withOperation(patchOf('settled', { note: 'Other' }))],
  ['a mark on another task', withOperation({ ...patchOf('settled'), subject: uuid(9) })],
  ['a wait', withOperations(() => ({ settle_ms: 1 }))],
  ['a wait less', { ...PLAN, operations: PLAN.operations.map(({ settle_ms: _, ...one }) => one) }],
  ['a reading', withOperations(() => ({ read_first: true }))],
  ['what waits for what', withOperations(({ verb }) => (verb === 'create' ? { needs: ['sniper/b#1'] } : {}))],
  [
    'what a patch writes',
    withOperation({ ...patchOf('settled'), body: { ...patchOf('settled').body, config: {} } }),
  ],
  ['the order of the requests', { ...PLAN, operations: [...PLAN.operations].reverse() }],
  [
    'a body that creates',
    { ...PLAN, operations: PLAN.operations.map((one) => ({ ...one, body: { x: 1 } })) },
  ],
])('the digest is another one for %s', (_name, plan) => {
  expect(withDigests(plan).digest).not.toBe(PLAN.digest);
});

test.each<[string, Plan]>([
  ['the tool', { ...PLAN, tool: { name: 'tradeform', version: '9.9.9' } }],
  ['the time', { ...PLAN, created_at: '2026-02-02T00:00:00Z' }],
  ['the token', { ...PLAN, service: { ...PLAN.service, token_prefix: 'svc_live_ffffffff' } }],
  ['the commit', { ...PLAN, source: { ...PLAN.source, commit: 'f'.repeat(40), dirty: true } }],
  ['a version', withChange({ version: 50 })],
  ['a mark that keeps the task off', withOperation(patchOf('settled'))],
  [
    'the time of the resource',
    withChange({ former: { ...CHANGE.former, updated_at: '2026-02-02T00:00:00Z' } }),
  ],
])('the digest is the same for another of %s', (_name, plan) => {
  expect(withDigests(plan).digest).toBe(PLAN.digest);
});

test('covers started tasks completely: a larger amount both in git and on the service is in no field', () => {
  const start = (amount: string, live: Partial<LiveTask> = {}) => {
    const config = sniperConfig({ buy_amount: amount });
    const paused = liveTask(1, { remark: 'Note [git:core/a]', is_active: false, config, ...live });
    return planWithRoom(desiredState([desiredTask('a', { config })]), [paused]);
  };
  const approved = start('0.5');
  expect(approved.operations.map(({ verb }) => verb)).toEqual(['patch', 'resume']);
  expect(approved.changes.map(({ fields }) => fields.map(({ path }) => path))).toEqual([['state']]);
  expect(start('0.5', { version: 9, updated_at: '2026-02-02T00:00:00Z' }).digest).toBe(approved.digest);
  const larger = start('5');
  expect(larger.changes.map(({ fields }) => fields.map(({ path }) => path))).toEqual([['state']]);
  expect(larger.digest).not.toBe(approved.digest);
  expect(comparePlans(approved, larger).different).toEqual([
    {
      address: 'sniper/a',
      actions: ['start'],
      differences: [{ path: 'config.buy_amount', approved: { before: '0.5' }, now: { before: '5' } }],
    },
  ]);
});

test('covers only the fields of a running task, although a change stops and starts it', () => {
  const update = (expiry: string) => {
    const auto_sell = { ...(sniperConfig().auto_sell as JsonObject), expiry_time: expiry };
    const live = liveTask(1, { remark: 'Note [git:core/a@1]', config: sniperConfig({ auto_sell }) });
    const config = sniperConfig({ auto_sell, buy_amount: '2' });
    return planWithRoom(desiredState([desiredTask('a', { config })]), [live]);
  };
  expect(update('60').operations.map(({ verb }) => verb)).toEqual(['mark', 'pause', 'patch', 'resume']);
  expect(update('90').digest).toBe(update('60').digest);
});

test('covers deleted tasks with their note, without their mark', () => {
  const gone = (remark: string) => planWithRoom(desiredState([]), [liveTask(1, { remark })]).digest;
  expect(gone('Note [git:core/a@1]')).toBe(gone('Note [git:core/a@0]'));
  expect(gone('Note [git:core/a@1]')).not.toBe(gone('Other [git:core/a@1]'));
});

test('does not cover tasks to which nothing is done: held, blocked, or with an outdated mark', () => {
  const config = sniperConfig({ buy_amount: '2' });
  const wanted = desiredState([desiredTask('a', { config }), desiredTask('b'), desiredTask('c')]);
  const plan = (b: Partial<LiveTask>, ...more: readonly LiveTask[]) =>
    planWithRoom(wanted, [
      liveTask(1, { remark: 'Note [git:core/a@1]' }),
      liveTask(2, { remark: 'Note [git:core/b@1]', ...b }),
      liveTask(3, { remark: 'Note [git:core/c@1]' }),
      ...more,
    ]);
  const approved = plan({});
  const held = plan({ is_active: false });
  expect(held.changes.map(({ address }) => address)).toEqual(['sniper/a', 'sniper/b']);
  const marked = plan({ remark: 'Note [git:core/b@!]' });
  expect(operationsOf(marked, 'sniper/b').map(({ verb }) => verb)).toEqual(['patch']);
  const blocked = plan({}, liveTask(4, { remark: 'Note [git:core/c@1]' }));
  expect(blocked.changes.some(({ blocked }) => blocked !== null)).toBe(true);
  for (const { digest, changes } of [held, marked, blocked]) {
    expect(digest).toBe(approved.digest);
    expect(changes.flatMap((change) => change.digest ?? [])).toEqual([approved.changes[0]?.digest]);
  }
  // The pause of the task whose change was approved is another matter.
  const paused = liveTask(1, { remark: 'Note [git:core/a@1]', is_active: false });
  expect(planWithRoom(desiredState([desiredTask('a', { config })]), [paused]).digest).not.toBe(
    planWithRoom(desiredState([desiredTask('a', { config })]), [{ ...paused, is_active: true }]).digest,
  );
});

test('a label that somebody created in the meantime does not change the digest of the task that gets it', () => {
  const labels = [desiredLabel('hot')];
  const plan = (made: boolean) =>
    makePlan(
      planInput(
        { ...desiredState([desiredTask('a', { label: 'hot' })]), labels },
        {
          ...liveState([]),
          labels: made ? [{ collection: 'label', id: uuid(5), name: 'hot', sort_order: 0 }] : [],
        },
      ),
    );
  const digestOf = (made: boolean) => plan(made).changes.map(({ address, digest }) => ({ address, digest }));
  expect(digestOf(false).map(({ address }) => address)).toEqual(['label/hot', 'sniper/a']);
  expect(digestOf(true)).toEqual(digestOf(false).slice(1));
});

test('the rest of an interrupted run has the outcome of the approved change, and nothing else has it', () => {
  const config = sniperConfig({ buy_amount: '2' });
  const plan = (task: Partial<LiveTask>, wanted = config) =>
    changeOf(
      planWithRoom(desiredState([desiredTask('a', { config: wanted })]), [
        liveTask(1, { remark: 'Note [git:core/a@1]', version: 4, ...task }),
      ]),
      'sniper/a',
    );
  const { digest, outcome } = plan({});
  expect(outcome).toMatch(/^[0-9a-f]{32}$/);
  const remark = 'Note [git:core/a@4]';
  const pausedOnly = plan({ is_active: false, remark });
  const patched = plan({ is_active: false, remark, config });
  for (const left of [pausedOnly, patched]) {
    expect(left).toMatchObject({ reason: 'interrupted', outcome });
    expect(left.digest).not.toBe(digest);
  }
  const other = sniperConfig({ buy_amount: '5' });
  expect(plan({ is_active: false, remark, config: other }, other).outcome).not.toBe(outcome);
});
