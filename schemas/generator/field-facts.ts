import { LOOSE, OPEN, type SchemaNode } from '../../src/core/manifest/schema.ts';
import type { Json } from '../../src/core/model/json.ts';
import { count } from '../../src/core/model/named.ts';
import { itemSchema, type ManifestField } from './field-schema.ts';

/** Missing facts are null, so that every field has the same keys. */
export function factsOf({ schema, required, among }: Pick<ManifestField, 'schema' | 'required' | 'among'>) {
  const items = itemSchema(schema);
  return {
    description: schema.description ?? (among === undefined ? null : `One of these: ${among}`),
    type: typeWords(schema),
    required: required ?? null,
    default: schema.default ?? null,
    unit: schema['x-unit'] ?? null,
    limits: limitsOf(schema) ?? null,
    values: valuesOf(items ?? schema) ?? null,
  };
}

function typeWords(schema: SchemaNode): string {
  if (schema === OPEN) return 'not documented by the service; passes through';
  if (schema === LOOSE) return 'the type of the patched field';
  const scalar = scalarWords(schema);
  const types = [schema.type ?? (schema.const === undefined ? 'object' : 'string')].flat();
  const words = types.map((type) => {
    if (type === 'array') return listWords(schema);
    const own = type === 'object' || type === 'null' || type === 'boolean' ? undefined : scalar;
    return own ?? WORDS[type] ?? type;
  });
  return [...new Set(words)].join(' or ');
}

/** The meaning of a text or number. */
function scalarWords(schema: SchemaNode): string | undefined {
  if (schema['x-decimal'] !== undefined) return isShare(schema) ? 'whole number or percentage' : 'amount';
  if (schema['x-address'] === true) return 'wallet';
  return schema['x-duration'] === true ? 'duration' : undefined;
}

/** True for a count or a percentage of a whole. */
function isShare({ type, pattern = '' }: SchemaNode): boolean {
  return [type].flat().includes('integer') && pattern.includes('%');
}

function listWords(schema: SchemaNode): string {
  const item = typeWords(itemSchema(schema) ?? OPEN);
  return `${schema['x-set'] === true ? 'set' : 'list'} of ${MANY[item] ?? item}`;
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'mapping',
  boolean: 'true or false',
  integer: 'whole number',
};
const MANY: Readonly<Record<string, string>> = {
  mapping: 'mappings',
  text: 'texts',
  wallet: 'wallets',
  'not documented by the service; passes through': 'not documented by the service; passes through',
};

function valuesOf(schema: SchemaNode): readonly Json[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const];
}

/** `greater than 0, at most 1000000`. Undefined without limits. */
function limitsOf(schema: SchemaNode): string | undefined {
  const { minItems, maxItems, minLength, maxLength } = schema;
  const decimal = schema['x-decimal'];
  const words = [
    ...(decimal === undefined ? [] : decimalWords(decimal)),
    ...(minItems === undefined ? [] : [`at least ${count(minItems, 'item')}`]),
    ...(maxItems === undefined ? [] : [`at most ${count(maxItems, 'item')}`]),
    // The form of an amount limits its length.
    ...(decimal !== undefined || minLength === undefined
      ? []
      : [`at least ${count(minLength, 'character')}`]),
    ...(decimal !== undefined || maxLength === undefined ? [] : [`at most ${count(maxLength, 'character')}`]),
  ];
  return words.length === 0 ? undefined : words.join(', ');
}

function decimalWords({ above, min, max, empty }: NonNullable<SchemaNode['x-decimal']>): readonly string[] {
  return [
    ...(above === undefined ? [] : [`greater than ${above}`]),
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(empty === true ? ['or ""'] : []),
  ];
}
