import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { writtenManifest } from '../../src/core/desired/as-manifest.ts';
import { manifestsDigest } from '../../src/core/desired/digest.ts';
import type { DesiredState } from '../../src/core/desired/state.ts';
import { isObject, type Json, type JsonObject } from '../../src/core/model/json.ts';
import { configLeaves } from '../../src/core/model/shape.ts';
import { manifestsYaml } from '../../src/core/render/manifest-yaml.ts';
import { compileFiles, stateOf, told } from '../desired/compose/project.ts';
import { label, sniper } from '../manifest/samples.ts';
import fc from '../properties.ts';
import { copyTradeConfig, sniperConfig, uuid, wallet } from '../support/builders.ts';

function rendered({ tasks, templates, labels }: DesiredState): string {
  return manifestsYaml(
    [...tasks, ...templates, ...labels].map((resource) => ({ manifest: writtenManifest(resource) })),
  );
}

/** What a manifest wants, without the places that it came from. */
function plain(state: DesiredState): unknown {
  return JSON.parse(JSON.stringify(state));
}

/** An amount in any spelling that manifests may have. */
const amount = fc
  .tuple(fc.nat(900), fc.array(fc.nat(9), { maxLength: 12 }))
  .map(([whole, digits]) => (digits.length === 0 ? `${whole}` : `${whole}.${digits.join('')}`));

/** What writers of YAML trip over, and what terminals do. */
const awkward = fc.constantFrom(
  ...[
    '',
    ' ',
    'no',
    'Yes',
    'null',
    '~',
    'true',
    '1e3',
    '0x1f',
    '.5',
    '1:30',
    '2026-01-01',
    '0o7',
    '-',
    '- a',
  ],
  ...[
    'a: b',
    '# no',
    'x #y',
    '"',
    "it's",
    `"'`,
    '{',
    '[a]',
    '&a',
    '*a',
    '!t',
    '|',
    '>',
    '%',
    '@',
    '`',
    '?',
    ':',
  ],
  ...[
    '${var.size}',
    '$${',
    '$$${a}',
    '${',
    '\n',
    'a\nb\n',
    '\t',
    '\u0000',
    '\u001b[2J',
    '\u009b',
    '\u202e',
    '\u00a0',
  ],
  ...['\u2028', '\ufeff', '\ud83d\ude00', '\u2764\ufe0f', '\u00ad', '---', '...', 'a'.repeat(120), '  x  '],
);
const text = fc.oneof(awkward, fc.string(), fc.string({ unit: 'grapheme' }));
const key = text.filter(
  (name) => name.length < 100 && !/^(?:<<|__proto__|constructor|prototype)$/.test(name),
);
/** Where the service shows no type, anything may stand. */
const open = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** JSON that is YAML too, whatever is in it; texts keep their `${`, amounts lose their quotes at random. */
function yamlOf(value: Json, bare: boolean): string {
  const json = JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'string' ? item.replaceAll('${', () => '$${') : item,
  ).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const loose = bare
    ? json.replace(/"(amount_sol|buy_amount|bundle_amount)":"([0-9.]+)"/g, '"$1": $2')
    : json;
  return `${loose}\n`;
}

interface Drawn {
  readonly amounts: readonly [string, string];
  readonly extra: JsonObject;
  readonly texts: readonly [string, string];
  readonly state: 'active' | 'paused' | 'manual';
  readonly bare: boolean;
  readonly full: boolean;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  amounts: fc.tuple(amount, amount),
  extra: fc.dictionary(
    key.filter(
      (name) =>
        !Object.hasOwn(sniperConfig().auto_sell as JsonObject, name) && name !== 'trailing_take_profit',
    ),
    open,
    { maxKeys: 4 },
  ),
  texts: fc.tuple(text, text),
  state: fc.constantFrom('active', 'paused', 'manual'),
  bare: fc.boolean(),
  full: fc.boolean(),
});

