import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { changeOf, steps } from '../../support/plans.ts';

function planOf(desired: readonly DesiredTask[], live: readonly LiveTask[]): Plan {
  return makePlan(planInput(desiredState(desired), liveState(live)));
}

function copyTask(name: string, over: Partial<DesiredTask> = {}): DesiredTask {
  return desiredTask(name, { collection: 'copy-trade', ...over });
}

function copyLive(index: number, over: Partial<LiveTask> = {}): LiveTask {
  return liveTask(index, { collection: 'copy-trade', ...over });
}

describe('ownership', () => {
  test('unmanaged and foreign tasks are observed and never touched', () => {
    const made = planOf(
      [desiredTask('a', { target_wallet: wallet(1) })],
      [
        liveTask(1, { remark: 'Note [git:core/a@1]', target_wallet: wallet(1) }),
        liveTask(2, { remark: 'hand-made' }),
        liveTask(3, { remark: 'x [git:other/a@1]', is_active: false }),
      ],
    );
    expect(made.operations).toEqual([]);
    expect(made.observations.map(({ class: c, id, running }) => [c, id, running])).toEqual([
      ['unmanaged', uuid(2), true],
      ['foreign', uuid(3), false],
    ]);
    expect(made.diagnostics.map(({ code }) => code)).toContain('unmanaged-running');
  });

  test.each([
    ['Note [git:core/a@01]', 'damaged'],
    ['Note [git:core/a@1] more', 'damaged'],
    ['[git:core/a@1] [git:core/b]', 'damaged'],
    ['[git:', 'damaged'],
    ['Note [git:CORE/a]', 'damaged'],
    ['Note [git:co', 'damaged'],
    ['Note [git:other/b@01]', 'damaged'],
    ['copy [git:old]', 'unmanaged'],
    ['Note [git:core2/a@01]', 'unmanaged'],
  ])('%s is %s, and never touched', (remark, is) => {
    const made = planOf([desiredTask('b', { target_wallet: wallet(1) })], [liveTask(1, { remark })]);
    expect(made.observations.map((item) => item.class)).toEqual([is]);
    expect(made.observations[0]?.text.includes('looks like a marker')).toBe(is === 'unmanaged');
    expect(made.operations.every(({ address }) => address === 'sniper/b')).toBe(true);
  });

  test('a cloned marker is a conflict: both ids named, nothing done', () => {
    const live = [
      liveTask(1, { remark: 'Note [git:core/a@1]' }),
      liveTask(2, { remark: 'Note [git:core/a@1]' }),
    ];
    const made = planOf([desiredTask('a', { note: 'Changed' })], live);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      reason: 'conflict',
      blocked: { ids: [uuid(1), uuid(2)] },
    });
    expect(made.operations).toEqual([]);
    const orphaned = planOf([desiredTask('b', { target_wallet: wallet(1), note: '' })], live);
    expect(changeOf(orphaned, 'sniper/a').blocked).not.toBeNull();
    expect(steps(orphaned, 'sniper/a')).toEqual([]);
  });

  test('metadata.id settles a conflict and leaves the clone alone', () => {
    const live = [
      liveTask(1, { remark: 'Note [git:core/a@1]' }),
      liveTask(2, { remark: 'Note [git:core/a@1]' }),
    ];
    const made = planOf([desiredTask('a', { id: uuid(2), note: 'Changed' })], live);
    expect(steps(made, 'sniper/a')).toEqual(['patch(settled)']);
    expect(changeOf(made, 'sniper/a').id).toBe(uuid(2));
    expect(made.observations).toMatchObject([{ class: 'conflict', id: uuid(1) }]);
  });
});

