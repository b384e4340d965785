import { describe, expect, test } from 'vitest';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import type { Api, Outcome, WriteRequest } from '../../src/core/ports/api.ts';
import { desiredState, desiredTask, sniperConfig, wallet } from '../support/builders.ts';
import { ID, TASK } from './scenarios.ts';
import { createStage, heal, type Meddler, type Stage } from './stage.ts';

/** Single clauses of DESIGN 3 and 7, each at the one moment at which it counts. */

const CHANGED = desiredState([desiredTask('a', { config: sniperConfig({ buy_amount: '0.75' }) })]);
const ONCE = sniperConfig({ buy_once: true });
const ONCE_CHANGED = desiredState([desiredTask('a', { config: { ...ONCE, buy_amount: '0.75' } })]);

async function run(stage: Stage, desired = CHANGED, meddler?: Meddler, api?: Api): Promise<ApplyReport> {
  const plan = await stage.plan(desired);
  return (await stage.apply(plan, meddler, api === undefined ? {} : { api })) as ApplyReport;
}

function sent(stage: Stage): readonly string[] {
  return stage.requests.map(({ method, path }) =>
    `${method} ${/(?<=\/)(?:pause|resume|configs)$/.exec(path)?.[0] ?? ''}`.trim(),
  );
}

test('a late delivery of the run’s own pause is recognised: the first answer was lost, the repetition refused', async () => {
  const stage = createStage({ tasks: [TASK] });
  const report = await run(stage, CHANGED, (index) => {
    if (index === 1) return 'lost-before';
    // The first pause arrives after all, right before the second one.
    if (index === 3) stage.edit(ID, { is_active: false });
    return undefined;
  });
  expect(sent(stage).slice(1, 4)).toEqual(['POST pause', 'GET', 'POST pause']);
  expect(report.outcome).toBe('done');
  expect(stage.task(ID)?.is_active).toBe(true);
});

test('somebody stops the task right after a mark whose answer is lost: the mark is rolled back at once', async () => {
  const stage = createStage({ tasks: [TASK] });
  const report = await run(stage, CHANGED, (index) => {
    if (index === 0) return 'lost-after';
    if (index === 1) stage.edit(ID, { is_active: false });
    return undefined;
  });
  expect(report.changes[0]?.status).toBe('failed');
  // Read, then settle: no waiting for another apply where the mark is our own.
  expect(sent(stage)).toEqual(['PATCH', 'GET', 'PATCH']);
  expect(stage.task(ID)?.remark).toBe('Note [git:core/a@0]');
  await heal(stage, CHANGED);
  expect(stage.task(ID)?.is_active).toBe(false);
});

test('somebody stops a task that is being replaced: the new task is settled in the same run', async () => {
  const stage = createStage({ tasks: [TASK] });
  const desired = desiredState([desiredTask('a', { target_wallet: wallet(2) })]);
  const report = await run(stage, desired, (_, { path }) => {
    if (path.endsWith('/pause')) stage.edit(ID, { is_active: false });
    return undefined;
  });
  expect(report.changes[0]?.text).toContain('completes the replacement and does not start it');
  expect(
    stage
      .owned('a')
      .map(({ remark }) => remark)
      .sort(),
  ).toEqual(['Note [git:core/a@0]', 'Note [git:core/a@0~0001]']);
});

test('a create gets no answer, and its repetition is refused because of the place that it took itself', async () => {
  const stage = createStage({});
  stage.sandbox.faults.add({
    method: 'POST',
    path: 'configs$',
    skip: 1,
    fault: { type: 'error', code: 'quota_exceeded' },
  });
  const report = await run(stage, desiredState([desiredTask('a')]), (index) =>
    index === 0 ? 'lost-after' : undefined,
  );
  expect(report.outcome).toBe('done');
  expect(stage.owned('a')).toMatchObject([{ is_active: true }]);
});

test('a new task that somebody edits before its start is started at the version of the run’s own patch', async () => {
  const stage = createStage({}, { date_header: 'absent' });
  const report = await run(stage, desiredState([desiredTask('a')]), (index) => {
    const [task] = stage.owned('a');
    if (index === 1) stage.edit(task?.id ?? '', { remark: 'Memo [git:core/a@1]' });
    return undefined;
  });
  expect(report.outcome).toBe('done');
  expect(sent(stage)).toEqual(['POST configs', 'GET', 'PATCH', 'POST resume']);
  expect(stage.owned('a')).toMatchObject([{ is_active: true, remark: 'Memo [git:core/a@3]' }]);
});

describe('buy_once that fires without a new version, on a service that lets a paused task be paused', () => {
  test('before the reading: the task is not paused', async () => {
    const stage = createStage(
      { tasks: [{ ...TASK, config: ONCE }] },
      { fire_version: 'same', pause_paused: 'new-version' },
    );
    await run(stage, ONCE_CHANGED, (index) => {
      if (index === 0) stage.sandbox.fire(ID);
      return undefined;
    });
    expect(sent(stage).filter((request) => /pause|resume/.test(request))).toEqual([]);
    expect(stage.task(ID)?.is_active).toBe(false);
  });

  test('between reading and pause: an answer without a higher version leaves it held', async () => {
    const stage = createStage(
      { tasks: [{ ...TASK, config: ONCE }] },
      { fire_version: 'same', pause_paused: 'same-version' },
    );
    const report = await run(stage, ONCE_CHANGED, (_, { path }) => {
      if (path.endsWith('/pause')) stage.sandbox.fire(ID);
      return undefined;
    });
    expect(report.changes[0]?.status).toBe('held');
    expect(sent(stage)).not.toContain('POST resume');
    await heal(stage, ONCE_CHANGED);
    expect(stage.task(ID)?.is_active).toBe(false);
  });
});

test('a pause whose answer shows a running task is read, and sent again', async () => {
  const stage = createStage({ tasks: [TASK] });
  const real = stage.api();
  const writes: WriteRequest[] = [];
  const api: Api = {
    get: (path) => real.get(path),
    write: async (request): Promise<Outcome> => {
      writes.push(request);
      const first = writes.filter(({ path }) => path.endsWith('/pause')).length === 1;
      if (!request.path.endsWith('/pause') || !first) return real.write(request);
      const read = await real.get(`/sniper/configs/${ID}`);
      return read.type === 'ok' ? { ...read, version: (read.version ?? 0) + 1 } : read;
    },
  };
  const report = await run(stage, CHANGED, undefined, api);
  expect(report.outcome).toBe('done');
  expect(writes.map(({ path }) => /[a-z]+$/.exec(path)?.[0])).toEqual([
    undefined,
    'pause',
    'pause',
    undefined,
    'resume',
  ]);
  expect(stage.task(ID)).toMatchObject({ is_active: true, config: { buy_amount: '0.75' } });
});
