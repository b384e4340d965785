import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Path } from '../../manifest/spans.ts';
import { MOST } from '../../model/bounds.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Policy, PolicyProblem } from './compiled.ts';
import { type SchemaProblem, unusableKeywords } from './policy-keywords.ts';
import { Patterns } from './policy-patterns.ts';
import { addPolicySteps, Meter, regExpOf, sizeOf, TooManySteps, withSteps } from './policy-steps.ts';

export { Patterns };

type CompiledPolicy = { readonly check: Policy['check'] } | { readonly problems: readonly SchemaProblem[] };

/**
 * Compiles a policy's schema: draft-07; unknown keywords are errors; `decimalMaximum` and `decimalMinimum` compare
 * amounts, which are texts, by their exact value. `patterns`: shared by all policies of the project. This module loads
 * ajv: import it only if there are policies.
 */
export function compilePolicy(schema: Json, patterns = new Patterns()): CompiledPolicy {
  const meter = new Meter();
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    logger: false,
    verbose: true,
    code: { regExp: regExpOf(patterns, meter) },
  });
  addPolicySteps(ajv, meter);
  ajv.addKeyword(decimalKeyword('decimalMaximum', (order) => order <= 0));
  ajv.addKeyword(decimalKeyword('decimalMinimum', (order) => order >= 0));
  const value = schema as JsonObject | boolean;
  try {
    const size = sizeOf(schema);
    if (size > MOST.policySize)
      return {
        problems: [{ path: [], message: `${size} values in the schema; at most ${MOST.policySize}` }],
      };
    if (isObject(schema) && typeof schema.$schema === 'string' && ajv.getSchema(schema.$schema) === undefined)
      return { problems: [OTHER_DRAFT] };
    const isKnown = (keyword: string) => Object.hasOwn(ajv.RULES.keywords, keyword);
    const unusable = unusableKeywords(schema, { patterns, isKnown });
    if (unusable.length > 0) return { problems: unusable };
    if (ajv.validateSchema(value) !== true) return { problems: schemaProblems(ajv.errors ?? []) };
    const validate = ajv.compile(withSteps(schema) as JsonObject | boolean);
    return { check: (document, room) => meter.within(() => problemsOf(validate, document, meter), room) };
  } catch (error) {
    return { problems: [compileProblem(error, schema)] };
  }
}

function decimalKeyword(keyword: string, passes: (order: number) => boolean) {
  return {
    keyword,
    type: 'string' as const,
    schemaType: ['string', 'number'] as ('string' | 'number')[],
    compile: (limit: string | number) => {
      const decimal = String(limit);
      if (!isDecimal(decimal)) throw new Error(`${keyword}: ${JSON.stringify(limit)} is not an amount`);
      // An empty text is an unset bound; other texts are not amounts.
      return (data: string) => !isDecimal(data) || passes(compareDecimals(data, decimal));
    },
    error: { message: `must pass ${keyword}` },
  };
}

/** For each value with several problems, the first one at the deepest place. */
function schemaProblems(errors: readonly ErrorObject[]): readonly SchemaProblem[] {
  const inner = errors.filter(
    ({ instancePath }) => !errors.some((other) => other.instancePath.startsWith(`${instancePath}/`)),
  );
  return inner
    .filter(
      ({ instancePath }, index) => inner.findIndex((other) => other.instancePath === instancePath) === index,
    )
    .map(({ instancePath, message, params, data }) => {
      const path = segments(instancePath);
      const name = path.length === 0 ? 'the schema' : dotted(path);
      const allowed: unknown = params.allowedValues;
      return Array.isArray(allowed)
        ? { path, message: `${name} cannot be ${JSON.stringify(data)}`, hint: `one of ${allowed.join(', ')}` }
        : { path, message: `${name} ${message ?? 'is not valid'}` };
    });
}

const OTHER_DRAFT: SchemaProblem = {
  path: ['$schema'],
  message: 'policies are written in draft-07',
  hint: 'remove $schema',
};
const ENDLESS = 'refers to itself endlessly, or is nested too deeply';

