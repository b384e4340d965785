import { describe, expect, test } from 'vitest';
import { sniper, sniperTemplate, WALLETS } from '../../manifest/samples.ts';
import { compileFiles, placeOf, stateOf, taskOf, told } from './project.ts';

function project(...patches: readonly string[]): string {
  return `spec:
  environments:
    production:
      base_url: https://example.invalid/v1
      variables: { size: 0.75 }
      patches:
${patches.map((patch) => `        - ${patch}\n`).join('')}`;
}

const TASKS = {
  'manifests/a.yaml': [
    sniper({ name: 'one', spec: '  remark: One\n' }),
    sniper({ name: 'two', wallet: WALLETS[1] }),
  ].join('---\n'),
};

describe('patches of an environment', () => {
  test('have the last word, in order, by address', () => {
    const files = {
      project: project(
        '{ target: "sniper/*", patch: { spec: { state: paused, config: { buy_amount: 0.1 } } } }',
        '{ target: sniper/one, patch: { spec: { remark: null, config: { buy_amount: "${var.size}" } } } }',
      ),
      files: TASKS,
    };
    const { tasks } = stateOf(files);
    expect(tasks.map(({ state, note, config }) => [state, note, config.buy_amount])).toEqual([
      ['paused', '', '0.75'],
      ['paused', '', '0.1'],
    ]);
  });

  test('the place of a patched field is in the project file', () => {
    const files = {
      project: project('{ target: "sniper/*", patch: { spec: { config: { buy_amount: 0.1 } } } }'),
      files: TASKS,
    };
    const two = taskOf(files, 'two');
    expect(placeOf(two, 'config.buy_amount')).toBe('tradeform.yaml:10:72');
    expect(placeOf(two, 'config.selected_dexes')).toMatch(/^manifests\/a\.yaml:/);
  });

  test('a patch of a preset reaches the tasks that extend it', () => {
    const files = {
      project: project('{ target: sniper-template/base, patch: { spec: { config: { buy_amount: 9 } } } }'),
      files: {
        'manifests/a.yaml': [
          sniperTemplate('base'),
          `apiVersion: tradeform/v1\nkind: SniperTask\nmetadata: { name: one }\nspec: { state: active, target_wallet: ${WALLETS[0]}, extends: [base] }\n`,
        ].join('---\n'),
      },
    };
    const { tasks, templates } = stateOf(files);
    expect([tasks[0]?.config.buy_amount, templates[0]?.config.buy_amount]).toEqual(['9', '9']);
  });

  test('a null that removes a required field is reported once, at its place', () => {
    const files = {
      project: project('{ target: "sniper/*", patch: { spec: { config: { buy_amount: null } } } }'),
      files: TASKS,
    };
    expect(told(compileFiles({ ...files }).diagnostics)).toEqual([
      'missing-field tradeform.yaml:10:72 spec.config has no buy_amount (null removes this field, but sniper/one needs it)',
    ]);
  });

  test('null removes an inherited field, also for later patches', () => {
    const sell = '{ enabled: true, expiry_time: 5, tp_orders: [], sl_orders: [], follow_sell: false';
    const files = (...patches: readonly string[]) => ({
      project: project(
        ...patches.map((patch) => `{ target: sniper/one, patch: { spec: { config: ${patch} } } }`),
      ),
      files: {
        'manifests/a.yaml': [
          `${sniperTemplate('base')}    dev_min_amount: 1\n`,
          `apiVersion: tradeform/v1\nkind: SniperTask\nmetadata: { name: one }\nspec: { state: active, target_wallet: ${WALLETS[0]}, extends: [base] }\n`,
        ].join('---\n'),
      },
    });
    expect(taskOf(files('{ buy_amount: 2 }'), 'one').config.dev_min_amount).toBe('1');
    expect(taskOf(files('{ dev_min_amount: null }'), 'one').config).not.toHaveProperty('dev_min_amount');
    const patched = files('{ auto_sell: null }', `{ auto_sell: ${sell}, proportional_sell: true } }`);
    expect(taskOf(patched, 'one').config.auto_sell).toMatchObject({
      expiry_time: '5',
      proportional_sell: true,
    });
    const left = files('{ auto_sell: null }', `{ auto_sell: ${sell} } }`);
    expect(told(compileFiles(left).diagnostics)).toEqual([expect.stringMatching(/no proportional_sell/)]);
  });

  test('an error in a patch is reported once, in the patch', () => {
    const texts = told(
      compileFiles({
        project: project(
          '{ target: "sniper/*", patch: { spec: { config: { buy_amuont: 1 } } } }',
          '{ target: sniper/one, patch: { spec: { config: { buy_amount: 1e3 } } } }',
        ),
        files: TASKS,
      }).diagnostics,
    );
    expect(texts).toEqual([
      expect.stringMatching(
        /^unknown-field tradeform\.yaml:10:60 .*did you mean buy_amount\? this affects sniper\/one, sniper\/two/,
      ),
      expect.stringMatching(/^invalid-decimal tradeform\.yaml:11:72 /),
    ]);
  });

  test('a patch that matches nothing gets a warning', () => {
    const { state, diagnostics } = compileFiles({
      project: project('{ target: sniper/nobody, patch: { spec: { state: paused } } }'),
      files: TASKS,
    });
    expect(state).toBeDefined();
    expect(told(diagnostics)).toContainEqual(expect.stringMatching(/^patch-unused tradeform\.yaml:10:21 /));
  });
});

test('a target that no manifest can have is an error, because nothing would be lowered', () => {
  const { state, diagnostics } = compileFiles({
    project: project('{ target: "snipers/*", patch: { spec: { state: paused } } }'),
    files: TASKS,
  });
  expect(state).toBeUndefined();
  expect(told(diagnostics)).toEqual([
    expect.stringMatching(/^patch-unused tradeform\.yaml:10:21 .*did you mean sniper\?/),
  ]);
});

test('an unreadable file may contain the target of a patch', () => {
  const { diagnostics } = compileFiles({
    project: project('{ target: "copy-trade/whale", patch: { spec: { state: paused } } }'),
    files: { ...TASKS, 'manifests/b.yaml': '{ broken' },
  });
  expect(diagnostics.map(({ code }) => code)).not.toContain('patch-unused');
});
