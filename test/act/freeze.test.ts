import { describe, expect, test } from 'vitest';
import { Freeze } from '../../src/core/act/freeze.ts';
import { refusal } from '../../src/core/act/outcome.ts';
import { Requests } from '../../src/core/act/requests.ts';
import { isBlockedByFreeze } from '../../src/core/plan/stakes/frozen.ts';
import type { Api } from '../../src/core/ports/api.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import { desiredState, desiredTask, sniperConfig, wallet } from '../support/builders.ts';
import { ID, SCENARIOS, type Scenario, TASK } from './scenarios.ts';
import { createStage, heal, type Stage } from './stage.ts';

const LOWERED: Scenario = {
  name: 'lower the amount of a running task',
  seed: { tasks: [TASK] },
  desired: desiredState([desiredTask('a', { config: sniperConfig({ buy_amount: '0.1' }) })]),
  task: 'a',
  buyOnce: false,
};

/** Starts that the service carried out since the stage was made. */
const startsOf = ({ sandbox }: Stage) =>
  sandbox.log.filter(({ path, status }) => path.endsWith('/resume') && status === 200).length;

const freeze = (stage: Stage) =>
  stage.outside(
    'POST',
    '/labels',
    { name: 'freeze now', sort_order: 1 },
    `freeze-${stage.sandbox.log.length}`,
  );

const meddled = (api: Api, instead: (path: string) => Promise<never> | undefined): Api => ({
  get: (path, urgent) => instead(path) ?? api.get(path, urgent),
  write: (request) => api.write(request),
});

async function thaw(stage: Stage): Promise<void> {
  for (const { id, name } of stage.sandbox.state.labels.values())
    if (name === 'freeze now') await stage.outside('DELETE', `/labels/${id}`);
}

const BEFORE = -1;

/** Freezes the account right before this request of an apply, or before the apply. */
async function play(scenario: Scenario, at: number) {
  const stage = createStage(scenario.seed);
  const plan = await stage.plan(scenario.desired, { allowEmpty: true });
  const blocked = plan.changes.some(isBlockedByFreeze);
  let frozenAt: number | undefined;
  if (at === BEFORE) await freeze(stage);
  const report = await stage.apply(plan, async (index, { path }) => {
    const { log } = stage.sandbox;
    if (index === at) {
      frozenAt = log.length;
      await freeze(stage);
    }
    if (!path.endsWith('/resume') || !blocked) return undefined;
    // No start follows a reading that shows the freeze, or comes later than five seconds after one that does not.
    const read = log.findLastIndex((entry) => entry.method === 'GET' && entry.path === '/labels');
    expect(read, `${scenario.name}, frozen before request ${at}`).toBeLessThan(frozenAt ?? Infinity);
    expect(stage.sandbox.now() - (log[read]?.at ?? 0)).toBeLessThan(5_000);
    return undefined;
  });
  const frozen = frozenAt !== undefined;
  return { stage, plan, blocked, report, frozen };
}

describe('a freeze that comes before each request', () => {
  test.each([...SCENARIOS, LOWERED].map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    async (_name, scenario) => {
      for (let at = 0; ; at += 1) {
        const { stage, blocked, report, frozen } = await play(scenario, at);
        if (report === 'crashed') throw new Error('nobody killed it');
        const [change] = report.changes.filter(({ status }) => status === 'blocked');
        if (change !== undefined) {
          expect(blocked).toBe(true);
          expect(change.error?.code).toBe('frozen');
          expect(change.text).toContain('"freeze now"');
          expect(report.outcome).toBe('incomplete');
          const starts = startsOf(stage);
          await stage.apply(await stage.plan(scenario.desired, { allowEmpty: true }));
          expect(startsOf(stage), 'a second apply starts nothing').toBe(starts);
        }
        await thaw(stage);
        await heal(stage, scenario.desired);
        if (!frozen) break;
      }
    },
  );
});

test('what a frozen account lets through', async () => {
  const through: string[] = [];
  for (const scenario of [...SCENARIOS, LOWERED]) {
    const { report } = await play(scenario, BEFORE);
    if (report !== 'crashed' && report.outcome === 'done') through.push(scenario.name);
  }
  expect(through).toMatchInlineSnapshot(`
    [
      "create paused copy-trade",
      "lower a running sniper, with a new label",
      "stop",
      "delete a running task",
      "rename a label that a running task has",
      "create and change templates",
      "adopt a task that lost its marker",
      "rename a running task",
      "note of a running task",
      "rename the project of a running task",
      "rename the project of a held task",
      "rename the project, and stop the task",
      "take a running task over",
      "take a task over whose start is pending there",
      "remove a label, a template and a marker, tasks untouched",
      "remove a label, a template and a marker, tasks bumped",
      "lower the amount of a running task",
    ]
  `);
});

