import { describe, expect, test } from 'vitest';
import { idempotencyKey, isOld, mayBeReplay } from '../../src/core/act/idempotency.ts';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import type { HttpRequest } from '../../src/core/ports/transport.ts';
import type { Choices } from '../../src/sandbox/choices.ts';
import { desiredLabel, desiredState, desiredTask, sniperConfig, wallet } from '../support/builders.ts';
import { createStage, heal, type Stage } from './stage.ts';

const WANTED = desiredState([desiredTask('a')]);
const NEW = desiredState([desiredTask('a', { config: sniperConfig({ buy_amount: '0.75' }) })]);

const KEY = (counter: number) => idempotencyKey('core', 'sniper/a', counter);

function keys(stage: Stage): readonly (string | undefined)[] {
  return stage.requests
    .filter(({ method, path }) => method === 'POST' && path.endsWith('configs'))
    .map(({ headers }) => headers['idempotency-key']);
}

async function run(stage: Stage, desired = WANTED): Promise<ApplyReport> {
  return (await stage.apply(await stage.plan(desired, { allowEmpty: true }))) as ApplyReport;
}

describe('the key', () => {
  test('depends only on project, address and counter, and has the documented form', () => {
    expect(KEY(0)).toMatch(/^[0-9a-f]{64}$/);
    expect(
      new Set([KEY(0), KEY(1), idempotencyKey('core', 'sniper/b', 0), idempotencyKey('x', 'sniper/a', 0)])
        .size,
    ).toBe(4);
  });

  test('is the same for every runner, whatever the body', async () => {
    const stages = [WANTED, NEW].map((desired) => ({ desired, stage: createStage({}) }));
    for (const { desired, stage } of stages) {
      await run(stage, desired);
      expect(keys(stage)).toEqual([KEY(0)]);
    }
  });
});

test('a replay is recognised by its age, or by a missing Date', () => {
  const date = Date.parse('2026-06-01T12:00:10Z');
  expect(isOld({ data: { created_at: '2026-06-01T12:00:09.500Z' }, date: date })).toBe(false);
  expect(isOld({ data: { created_at: '2026-06-01T12:00:10.900+00:00' }, date: date })).toBe(false);
  expect(isOld({ data: { created_at: '2026-06-01T12:00:08Z' }, date: date })).toBe(true);
  expect(isOld({ data: { created_at: '2026-06-01T12:00:10Z' }, date: undefined })).toBe(true);
  expect(isOld({ data: {}, date: date })).toBe(true);
  expect(isOld({ data: { created_at: 'yesterday' }, date: date })).toBe(true);
  const fresh = { data: { created_at: '2026-06-01T12:00:10Z' }, date };
  const signs = [{}, { replayed: true }, { repeated: true }] as const;
  expect(signs.map((sign) => mayBeReplay({ ...fresh, ...sign }))).toEqual([false, true, true]);
});

const ANSWERS: readonly Partial<Choices>[] = [
  {},
  { date_header: 'absent' },
  { replay_status: 200 },
  { replay_etag: 'current' },
  { idempotency_order: 'after-validation' },
  { idempotency_scope: 'token' },
];

describe('a project that is being renamed', () => {
  const FORMER = desiredState([desiredTask('a')], [], { project: 'was' });
  const RENAMED = desiredState([desiredTask('a', { note: 'Else' })], [], { previousProject: 'was' });

  test('a task that a runner with the former name created in the meantime is not created again', async () => {
    const stage = createStage({});
    const plan = await stage.plan(RENAMED);
    expect((await stage.apply(await stage.plan(FORMER))) as ApplyReport).toMatchObject({ outcome: 'done' });
    const report = (await stage.apply(plan)) as ApplyReport;
    expect(report.changes[0]?.text).toContain('It already exists');
    await heal(stage, RENAMED);
    expect(stage.owned('a')).toMatchObject([{ is_active: true, remark: 'Else [git:core/a@0]' }]);
  });

  test('nor one with the current name, by a runner with the former name', async () => {
    const stage = createStage({});
    const plan = await stage.plan(FORMER);
    await stage.apply(await stage.plan(RENAMED));
    const report = (await stage.apply(plan)) as ApplyReport;
    expect(report.changes[0]?.text).toContain(
      'by a runner that uses another name for this project: plan again',
    );
    expect((await stage.plan(FORMER)).changes).toMatchObject([{ reason: 'uncertain', action: 'none' }]);
    expect(stage.owned('a')).toMatchObject([{ is_active: true, remark: 'Else [git:core/a@1]' }]);
  });

  test('an apply that died right after its create, and the rename before the next: one task, started once', async () => {
    for (const blow of ['crash-before', 'crash-after'] as const) {
      const stage = createStage({});
      const plan = await stage.plan(FORMER);
      expect(await stage.apply(plan, (index) => (index === 0 ? blow : undefined))).toBe('crashed');
      await heal(stage, RENAMED);
      expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
      expect(keys(stage).length).toBeLessThanOrEqual(1);
    }
  });

  test('a late create with the former name makes no second task', async () => {
    const stage = createStage({});
    const plan = await stage.plan(FORMER);
    let late: HttpRequest | undefined;
    await stage.apply(plan, (_index, request) => {
      late = request;
      return 'crash-before';
    });
    await heal(stage, RENAMED);
    const { body, headers } = late ?? {};
    await stage.outside('POST', '/sniper/configs', JSON.parse(String(body)), headers?.['idempotency-key']);
    // Under one key the service takes one of them.
    expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
    expect((await stage.plan(RENAMED)).operations).toEqual([]);
  });
});

