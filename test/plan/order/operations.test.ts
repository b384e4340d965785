import { expect, test } from 'vitest';
import { makePlan } from '../../../src/plan/plan.ts';
import {
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  removal,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { changeOf, operationsOf } from '../../support/plans.ts';

test('stops come first, then tasks that an interrupted apply left paused, then changes, then starts', () => {
  const config = sniperConfig({ buy_amount: '0.75' });
  const desired = desiredState([
    desiredTask('a', { config }),
    desiredTask('b', { state: 'paused' }),
    desiredTask('c'),
    desiredTask('d'),
  ]);
  const live = liveState([
    liveTask(1, { remark: 'Note [git:core/a@0]' }),
    liveTask(2, { remark: 'Note [git:core/b@0]' }),
    liveTask(3, { remark: 'Note [git:core/c]', is_active: false }),
    liveTask(4, { remark: 'Note [git:core/d@5]', is_active: false }),
  ]);
  const plan = makePlan(planInput(desired, live));
  expect(plan.changes.map(({ actions }) => actions[0])).toEqual(['update', 'stop', 'start', 'finish']);
  expect([...new Set(plan.operations.map(({ address }) => address))]).toEqual([
    'sniper/b',
    'sniper/d',
    'sniper/a',
    'sniper/c',
  ]);
});

test('labels and templates first, replacements before plain starts, removals last', () => {
  const config = sniperConfig({ buy_amount: '0.75' });
  const base = {
    address: 'sniper-template/base',
    collection: 'sniper-template',
    name: 'base',
    shownName: 'base',
    config,
    origin: () => undefined,
  } as const;
  const live = (index: number, name: string, over: object = {}) =>
    liveTask(index, { remark: `Note [git:core/${name}@1]`, target_wallet: wallet(index), ...over });
  const desired = desiredState(
    [
      desiredTask('created', { label: 'hot', target_wallet: wallet(4) }),
      desiredTask('moved', { target_wallet: wallet(5) }),
      desiredTask('parked', { state: 'paused', target_wallet: wallet(5), note: 'Parked' }),
      desiredTask('updated', { target_wallet: wallet(2), config }),
      desiredTask('woken', { target_wallet: wallet(3) }),
    ],
    [desiredLabel('hot')],
    { templates: [base], removals: [removal('label/Old'), removal('sniper/free')] },
  );
  const woken = live(3, 'woken', { is_active: false, remark: 'Note [git:core/woken]' });
  const tasks = [live(1, 'moved'), live(2, 'updated'), woken, live(4, 'gone'), live(0, 'free')];
  const old = { collection: 'label', id: uuid(70), name: 'Old', sort_order: 0 } as const;
  const plan = makePlan(planInput(desired, liveState(tasks, [old])));
  expect([...new Set(plan.operations.map(({ address }) => address))]).toEqual([
    'label/hot',
    'sniper-template/base',
    'sniper/gone',
    'sniper/free',
    'sniper/parked',
    'sniper/updated',
    'sniper/moved',
    'sniper/created',
    'sniper/woken',
    'label/Old',
  ]);
  // A change names its operations, and only the first one of a chain waits for what others do.
  for (const { address, operations } of plan.changes)
    expect(operations).toEqual(operationsOf(plan, address).map(({ id }) => id));
  expect(operationsOf(plan, 'sniper/created').map(({ needs }) => needs)).toEqual([['label/hot#1'], []]);
  expect(changeOf(plan, 'sniper/created').operations).toEqual(['sniper/created#1', 'sniper/created#2']);
  expect(operationsOf(plan, 'sniper/gone')).toEqual([
    {
      id: 'sniper/gone#1',
      address: 'sniper/gone',
      subject: uuid(4),
      verb: 'pause',
      body: null,
      needs: [],
    },
    {
      id: 'sniper/gone#2',
      address: 'sniper/gone',
      subject: uuid(4),
      verb: 'delete',
      body: null,
      needs: [],
    },
  ]);
});
