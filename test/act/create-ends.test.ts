import { expect, test } from 'vitest';
import { idempotencyKey } from '../../src/core/act/idempotency.ts';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { Api, Outcome } from '../../src/core/ports/api.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import { desiredLabel, desiredState, desiredTask, sniperConfig, wallet } from '../support/builders.ts';
import { carryOut, planAndCarryOut } from './ending.ts';
import { TASK } from './scenarios.ts';
import { createStage, type Meddler, type Stage } from './stage.ts';

/** How a create may end besides the new resource: taken keys, refusals, no answer, somebody faster. */

const WANTED = desiredState([desiredTask('a')]);
const OTHER = desiredState([desiredTask('a', { config: sniperConfig({ buy_amount: '0.75' }) })]);

/** Another apply carries its plan out at the same moment, up to the request before which it dies. */
async function afterAnother(stage: Stage, plan: Plan, other: Plan, dies = 99): Promise<void> {
  await stage.apply(other, (index) => (index === dies ? 'crash-before' : undefined));
  // Otherwise the replay would look like an answer of this very moment.
  stage.sandbox.advance(60_000);
  expect(plan.operations[0]?.verb).toBe('create');
}

const BY_ANOTHER = 'Another apply carried it out.';

test('takes two requests; if refused, one and a reading that looks for a cause', async () => {
  expect((await planAndCarryOut(createStage({}), WANTED)).sent).toEqual(['POST configs', 'POST resume']);
  const stage = createStage({ quota: { max: 0 } });
  const plan = await createStage({}).plan(WANTED);
  const end = await carryOut(stage, plan);
  expect(end).toMatchObject({ status: 'failed', sent: ['POST configs', 'GET me'] });
  expect(end.text).toBe('No room for another task: the quota of the account is used up.');
});

test('tries as many keys of an address as allowed, if all were used within a day', async () => {
  const stage = createStage({});
  for (let time = 0; time < 12; time += 1) {
    expect((await planAndCarryOut(stage, WANTED)).status).toBe('done');
    expect((await planAndCarryOut(stage, desiredState([]))).status).toBe('done');
    stage.sandbox.advance(60_000);
  }
  const end = await planAndCarryOut(stage, WANTED);
  expect(end.status).toBe('done');
  expect(end.sent.filter((request) => request === 'POST configs')).toHaveLength(13);
  expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
});

/** Takes the next key of an address, and leaves nothing else. */
async function takeKey(stage: Stage, desired: DesiredState): Promise<void> {
  await stage.apply(await stage.plan(desired));
  for (const { id } of stage.owned('a')) stage.sandbox.apply([{ type: 'task-removed', id }]);
  stage.sandbox.advance(60_000);
}

test('for at most ten minutes: the report then names the code and the requests', async () => {
  const stage = createStage({});
  await takeKey(stage, OTHER);
  let now = Date.parse('2026-06-01T12:00:00Z');
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const slow: Meddler = (_, { method }) => {
    if (method === 'POST') now += 10 * 60_000;
    return undefined;
  };
  const end = await carryOut(stage, await stage.plan(WANTED), slow, { clock });
  expect(end).toMatchObject({
    status: 'failed',
    text: 'Earlier creates used the idempotency keys of this address (idempotency_conflict), and no free key was found in 10 minutes: each key is free again 24 hours after its create.',
    operations: ['create failed', 'resume not-started'],
    change: { error: { code: 'idempotency_conflict' } },
  });
  expect(end.change.request_ids).not.toEqual([]);
  expect(stage.owned('a')).toEqual([]);
});

test.each([1, 8])(
  'many keys are taken: the collection is read once for all, %i at a time',
  async (concurrency) => {
    const stage = createStage({ quota: { max: 100 } });
    const names = Array.from({ length: 24 }, (_, index) => `t${index}`);
    for (const target of [0, 1, 2]) {
      const wanted = names.map((name) => desiredTask(name, { target_wallet: wallet(target) }));
      const report = await stage.apply(await stage.plan(desiredState(wanted)), undefined, { concurrency });
      expect(report).toMatchObject({ outcome: 'done' });
      stage.sandbox.advance(60_000);
    }
    // Two keys of each are taken, and "nobody has the name" takes three readings for each key: not 144.
    const lists = stage.requests.filter(({ method, path }) => method === 'GET' && path.includes('?'));
    expect(lists.length).toBeLessThanOrEqual(2 * 2 * 3);
  },
);

