import { describe, expect, test } from 'vitest';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import type { FaultRule } from '../../src/core/model/generated/sandbox.ts';
import * as validators from '../../src/core/model/generated/validators.js';
import { desiredLabel, desiredState, desiredTask, sniperConfig, uuid, wallet } from '../support/builders.ts';
import { RECORD } from '../support/record.ts';
import { ID, NEW, TASK } from './scenarios.ts';
import { createStage, heal, type Stage } from './stage.ts';

const OTHER = { ...TASK, id: uuid(2), remark: 'Note [git:core/b@0]' };
const CHANGED = desiredState([desiredTask('a', { config: NEW })]);
const BOTH = desiredState([desiredTask('a', { config: NEW }), desiredTask('b', { config: NEW })]);
const REPLACED = desiredState([desiredTask('a', { target_wallet: wallet(2) })]);

function refuse(method: string, path: string, code: string, more: Partial<FaultRule> = {}): FaultRule {
  return { method, path, ...more, fault: { type: 'error', code: code as 'validation_error' } };
}

async function run(
  stage: Stage,
  desired = CHANGED,
  ...rest: Parameters<Stage['apply']> extends [unknown, ...infer R] ? R : never
): Promise<ApplyReport> {
  const report = (await stage.apply(await stage.plan(desired, { allowEmpty: true }), ...rest)) as ApplyReport;
  const whole = { ...report, record: RECORD };
  expect(validators.reportSchema(whole), JSON.stringify(validators.reportSchema.errors)).toBe(true);
  return report;
}

function writes(stage: Stage): readonly string[] {
  return stage.requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) =>
      `${method} ${path.split('/').at(-1) === ID ? '' : path.split('/').at(-1)}`.trim(),
    );
}

describe('a refusal after the run’s own pause', () => {
  const patch = refuse('PATCH', `${ID}$`, 'validation_error', { skip: 1 });

  test('restore: the task runs again with its former config, at the version of its own mark', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(patch);
    const report = await run(stage);
    expect(report.outcome).toBe('incomplete');
    expect(report.changes[0]).toMatchObject({ status: 'failed', error: { code: 'validation_error' } });
    expect(report.changes[0]?.text).toContain('It runs again with its former config.');
    expect(report.left_paused).toEqual([]);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: TASK.config });
    expect(writes(stage)).toEqual(['PATCH', 'POST pause', 'PATCH', 'POST resume']);
    await heal(stage, CHANGED);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW });
  });

  test('hold: the task is left paused with @0, and the report names it first', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(patch);
    const report = await run(stage, CHANGED, undefined, { onFailure: 'hold' });
    expect(report.left_paused).toMatchObject([{ address: 'sniper/a', id: ID }]);
    expect(report.changes[0]?.text).toContain('It stays paused and held, as --on-failure hold requires.');
    expect(stage.task(ID)).toMatchObject({ is_active: false, remark: 'Note [git:core/a@0]' });
    await heal(stage, CHANGED);
    expect(stage.task(ID)?.is_active).toBe(false);
  });

  test('a former config that is legacy is not started again', async () => {
    const stage = createStage({ tasks: [{ ...TASK, config: { ...TASK.config, old: '1' }, legacy: true }] });
    stage.sandbox.faults.add(patch);
    const report = await run(stage);
    expect(report.left_paused).toHaveLength(1);
    expect(report.left_paused[0]?.text).toContain('former config');
    expect(writes(stage)).not.toContain('POST resume');
    await heal(stage, CHANGED);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW });
  });

  test('a resume that is refused leaves it paused, with its start pending', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('POST', 'resume$', 'validation_error'));
    const report = await run(stage);
    expect(report.left_paused[0]?.text).toContain(
      'the next apply whose change the service accepts starts it',
    );
    expect(writes(stage).filter((write) => write === 'POST resume')).toHaveLength(1);
    stage.sandbox.faults.add(refuse('POST', 'resume$', 'validation_error'));
    // An apply that continues, and fails again, leaves it paused as well.
    expect((await run(stage)).left_paused).toEqual([
      { address: 'sniper/a', id: ID, text: report.left_paused[0]?.text },
    ]);
    await heal(stage, CHANGED);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW });
  });

  test('a replacement whose delete is refused: the present task runs again, and the next run completes it', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('DELETE', '', 'insufficient_scope'));
    const report = await run(stage, REPLACED);
    expect(report.changes[0]?.status).toBe('failed');
    expect(stage.task(ID)?.is_active).toBe(true);
    expect(stage.owned('a').filter(({ is_active }) => is_active)).toHaveLength(1);
    await heal(stage, REPLACED);
    expect(stage.owned('a')).toMatchObject([{ target_wallet: wallet(2), is_active: true }]);
  });

  test('a replacement without room whose create is refused is reported with the former resource', async () => {
    const stage = createStage({ tasks: [TASK], quota: { max: 1 } });
    stage.sandbox.faults.add(refuse('POST', 'configs$', 'validation_error'));
    const report = await run(stage, REPLACED);
    expect(report.left_paused).toMatchObject([{ address: 'sniper/a', id: null }]);
    expect(report.changes[0]).toMatchObject({ status: 'failed', former: { id: ID, config: TASK.config } });
  });
});