describe.each(ANSWERS)('where the service answers %j', (choices) => {
  test('a task that was created and deleted within a day is created again with the next key', async () => {
    const stage = createStage({}, choices);
    await run(stage);
    const [first] = stage.owned('a');
    await run(stage, desiredState([]));
    stage.sandbox.advance(60_000);
    const report = await run(stage);
    expect(report.outcome).toBe('done');
    expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
    expect(stage.owned('a')[0]?.id).not.toBe(first?.id);
    expect(keys(stage)).toEqual([KEY(0), KEY(1)]);
  });

  test('targets that change back and forth within a day', async () => {
    const stage = createStage({}, choices);
    for (const target of [0, 1, 0, 1, 2, 0]) {
      stage.sandbox.advance(60_000);
      const desired = desiredState([desiredTask('a', { target_wallet: wallet(target) })]);
      const report = await run(stage, desired);
      expect(report.outcome, report.changes.map(({ text }) => text).join()).toBe('done');
      expect(stage.owned('a')).toMatchObject([{ is_active: true, target_wallet: wallet(target) }]);
      expect((await stage.plan(desired)).operations).toEqual([]);
    }
  });

  test('a task that was created, renamed and wanted again stays two tasks', async () => {
    const stage = createStage({}, choices);
    await run(stage);
    await run(stage, desiredState([desiredTask('b', { previousName: 'a' })]));
    stage.sandbox.advance(60_000);
    const desired = desiredState([desiredTask('a', { adopt: 'never' }), desiredTask('b')]);
    const report = await run(stage, desired);
    expect(report.outcome, report.changes.map(({ text }) => text).join()).toBe('done');
    expect([stage.owned('a').length, stage.owned('b').length]).toEqual([1, 1]);
  });

  test('a released task without a marker is not taken for an owned one', async () => {
    const stage = createStage({}, choices);
    await run(stage);
    const [first] = stage.owned('a');
    stage.edit(first?.id ?? '', { remark: 'Mine now', is_active: false });
    stage.sandbox.advance(60_000);
    const report = await run(stage, desiredState([desiredTask('a', { adopt: 'never', note: 'Note' })]));
    expect(report.outcome).toBe('done');
    expect(stage.task(first?.id ?? '')).toMatchObject({ remark: 'Mine now', is_active: false });
    expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
  });
});

describe('another revision was faster', () => {
  test('its task is not overwritten: the next run continues from there', async () => {
    const stage = createStage({});
    const plan = await stage.plan(NEW);
    const other = await stage.plan(WANTED);
    const report = (await stage.apply(plan, async (index) => {
      if (index === 0) await stage.apply(other);
      return undefined;
    })) as ApplyReport;
    expect(report.changes[0]).toMatchObject({ status: 'failed' });
    expect(report.changes[0]?.text).toContain('already exists');
    expect(stage.owned('a')).toMatchObject([{ is_active: true, config: sniperConfig() }]);
    await heal(stage, NEW);
    expect(stage.owned('a')).toMatchObject([{ is_active: true, config: { buy_amount: '0.75' } }]);
  });

  test('it created a task and has not started it: nothing starts with a config that this plan does not show', async () => {
    const stage = createStage({});
    const plan = await stage.plan(NEW);
    const other = await stage.plan(WANTED);
    const report = (await stage.apply(plan, async (index) => {
      if (index === 0) await stage.apply(other, (at) => (at === 1 ? 'crash-before' : undefined));
      return undefined;
    })) as ApplyReport;
    expect(report.changes[0]).toMatchObject({ status: 'failed' });
    expect(stage.owned('a')).toMatchObject([{ is_active: false, version: 1 }]);
    await heal(stage, NEW);
    expect(stage.owned('a')).toMatchObject([{ is_active: true, config: { buy_amount: '0.75' } }]);
  });
});

