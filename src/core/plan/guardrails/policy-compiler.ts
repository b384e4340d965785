import { nearest } from '../../diagnostics/suggest.ts';
import { pathOf } from '../../manifest/shape.ts';
import { formatPath, type Path, pathBelow } from '../../manifest/spans.ts';
import { MOST } from '../../model/bounds.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { policySchema, type ValidationError } from '../../model/generated/validators.js';
import { isObject, type Json, type JsonObject, jsonEqual, objectIn } from '../../model/json.ts';
import { named } from '../../model/named.ts';
import { matchesWildcard } from '../../model/wildcard.ts';
import type { Policy, PolicyProblem, PolicyRoom } from './compiled.ts';

type CompiledPolicy = { readonly check: Policy['check'] } | { readonly problems: readonly SchemaProblem[] };

/**
 * A policy's schema (`policy.schema.json`), ready to check documents. Anyone who opens a pull request can write one, so no code is
 * made of it, and all that it looks at is counted: its parts times the values of a document. A schema is a tree, so each of its
 * parts looks at each value once at most. A time limit would refuse on one machine what passes on another.
 */
export function compilePolicy(schema: Json): CompiledPolicy {
  const problems = schemaProblems(schema);
  if (problems.length > 0) return { problems };
  return {
    check: (document, room = { left: MOST.documentSteps }) => {
      const own = { left: Math.min(room.left, MOST.documentSteps) };
      const before = own.left;
      try {
        const run = new Steps(own);
        run.look(schema, document, '');
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

const NUMBERS = [
  'compares numbers, but amounts are texts: it would check nothing',
  'compare amounts with decimalMaximum and decimalMinimum, such as decimalMaximum: "0.5"',
];
const REFERENCES = [
  'refers to another part of a schema, and a policy has no references',
  'write the schema where it is needed',
];
const EXPRESSIONS = [
  'takes a regular expression, and a policy has none',
  'compare text with wildcard, in which * stands for any text: wildcard: "night-*"',
];
/** Keywords of draft-07 that a policy does not have: why, and what to write instead. */
const REFUSED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:exclusive)?(?:maximum|minimum)$|^multipleOf$/i, NUMBERS],
  [/^\$ref$|^\$id$|^\$?def(?:initions|s)$/, REFERENCES],
  [/^pattern(?:Properties)?$|^format$/, EXPRESSIONS],
];

const DRAFT = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
/** A part of a schema is checked with a call for each level. */
const DEEPEST = 200;

function schemaProblems(schema: Json): readonly SchemaProblem[] {
  const size = sizeOf(schema, DEEPEST);
  if (size === Number.POSITIVE_INFINITY) return [{ path: [], message: 'the schema is nested too deeply' }];
  if (size > MOST.policySize)
    return [{ path: [], message: `${size} values in the schema; at most ${MOST.policySize}` }];
  const { $schema: draft, ...rest } = objectIn(schema);
  if (draft !== undefined && !DRAFT.test(String(draft)))
    return [{ path: ['$schema'], message: 'policies are written in draft-07', hint: 'remove $schema' }];
  if (policySchema(draft === undefined ? schema : rest)) return [];
  const byPlace = new Map<string, SchemaProblem>();
  for (const error of policySchema.errors ?? []) {
    const problem = schemaProblem(error, pathOf(schema, error.instancePath));
    if (problem !== undefined && !byPlace.has(formatPath(problem.path)))
      byPlace.set(formatPath(problem.path), problem);
  }
  return [...byPlace.values()];
}

/** Undefined for what only leads to another error. */
function schemaProblem(
  { keyword, params, ...error }: ValidationError,
  path: Path,
): SchemaProblem | undefined {
  const name = formatPath(path) || 'the schema';
  if (keyword === 'additionalProperties') return unknown(String(params.additionalProperty), path);
  if (keyword === 'if' || error.schemaPath.includes('/anyOf/')) return undefined;
  if (keyword === 'anyOf') return idle(path, 'if', 'then or else');
  if (keyword === 'dependencies') return idle(path, String(params.property), 'if');
  if (keyword === 'enum') return { path, message: `${name} must be one of ${String(params.allowedValues)}` };
  if (keyword === 'pattern') return { path, message: `${name} must be an amount, such as "0.5"` };
  if (/#\/type$/.test(error.schemaPath))
    return { path, message: `${name} must be a schema: a mapping, or true or false` };
  return { path, message: `${name} ${error.message}` };
}

function idle(path: Path, keyword: string, others: string): SchemaProblem {
  return { path: [...path, keyword], message: `${keyword} checks nothing without ${others}` };
}

function unknown(keyword: string, parent: Path): SchemaProblem {
  const path = [...parent, keyword];
  const [why, instead] = REFUSED.find(([form]) => form.test(keyword))?.[1] ?? [];
  if (why !== undefined && instead !== undefined)
    return { path, message: `${keyword} ${why}`, hint: instead };
  const near = nearest(keyword, [...SAYS.keys(), ...INSIDE.keys()]);
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

/** Takes the steps of a check, and its problems: the first one for each field. Branches that may fail have none. */
class Steps {
  readonly problems = new Map<string, PolicyProblem>();
  readonly #silent: boolean;

  constructor(
    private readonly room: PolicyRoom,
    silent = false,
  ) {
    this.#silent = silent;
  }

  take(steps: number): void {
    this.room.left -= steps;
    if (this.room.left < 0) throw new TooManySteps();
  }

  matches(part: Json, value: Json): boolean {
    return (this.#silent ? this : new Steps(this.room, true)).look(part, value, '');
  }

  /** Undefined stands for a value that must be there. */
  look(part: Json, value: Json | undefined, path: string): boolean {
    this.take(1);
    if (value === undefined) return this.#fails(path, value, () => 'must be present');
    if (part === false) return this.#fails(path, value, () => 'must not be present');
    let good = true;
    for (const [keyword, wanted] of Object.entries(objectIn(part))) {
      this.take(1);
      const says = SAYS.get(keyword)?.(wanted, value, this);
      if (says !== undefined) good = this.#fails(path, value, says, BOUNDS[keyword]);
      for (const [one, inner, at] of INSIDE.get(keyword)?.(wanted, value, {
        part: objectIn(part),
        path,
        run: this,
      }) ?? [])
        if (!this.look(one, inner, at)) good = false;
    }
    return good;
  }

  #fails(path: string, value: Json | undefined, text: () => string, bound?: PolicyProblem['bound']): false {
    if (this.#silent || this.problems.has(path)) return false;
    this.take(STEPS_A_PROBLEM);
    this.problems.set(path, { path, value, text: text(), ...(bound === undefined ? {} : { bound }) });
    return false;
  }
}

const list = (wanted: Json) => wanted as readonly Json[];

/** A keyword that judges a value as a whole: what it says if the value fails. `policy.schema.json` has the type of `wanted`. */
type Says = (wanted: Json, value: Json, run: Steps) => (() => string) | undefined;

function equals(a: Json, b: Json, run: Steps): boolean {
  run.take(sizeOf(a));
  return jsonEqual(a, b);
}

function sized(order: 'least' | 'most', unit: 'characters' | 'items'): Says {
  return (wanted, value, run) => {
    if (unit === 'items' ? !Array.isArray(value) : typeof value !== 'string') return undefined;
    const { length } = value as string | readonly Json[];
    if (unit === 'characters') run.take(length / CHARACTERS_A_STEP);
    const is = unit === 'items' ? length : Array.from(value as string).length;
    if (order === 'most' ? is <= Number(wanted) : is >= Number(wanted)) return undefined;
    return () => `must have at ${order} ${String(wanted)} ${unit}`;
  };
}

const BOUNDS: Readonly<Record<string, PolicyProblem['bound']>> = {
  decimalMaximum: 'most',
  decimalMinimum: 'least',
};

/** An empty text is an unset bound; other texts are no amounts. */
function limited(order: 'least' | 'most'): Says {
  return (wanted, value) => {
    if (typeof value !== 'string' || !isDecimal(value)) return undefined;
    const difference = compareDecimals(value, String(wanted));
    if (order === 'most' ? difference <= 0 : difference >= 0) return undefined;
    return () => `must be at ${order} ${String(wanted)}`;
  };
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function oneOfThese(values: readonly Json[]): string {
  return `must be one of ${named(values.map(shown), LONGEST_LISTED)}`;
}

/** By keyword. A map, because a schema may have any name. */
const SAYS: ReadonlyMap<string, Says> = new Map(
  Object.entries<Says>({
    type: (wanted, value) => {
      const types = Array.isArray(wanted) ? wanted : [wanted];
      return types.some((type) => hasType(value, type)) ? undefined : () => `must be ${types.join(' or ')}`;
    },
    const: (wanted, value, run) =>
      equals(wanted, value, run) ? undefined : () => `must be ${shown(wanted)}`,
    enum: (wanted, value, run) =>
      list(wanted).some((one) => equals(one, value, run)) ? undefined : () => oneOfThese(list(wanted)),
    anyOf: (wanted, value, run) =>
      list(wanted).some((one) => run.matches(one, value)) ? undefined : () => 'must match a schema in anyOf',
    oneOf: (wanted, value, run) =>
      list(wanted).filter((one) => run.matches(one, value)).length === 1
        ? undefined
        : () => 'must match exactly one schema in oneOf',
    not: (wanted, value, run) =>
      run.matches(wanted, value) ? () => 'must not match the schema in not' : undefined,
    contains: (wanted, value, run) =>
      !Array.isArray(value) || list(value).some((item) => run.matches(wanted, item))
        ? undefined
        : () => 'must contain an item that matches the schema in contains',
    wildcard: (wanted, value, run) => {
      if (typeof value !== 'string') return undefined;
      run.take((String(wanted).length * value.length) / CHARACTERS_A_STEP);
      return matchesWildcard(String(wanted), value) ? undefined : () => `must match ${shown(wanted)}`;
    },
    minLength: sized('least', 'characters'),
    maxLength: sized('most', 'characters'),
    minItems: sized('least', 'items'),
    maxItems: sized('most', 'items'),
    decimalMaximum: limited('most'),
    decimalMinimum: limited('least'),
  }),
);

interface Visit {
  readonly part: JsonObject;
  readonly path: string;
  readonly run: Steps;
}
type Inner = readonly [part: Json, value: Json | undefined, path: string];

/** Keywords whose parts look at the value, or at what is inside it, and speak for themselves. */
const INSIDE: ReadonlyMap<string, (wanted: Json, value: Json, visit: Visit) => readonly Inner[]> = new Map(
  Object.entries<(wanted: Json, value: Json, visit: Visit) => readonly Inner[]>({
    allOf: (wanted, value, { path }) => list(wanted).map((one) => [one, value, path]),
    if: (wanted, value, { part, path, run }) => {
      const next = run.matches(wanted, value) ? part.then : part.else;
      return next === undefined ? [] : [[next, value, path]];
    },
    properties: (wanted, value, { path, run }) => {
      const known = Object.entries(objectIn(wanted));
      run.take(known.length);
      const is = objectIn(value);
      const there = known.filter(([name]) => Object.hasOwn(is, name));
      return there.map(([name, one]) => [one, is[name], pathBelow(path, name)]);
    },
    additionalProperties: (wanted, value, { part, path, run }) => {
      const entries = Object.entries(objectIn(value));
      run.take(entries.length);
      const more = entries.filter(([name]) => !Object.hasOwn(objectIn(part.properties), name));
      return more.map(([name, is]) => [wanted, is, pathBelow(path, name)]);
    },
    required: (wanted, value, { path, run }) => {
      run.take(list(wanted).length);
      if (!isObject(value)) return [];
      const missing = list(wanted)
        .map(String)
        .filter((name) => !Object.hasOwn(value, name));
      return missing.map((name) => [true, undefined, pathBelow(path, name)]);
    },
    items: (wanted, value, { path, run }) => {
      if (!Array.isArray(value)) return [];
      run.take(value.length);
      return list(value).map((item, index) => [wanted, item, pathBelow(path, index)]);
    },
  }),
);

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
