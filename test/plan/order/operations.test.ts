import { expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { JsonObject } from '../../../src/core/model/json.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
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

test('what lowers most first, then interrupted changes, then what changes no stake, the smallest raise, the smallest start', () => {
  const sniper = (buy_amount: string, slippage = '20', over: object = {}) =>
    sniperConfig({
      buy_amount,
      relay_mode: { ...(sniperConfig().relay_mode as JsonObject), slippage },
      ...over,
    });
  type Of = readonly [
    name: string,
    before: JsonObject | null,
    after: JsonObject,
    task?: Partial<DesiredTask>,
  ];
  const order: readonly Of[] = [
    ['v-cut', sniper('9'), sniper('0.3')],
    ['u-stop', sniper('2'), sniper('2'), { state: 'paused' }],
    ['t-labelled', sniper('3'), sniper('2'), { label: 'low' }],
    ['s-tighter', sniper('1'), sniper('0.9', '19')],
    ['a-wider', sniper('1'), sniper('0.9', '21')],
    ['r-slippage', sniper('1'), sniper('1', '19')],
    ['q-finish', null, sniper('5')],
    ['b-note', sniper('1'), sniper('1'), { note: 'Other' }],
    ['p-off', null, sniper('9'), { state: 'paused' }],
    // Nothing shows whether it is lowered.
    ['c-secret', sniper('4'), sniper('3'), { secrets: ['config.buy_amount'] }],
    ['o-slippage', sniper('1'), sniper('1', '21')],
    ['n-raise', sniper('1'), sniper('1.5')],
    ['d-raise', sniper('1'), sniper('3')],
    ['m-start', null, sniper('0.1')],
    ['e-start', null, sniper('0.2')],
  ];
  const live = order.flatMap(([name, before, after, { state } = {}], index) => {
    if (before === null && state === undefined && !name.startsWith('q')) return [];
    const armed = name.startsWith('q') ? '@5' : '@0';
    const remark = `Note [git:core/${name}${before === null && state === 'paused' ? '' : armed}]`;
    const config = before ?? (state === 'paused' ? sniper('1') : after);
    return [liveTask(index, { remark, config, is_active: before !== null, target_wallet: wallet(index) })];
  });
  const tasks = order.map(([name, , config, over], index) =>
    desiredTask(name, { config, target_wallet: wallet(index), ...over }),
  );
  const labels = [desiredLabel('low'), desiredLabel('any')];
  const plan = makePlan(planInput(desiredState(tasks, labels), liveState(live)));
  const begins = [...new Set(plan.operations.map(({ address }) => address))];
  const names = order.map(([name]) => `sniper/${name}`);
  // What a change needs that lowers comes before all; the other label changes nothing.
  const place = names.indexOf('sniper/b-note');
  names.splice(place, 0, 'label/any');
  expect(begins).toEqual(['label/low', ...names]);
});

test('labels and templates before what raises, replacements before plain starts, removals last', () => {
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
    'sniper/gone',
    'label/hot',
    'sniper-template/base',
    'sniper/free',
    'sniper/parked',
    'sniper/moved',
    'sniper/updated',
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
