import { isObject, type Json, type JsonObject } from '../model/json.ts';

/** Description of a value that a person or a test hands to the sandbox: a seed, or the body of a control endpoint. */
export type FieldDescription = { readonly required?: boolean; readonly nullable?: boolean } & (
  | { readonly type: 'object'; readonly fields: Readonly<Record<string, FieldDescription>> }
  | { readonly type: 'list'; readonly items: FieldDescription }
  | { readonly type: 'any-object' }
  /** A mapping of any names to values of one form. */
  | { readonly type: 'mapping'; readonly items: FieldDescription }
  | { readonly type: 'text-or-number' }
  | { readonly type: 'text'; readonly pattern?: RegExp; readonly what?: string }
  | { readonly type: 'integer'; readonly least?: number; readonly most?: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'time' }
);

export const UUID = {
  type: 'text',
  pattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  what: 'a UUID in lower case',
} as const satisfies FieldDescription;

/** Takes a problem and the path of the value that has it. */
export type ReportProblem = (path: readonly (string | number)[], message: string, hint?: string) => void;

/** Reports everything in a document that is not as its description says. */
export function checkField(
  field: FieldDescription,
  value: Json | undefined,
  path: readonly (string | number)[],
  report: ReportProblem,
): void {
  if (value === undefined) return;
  if (value === null && field.nullable === true) return;
  switch (field.type) {
    case 'object':
      if (isObject(value)) checkObject(field, value, path, report);
      else report(path, 'must be a mapping.');
      return;
    case 'list':
      if (!Array.isArray(value)) report(path, 'must be a list.');
      else
        for (const [index, item] of value.entries()) checkField(field.items, item, [...path, index], report);
      return;
    case 'any-object':
      if (!isObject(value)) report(path, 'must be a mapping.');
      return;
    case 'mapping':
      if (!isObject(value)) report(path, 'must be a mapping.');
      else
        for (const [key, item] of Object.entries(value))
          checkField(field.items, item, [...path, key], report);
      return;
    default: {
      const wrong = scalarProblem(field, value);
      if (wrong !== undefined) report(path, wrong);
    }
  }
}

function checkObject(
  field: Extract<FieldDescription, { type: 'object' }>,
  value: JsonObject,
  path: readonly (string | number)[],
  report: ReportProblem,
): void {
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(field.fields, key)) {
      report([...path, key], 'is not known here.', `Known are: ${Object.keys(field.fields).join(', ')}.`);
    }
  }
  for (const [key, part] of Object.entries(field.fields)) {
    if (part.required === true && value[key] === undefined) report(path, `${key} is required.`);
    checkField(part, value[key], [...path, key], report);
  }
}

function scalarProblem(
  field: Exclude<FieldDescription, { type: 'object' | 'list' | 'any-object' | 'mapping' }>,
  value: Json,
): string | undefined {
  switch (field.type) {
    case 'text-or-number':
      return typeof value === 'string' || typeof value === 'number' ? undefined : 'must be text or a number.';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false.';
    case 'integer':
      return Number.isSafeInteger(value) &&
        Number(value) >= (field.least ?? 0) &&
        !(Number(value) > (field.most ?? Infinity))
        ? undefined
        : field.most === undefined
          ? 'must be a whole number.'
          : `must be a whole number from ${field.least ?? 0} to ${field.most}.`;
    case 'time':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value))
        ? undefined
        : 'must be an ISO 8601 time.';
    case 'text':
      if (typeof value !== 'string') return 'must be text; quote it.';
      return field.pattern === undefined || field.pattern.test(value)
        ? undefined
        : `must be ${field.what ?? 'valid'}.`;
  }
}
