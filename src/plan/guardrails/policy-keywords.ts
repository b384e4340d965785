import type { Path } from '../../manifest/spans.ts';
import { isObject, type Json } from '../../model/json.ts';
import { repeatsRepetition } from './policy-patterns.ts';

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

/** What draft-07 allows and a policy cannot use, each at its place: it would check nothing, or never end. */
export function unusableKeywords(schema: Json, path: Path = []): readonly SchemaProblem[] {
  if (Array.isArray(schema)) return schema.flatMap((item, index) => unusableKeywords(item, [...path, index]));
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = [...path, keyword];
    if (NUMERIC.has(keyword)) return [numeric(keyword, at)];
    if (keyword === '$async' && value !== false) return [async(at)];
    if (VALUES.has(keyword)) return [];
    if (keyword === 'pattern' && typeof value === 'string') return endless(value, at);
    if (!NAMED.has(keyword) || !isObject(value)) return unusableKeywords(value, at);
    return Object.entries(value).flatMap(([name, child]) => [
      ...(keyword === 'patternProperties' ? endless(name, [...at, name]) : []),
      ...unusableKeywords(child, [...at, name]),
    ]);
  });
}

function numeric(keyword: string, path: Path): SchemaProblem {
  return {
    path,
    message: `${keyword} compares numbers, and amounts are texts: it would check nothing`,
    hint: 'decimalMaximum and decimalMinimum compare amounts, as in decimalMaximum: "0.5"',
  };
}

function endless(pattern: string, path: Path): readonly SchemaProblem[] {
  if (!repeatsRepetition(pattern)) return [];
  return [
    {
      path,
      message: `the pattern ${pattern} repeats a repetition: a text that does not pass could be tried for hours`,
      hint: 'repeat once, ([a-z]+)* is [a-z]*; or have something between that cannot be left out, as in ([a-z]+-)*',
    },
  ];
}

function async(path: Path): SchemaProblem {
  return { path, message: 'a policy is checked at once, and cannot be $async', hint: 'leave $async out' };
}
