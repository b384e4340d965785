import type { Path } from '../../manifest/spans.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { Patterns } from './policy-patterns.ts';

/** A problem that keeps a JSON Schema from being a policy, and its place in the schema. */
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
export const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'definitions',
  '$defs',
  'dependencies',
]);
const LONGEST_SHOWN = 60;
/** They hold values, in which nothing is a keyword. */
export const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** Keywords that draft-07 allows and a policy cannot use, each at its place: they would check nothing, or never end. */
export function unusableKeywords(
  schema: Json,
  patterns: Patterns,
  path: Path = [],
): readonly SchemaProblem[] {
  if (Array.isArray(schema))
    return schema.flatMap((item, index) => unusableKeywords(item, patterns, [...path, index]));
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = [...path, keyword];
    if (NUMERIC.has(keyword)) return [numeric(keyword, at)];
    if (keyword === '$async' && value !== false) return [async(at)];
    if (VALUES.has(keyword)) return [];
    if (keyword === 'pattern' && typeof value === 'string') return unmatchable(value, patterns, at);
    if (!NAMED.has(keyword) || !isObject(value)) return unusableKeywords(value, patterns, at);
    return Object.entries(value).flatMap(([name, child]) => [
      ...(keyword === 'patternProperties' ? unmatchable(name, patterns, [...at, name]) : []),
      ...unusableKeywords(child, patterns, [...at, name]),
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

function unmatchable(pattern: string, patterns: Patterns, path: Path): readonly SchemaProblem[] {
  const linear = patterns.get(pattern);
  if (!('problem' in linear)) return [];
  const shown = pattern.length > LONGEST_SHOWN ? `${pattern.slice(0, LONGEST_SHOWN)}…` : pattern;
  return [
    {
      path,
      message: `the pattern ${shown} cannot be used: ${linear.problem}`,
      hint: 'patterns are matched in linear time: without (?=, (?!, (?<= and (?<!, and without references back such as \\1',
    },
  ];
}

function async(path: Path): SchemaProblem {
  return { path, message: 'a policy is checked at once, and cannot be $async', hint: 'leave $async out' };
}
