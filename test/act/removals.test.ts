import { describe, expect, test } from 'vitest';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import {
  desiredLabel,
  desiredState,
  desiredTask,
  removal,
  seedTask,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';
import { withoutVersion } from '../support/versions.ts';
import { createStage, heal, type Stage } from './stage.ts';

const KEPT = Array.from({ length: 18 }, (_, index) => ({ name: `Label ${index}`, id: uuid(100 + index) }));

function task(index: number, name: string | undefined, over: object = {}) {
  const remark = name === undefined ? 'Theirs' : `Note [git:core/${name}@0]`;
  return seedTask(index, { remark, ...over });
}

/** No place for another label; `High risk` is used by a task of each sort, `Spare` by one that is not ours. */
const SEED: SeedAccount = {
  labels: [...KEPT, { name: 'High risk', id: uuid(7) }, { name: 'Spare', id: uuid(8) }],
  templates: [
    { kind: 'sniper', name: 'Old base', id: uuid(50), config: sniperConfig() },
    { kind: 'sniper', name: 'Not ours', id: uuid(51), config: sniperConfig() },
  ],
  tasks: [
    task(1, 'a', { label: 'High risk' }),
    task(2, 'released', { label: 'High risk' }),
    task(3, 'pruned', { label: 'High risk', is_active: false }),
    task(4, undefined, { label: 'Spare' }),
    task(5, undefined, { label: 'High risk' }),
  ],
};

const DESIRED: DesiredState = desiredState(
  [desiredTask('a', { label: 'fresh', target_wallet: wallet(1) })],
  [desiredLabel('fresh', { sort_order: 3 })],
  {
    removals: [
      removal('label/High risk'),
      removal('label/Never was'),
      removal('label/Spare'),
      removal('sniper-template/Old base'),
      removal('sniper/gone-long-ago'),
      removal('sniper/released'),
    ],
  },
);

function expectPromised({ sandbox }: Stage, label = '') {
  const { tasks, labels, templates } = sandbox.state;
  const shown = [...tasks.values()]
    .map(({ id, remark, is_active, risk_label_id: used }) => ({
      id,
      remark: withoutVersion(remark).replace(/@\d+/, ''),
      is_active,
      label: used === null ? null : (labels.get(used)?.name ?? 'dangling'),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(shown, label).toEqual([
    { id: uuid(1), remark: 'Note [git:core/a]', is_active: true, label: 'fresh' },
    { id: uuid(2), remark: 'Note', is_active: true, label: null },
    { id: uuid(4), remark: 'Theirs', is_active: true, label: null },
    { id: uuid(5), remark: 'Theirs', is_active: true, label: null },
  ]);
  const names = [...labels.values()].map(({ name }) => name).sort();
  expect(names, label).toEqual([...KEPT.map(({ name }) => name), 'fresh'].sort());
  expect(
    [...templates.values()].map(({ name }) => name),
    label,
  ).toEqual(['Not ours']);
}

describe.each(['untouched', 'bumped'] as const)(
  'removals where a deleted label leaves its tasks %s',
  (bumps) => {
    const stageOf = () => createStage(SEED, { label_delete_tasks: bumps, template_delete_tasks: bumps });
    const PLAN = { allowEmpty: true };

    test('everything is done in one apply, and a second plan is empty', async () => {
      const stage = stageOf();
      const plan = await stage.plan(DESIRED, PLAN);
      expect(plan.summary).toMatchObject({ delete: 4, release: 1, create: 1, blocked: 0 });
      const report = (await stage.apply(plan)) as ApplyReport;
      expect(report.changes.map(({ address, status }) => `${address} ${status}`)).toEqual(
        report.changes.map(({ address }) => `${address} done`),
      );
      expectPromised(stage);
      const second = await stage.plan(DESIRED, PLAN);
      expect(second.operations).toEqual([]);
      expect(second.changes).toEqual([]);
      expect(second.observations.map(({ class: kind, id }) => `${kind} ${id}`)).toContain(
        `unmanaged ${uuid(2)}`,
      );
    });

    test('every number of slots gives the same', async () => {
      for (const concurrency of [1, 2, 8]) {
        const stage = stageOf();
        await stage.apply(await stage.plan(DESIRED, PLAN), undefined, { concurrency });
        expectPromised(stage, `concurrency ${concurrency}`);
      }
    });
  },
);

describe('a release', () => {
  const RELEASE = desiredState([], [], { removals: [removal('sniper/a')] });
  const seedOf = (over: object = {}) => ({ tasks: [task(1, 'a', over)] });
  const meddling = async (seed: SeedAccount, meddle: (stage: Stage) => void) => {
    const stage = createStage(seed);
    const plan = await stage.plan(RELEASE);
    meddle(stage);
    return { stage, report: (await stage.apply(plan)) as ApplyReport };
  };

  test('an empty note leaves an empty remark; the switch and everything else stay unchanged', async () => {
    for (const is_active of [true, false]) {
      const stage = createStage(seedOf({ remark: '[git:core/a@5]', is_active }));
      const before = stage.task(uuid(1));
      const plan = await stage.plan(RELEASE);
      await stage.apply(plan);
      expect(stage.requests.map(({ method, body }) => `${method} ${body ?? ''}`)).toEqual([
        'PATCH {"remark":""}',
      ]);
      expect(stage.task(uuid(1))).toEqual({
        ...before,
        remark: '',
        version: 6,
        updated_at: stage.task(uuid(1))?.updated_at,
      });
      expect((await stage.plan(RELEASE)).changes).toEqual([]);
    }
  });

  test.each([
    ['paused', { is_active: false }],
    ['written to', {}],
    ['given another config', { config: sniperConfig({ buy_amount: '3' }) }],
  ])('a task that somebody has %s meanwhile is released as it is then', async (_what, edit) => {
    const { stage, report } = await meddling(seedOf(), ({ sandbox }) => {
      sandbox.editStored(uuid(1), edit);
    });
    expect(report).toMatchObject({ outcome: 'done' });
    expect(stage.task(uuid(1))).toMatchObject({ ...edit, remark: 'Note', version: 7 });
  });

  test('a note that somebody writes in the meantime is not overwritten', async () => {
    const { stage, report } = await meddling(seedOf(), ({ sandbox }) => {
      sandbox.editStored(uuid(1), { remark: 'By hand [git:core/a@0]' });
    });
    expect(report.changes[0]).toMatchObject({ status: 'failed' });
    expect(stage.task(uuid(1))?.remark).toBe('By hand [git:core/a@0]');
    await heal(stage, RELEASE);
    expect(stage.task(uuid(1))?.remark).toBe('By hand');
  });

  test('is done if somebody removed the marker in the meantime', async () => {
    const { stage, report } = await meddling(seedOf(), ({ sandbox }) => {
      sandbox.editStored(uuid(1), { remark: 'Mine now' });
    });
    expect(report).toMatchObject({ outcome: 'done' });
    expect(stage.task(uuid(1))?.remark).toBe('Mine now');
  });

  test('a legacy config that the service refuses to patch: reported before and after, and never pruned', async () => {
    const legacy = { ...sniperConfig(), gone_field: '1' };
    const seed = seedOf({ config: legacy, legacy: true });
    const stage = createStage(seed, { remark_patch_revalidates: 'always' });
    const plan = await stage.plan(RELEASE);
    expect(plan.diagnostics.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['task-released', 'release-legacy']),
    );
    const report = (await stage.apply(plan)) as ApplyReport;
    expect(report.changes[0]).toMatchObject({ status: 'failed', error: { code: 'validation_error' } });
    expect(report.changes[0]?.text).toContain('keeps its marker');
    expect((await stage.plan(RELEASE)).summary).toMatchObject({ release: 1, delete: 0 });
  });
});
