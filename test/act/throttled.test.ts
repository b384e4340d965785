import { describe, expect, test } from 'vitest';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import type { FaultRule } from '../../src/core/model/generated/sandbox.ts';
import { desiredState, desiredTask, sniperConfig } from '../support/builders.ts';
import { ID, NEW, scenario, TASK } from './scenarios.ts';
import { createStage } from './stage.ts';

/** A gateway, or the service itself, throttles a write that it has carried out; what is sent again is then refused. */
const THROTTLED = {
  type: 'error',
  code: 'service_unavailable',
  when: 'after-commit',
  retry_after: 0,
} as const;

describe('carried out, throttled, and refused for another reason when it is sent again', () => {
  const CONFIGS = 'configs/[0-9a-f-]+$';
  const RULES: [string, string, Pick<FaultRule, 'method' | 'path'>][] = [
    ['create', 'create running', { method: 'POST', path: 'configs$' }],
    ['mark', 'config of a running sniper', { method: 'PATCH', path: CONFIGS }],
    ['start', 'config of a running sniper', { method: 'POST', path: 'resume$' }],
    ['delete', 'delete a running task', { method: 'DELETE', path: CONFIGS }],
    ['label', 'rename a label that a running task has', { method: 'PATCH', path: 'labels' }],
    ['template', 'create and change templates', { method: 'PATCH', path: 'templates' }],
  ];

  test.each(RULES)('%s: it is done', async (_verb, name, where) => {
    const { seed, desired } = scenario(name);
    const stage = createStage(seed);
    const plan = await stage.plan(desired, { allowEmpty: true });
    const refused = { type: 'error', code: 'validation_error' } as const;
    // A request that a rule strikes is not counted by those after it.
    stage.sandbox.faults.add({ ...where, fault: THROTTLED }, { ...where, fault: refused });
    expect(await stage.apply(plan)).toMatchObject({ outcome: 'done', left_paused: [] });
    expect(stage.sandbox.faults.struck()).toEqual([1, 1]);
    expect((await stage.plan(desired, { allowEmpty: true })).operations).toEqual([]);
  });
});

describe('throttled for what was carried out, after a refusal of the patch', () => {
  const seed = { tasks: [TASK] };
  const desired = desiredState([desiredTask('a', { config: NEW })]);

  test.each([
    ['restore', { is_active: true }],
    ['hold', { is_active: false, remark: 'Note [git:core/a@0]' }],
  ] as const)('%s is carried out', async (onFailure, left) => {
    const stage = createStage(seed);
    const plan = await stage.plan(desired);
    // After mark, pause and patch: the start on the former config, or the patch that settles the mark.
    stage.sandbox.faults.add(
      { skip: 3, fault: THROTTLED },
      { method: 'PATCH', path: ID, skip: 1, fault: { type: 'error', code: 'validation_error' } },
    );
    const report = (await stage.apply(plan, undefined, { onFailure })) as ApplyReport;
    expect(stage.sandbox.faults.struck()).toEqual([1, 1]);
    expect(report.summary).toMatchObject({ failed: 1, unknown: 0 });
    expect(report.left_paused).toHaveLength(left.is_active ? 0 : 1);
    expect(stage.task(ID)).toMatchObject({ ...left, config: sniperConfig() });
  });

  test('the mark of a chain that cannot continue is settled, whatever the reason for the refusal', async () => {
    const stage = createStage(seed);
    const plan = await stage.plan(desired);
    const patch = { method: 'PATCH', path: ID };
    const refused = { type: 'error', code: 'validation_error' } as const;
    stage.sandbox.faults.add(
      { ...patch, skip: 1, fault: refused },
      { ...patch, skip: 1, fault: THROTTLED },
      { ...patch, skip: 1, fault: refused },
    );
    const report = (await stage.apply(plan, undefined, { onFailure: 'hold' })) as ApplyReport;
    expect(stage.sandbox.faults.struck()).toEqual([1, 1, 1]);
    expect(report.left_paused).toHaveLength(1);
    expect(report.left_paused[0]?.text).not.toContain('could not');
    expect(stage.task(ID)?.remark).toBe('Note [git:core/a@0]');
  });
});

describe('a pause that was throttled', () => {
  const seed = { tasks: [TASK] };
  const desired = desiredState([desiredTask('a', { config: NEW })]);

  test('and a person pauses the task while this run waits: the task stays stopped', async () => {
    const stage = createStage(seed);
    const plan = await stage.plan(desired);
    const fault = { type: 'error', code: 'rate_limit_exceeded', when: 'before', retry_after: 5 } as const;
    stage.sandbox.faults.add({ method: 'POST', path: 'pause$', times: 1, fault });
    let pauses = 0;
    const report = (await stage.apply(plan, (_index, { path }) => {
      if (path.endsWith('/pause')) pauses += 1;
      if (pauses === 2) stage.edit(ID, { is_active: false });
      return undefined;
    })) as ApplyReport;
    expect(pauses).toBe(2);
    expect(stage.task(ID)?.is_active).toBe(false);
    expect(report.left_paused).toHaveLength(1);
    const again = await stage.plan(desired);
    expect(again.changes.map(({ held }) => held)).toEqual([true]);
    expect(again.operations.filter(({ verb }) => verb === 'resume')).toEqual([]);
  });

  test('then refused, and the task cannot be read: it is unknown whether it is paused', async () => {
    const stage = createStage(seed);
    const plan = await stage.plan(desired);
    const pause = { method: 'POST', path: 'pause$' };
    stage.sandbox.faults.add(
      { ...pause, fault: THROTTLED },
      { ...pause, fault: { type: 'error', code: 'validation_error' } },
    );
    const report = (await stage.apply(plan, (_index, { method }) =>
      method === 'GET' ? 'lost-before' : undefined,
    )) as ApplyReport;
    expect(report.changes).toMatchObject([{ status: 'unknown' }]);
    expect(report.left_paused[0]?.text).toContain('It may be paused.');
  });
});
