import { type Collection, isCollection } from './kind.ts';
import { matchesWildcard } from './wildcard.ts';

/** `<collection>/<name>`: how people and documents name one managed thing. */
export type Address = `${Collection}/${string}`;

/** Addresses of the tasks with another manifest; `all` if something else differs that tasks may be made of. */
export type Touched = ReadonlySet<string> | 'all';

export const NAME_PATTERN = /^[a-z0-9-]{1,24}$/;
export const PROJECT_PATTERN = /^[a-z0-9-]{1,12}$/;

export function formatAddress(collection: Collection, name: string): Address {
  return `${collection}/${name}`;
}

/** The text before and after the first slash, whatever they are; a text without a slash has no name. */
export function addressParts(text: string): { readonly collection: string; readonly name?: string } {
  const slash = text.indexOf('/');
  if (slash < 0) return { collection: text };
  return { collection: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** The collection of an address, or of a pattern such as `sniper/*`; undefined without a slash or with another word. */
export function collectionOf(text: string): Collection | undefined {
  const { collection, name } = addressParts(text);
  return name !== undefined && isCollection(collection) ? collection : undefined;
}

/** The address of a resource; without one its collection and id, `sniper/5e0c…`. */
export function addressOrId(of: { address: string | null; kind: string; id: string | null }): string {
  return of.address ?? `${of.kind}/${of.id ?? ''}`;
}

export function bareName(address: string): string {
  return addressParts(address).name ?? address;
}

/** True for a name without a collection, as the command line accepts it. */
export function isBareName(text: string): boolean {
  return !text.includes('/');
}

/** `sniper/*` and the like; `*` stands for any text. */
export function matchesAddress(pattern: string, address: string): boolean {
  return matchesWildcard(pattern, address);
}
