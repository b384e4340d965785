import type { Path } from '../../manifest/spans.ts';
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
import type { PolicyProblem, PolicyRoom } from './compiled.ts';

/** Thrown if a document would take more steps than there is room for. */
export class TooManySteps extends Error {}

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

/**
 * The problems of a document. The schema must be usable ({@link schemaProblems}): it is a tree, so each of its parts looks at each
 * value once at most. Steps are taken from `room`; throws {@link TooManySteps}. A time limit would refuse on one machine what
 * passes on another.
 */
export function problemsOf(schema: Json, document: Json, room: PolicyRoom): readonly PolicyProblem[] {
  const run = new Run(room);
  passes(schema, document, '', run);
  return [...run.problems.values()];
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

/** True unless the keyword finds a problem. The value of the keyword has the type that `policy-keywords.ts` asks for. */
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
const names = (wanted: Json) => wanted as readonly string[];

function equals(a: Json, b: Json, run: Run): boolean {
  run.take(sizeOf(a));
  return jsonEqual(a, b);
}

/** The item after the last schema of a list of them is the first one for `additionalItems`. */
function itemsFrom(first: number, schema: Json, value: readonly Json[], { path, run }: Visit): boolean {
  return all(value.slice(first).entries(), ([index, item]) =>
    passes(schema, item, below(path, first + index), run),
  );
}

function required(wanted: readonly string[], value: JsonObject, { path, run }: Visit): boolean {
  return all(wanted, (name) => {
    run.take(1);
    return Object.hasOwn(value, name) || run.fails(below(path, name), undefined, () => 'must be present');
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

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  [
    'type',
    (wanted, value, { path, run }) => {
      const types = Array.isArray(wanted) ? wanted : [wanted];
      return (
        types.some((type) => hasType(value, type)) ||
        run.fails(path, value, () => `must be ${types.join(' or ')}`)
      );
    },
  ],
  [
    'const',
    (wanted, value, { path, run }) =>
      equals(wanted, value, run) || run.fails(path, value, () => `must be ${shown(wanted)}`),
  ],
  [
    'enum',
    (wanted, value, { path, run }) =>
      list(wanted).some((one) => equals(one, value, run)) ||
      run.fails(path, value, () => oneOfThese(list(wanted))),
  ],
  ['allOf', (wanted, value, { path, run }) => all(list(wanted), (one) => passes(one, value, path, run))],
  [
    'anyOf',
    (wanted, value, visit) =>
      list(wanted).some(branch(visit, value)) ||
      visit.run.fails(visit.path, value, () => 'must match a schema in anyOf'),
  ],
  [
    'oneOf',
    (wanted, value, visit) =>
      list(wanted).filter(branch(visit, value)).length === 1 ||
      visit.run.fails(visit.path, value, () => 'must match exactly one schema in oneOf'),
  ],
  [
    'not',
    (wanted, value, visit) =>
      !branch(visit, value)(wanted) ||
      visit.run.fails(visit.path, value, () => 'must not match the schema in not'),
  ],
  [
    'if',
    (wanted, value, visit) => {
      const { part, path, run } = visit;
      const next = branch(visit, value)(wanted) ? part.then : part.else;
      return next === undefined || passes(next, value, path, run);
    },
  ],
  [
    'properties',
    ofMapping((wanted, value, { path, run }) =>
      all(Object.entries(objectIn(wanted)), ([name, schema]) => {
        run.take(1);
        const is = Object.hasOwn(value, name) ? value[name] : undefined;
        return is === undefined || passes(schema, is, below(path, name), run);
      }),
    ),
  ],
  [
    'additionalProperties',
    ofMapping((wanted, value, { part, path, run }) =>
      all(Object.entries(value), ([name, is]) => {
        run.take(1);
        return Object.hasOwn(objectIn(part.properties), name) || passes(wanted, is, below(path, name), run);
      }),
    ),
  ],
  [
    'propertyNames',
    ofMapping((wanted, value, { path, run }) =>
      all(
        Object.entries(value),
        ([name, is]) =>
          passes(wanted, name, path, run.silent()) ||
          run.fails(below(path, name), is, () => 'must have another name'),
      ),
    ),
  ],
  ['required', ofMapping((wanted, value, visit) => required(names(wanted), value, visit))],
  [
    'dependencies',
    ofMapping((wanted, value, visit) =>
      all(Object.entries(objectIn(wanted)), ([name, needed]) => {
        visit.run.take(1);
        if (!Object.hasOwn(value, name)) return true;
        return Array.isArray(needed)
          ? required(names(needed), value, visit)
          : passes(needed, value, visit.path, visit.run);
      }),
    ),
  ],
  [
    'items',
    ofList((wanted, value, visit) =>
      Array.isArray(wanted)
        ? all(wanted.slice(0, value.length).entries(), ([index, schema]) =>
            passes(schema, value[index] ?? null, below(visit.path, index), visit.run),
          )
        : itemsFrom(0, wanted, value, visit),
    ),
  ],
  [
    'additionalItems',
    ofList((wanted, value, visit) => {
      const { items: first } = visit.part;
      return !Array.isArray(first) || itemsFrom(first.length, wanted, value, visit);
    }),
  ],
  [
    'contains',
    ofList(
      (wanted, value, { path, run }) =>
        value.some((item) => passes(wanted, item, path, run.silent())) ||
        run.fails(path, [...value], () => 'must contain an item that matches the schema in contains'),
    ),
  ],
  [
    'uniqueItems',
    ofList((wanted, value, { path, run }) => {
      if (wanted === false) return true;
      run.take(sizeOf([...value]));
      const texts = value.map(canonicalJson);
      run.take(texts.reduce((sum, text) => sum + text.length, 0) / CHARACTERS_A_STEP);
      return (
        new Set(texts).size === texts.length ||
        run.fails(path, [...value], () => 'must not have an item twice')
      );
    }),
  ],
  [
    'wildcard',
    ofText((wanted, value, { path, run }) => {
      const pattern = String(wanted);
      run.take((pattern.length * value.length) / CHARACTERS_A_STEP);
      return matchesWildcard(pattern, value) || run.fails(path, value, () => `must match ${shown(pattern)}`);
    }),
  ],
  ['minLength', sized('characters', 'least', characters)],
  ['maxLength', sized('characters', 'most', characters)],
  ['minItems', sized('items', 'least', items)],
  ['maxItems', sized('items', 'most', items)],
  ['minProperties', sized('fields', 'least', fields)],
  ['maxProperties', sized('fields', 'most', fields)],
  ['decimalMaximum', limited('most')],
  ['decimalMinimum', limited('least')],
]);

export const JSON_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

function hasType(value: Json, type: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (value === null) return type === 'null';
  return type === (Array.isArray(value) ? 'array' : typeof value);
}

/** The number of values inside a value. Infinity if it is deeper than `deepest` levels. */
export function sizeOf(value: Json, deepest = Number.POSITIVE_INFINITY): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (deepest === 0) return Number.POSITIVE_INFINITY;
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item, deepest - 1), 1);
}

/** `spec.config.buy_config_tiers[1].relay_tip`. */
export function dotted(path: Path): string {
  return path.reduce<string>(below, '');
}

function below(path: string, key: string | number): string {
  return typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
}
