import { describe, expect, test } from 'vitest';
import { sniper, sniperTemplate, WALLETS } from '../../manifest/samples.ts';
import { compileFiles, placeOf, stateOf, taskOf, told } from './project.ts';

function preset(name: string, config: string, more = ''): string {
  return `apiVersion: tradeform/v1
kind: Preset
metadata: { name: ${name} }
spec:
  for: sniper
${more}  config:
${config}`;
}

function task(name: string, bases: string, config = '', spec = ''): string {
  return `apiVersion: tradeform/v1
kind: SniperTask
metadata: { name: ${name} }
spec:
  state: active
  target_wallet: ${WALLETS[0]}
  extends: [${bases}]
${spec}${config === '' ? '' : `  config:\n${config}`}`;
}

const TEMPLATE = sniperTemplate('base');

describe('extends', () => {
  test('merges in order, the own config last', () => {
    const files = {
      'manifests/bases.yaml': [
        TEMPLATE,
        preset('low', '    relay_mode: { slippage: 5 }\n    priority_mode: { slippage: 6 }\n'),
        preset('high', '    relay_mode: { slippage: 40 }\n'),
      ].join('---\n'),
      'manifests/task.yaml': task('one', 'base, low, high', '    buy_amount: 0.7\n'),
    };
    const { config } = taskOf({ files }, 'one');
    expect(config).toMatchObject({
      buy_amount: '0.7',
      relay_mode: { tip_amount: '0.001', slippage: '40' },
      priority_mode: { tip_amount: '0.002', slippage: '6' },
      selected_dexes: ['pump-fun', 'bags'],
    });
  });

  test('every field knows its source', () => {
    const files = {
      'manifests/bases.yaml': [TEMPLATE, preset('low', '    relay_mode: { slippage: 5 }\n')].join('---\n'),
      'manifests/task.yaml': task('one', 'base, low', '    buy_amount: 0.7\n'),
    };
    const one = taskOf({ files }, 'one');
    const lines = (files['manifests/bases.yaml'] ?? '').split('\n');
    const lineOf = (text: string) => lines.findIndex((line) => line.includes(text)) + 1;
    expect(placeOf(one, 'config.buy_amount')).toBe('manifests/task.yaml:9:17');
    expect(placeOf(one, 'config.relay_mode.slippage')).toBe(
      `manifests/bases.yaml:${lineOf('slippage: 5 }')}:29`,
    );
    expect(placeOf(one, 'config.relay_mode.tip_amount')).toBe(
      `manifests/bases.yaml:${lineOf('tip_amount: 0.001')}:31`,
    );
    expect(placeOf(one, 'state')).toBe('manifests/task.yaml:5:10');
    // A default stands nowhere: the nearest enclosing place.
    expect(placeOf(one, 'remark')).toMatch(/^manifests\/task\.yaml:/);
  });

  test('a null in a preset that removes a required field is reported in the preset, unless somebody sets the field again', () => {
    const bases = [TEMPLATE, preset('bare', '    buy_amount: null\n    relay_mode: { slippage: null }\n')];
    const again = preset('again', '    buy_amount: 0.3\n');
    const files = {
      'manifests/bases.yaml': [...bases, again].join('---\n'),
      'manifests/one.yaml': task('one', 'base, bare'),
      'manifests/two.yaml': task('two', 'base, bare, again', '    relay_mode: { slippage: 3 }\n'),
    };
    const found = compileFiles({ files }).diagnostics;
    expect(found.map(({ code, location, hint }) => [code, location?.file, hint])).toEqual(
      ['buy_amount', 'slippage'].map(() => [
        'missing-field',
        'manifests/bases.yaml',
        'null removes this field, but sniper/one needs it',
      ]),
    );
    const lines = files['manifests/bases.yaml'].split('\n');
    expect(found.map(({ location }) => lines[(location?.line ?? 0) - 1])).toEqual([
      '    buy_amount: null',
      '    relay_mode: { slippage: null }',
    ]);
  });

  test('nests, and null removes an inherited field', () => {
    const files = {
      'manifests/a.yaml': [
        TEMPLATE,
        preset('inner', '    relay_mode: { bundle_amount: 0.5 }\n    priority_mode: { slippage: 9 }\n'),
        preset('outer', '    relay_mode: { bundle_amount: null }\n', '  extends: [inner]\n'),
        task('one', 'base, outer'),
      ].join('---\n'),
    };
    const { config } = taskOf({ files }, 'one');
    expect(config.relay_mode).not.toHaveProperty('bundle_amount');
    expect(config.priority_mode).toMatchObject({ slippage: '9' });
  });

  test('a template extends, and is complete on the service too', () => {
    const partial = `apiVersion: tradeform/v1
kind: SniperTemplate
metadata: { name: child }
spec:
  extends: [base]
  config: { buy_amount: 3 }
`;
    const files = { 'manifests/a.yaml': [TEMPLATE, partial, task('one', 'child')].join('---\n') };
    const { templates, tasks } = stateOf({ files });
    const child = templates.find(({ name }) => name === 'child');
    expect(child?.config).toMatchObject({ buy_amount: '3', selected_dexes: ['pump-fun', 'bags'] });
    expect(tasks[0]?.config).toEqual(child?.config);
  });

  test('a transfer-snipe task extends sniper templates; presets are for one kind', () => {
    const transfer = task('one', 'base').replace('SniperTask', 'TransferSnipeTask');
    expect(
      stateOf({ files: { 'manifests/a.yaml': [TEMPLATE, transfer].join('---\n') } }).tasks[0]?.collection,
    ).toBe('transfer-snipe');
    const wrong = task('one', 'base, low').replace('SniperTask', 'TransferSnipeTask');
    const files = {
      'manifests/a.yaml': [TEMPLATE, preset('low', '    buy_amount: 1\n'), wrong].join('---\n'),
    };
    expect(told(compileFiles({ files }).diagnostics)).toEqual([
      expect.stringContaining('low is a preset for sniper, which cannot be extended here'),
    ]);
  });

  test('an unknown base has a suggestion, at its place', () => {
    const files = { 'manifests/a.yaml': [TEMPLATE, task('one', 'bsae')].join('---\n') };
    const [first] = told(compileFiles({ files }).diagnostics);
    const line = files['manifests/a.yaml'].split('\n').findIndex((text) => text.includes('bsae')) + 1;
    expect(first).toBe(
      `unknown-base manifests/a.yaml:${line}:13 no template or preset bsae (did you mean base? there are base)`,
    );
  });

  test('a loop is reported with its path', () => {
    const files = {
      'manifests/a.yaml': [
        preset('a', '    buy_amount: 1\n', '  extends: [b]\n'),
        preset('b', '    buy_amount: 1\n', '  extends: [c]\n'),
        preset('c', '    buy_amount: 1\n', '  extends: [a]\n'),
        sniper({ name: 'one', spec: '  extends: [a]\n' }),
      ].join('---\n'),
    };
    const circles = compileFiles({ files }).diagnostics.filter(({ code }) => code === 'extends-cycle');
    expect(circles.map(({ message }) => message)).toEqual(['extends forms a loop: a → b → c → a']);
  });

  test('one wrong value of a preset is reported once, with the affected tasks', () => {
    const tasks = ['a', 'b', 'c', 'd', 'e'].map((name) => task(name, 'base, deep'));
    const files = {
      'manifests/a.yaml': [TEMPLATE, preset('deep', '    buy_amount: 1e3\n'), ...tasks].join('---\n'),
    };
    expect(told(compileFiles({ files }).diagnostics)).toEqual([expect.stringMatching(/^invalid-decimal /)]);
    // A rule only sees it in the tasks.
    const market = {
      'manifests/a.yaml': [
        TEMPLATE,
        preset('off', '    auto_sell: { surprise: 1.5 }\n'),
        ...tasks.map((text) => text.replace('deep', 'off')),
      ].join('---\n'),
    };
    expect(compileFiles({ files: market }).diagnostics).toHaveLength(1);
  });

  test('a field that is missing after merging is reported at the task', () => {
    const files = {
      'manifests/a.yaml': [preset('low', '    buy_amount: 1\n'), task('one', 'low')].join('---\n'),
    };
    const missing = compileFiles({ files }).diagnostics.filter(({ code }) => code === 'missing-field');
    expect(missing.length).toBeGreaterThan(3);
    expect(new Set(missing.map(({ address }) => address))).toEqual(new Set(['sniper/one']));
  });

  test('a template and a preset with one name are ambiguous', () => {
    const files = {
      'manifests/a.yaml': [TEMPLATE, preset('base', '    buy_amount: 1\n'), task('one', 'base')].join(
        '---\n',
      ),
    };
    expect(told(compileFiles({ files }).diagnostics)[0]).toMatch(
      /^wrong-base .* base is both a template and a preset/,
    );
  });
});

test('documents that share others are merged once each', () => {
  const chain = Array.from({ length: 60 }, (_, index) =>
    preset(
      `q${index}`,
      `    buy_amount: ${index + 1}\n`,
      index === 0 ? '  extends: [low]\n' : `  extends: [q${index - 1}, low, q${index - 1}]\n`,
    ),
  );
  const files = {
    'manifests/a.yaml': [
      TEMPLATE,
      preset('low', '    relay_mode: { slippage: 5 }\n'),
      ...chain,
      task('one', 'base, q59'),
    ].join('---\n'),
  };
  const { config } = taskOf({ files }, 'one');
  expect(config).toMatchObject({ buy_amount: '60', relay_mode: { slippage: '5', tip_amount: '0.001' } });
});
