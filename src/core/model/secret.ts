import { overlaps } from './field-path.ts';
import { CODES, type DiagnosticCode } from './generated/codes.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/** The text in place of a hidden value. */
export const SECRET = '(secret)';

/** What a diagnostic says of a field whose value is secret. Any other words could say something about the value. */
export function aboutSecret(field: string, code: DiagnosticCode): string {
  const title = CODES[code].replace(/\.$/, '');
  return `${field} has a value from the environment, which is not shown: ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}

interface Sides {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly sensitive: boolean;
}

/** A field as a document shows it: its values are hidden if they, or what is at one of these paths, came from the environment. */
export function shownField<Item extends Sides>(field: Item, secrets: readonly string[] = []): Item {
  if (!field.sensitive && !overlaps(secrets, field.path)) return field;
  return {
    ...field,
    ...(field.before === undefined ? {} : { before: SECRET }),
    ...(field.after === undefined ? {} : { after: SECRET }),
    sensitive: true,
  };
}

/** Masks the values at the secret paths. In a remark, only the note. The path of one item hides the whole list. */
export function maskObject(value: object, secrets: readonly string[]): JsonObject {
  return mask(value as JsonObject, '', secrets) as JsonObject;
}

function mask(value: Json, path: string, secrets: readonly string[]): Json {
  if (path !== '' && !overlaps(secrets, path)) return value;
  if (!isObject(value)) return SECRET;
  if (path === 'remark') return { ...value, note: SECRET };
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      mask(child, path === '' ? key : `${path}.${key}`, secrets),
    ]),
  );
}

/** The source of a pattern that finds this text. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/**
 * The same for a text that is not part of a longer word or number: `0.5` is found in `0.5 SOL`, but not in `10.5` or
 * `0.55`.
 */
export function standingAlone(text: string): string {
  const before = /^\w/.test(text) ? '(?<!\\w|\\d[.,])' : '';
  const after = /\w$/.test(text) ? '(?!\\w|[.,]\\d)' : '';
  return before + escaped(text) + after;
}

export function withoutValues(text: string, secrets: readonly string[]): string {
  const patterns = [...new Set(secrets)].sort((a, b) => b.length - a.length).map(standingAlone);
  return patterns.length === 0 ? text : text.replace(new RegExp(patterns.join('|'), 'g'), SECRET);
}
