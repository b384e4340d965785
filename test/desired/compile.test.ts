import { describe, expect, test } from 'vitest';
import { type CompileResult, compile, inOne } from '../../src/core/desired/compile.ts';
import { manifestsDigest } from '../../src/core/desired/digest.ts';
import type { ProjectSettings } from '../../src/core/desired/project.ts';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { Source } from '../../src/core/manifest/source.ts';
import { copyTradeConfig, sniperConfig } from '../../src/core/model/generated/validators.js';
import { copyTrade, label, sniper, sniperTemplate, source, WALLETS } from '../manifest/samples.ts';
import fc from '../properties.ts';

const SETTINGS: ProjectSettings = {
  project: 'core',
  environment: 'production',
  manifests: [],
  pruneTasks: 'pause',
  stoppedTasks: 'resume',
  settle: { update: 500, replace: 120_000 },
};

function compiled(...sources: readonly Source[]) {
  return inOne(compile({ settings: SETTINGS, sources, allRead: true }));
}

function stateOf(...texts: readonly string[]): DesiredState {
  const { state, diagnostics } = compiled(source(texts.join('---\n')));
  expect(diagnostics.filter(({ code }) => code !== 'unshown-field')).toEqual([]);
  if (state === undefined) throw new Error('no state');
  return state;
}

describe('the desired state', () => {
  test('contains the settings of the project', () => {
    const { tasks, templates, labels, ...rest } = stateOf(label('hot'));
    expect(rest).toEqual({
      project: 'core',
      environment: 'production',
      removals: [],
      pruneTasks: 'pause',
      stoppedTasks: 'resume',
      settle: { update: 500, replace: 120_000 },
      wallets: new Map(),
    });
    expect([tasks, templates, labels.length]).toEqual([[], [], 1]);
  });

  test('a task with only the required fields', () => {
    const [task] = stateOf(sniper()).tasks;
    expect(task).toMatchObject({
      address: 'sniper/alpha',
      collection: 'sniper',
      name: 'alpha',
      state: 'active',
      note: '',
      label: null,
      target_wallet: WALLETS[0],
      ignoreChanges: [],
      adopt: 'auto',
    });
    expect(Object.keys(task ?? {})).not.toContain('linked_wallets');
    for (const field of ['id', 'previousName', 'rearm']) expect(Object.keys(task ?? {})).not.toContain(field);
  });

  test('a task with every field', () => {
    const spec = `  rearm: "2"
  remark: "  Follow it  "
  label: hot
  linked_wallets: [${WALLETS[2]}]
  lifecycle: { ignore_changes: [remark, config.buy_once], adopt: never }
`;
    const text = copyTrade({ spec }).replace(
      '{ name: whale }',
      '{ name: whale, previous_name: old, id: 5E0C1D2A-0000-4000-8000-0000000000AA, annotations: { why: test } }',
    );
    expect(stateOf(text, label('hot')).tasks[0]).toMatchObject({
      address: 'copy-trade/whale',
      id: '5e0c1d2a-0000-4000-8000-0000000000aa',
      previousName: 'old',
      state: 'paused',
      rearm: '2',
      note: 'Follow it',
      label: 'hot',
      linked_wallets: [WALLETS[2]],
      ignoreChanges: ['remark', 'config.buy_once'],
      adopt: 'never',
    });
  });

  test('defaults are filled in, so that the config is complete for the service', () => {
    const texts = [sniper(), copyTrade()].map((text) => text.replace('    dex_source: config\n', ''));
    const { state } = compiled(source(texts.join('---\n')));
    const [copy, plain] = state?.tasks ?? [];
    expect(plain?.config).toMatchObject({
      dex_source: 'global',
      buy_once: false,
      sol_slippage_mode: false,
      snipe_external: false,
    });
    expect(copy?.config).toMatchObject({
      dex_source: 'global',
      reentry_after_flat: false,
      skip_dev_launch: false,
      dev_sell_only: false,
      dev_sell_all_only: false,
      address_blacklist: { enabled: false, wallets: [] },
      buy_config_universal: { sol_slippage_mode: false },
    });
    expect(sniperConfig(plain?.config)).toBe(true);
    expect(copyTradeConfig(copy?.config)).toBe(true);
    expect(copy?.linked_wallets).toEqual([]);
  });

  test('an absent optional field stays absent, and a written value is never overridden', () => {
    const [task] = stateOf(
      sniper({ config: '    dex_source: config\n    buy_once: true\n    dev_min_amount: ""\n' }),
    ).tasks;
    expect(task?.config).toMatchObject({ dex_source: 'config', buy_once: true, dev_min_amount: '' });
    expect(Object.keys(task?.config ?? {})).not.toContain('bundle_amount');
    expect(Object.keys(task?.config ?? {})).not.toContain('dev_max_amount');
    expect(task?.config.relay_mode).toEqual({ tip_amount: '0.001', priority_fee: '0.0001', slippage: '15' });
  });

  test('undocumented fields of sell-side objects pass through', () => {
    const text = sniper().replace(
      'sell_delay: 0',
      'sell_delay: 0, anti_pvp: { window: 30, share: "1.50", on: true, none: null }',
    );
    expect(stateOf(text).tasks[0]?.config.auto_strategy).toEqual({
      migration_clear: false,
      timed_sell: false,
      sell_delay: '0',
      anti_pvp: { window: 30, share: '1.50', on: true, none: null },
    });
  });

  test('templates and labels: the name on the service is spec.name, else metadata.name; sort_order is 0', () => {
    const state = stateOf(
      sniperTemplate('base'),
      sniperTemplate('fast', '  name: " Fast one "\n'),
      label('hot'),
      label('cold', '  name: Cold\n  sort_order: -3\n').replace(
        '{ name: cold }',
        '{ name: cold, previous_name: Chilly }',
      ),
    );
    expect(state.templates.map(({ address, shownName }) => [address, shownName])).toEqual([
      ['sniper-template/base', 'base'],
      ['sniper-template/fast', 'Fast one'],
    ]);
    expect(
      state.labels.map(({ name, shownName, sort_order, previousName }) => [
        name,
        shownName,
        sort_order,
        previousName,
      ]),
    ).toEqual([
      ['cold', 'Cold', -3, 'Chilly'],
      ['hot', 'hot', 0, undefined],
    ]);
  });
});

