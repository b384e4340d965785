import type { Json, JsonObject } from '../../src/core/model/json.ts';
import { type OpenApi, type Schema, valueAt } from './document.ts';

/** One way to spoil a body. */
export interface Mutation {
  readonly name: string;
  readonly body: Json;
}

/**
 * Everything that can be done wrong at one place of a body, found by walking schema and value together. Whether the result
 * is wrong is for the document to say: an unknown field in an open object is not.
 */
export function mutations(document: OpenApi, reference: string, body: Json): readonly Mutation[] {
  const found: Mutation[] = [];
  walk(document, { $ref: reference }, body, (changed) => changed, '$', found);
  return found;
}

function walk(
  document: OpenApi,
  reference: Schema,
  value: Json,
  put: (part: Json) => Json,
  path: string,
  found: Mutation[],
): void {
  const schema = reference.$ref === undefined ? reference : (valueAt(document, reference.$ref) as Schema);
  const add = (name: string, part: Json) => found.push({ name: `${path}: ${name}`, body: put(part) });
  if (schema['x-decimal'] !== undefined) spoilDecimal(schema, add);
  else if (typeof value === 'string') spoilText(schema, add);
  else if (typeof value === 'boolean') add('text for a flag', String(value));
  else if (typeof value === 'number') add('text for a number', String(value));
  else if (Array.isArray(value)) {
    spoilArray(schema, value, add);
    const [first] = value;
    if (schema.items !== undefined && first !== undefined) {
      walk(document, schema.items, first, (part) => put([part, ...value.slice(1)]), `${path}.0`, found);
    }
  } else if (typeof value === 'object' && value !== null) {
    spoilObject(document, schema, value as JsonObject, add);
    for (const [key, part] of Object.entries(value as JsonObject)) {
      const inner = schema.properties?.[key];
      if (inner === undefined) continue;
      walk(
        document,
        inner,
        part,
        (changed) => put({ ...(value as JsonObject), [key]: changed }),
        `${path}.${key}`,
        found,
      );
    }
  }
}

type Add = (name: string, part: Json) => void;

function spoilDecimal(schema: Schema, add: Add): void {
  const range = schema['x-decimal'] ?? {};
  add('a JSON number', 0.5);
  add('no decimal', '1e3');
  add('13 fractional digits', '0.1234567890123');
  add('33 characters', '1'.padStart(33, '0'));
  // Whether the unused side of a copy-trade config may hold such an amount is not shown.
  if (range.above !== undefined && range.empty === true) return;
  if (range.max !== undefined) add('above the range', `${range.max}.000000000001`);
  if (range.above !== undefined) add('not above the bound', range.above);
  if (range.empty !== true) add('empty', '');
}

function spoilText(schema: Schema, add: Add): void {
  add('a number for text', 7);
  if (schema.maxLength !== undefined) add('too long', 'A'.repeat(schema.maxLength + 1));
  if (schema.minLength !== undefined) add('too short', 'A'.repeat(schema.minLength - 1));
  if (schema.enum !== undefined) add('not of the list', 'something-else');
}

function spoilArray(schema: Schema, value: readonly Json[], add: Add): void {
  add('an object for a list', {});
  const [first] = value;
  if (first === undefined) return;
  if (schema.minItems !== undefined) add('too few items', []);
  if (schema.maxItems !== undefined)
    add(
      'too many items',
      Array.from({ length: schema.maxItems + 1 }, () => first),
    );
  if (schema.uniqueItems === true) add('an item twice', [...value.slice(0, 2), first]);
}

function spoilObject(document: OpenApi, schema: Schema, value: JsonObject, add: Add): void {
  add('a list for an object', []);
  add('an unknown field', { ...value, user_id: 'somebody' });
  if (schema.minProperties !== undefined) add('no field at all', {});
  for (const name of schema.required ?? []) {
    const property = schema.properties?.[name];
    const resolved = property?.$ref === undefined ? property : (valueAt(document, property.$ref) as Schema);
    // Whether a required field with a default is filled in is not shown.
    if (property?.default !== undefined || resolved?.default !== undefined) continue;
    const { [name]: _without, ...rest } = value;
    add(`without ${name}`, rest);
  }
}
