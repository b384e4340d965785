import { compareTexts } from '../core/model/compare-texts.ts';
import { isObject, type Json, type JsonObject } from '../core/model/json.ts';
import type { ConfigDefinition } from '../core/model/kind.ts';
import {
  definition,
  mapShaped,
  missingDefaults,
  resolveShape,
  type SchemaNode,
} from '../core/model/shape.ts';
import type { Choices } from './choices.ts';

/**
 * The form in which a valid config is stored and then returned (interface, `config`: "returned as stored").
 * `reentry_after_flat: true` becomes `first_buy_only: true` and is stored as `false`.
 */
export function storedConfig(name: ConfigDefinition, config: JsonObject, choices: Choices): JsonObject {
  const reentry =
    config.reentry_after_flat === true ? { reentry_after_flat: false, first_buy_only: true } : {};
  const stored = echo(definition(name), { ...config, ...reentry }, choices);
  return isObject(stored) ? stored : config;
}

export function storedSet(items: readonly string[], choices: Choices): readonly string[] {
  return choices.sets_echo === 'sorted' ? [...items].sort() : items;
}

function echo(shape: SchemaNode, config: Json, choices: Choices): Json {
  return mapShaped(shape, config, (value, at) => {
    if (at === undefined) return value;
    if (at['x-decimal'] !== undefined) return typeof value === 'string' ? echoDecimal(value, choices) : value;
    if (Array.isArray(value)) {
      return at['x-set'] === true && choices.sets_echo === 'sorted' ? value.sort() : value;
    }
    if (!isObject(value)) return value;
    const { properties = {}, required, 'x-open': open } = at;
    const entries = Object.entries(value);
    for (const [key, property] of choices.optional_echo === 'filled' ? Object.entries(properties) : []) {
      if (open === true || required?.includes(key) || Object.hasOwn(value, key)) continue;
      const empty = emptyOf(property);
      if (empty !== undefined) entries.push([key, empty]);
    }
    if (choices.key_order === 'sorted') entries.sort(([a], [b]) => compareTexts(a, b));
    return Object.fromEntries(entries);
  });
}

function emptyOf(shape: SchemaNode): Json | undefined {
  const { type, 'x-decimal': decimal } = resolveShape(shape);
  if (decimal !== undefined) return '';
  return type === 'boolean' ? false : type === 'array' ? [] : undefined;
}

const PADDED_DIGITS = 9;
const LONGEST_DECIMAL = 32;

function echoDecimal(text: string, choices: Choices): string {
  const match = /^0*([0-9]+)(?:\.([0-9]*?)0*)?$/.exec(text);
  if (match === null || choices.decimals_echo === 'as-sent') return text;
  const [, whole = '0', fraction = ''] = match;
  const digits = choices.decimals_echo === 'padded' ? fraction.padEnd(PADDED_DIGITS, '0') : fraction;
  const written = digits === '' ? whole : `${whole}.${digits}`;
  return written.length > LONGEST_DECIMAL ? text : written;
}

/** A body with defaults for missing required fields, for services that allow leaving them out. */
export function withRequiredDefaults(name: string, body: JsonObject): JsonObject {
  const filled = mapShaped(definition(name), body, (value, at) =>
    at === undefined || !isObject(value)
      ? value
      : { ...value, ...Object.fromEntries(missingDefaults(at, value)) },
  );
  return filled as JsonObject;
}