describe('origins', () => {
  const text = `# a comment\n${sniper({ spec: '  remark: One\n' })}---\n${copyTrade()}---\n${label('hot', '  sort_order: 4\n')}`;
  const [copy, task] = stateOf(text).tasks;
  const [hot] = stateOf(text).labels;

  test.each([
    ['remark', 8, 11],
    ['state', 7, 10],
    ['target_wallet', 9, 18],
    ['config', 11, 5],
    ['config.buy_amount', 11, 17],
    ['config.relay_mode.slippage', 12, 70],
    ['config.selected_dexes', 14, 21],
    ['config.selected_dexes[1]', 14, 32],
    // Left out: the nearest place that is there.
    ['config.buy_once', 10, 3],
    ['config.relay_mode.bundle_amount', 12, 5],
    ['label', 6, 1],
    ['id', 4, 1],
  ])('%s', (path, line, column) => {
    expect(task?.origin(path)).toEqual({ file: 'manifests/a.yaml', line, column });
  });

  test('other documents of the file do not matter', () => {
    expect(copy?.origin('config.buy_config_universal.amount_sol')).toMatchObject({ line: 31, column: 19 });
    expect(hot?.origin('sort_order')).toMatchObject({ line: 54, column: 15 });
    expect(text.split('\n')[53]).toBe('  sort_order: 4');
    expect(hot?.origin('name')).toMatchObject({ line: 53, column: 1 });
  });

  test('keys that look like numbers do not shift the places after them', () => {
    const odd = sniper().replace('sell_delay: 0 }', 'sell_delay: 0, b: { "10": x, a: y, "9": z } }');
    const [first] = stateOf(odd).tasks;
    const at = (path: string) => {
      const place = first?.origin(path);
      return odd.split('\n')[(place?.line ?? 0) - 1]?.slice((place?.column ?? 0) - 1);
    };
    expect(at('config.auto_strategy.b.9')).toMatch(/^z/);
    expect(at('config.auto_strategy.b.10')).toMatch(/^x/);
    expect(at('config.auto_strategy.b.a')).toMatch(/^y/);
    expect(at('config.timed_strategy.enabled')).toMatch(/^false, orders/);
  });
});

