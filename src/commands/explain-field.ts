import { childSchema, type DecimalRange, LOOSE, OPEN, type SchemaNode } from '../manifest/schema.ts';
import type { Json } from '../model/json.ts';
import { count, hang, padEnd, wrap } from '../render/layout.ts';
import { painter } from '../render/style.ts';
import type { Explained } from './explained.ts';
import { type Field, findField } from './field-schema.ts';
import type { Io } from './io.ts';

/** Documentation of a field and of those below it, from the schemas. */
export function explainField(path: string): Explained {
  const field = findField(path);
  const below = fieldsBelow(field.schema);
  return {
    document: {
      field: { ...facts(field), fields: below.map(({ name, ...child }) => ({ name, ...factsOf(child) })) },
    },
    text: (io) => fieldText(field, below, io),
  };
}

interface Child {
  readonly name: string;
  readonly schema: SchemaNode;
  readonly required: boolean;
}

/** The fields of a mapping, or of the items of a list. */
function fieldsBelow(schema: SchemaNode): readonly Child[] {
  const parent = schema.type === 'array' ? childSchema(schema, 0) : schema;
  return Object.keys(parent.properties ?? {}).map((name) => ({
    name,
    schema: childSchema(parent, name),
    required: parent.required?.includes(name) === true,
  }));
}

function facts({ path, purpose, ...field }: Field) {
  return { path, ...(purpose === undefined ? {} : { for: purpose }), ...factsOf(field) };
}

/** What is not there is null, so that every field has the same keys. */
function factsOf({ schema, required }: Pick<Field, 'schema' | 'required'>) {
  const list = schema.type === 'array';
  return {
    description: schema.description ?? null,
    type: typeWords(schema),
    required: required ?? null,
    default: schema.default ?? null,
    unit: schema['x-unit'] ?? null,
    limits: limitsOf(schema) ?? null,
    values: valuesOf(list ? childSchema(schema, 0) : schema) ?? null,
  };
}

function typeWords(schema: SchemaNode): string {
  if (schema === OPEN) return 'not documented by the service; passes through';
  if (schema === LOOSE) return 'that of the field which is patched';
  const scalar = scalarWords(schema);
  const types = [schema.type ?? (schema.const === undefined ? 'object' : 'string')].flat();
  const words = types.map((type) => {
    if (type === 'array') return listWords(schema);
    const own = type === 'object' || type === 'null' || type === 'boolean' ? undefined : scalar;
    return own ?? WORDS[type] ?? type;
  });
  return [...new Set(words)].join(' or ');
}

/** What a text or number stands for. */
function scalarWords(schema: SchemaNode): string | undefined {
  if (schema['x-decimal'] !== undefined) return 'amount';
  if (schema['x-address'] === true) return 'wallet';
  return schema['x-duration'] === true ? 'duration' : undefined;
}

function listWords(schema: SchemaNode): string {
  const item = typeWords(childSchema(schema, 0));
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
  'not documented by the service; passes through': 'what the service does not document; passes through',
};

function valuesOf(schema: SchemaNode): readonly Json[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const];
}

/** `greater than 0, at most 1000000`; undefined where anything goes. */
function limitsOf(schema: SchemaNode): string | undefined {
  const { minItems, maxItems, minLength, maxLength } = schema;
  const decimal = schema['x-decimal'];
  const words = [
    ...(decimal === undefined ? [] : decimalWords(decimal)),
    ...(minItems === undefined ? [] : [`at least ${count(minItems, 'item')}`]),
    ...(maxItems === undefined ? [] : [`at most ${count(maxItems, 'item')}`]),
    // An amount’s length follows from its form.
    ...(decimal !== undefined || minLength === undefined
      ? []
      : [`at least ${count(minLength, 'character')}`]),
    ...(decimal !== undefined || maxLength === undefined ? [] : [`at most ${count(maxLength, 'character')}`]),
  ];
  return words.length === 0 ? undefined : words.join(', ');
}

function decimalWords({ above, min, max, empty }: DecimalRange): readonly string[] {
  return [
    ...(above === undefined ? [] : [`greater than ${above}`]),
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(empty === true ? ['or ""'] : []),
  ];
}

const MARGIN = 2;
/** Width of the names of facts. */
const LABEL = 10;
/** A longer name gets a line of its own. */
const NAME = 22;

function fieldText(
  field: Field,
  below: readonly Child[],
  { columns, color }: Pick<Io, 'columns' | 'color'>,
): string {
  const paint = painter(color.stdout);
  const {
    path,
    for: purpose,
    description,
    type,
    required,
    default: standard,
    unit,
    limits,
    values,
  } = {
    for: undefined,
    ...facts(field),
  };
  const fact = (name: string, text: string | null | undefined): readonly string[] =>
    text === null || text === undefined ? [] : hang(`  ${padEnd(name, LABEL)}`, text, columns);
  return [
    paint('title', path),
    ...(description === null ? [] : wrap(description, columns - MARGIN).map((line) => `  ${line}`)),
    '',
    ...fact('type', type),
    ...fact('for', purpose),
    ...fact('unit', unit),
    ...fact('limits', limits),
    ...fact('values', values?.map(shown).join(', ')),
    ...fact('required', required === null ? null : required ? requiredWords(path) : 'no'),
    ...fact('default', standard === null ? null : shown(standard)),
    ...(below.length === 0 ? [] : ['', paint('strong', 'Fields')]),
    ...below.flatMap((child) => childLines(child, columns)),
    '',
  ].join('\n');
}

function requiredWords(path: string): string {
  return path.includes('.config.') ? 'yes; what the manifest extends may give it' : 'yes';
}

function childLines({ name, schema, required }: Child, columns: number): readonly string[] {
  const { description, type, default: standard } = factsOf({ schema, required });
  const state = required ? ', required' : standard === null ? '' : `, default ${shown(standard)}`;
  const text = `${type}${state}${description === null ? '' : `: ${description}`}`;
  const head = `  ${padEnd(name, NAME)} `;
  return name.length <= NAME
    ? hang(head, text, columns)
    : [`  ${name}`, ...hang(' '.repeat(NAME + 3), text, columns)];
}

function shown(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