describe('before the pause', () => {
  test('a refused pause rolls its mark back, and the report says that the task still trades', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('POST', 'pause$', 'validation_error'));
    const report = await run(stage);
    expect(report.left_paused).toEqual([]);
    expect(report.changes[0]?.text).toMatch(/\. It was not paused and trades as before\.$/);
    expect(stage.task(ID)).toMatchObject({ is_active: true, remark: 'Note [git:core/a@0]' });
  });

  test('a refused pause after one without an answer, which may still arrive: the report does not say that the task trades', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('POST', 'pause$', 'validation_error'));
    let pauses = 0;
    const plan = await stage.plan(desiredState([], [], { pruneTasks: 'pause' }));
    const report = await stage.apply(plan, (_, { path }) => {
      if (!path.endsWith('/pause')) return undefined;
      pauses += 1;
      return pauses === 1 ? 'lost-before' : undefined;
    });
    if (report === 'crashed') throw new Error('crashed');
    const text = report.changes[0]?.text ?? '';
    expect(pauses).toBe(2);
    expect(text).toContain('An earlier request may still be carried out.');
    expect(text).not.toContain('was not paused');
  });

  test('the same of a start: that it stays paused is not all that the report says', async () => {
    const stage = createStage({});
    stage.sandbox.faults.add(refuse('POST', 'resume$', 'insufficient_scope'));
    let starts = 0;
    const report = await stage.apply(await stage.plan(desiredState([desiredTask('a')])), (_, { path }) => {
      if (!path.endsWith('/resume')) return undefined;
      starts += 1;
      return starts === 1 ? 'lost-before' : undefined;
    });
    if (report === 'crashed') throw new Error('crashed');
    expect([starts, report.changes[0]?.text]).toEqual([
      2,
      expect.stringContaining('An earlier request may still be carried out.'),
    ]);
  });

  test('of two tasks of a removed manifest one is paused and the other refuses: the report names the one that trades', async () => {
    const half = { ...TASK, id: uuid(2), remark: 'Note [git:core/a@0~0001]', target_wallet: wallet(1) };
    const stage = createStage({ tasks: [TASK, half] });
    stage.sandbox.faults.add(refuse('POST', `${ID}/pause$`, 'validation_error'));
    const [change] = (await run(stage, desiredState([], [], { pruneTasks: 'pause' }))).changes;
    expect([stage.task(ID)?.is_active, stage.task(uuid(2))?.is_active]).toEqual([true, false]);
    expect(change?.text).toContain(`The task ${ID} was not paused and trades as before.`);
  });

  test('a refused pause whose task cannot be read: nothing is said of what it does', async () => {
    const stage = createStage({ tasks: [TASK] });
    const codes = ['POST', 'GET'].map((method) => refuse(method, `${ID}`, 'invalid_api_token'));
    stage.sandbox.faults.add(...codes);
    const report = await run(stage);
    expect(report.changes[0]).toMatchObject({ status: 'failed' });
    expect(report.changes[0]?.text).not.toContain('trades');
  });

  test('a legacy snapshot that the service validates again: the mark is left out', async () => {
    const stage = createStage(
      { tasks: [{ ...TASK, config: { ...TASK.config, old: '1' }, legacy: true }] },
      { remark_patch_revalidates: 'always' },
    );
    const report = await run(stage);
    expect(report.changes[0]).toMatchObject({ status: 'done' });
    expect(writes(stage)).toEqual(['PATCH', 'POST pause', 'PATCH', 'POST resume']);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW, version: 8 });
  });

  test('a label that cannot be created: the task is not even paused', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('POST', 'labels$', 'validation_error'));
    const desired = desiredState([desiredTask('a', { config: NEW, label: 'high' })], [desiredLabel('high')]);
    const report = await run(stage, desired);
    expect(report.changes).toMatchObject([
      { address: 'label/high', status: 'failed' },
      { address: 'sniper/a', status: 'skipped' },
    ]);
    expect(report.changes[1]?.text).toContain('label/high');
    expect(stage.task(ID)).toMatchObject({ version: 5, is_active: true });
  });

  test('a label that somebody deleted in the meantime is reported, and the task runs again', async () => {
    const stage = createStage({ tasks: [TASK], labels: [{ name: 'high', id: uuid(8) }] });
    const desired = desiredState([desiredTask('a', { config: NEW, label: 'high' })], [desiredLabel('high')]);
    const report = await run(stage, desired, async (index) => {
      if (index === 2) await stage.outside('DELETE', `/labels/${uuid(8)}`);
      return undefined;
    });
    expect(report.changes.at(-1)?.text).toContain(`label ${uuid(8)} no longer exists`);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: TASK.config });
    await heal(stage, desired);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW });
  });
});

