import { childSchema, LOOSE, OPEN, type SchemaNode } from '../../manifest/schema.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { itemSchema, type ManifestField } from './field-schema.ts';

const WALLET = 'C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG';

/** Example values by field name, for fields whose schema says too little. The first value that the schema accepts is used. */
const KNOWN: Readonly<Record<string, Json>> = {
  apiVersion: 'tradeform/v1',
  name: 'dawn',
  id: '5e0c2f6e-9d0f-4a35-8a4e-0f3d1b2c4a5e',
  previous_name: 'sunrise',
  annotations: { 'lint.tradeform/dex-source-global': 'The desk keeps the list, see its runbook.' },
  state: 'active',
  rearm: 'a',
  remark: 'Early launches',
  label: 'steady',
  extends: ['follow', 'fees-fast'],
  ignore_changes: ['config.relay_mode.tip_amount'],
  sort_order: 10,
  rows: [{ name: 'whale-20', size: '0.1' }],
  rows_from: 'whales.csv',
  note: 'seen since May',
  resources: ['label/High risk', 'sniper-template/Base'],
  manifests: ['manifests/**/*.yaml'],
  base_url: 'https://example.invalid/v1',
  login_username: 'harbor-desk',
  project: 'accounts/*',
  project_name: 'harbor',
  token_file: '/run/secrets/eu.token',
  token_env: 'TOKEN_EU',
  channels: { desk: { type: 'slack', url_env: 'SLACK_URL' } },
  memory: 'notified.json',
  url_env: 'SLACK_URL',
  url_file: '/run/secrets/slack.url',
  chat: '-1001234567890',
  secret_env: 'OPS_KEY',
  secret_file: '/run/secrets/ops.key',
  exposure_above: '5',
  tags: ['eu'],
  token_prefix: 'svc_live_7a9e0c31',
  variables: { tip: '0.002' },
  target: 'sniper/*',
  patch: { spec: { config: { buy_amount: '0.01' } } },
  message: 'Snipers above 0.25 SOL need Mira',
  file: 'policies/small-snipers.yaml',
  schema: {
    properties: {
      spec: { properties: { config: { properties: { buy_amount: { decimalMaximum: '0.25' } } } } },
    },
  },
  max_deletes: '20%',
  protect: ['copy-trade/whale-*'],
  allowed_wallets: ['whale-7'],
  forbidden_wallets: ['So11111111111111111111111111111111111111112'],
  require_label: true,
};
/** Example keys of maps with free keys. */
const KEYS: Readonly<Record<string, string>> = {
  environments: 'production',
  wallets: 'whale-7',
  channels: 'desk',
  rows: 'name',
};
/** Optional fields that the example of a mapping shows. */
const SHOWN: ReadonlySet<string> = new Set([
  'base_url',
  'token_file',
  'account',
  'login_username',
  'limit',
  'update',
  'tasks',
  'adopt',
  'name',
  'rows',
  'spec',
]);
const AMOUNTS: readonly (readonly [RegExp, string])[] = [
  [/tip|fee/, '0.001'],
  [/^trigger$|^sell$/, '50'],
  [/slippage/, '15'],
  [/market_cap/, '100000'],
  [/expiry|delay/, '240'],
  [/max_(changes|starts|factor)/, '5'],
  [/./, '0.5'],
];

/** Example items of lists for which the example of the whole value is no list. */
const ITEMS: Readonly<Record<string, Json>> = { require_label: 'steady' };

/** An example value of a field, as in a manifest. Undefined if the service documents none. */
export function exampleAt({ path, schema }: Pick<ManifestField, 'path' | 'schema'>): Json | undefined {
  const names = fieldNamesIn(path);
  const last = names.at(-1) ?? '';
  // `limit` has the values of its guardrail.
  return exampleOf(schema, last === 'limit' ? (names.at(-2) ?? last) : last);
}

/** The names in a path, without indexes. */
export function fieldNamesIn(path: string): readonly string[] {
  return path.replace(/\[\d+\]/g, '').split('.');
}

function exampleOf(schema: SchemaNode, name: string): Json | undefined {
  if (schema === OPEN || schema === LOOSE) return undefined;
  if (schema.const !== undefined) return schema.const;
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  if (known !== undefined && isOfType(known, schema)) return known;
  const item = ITEMS[name] ?? (Array.isArray(known) ? known[0] : undefined);
  if (item !== undefined && isOfType(item, schema)) return item;
  if (schema.enum !== undefined)
    return schema.enum.find((value) => value !== schema.default) ?? schema.enum[0];
  const [type] = [schema.type ?? 'object'].flat();
  if (schema['x-decimal'] !== undefined) return AMOUNTS.find(([pattern]) => pattern.test(name))?.[1];
  if (schema['x-address'] === true) return WALLET;
  if (schema['x-duration'] === true) return '60s';
  if (type === 'boolean') return schema.default !== true;
  if (type === 'integer') return 1;
  if (type === 'array') return listOf(schema, name);
  if (type === 'object') return mappingOf(schema, name);
  if (schema['x-scalar'] === true) return '0.1';
  return schema.description?.includes('not documented') === true ? undefined : 'Some text';
}

function listOf(schema: SchemaNode, name: string): Json | undefined {
  const item = itemSchema(schema);
  const value = item === undefined ? undefined : exampleOf(item, name);
  if (value === undefined) return (schema.minItems ?? 0) === 0 ? [] : undefined;
  return [value];
}

function mappingOf(schema: SchemaNode, name: string): Json | undefined {
  if (schema['x-loose'] === true) return { config: { buy_amount: '0.01' } };
  const names = Object.keys(schema.properties ?? {});
  const chosen = names.filter((child) => schema.required?.includes(child) === true || SHOWN.has(child));
  const children = (chosen.length === 0 ? names.slice(0, 1) : chosen).flatMap((child) => {
    const value = exampleOf(childSchema(schema, child), child === 'limit' ? name : child);
    return value === undefined ? [] : [[child, value] as const];
  });
  if (names.length > 0) return Object.fromEntries(children);
  const key = KEYS[name] ?? 'name';
  const value = exampleOf(childSchema(schema, key), key);
  return value === undefined ? undefined : ({ [key]: value } satisfies JsonObject);
}

function isOfType(value: Json, schema: SchemaNode): boolean {
  const types = [schema.type ?? 'object'].flat();
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'number') return types.includes('integer') || types.includes('number');
  return types.includes(value === null ? 'null' : typeof value);
}
