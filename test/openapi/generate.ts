import Big from 'big.js';
import type { Json, JsonObject } from '../../src/core/model/json.ts';
import fc from '../properties.ts';
import { wallet } from '../support/builders.ts';
import { type OpenApi, type Schema, valueAt } from './document.ts';

/** Values that a schema of the document permits, where the interface leaves no doubt. */
export type Generate = (schema: Schema) => fc.Arbitrary<Json>;

export function generator(document: OpenApi): Generate {
  const made = new Map<string, fc.Arbitrary<Json>>();
  const generate: Generate = (schema) => {
    if (schema.$ref === undefined) return fromSchema(schema, generate);
    const known = made.get(schema.$ref) ?? fromSchema(valueAt(document, schema.$ref) as Schema, generate);
    made.set(schema.$ref, known);
    return known;
  };
  return (schema) => generate(schema).map(obeyRules);
}

function fromSchema(schema: Schema, generate: Generate): fc.Arbitrary<Json> {
  if (schema.const !== undefined) return fc.constant(schema.const as Json);
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as Json[]));
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(generate));
  if (schema['x-address'] === true) return fc.nat(5_000).map(wallet);
  if (schema['x-decimal'] !== undefined) return decimals(schema['x-decimal']);
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 });
    case 'string':
      return schema.format === 'uuid' ? fc.uuid() : texts(schema);
    case 'array':
      return arrays(schema, generate);
    case 'object':
      return objects(schema, generate);
    default:
      return fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>;
  }
}

/** Without spaces at either end, and of characters that count alike in every way of counting. */
function texts({ minLength = 0, maxLength = 20, pattern }: Schema): fc.Arbitrary<Json> {
  const charset = pattern === undefined ? 'abcXYZ0189 -_.,é漢*@' : 'abcXYZ0189-_.:';
  return fc
    .string({ unit: fc.constantFrom(...charset), minLength, maxLength, size: 'max' })
    .map((text) => text.replace(/^ | $/g, 'x'));
}

function decimals(range: NonNullable<Schema['x-decimal']>): fc.Arbitrary<Json> {
  const top = Number(range.max ?? '1000000');
  const fraction = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 12 });
  const plain = fc.nat(top - 1).map(String);
  const general = fc.oneof(
    plain,
    fc.tuple(plain, fraction).map(([whole, part]) => `${whole}.${part}`),
    fc.constantFrom(range.max ?? '999', range.min ?? '1', '0.000000000001'),
  );
  const above = general.map((text) =>
    range.above !== undefined && new Big(text).lte(range.above) ? '0.1' : text,
  );
  return range.empty === true ? fc.oneof(fc.constant(''), above) : above;
}

function arrays(schema: Schema, generate: Generate): fc.Arbitrary<Json> {
  const items =
    schema.items === undefined ? fc.constant({ note: 'shape not shown' }) : generate(schema.items);
  const lengths = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 3, 7) };
  return schema['x-set'] === true ? fc.uniqueArray(items, lengths) : fc.array(items, lengths);
}

function objects(schema: Schema, generate: Generate): fc.Arbitrary<Json> {
  const properties = Object.entries(schema.properties ?? {});
  const parts = Object.fromEntries(properties.map(([name, part]) => [name, generate(part)]));
  const least = schema.minProperties ?? 0;
  return fc
    .record(parts, { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true })
    .filter((value) => Object.keys(value).length >= least) as fc.Arbitrary<Json>;
}

const BOUNDS = [
  ['dev_min_amount', 'dev_max_amount'],
  ['market_cap_min', 'market_cap_max'],
  ['min_trade_amount', 'max_trade_amount'],
] as const;

/** The rules across fields, which the document says in words or in conditions. */
export function obeyRules(value: Json): Json {
  if (Array.isArray(value)) return value.map(obeyRules);
  if (typeof value !== 'object' || value === null) return value;
  const object: Record<string, Json> = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, obeyRules(part as Json)]),
  );
  for (const [low, high] of BOUNDS) {
    const [least, most] = [object[low], object[high]];
    if (isAmount(least) && isAmount(most) && new Big(least).gt(most))
      Object.assign(object, { [low]: most, [high]: least });
  }
  if (object.dev_sell_only === true || object.dev_sell_all_only === true) {
    object.selected_dexes = ['pump-fun', 'pump-amm'];
  }
  if (object.buy_config_mode === 'universal') {
    object.buy_config_universal = withAmount(object.buy_config_universal);
    object.buy_config_tiers = (object.buy_config_tiers as Json[]).map(notZero);
  }
  if (object.buy_config_mode === 'tiered') {
    const tiers = object.buy_config_tiers as Json[];
    object.buy_config_tiers = (tiers.length === 0 ? [object.buy_config_universal] : tiers).map(withAmount);
    object.buy_config_universal = notZero(object.buy_config_universal);
  }
  return object;
}

function isAmount(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/** Whether the unused side may hold 0 is not shown. */
function notZero(set: Json | undefined): Json {
  const { amount_sol } = set as JsonObject;
  return amount_sol === '' ? (set as Json) : withAmount(set);
}

function withAmount(set: Json | undefined): Json {
  const parameters = set as JsonObject;
  return {
    ...parameters,
    amount_sol: /[1-9]/.test(String(parameters.amount_sol)) ? String(parameters.amount_sol) : '0.1',
  };
}
