import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { JsonObject } from '../../../src/core/model/json.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import { exposureOf } from '../../../src/core/plan/stakes/exposure.ts';
import { planMarkdown, planText } from '../../render/laid-out.ts';
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

const HOT = { id: uuid(70), collection: 'label', name: 'Hot', sort_order: 0 } as const;
const COLD = { id: uuid(71), collection: 'label', name: 'Cold', sort_order: 0 } as const;
const COPY = { collection: 'copy-trade', target_wallet: wallet(1) } as const;

/** 0.5 + 0.0025, and 0.25 + 0.005. */
const SNIPER = '0.5025';
const COPIED = '0.255';

const LABELS = [desiredLabel('hot', { shownName: 'Hot' }), desiredLabel('cold', { shownName: 'Cold' })];

function row(
  label: string | null,
  before: string,
  after: string,
  runningBefore: number,
  runningAfter: number,
) {
  return { label, before, after, running_before: runningBefore, running_after: runningAfter };
}

function reasons({ exposure }: Plan) {
  return exposure.left_out.map(({ reason, count }) => [reason, count]);
}

describe('the worst case of one trigger', () => {
  // Each amount is another power of ten, so a sum shows which ones are in it. Bundle amounts and slippage are in none.
  const mode = (tip_amount: string, priority_fee: string) => ({
    ...{ tip_amount, priority_fee, bundle_amount: '900000', slippage: '90' },
  });
  const set = (relay: readonly [string, string], priority: readonly [string, string]) => ({
    ...{ amount_sol: '1', relay_slippage: '90', priority_slippage: '90', relay_bundle_amount: '900000' },
    ...{
      relay_tip: relay[0],
      relay_priority_fee: relay[1],
      priority_tip: priority[0],
      priority_fee: priority[1],
    },
  });

  test.each([
    ['10', '100', '2', '2', '111'],
    ['2', '2', '1000', '10000', '11001'],
  ])('relay %s + %s, priority %s + %s', (tip, fee, otherTip, otherFee, sum) => {
    const sniper = { buy_amount: '1', relay_mode: mode(tip, fee), priority_mode: mode(otherTip, otherFee) };
    expect(exposureOf('sniperConfig', sniper)).toBe(sum);
    const universal = set([tip, fee], [otherTip, otherFee]);
    const copyTrade = (buy_config_mode: string) => ({
      ...{ buy_config_mode, buy_config_universal: universal, bundle_amount: '900000' },
      buy_config_tiers: [set(['0', '0'], ['0', '0']), set([tip, fee], [otherTip, '0'])],
    });
    expect(exposureOf('copyTradeConfig', copyTrade('universal'))).toBe(sum);
    const tier = otherTip === '2' ? '111' : '1001';
    expect(exposureOf('copyTradeConfig', copyTrade('tiered'))).toBe(tier);
  });
});

describe('totals by label and kind', () => {
  const live = [
    liveTask(1, { remark: 'Note [git:core/a@1]', risk_label_id: HOT.id }),
    liveTask(2, { ...COPY, remark: 'Note [git:core/c@1]', risk_label_id: COLD.id }),
    liveTask(3, { remark: 'Note [git:core/idle@0]', is_active: false, risk_label_id: HOT.id }),
  ];
  const labels = [
    desiredLabel('hot', { shownName: 'Hot' }),
    desiredLabel('cold', { shownName: 'Very cold', previousName: 'Cold' }),
    desiredLabel('new', { shownName: 'New' }),
  ];

  test('a label that changes, is renamed or created; held tasks count 0', () => {
    const desired = desiredState(
      [
        desiredTask('a', { label: 'new' }),
        desiredTask('b', { state: 'active', label: null, target_wallet: wallet(2) }),
        desiredTask('c', { ...COPY, label: 'cold' }),
        desiredTask('idle', { label: 'hot' }),
      ],
      labels,
    );
    const { exposure } = makePlan(planInput(desired, liveState(live, [HOT, COLD])));
    expect(exposure.labels).toEqual([
      row('Hot', SNIPER, '0', 1, 0),
      row('New', '0', SNIPER, 0, 1),
      row('Very cold', COPIED, COPIED, 1, 1),
      row(null, '0', SNIPER, 0, 1),
    ]);
    expect(exposure.kinds).toEqual([
      { kind: 'sniper', before: SNIPER, after: '1.005', running_before: 1, running_after: 2 },
      { kind: 'copy-trade', before: COPIED, after: COPIED, running_before: 1, running_after: 1 },
    ]);
    expect(exposure).toMatchObject({ before: '0.7575', after: '1.26', running_before: 2, running_after: 3 });
  });

  test('tasks that --target leaves out stay as they are', () => {
    const desired = desiredState(
      [desiredTask('a', { label: 'new' }), desiredTask('c', { ...COPY, state: 'paused', label: 'cold' })],
      labels,
    );
    const options = { targets: ['copy-trade/c'] };
    const { exposure } = makePlan(planInput(desired, liveState(live, [HOT, COLD]), options));
    expect(exposure.labels).toEqual([row('Hot', SNIPER, SNIPER, 1, 1), row('Very cold', COPIED, '0', 1, 0)]);
  });
});

