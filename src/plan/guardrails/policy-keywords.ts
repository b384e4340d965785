import type { Path } from '../../manifest/spans.ts';
import { nearest } from '../../manifest/suggest.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { Patterns } from './policy-patterns.ts';

/** A problem that makes a JSON Schema unusable as a policy, and its place in the schema. */
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
/** Keywords whose fields are names chosen by the author, with a schema each. */
export const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'definitions',
  '$defs',
  'dependencies',
]);
const LONGEST_SHOWN = 60;
/** Keywords that contain values, in which nothing is a keyword. */
export const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

interface KnownKeywords {
  readonly patterns: Patterns;
  readonly isKnown: (keyword: string) => boolean;
}

/** Unknown keywords, and keywords of draft-07 that would check nothing or never end, each at its place. */
export function unusableKeywords(
  schema: Json,
  known: KnownKeywords,
  path: Path = [],
): readonly SchemaProblem[] {
  if (Array.isArray(schema))
    return schema.flatMap((item, index) => unusableKeywords(item, known, [...path, index]));
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = [...path, keyword];
    if (NUMERIC.has(keyword)) return [numeric(keyword, at)];
    if (keyword === '$async' && value !== false) return [async(at)];
    if (!known.isKnown(keyword)) return [unknown(keyword, at)];
    if (VALUES.has(keyword)) return [];
    if (keyword === 'pattern' && typeof value === 'string') return unmatchable(value, known.patterns, at);
    if (!NAMED.has(keyword) || !isObject(value)) return unusableKeywords(value, known, at);
    return Object.entries(value).flatMap(([name, child]) => [
      ...(keyword === 'patternProperties' ? unmatchable(name, known.patterns, [...at, name]) : []),
      ...unusableKeywords(child, known, [...at, name]),
    ]);
  });
}

function unknown(keyword: string, path: Path): SchemaProblem {
  const near = nearest(keyword, KEYWORDS);
  const hint = near === undefined ? {} : { hint: `did you mean ${near}?` };
  return { path, message: `unknown keyword ${keyword}`, ...hint };
}

const KEYWORDS = `type enum const properties required additionalProperties patternProperties propertyNames
  minProperties maxProperties dependencies items additionalItems contains minItems maxItems uniqueItems pattern
  minLength maxLength if then else allOf anyOf oneOf not definitions description title decimalMaximum decimalMinimum`.split(
  /\s+/,
);

function numeric(keyword: string, path: Path): SchemaProblem {
  return {
    path,
    message: `${keyword} compares numbers, but amounts are texts: it would check nothing`,
    hint: 'compare amounts with decimalMaximum and decimalMinimum, such as decimalMaximum: "0.5"',
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
      hint: 'patterns are matched in linear time: without (?=, (?!, (?<= and (?<!, and without back-references such as \\1',
    },
  ];
}

function async(path: Path): SchemaProblem {
  return { path, message: 'policies are synchronous: $async is not possible', hint: 'remove $async' };
}
