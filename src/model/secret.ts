/** What stands where a value is not shown. */
export const SECRET = '(secret)';

/** True where a field, or something within it or around it, is among the secret paths (`config.buy_amount`, `linked_wallets[0]`). */
export function isSecretPath(secrets: readonly string[], path: string): boolean {
  return secrets.some((secret) => secret === path || isBelow(secret, path) || isBelow(path, secret));
}

/** A field of a document with its values hidden, those that it has. */
export function hiddenField<Item extends { readonly before?: unknown; readonly after?: unknown }>(
  field: Item,
): Item {
  return {
    ...field,
    ...(field.before === undefined ? {} : { before: SECRET }),
    ...(field.after === undefined ? {} : { after: SECRET }),
  };
}

function isBelow(path: string, parent: string): boolean {
  return path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`);
}

/** The source of a pattern that finds this text. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The same for a text that is not part of a longer word or number: `0.5` is in `0.5 SOL`, and neither in `10.5` nor in `0.55`. */
export function standingAlone(text: string): string {
  const before = /^\w/.test(text) ? '(?<!\\w|\\d[.,])' : '';
  const after = /\w$/.test(text) ? '(?!\\w|[.,]\\d)' : '';
  return before + escaped(text) + after;
}

/** A text about values of which some are secret, without these. */
export function withoutValues(text: string, secrets: readonly string[]): string {
  const patterns = [...new Set(secrets)].sort((a, b) => b.length - a.length).map(standingAlone);
  return patterns.length === 0 ? text : text.replace(new RegExp(patterns.join('|'), 'g'), SECRET);
}
