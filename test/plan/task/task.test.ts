import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import type { PlanOptions } from '../../../src/core/plan/input.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
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

function plan(
  desired: Partial<DesiredTask>,
  live: Partial<LiveTask> | undefined,
  options: Partial<PlanOptions> = {},
) {
  const tasks = live === undefined ? [] : [liveTask(1, { remark: 'Note [git:core/a@1]', ...live })];
  return makePlan(planInput(desiredState([desiredTask('a', desired)]), liveState(tasks), options));
}

describe('a task in place', () => {
  test('nothing differs: nothing is planned', () => {
    const made = plan({}, {});
    expect(made.changes).toEqual([]);
    expect(made.operations).toEqual([]);
    expect(made.summary.unchanged).toBe(1);
    expect(made.exposure).toMatchObject({
      before: '0.5025',
      after: '0.5025',
      running_before: 1,
      running_after: 1,
    });
  });

  test('a config change of a running task is mark, pause, patch, resume', () => {
    const made = plan({ config: sniperConfig({ buy_amount: '0.75' }) }, {});
    expect(steps(made, 'sniper/a')).toEqual(['mark(pending)', 'pause', 'patch(pending)', 'resume']);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      action: 'update',
      starts_trading: false,
      stops_trading: false,
      fields: [{ path: 'config.buy_amount', before: '0.5', after: '0.75' }],
      exposure: { before: '0.5025', after: '0.7525' },
    });
  });

  test('with a live buy_once it is read, pause, patch, resume', () => {
    const config = sniperConfig({ buy_once: true });
    const made = plan({ config: { ...config, buy_amount: '0.75' } }, { config });
    expect(steps(made, 'sniper/a')).toEqual(['read+pause', 'patch(pending)', 'resume']);
  });

  test('a note or label is one patch and never pauses', () => {
    expect(steps(plan({ note: 'Other' }, {}), 'sniper/a')).toEqual(['patch(settled)']);
    const label = { id: uuid(77), collection: 'label', name: 'high', sort_order: 0 } as const;
    const desired = desiredState([desiredTask('a', { label: 'high' })], [desiredLabel('high')]);
    const made = makePlan(
      planInput(desired, liveState([liveTask(1, { remark: 'Note [git:core/a@1]' })], [label])),
    );
    expect(steps(made, 'sniper/a')).toEqual(['patch(settled)']);
    expect(operationsOf(made, 'sniper/a')[0]?.body).toMatchObject({ risk_label_id: label.id });
  });

  test('a label that the plan creates is a reference and comes first', () => {
    const desired = desiredState([desiredTask('a', { label: 'high' })], [desiredLabel('high')]);
    const made = makePlan(planInput(desired, liveState([liveTask(1, { remark: 'Note [git:core/a@1]' })])));
    expect(operationsOf(made, 'sniper/a')[0]).toMatchObject({
      body: { risk_label_id: { ref: 'label/high' } },
      needs: ['label/high#1'],
    });
  });

  test('a task created to run takes two requests, one created paused takes one', () => {
    expect(steps(plan({}, undefined), 'sniper/a')).toEqual(['create(pending)', 'resume']);
    expect(steps(plan({ state: 'paused' }, undefined), 'sniper/a')).toEqual(['create(none)']);
    expect(steps(plan({ state: 'manual' }, undefined), 'sniper/a')).toEqual(['create(none)']);
    expect(operationsOf(plan({}, undefined), 'sniper/a')[1]?.subject).toBe('{sniper/a}');
  });

  test('a held task is reported, and still changed without a start', () => {
    const idle = plan({}, { is_active: false });
    expect(changeOf(idle, 'sniper/a')).toMatchObject({
      held: true,
      action: 'none',
      reason: 'stopped-outside',
    });
    expect(idle.operations).toEqual([]);
    const changed = plan({ config: sniperConfig({ buy_amount: '9' }) }, { is_active: false });
    expect(steps(changed, 'sniper/a')).toEqual(['patch(settled)']);
    const off = plan({ note: 'Other' }, { is_active: false, remark: 'Note [git:core/a@!]' });
    expect(steps(off, 'sniper/a')).toEqual(['patch(off)']);
    expect(changeOf(off, 'sniper/a')).toMatchObject({ held: true, reason: 'switched-off' });
  });

  test('an interrupted start is completed, with a patch only if something differs', () => {
    const live = { is_active: false, remark: 'Note [git:core/a@5]' };
    expect(steps(plan({}, live), 'sniper/a')).toEqual(['resume']);
    expect(steps(plan({ note: 'Other' }, live), 'sniper/a')).toEqual(['patch(pending)', 'resume']);
    expect(changeOf(plan({}, live), 'sniper/a')).toMatchObject({ action: 'finish', reason: 'interrupted' });
  });

  test('stopping pauses, then removes the mark', () => {
    const made = plan({ state: 'paused' }, {});
    expect(steps(made, 'sniper/a')).toEqual(['pause', 'patch(none)']);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      action: 'stop',
      stops_trading: true,
      exposure: { after: '0' },
    });
  });

  test('manual: an update by tradeform works and leaves no mark', () => {
    const made = plan(
      { state: 'manual', config: sniperConfig({ buy_amount: '2' }) },
      { remark: 'Note [git:core/a]' },
    );
    expect(steps(made, 'sniper/a')).toEqual([
      'mark(pending)',
      'pause',
      'patch(pending)',
      'resume',
      'patch(none)',
    ]);
    const paused = plan(
      { state: 'manual', config: sniperConfig({ buy_amount: '2' }) },
      { remark: 'Note [git:core/a]', is_active: false },
    );
    expect(steps(paused, 'sniper/a')).toEqual(['patch(none)']);
    const pending = plan({ state: 'manual' }, { remark: 'Note [git:core/a@5]', is_active: false });
    expect(steps(pending, 'sniper/a')).toEqual(['resume', 'patch(none)']);
  });

  test('--resume-stopped starts a held task by address or glob', () => {
    const live = { is_active: false };
    expect(steps(plan({}, live, { resumeStopped: ['sniper/a'] }), 'sniper/a')).toEqual([
      'patch(pending)',
      'resume',
    ]);
    expect(steps(plan({}, live, { resumeStopped: ['sniper/*'] }), 'sniper/a')).toEqual([
      'patch(pending)',
      'resume',
    ]);
    expect(steps(plan({}, live, { resumeStopped: 'all' }), 'sniper/a')).toEqual(['patch(pending)', 'resume']);
    expect(plan({}, live, { resumeStopped: ['copy-trade/*'] }).operations).toEqual([]);
  });
});

