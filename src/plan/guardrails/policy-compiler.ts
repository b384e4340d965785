import type { Path } from '../../manifest/spans.ts';
import { nearest } from '../../manifest/suggest.ts';
import { MOST } from '../../model/bounds.ts';
import { isDecimal } from '../../model/decimal.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Policy } from './compiled.ts';
import { dotted, JSON_TYPES, problemsOf, sizeOf, TooManySteps } from './policy-check.ts';

type CompiledPolicy = { readonly check: Policy['check'] } | { readonly problems: readonly SchemaProblem[] };

/**
 * A policy's schema, ready to check documents: a part of draft-07, in which unknown keywords are errors; `decimalMaximum` and
 * `decimalMinimum` compare amounts, which are texts, by their exact value, and `wildcard` compares text. Anyone who opens a pull
 * request can write one: without references and regular expressions, its parts times the values of a document are all that it
 * looks at.
 */
export function compilePolicy(schema: Json): CompiledPolicy {
  const problems = schemaProblems(schema);
  if (problems.length > 0) return { problems };
  return {
    check: (document, room = { left: MOST.documentSteps }) => {
      const own = { left: Math.min(room.left, MOST.documentSteps) };
      const before = own.left;
      try {
        return problemsOf(schema, document, own);
      } catch (error) {
        if (!(error instanceof TooManySteps)) throw error;
        return [TOO_MANY];
      } finally {
        room.left -= before - own.left;
      }
    },
  };
}

const TOO_MANY = {
  path: '',
  value: undefined,
  text: 'cannot be checked: its schema takes too many steps, or all policies together do',
  hint: 'Correct the schema of the policy.',
};

/** A problem that makes a JSON Schema unusable as a policy, and its place in the schema. */
interface SchemaProblem {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
}

/** What a keyword takes. */
type Takes = (value: Json, path: Path) => readonly SchemaProblem[];

function takes(what: string, is: (value: Json) => boolean): Takes {
  return (value, path) => (is(value) ? [] : [{ path, message: `${dotted(path)} must be ${what}` }]);
}

const isText = (value: Json): value is string => typeof value === 'string';
const anything: Takes = () => [];
const text = takes('text', isText);
const flag = takes('true or false', (value) => typeof value === 'boolean');
const count = takes('a whole number, 0 or more', (value) => Number.isInteger(value) && Number(value) >= 0);
const names = takes('a list of names', (value) => Array.isArray(value) && value.every(isText));
const values = takes('a list of values', (value) => Array.isArray(value) && value.length > 0);
const amount: Takes = (value, path) =>
  isDecimal(String(value))
    ? []
    : [
        {
          path,
          message: `${dotted(path)} cannot be ${JSON.stringify(value)}`,
          hint: 'an amount, such as "0.5"',
        },
      ];
const wildcard = takes(
  `text of at most ${MOST.addressPattern} characters`,
  (value) => isText(value) && value.length <= MOST.addressPattern,
);

const type: Takes = (value, path) => {
  const list = Array.isArray(value) ? value.map((one, index) => ({ one, at: [...path, index] })) : undefined;
  return (list ?? [{ one: value, at: path }]).flatMap(({ one, at }) =>
    JSON_TYPES.some((name) => name === one)
      ? []
      : [
          {
            path: at,
            message: `${dotted(at)} cannot be ${JSON.stringify(one)}`,
            hint: `one of ${JSON_TYPES.join(', ')}`,
          },
        ],
  );
};

const schemas: Takes = (value, path) =>
  Array.isArray(value) && value.length > 0
    ? value.flatMap((one, index) => partProblems(one, [...path, index]))
    : [{ path, message: `${dotted(path)} must be a list of schemas` }];

const itemSchemas: Takes = (value, path) =>
  Array.isArray(value) ? schemas(value, path) : partProblems(value, path);

function each(one: Takes): Takes {
  return (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, child]) => one(child, [...path, name]))
      : [{ path, message: `${dotted(path)} must be a mapping` }];
}

