import { describe, expect, test } from 'vitest';
import type { DesiredLabel, DesiredTask } from '../../../src/core/desired/state.ts';
import { versionDigest } from '../../../src/core/desired/version.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { LiveLabel, LiveTask } from '../../../src/core/model/resource.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
  copyTradeConfig,
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { changeOf, operationsOf, steps } from '../../support/plans.ts';
import { withLinked } from '../guardrails/judging.ts';

const HOT: LiveLabel = { collection: 'label', id: uuid(70), name: 'Hot', sort_order: 0 };
const COLD: LiveLabel = { collection: 'label', id: uuid(71), name: 'Cold', sort_order: 0 };
const LABELS = [desiredLabel('hot', { shownName: 'Hot' }), desiredLabel('new', { shownName: 'New' })];

function planOf(
  desired: DesiredTask,
  live: readonly LiveTask[],
  labels: readonly DesiredLabel[] = LABELS,
): Plan {
  return makePlan(planInput(desiredState([desired], labels), liveState(live, [HOT, COLD])));
}

function owned(over: Partial<LiveTask> = {}): LiveTask {
  const collection = over.collection ?? 'sniper';
  return liveTask(1, { collection, remark: 'Note [git:core/a@1]', ...over });
}

describe('what is written to a new task', () => {
  test('is everything in its manifest', () => {
    const desired = desiredTask('a', {
      collection: 'copy-trade',
      label: 'hot',
      linked_wallets: [wallet(2), wallet(3)],
    });
    const plan = planOf(desired, []);
    const { body } = operationsOf(plan, 'copy-trade/a')[0] ?? {};
    expect(body).toEqual({
      target_wallet: wallet(0),
      linked_wallets: [wallet(2), wallet(3)],
      risk_label_id: HOT.id,
      remark: {
        note: 'Note',
        mark: 'pending',
        version: `${versionDigest(desired)}0000`,
        rearm: null,
        replaces: null,
      },
      config: copyTradeConfig(),
    });
    const change = changeOf(plan, 'copy-trade/a');
    expect(change).toMatchObject({
      actions: ['create', 'start'],
      starts_trading: true,
      stops_trading: false,
      held: false,
    });
    expect(change.fields.slice(0, 5).map(({ path, after }) => [path, after])).toEqual([
      ['state', 'active'],
      ['target_wallet', wallet(0)],
      ['remark', 'Note'],
      ['label', 'Hot'],
      ['linked_wallets', [wallet(2), wallet(3)]],
    ]);
  });

  const copy = desiredTask('a', { collection: 'copy-trade', state: 'paused', note: '' });
  const sniper = desiredTask('a', { state: 'paused', note: '' });
  test.each<[string, DesiredTask]>([
    ['sniper', sniper],
    ['copy-trade', copy],
    ['copy-trade whose list is left out', withLinked(copy, undefined)],
    ['sniper that asks for linked wallets all the same', withLinked(sniper, [wallet(2)])],
  ])('is nothing more: %s without label, note and wallets', (_what, desired) => {
    const plan = planOf(desired, []);
    const { body } = operationsOf(plan, desired.address)[0] ?? {};
    expect(body).toEqual({
      target_wallet: wallet(0),
      ...(desired.collection === 'copy-trade' ? { linked_wallets: [] } : {}),
      remark: {
        note: '',
        mark: 'none',
        version: `${versionDigest(desired)}0000`,
        rearm: null,
        replaces: null,
      },
      config: desired.config,
    });
    const change = changeOf(plan, desired.address);
    expect(change).toMatchObject({ actions: ['create'], starts_trading: false, held: false });
    expect(change.fields.map(({ path }) => path).filter((path) => !path.startsWith('config.'))).toEqual([
      'state',
      'target_wallet',
    ]);
  });

  test('a label that the plan creates is shown with its future name', () => {
    const plan = planOf(desiredTask('a', { label: 'new' }), []);
    expect(operationsOf(plan, 'sniper/a')[0]?.body?.risk_label_id).toEqual({ ref: 'label/new' });
    expect(changeOf(plan, 'sniper/a').fields).toContainEqual(
      expect.objectContaining({ path: 'label', after: 'New' }),
    );
  });
});

