import { nearest } from '../diagnostics/suggest.ts';
import { isObject, type Json } from '../model/json.ts';
import { ETHEREUM_ADDRESS, ETHEREUM_HINT } from './addresses.ts';
import { childSchema, type SchemaNode, schemaAt } from './schema.ts';
import type { Finding } from './source.ts';
import { formatPath, type Path } from './spans.ts';

/** A finding of the validator at a path. `key` moves it from the value to the key of that field. */
export interface ShapeFinding extends Pick<Finding, 'code' | 'message' | 'hint'> {
  readonly path: Path;
  /** The missing field at the path. */
  readonly missing?: string;
  readonly on: 'key' | 'value';
}

/** Names from the service, the web application or other programs, and the path of the intended field. */
const MEANT: readonly (readonly [RegExp, string])[] = [
  [/^risk_label(?:_id)?$/, 'spec.label'],
  [/^(?:is_active|status)$/, 'spec.state'],
  [/^note$/, 'spec.remark'],
  [/^wallet$/, 'spec.target_wallet'],
  [/^dex(?:es)?$/, 'spec.config.selected_dexes'],
  [/^(?:tp|take_?profits?)$/i, 'spec.config.auto_sell.tp_orders'],
  [/^(?:sl|stop_?loss(?:es)?)$/i, 'spec.config.auto_sell.sl_orders'],
  [/^trailing(?:_?stop)?(?:_?loss)?$/i, 'spec.config.auto_sell.trailing_take_profit'],
];
const YES: ReadonlySet<string> = new Set(['yes', 'on', 'y', 'true']);
const NO: ReadonlySet<string> = new Set(['no', 'off', 'n', 'false']);

/** A field that its parent lacks, with the field that was probably meant. */
export function unknownField(parent: Path, field: string, root: SchemaNode): ShapeFinding {
  const schema = schemaAt(root, parent);
  const names = Object.keys(schema.properties ?? {});
  const where = parent.length === 0 ? 'the manifest' : formatPath(parent);
  return {
    path: [...parent, field],
    on: 'key',
    code: 'unknown-field',
    message: `${where} has no field ${field}`,
    hint: fieldHint(field, names, schema, parent, root),
  };
}

function fieldHint(
  field: string,
  names: readonly string[],
  schema: SchemaNode,
  parent: Path,
  root: SchemaNode,
): string | undefined {
  const meant = MEANT.find(([pattern]) => pattern.test(field))?.[1].split('.') ?? [];
  const has = (name: string, at: number, path: readonly string[]) =>
    Object.hasOwn(schemaAt(schema, path.slice(0, at)).properties ?? {}, name);
  const path = meant.map((_, from) => meant.slice(from)).find((rest) => rest.every(has));
  if (path !== undefined) return `did you mean ${path.join('.')}?`;
  const near = nearest(field, names);
  if (near !== undefined) return `did you mean ${near}?`;
  const below = names.find((name) => Object.hasOwn(childSchema(schema, name).properties ?? {}, field));
  if (below !== undefined) return `${field} belongs under ${formatPath([...parent, below])}`;
  const above = parent.slice(0, -1);
  if (parent.length > 0 && Object.hasOwn(schemaAt(root, above).properties ?? {}, field)) {
    return above.length === 0
      ? `${field} belongs at the top of the manifest`
      : `${field} belongs under ${formatPath(above)}`;
  }
  return names.length === 0 ? undefined : `the fields are ${names.join(', ')}`;
}

/** A value of the wrong type. `source` is its source text. */
export function wrongType(name: string, value: Json | undefined, schema: SchemaNode, source: string) {
  const wanted = typeWords(schema);
  return {
    code: 'wrong-type',
    message:
      value === null
        ? `${name} is empty, but must be ${wanted}`
        : `${name} is ${valueWords(value, source)}, not ${wanted}`,
    hint: typeHint(name, value, schema, source),
  } as const;
}

function typeWords(schema: SchemaNode): string {
  if (schema['x-decimal'] !== undefined) return 'an amount';
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'integer') return 'a whole number';
  if (schema.type === 'array') return 'a list';
  if (schema.type === 'object') return 'a mapping';
  return 'text';
}

/** What a field wants, without a word about its value. Undefined if its schema says nothing. */
export function formWords(schema: SchemaNode): string | undefined {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  if (schema.description !== undefined) return schema.description;
  return schema.type === undefined && schema['x-decimal'] === undefined ? undefined : typeWords(schema);
}

function valueWords(value: Json | undefined, source: string): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'a mapping';
  if (typeof value === 'string') return `the text ${JSON.stringify(clip(value))}`;
  return typeof value === 'number' ? `the number ${clip(source)}` : clip(source);
}

function typeHint(
  name: string,
  value: Json | undefined,
  schema: SchemaNode,
  source: string,
): string | undefined {
  const field = name.slice(name.lastIndexOf('.') + 1);
  if (source.length > LONGEST) return schema.description;
  if (schema['x-duration'] === true && typeof value === 'number') return `write ${source}s`;
  if (value === null) return schema.description ?? 'write a value, or leave the field out';
  if (schema.type === 'boolean') {
    const word = String(value).toLowerCase();
    if (YES.has(word)) return `write ${field}: true`;
    if (NO.has(word)) return `write ${field}: false`;
  }
  if (schema['x-decimal'] !== undefined) return 'for example "0.5"';
  if (schema['x-address'] === true && ETHEREUM_ADDRESS.test(source)) return ETHEREUM_HINT;
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  if (schema.type === 'string' && (typeof value === 'number' || typeof value === 'boolean'))
    return `write "${source}" in quotes`;
  if (schema.type === 'array' && value !== undefined && !isObject(value))
    return `write ${field}: [${
      WORDS.test(String(value))
        ? String(value)
            .match(/[^\s,;]+/g)
            ?.join(', ')
        : source
    }]`;
  if (schema.type === 'integer' && typeof value === 'string' && /^-?[0-9]+$/.test(value))
    return `write ${field}: ${value} without quotes`;
  return schema.description;
}

/** A hint repeats no more of a file. It is never cut: that would be something else to write. */
const LONGEST = 1_000;
/** A list as a variable of the environment holds one. */
const WORDS = /^[\w.-]+(?:[\s,;]+[\w.-]+)*[\s,;]*$/;

function clip(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > 40 ? `${line.slice(0, 40)}…` : line;
}