describe('comparing', () => {
  test('exact decimals, sets without order, trimmed text: no false change', () => {
    const config = sniperConfig({ buy_amount: '0.50', selected_dexes: ['bags', 'pump-fun'] });
    expect(plan({}, { config, remark: 'Note  [git:core/a@1]' }).operations).toEqual([]);
  });

  test.each([
    ['empty is not absent', { dev_min_amount: '' }],
    ['zero is not absent', { bundle_amount: '0' }],
    [
      'false is not absent in an optional flag',
      {
        relay_mode: { tip_amount: '0.001', priority_fee: '0.0005', slippage: '10', sol_slippage_mode: false },
      },
    ],
    [
      'order counts in orders',
      {
        auto_sell: {
          ...(sniperConfig().auto_sell as object),
          tp_orders: [
            { trigger: '1', sell: '2' },
            { trigger: '50', sell: '100' },
          ],
        },
      },
    ],
    [
      'unknown sell-side fields are compared',
      { auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: '0', anti_pvp: true } },
    ],
  ])('%s', (_name, over) => {
    const made = plan({}, { config: sniperConfig(over) });
    expect(made.operations).toHaveLength(4);
    expect(changeOf(made, 'sniper/a').fields).toHaveLength(1);
  });

  test('legacy fields plan nothing by themselves and are shown with the next config patch', () => {
    const legacy = sniperConfig({ legacy_flag: true });
    expect(plan({}, { config: legacy }).operations).toEqual([]);
    const made = plan({ config: sniperConfig({ buy_amount: '1' }) }, { config: legacy });
    expect(changeOf(made, 'sniper/a').fields).toContainEqual({
      path: 'config.legacy_flag',
      before: true,
      legacy: true,
      sensitive: false,
    });
    expect(made.diagnostics.map(({ code }) => code)).toContain('one-way-pause');
  });

  test('a required field that the snapshot lacks at its default is legacy, at another value a change', () => {
    const { snipe_external: _, ...lacking } = sniperConfig();
    expect(plan({}, { config: lacking }).operations).toEqual([]);
    expect(
      plan({ config: sniperConfig({ snipe_external: true }) }, { config: lacking }).operations,
    ).toHaveLength(4);
  });

  test('an ignored live value that is not writable blocks the change', () => {
    const config = sniperConfig({ buy_amount: '-3' });
    const made = plan(
      { ignoreChanges: ['config.buy_amount'], config: sniperConfig({ snipe_external: true }) },
      { config },
    );
    expect(changeOf(made, 'sniper/a')).toMatchObject({ action: 'none', reason: 'legacy' });
    expect(made.operations).toEqual([]);
  });
});

describe('what the manifests do not name', () => {
  const owned = liveTask(1, { remark: 'Note [git:core/gone@1]' });
  const others = desiredTask('other', { target_wallet: wallet(1) });
  const kept = liveTask(2, { remark: 'Note [git:core/other@1]', target_wallet: wallet(1) });

  test('a view that is not proven complete refuses creates and deletes, not updates', () => {
    const partial = { complete: false, proof: 'because' };
    const codes = (desired: DesiredTask[], live: LiveTask[]) =>
      makePlan(planInput(desiredState(desired), liveState(live, [], partial))).diagnostics.map(
        ({ code }) => code,
      );
    expect(codes([others], [kept, owned])).toContain('view-incomplete');
    expect(codes([others, desiredTask('new')], [kept])).toContain('view-incomplete');
    expect(codes([{ ...others, note: 'Changed' }], [kept])).not.toContain('view-incomplete');
  });
});

describe('selection', () => {
  test('--target and --exclude choose changes, and needed labels come along', () => {
    const desired = desiredState(
      [desiredTask('a', { label: 'high' }), desiredTask('b', { target_wallet: wallet(1) })],
      [desiredLabel('high'), desiredLabel('low')],
    );
    const addresses = (options: Partial<PlanOptions>) =>
      makePlan(planInput(desired, liveState([]), options)).changes.map(({ address }) => address);
    expect(addresses({ targets: ['sniper/a'] })).toEqual(['label/high', 'sniper/a']);
    expect(addresses({ excludes: ['sniper/*'] })).toEqual(['label/high', 'label/low']);
    const made = makePlan(planInput(desired, liveState([]), { targets: ['sniper/zzz'] }));
    expect(made.diagnostics.map(({ code }) => code)).toContain('target-unknown');
  });
});
