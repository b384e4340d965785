import type { ValidationError } from '../model/generated/validators.js';
import type { Choices } from './choices.ts';
import type { FieldError } from './refusal.ts';

/**
 * What the compiled schema found, as `error.fields` (interface, "Errors"): dot-separated paths, `$` for the whole body,
 * reasons from a fixed set of words.
 */
export function fieldErrors(errors: readonly ValidationError[], choices: Choices): FieldError[] {
  const unions = new Set(
    errors.filter((error) => error.keyword === 'anyOf').map((error) => error.instancePath),
  );
  const fields: FieldError[] = [];
  for (const error of errors) {
    if (unions.has(error.instancePath) && error.keyword !== 'anyOf') continue;
    if (choices.address_form === 'length' && error.params.pattern === BASE58) continue;
    fields.push({ path: pathOf(error, choices), reason: reasonOf(error) });
  }
  return distinct(fields);
}

/** `definitions.address.pattern` of schemas/service.schema.json. */
const BASE58 = '^[1-9A-HJ-NP-Za-km-z]+$';

const REASONS: Readonly<Record<string, string>> = {
  additionalProperties: 'unknown_property',
  required: 'required',
  pattern: 'invalid_format',
  enum: 'invalid_enum_value',
  minItems: 'too_few_items',
  maxItems: 'too_many_items',
  uniqueItems: 'duplicate_items',
  minLength: 'too_short',
  maxLength: 'too_long',
  minProperties: 'empty_patch',
  anyOf: 'invalid_uuid',
  format: 'invalid_uuid',
};

function reasonOf(error: ValidationError): string {
  if (error.keyword === 'type') return `expected_${String(error.params.type)}`;
  if (error.keyword === 'pattern' && error.params.pattern === BASE58) return 'invalid_address';
  if (error.keyword === 'pattern') return 'invalid_decimal';
  return REASONS[error.keyword] ?? 'invalid';
}

function pathOf(error: ValidationError, choices: Choices): string {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { missingProperty, additionalProperty } = error.params;
  if (typeof missingProperty === 'string') parts.push(missingProperty);
  if (typeof additionalProperty === 'string' && choices.unknown_field_path === 'property') {
    parts.push(additionalProperty);
  }
  return parts.length === 0 ? '$' : parts.join('.');
}

function distinct(fields: readonly FieldError[]): FieldError[] {
  return [...new Map(fields.map((field) => [`${field.path} ${field.reason}`, field])).values()];
}