describe('a lost marker', () => {
  const unmanaged = liveTask(1, { remark: 'Note' });

  test('same target, config and note, wanted by one manifest: adopted, not started', () => {
    const running = planOf([desiredTask('a')], [unmanaged]);
    expect(changeOf(running, 'sniper/a')).toMatchObject({
      action: 'adopt',
      reason: 'marker-lost',
      starts_trading: false,
    });
    expect(steps(running, 'sniper/a')).toEqual(['patch(settled)']);
    const paused = planOf([desiredTask('a')], [{ ...unmanaged, is_active: false }]);
    expect(changeOf(paused, 'sniper/a')).toMatchObject({
      action: 'adopt',
      held: true,
      starts_trading: false,
    });
    expect(steps(paused, 'sniper/a')).toEqual(['patch(settled)']);
  });

  test.each<[string, readonly DesiredTask[], readonly LiveTask[]]>([
    ['empty notes', [desiredTask('a', { note: '' })], [{ ...unmanaged, remark: '' }]],
    ['two candidates', [desiredTask('a')], [unmanaged, { ...unmanaged, id: uuid(2) }]],
    ['two manifests', [desiredTask('a'), desiredTask('b')], [unmanaged]],
  ])('%s: blocked, and nothing is created', (_name, desired, live) => {
    const made = planOf(desired, live);
    expect(changeOf(made, 'sniper/a').blocked).not.toBeNull();
    expect(made.operations).toEqual([]);
  });

  test('a task that one manifest adopts does not block another', () => {
    const made = planOf([desiredTask('a'), desiredTask('b', { note: 'Else' })], [unmanaged]);
    expect(changeOf(made, 'sniper/a').action).toBe('adopt');
    expect(steps(made, 'sniper/b')).toEqual(['create(pending)', 'resume']);
  });

  test('copy-trade: an unmanaged holder of the wanted target is adopted, a foreign or damaged one blocks', () => {
    const holder = copyLive(1, { remark: 'by hand' });
    const adopted = planOf([copyTask('a')], [holder]);
    expect(changeOf(adopted, 'copy-trade/a')).toMatchObject({ action: 'adopt', reason: 'target-held' });
    for (const remark of ['x [git:other/q@1]', 'x [git:?']) {
      expect(
        changeOf(planOf([copyTask('a')], [{ ...holder, remark }]), 'copy-trade/a').blocked,
      ).not.toBeNull();
    }
    expect(changeOf(planOf([copyTask('a', { adopt: 'never' })], [holder]), 'copy-trade/a').reason).toBe(
      'target-held',
    );
  });
});

describe('metadata.id and previous_name', () => {
  test('an id adopts an unmanaged or damaged task of the same target', () => {
    for (const remark of ['whatever', 'x [git:core/a@zz]']) {
      const made = planOf([desiredTask('a', { id: uuid(1) })], [liveTask(1, { remark })]);
      expect(changeOf(made, 'sniper/a')).toMatchObject({ action: 'adopt', reason: 'id-given' });
      expect(steps(made, 'sniper/a')).toEqual(['patch(settled)']);
    }
  });

  test.each<[string, Partial<DesiredTask>, readonly LiveTask[], string]>([
    ['unknown id', {}, [], 'id-not-found'],
    ['another target', { target_wallet: wallet(3) }, [liveTask(1)], 'uncertain'],
    ['another owner has the name', {}, [liveTask(1), liveTask(2, { remark: '[git:core/a@1]' })], 'conflict'],
  ])('%s blocks', (_name, over, live, reason) => {
    const made = planOf([desiredTask('a', { id: uuid(1), ...over })], live);
    expect(changeOf(made, 'sniper/a').reason).toBe(reason);
    expect(made.operations.filter(({ address }) => address === 'sniper/a')).toEqual([]);
  });

  test.each([['copy-trade', 'CopyTradeTask'] as const, ['transfer-snipe', 'TransferSnipeTask'] as const])(
    'an id of a %s task is never told to make a second task',
    (collection, kind) => {
      const made = planOf([desiredTask('a', { id: uuid(1) })], [liveTask(1, { collection })]);
      expect(changeOf(made, 'sniper/a')).toMatchObject({
        reason: 'id-not-found',
        blocked: {
          text: `The id ${uuid(1)} of metadata.id is that of a ${kind}. Write that kind, or correct metadata.id.`,
        },
      });
    },
  );

  test('a stale id falls back to the marker and says so', () => {
    const made = planOf(
      [desiredTask('a', { id: uuid(9) })],
      [liveTask(1, { remark: 'Note [git:core/a@1]' })],
    );
    expect(made.operations).toEqual([]);
    expect(made.diagnostics.map(({ code }) => code)).toContain('id-stale');
  });

  test('previous_name rewrites the marker and deletes nothing', () => {
    const made = planOf(
      [desiredTask('b', { previousName: 'a' })],
      [liveTask(1, { remark: 'Note [git:core/a@1]' })],
    );
    expect(steps(made, 'sniper/b')).toEqual(['patch(settled)']);
    expect(changeOf(made, 'sniper/b')).toMatchObject({ action: 'rename', previous_address: 'sniper/a' });
    expect(made.changes).toHaveLength(1);
  });

  test('a rename that finds nothing, or is not declared, is reported', () => {
    const live = [liveTask(1, { remark: 'Note [git:core/a@1]' })];
    const codes = (over: Partial<DesiredTask>) =>
      planOf([desiredTask('b', over)], live).diagnostics.map(({ code }) => code);
    expect(codes({ previousName: 'typo' })).toEqual([
      'delete-running',
      'previous-name-unknown',
      'looks-like-rename',
      'all-owned-gone',
    ]);
    expect(codes({ config: sniperConfig({ buy_amount: '7' }) })).toEqual([
      'delete-running',
      'all-owned-gone',
    ]);
    expect(codes({ previousName: 'a' })).toEqual([]);
  });
});
