import { describe, expect, test } from 'vitest';
import { sniper } from '../../manifest/samples.ts';
import fc from '../../properties.ts';
import { compileFiles, type Files, placeOf, taskOf, told } from './project.ts';

const PROJECT = `spec:
  variables: { size: 0.10, note: All }
  environments:
    production:
      base_url: https://example.invalid/v1
      variables: { size: 0.25, wallets: 3, on: true, text: "5" }
    staging:
      base_url: https://staging.invalid/v1
      variables: { only-here: 1 }
`;

function one(manifest: string, more: Partial<Files> = {}) {
  return { project: PROJECT, environment: 'production', files: { 'manifests/a.yaml': manifest }, ...more };
}

describe('variables', () => {
  test('a reference that is the whole value keeps the type and every digit', () => {
    const files = one(sniper({ amount: '${var.size}', config: '    buy_once: ${var.on}\n' }));
    expect(taskOf(files, 'alpha').config).toMatchObject({ buy_amount: '0.25', buy_once: true });
  });

  test('the environment overrides the project', () => {
    const files = one(sniper({ amount: '${var.size}' }));
    expect(taskOf({ ...files, environment: 'staging' }, 'alpha').config.buy_amount).toBe('0.10');
  });

  test('within a text, and with $${ for the characters themselves', () => {
    const files = one(sniper({ spec: '  remark: "${var.note} $${x} ${var.size}"\n' }));
    expect(taskOf(files, 'alpha').note).toBe('All ${x} 0.25');
  });

  test('the place of a whole value is that of the variable', () => {
    const files = one(sniper({ amount: '${var.size}', spec: '  remark: a ${var.note}\n' }));
    expect(placeOf(taskOf(files, 'alpha'), 'config.buy_amount')).toBe('tradeform.yaml:9:26');
    expect(placeOf(taskOf(files, 'alpha'), 'remark')).toBe('manifests/a.yaml:7:11');
  });

  test('a wrong type is reported', () => {
    const texts = told(
      compileFiles(one(sniper({ amount: '${var.on}', config: '    buy_once: ${var.text}\n' }))).diagnostics,
    );
    expect(texts).toEqual([
      expect.stringContaining('spec.config.buy_amount is true, not an amount'),
      expect.stringContaining('spec.config.buy_once is the text "5", not true or false'),
    ]);
  });

  test('unknown names are reported with a suggestion, and where else they occur', () => {
    const texts = told(
      compileFiles(one(sniper({ amount: '${var.siez}', spec: '  remark: ${var.only-here}\n' }))).diagnostics,
    );
    expect(texts).toEqual([
      expect.stringMatching(/^unknown-variable manifests\/a\.yaml:7:11 .*it is defined in staging/),
      expect.stringMatching(/^unknown-variable manifests\/a\.yaml:10:17 .*did you mean size\?/),
    ]);
  });

  test.each(['${size}', '${var.}', '${var.a', '${vra.size}', '${row.a.b}'])(
    '%s is not a valid reference',
    (text) => {
      const [first] = told(compileFiles(one(sniper({ spec: `  remark: 'x ${text}'\n` }))).diagnostics);
      expect(first).toMatch(/^invalid-reference manifests\/a\.yaml:7:14 /);
    },
  );

  test('a row outside a task set is reported', () => {
    expect(told(compileFiles(one(sniper({ amount: '${row.size}' }))).diagnostics)[0]).toMatch(
      /^unknown-variable .* is used outside a TaskSet/,
    );
  });

  test('amounts keep their text through variables', () => {
    const amount = fc
      .tuple(fc.bigInt({ min: 0n, max: 999_999n }), fc.stringMatching(/^[0-9]{1,12}$/))
      .map(([whole, fraction]) => `${whole}.${fraction}`)
      .filter((text) => /[1-9]/.test(text));
    fc.assert(
      fc.property(amount, fc.boolean(), (text, quoted) => {
        const project = `spec:\n  variables: { size: ${quoted ? `"${text}"` : text} }\n`;
        const files = { 'manifests/a.yaml': sniper({ amount: '${var.size}' }) };
        expect(taskOf({ project, files }, 'alpha').config.buy_amount).toBe(text);
      }),
    );
  });
});