test('a killed apply, and then a freeze: nothing starts', async () => {
  // What lowers pauses its running task and starts it again.
  for (const scenario of SCENARIOS.filter(({ name }) => !name.startsWith('lower'))) {
    for (let at = 0; ; at += 1) {
      const stage = createStage(scenario.seed);
      const plan = await stage.plan(scenario.desired, { allowEmpty: true });
      const end = await stage.apply(plan, (index) => (index === at ? 'crash-before' : undefined));
      if (end !== 'crashed') break;
      await freeze(stage);
      const starts = startsOf(stage);
      await stage.apply(await stage.plan(scenario.desired, { allowEmpty: true }));
      expect(startsOf(stage), `${scenario.name}, killed before request ${at}`).toBe(starts);
    }
  }
});

test.each([
  ['a raise', desiredTask('a', { config: sniperConfig({ buy_amount: '0.9' }) })],
  ['a replacement', desiredTask('a', { target_wallet: wallet(7) })],
])(
  '%s that the freeze meets after the pause: the start is left pending, and comes after the freeze',
  async (_name, task) => {
    const stage = createStage({ tasks: [TASK] });
    const desired = { ...desiredState([task]), settle: { update: 6_000, replace: 6_000 } };
    const report = await stage.apply(await stage.plan(desired), async (_index, { path }) => {
      if (path.endsWith('/pause')) await freeze(stage);
      return undefined;
    });
    if (report === 'crashed') throw new Error('nobody killed it');
    expect(report.changes).toMatchObject([
      {
        status: 'blocked',
        text: expect.stringMatching(/^Starts are frozen by the label "freeze now"\. It /),
        error: { code: 'frozen', status: null },
      },
    ]);
    expect(report.left_paused).toMatchObject([
      { text: expect.stringContaining('the next apply after the freeze') },
    ]);
    expect(startsOf(stage)).toBe(0);
    await stage.apply(await stage.plan(desired));
    expect(startsOf(stage)).toBe(0);
    await thaw(stage);
    await heal(stage, desired);
    expect(startsOf(stage)).toBe(1);
    expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
  },
);

test('labels that cannot be read hold a start up, and so does a scope that goes; one that was missing does not', async () => {
  const scenario = SCENARIOS.find(({ name }) => name === 'start');
  if (scenario === undefined) throw new Error('no such scenario');
  for (const [code, seesLabels, starts] of [
    ['internal_error', true, 0],
    ['insufficient_scope', true, 0],
    ['insufficient_scope', false, 1],
  ] as const) {
    const stage = createStage(scenario.seed);
    stage.strikesFreeze = true;
    const plan = await stage.plan(scenario.desired);
    stage.sandbox.faults.add({ fault: { type: 'error', code }, times: 0, method: 'GET', path: '/labels' });
    await stage.apply(plan, undefined, { seesLabels });
    expect(startsOf(stage)).toBe(starts);
  }
});

test('a restart with the former config waits where it is not known whether the account is frozen', async () => {
  for (const code of [undefined, 'internal_error'] as const) {
    const stage = createStage(LOWERED.seed);
    stage.strikesFreeze = true;
    const plan = await stage.plan(LOWERED.desired);
    const { faults } = stage.sandbox;
    let refused = false;
    if (code !== undefined)
      faults.add({ fault: { type: 'error', code }, times: 0, method: 'GET', path: '/labels' });
    // The new config is refused, once the task is paused.
    const report = await stage.apply(plan, (_index, { method }) => {
      if (method === 'PATCH' && stage.task(ID)?.is_active === false && startsOf(stage) === 0 && !refused) {
        refused = true;
        faults.add({ fault: { type: 'error', code: 'validation_error' }, times: 1, method });
      }
      return undefined;
    });
    if (report === 'crashed') throw new Error('nobody killed it');
    expect(startsOf(stage)).toBe(code === undefined ? 1 : 0);
    expect(report.left_paused).toHaveLength(code === undefined ? 0 : 1);
    faults.clear();
    await heal(stage, LOWERED.desired);
    expect(stage.owned('a')).toMatchObject([{ is_active: true, config: { buy_amount: '0.1' } }]);
  }
});

test('a refusal of the service with a code that is called frozen is no freeze: the task runs again', async () => {
  const stage = createStage({ tasks: [TASK] });
  const desired = desiredState([desiredTask('a', { config: sniperConfig({ buy_amount: '0.9' }) })]);
  const inner = stage.api();
  const write: Api['write'] = async (request) =>
    request.body?.config === undefined || startsOf(stage) > 0
      ? inner.write(request)
      : { type: 'error', status: 409, code: 'frozen', message: 'By us', fields: [], requestId: 'req-1' };
  const api: Api = { get: (...asked) => inner.get(...asked), write };
  const report = await stage.apply(await stage.plan(desired), undefined, { api });
  if (report === 'crashed') throw new Error('nobody killed it');
  expect(report.changes).toMatchObject([
    {
      status: 'failed',
      text: 'The change was refused (frozen): By us. It runs again with its former config.',
      error: { code: 'frozen', status: 409 },
    },
  ]);
  expect(stage.owned('a')).toMatchObject([{ is_active: true, config: TASK.config }]);
});