test('a field shows its origin, if it has one', () => {
  const place = { file: 'a.yaml', line: 3, column: 9 };
  const origin = (path: string) => (path === 'remark' ? place : undefined);
  const plan = planOf(desiredTask('a', { note: 'New', label: 'hot', origin }), [owned()]);
  expect(changeOf(plan, 'sniper/a').fields.map((item) => [item.path, item.origin])).toEqual([
    ['remark', place],
    ['label', undefined],
  ]);
});

describe('labels', () => {
  test.each<[string, string | null, string | null, [unknown, unknown] | undefined, unknown]>([
    ['none, and none wanted', null, null, undefined, undefined],
    ['as wanted', HOT.id, 'hot', undefined, undefined],
    ['another', COLD.id, 'hot', ['Cold', 'Hot'], HOT.id],
    ['none yet', null, 'hot', [null, 'Hot'], HOT.id],
    ['taken off', HOT.id, null, ['Hot', null], null],
    ['one to be created', HOT.id, 'new', ['Hot', 'New'], { ref: 'label/new' }],
    ['one that nobody can name', uuid(99), null, [uuid(99), null], null],
  ])('%s', (_how, live, wanted, shown, sent) => {
    const plan = planOf(desiredTask('a', { label: wanted }), [owned({ risk_label_id: live })]);
    const operations = operationsOf(plan, 'sniper/a');
    if (shown === undefined) {
      expect(operations).toEqual([]);
      return;
    }
    const [before, after] = shown;
    expect(steps(plan, 'sniper/a')).toEqual(['patch(settled)']);
    expect(Object.keys(operations[0]?.body ?? {})).toEqual(['remark', 'risk_label_id']);
    expect(operations[0]?.body?.risk_label_id).toEqual(sent);
    expect(changeOf(plan, 'sniper/a').fields).toEqual([{ path: 'label', before, after, sensitive: false }]);
  });
});

describe('linked wallets', () => {
  const copy = (linked: readonly string[] | undefined, over: Partial<DesiredTask> = {}) =>
    withLinked(desiredTask('a', { collection: 'copy-trade', ...over }), linked);
  const live = (linked: readonly string[] | undefined) =>
    withLinked(owned({ collection: 'copy-trade' }), linked);
  const BOUNCE = ['mark(pending)', 'pause', 'patch(pending)', 'resume'];

  test.each<[string, readonly string[] | undefined, readonly string[] | undefined, boolean]>([
    ['none', [], [], false],
    ['none answered, none asked', undefined, undefined, false],
    ['in another order', [wallet(3), wallet(2)], [wallet(2), wallet(3)], false],
    ['one more', [wallet(2)], [wallet(2), wallet(3)], true],
    ['the first', undefined, [wallet(2)], true],
    ['the last taken out', [wallet(2)], [], true],
    ['left out of the manifest', [wallet(2)], undefined, true],
  ])('%s', (_how, before, after, differs) => {
    const plan = planOf(copy(after), [live(before)]);
    expect(steps(plan, 'copy-trade/a')).toEqual(differs ? BOUNCE : []);
    if (!differs) return;
    const patch = operationsOf(plan, 'copy-trade/a').find(({ verb }) => verb === 'patch');
    // The config stays as it is and is not sent.
    expect(Object.keys(patch?.body ?? {})).toEqual(['remark', 'linked_wallets']);
    expect(patch?.body?.linked_wallets).toEqual(after ?? []);
    const fields = changeOf(plan, 'copy-trade/a').fields;
    expect(fields.map(({ path }) => path)).toEqual(['linked_wallets']);
    expect([fields[0]?.before, fields[0]?.after]).toEqual([
      [...(before ?? [])].sort(),
      [...(after ?? [])].sort(),
    ]);
  });

  test('another config does not affect them', () => {
    const config = copyTradeConfig({ min_trade_amount: '1' });
    const plan = planOf(copy([wallet(2)], { config }), [live([wallet(2)])]);
    expect(steps(plan, 'copy-trade/a')).toEqual(BOUNCE);
    const patch = operationsOf(plan, 'copy-trade/a').find(({ verb }) => verb === 'patch');
    expect(Object.keys(patch?.body ?? {})).toEqual(['remark', 'config']);
  });

  test('of a kind without them are not compared and not sent', () => {
    const plan = planOf(desiredTask('a', { linked_wallets: [wallet(2)] }), [owned()], []);
    expect(plan.operations).toEqual([]);
  });
});