test('in a replacement, the task that runs is at stake now', () => {
  const heir = `Note [git:core/a@1~${uuid(1).slice(0, 4)}]`;
  const of = (presentRuns: boolean) =>
    makePlan(
      planInput(
        desiredState([desiredTask('a', { target_wallet: wallet(1), label: 'cold' })], LABELS),
        liveState(
          [
            liveTask(1, { remark: 'Note [git:core/a@1]', is_active: presentRuns, risk_label_id: HOT.id }),
            liveTask(2, {
              remark: heir,
              target_wallet: wallet(1),
              is_active: !presentRuns,
              risk_label_id: COLD.id,
              version: presentRuns ? 1 : 3,
            }),
          ],
          [HOT, COLD],
        ),
      ),
    ).exposure.labels;
  expect(of(true)).toEqual([row('Cold', '0', SNIPER, 0, 1), row('Hot', SNIPER, '0', 1, 0)]);
  expect(of(false)).toEqual([row('Cold', SNIPER, SNIPER, 1, 1)]);
});

test('further secret values are added to those of the manifest', () => {
  const desired = desiredState([
    desiredTask('a', { secrets: ['remark'] }),
    desiredTask('b', { target_wallet: wallet(1) }),
  ]);
  const furtherSecrets = new Map([
    ['sniper/a', ['target_wallet', 'remark']],
    ['sniper/b', ['target_wallet']],
  ]);
  const plan = makePlan({ ...planInput(desired, liveState([])), furtherSecrets });
  const hidden = plan.changes.map(({ secrets, fields }) => [
    secrets,
    fields.filter(({ sensitive }) => sensitive).map(({ path }) => path),
  ]);
  expect(hidden).toEqual([
    [
      ['remark', 'target_wallet'],
      ['target_wallet', 'remark'],
    ],
    [['target_wallet'], ['target_wallet']],
  ]);
});

