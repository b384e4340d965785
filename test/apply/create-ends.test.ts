import { expect, test } from 'vitest';
import type { Plan } from '../../src/model/generated/plan.ts';
import type { Api, Outcome } from '../../src/ports/api.ts';
import { desiredState, desiredTask, sniperConfig, wallet } from '../support/builders.ts';
import { carryOut, planAndCarryOut } from './ending.ts';
import { TASK } from './scenarios.ts';
import { createStage, type Stage } from './stage.ts';

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

const BY_ANOTHER = 'Another apply has carried it out.';

test('undisturbed it takes two requests; refused, one', async () => {
  expect((await planAndCarryOut(createStage({}), WANTED)).sent).toEqual(['POST configs', 'POST resume']);
  const stage = createStage({ quota: { max: 0 } });
  const plan = await createStage({}).plan(WANTED);
  const end = await carryOut(stage, plan);
  expect(end).toMatchObject({ status: 'failed', sent: ['POST configs'] });
  expect(end.text).toBe('No room for another task: the quota of the account is used up.');
});

test('eight keys of an address, all taken within a day, are the end', async () => {
  const stage = createStage({});
  const none = desiredState([]);
  for (let time = 0; time < 8; time += 1) {
    expect((await planAndCarryOut(stage, WANTED)).status).toBe('done');
    expect((await planAndCarryOut(stage, none)).status).toBe('done');
    stage.sandbox.advance(60_000);
  }
  const end = await planAndCarryOut(stage, WANTED);
  expect(end).toMatchObject({
    status: 'failed',
    text: '8 idempotency keys of this address are taken by earlier creates; they are free again after 24 hours.',
    operations: ['create failed', 'resume not-started'],
  });
  expect(end.sent.filter((request) => request === 'POST configs')).toHaveLength(8);
  expect(stage.owned('a')).toEqual([]);
});

test('whose every answer is lost is found by its marker, and started', async () => {
  const stage = createStage({});
  const end = await planAndCarryOut(stage, WANTED, (_, { path }) =>
    path.endsWith('configs') ? 'lost-after' : undefined,
  );
  expect(end.status).toBe('done');
  expect(end.sent.filter((request) => request === 'POST configs')).toHaveLength(6);
  expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
});

test('that was never sent is refused, and not unknown', async () => {
  const stage = createStage({});
  let sent = 0;
  const api: Api = {
    get: () => Promise.reject(new Error('nothing is read')),
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

test('that another apply of the same manifests has carried out and started is done, and nothing is written', async () => {
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
    text: expect.stringContaining('It exists already'),
    operations: ['create failed', 'resume not-started'],
  });
  expect(stage.owned('a')).toEqual(before);
});

test('whose key another revision has taken, with a clone beside it: both are named, nothing is written', async () => {
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
    text: `Several resources carry this name meanwhile: ${ids.sort().join(', ')}.`,
    operations: ['create failed', 'resume not-started'],
  });
  expect(stage.owned('a').map(({ version }) => version)).toEqual([1, 1]);
});

test('of a replacement whose new task somebody started already is not the whole of it', async () => {
  const stage = createStage({ tasks: [TASK] });
  const plan = await stage.plan(desiredState([desiredTask('a', { target_wallet: wallet(2) })]));
  await afterAnother(stage, plan, plan, 1);
  const heir = stage.owned('a').find(({ id }) => id !== TASK.id);
  stage.sandbox.editStored(heir?.id ?? '', { is_active: true });
  const end = await carryOut(stage, plan);
  expect(end).toMatchObject({ status: 'failed', text: expect.stringContaining('It exists already') });
  expect(stage.task(TASK.id)).toMatchObject({ is_active: true, version: 5 });
});