describe('the credential is lost', () => {
  test('before a request: nothing new begins, and the next run completes the rest', async () => {
    for (let at = 0; at < 8; at += 1) {
      const stage = createStage({ tasks: [TASK, OTHER] });
      const report = await run(stage, BOTH, (index) => {
        if (index === at) stage.sandbox.rotate(stage.sandbox.tokens()[0]?.token.slice(0, 17) ?? '');
        return undefined;
      });
      expect(report.outcome, `at ${at}`).toBe('incomplete');
      if (at < 4) expect(report.changes[1], `at ${at}`).toMatchObject({ status: 'skipped' });
      const paused = [stage.task(ID), stage.task(uuid(2))].filter((task) => task?.is_active === false);
      expect(report.left_paused, `at ${at}`).toHaveLength(paused.length);
      await heal(stage, BOTH);
      expect([stage.task(ID)?.is_active, stage.task(uuid(2))?.is_active], `at ${at}`).toEqual([true, true]);
    }
  });
});

describe('interruption', () => {
  test('the first Ctrl-C: tasks in progress are finished, nothing new begins', async () => {
    for (let at = 0; at < 4; at += 1) {
      const stage = createStage({ tasks: [TASK, OTHER] });
      const soft = new AbortController();
      const report = await run(
        stage,
        BOTH,
        (index) => {
          if (index === at) soft.abort();
          return undefined;
        },
        { stop: { soft: soft.signal, hard: new AbortController().signal } },
      );
      expect(report).toMatchObject({ outcome: 'interrupted', left_paused: [] });
      expect(report.changes).toMatchObject([{ status: 'done' }, { status: 'skipped' }]);
      expect(stage.task(uuid(2))?.version).toBe(5);
    }
  });

  test('the second Ctrl-C: no further request, and the report says what is left', async () => {
    for (let at = 0; at < 8; at += 1) {
      const stage = createStage({ tasks: [TASK, OTHER] });
      const [soft, hard] = [new AbortController(), new AbortController()];
      const report = await run(
        stage,
        BOTH,
        (index) => {
          if (index === at) {
            soft.abort();
            hard.abort();
          }
          return undefined;
        },
        { stop: { soft: soft.signal, hard: hard.signal } },
      );
      expect(report.outcome).toBe('interrupted');
      expect(stage.requests).toHaveLength(at + 1);
      const [first, second] = report.changes;
      expect(at < 4 ? first?.status : second?.status).toBe('unknown');
      if (at < 4) expect(second?.status).toBe('skipped');
      await heal(stage, BOTH);
      expect([stage.task(ID)?.is_active, stage.task(uuid(2))?.is_active], `at ${at}`).toEqual([true, true]);
    }
  });
});