/** The keywords of draft-07 that a policy may have, and two for amounts and one for text. */
const KEYWORDS: ReadonlyMap<string, Takes> = new Map<string, Takes>([
  ...(['title', 'description', '$comment'] as const).map((name) => [name, text] as const),
  ...(['default', 'examples', 'const'] as const).map((name) => [name, anything] as const),
  ...(['allOf', 'anyOf', 'oneOf'] as const).map((name) => [name, schemas] as const),
  ...(['not', 'if', 'then', 'else', 'contains', 'additionalItems'] as const).map(
    (name) => [name, partProblems] as const,
  ),
  ...(['additionalProperties', 'propertyNames'] as const).map((name) => [name, partProblems] as const),
  ...(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const).map(
    (name) => [name, count] as const,
  ),
  ...(['decimalMaximum', 'decimalMinimum'] as const).map((name) => [name, amount] as const),
  ['type', type],
  ['enum', values],
  ['properties', each(partProblems)],
  ['required', names],
  [
    'dependencies',
    each((value, path) => (Array.isArray(value) ? names(value, path) : partProblems(value, path))),
  ],
  ['items', itemSchemas],
  ['uniqueItems', flag],
  ['wildcard', wildcard],
]);

const NUMBERS = 'compares numbers, but amounts are texts: it would check nothing';
const REFERENCES = 'refers to another part of a schema, and a policy has no references';
const EXPRESSIONS = 'takes a regular expression, and a policy has none';
const AMOUNTS = 'compare amounts with decimalMaximum and decimalMinimum, such as decimalMaximum: "0.5"';
const IN_PLACE = 'write the schema where it is needed';
const STARS = 'compare text with wildcard, in which * stands for any text: wildcard: "night-*"';
/** Keywords of draft-07 that a policy does not have: why, and what to write instead. */
const REFUSED: ReadonlyMap<string, readonly [why: string, hint: string]> = new Map<
  string,
  readonly [string, string]
>([
  ...['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum', 'multipleOf'].map(
    (name) => [name, [NUMBERS, AMOUNTS]] as const,
  ),
  ...['$ref', '$id', 'definitions', '$defs'].map((name) => [name, [REFERENCES, IN_PLACE]] as const),
  ...['pattern', 'patternProperties', 'format'].map((name) => [name, [EXPRESSIONS, STARS]] as const),
]);

/** Keywords that check nothing without one of the others. */
const NEEDS: readonly (readonly [keyword: string, others: readonly string[]])[] = [
  ['if', ['then', 'else']],
  ['then', ['if']],
  ['else', ['if']],
  ['additionalItems', ['items']],
];

const DRAFT = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
/** A part of a schema is checked with a call for each level. */
const DEEPEST = 200;

/** What makes a schema unusable: too much of it, an unknown keyword, or a value that its keyword does not take. */
function schemaProblems(schema: Json): readonly SchemaProblem[] {
  const size = sizeOf(schema, DEEPEST);
  if (size === Number.POSITIVE_INFINITY) return [{ path: [], message: 'the schema is nested too deeply' }];
  if (size > MOST.policySize)
    return [{ path: [], message: `${size} values in the schema; at most ${MOST.policySize}` }];
  if (!isObject(schema) || !Object.hasOwn(schema, '$schema')) return partProblems(schema, []);
  const { $schema: draft, ...rest } = schema;
  if (isText(draft ?? null) && DRAFT.test(String(draft))) return partProblems(rest, []);
  return [{ path: ['$schema'], message: 'policies are written in draft-07', hint: 'remove $schema' }];
}

function partProblems(part: Json, path: Path): readonly SchemaProblem[] {
  if (typeof part === 'boolean') return [];
  if (!isObject(part)) {
    const name = path.length === 0 ? 'the schema' : dotted(path);
    return [{ path, message: `${name} must be a schema: a mapping, or true or false` }];
  }
  return Object.entries(part).flatMap(([keyword, value]) => {
    const at = [...path, keyword];
    const known = KEYWORDS.get(keyword);
    return known === undefined ? [unknown(keyword, at)] : [...known(value, at), ...idle(keyword, part, at)];
  });
}

function idle(keyword: string, part: JsonObject, path: Path): readonly SchemaProblem[] {
  const others = NEEDS.find(([name]) => name === keyword)?.[1] ?? [];
  if (others.length === 0 || others.some((name) => Object.hasOwn(part, name))) return [];
  return [{ path, message: `${keyword} checks nothing without ${others.join(' or ')}` }];
}

function unknown(keyword: string, path: Path): SchemaProblem {
  const [why, instead] = REFUSED.get(keyword) ?? [];
  if (why !== undefined && instead !== undefined)
    return { path, message: `${keyword} ${why}`, hint: instead };
  const near = nearest(keyword, KEYWORDS.keys());
  const hint = near === undefined ? {} : { hint: `did you mean ${near}?` };
  return { path, message: `unknown keyword ${keyword}`, ...hint };
}