describe('order has no meaning', () => {
  const documents = [
    sniper(),
    sniper({ name: 'beta', amount: '2', spec: '  label: hot\n' }),
    copyTrade(),
    sniperTemplate('base'),
    label('hot'),
    label('cold', '  sort_order: 2\n'),
    sniper({ kind: 'TransferSnipeTask', name: 'gamma' }),
  ];
  const plain = (result: CompileResult) => ({
    state: JSON.stringify(result.state),
    digest: result.state === undefined ? undefined : manifestsDigest(result.state),
  });
  const expected = plain(compiled(source(documents.join('---\n'))));

  test('for documents and files, and for their distribution over files', () => {
    const shuffled = fc.shuffledSubarray(documents, {
      minLength: documents.length,
      maxLength: documents.length,
    });
    const files = fc.array(fc.nat({ max: 3 }), { minLength: documents.length, maxLength: documents.length });
    fc.assert(
      fc.property(shuffled, files, fc.boolean(), (order, spread, backwards) => {
        const texts = new Map<number, string[]>();
        order.forEach((text, index) => {
          texts.set(spread[index] ?? 0, [...(texts.get(spread[index] ?? 0) ?? []), text]);
        });
        const sources = [...texts].map(([file, parts]) =>
          source(parts.join('---\n'), `manifests/${file}.yaml`),
        );
        expect(plain(compiled(...(backwards ? sources.reverse() : sources)))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test('diagnostics come in order of file and place, whatever the order of the files', () => {
    const broken = [
      source(sniper({ amount: '1e3' }), 'b.yaml'),
      source(
        sniper({ name: 'beta', amount: '-1', spec: `  colour: red\n  remark: ${'x'.repeat(60)}\n` }),
        'a.yaml',
      ),
    ];
    const places = ({ diagnostics }: CompileResult) =>
      diagnostics.map(({ location }) => `${location?.file}:${location?.line}`);
    expect(places(compiled(...broken))).toEqual(['a.yaml:7', 'a.yaml:8', 'a.yaml:11', 'b.yaml:9']);
    expect(compiled(...broken.reverse()).diagnostics).toEqual(compiled(...broken).diagnostics);
  });
});

describe('the digest', () => {
  const digest = (...texts: readonly string[]) => {
    const { state } = compiled(source(texts.join('---\n')));
    return state === undefined ? undefined : manifestsDigest(state);
  };

  test('covers the desired state, not how it is written', () => {
    expect(digest(sniper())).toMatch(/^[0-9a-f]{64}$/);
    expect(digest(`# a comment\n${sniper()}`)).toBe(digest(sniper()));
    expect(digest(sniper({ amount: '"0.5"' }))).toBe(digest(sniper()));
    expect(digest(sniper({ config: '    buy_once: false\n' }))).toBe(digest(sniper()));
    expect(digest(sniper({ config: '    buy_once: true\n' }))).not.toBe(digest(sniper()));
    expect(digest(sniper({ spec: '  remark: x\n' }))).not.toBe(digest(sniper()));
  });
});

test('an unreadable file gives no state, and no guess at what it defines', () => {
  const text = source(sniper({ spec: '  label: hot\n' }));
  const result = inOne(compile({ settings: SETTINGS, sources: [text], allRead: false }));
  expect(result.state).toBeUndefined();
  expect(result.diagnostics).toEqual([]);
});
