import { formatPath, type Path, pathBelow } from '../../manifest/spans.ts';
import { nearest } from '../../manifest/suggest.ts';
import { MOST } from '../../model/bounds.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import {
  canonicalJson,
  isObject,
  type Json,
  type JsonObject,
  jsonEqual,
  objectIn,
} from '../../model/json.ts';
import { matchesWildcard } from '../../model/wildcard.ts';
import type { Policy, PolicyProblem, PolicyRoom } from './compiled.ts';

type CompiledPolicy = { readonly check: Policy['check'] } | { readonly problems: readonly SchemaProblem[] };

/**
 * A policy's schema, ready to check documents: a part of draft-07, in which unknown keywords are errors; `decimalMaximum` and
 * `decimalMinimum` compare amounts, which are texts, by their exact value, and `wildcard` compares text. Anyone who opens a pull
 * request can write one: without references and regular expressions, its parts times the values of a document are all that it
 * looks at. A schema is a tree, so each of its parts looks at each value once at most. A time limit would refuse on one machine what
 * passes on another, so steps are counted.
 */
export function compilePolicy(schema: Json): CompiledPolicy {
  const problems = schemaProblems(schema);
  if (problems.length > 0) return { problems };
  return {
    check: (document, room = { left: MOST.documentSteps }) => {
      const own = { left: Math.min(room.left, MOST.documentSteps) };
      const before = own.left;
      try {
        const run = new Run(own);
        passes(schema, document, '', run);
        return [...run.problems.values()];
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
  hint: 'Correct the schema of the policy',
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
  return (value, path) => (is(value) ? [] : [{ path, message: `${formatPath(path)} must be ${what}` }]);
}

const isText = (value: Json): value is string => typeof value === 'string';
const anything: Takes = () => [];
const text = takes('text', isText);
const flag = takes('true or false', (value) => typeof value === 'boolean');
const count = takes('a whole number, 0 or more', (value) => Number.isInteger(value) && Number(value) >= 0);
const names = takes('a list of names', (value) => Array.isArray(value) && value.every(isText));
const values = takes('a list of values', (value) => Array.isArray(value) && value.length > 0);
function cannot(value: Json, path: Path, hint: string): SchemaProblem {
  return { path, message: `${formatPath(path)} cannot be ${JSON.stringify(value)}`, hint };
}

const amount: Takes = (value, path) =>
  isDecimal(String(value)) ? [] : [cannot(value, path, 'an amount, such as "0.5"')];
const wildcard = takes(
  `text of at most ${MOST.addressPattern} characters`,
  (value) => isText(value) && value.length <= MOST.addressPattern,
);

const type: Takes = (value, path) => {
  const list = Array.isArray(value) ? value.map((one, index) => ({ one, at: [...path, index] })) : undefined;
  return (list ?? [{ one: value, at: path }]).flatMap(({ one, at }) =>
    JSON_TYPES.some((name) => name === one) ? [] : [cannot(one, at, `one of ${JSON_TYPES.join(', ')}`)],
  );
};

const schemas: Takes = (value, path) =>
  Array.isArray(value) && value.length > 0
    ? value.flatMap((one, index) => partProblems(one, [...path, index]))
    : [{ path, message: `${formatPath(path)} must be a list of schemas` }];

const itemSchemas: Takes = (value, path) =>
  Array.isArray(value) ? schemas(value, path) : partProblems(value, path);

function mapping(one: Takes): Takes {
  return (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, child]) => one(child, [...path, name]))
      : [{ path, message: `${formatPath(path)} must be a mapping` }];
}

/** The same for some keywords. */
function each<Of>(keywords: string, of: Of): readonly (readonly [keyword: string, of: Of])[] {
  return keywords.split(' ').map((keyword) => [keyword, of]);
}

/** The keywords of draft-07 that a policy may have, and two for amounts and one for text. */
const KEYWORDS: ReadonlyMap<string, Takes> = new Map<string, Takes>([
  ...each('title description $comment', text),
  ...each('default examples const', anything),
  ...each('allOf anyOf oneOf', schemas),
  ...each('not if then else contains additionalItems additionalProperties propertyNames', partProblems),
  ...each('minLength maxLength minItems maxItems minProperties maxProperties', count),
  ...each('decimalMaximum decimalMinimum', amount),
  ['type', type],
  ['enum', values],
  ['properties', mapping(partProblems)],
  ['required', names],
  [
    'dependencies',
    mapping((value, path) => (Array.isArray(value) ? names(value, path) : partProblems(value, path))),
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
const REFUSED: ReadonlyMap<string, readonly string[]> = new Map([
  ...each('maximum minimum exclusiveMaximum exclusiveMinimum multipleOf', [NUMBERS, AMOUNTS]),
  ...each('$ref $id definitions $defs', [REFERENCES, IN_PLACE]),
  ...each('pattern patternProperties format', [EXPRESSIONS, STARS]),
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
    const name = path.length === 0 ? 'the schema' : formatPath(path);
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

/** Thrown if a document would take more steps than there is room for. */
class TooManySteps extends Error {}

/** Characters that are compared in the time of one step. */
const CHARACTERS_A_STEP = 10;
/** Describing a problem takes longer than finding it. */
const STEPS_A_PROBLEM = 10;
const LONGEST_LISTED = 12;

/** One visit: the part of the schema, and the place of the value. */
interface Visit {
  readonly part: JsonObject;
  readonly path: string;
  readonly run: Run;
}

/** Takes the steps of a check, and its problems: the first one for each field. Branches that may fail have none. */
class Run {
  readonly problems = new Map<string, PolicyProblem>();
  readonly #room: PolicyRoom;
  readonly #silent: boolean;

  constructor(room: PolicyRoom, silent = false) {
    this.#room = room;
    this.#silent = silent;
  }

  take(steps: number): void {
    this.#room.left -= steps;
    if (this.#room.left < 0) throw new TooManySteps();
  }

  silent(): Run {
    return this.#silent ? this : new Run(this.#room, true);
  }

  /** Returns false, for the one who asks. */
  fails(path: string, value: Json | undefined, text: () => string, bound?: PolicyProblem['bound']): false {
    if (this.#silent || this.problems.has(path)) return false;
    this.take(STEPS_A_PROBLEM);
    this.problems.set(path, { path, value, text: text(), ...(bound === undefined ? {} : { bound }) });
    return false;
  }
}

function passes(part: Json, value: Json, path: string, run: Run): boolean {
  run.take(1);
  if (part === false) return run.fails(path, value, () => 'must not be present');
  if (!isObject(part)) return true;
  const visit = { part, path, run };
  let good = true;
  for (const [keyword, wanted] of Object.entries(part)) {
    run.take(1);
    if (CHECKS.get(keyword)?.(wanted, value, visit) === false) good = false;
  }
  return good;
}

/** True unless the keyword finds a problem. The value of the keyword has the type that `policy-compiler.ts` asks for. */
type Check = (wanted: Json, value: Json, visit: Visit) => boolean;

/** A check of texts, lists or mappings. Other values pass. */
const ofText = (check: (wanted: Json, value: string, visit: Visit) => boolean): Check => {
  return (wanted, value, visit) => typeof value !== 'string' || check(wanted, value, visit);
};
const ofList = (check: (wanted: Json, value: readonly Json[], visit: Visit) => boolean): Check => {
  return (wanted, value, visit) => !Array.isArray(value) || check(wanted, value, visit);
};
const ofMapping = (check: (wanted: Json, value: JsonObject, visit: Visit) => boolean): Check => {
  return (wanted, value, visit) => !isObject(value) || check(wanted, value, visit);
};

/** All of them are asked, so that each problem is told. */
function all<Item>(items: Iterable<Item>, passesOne: (item: Item) => boolean): boolean {
  let good = true;
  for (const item of items) if (!passesOne(item)) good = false;
  return good;
}

const branch =
  ({ path, run }: Visit, value: Json) =>
  (schema: Json) =>
    passes(schema, value, path, run.silent());
const list = (wanted: Json) => wanted as readonly Json[];
const listed = (wanted: Json) => wanted as readonly string[];

function equals(a: Json, b: Json, run: Run): boolean {
  run.take(sizeOf(a));
  return jsonEqual(a, b);
}

/** The item after the last schema of a list of them is the first one for `additionalItems`. */
function itemsFrom(first: number, schema: Json, value: readonly Json[], { path, run }: Visit): boolean {
  return all(value.slice(first).entries(), ([index, item]) =>
    passes(schema, item, pathBelow(path, first + index), run),
  );
}

function required(wanted: readonly string[], value: JsonObject, { path, run }: Visit): boolean {
  return all(wanted, (name) => {
    run.take(1);
    return Object.hasOwn(value, name) || run.fails(pathBelow(path, name), undefined, () => 'must be present');
  });
}

function sized(
  unit: string,
  order: 'least' | 'most',
  size: (value: Json, run: Run) => number | undefined,
): Check {
  return (wanted, value, { path, run }) => {
    const is = size(value, run);
    if (is === undefined || (order === 'most' ? is <= Number(wanted) : is >= Number(wanted))) return true;
    return run.fails(path, value, () => `must have at ${order} ${String(wanted)} ${unit}`);
  };
}

function characters(value: Json, run: Run): number | undefined {
  if (typeof value !== 'string') return undefined;
  run.take(value.length / CHARACTERS_A_STEP);
  return Array.from(value).length;
}

const items = (value: Json) => (Array.isArray(value) ? value.length : undefined);
const fields = (value: Json) => (isObject(value) ? Object.keys(value).length : undefined);

/** An empty text is an unset bound; other texts are no amounts. */
function limited(order: 'least' | 'most'): Check {
  return ofText((wanted, value, { path, run }) => {
    if (!isDecimal(value)) return true;
    const difference = compareDecimals(value, String(wanted));
    if (order === 'most' ? difference <= 0 : difference >= 0) return true;
    return run.fails(path, value, () => `must be at ${order} ${String(wanted)}`, order);
  });
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function oneOfThese(values: readonly Json[]): string {
  const more = values.length - LONGEST_LISTED;
  const listed = values.slice(0, LONGEST_LISTED).map(shown).join(', ');
  return `must be one of ${listed}${more > 0 ? ` and ${more} more` : ''}`;
}

/** By keyword. A map, because a schema may have any name. */
const CHECKS: ReadonlyMap<string, Check> = new Map(
  Object.entries<Check>({
    type: (wanted, value, { path, run }) => {
      const types = Array.isArray(wanted) ? wanted : [wanted];
      return (
        types.some((type) => hasType(value, type)) ||
        run.fails(path, value, () => `must be ${types.join(' or ')}`)
      );
    },
    const: (wanted, value, { path, run }) =>
      equals(wanted, value, run) || run.fails(path, value, () => `must be ${shown(wanted)}`),
    enum: (wanted, value, { path, run }) =>
      list(wanted).some((one) => equals(one, value, run)) ||
      run.fails(path, value, () => oneOfThese(list(wanted))),
    allOf: (wanted, value, { path, run }) => all(list(wanted), (one) => passes(one, value, path, run)),
    anyOf: (wanted, value, visit) =>
      list(wanted).some(branch(visit, value)) ||
      visit.run.fails(visit.path, value, () => 'must match a schema in anyOf'),
    oneOf: (wanted, value, visit) =>
      list(wanted).filter(branch(visit, value)).length === 1 ||
      visit.run.fails(visit.path, value, () => 'must match exactly one schema in oneOf'),
    not: (wanted, value, visit) =>
      !branch(visit, value)(wanted) ||
      visit.run.fails(visit.path, value, () => 'must not match the schema in not'),
    if: (wanted, value, visit) => {
      const { part, path, run } = visit;
      const next = branch(visit, value)(wanted) ? part.then : part.else;
      return next === undefined || passes(next, value, path, run);
    },
    properties: ofMapping((wanted, value, { path, run }) =>
      all(Object.entries(objectIn(wanted)), ([name, schema]) => {
        run.take(1);
        const is = Object.hasOwn(value, name) ? value[name] : undefined;
        return is === undefined || passes(schema, is, pathBelow(path, name), run);
      }),
    ),
    additionalProperties: ofMapping((wanted, value, { part, path, run }) =>
      all(Object.entries(value), ([name, is]) => {
        run.take(1);
        return (
          Object.hasOwn(objectIn(part.properties), name) || passes(wanted, is, pathBelow(path, name), run)
        );
      }),
    ),
    propertyNames: ofMapping((wanted, value, { path, run }) =>
      all(
        Object.entries(value),
        ([name, is]) =>
          passes(wanted, name, path, run.silent()) ||
          run.fails(pathBelow(path, name), is, () => 'must have another name'),
      ),
    ),
    required: ofMapping((wanted, value, visit) => required(listed(wanted), value, visit)),
    dependencies: ofMapping((wanted, value, visit) =>
      all(Object.entries(objectIn(wanted)), ([name, needed]) => {
        visit.run.take(1);
        if (!Object.hasOwn(value, name)) return true;
        return Array.isArray(needed)
          ? required(listed(needed), value, visit)
          : passes(needed, value, visit.path, visit.run);
      }),
    ),
    items: ofList((wanted, value, visit) =>
      Array.isArray(wanted)
        ? all(wanted.slice(0, value.length).entries(), ([index, schema]) =>
            passes(schema, value[index] ?? null, pathBelow(visit.path, index), visit.run),
          )
        : itemsFrom(0, wanted, value, visit),
    ),
    additionalItems: ofList((wanted, value, visit) => {
      const { items: first } = visit.part;
      return !Array.isArray(first) || itemsFrom(first.length, wanted, value, visit);
    }),
    contains: ofList(
      (wanted, value, { path, run }) =>
        value.some((item) => passes(wanted, item, path, run.silent())) ||
        run.fails(path, [...value], () => 'must contain an item that matches the schema in contains'),
    ),
    uniqueItems: ofList((wanted, value, { path, run }) => {
      if (wanted === false) return true;
      run.take(sizeOf([...value]));
      const texts = value.map(canonicalJson);
      run.take(texts.reduce((sum, text) => sum + text.length, 0) / CHARACTERS_A_STEP);
      return (
        new Set(texts).size === texts.length ||
        run.fails(path, [...value], () => 'must not have an item twice')
      );
    }),
    wildcard: ofText((wanted, value, { path, run }) => {
      const pattern = String(wanted);
      run.take((pattern.length * value.length) / CHARACTERS_A_STEP);
      return matchesWildcard(pattern, value) || run.fails(path, value, () => `must match ${shown(pattern)}`);
    }),
    minLength: sized('characters', 'least', characters),
    maxLength: sized('characters', 'most', characters),
    minItems: sized('items', 'least', items),
    maxItems: sized('items', 'most', items),
    minProperties: sized('fields', 'least', fields),
    maxProperties: sized('fields', 'most', fields),
    decimalMaximum: limited('most'),
    decimalMinimum: limited('least'),
  }),
);

const JSON_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

function hasType(value: Json, type: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (value === null) return type === 'null';
  return type === (Array.isArray(value) ? 'array' : typeof value);
}

/** The number of values inside a value. Infinity if it is deeper than `deepest` levels. */
function sizeOf(value: Json, deepest = Number.POSITIVE_INFINITY): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (deepest === 0) return Number.POSITIVE_INFINITY;
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item, deepest - 1), 1);
}
