import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { amountProblem } from '../../src/core/manifest/amounts.ts';
import {
  childSchema,
  KIND_NAMES,
  kindSchema,
  purposesOf,
  type SchemaNode,
  schemaAt,
  schemaId,
} from '../../src/core/manifest/schema.ts';
import * as validators from '../../src/core/model/generated/validators.js';
import { KINDS } from '../../src/core/model/kind.ts';
import { copyTrade, label, PROJECT, sniper, sniperTemplate, WALLETS } from '../manifest/samples.ts';
import fc from '../properties.ts';
import { Vacuous } from '../support/property.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'schemas/manifest');
const service = JSON.parse(readFileSync(join(ROOT, 'schemas/service.schema.json'), 'utf8')) as {
  definitions: Record<string, SchemaNode>;
};
const schemas = readdirSync(FOLDER).map(
  (file) => [file, JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Record<string, unknown>] as const,
);

/** Of kinds that are for a kind of task, one for each. */
const SCHEMA_IDS = KIND_NAMES.flatMap((kind) =>
  kindSchema(kind) === undefined
    ? purposesOf(kind).map((purpose) => schemaId(kind, purpose) ?? kind)
    : [kind],
);

/** Made once for each file: the schema of all kinds takes a second. */
const editors = new Map<string, ReturnType<Ajv['compile']>>();

/** As an editor does it: one file, draft-07, nothing else at hand. */
function editor(file: string): ReturnType<Ajv['compile']> {
  const validate = editors.get(file) ?? compile(file);
  editors.set(file, validate);
  return validate;
}

function compile(file: string): ReturnType<Ajv['compile']> {
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats(ajv);
  const schema = schemas.find(([name]) => name === file)?.[1];
  if (schema === undefined) throw new Error(`no ${file}`);
  return ajv.compile(schema);
}

const EXAMPLES: readonly (readonly [file: string, text: string])[] = [
  ['sniper-task', sniper({ spec: '  remark: One\n  label: hot\n  rearm: b\n' })],
  [
    'copy-trade-task',
    copyTrade({ spec: '  linked_wallets: []\n  lifecycle: { adopt: never, ignore_changes: [remark] }\n' }),
  ],
  ['transfer-snipe-task', sniper({ kind: 'TransferSnipeTask' })],
  ['sniper-template', sniperTemplate('base', '  name: Base\n')],
  [
    'copy-trade-template',
    copyTrade()
      .replace('CopyTradeTask', 'CopyTradeTemplate')
      .replace(/^ {2}(?:state|target_wallet): .*\n/gm, ''),
  ],
  ['label', label('hot', '  sort_order: 1\n')],
  [
    'preset',
    'apiVersion: tradeform/v1\nkind: Preset\nmetadata: { name: fees }\nspec: { for: sniper, extends: [base], config: { relay_mode: { tip_amount: 0.1, bundle_amount: null } } }\n',
  ],
  [
    'task-set',
    `apiVersion: tradeform/v1\nkind: TaskSet\nmetadata: { name: many }\nspec:\n  for: copy-trade\n  rows: [{ name: one, size: 0.1, wallet: null }]\n  task: { spec: { state: active, target_wallet: "\${row.wallet}", extends: [base] } }\n`,
  ],
  [
    'wallet-book',
    `apiVersion: tradeform/v1\nkind: WalletBook\nmetadata: { name: all }\nspec: { wallets: { a: ${WALLETS[0]}, b: { address: "\${env.B}", note: x } } }\n`,
  ],
  [
    'removal',
    `apiVersion: tradeform/v1\nkind: Removal\nmetadata: { name: retired }\nspec: { release: true, resources: ["label/High risk", sniper/dawn, "\${var.old}"] }\n`,
  ],
  ['project', `${PROJECT}spec: { prune: { tasks: pause }, settle: { update: 5s }, guardrails: {} }\n`],
  [
    'fleet',
    'apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: { units: [{ project: a, token_env: TRADEFORM_A }] }\n',
  ],
  [
    'notifications',
    'apiVersion: tradeform/v1\nkind: Notifications\nmetadata: { name: desk }\nspec: { channels: { desk: { type: slack, url_env: A } } }\n',
  ],
];

