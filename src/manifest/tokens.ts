import type { CST } from 'yaml';

/** True if collections are nested deeper than `most`. The check itself goes no deeper. */
export function isDeeper(token: CST.Token | undefined, most: number): boolean {
  if (token === undefined) return false;
  if (token.type === 'document') return isDeeper(token.value, most);
  if (!('items' in token)) return false;
  if (most === 0) return true;
  for (const { key, value } of token.items) {
    if ((key != null && isDeeper(key, most - 1)) || isDeeper(value, most - 1)) return true;
  }
  return false;
}

/**
 * The first token for which `matches` is true. Walks the concrete syntax without recursion, so it can check the depth of a text
 * before the library composes it recursively. `depth` counts nested collections.
 */
export function findToken(
  root: CST.Token | undefined,
  matches: (token: CST.Token, depth: number) => boolean,
): CST.Token | undefined {
  const stack: { readonly token: CST.Token; readonly depth: number }[] =
    root === undefined ? [] : [{ token: root, depth: 0 }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { token, depth } = top;
    const collection = 'items' in token;
    if (matches(token, depth + (collection ? 1 : 0))) return token;
    if (token.type === 'document' && token.value !== undefined) stack.push({ token: token.value, depth });
    if (!collection) continue;
    for (const { key, value } of token.items) {
      if (key != null) stack.push({ token: key, depth: depth + 1 });
      if (value !== undefined) stack.push({ token: value, depth: depth + 1 });
    }
  }
  return undefined;
}
