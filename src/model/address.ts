import { type Collection, isCollection } from './kind.ts';
import { matchesWildcard } from './wildcard.ts';

/** `<collection>/<name>`: how people and documents name one managed thing. */
export type Address = `${Collection}/${string}`;

export const NAME_PATTERN = /^[a-z0-9-]{1,28}$/;
export const PROJECT_PATTERN = /^[a-z0-9-]{1,12}$/;

export function formatAddress(collection: Collection, name: string): Address {
  return `${collection}/${name}`;
}

export function parseAddress(text: string): { collection: Collection; name: string } | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const collection = text.slice(0, slash);
  const name = text.slice(slash + 1);
  return isCollection(collection) && NAME_PATTERN.test(name) ? { collection, name } : undefined;
}

/** `sniper/*` and the like; `*` stands for any text. */
export function matchesAddress(pattern: string, address: string): boolean {
  return matchesWildcard(pattern, address);
}
