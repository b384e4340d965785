import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { compile, inOne } from '../../src/core/desired/compile.ts';
import { LINTS } from '../../src/core/desired/lints/index.ts';
import { readManifests } from '../../src/core/manifest/read.ts';
import { codePage } from '../../src/kit/explain/explain.ts';
import { copyTrade, PROJECT, SETTINGS, sniper, source, WALLETS } from '../manifest/samples.ts';

/** Two that share their first and last four characters. */
const [REAL, FAKE] = [WALLETS[0], '5Q54GL7oSXA652ScKtq4FabQJrCu7HE2vitHtJDBe4j1'];
const BUNDLE = '{ tip_amount: 0.001, priority_fee: 0, slippage: 15, bundle_amount: 2 }';

function warnings(texts: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const [project] = readManifests(source(PROJECT, 'tradeform.yaml')).manifests;
  const { diagnostics, state } = inOne(
    compile({
      settings: SETTINGS,
      project,
      sources: texts.map((text, index) => source(text, `manifests/${index}.yaml`)),
      allRead: true,
      environmentVariable: (name) => environment[name],
    }),
  );
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(state).toBeDefined();
  return diagnostics;
}

function codes(texts: readonly string[]): readonly string[] {
  return warnings(texts).map(({ code }) => code);
}

function bundled(options: Parameters<typeof sniper>[0] = {}): string {
  return sniper(options).replace(
    'relay_mode: { tip_amount: 0.001, priority_fee: 0.0001, slippage: 15 }',
    `relay_mode: ${BUNDLE}`,
  );
}

function annotated(text: string, code: string): string {
  return text.replace(
    /^ {2}name: .*$/m,
    (name) => `${name}\n  annotations: { lint.tradeform/${code}: meant }`,
  );
}

function preset(config: string, annotations = '{}'): string {
  return `apiVersion: tradeform/v1
kind: Preset
metadata: { name: fast, annotations: ${annotations} }
spec:
  for: sniper
  config:
    ${config}
`;
}

/** A sniper that takes its relay route from the preset. */
function extending(name: string): string {
  return sniper({ name, wallet: WALLETS[name === 'a' ? 0 : 1], spec: '  extends: [fast]\n' }).replace(
    / {4}relay_mode: .*\n/,
    '',
  );
}

function book(...addresses: readonly string[]): string {
  const lines = addresses.map((address, index) =>
    index === 0
      ? `    wallet-${index}: ${address}\n`
      : `    wallet-${index}: { address: ${address}, note: x }\n`,
  );
  return `apiVersion: tradeform/v1\nkind: WalletBook\nmetadata: { name: book }\nspec:\n  wallets:\n${lines.join('')}`;
}

test('a finding names the present values, the place, and what to write', () => {
  const text = bundled();
  const [finding, ...more] = warnings([text]);
  expect(more).toEqual([]);
  expect(finding).toMatchObject({
    severity: 'warning',
    code: 'slippage-inert',
    address: 'sniper/alpha',
    message: 'relay_mode.slippage 15 % has no effect: relay_mode.bundle_amount is 2',
    hint: 'write relay_mode.bundle_amount: "" to use the percentage; if this is intended, give the reason in the annotation lint.tradeform/slippage-inert',
  });
  const { line = 0, column = 0 } = finding?.location ?? {};
  expect(text.split('\n')[line - 1]?.slice(column - 1)).toMatch(/^15, bundle_amount/);
});

test('lints wait until there are no errors', () => {
  const wrong = bundled().replace('buy_amount: 0.5', 'buy_amount: 0');
  const { diagnostics } = inOne(compile({ settings: SETTINGS, sources: [source(wrong)], allRead: true }));
  expect(diagnostics.map(({ code }) => code)).toEqual(['out-of-range']);
});

describe('what manifests take from a preset', () => {
  const texts = [preset(`relay_mode: ${BUNDLE}`), extending('a'), extending('b')];

  test('is reported once, at the preset, with the affected tasks', () => {
    const found = warnings(texts);
    expect(found).toMatchObject([
      {
        code: 'slippage-inert',
        location: { file: 'manifests/0.yaml', line: 7 },
        hint: expect.stringContaining('this affects sniper/a, sniper/b'),
      },
    ]);
  });

  test('is turned off for all by an annotation of the preset', () => {
    const [, ...tasks] = texts;
    const silent = preset(`relay_mode: ${BUNDLE}`, '{ lint.tradeform/slippage-inert: bundles only }');
    expect(codes([silent, ...tasks])).toEqual([]);
  });

  test('is turned off for one by its own annotation', () => {
    const [first = '', second = '', third = ''] = texts;
    const found = warnings([first, annotated(second, 'slippage-inert'), third]);
    expect(found).toMatchObject([{ code: 'slippage-inert', address: 'sniper/b' }]);
  });

  test('an annotation of the preset does not cover other places, and is then unused', () => {
    const silent = preset('buy_once: true', '{ lint.tradeform/slippage-inert: bundles only }');
    const own = bundled({ spec: '  extends: [fast]\n' });
    expect(codes([silent, own])).toEqual(['lint-unused', 'slippage-inert']);
  });
});

describe('the tasks of a task set', () => {
  const set = (annotations: string) => `apiVersion: tradeform/v1
kind: TaskSet
metadata: { name: many${annotations} }
spec:
  for: sniper
  rows: [{ name: one, state: active }, { name: two, state: paused }]
  task:
    spec:
${bundled()
  .slice(bundled().indexOf('  state:'))
  .replace('state: active', 'state: ${row.state}')
  .replace(/^/gm, '    ')
  .trimEnd()}
`;

  test('share one finding, and one annotation', () => {
    expect(warnings([set('')])).toMatchObject([
      { code: 'slippage-inert', hint: expect.stringContaining('sniper/one, sniper/two') },
    ]);
    expect(codes([set(', annotations: { lint.tradeform/slippage-inert: meant }')])).toEqual([]);
  });
});