describe('ignore_changes', () => {
  const changed = {
    collection: 'copy-trade',
    note: 'Git',
    label: 'hot',
    linked_wallets: [wallet(2)],
  } as const;
  const theirs = (over: Partial<LiveTask> = {}) =>
    owned({
      collection: 'copy-trade',
      remark: 'Hand [git:core/a@1]',
      risk_label_id: COLD.id,
      linked_wallets: [wallet(3)],
      config: copyTradeConfig({ min_trade_amount: '1' }),
      ...over,
    });
  const ALL = ['remark', 'label', 'linked_wallets', 'config.min_trade_amount'];

  test.each(ALL)('of everything but %s: that alone is planned', (path) => {
    const ignoreChanges = ALL.filter((other) => other !== path);
    const plan = planOf(desiredTask('a', { ...changed, ignoreChanges }), [theirs()]);
    expect(changeOf(plan, 'copy-trade/a').fields.map((item) => item.path)).toEqual([path]);
    for (const { body } of operationsOf(plan, 'copy-trade/a')) {
      if (body?.remark !== undefined)
        expect(body.remark).toMatchObject({ note: path === 'remark' ? 'Git' : 'Hand' });
      if (path !== 'label') expect(body ?? {}).not.toHaveProperty('risk_label_id');
      if (path !== 'linked_wallets') expect(body ?? {}).not.toHaveProperty('linked_wallets');
    }
  });

  test('of a label that the task does not have keeps it without; of wallets that are not answered sends none', () => {
    const ignoreChanges = ['label', 'linked_wallets', 'config'];
    const live = withLinked(theirs({ risk_label_id: null }), undefined);
    const wanted = withLinked(desiredTask('a', { ...changed, note: 'Hand', ignoreChanges }), undefined);
    expect(steps(planOf(wanted, [live]), 'copy-trade/a')).toEqual([]);
  });

  test('of the whole config keeps every value of it, also in the body of another change', () => {
    const desired = desiredTask('a', {
      ...changed,
      note: 'Hand',
      label: null,
      ignoreChanges: ['config', 'label'],
    });
    const plan = planOf(desired, [theirs()]);
    expect(changeOf(plan, 'copy-trade/a').fields.map(({ path }) => path)).toEqual(['linked_wallets']);
    for (const { body } of operationsOf(plan, 'copy-trade/a'))
      expect(body ?? {}).not.toHaveProperty('config');
  });

  test('applies to a live task: a new one gets everything in the manifest', () => {
    const plan = planOf(desiredTask('a', { ...changed, ignoreChanges: ALL }), []);
    expect(operationsOf(plan, 'copy-trade/a')[0]?.body).toMatchObject({
      remark: { note: 'Git' },
      risk_label_id: HOT.id,
      linked_wallets: [wallet(2)],
    });
  });

  test('of an object that the task does not have sends none of it', () => {
    const sell = sniperConfig().auto_sell as object;
    const config = sniperConfig({
      buy_amount: '2',
      auto_sell: { ...sell, trailing_take_profit: { enabled: true, tiers: ['x'] } },
    });
    const ignoreChanges = ['config.auto_sell.trailing_take_profit'];
    const plan = planOf(desiredTask('a', { ignoreChanges, config }), [owned()]);
    const patch = operationsOf(plan, 'sniper/a').find(({ verb }) => verb === 'patch');
    expect(patch?.body?.config).toEqual(sniperConfig({ buy_amount: '2' }));
  });

  test('of a field below one that is no object keeps what is live there', () => {
    const desired = (path: string) =>
      desiredTask('a', { ignoreChanges: [path], config: sniperConfig({ buy_amount: '2' }) });
    const live = owned({ config: sniperConfig({ buy_amount: '2', relay_mode: null }) });
    expect(steps(planOf(desired('config.buy_amount.x'), [owned()]), 'sniper/a')).toEqual([]);
    expect(
      planOf(desired('config.relay_mode.slippage'), [live]).changes.flatMap(({ fields }) =>
        fields.map(({ path }) => path),
      ),
    ).not.toContain('config.relay_mode.slippage');
  });
});