test('labels that cannot be read when a start is sent: nobody says that the service refused the start', async () => {
  const stage = createStage({ tasks: [TASK] });
  const unread = { type: 'lost', detail: 'the connection was reset', requestId: undefined } as const;
  const api = { ...stage.api(), get: async () => unread };
  const clock = { now: () => 0 } as unknown as Clock;
  const freeze = new Freeze(new Requests(api, clock, new AbortController().signal), true);
  const vetoed = await freeze.look();
  expect(vetoed && refusal('The start', vetoed)).toMatchObject({
    kind: 'refused',
    text: 'Reading the labels before a start failed: the connection was reset.',
    error: { code: 'lost', status: null },
  });
});

test('the second Ctrl-C while the labels are read before a start: the task is left paused, and that is no doubt', async () => {
  const stage = createStage({ tasks: [TASK] });
  const task = desiredTask('a', { config: sniperConfig({ buy_amount: '0.9' }) });
  const desired = { ...desiredState([task]), settle: { update: 6_000, replace: 6_000 } };
  const [soft, hard] = [new AbortController(), new AbortController()];
  const report = await stage.apply(await stage.plan(desired), undefined, {
    api: meddled(stage.api(), (path) => {
      if (path !== '/labels' || stage.task(ID)?.is_active !== false) return undefined;
      soft.abort();
      hard.abort();
      return new Promise(() => undefined);
    }),
    stop: { soft: soft.signal, hard: hard.signal },
  });
  if (report === 'crashed') throw new Error('nobody killed it');
  expect(report.changes).toMatchObject([{ status: 'failed' }]);
  expect(report.left_paused).toMatchObject([{ id: ID, text: expect.stringContaining('It stays paused') }]);
});

test('a reading counts from its beginning: what is set while its answer is on its way is not in it', async () => {
  let now = 0;
  const names: string[] = [];
  const answer = () => ({ type: 'ok', status: 200, data: { items: names.map((name) => ({ name })) } });
  const api = {
    get: async () => {
      const seen = answer();
      now += 4_000;
      return seen;
    },
  };
  const clock = { now: () => now };
  const freeze = new Freeze(
    new Requests(api as unknown as Api, clock as unknown as Clock, new AbortController().signal),
    true,
  );
  expect(await freeze.look()).toBe(undefined);
  expect(freeze.isFresh()).toBe(true);
  now += 2_000;
  expect(freeze.isFresh()).toBe(false);
});

describe('of a running task', () => {
  const change = (path: string, before: unknown, after: unknown) =>
    ({
      starts_trading: false,
      stops_trading: false,
      action: 'update',
      exposure: { before: '1', after: '1' },
      operations: ['one'],
      held: true,
      fields: [{ path, before, after, sensitive: false }],
    }) as unknown as Parameters<typeof isBlockedByFreeze>[0];

  test.each([
    ['config.buy_amount', '0.5', '0.1'],
    ['config.relay_mode.slippage', '20', '10'],
    ['config.relay_mode.tip_amount', '0.2', '0.1'],
    ['config.bundle_amount', '0.02', '0.01'],
    ['config.max_trade_amount', '9', '5'],
    ['config.min_trade_amount', '1', '5'],
    ['config.min_trade_amount', '', '5'],
    ['config.selected_dexes', ['a', 'b'], ['a']],
    ['linked_wallets', ['a', 'b'], ['b']],
    ['config.address_blacklist', ['a'], ['a', 'b']],
    ['config.buy_once', false, true],
  ])('%s %j → %j goes on, and the way back waits', (path, before, after) => {
    expect(isBlockedByFreeze(change(path, before, after))).toBe(false);
    expect(isBlockedByFreeze(change(path, after, before))).toBe(true);
  });

  test.each([
    ['config.daily_limit', '1', undefined],
    ['config.auto_strategy.anti_pvp', true, false],
  ])('%s is not documented, and waits', (path, before, after) => {
    expect(isBlockedByFreeze(change(path, before, after))).toBe(true);
    expect(isBlockedByFreeze(change('config.auto_strategy.sell_delay', '1', '2'))).toBe(false);
  });

  test('a wallet that is linked no longer launches what the task skipped, and waits', () => {
    const less = change('linked_wallets', ['a', 'b'], ['b']);
    const skipping = { ...less, former: { config: { skip_dev_launch: true } } };
    expect(isBlockedByFreeze(skipping as unknown as typeof less)).toBe(true);
  });

  test('a bundle amount of 0 wakes the percentage of its route', () => {
    expect(isBlockedByFreeze(change('config.bundle_amount', '0.01', '0'))).toBe(true);
  });

  test('an amount from the environment counts as raised', () => {
    const [field] = change('config.buy_amount', '0.5', '0.1').fields;
    const hidden = { ...change('config.buy_amount', '0.5', '0.1'), fields: [{ ...field, sensitive: true }] };
    expect(isBlockedByFreeze(hidden as Parameters<typeof isBlockedByFreeze>[0])).toBe(true);
  });
});
