import schema from '../../schemas/sandbox.schema.json' with { type: 'json' };
import { isObject, type Json, type JsonObject } from '../core/model/json.ts';

/** The part of JSON Schema that schemas/sandbox.schema.json uses. */
interface Field {
  readonly $ref?: string;
  readonly type?: TypeName | readonly TypeName[];
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Field;
  readonly items?: Field;
  /** The alternatives differ in the constant of their `type`. */
  readonly oneOf?: readonly Field[];
  readonly const?: string;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly format?: 'date-time';
  readonly minimum?: number;
  readonly maximum?: number;
  /** The allowed values, in words. */
  readonly 'x-form'?: string;
}

const TYPES = {
  object: { fits: isObject, form: 'a mapping' },
  array: { fits: Array.isArray, form: 'a list' },
  string: { fits: (value: Json) => typeof value === 'string', form: 'text; quote it' },
  number: { fits: (value: Json) => typeof value === 'number', form: 'a number' },
  integer: { fits: Number.isSafeInteger, form: 'a whole number' },
  boolean: { fits: (value: Json) => typeof value === 'boolean', form: 'true or false' },
  null: { fits: (value: Json) => value === null, form: 'empty' },
} as const;

type TypeName = keyof typeof TYPES;

type Path = readonly (string | number)[];

const DEFINITIONS = schema.definitions as unknown as Readonly<Record<string, Field>>;

const REFERENCE = '#/definitions/';

export const SEED = schema as unknown as Field;

/** The body of a control endpoint. */
export function bodyField(name: 'edit' | 'rotation' | 'clock' | 'faultRule'): Field {
  return { $ref: `${REFERENCE}${name}` };
}

/** Takes a problem and the path of the value that has it. */
export type ReportProblem = (path: Path, message: string, hint?: string) => void;

/** Reports every difference between a document of a person or a test and its schema. */
export function checkField(field: Field, value: Json, path: Path, report: ReportProblem): void {
  const { $ref, oneOf, items } = field;
  if ($ref !== undefined) checkField(DEFINITIONS[$ref.slice(REFERENCE.length)] ?? {}, value, path, report);
  else if (oneOf !== undefined) checkField(branchOf(oneOf, value), value, path, report);
  else if (!fits(field, value)) report(path, `must be ${formOf(field)}.`);
  else if (isObject(value)) checkObject(field, value, path, report);
  else if (Array.isArray(value) && items !== undefined)
    for (const [index, item] of value.entries()) checkField(items, item, [...path, index], report);
}

function checkObject(
  { properties = {}, required = [], additionalProperties }: Field,
  value: JsonObject,
  path: Path,
  report: ReportProblem,
): void {
  for (const key of required) if (!Object.hasOwn(value, key)) report(path, `${key} is required.`);
  for (const [key, item] of Object.entries(value)) {
    const field = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (field === false)
      report([...path, key], 'is unknown here.', `The fields are: ${Object.keys(properties).join(', ')}.`);
    else if (field !== undefined) checkField(field, item, [...path, key], report);
  }
}

function branchOf(branches: readonly Field[], value: Json): Field {
  const types = branches.map(({ properties }) => properties?.type?.const ?? '');
  const branch = branches[types.indexOf(isObject(value) ? String(value.type) : '')];
  return branch ?? { type: 'object', required: ['type'], properties: { type: { enum: types } } };
}

function fits({ type = [], enum: values, pattern, format, minimum, maximum }: Field, value: Json): boolean {
  const types = [type].flat();
  if (types.length > 0 && !types.some((name) => TYPES[name].fits(value))) return false;
  if (values !== undefined) return values.some((allowed) => allowed === value);
  if (typeof value === 'number') return value >= (minimum ?? value) && value <= (maximum ?? value);
  if (typeof value !== 'string') return true;
  return new RegExp(pattern ?? '').test(value) && (format === undefined || !Number.isNaN(Date.parse(value)));
}

function formOf({ type = [], enum: values, minimum, maximum, 'x-form': form }: Field): string {
  if (form !== undefined) return form;
  if (values !== undefined) return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  const [name = 'object'] = [type].flat();
  return maximum === undefined ? TYPES[name].form : `a whole number from ${minimum} to ${maximum}`;
}