/** The answer to the creation is lost; before it is sent again, people are at the new task. */
async function lostThen(desired: DesiredState, meanwhile: (stage: Stage, id: string) => void) {
  const stage = createStage({});
  const plan = await stage.plan(desired);
  const report = (await stage.apply(plan, (index) => {
    if (index === 0) return 'lost-after';
    if (index === 1) {
      stage.sandbox.advance(60_000);
      meanwhile(stage, stage.owned('a')[0]?.id ?? '');
    }
    return undefined;
  })) as ApplyReport;
  const resumes = stage.requests.filter(({ path }) => path.endsWith('/resume'));
  return { report, stage, resumes };
}

describe('a create whose answer was lost', () => {
  test('is not started if somebody started and stopped the task since', async () => {
    const { report, stage, resumes } = await lostThen(WANTED, ({ sandbox }, id) => {
      sandbox.editStored(id, { is_active: true });
      sandbox.editStored(id, { is_active: false });
    });
    expect(report.changes).toMatchObject([
      { status: 'failed', text: expect.stringContaining('has changed') },
    ]);
    expect(resumes).toEqual([]);
    expect(stage.owned('a')).toMatchObject([{ is_active: false, version: 3 }]);
  });

  test('is started if somebody wrote a note since, unless it has buy_once', async () => {
    const memo = ({ sandbox }: Stage, id: string) => {
      const [, marker = ''] = /(\[git:.*)$/.exec(sandbox.state.tasks.get(id)?.remark ?? '') ?? [];
      sandbox.editStored(id, { remark: `Memo ${marker}` });
    };
    const noted = await lostThen(WANTED, memo);
    expect(noted.resumes).toHaveLength(1);
    const once = desiredState([desiredTask('a', { config: sniperConfig({ buy_once: true }) })]);
    const left = await lostThen(once, memo);
    expect(left.report.changes).toMatchObject([{ status: 'failed' }]);
    expect(left.resumes).toEqual([]);
  });

  test('is not started if somebody writes again right before the start: the two writes may hide a start and a stop', async () => {
    const stage = createStage({});
    const memo = (text: string) => {
      const [{ id, remark } = { id: '', remark: '' }] = stage.owned('a');
      stage.edit(id, { remark: remark.replace(/^\w+/, text) });
    };
    const report = await stage.apply(await stage.plan(WANTED), (index, { method }) => {
      if (index === 1) memo('Memo');
      if (method === 'PATCH' && stage.owned('a')[0]?.version === 2) memo('Again');
      return index === 0 ? 'lost-after' : undefined;
    });
    expect(report).toMatchObject({ changes: [{ status: 'failed' }] });
    expect(stage.owned('a')).toMatchObject([{ is_active: false }]);
  });
});

test('a task that another revision created for another target is not started', async () => {
  const stage = createStage({});
  const plan = await stage.plan(WANTED);
  const other = await stage.plan(desiredState([desiredTask('a', { target_wallet: wallet(1) })]));
  await stage.apply(other, (index) => (index === 0 ? 'crash-after' : undefined));
  const [created] = stage.owned('a');
  stage.edit(created?.id ?? '', { remark: created?.remark.replace('Note', 'Memo') ?? '' });
  const report = (await stage.apply(plan)) as ApplyReport;
  expect(report.changes).toMatchObject([{ status: 'failed' }]);
  expect(stage.owned('a')).toMatchObject([{ is_active: false, target_wallet: wallet(1) }]);
});

test('a create without any answer ends unknown, and is not tried under another key', async () => {
  const stage = createStage({});
  const report = (await stage.apply(await stage.plan(WANTED), (_, { method }) =>
    method === 'POST' ? 'lost-before' : undefined,
  )) as ApplyReport;
  expect(report.changes[0]).toMatchObject({
    status: 'unknown',
    operations: [{ status: 'unknown' }, { status: 'not-started' }],
  });
  expect(new Set(keys(stage))).toEqual(new Set([KEY(0)]));
  await heal(stage, WANTED);
  expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
});

test('a create is not repeated when the service may have forgotten its key', async () => {
  const stage = createStage({});
  let late = 0;
  const report = (await stage.apply(
    await stage.plan(WANTED),
    (index) => {
      if (index > 0) return undefined;
      late = 24 * 3_600_000;
      return 'lost-after';
    },
    { clock: { now: () => stage.sandbox.now() + late, sleep: () => Promise.resolve() } },
  )) as ApplyReport;
  expect(keys(stage)).toHaveLength(1);
  expect(report.changes[0]?.status).toBe('done');
  expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
});

test('a create is not even sent when each view is older by then than the service keeps a key', async () => {
  const stage = createStage({});
  const report = (await stage.apply(await stage.plan(WANTED), undefined, {
    clock: { now: leaps(), sleep: () => Promise.resolve() },
  })) as ApplyReport;
  expect(keys(stage)).toEqual([]);
  expect(report.changes[0]).toMatchObject({ status: 'unknown', id: null });
});

test('a create that had to wait for longer than its key is kept is not sent again', async () => {
  const stage = createStage({});
  let late = 0;
  await stage.apply(
    await stage.plan(WANTED),
    (index, { method }) => {
      if (index === 0) return 'lost-after';
      if (method !== 'POST' || late > 0) return undefined;
      stage.sandbox.faults.add({
        fault: { type: 'error', code: 'rate_limit_exceeded' },
        method: 'POST',
        times: 1,
      });
      late = 25 * 3_600_000;
      return undefined;
    },
    { clock: { now: () => stage.sandbox.now() + late, sleep: () => Promise.resolve() } },
  );
  const posts = stage.sandbox.log.filter(
    ({ method, path }) => method === 'POST' && !path.endsWith('/resume'),
  );
  expect(posts.map(({ status }) => status)).toEqual([201, 429]);
});

/** A clock on which a day passes with every look. */
function leaps(): () => number {
  let now = Date.parse('2026-06-01T12:00:00Z');
  return () => {
    now += 24 * 3_600_000;
    return now;
  };
}

test('a label of that name that somebody created in the meantime is not created twice', async () => {
  const stage = createStage({});
  const desired = desiredState(
    [desiredTask('a', { label: 'high' })],
    [desiredLabel('high', { sort_order: 4 })],
  );
  const report = (await stage.apply(await stage.plan(desired), async (index) => {
    if (index === 0) await stage.outside('POST', '/labels', { name: 'high', sort_order: 4 }, 'somebody-else');
    return undefined;
  })) as ApplyReport;
  expect(report.outcome).toBe('done');
  expect([...stage.sandbox.state.labels.values()].map(({ name }) => name)).toEqual(['high']);
});

test('a target that somebody used in the meantime is reported', async () => {
  const stage = createStage({});
  const desired = desiredState([desiredTask('a', { collection: 'copy-trade' })]);
  const plan = await stage.plan(desired);
  const create = plan.operations[0]?.body as Record<string, never>;
  const report = (await stage.apply(plan, async (index) => {
    if (index === 0)
      await stage.outside('POST', '/copy-trade/configs', { ...create, remark: 'Theirs' }, 'somebody-else');
    return undefined;
  })) as ApplyReport;
  expect(report.changes[0]).toMatchObject({ status: 'failed', error: { code: 'target_already_exists' } });
});

test('an apply that was suspended for a day looks for tasks that another one created, because keys are forgotten', async () => {
  const stage = createStage({});
  const desired = desiredState([desiredTask('a', { label: 'high' })], [desiredLabel('high')]);
  const plan = await stage.plan(desired);
  let now = Date.parse('2026-06-01T12:00:00Z');
  const report = (await stage.apply(
    plan,
    async (index) => {
      // The first request creates the label; the task comes after it.
      if (index !== 0) return undefined;
      await stage.apply(plan);
      stage.sandbox.advance(25 * 3_600_000);
      now += 25 * 3_600_000;
      return undefined;
    },
    { clock: { now: () => now, sleep: () => Promise.resolve() } },
  )) as ApplyReport;
  expect(report.outcome, report.changes.map(({ text }) => text).join()).toBe('done');
  expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
});