/** A project of every kind: presets, variables and wallet names in it, so that there is something to compose. */
function files({ amounts: [first, second], extra, texts: [note, name], state, bare, full }: Drawn) {
  const sell = { ...(sniperConfig().auto_sell as JsonObject), ...extra };
  const sniperSpec: JsonObject = {
    state,
    target_wallet: wallet(0),
    remark: note,
    extends: ['fees'],
    config: { ...sniperConfig({ buy_amount: first, auto_sell: sell }), relay_mode: { slippage: '7' } },
    ...(full ? { rearm: '0', label: 'hot', lifecycle: { ignore_changes: ['remark'], adopt: 'never' } } : {}),
  };
  const copySpec: JsonObject = {
    state,
    target_wallet: wallet(1),
    linked_wallets: full ? [wallet(2), wallet(3)] : [],
    config: copyTradeConfig({
      buy_config_universal: { ...(copyTradeConfig().buy_config_universal as JsonObject), amount_sol: second },
    }),
  };
  const fees = sniperConfig().relay_mode as JsonObject;
  const manifests: readonly JsonObject[] = [
    {
      kind: 'SniperTask',
      metadata: full ? { name: 'a', id: uuid(1), previous_name: 'was' } : { name: 'a' },
      spec: sniperSpec,
    },
    { kind: 'CopyTradeTask', metadata: { name: 'no' }, spec: copySpec },
    { kind: 'SniperTemplate', metadata: { name: 't' }, spec: { name: `T${name}`, config: sniperConfig() } },
    { kind: 'Label', metadata: { name: 'hot' }, spec: full ? { name: `L${name}` } : {} },
    { kind: 'Preset', metadata: { name: 'fees' }, spec: { for: 'sniper', config: { relay_mode: fees } } },
  ];
  return {
    files: {
      'manifests/a.yaml': manifests
        .map((manifest) => yamlOf({ apiVersion: 'tradeform/v1', ...manifest }, bare))
        .join('---\n'),
    },
  };
}

describe('the output of render is a manifest', () => {
  test('that compiles to the same desired state, to the letter of every amount', () => {
    fc.assert(
      fc.property(drawn, (world) => {
        const { state } = compileFiles(files(world));
        // Texts are drawn without asking what a remark may hold.
        fc.pre(state !== undefined);
        const yaml = rendered(state);
        const again = compileFiles({ files: { 'manifests/b.yaml': yaml } });
        expect(told(again.diagnostics.filter(({ severity }) => severity === 'error')), yaml).toEqual([]);
        expect(plain(again.state ?? state), yaml).toEqual(plain(state));
        expect(manifestsDigest(again.state ?? state)).toBe(manifestsDigest(state));
        expect(rendered(again.state ?? state)).toBe(yaml);
        expect(yaml).not.toMatch(/[^\n\x20-\x7e\p{L}\p{N}\p{P}\p{S}\p{M}]/u);
      }),
      { numRuns: 100 },
    );
  });

  test('amounts are quoted texts for any reader, and so is what YAML 1.1 reads as a boolean', () => {
    const text = sniper({ amount: '0.50', spec: '  remark: Off\n' });
    const state = stateOf({ files: { 'manifests/a.yaml': text } });
    const yaml = rendered(state);
    expect(yaml).toContain('    buy_amount: "0.50"\n');
    expect(yaml).toContain('  remark: "Off"\n');
    const [document] = parseAllDocuments(yaml, { version: '1.1' });
    const numbers: unknown[] = [];
    const walk = (value: unknown): void => {
      if (typeof value === 'number') numbers.push(value);
      if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
    };
    walk(document?.toJS());
    expect(numbers).toEqual([]);
  });

  test('in the order of the schema, whatever the order of the file', () => {
    const shuffled = `spec:
  sort_order: 3
  name: Hot
metadata: { previous_name: Cold, name: hot }
kind: Label
apiVersion: tradeform/v1
`;
    expect(rendered(stateOf({ files: { 'manifests/a.yaml': shuffled } }))).toBe(`apiVersion: tradeform/v1
kind: Label
metadata:
  name: hot
  previous_name: Cold
spec:
  name: Hot
  sort_order: 3
`);
    const [task] = stateOf({ files: { 'manifests/a.yaml': sniper() } }).tasks;
    if (task === undefined) throw new Error('no task');
    const { spec } = writtenManifest(task);
    if (!isObject(spec) || !isObject(spec.config)) throw new Error('no spec');
    expect(Object.keys(spec)).toEqual(['state', 'remark', 'target_wallet', 'config', 'lifecycle']);
    const order = configLeaves('sniperConfig', task.config).map(({ path }) => path.split('.')[0]);
    expect(Object.keys(spec.config)).toEqual([...new Set(order)]);
    expect(Object.keys(task.config)).not.toEqual(Object.keys(spec.config));
  });
});

test('places are in one column, notes above, and nothing in them can end the comment', () => {
  const [hot] = stateOf({ files: { 'manifests/a.yaml': label('hot') } }).labels;
  if (hot === undefined) throw new Error('no label');
  const yaml = manifestsYaml([
    {
      manifest: { ...writtenManifest(hot), wide: 'x'.repeat(80) },
      note: 'a\nb: c',
      origin: (path) =>
        path.length === 1
          ? undefined
          : path.at(-1) === 'name'
            ? 'default'
            : { file: 'a\n.yaml', line: 3, column: 1 },
    },
  ]);
  expect(yaml).toBe(`# a\\nb: c
apiVersion: tradeform/v1
kind: Label
metadata:
  name: hot     # default
spec:
  name: hot     # default
  sort_order: 0 # a\\n.yaml:3
wide: ${'x'.repeat(80)}
`);
});
