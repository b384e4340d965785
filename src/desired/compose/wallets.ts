import { warning } from '../../diagnostics/diagnostic.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import { childSchema, type SchemaNode } from '../../manifest/schema.ts';
import type { Path } from '../../manifest/spans.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { NAME_PATTERN } from '../../model/address.ts';
import { madeOnce } from '../../model/by-key.ts';
import { isObject, type Json, type JsonObject, objectIn } from '../../model/json.ts';
import { secretPlace } from './substitute.ts';

interface Wallet {
  readonly address: string;
  readonly secret: boolean;
  readonly manifest: Manifest;
  readonly path: Path;
}

/** The problem was reported elsewhere, and is only a consequence here. */
export type Told = typeof TOLD;
const TOLD = 'told';

/** The names of all wallet books. */
export class Wallets {
  readonly #wallets = new Map<string, Wallet>();
  /** The first name of each address. */
  readonly #named = new Map<string, string>();
  /** Names with a wrong address, which is reported at its place. */
  readonly #wrong = new Set<string>();

  /** `value` is the book's value with references replaced. `secrets` are the paths from the environment. */
  add(
    manifest: Manifest,
    value: JsonObject,
    secrets: readonly Path[],
    report: (path: Path, problem: Problem) => void,
  ): void {
    const spec = objectIn(value.spec);
    for (const [name, entry] of Object.entries(objectIn(spec.wallets))) {
      const path = ['spec', 'wallets', name, ...(isObject(entry) ? ['address'] : [])];
      const address = isObject(entry) ? entry.address : entry;
      if (typeof address !== 'string' || manifest.isDiagnosed(path)) {
        this.#wrong.add(name);
        continue;
      }
      const first = this.#wallets.get(name);
      if (first !== undefined) {
        const { file, line } = first.manifest.location(first.path);
        report(['spec', 'wallets', name], {
          code: 'duplicate-wallet',
          message: `the wallet ${name} appears in two wallet books`,
          hint: `the other one is at ${file}:${line}`,
        });
        continue;
      }
      if (NAME_PATTERN.test(address)) {
        report(path, {
          code: 'invalid-address',
          message: `${address} is not a chain address`,
          hint: 'a wallet book contains addresses: 32 to 44 characters of base58',
        });
        this.#wrong.add(name);
        continue;
      }
      this.#twice(name, address, path, report);
      const secret = secrets.some((one) => one[2] === name);
      this.#wallets.set(name, { address, secret, manifest, path });
    }
  }

  #twice(name: string, address: string, path: Path, report: (path: Path, problem: Problem) => void): void {
    const otherName = this.#named.get(address);
    const other = this.#wallets.get(otherName ?? '');
    if (other === undefined) {
      this.#named.set(address, name);
      return;
    }
    const { file, line } = other.manifest.location(other.path);
    report(
      path,
      warning(
        'wallet-named-twice',
        `${name} and ${otherName} are the same address: ${address}`,
        `${otherName} is defined at ${file}:${line}; should one of them be another wallet?`,
      ),
    );
  }

  find(name: string): { readonly address: string; readonly secret: boolean } | undefined {
    return this.#wallets.get(name);
  }

  /** The problem of a name that is in no book. */
  unknown(name: string): Problem | Told {
    if (this.#wrong.has(name)) return TOLD;
    return {
      code: 'unknown-wallet',
      message: `${name} is neither a chain address nor a name from a WalletBook`,
      hint:
        didYouMean(name, this.#wallets.keys()) ??
        'write the address (32 to 44 characters of base58), or add the name to a WalletBook',
    };
  }

  get addresses(): ReadonlyMap<string, string> {
    return new Map([...this.#wallets].map(([name, { address }]) => [name, address]));
  }
}

/** Replaces names from wallet books by addresses. Returns the same object if there are none. */
export function resolveWallets(
  value: JsonObject,
  schema: SchemaNode,
  wallets: Wallets,
  report: (path: Path, problem: Problem | Told) => void,
): { readonly value: JsonObject; readonly secrets: readonly Path[] } {
  const secrets: Path[] = [];
  const resolve = (name: string, path: Path): string => {
    const wallet = wallets.find(name);
    if (wallet?.secret === true) secrets.push(secretPlace(path));
    if (wallet === undefined) report(path, wallets.unknown(name));
    return wallet?.address ?? name;
  };
  let result = value;
  for (const place of addressPlaces(schema)) {
    result = changed(result, place, [], resolve) as JsonObject;
  }
  return { value: result, secrets };
}

function changed(
  value: Json,
  place: readonly string[],
  path: Path,
  resolve: (name: string, path: Path) => string,
): Json {
  const [segment, ...rest] = place;
  if (segment === undefined) {
    return typeof value === 'string' && NAME_PATTERN.test(value) ? resolve(value, path) : value;
  }
  if (segment === ITEM) {
    if (!Array.isArray(value)) return value;
    const items = value.map((item, index) => changed(item, rest, [...path, index], resolve));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isObject(value) || !Object.hasOwn(value, segment)) return value;
  const child = value[segment] ?? null;
  const next = changed(child, rest, [...path, segment], resolve);
  return next === child ? value : { ...value, [segment]: next };
}

const ITEM = '*';
const PLACES = new WeakMap<SchemaNode, readonly (readonly string[])[]>();

/** Every place of a kind that holds an address. `*` stands for the items of a list. */
function addressPlaces(schema: SchemaNode): readonly (readonly string[])[] {
  return madeOnce(PLACES, schema, () => [
    ...(schema['x-address'] === true ? [[]] : []),
    ...Object.keys(schema.properties ?? {}).flatMap((key) => placesBelow(childSchema(schema, key), key)),
    ...(schema.items === undefined ? [] : placesBelow(childSchema(schema, 0), ITEM)),
  ]);
}

function placesBelow(schema: SchemaNode, segment: string): readonly (readonly string[])[] {
  return addressPlaces(schema).map((place) => [segment, ...place]);
}
