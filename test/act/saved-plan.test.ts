import { describe, expect, test } from 'vitest';
import { checkFresh } from '../../src/act/saved-plan.ts';
import type { ApplyReport } from '../../src/model/generated/report.ts';
import { desiredState, desiredTask, sniperConfig, uuid, wallet } from '../support/builders.ts';
import { ID, SCENARIOS, TASK } from './scenarios.ts';
import { createStage, heal } from './stage.ts';

describe.each(SCENARIOS)('a saved plan: $name', (scenario) => {
  test('is fresh, with nothing done, as long as nothing changed', async () => {
    const stage = createStage(scenario.seed);
    const plan = await stage.plan(scenario.desired, { allowEmpty: true });
    expect(checkFresh(plan, await stage.read())).toEqual({ stale: [], positions: new Map() });
  });

  test('counts as done afterwards, and sends no write', async () => {
    const stage = createStage(scenario.seed);
    const plan = await stage.plan(scenario.desired, { allowEmpty: true });
    await stage.apply(plan);
    const fresh = checkFresh(plan, await stage.read());
    expect(fresh.stale).toEqual([]);
    const report = (await stage.apply(plan, undefined, { positions: fresh.positions })) as ApplyReport;
    expect(report.outcome).toBe('done');
    expect(stage.requests).toEqual([]);
    const statuses = report.changes.flatMap(({ operations }) => operations.map(({ status }) => status));
    expect(new Set(statuses)).toEqual(new Set(['already']));
  });
});

test('a task of the same name that the plan saw and left alone does not make it stale', async () => {
  const rival = { ...TASK, id: uuid(2), config: sniperConfig({ buy_amount: '3' }) };
  for (const [remark, over, id] of [
    ['Note [git:was/a@0]', { previousProject: 'was' }, undefined],
    ['Note [git:core/a@0]', {}, ID],
  ] as const) {
    const stage = createStage({ tasks: [TASK, { ...rival, remark }] });
    const task = desiredTask('a', { note: 'Other', ...(id === undefined ? {} : { id }) });
    const plan = await stage.plan(desiredState([task], [], over));
    expect(plan.operations).toHaveLength(1);
    expect(checkFresh(plan, await stage.read()).stale).toEqual([]);
    expect(await stage.apply(plan)).toMatchObject({ outcome: 'done' });
    expect(checkFresh(plan, await stage.read()).stale).toEqual([]);
    expect(stage.task(uuid(2))).toMatchObject({ remark, is_active: true });
  }
});

describe('stale', () => {
  const desired = desiredState([desiredTask('a', { config: sniperConfig({ buy_amount: '0.75' }) })]);

  const moves = [
    {
      name: 'another note',
      edit: { remark: 'Memo [git:core/a@0]' },
      says: /version 5 and is now at 6: remark/,
    },
    { name: 'stopped', edit: { is_active: false }, says: /it was stopped/ },
    {
      name: 'stopped without a new version',
      edit: { is_active: false, bump: false },
      says: /it was stopped/,
    },
    { name: 'nothing to see but the version', edit: {}, says: /version 5 and is now at 6/ },
  ];
  test.each(moves)('$name', async ({ edit, says }) => {
    const stage = createStage({ tasks: [TASK] });
    const plan = await stage.plan(desired);
    stage.edit(ID, edit);
    const { stale } = checkFresh(plan, await stage.read());
    expect(stale).toMatchObject([{ address: 'sniper/a', text: expect.stringMatching(says) }]);
  });

  test('deleted', async () => {
    const stage = createStage({ tasks: [{ ...TASK, is_active: false }] });
    const plan = await stage.plan(desired);
    const other = await stage.plan(desiredState([]), { allowEmpty: true });
    await stage.apply(other);
    const { stale } = checkFresh(plan, await stage.read());
    expect(stale[0]?.text).toContain('was deleted');
  });

  test('half of the chain, then a change by somebody', async () => {
    const stage = createStage({ tasks: [TASK] });
    const plan = await stage.plan(desired);
    await stage.apply(plan, (index) => (index === 2 ? 'crash-before' : undefined));
    stage.edit(ID, { remark: 'Memo [git:core/a@7]' });
    expect(checkFresh(plan, await stage.read()).stale).toHaveLength(1);
  });

  test('the resource to create exists in the meantime with other values', async () => {
    const stage = createStage({});
    const plan = await stage.plan(desired);
    await stage.apply(await stage.plan(desiredState([desiredTask('a')])));
    const { stale } = checkFresh(plan, await stage.read());
    expect(stale[0]?.text).toContain('now has this name');
  });

  test('a clone of the task appears', async () => {
    const stage = createStage({ tasks: [TASK] });
    const plan = await stage.plan(desired);
    await stage.outside(
      'POST',
      '/sniper/configs',
      { remark: TASK.remark, target_wallet: wallet(1), config: TASK.config },
      'somebody-else',
    );
    expect(checkFresh(plan, await stage.read()).stale).toHaveLength(1);
  });

  test('one of two: only the changed one is named', async () => {
    const other = { ...TASK, id: uuid(2), remark: 'Note [git:core/b@0]' };
    const stage = createStage({ tasks: [TASK, other] });
    const both = desiredState([desiredTask('a', { note: 'Other' }), desiredTask('b', { note: 'Other' })]);
    const plan = await stage.plan(both);
    stage.edit(uuid(2), { remark: 'Memo [git:core/b@0]' });
    expect(checkFresh(plan, await stage.read()).stale.map(({ address }) => address)).toEqual(['sniper/b']);
    await heal(stage, both);
  });
});