test.each([
  ['a label', desiredState([], [desiredLabel('high')]), 'label/high'],
  ['a paused task', desiredState([desiredTask('a', { state: 'paused' })]), 'sniper/a'],
  ['a running task', WANTED, 'sniper/a'],
])('created and deleted at the same moment, %s is not said to be there', async (_what, desired) => {
  const stage = createStage({});
  for (let time = 0; time < 3; time += 1) {
    expect(await planAndCarryOut(stage, desired)).toMatchObject({ status: 'done' });
    expect((await stage.plan(desired)).operations).toEqual([]);
    for (const { id } of stage.owned('a')) stage.sandbox.apply([{ type: 'task-removed', id }]);
    for (const id of stage.sandbox.state.labels.keys()) await stage.outside('DELETE', `/labels/${id}`);
  }
});

/** The create is refused for want of room, and right after that there is room: the keys that are sent. */
async function roomAgain(choices: Partial<Choices>, meddler: Meddler = () => undefined) {
  const stage = createStage({ quota: { max: 1 }, tasks: [THEIRS] }, choices);
  const plan = await createStage({}).plan(WANTED);
  const { status } = await carryOut(stage, plan, (index, request) => {
    if (request.path === '/me') stage.sandbox.apply([{ type: 'task-removed', id: THEIRS.id }]);
    return meddler(index, request);
  });
  const keys = stage.requests.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
  return { status, counters: keys.map((key) => [0, 1, 2].findIndex((n) => KEY(n) === key)), stage };
}

const KEY = (counter: number) => idempotencyKey('core', 'sniper/a', counter);
const THEIRS = { ...TASK, remark: 'Theirs' };

test.each<[Choices['idempotency_failures'], readonly number[]]>([
  ['forgotten', [0, 0]],
  ['bound', [0, 0]],
  ['replayed', [0, 0, 1]],
])(
  'refused, with the cause gone: refusals are %s, and the key is left only where it keeps one',
  async (failures, counters) => {
    const end = await roomAgain({ idempotency_failures: failures });
    expect(end).toMatchObject({ status: 'done', counters });
    expect(end.stage.owned('a')).toMatchObject([{ is_active: true }]);
  },
);

test('refused after a lost answer: the create may still be carried out, so the key is not changed', async () => {
  const end = await roomAgain({ idempotency_failures: 'replayed' }, (index) =>
    index === 0 ? 'lost-after' : undefined,
  );
  expect(end).toMatchObject({ status: 'failed', counters: [0, 0] });
});

test('refused, and another runner of this project creates it under a later key: it is found, and no second one is created', async () => {
  const stage = createStage({ quota: { max: 1 }, tasks: [THEIRS] }, { idempotency_failures: 'bound' });
  const [plan, other] = [await createStage({}).plan(WANTED), await createStage({}).plan(OTHER)];
  const end = await carryOut(stage, plan, async (_, { path }) => {
    if (path !== '/me') return undefined;
    stage.sandbox.apply([{ type: 'task-removed', id: THEIRS.id }]);
    await stage.apply(other);
    // There is room for a second one.
    stage.sandbox.apply([
      {
        type: 'account',
        record: { ...[...stage.sandbox.state.accounts.values()][0], quota_max: 9 } as never,
      },
    ]);
    return undefined;
  });
  expect(end).toMatchObject({ status: 'failed', text: expect.stringContaining('It already exists') });
  expect(stage.owned('a')).toMatchObject([{ is_active: true, config: { buy_amount: '0.75' } }]);
});

