import { describe, expect, test } from 'vitest';
import { STANDARD } from '../../src/core/desired/guardrails/settings.ts';
import { readGuardedProject } from '../../src/core/desired/project-rules.ts';
import { Source } from '../../src/core/manifest/source.ts';
import { PROJECT } from '../manifest/samples.ts';

/** `spec.guardrails` from its text, and of an environment called prod. */
function read(guardrails: string, prod?: string, environment?: string) {
  const environments =
    prod === undefined ? '' : `  environments:\n    prod: { guardrails: ${prod} }\n    test: {}\n`;
  const text = `${PROJECT}spec:\n  guardrails: ${guardrails}\n${environments}`;
  const result = readGuardedProject(new Source('tradeform.yaml', text), environment);
  expect(result.diagnostics).toEqual([]);
  return result.guardrails;
}

function limits(guardrails: string, prod?: string, environment?: string) {
  return read(guardrails, prod, environment)?.limits;
}

const PLACE = { file: 'tradeform.yaml', line: 5 };
const WALLET = 'So11111111111111111111111111111111111111112';

describe('limits', () => {
  test('without settings: the defaults', () => {
    expect(limits('{}')).toEqual(STANDARD);
  });

  test.each<[string, keyof typeof STANDARD, unknown]>([
    ['{ max_deletes: 3 }', 'max_deletes', { count: 3, percent: 0 }],
    ['{ max_deletes: "3" }', 'max_deletes', { count: 3, percent: 0 }],
    ['{ max_changes: 20% }', 'max_changes', { count: 0, percent: 20 }],
    ['{ max_starts: { limit: 100% } }', 'max_starts', { count: 0, percent: 100 }],
    ['{ max_tip: 0.10 }', 'max_tip', '0.10'],
    ['{ max_buy_amount: 9007199254740993.000000000001 }', 'max_buy_amount', '9007199254740993.000000000001'],
    ['{ max_exposure: "12" }', 'max_exposure', '12'],
    ['{ max_task_exposure: { limit: 1.5 } }', 'max_task_exposure', '1.5'],
    ['{ max_exposure_rise: 0.5 }', 'max_exposure_rise', { sol: '0.5' }],
    ['{ max_exposure_rise: 25% }', 'max_exposure_rise', { percent: 25 }],
    ['{ max_exposure_rise: { limit: "150%" } }', 'max_exposure_rise', { percent: 150 }],
    ['{ max_factor: 2.5 }', 'max_factor', '2.5'],
    ['{ require_label: true }', 'require_label', true],
    ['{ require_label: { limit: true } }', 'require_label', true],
  ])('%s', (text, name, limit) => {
    expect(limits(text)?.[name]).toMatchObject({ limit, action: 'refuse', standard: false, location: PLACE });
  });

  test.each([
    ['{ require_label: [hot, cold] }', 'require_label', ['hot', 'cold']],
    ['{ allowed_dexes: { limit: [pump-fun, raydium-amm] } }', 'allowed_dexes', ['pump-fun', 'raydium-amm']],
    [`{ allowed_wallets: [${WALLET}, whale-7] }`, 'allowed_wallets', [WALLET, 'whale-7']],
    ['{ protect: [sniper/dawn, "*/whale-*", "*"] }', 'protect', ['sniper/dawn', '*/whale-*', '*']],
  ] as const)('%s', (text, name, items) => {
    const limit = limits(text)?.[name]?.limit;
    expect(limit).toEqual(
      items.map((item) => ({ text: item, location: expect.objectContaining(PLACE) as unknown })),
    );
  });

  test('actions', () => {
    expect(limits('{ max_tip: { limit: 2, action: warn } }')?.max_tip).toMatchObject({
      limit: '2',
      action: 'warn',
    });
    expect(limits('{ max_tip: { action: warn } }')?.max_tip).toMatchObject({
      limit: '1',
      action: 'warn',
      standard: true,
    });
  });

  test.each([
    ['{ max_tip: null }', 'max_tip'],
    ['{ max_tip: { action: off } }', 'max_tip'],
    ['{ max_deletes: { limit: 3, action: off } }', 'max_deletes'],
    ['{ require_label: false }', 'require_label'],
  ] as const)('%s turns it off', (text, name) => {
    expect(limits(text)?.[name]).toBeUndefined();
  });
});

describe('an environment', () => {
  const base = '{ max_tip: 0.5, max_slippage: 20, max_buy_amount: null }';
  const prod = '{ max_tip: 0.1, max_slippage: null, max_buy_amount: 3 }';

  test('overrides the project, each guardrail by itself', () => {
    const own = limits(base, prod, 'prod');
    expect(own).toMatchObject({ max_tip: { limit: '0.1' }, max_buy_amount: { limit: '3' } });
    expect(own?.max_slippage).toBeUndefined();
    expect(own?.max_deletes).toEqual(STANDARD.max_deletes);
  });

  test('without its own guardrails has those of the project', () => {
    const own = limits(base, prod, 'test');
    expect(own).toMatchObject({ max_tip: { limit: '0.5' }, max_slippage: { limit: '20' } });
    expect(own?.max_buy_amount).toBeUndefined();
  });

  test('has its own policies, or those of the project', () => {
    const policies = '{ policies: [{ name: ours, message: Ask first, schema: { type: object } }] }';
    const names = (environment: string, text: string) =>
      read(policies, text, environment)?.policies.map(({ name }) => name);
    expect(names('test', '{ policies: [] }')).toEqual(['ours']);
    expect(names('prod', '{ policies: [] }')).toEqual([]);
    expect(names('prod', '{}')).toEqual(['ours']);
  });
});

test('a policy', () => {
  const text = `
    policies:
      - name: ours
        message: "  Ask first "
        schema: { maxProperties: 3, properties: { a: { decimalMaximum: "0.5" } } }
      - { name: file, message: Ask, target: "sniper/*", action: warn, file: policies/x.json }
      - { name: not-now, message: Ask, action: off, schema: {} }`;
  const [ours, file, ...more] = read(text)?.policies ?? [];
  expect(ours).toMatchObject({ name: 'ours', message: 'Ask first', target: '*', action: 'refuse' });
  expect(ours?.schema).toMatchObject({
    value: { maxProperties: 3, properties: { a: { decimalMaximum: '0.5' } } },
  });
  expect(file).toMatchObject({ target: 'sniper/*', action: 'warn', schema: { file: 'policies/x.json' } });
  expect(more).toEqual([]);
});
