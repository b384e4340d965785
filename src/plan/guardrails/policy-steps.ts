import { _, type Ajv, type KeywordCxt, type Options } from 'ajv';
import { MOST } from '../../model/bounds.ts';
import { canonicalJson, isObject, type Json } from '../../model/json.ts';
import type { PolicyRoom } from './compiled.ts';
import { NAMED, VALUES } from './policy-keywords.ts';
import type { Patterns } from './policy-patterns.ts';

/** Thrown if checking a document takes more steps than allowed. */
export class TooManySteps extends Error {}

/** Characters that are matched or compared in the time of one step. */
const CHARACTERS_A_STEP = 10;

/**
 * Counts the steps of checking a document: one for each part of the schema that looks at a value. With references, a
 * schema of thirty lines can look a thousand million times. A time limit would instead refuse on one machine what
 * passes on another.
 */
export class Meter {
  /** Nothing is counted while a schema is compiled: its size is limited. */
  #left = Number.POSITIVE_INFINITY;

  readonly take = (steps: number): void => {
    this.#left -= steps;
    if (this.#left < 0) throw new TooManySteps();
  };

  /** Runs `work`. Throws {@link TooManySteps} if it exceeds `room`, by default the room for one document. */
  within<Result>(work: () => Result, room: PolicyRoom = { left: MOST.documentSteps }): Result {
    const before = Math.min(room.left, MOST.documentSteps);
    this.#left = before;
    try {
      return work();
    } finally {
      room.left -= before - this.#left;
      this.#left = Number.POSITIVE_INFINITY;
    }
  }
}

/** The regular-expression engine for a schema; all its patterns are known to be usable. */
export function regExpOf(
  patterns: Patterns,
  meter: Meter,
): NonNullable<NonNullable<Options['code']>['regExp']> {
  const engine = (pattern: string) => {
    const linear = patterns.get(pattern);
    if ('problem' in linear) throw new Error(`pattern: ${linear.problem}`);
    return {
      test: (text: string) => {
        meter.take(1 + (text.length * linear.size) / CHARACTERS_A_STEP);
        return linear.test(text);
      },
      // The library distinguishes patterns by this property.
      toString: () => pattern,
    };
  };
  return Object.assign(engine, { code: 'linear' });
}

const STEPS = 'x-steps';

/** Adds the counting keyword, and a `uniqueItems` that does not compare every pair of items. */
export function addPolicySteps(ajv: Ajv, meter: Meter): void {
  ajv.addKeyword({
    keyword: STEPS,
    schemaType: 'number',
    code: (cxt: KeywordCxt) => {
      const take = cxt.gen.scopeValue('func', { ref: meter.take });
      cxt.gen.code(_`${take}(${Number(cxt.schema)})`);
    },
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: readonly Json[]) => !wanted || areUnique(items, meter),
    error: { message: 'must NOT have duplicate items' },
  });
}

function areUnique(items: readonly Json[], meter: Meter): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const text = canonicalJson(item);
    meter.take(1 + text.length / CHARACTERS_A_STEP);
    if (seen.has(text)) return false;
    seen.add(text);
  }
  return true;
}

/** The schema with the counting keyword in each of its parts. */
export function withSteps(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withSteps);
  if (!isObject(schema)) return schema;
  const parts = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (VALUES.has(keyword)) return [keyword, value];
    if (!NAMED.has(keyword) || !isObject(value)) return [keyword, withSteps(value)];
    return [
      keyword,
      Object.fromEntries(Object.entries(value).map(([name, child]) => [name, withSteps(child)])),
    ];
  });
  return { ...Object.fromEntries(parts), [STEPS]: stepsOf(schema) };
}

/** The number of comparisons of a part of a schema: names, values, and itself. */
function stepsOf(part: Readonly<Record<string, Json>>): number {
  return Object.entries(part).reduce((sum, [keyword, value]) => {
    if (VALUES.has(keyword)) return sum + sizeOf(value);
    return sum + (typeof value === 'object' && value !== null ? Object.keys(value).length : 0);
  }, 1);
}

/** The number of values inside a value. */
export function sizeOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item), 1);
}