describe('echo', () => {
  test('a service that stores another value: fields named, config restored, no further config of that kind', async () => {
    const stage = createStage({ tasks: [TASK, OTHER] }, { optional_echo: 'filled' });
    const report = await run(stage, BOTH);
    expect(report.diagnostics).toMatchObject([{ code: 'echo-differs', address: 'sniper/a' }]);
    expect(report.changes).toMatchObject([{ status: 'failed' }, { status: 'skipped' }]);
    expect(report.changes[0]?.text).toContain('config.bundle_amount');
    expect(stage.task(uuid(2))?.version).toBe(5);
  });
});

describe('moved', () => {
  test('a task that somebody starts before its deletion is not deleted', async () => {
    const stage = createStage({ tasks: [{ ...TASK, is_active: false }] });
    const report = await run(stage, desiredState([]), (index) => {
      if (index === 0) stage.edit(ID, { is_active: true });
      return undefined;
    });
    expect(report.changes[0]).toMatchObject({ status: 'failed', former: null });
    expect(report.changes[0]?.text).toContain('it was started');
    expect(stage.task(ID)?.is_active).toBe(true);
  });

  test('a label that somebody renamed is not overwritten', async () => {
    const stage = createStage({ labels: [{ id: uuid(8), name: 'high', sort_order: 1 }] });
    const desired = desiredState([], [desiredLabel('high', { sort_order: 2, id: uuid(8) })]);
    const plan = await stage.plan(desired, { allowEmpty: true });
    await stage.outside('PATCH', `/labels/${uuid(8)}`, { name: 'theirs', sort_order: 1 });
    const report = (await stage.apply(plan)) as ApplyReport;
    expect(report.changes[0]).toMatchObject({ status: 'failed' });
    expect(writes(stage)).toEqual([]);
  });
});

describe('what the report says', () => {
  test('how long a task was paused, its requests, and the wait after the pause', async () => {
    const stage = createStage({ tasks: [TASK] });
    const desired = { ...CHANGED, settle: { update: 5_000, replace: 60_000 } };
    const report = await run(stage, desired);
    expect(report.changes[0]).toMatchObject({ status: 'done', text: '', paused_ms: 5_000 });
    expect(report.changes[0]?.request_ids).toHaveLength(4);
    expect(report.summary).toEqual({ done: 1, failed: 0, skipped: 0, unknown: 0, blocked: 0, held: 0 });
  });

  test('the complete former resource of a deletion', async () => {
    const stage = createStage({ tasks: [TASK] });
    const report = await run(stage, desiredState([]));
    expect(report.changes[0]).toMatchObject({
      status: 'done',
      former: { id: ID, config: TASK.config, remark: TASK.remark, target_wallet: wallet(0) },
    });
  });

  test('held and blocked changes, too', async () => {
    const stage = createStage({ tasks: [{ ...TASK, is_active: false }, OTHER, { ...OTHER, id: uuid(3) }] });
    const desired = desiredState([desiredTask('a'), desiredTask('b')]);
    const report = await run(stage, desired);
    expect(report.changes.map(({ status }) => status)).toEqual(['held', 'blocked']);
    expect(report.outcome).toBe('incomplete');
  });
});

test('somebody writes between the restart and its mark: the mark is rolled back', async () => {
  const config = sniperConfig({ buy_once: true });
  const stage = createStage({ tasks: [{ ...TASK, config }] });
  stage.sandbox.faults.add(refuse('PATCH', `${ID}$`, 'validation_error'));
  const desired = desiredState([desiredTask('a', { config: { ...config, buy_amount: '0.75' } })]);
  const report = await run(stage, desired, (_, { path }) => {
    // The own patch of the restart is stored at version 7 with @7; a person then starts and stops the task.
    if (path.endsWith('/resume')) {
      stage.edit(ID, { is_active: true });
      stage.edit(ID, { is_active: false });
    }
    return undefined;
  });
  expect(report.left_paused).toHaveLength(1);
  await heal(stage, desired);
  expect(stage.task(ID)?.is_active).toBe(false);
});