describe('manifest schemas for editors', () => {
  test('exist for each kind, and one for all kinds', () => {
    expect(schemas.map(([file]) => file)).toEqual(
      [...EXAMPLES.map(([file]) => file), 'manifest'].sort().map((file) => `${file}.schema.json`),
    );
    expect([...KIND_NAMES].sort()).toEqual(
      [
        ...KINDS.map(({ manifestKind }) => manifestKind),
        'Preset',
        'TaskSet',
        'WalletBook',
        'Removal',
        'Project',
        'Fleet',
        'Notifications',
      ].sort(),
    );
  });

  test.each(EXAMPLES)('%s accepts its example, and so does the schema of all kinds', (file, text) => {
    const value: unknown = parseAllDocuments(text)[0]?.toJS();
    for (const validate of [editor(`${file}.schema.json`), editor('manifest.schema.json')]) {
      expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
      expect(validate({ ...(value as object), colour: 'red' })).toBe(false);
      expect(validate({ ...(value as object), kind: 'Other' })).toBe(false);
    }
  });

  test('allow numbers for amounts, within their range', () => {
    const validate = editor('sniper-task.schema.json');
    const withAmount = (amount: unknown) =>
      parseAllDocuments(sniper({ amount: String(amount) }))[0]?.toJS() as unknown;
    expect(validate(withAmount('0.25'))).toBe(true);
    expect(validate(withAmount('"0.25"'))).toBe(true);
    expect(validate(withAmount(0))).toBe(false);
    expect(validate(withAmount(1_000_001))).toBe(false);
    expect(validate(withAmount('"1e3"'))).toBe(false);
    expect(validate(withAmount('true'))).toBe(false);
  });

  test('guardrails: the plain limit, or limit and action, or null', () => {
    const validate = editor('project.schema.json');
    const guarded = (guardrails: string) =>
      validate(parseAllDocuments(`${PROJECT}spec: { guardrails: { ${guardrails} } }\n`)[0]?.toJS());
    for (const good of [
      'max_deletes: 3',
      'max_deletes: 20%',
      'max_starts: { limit: "100%", action: warn }',
      'max_tip: 0.5',
      'max_tip: "0.5"',
      'max_tip: null',
      'max_slippage: { action: off }',
      'allowed_dexes: [pump-fun, raydium-amm]',
      'require_label: true',
      'require_label: { limit: [hot] }',
      'policies: [{ name: ours, message: Ask, schema: { maxProperties: 3 } }]',
    ])
      expect(guarded(good), good).toBe(true);
    for (const bad of [
      'max_deletes: 3.5',
      'max_deletes: 101%',
      'max_tip: -1',
      'max_tip: 1e3x',
      'max_slippage: 101',
      'max_slippage: { limit: 40, action: maybe }',
      'max_slippage: {}',
      'allowed_dexes: [pumpfun]',
      'require_label: hot',
      'max_tips: 1',
      'policies: [{ name: ours, schema: {} }]',
    ])
      expect(guarded(bad), bad).toBe(false);
  });

  test('allow leaving out fields with a documented default, and no others', () => {
    const required = (kind: string, ...path: string[]) => schemaAt(kindSchema(kind) ?? {}, path).required;
    expect(required('SniperTask', 'spec')).toEqual(['state', 'target_wallet', 'config']);
    expect(required('SniperTask', 'spec', 'config')).toEqual([
      'buy_amount',
      'relay_mode',
      'priority_mode',
      'selected_dexes',
      'auto_sell',
      'auto_strategy',
      'timed_strategy',
    ]);
    expect(required('CopyTradeTask', 'spec', 'config')).not.toContain('address_blacklist');
    expect(required('CopyTradeTask', 'spec', 'config')).toContain('buy_once');
  });

  test('are self-contained: draft-07, and every reference is within the file', () => {
    for (const [file, schema] of schemas) {
      expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
      expect(schema.$id).toBe(`https://tradeform.dev/schemas/manifest/${file}`);
      for (const { $ref, ...siblings } of references(schema)) {
        expect($ref).toMatch(/^#\/definitions\/[A-Za-z]+$/);
        // Draft-07 ignores what stands beside a reference.
        expect(siblings).toEqual({});
      }
    }
  });

  test('describe every field', () => {
    for (const kind of SCHEMA_IDS) {
      for (const [path, field] of fields(kindSchema(kind) ?? {}, kind))
        expect(field.description, path).toMatch(/\S/);
    }
  });

  test('keep unit, range, enumeration and default of the service', () => {
    const config = schemaAt(kindSchema('CopyTradeTask') ?? {}, ['spec', 'config']);
    expect(schemaAt(config, ['buy_config_universal', 'relay_tip'])).toMatchObject({
      'x-unit': 'SOL',
      'x-decimal': { min: '0', max: '1000' },
      description: expect.stringContaining('SOL, 0 to 1,000'),
    });
    expect(schemaAt(config, ['selected_dexes'])).toMatchObject({ minItems: 1, maxItems: 7, 'x-set': true });
    expect(schemaAt(config, ['selected_dexes', 0]).enum).toEqual(service.definitions.copyTradeDex?.enum);
    expect(schemaAt(config, ['dex_source']).default).toBe('global');
    expect(schemaAt(config, ['address_blacklist']).default).toEqual({ enabled: false, wallets: [] });
  });
});

function references(node: unknown): readonly { readonly $ref: string }[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = '$ref' in node && typeof node.$ref === 'string' ? [node as { $ref: string }] : [];
  return [...own, ...Object.values(node).flatMap(references)];
}

function fields(schema: SchemaNode, path: string): readonly (readonly [string, SchemaNode])[] {
  const named = Object.keys(schema.properties ?? {}).map(
    (key) => [`${path}.${key}`, childSchema(schema, key)] as const,
  );
  return named.flatMap((entry) => [entry, ...fields(entry[1], entry[0])]);
}

const { decimal, decimalOrEmpty, buyAmount, buyAmountOrEmpty, fee, percent } = validators;
const AMOUNTS = { decimal, decimalOrEmpty, buyAmount, buyAmountOrEmpty, fee, percent };
const names = Object.keys(AMOUNTS) as (keyof typeof AMOUNTS)[];

describe('validators', () => {
  test('exist for each definition and manifest kind, and for each document that is read again', () => {
    const expected = [
      ...Object.keys(service.definitions),
      ...SCHEMA_IDS.map((kind) => `manifest${kind}`),
      ...['plan', 'report', 'drift', 'status', 'log', 'fleet', 'result', 'policy'].map(
        (word) => `${word}Schema`,
      ),
      ...['manifestValidators', 'writeValidators', 'documentValidators'],
    ];
    expect(Object.keys(validators).sort()).toEqual(expected.sort());
  });

  test('amounts: the pattern of each definition and its written range agree', () => {
    const text = fc.oneof(
      fc.stringMatching(/^[0-9]{0,8}(?:\.[0-9]{0,13})?$/),
      fc.constantFrom(
        '',
        '0',
        '0.0',
        '1000',
        '1000.0',
        '1000.000000000001',
        '100',
        '100.1',
        '1000000',
        '1000000.1',
        '999999.999999999999',
      ),
    );
    const vacuous = new Vacuous();
    fc.assert(
      fc.property(fc.constantFrom(...names), text, (name, value) => {
        // Leading zeros are for manifests alone to refuse.
        if (/^0[0-9]/.test(value)) return vacuous.add();
        expect(AMOUNTS[name](value)).toBe(
          amountProblem(value, service.definitions[name] ?? {}) === undefined,
        );
      }),
      { numRuns: 3_000 },
    );
    vacuous.expectAtMost(0.1, 3_000);
  });

  test('are strict: numbers are no amounts, and neither are numbers with leading zeros', () => {
    const value = parseAllDocuments(label('x'))[0]?.toJS() as unknown;
    expect(validators.manifestLabel(value)).toBe(true);
    const task = (amount: unknown) => {
      const config = { tip_amount: '0', priority_fee: '0', slippage: amount };
      return validators.manifestSniperTask({ spec: { config: { relay_mode: config } } })
        ? []
        : (validators.manifestSniperTask.errors ?? []);
    };
    const at = '/spec/config/relay_mode/slippage';
    expect(task('7').filter(({ instancePath }) => instancePath === at)).toEqual([]);
    expect(task(7).filter(({ instancePath }) => instancePath === at)).toHaveLength(1);
    expect(task('07').filter(({ instancePath }) => instancePath === at)).toHaveLength(1);
  });
});

describe('the common parts of several documents', () => {
  interface Node {
    readonly properties?: Readonly<Record<string, Node>>;
    readonly definitions?: Readonly<Record<string, Node>>;
  }
  const read = (name: string) =>
    JSON.parse(readFileSync(join(ROOT, `schemas/${name}.schema.json`), 'utf8')) as Node;
  const DOCUMENTS = ['report', 'drift', 'status'];
  const SHARED: readonly (readonly [string, readonly string[], (document: Node) => Node | undefined])[] = [
    ['tool', DOCUMENTS, ({ properties, definitions }) => properties?.tool ?? definitions?.tool],
    ['service', DOCUMENTS, ({ properties, definitions }) => properties?.service ?? definitions?.service],
  ];

  test.each(SHARED)('%s has one shape, in self-contained files', (_name, files, find) => {
    const shapes = files.map((file) =>
      JSON.stringify(find(read(file)), (key, value: unknown) => (key === 'description' ? undefined : value)),
    );
    expect(shapes[0]).toBeDefined();
    expect(shapes).toEqual(files.map(() => shapes[0]));
  });
});

test('the committed files are current', () => {
  execFileSync(process.execPath, [join(ROOT, 'schemas/generate.mjs'), '--check'], { stdio: 'pipe' });
});
