import type { Path } from '../../manifest/spans.ts';
import { isObject, type Json } from '../../model/json.ts';

/** What keeps a JSON Schema from being one, and where in it. */
export interface SchemaProblem {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
}

const NUMERIC: ReadonlySet<string> = new Set([
  'maximum',
  'minimum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'multipleOf',
]);
/** Their fields are names that the author chose, with a schema each. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'definitions',
  '$defs',
  'dependencies',
]);
/** They hold values, in which nothing is a keyword. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** Keywords of draft-07 that would check nothing in a policy, each at its place. */
export function inertKeywords(schema: Json, path: Path = []): readonly SchemaProblem[] {
  if (Array.isArray(schema)) return schema.flatMap((item, index) => inertKeywords(item, [...path, index]));
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = [...path, keyword];
    if (NUMERIC.has(keyword)) return [numeric(keyword, at)];
    if (keyword === '$async' && value !== false) return [async(at)];
    if (VALUES.has(keyword)) return [];
    if (!NAMED.has(keyword) || !isObject(value)) return inertKeywords(value, at);
    return Object.entries(value).flatMap(([name, child]) => inertKeywords(child, [...at, name]));
  });
}

function numeric(keyword: string, path: Path): SchemaProblem {
  return {
    path,
    message: `${keyword} compares numbers, and amounts are texts: it would check nothing`,
    hint: 'decimalMaximum and decimalMinimum compare amounts, as in decimalMaximum: "0.5"',
  };
}

function async(path: Path): SchemaProblem {
  return { path, message: 'a policy is checked at once, and cannot be $async', hint: 'leave $async out' };
}