test('refused without a visible cause: ten seconds for all creates of a run, then the refusal is final', async () => {
  const stage = createStage({});
  const fault = { type: 'error', code: 'quota_exceeded' } as const;
  stage.sandbox.faults.add({ method: 'POST', path: 'configs$', times: 10_000, fault });
  const names = Array.from({ length: 40 }, (_, index) => `t${index}`);
  const end = await planAndCarryOut(stage, desiredState(names.map((name) => desiredTask(name))));
  expect(end.report.summary).toMatchObject({ failed: 40 });
  expect(end.text).toBe('No room for another task: the quota of the account is used up.');
  // The clock of this stage goes on by 500 ms with every second sending.
  expect(stage.requests.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(40 * 3);
});

test('refused with not_found although it names no label: shows the message of the service', async () => {
  const stage = createStage({});
  stage.sandbox.faults.add({ method: 'POST', path: 'configs$', fault: { type: 'error', code: 'not_found' } });
  const end = await planAndCarryOut(stage, WANTED);
  expect(end.text).toContain('not_found');
  expect(end.text).not.toContain('undefined');
});

test('that loses every answer is found by its marker, and started', async () => {
  const stage = createStage({});
  const end = await planAndCarryOut(stage, WANTED, (_, { path }) =>
    path.endsWith('configs') ? 'lost-after' : undefined,
  );
  expect(end.status).toBe('done');
  expect(end.sent.filter((request) => request === 'POST configs')).toHaveLength(6);
  expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
});

test('that was never sent is refused, not unknown', async () => {
  const stage = createStage({});
  let sent = 0;
  const api: Api = {
    get: (path) =>
      path.startsWith('/labels') ? stage.api().get(path) : Promise.reject(new Error('nothing is read')),
    write: async (): Promise<Outcome> => {
      sent += 1;
      return { type: 'unsent', detail: 'connection refused', requestId: undefined };
    },
  };
  const end = await carryOut(stage, await stage.plan(WANTED), undefined, { api });
  expect(end).toMatchObject({
    status: 'failed',
    text: 'The creation could not be sent: connection refused.',
  });
  expect(sent).toBe(1);
});

test('that another apply of the same manifests carried out and started is done, and nothing is written', async () => {
  const stage = createStage({});
  const plan = await stage.plan(WANTED);
  await afterAnother(stage, plan, plan);
  expect(await carryOut(stage, plan)).toMatchObject({
    status: 'done',
    text: BY_ANOTHER,
    operations: ['create already', 'resume already'],
    sent: ['POST configs', 'GET'],
  });
  expect(stage.owned('a')).toMatchObject([{ is_active: true, version: 2 }]);
});

test.each([
  ['another config', OTHER],
  ['another target wallet', desiredState([desiredTask('a', { target_wallet: wallet(1) })])],
])('that another revision has carried out with %s is not called done', async (_what, desired) => {
  const stage = createStage({});
  const plan = await stage.plan(WANTED);
  await afterAnother(stage, plan, await stage.plan(desired));
  const before = stage.owned('a');
  expect(await carryOut(stage, plan)).toMatchObject({
    status: 'failed',
    text: expect.stringContaining('It already exists'),
    operations: ['create failed', 'resume not-started'],
  });
  expect(stage.owned('a')).toEqual(before);
});

test('whose key another revision used, with a clone beside it: both are named, nothing is written', async () => {
  const stage = createStage({});
  const plan = await stage.plan(WANTED);
  await afterAnother(stage, plan, await stage.plan(OTHER), 1);
  const body = { remark: 'Note [git:core/a@1]', target_wallet: wallet(1), config: sniperConfig() };
  await stage.outside('POST', '/sniper/configs', body, 'somebody-else');
  const ids = stage.owned('a').map(({ id }) => id);
  expect(ids).toHaveLength(2);
  const end = await carryOut(stage, plan);
  expect(end).toMatchObject({
    status: 'failed',
    text: `Several resources now have this name: ${ids.sort().join(', ')}.`,
    operations: ['create failed', 'resume not-started'],
  });
  expect(stage.owned('a').map(({ version }) => version)).toEqual([1, 1]);
});

test('of a replacement whose new task somebody already started does not complete the replacement', async () => {
  const stage = createStage({ tasks: [TASK] });
  const plan = await stage.plan(desiredState([desiredTask('a', { target_wallet: wallet(2) })]));
  await afterAnother(stage, plan, plan, 1);
  const heir = stage.owned('a').find(({ id }) => id !== TASK.id);
  stage.edit(heir?.id ?? '', { is_active: true });
  const end = await carryOut(stage, plan);
  expect(end).toMatchObject({ status: 'failed', text: expect.stringContaining('It already exists') });
  expect(stage.task(TASK.id)).toMatchObject({ is_active: true, version: 5 });
});