describe('what is left out', () => {
  const legacy = sniperConfig({ buy_amount: 'much' });

  test('tasks that are not owned, by whose they are, with the SOL that they would add if readable', () => {
    const plan = makePlan(
      planInput(
        desiredState([]),
        liveState([
          liveTask(1, { remark: 'By hand' }),
          liveTask(2, { remark: 'By hand too', config: legacy }),
          liveTask(3, { remark: 'By hand, and off', is_active: false }),
          liveTask(4, { ...COPY, remark: 'Theirs [git:desk/x@0]' }),
          liveTask(5, { remark: 'Half [git:core/', config: legacy }),
        ]),
      ),
    );
    expect(plan.exposure).toMatchObject({ before: '0', after: '0', kinds: [], labels: [] });
    expect(plan.exposure.outside).toEqual([
      { project: null, tasks: 3, sol: '0.5075', unreadable: 2 },
      { project: 'desk', tasks: 1, sol: COPIED, unreadable: 0 },
    ]);
  });

  test('what the owned tasks do not show', () => {
    const quiet: JsonObject = { ...(sniperConfig().auto_sell as JsonObject), enabled: false };
    const desired = [
      desiredTask('a', { config: sniperConfig({ buy_once: true, auto_sell: quiet }) }),
      desiredTask('c', { ...COPY, config: copyTradeConfig() }),
      desiredTask('off', { state: 'paused', target_wallet: wallet(3) }),
    ];
    expect(reasons(makePlan(planInput(desiredState(desired), liveState([]))))).toEqual([
      ['global-dexes', 1],
      ['unknown-route', 2],
      ['selling', 1],
      ['repeated', 1],
    ]);
  });

  test.each([
    [
      1,
      [
        '1 running task has an amount that cannot be read (a legacy config): it counts as 0.',
        '1 task trades on the account’s own DEX list (dex_source: global), which tradeform cannot see.',
        '1 task sells by itself: selling is not counted.',
        '1 task buys at every trigger: one trigger is counted.',
      ],
    ],
    [
      2,
      [
        '2 running tasks have amounts that cannot be read (legacy configs): these count as 0.',
        '2 tasks trade on the account’s own DEX list (dex_source: global), which tradeform cannot see.',
        '2 tasks sell by themselves: selling is not counted.',
        '2 tasks buy at every trigger: one trigger is counted.',
      ],
    ],
  ])('in words: %i', (count, texts) => {
    const config = { ...legacy, dex_source: 'global', timed_strategy: null };
    const tasks = [1, 2]
      .slice(0, count)
      .map((index) => liveTask(index, { remark: `Note [git:core/t${index}@1]`, config }));
    const plan = makePlan(planInput(desiredState([], [], { pruneTasks: 'never' }), liveState(tasks)));
    const found = plan.exposure.left_out.filter(({ reason }) => reason !== 'unknown-route');
    expect(found.map(({ text }) => text)).toEqual(texts);
  });

  test('a strategy of null sells nothing', () => {
    const config = { ...sniperConfig(), auto_sell: null, timed_strategy: null };
    const tasks = [liveTask(1, { remark: 'Note [git:core/a@1]', config })];
    const plan = makePlan(planInput(desiredState([], [], { pruneTasks: 'never' }), liveState(tasks)));
    expect(reasons(plan).map(([reason]) => reason)).toEqual(['unknown-route', 'repeated']);
  });

  test('an amount that cannot be read, and a kind that cannot be seen', () => {
    const desired = desiredState([desiredTask('a', { config: sniperConfig() })]);
    const seen = liveState([liveTask(1, { remark: 'Note [git:core/a@1]', config: legacy })]);
    const visible = new Set([...seen.visible].filter((collection) => collection !== 'transfer-snipe'));
    const plan = makePlan(planInput(desired, { ...seen, visible }));
    expect(plan.exposure).toMatchObject({ before: '0.0025', after: SNIPER });
    expect(reasons(plan).slice(0, 2)).toEqual([
      ['unreadable', 1],
      ['not-visible', 1],
    ]);
  });

  test('amounts of the environment: the task runs, and its amounts are in no sum and no output', () => {
    const config = sniperConfig({ buy_amount: '7.7' });
    const desired = desiredState([
      desiredTask('a', { config, secrets: ['config.buy_amount'] }),
      desiredTask('b', { config, secrets: ['config.relay_mode'], rearm: 'b' }),
      desiredTask('c', { config: sniperConfig(), secrets: ['remark'], target_wallet: wallet(2) }),
    ]);
    const live = liveState([
      liveTask(1, { remark: 'Note [git:core/a@1]', config }),
      liveTask(2, { remark: 'Note [git:core/b@0]', config, is_active: false }),
    ]);
    const plan = makePlan(planInput(desired, live));
    expect(plan.exposure).toMatchObject({ before: '0', after: SNIPER, running_before: 1, running_after: 3 });
    expect(reasons(plan)[0]).toEqual(['secret', 2]);
    expect(plan.changes.map(({ address, exposure }) => [address, exposure])).toEqual([
      ['sniper/b', { before: '0', after: '0', secret: true }],
      ['sniper/c', { before: '0', after: SNIPER }],
    ]);
    const text = planText(plan, { columns: 100, color: false });
    expect(text).toMatch(/^► sniper\/b {2}"Note" {2}new rearm value +\(secret\)$/m);
    expect(`${text}${planMarkdown(plan)}${JSON.stringify(plan.exposure)}`).not.toMatch(/7\.7/);
  });

  test.each<[string, JsonObject, boolean]>([
    ['the active side', { buy_config_mode: 'tiered', buy_config_tiers: [{ amount_sol: 'much' }] }, false],
    ['the side that sleeps', { buy_config_tiers: [{ amount_sol: 'much' }] }, true],
    ['no tier at all', { buy_config_mode: 'tiered', buy_config_tiers: [] }, false],
  ])('of copy trading %s counts', (_side, over, readable) => {
    const tasks = [liveTask(1, { ...COPY, remark: 'Note [git:core/gone@1]', config: copyTradeConfig(over) })];
    const plan = makePlan(planInput(desiredState([], [], { pruneTasks: 'never' }), liveState(tasks)));
    expect(reasons(plan).some(([reason]) => reason === 'unreadable')).toBe(!readable);
  });
});
