import { describe, expect, test } from 'vitest';
import { shareConfigs } from '../../../src/core/plan/identity/share-configs.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  sniperConfig,
  wallet,
} from '../../support/builders.ts';

const wanted = desiredTask('a', { label: null });
const desired = desiredState(
  [wanted, desiredTask('b', { target_wallet: wallet(2), label: null })],
  [desiredLabel('hot')],
);
const marked = 'Note [git:core/a@1]';
const copy = (config = sniperConfig()) => structuredClone(config);

describe('the config of a task that equals its manifest', () => {
  test('is the object of the manifest; everything else of the task is its own', () => {
    const live = liveTask(1, { remark: marked, config: copy() });
    const read = structuredClone(live);
    expect(shareConfigs(desired)(read)).toBe(read);
    expect(read.config).toBe(wanted.config);
    expect(read).toEqual(live);
  });

  test.each([
    ['a value more', liveTask(1, { remark: marked, config: { ...copy(), extra: 1 } })],
    ['another value', liveTask(1, { remark: marked, config: copy(sniperConfig({ buy_amount: '0.7' })) })],
    [
      'an amount that is written otherwise',
      liveTask(1, { remark: marked, config: copy(sniperConfig({ buy_amount: '0.50' })) }),
    ],
    ['no marker', liveTask(1, { remark: 'Note', config: copy() })],
    ['a marker that is damaged', liveTask(1, { remark: '[git:core/a', config: copy() })],
    ['the name of no manifest', liveTask(1, { remark: 'Note [git:core/x@1]', config: copy() })],
    ['another kind', liveTask(1, { collection: 'transfer-snipe', remark: marked, config: copy() })],
  ])('with %s it is left alone', (_, live) => {
    expect(shareConfigs(desired)(live)).toBe(live);
  });

  test('a label is left alone', () => {
    const label = { id: 'x', collection: 'label', name: 'Hot', sort_order: 0 } as const;
    expect(shareConfigs(desired)(label)).toBe(label);
  });

  test('plans are the same with it', () => {
    const tasks = [
      liveTask(1, { remark: marked, config: copy() }),
      liveTask(2, {
        remark: 'Other [git:core/b@0]',
        is_active: false,
        target_wallet: wallet(2),
        config: copy(),
      }),
      liveTask(3, { remark: 'Note [git:core/gone@1]', target_wallet: wallet(3), config: copy() }),
    ];
    const share = shareConfigs(desired);
    const shared = tasks.map((task) => share(structuredClone(task)) as typeof task);
    expect(shared[0]?.config).toBe(wanted.config);
    const plain = makePlan(planInput(desired, liveState(tasks)));
    expect(makePlan(planInput(desired, liveState(shared)))).toEqual(plain);
    expect(plain.operations.length).toBeGreaterThan(0);
  });
});