/** Compile errors have no location, so the keyword that they name is searched for. */
function compileProblem(error: unknown, schema: Json): SchemaProblem {
  if (error instanceof RangeError) return { path: [], message: `the schema ${ENDLESS}` };
  const message = (error instanceof Error ? error.message : 'it cannot be compiled').replace(
    /^strict mode: /,
    '',
  );
  return { path: keyPath(schema, /^(\w+): /.exec(message)?.[1] ?? '') ?? [], message };
}

function keyPath(value: Json, key: string): Path | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  for (const [name, child] of entries) {
    if (name === key) return [name];
    const below = keyPath(child, key);
    if (below !== undefined) return [name, ...below];
  }
  return undefined;
}

/**
 * One problem for each field. Branches that were not taken, and errors that only say that something below is wrong, are
 * left out.
 */
function problemsOf(
  validate: ValidateFunction,
  document: JsonObject,
  meter: Meter,
): readonly PolicyProblem[] {
  try {
    if (validate(document)) return [];
    const errors = validate.errors ?? [];
    meter.take(errors.length * STEPS_AN_ERROR);
    const unions = new Set(
      errors
        .filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
        .map(({ schemaPath }) => schemaPath),
    );
    const problems = new Map<string, PolicyProblem>();
    for (const error of errors) {
      if (error.keyword === 'if' || isBelow(error.schemaPath, unions)) continue;
      const problem = problemOf(error);
      if (!problems.has(problem.path)) problems.set(problem.path, problem);
    }
    return [...problems.values()];
  } catch (error) {
    // Some recursive references compile, for example `{ $ref: '#' }`; whether they end depends on the document.
    const why = error instanceof RangeError ? ENDLESS : error instanceof TooManySteps ? TOO_LONG : undefined;
    if (why === undefined) throw error;
    const text = `cannot be checked: its schema ${why}`;
    return [{ path: '', value: undefined, text, hint: 'Correct the schema of the policy.' }];
  }
}

const TOO_LONG = 'takes too many steps, or all policies together do';
/** Describing an error takes longer than finding it. */
const STEPS_AN_ERROR = 10;

function isBelow(path: string, above: ReadonlySet<string>): boolean {
  if (above.size === 0) return false;
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    if (above.has(path.slice(0, at))) return true;
  return false;
}

function problemOf({ instancePath, keyword, params, message, data, schema }: ErrorObject): PolicyProblem {
  const missing: unknown = params.missingProperty ?? params.additionalProperty;
  const path = dotted([...segments(instancePath), ...(typeof missing === 'string' ? [missing] : [])]);
  // A missing or forbidden field is reported with its own value, not with the value of its parent.
  const own = typeof missing === 'string' && isObject(data);
  const value = own ? (Object.hasOwn(data, missing) ? data[missing] : undefined) : (data as Json);
  const bound = BOUNDS.get(keyword);
  return { path, value, text: wish(keyword, schema, message), ...(bound === undefined ? {} : { bound }) };
}

const BOUNDS: ReadonlyMap<string, 'most' | 'least'> = new Map([
  ['decimalMaximum', 'most'],
  ['decimalMinimum', 'least'],
]);

function wish(keyword: string, schema: unknown, message: string | undefined): string {
  if (keyword === 'decimalMaximum') return `must be at most ${String(schema)}`;
  if (keyword === 'decimalMinimum') return `must be at least ${String(schema)}`;
  if (keyword === 'required') return 'must be present';
  if (keyword === 'additionalProperties') return 'must not be present';
  if (keyword === 'enum' && Array.isArray(schema))
    return `must be one of ${schema.map((item) => JSON.stringify(item)).join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(schema)}`;
  return message ?? 'does not pass';
}

function segments(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** `spec.config.buy_config_tiers[1].relay_tip`. */
function dotted(path: readonly string[]): string {
  return path.reduce(
    (text, part) => (/^[0-9]+$/.test(part) ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}