describe('the environment of the process', () => {
  const env = { AMOUNT: '0.123456', FLAG: 'true', WALLET: '9n4nbM75f5Ui33ZbPYXn59EwSgE8CGsHtAeTH5YFeJ9E' };

  test('takes the type of the field, and is marked as secret', () => {
    const text = sniper({
      amount: '${env.AMOUNT}',
      config: '    buy_once: ${env.FLAG}\n',
      wallet: '${env.WALLET}',
    });
    const task = taskOf({ ...one(text), env }, 'alpha');
    expect(task.config).toMatchObject({ buy_amount: '0.123456', buy_once: true });
    expect(task.secrets).toEqual(['config.buy_amount', 'config.buy_once', 'target_wallet']);
  });

  test('is not in a diagnostic', () => {
    const { diagnostics } = compileFiles({
      ...one(sniper({ amount: '${env.AMOUNT}' })),
      env: { AMOUNT: '12,75' },
    });
    expect(diagnostics).toHaveLength(1);
    expect(JSON.stringify(diagnostics)).not.toContain('12,75');
  });

  test('is refused where its value would be shown', () => {
    const text = sniper({ spec: '  label: ${env.LABEL}\n' });
    expect(told(compileFiles({ ...one(text), env: { LABEL: 'hot' } }).diagnostics)[0]).toMatch(
      /^env-not-here manifests\/a\.yaml:7:10 /,
    );
  });

  test.each([{}, { AMOUNT: '' }])('must be set: %j', (variables) => {
    const { diagnostics } = compileFiles({ ...one(sniper({ amount: '${env.AMOUNT}' })), env: variables });
    expect(told(diagnostics)).toEqual([
      expect.stringMatching(/^unknown-variable .*AMOUNT is (?:not set|empty)/),
    ]);
  });

  test.each(['TRADEFORM_TOKEN', 'TRADEFORM_TOKEN_EU_WEST'])('never reveals the token: %s', (name) => {
    const { diagnostics } = compileFiles({
      ...one(sniper({ spec: `  remark: \${env.${name}}\n` })),
      env: { [name]: 'svc_live_secret' },
    });
    expect(told(diagnostics)).toEqual([expect.stringMatching(/^env-not-here /)]);
    expect(JSON.stringify(diagnostics)).not.toContain('svc_live_secret');
  });
});

test('a reference without quotes within braces gets a hint', () => {
  const { diagnostics } = compileFiles(
    one(sniper().replace('{ tip_amount: 0.001,', '{ tip_amount: ${var.size},')),
  );
  expect(diagnostics[0]).toMatchObject({
    code: 'yaml-syntax',
    hint: expect.stringContaining('in quotes'),
  });
});

describe('a wrong value of the environment', () => {
  const book = (text: string) =>
    `apiVersion: tradeform/v1\nkind: WalletBook\nmetadata: { name: all }\nspec: { wallets: { heron: "${text}" } }\n---\n`;
  const rows = `apiVersion: tradeform/v1
kind: TaskSet
metadata: { name: many }
spec:
  for: sniper
  rows: [{ name: "\${env.X}" }]
  task: { spec: { state: active, target_wallet: 5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1 } }
`;
  test.each([
    ['a wallet book, as a name', book('${env.X}') + sniper({ wallet: 'heron' }), 'hunter2-secret'],
    ['a wallet book, as an address', book('${env.X}') + sniper({ wallet: 'heron' }), `${'B'.repeat(41)}0QI`],
    ['a target', sniper({ wallet: '${env.X}' }), 'topsecret-name'],
    ['a part of a target', sniper({ wallet: 'x${env.X}' }), 'topsecret-name'],
    ['the name of a row', rows, 'topsecret-name'],
  ])('is not repeated: %s', (_, text, secret) => {
    const { diagnostics, state } = compileFiles({ ...one(text), env: { X: secret } });
    expect(state).toBeUndefined();
    expect(JSON.stringify(diagnostics)).not.toContain(secret);
  });

  test('is not in the sum of a ladder', () => {
    const text = sniper().replace(
      /auto_sell: .*/,
      'auto_sell: { enabled: true, expiry_time: 0, tp_orders: [{ trigger: "50", sell: "${env.X}" }, { trigger: "60", sell: "${env.X}" }], sl_orders: [], follow_sell: false, proportional_sell: false }',
    );
    const { diagnostics } = compileFiles({ ...one(text), env: { X: '77.31' } });
    expect(diagnostics.map(({ code }) => code)).toContain('ladder-over-100');
    expect(JSON.stringify(diagnostics)).not.toMatch(/77\.31|154\.62/);
  });
});