describe('lookalike addresses', () => {
  test('are found between wallet books and tasks, once for each pair', () => {
    const tasks = [
      sniper({ wallet: FAKE }),
      sniper({ name: 'beta', amount: '0.6', wallet: FAKE }),
      sniper({ name: 'c', wallet: REAL }),
    ];
    expect(warnings([book(REAL), ...tasks])).toMatchObject([
      {
        code: 'lookalike-address',
        location: { file: 'manifests/1.yaml' },
        message: `${FAKE} looks like ${REAL}: their first 4 and last 4 characters are the same`,
        hint: expect.stringContaining('manifests/0.yaml:6'),
      },
    ]);
    expect(codes([book(REAL, FAKE)])).toEqual(['wallet-unused', 'lookalike-address']);
  });

  test('a thousand similar ones are reported with few others each, quickly', () => {
    const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
    const many = Array.from({ length: 1_000 }, (_, number) => {
      const [high = '', low = ''] = [Math.floor(number / 58), number % 58].map((digit) => letters[digit]);
      return `5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge${high}${low}1`;
    });
    const alike = (wallets: readonly string[]) =>
      codes([book(...wallets)]).filter((code) => code === 'lookalike-address');
    expect(alike(many.slice(0, 3))).toHaveLength(3);
    expect(alike(many)).toHaveLength(3 * many.length - 6);
  });

  test('findings that annotations turn off do not displace others', () => {
    const alike = Array.from(
      { length: 6 },
      (_, number) => `5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge1${number + 2}1`,
    );
    const tasks = alike.map((wallet, number) => sniper({ name: `n${number}`, wallet }));
    const [last = '', former = '', ...annotatedOnes] = tasks.toReversed();
    const texts = [...annotatedOnes.map((text) => annotated(text, 'lookalike-address')), former, last];
    expect(warnings(texts)).toMatchObject([{ message: expect.stringContaining(`looks like ${alike[4]}`) }]);
  });

  test('an annotation of either place turns a pair off', () => {
    const tasks = [sniper({ wallet: REAL }), sniper({ name: 'beta', wallet: FAKE })];
    const [first = '', second = ''] = tasks;
    expect(codes(tasks)).toEqual(['lookalike-address']);
    expect(codes([annotated(first, 'lookalike-address'), second])).toEqual([]);
    expect(codes([first, annotated(second, 'lookalike-address')])).toEqual([]);
  });

  test('an address of the environment is not compared, because it is never shown', () => {
    const texts = [sniper({ wallet: REAL }), sniper({ name: 'beta', wallet: '${env.TARGET}' })];
    expect(warnings(texts, { TARGET: FAKE })).toEqual([]);
  });

  test('wallets with no more in common than any two are no finding', () => {
    expect(codes([book(...WALLETS)])).toEqual(['wallet-unused']);
  });
});

/** Not of a config: each has a case. */
const OF_ALL = new Set([
  'task-twice',
  'target-not-wallet',
  'variable-unused',
  'preset-unused',
  'wallet-unused',
]);

/** The example of each explanation, put into a config that is free of findings. */
describe('the examples of explain --code cause their warnings', () => {
  test.each(LINTS.map(({ code }) => code).filter((code) => !OF_ALL.has(code)))('%s', (code) => {
    const piece = parse(codePage(code).example ?? '') as Record<string, unknown>;
    const found = [sniper(), copyTrade()].flatMap((text) => {
      const manifest = parse(text) as { spec: { config: Record<string, unknown> } };
      const { config } = manifest.spec;
      const set = config.buy_config_universal as object | undefined;
      if (set === undefined && Object.keys(piece).some((key) => key.startsWith('buy_config'))) return [];
      const merged: Record<string, unknown> = { ...config, ...piece };
      if (set !== undefined) {
        const tiers = (merged.buy_config_tiers ?? []) as readonly object[];
        const asleep = merged.buy_config_mode === 'tiered' ? { amount_sol: '' } : {};
        merged.buy_config_tiers = tiers.map((tier) => ({ ...set, ...tier }));
        merged.buy_config_universal = { ...set, ...asleep, ...(piece.buy_config_universal ?? {}) };
      }
      if (piece.auto_sell !== undefined)
        merged.auto_sell = { ...(config.auto_sell as object), ...piece.auto_sell };
      const changed = stringify({ ...manifest, spec: { ...manifest.spec, config: merged } });
      const { diagnostics } = inOne(
        compile({ settings: SETTINGS, sources: [source(changed)], allRead: true }),
      );
      return diagnostics.filter(({ severity }) => severity === 'warning').map((one) => one.code);
    });
    expect(found).toContain(code);
  });
});

test('an undocumented field is reported once, with the name that was probably meant', () => {
  const [slip, other] = warnings([
    sniper().replace(
      'proportional_sell: false',
      'proportional_sell: false, trailing_take_proft: {}, follow_sel: true',
    ),
  ]).filter(({ code }) => code === 'unshown-field');
  expect(slip).toMatchObject({
    severity: 'warning',
    message: expect.stringContaining('does not document a field auto_sell.trailing_take_proft'),
    hint: expect.stringContaining('did you mean trailing_take_profit?'),
  });
  // It stands there as well.
  expect(other?.hint).not.toContain('follow_sell');
});
