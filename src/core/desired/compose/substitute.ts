import { warning } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../diagnostics/suggest.ts';
import { checkedText, WHOLE } from '../../manifest/convert.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import { mayHoldReference, parseReferences, type Reference } from '../../manifest/references.ts';
import { childSchema, type SchemaNode } from '../../manifest/schema.ts';
import type { Path } from '../../manifest/spans.ts';
import { NAME_PATTERN } from '../../model/address.ts';
import { MOST } from '../../model/bounds.ts';
import { madeOnce } from '../../model/by-key.ts';
import { isObject, type Json, type JsonObject, objectIn } from '../../model/json.ts';
import { SECRETABLE } from '../../model/parts.ts';
import type { Lookup, ReferenceValue } from './scope.ts';
import type { Used } from './unused.ts';

interface Substituted {
  /** The same object if nothing was replaced. */
  readonly value: JsonObject;
  /** Paths of values from the environment. */
  readonly secrets: readonly Path[];
}

/** Is told what is found on the way. A place is hidden before its problems are reported. */
interface Hearer {
  readonly report: (path: Path, problem: Problem | Told) => void;
  readonly hide: (place: Path) => void;
}

/** Fields that the service shows only to the account, and that plans can hide. */
const MAY_BE_SECRET = new Set([...SECRETABLE, 'wallets', 'rows']);

/**
 * Replaces references. A reference that is a whole value keeps the type of its target. `untyped`: the value was read without
 * types, as in a patch, so numbers become amounts and texts are checked. Null stays, because it removes.
 */
export function substitute(
  value: JsonObject,
  schema: SchemaNode,
  lookup: Lookup,
  hearer: Hearer,
  untyped = false,
): Substituted {
  const walk = new Walk(lookup, hearer, untyped);
  const result = walk.visit(value, schema);
  return { value: isObject(result) ? result : value, secrets: walk.secrets };
}

/** Items move up if an earlier one is left out, so a list with a secret is secret as a whole. Rows keep their positions. */
function secretPlace(path: Path): Path {
  const item = path.findIndex((segment) => typeof segment === 'number');
  return item < 0 || path[item - 1] === 'rows' ? path : path.slice(0, item);
}

/** The problem of an environment value in a place where it would be visible. */
export const SHOWN: Problem = {
  code: 'env-not-here',
  message: 'values from the environment are never shown, but this field is shown',
  hint: `write \${var.NAME}; \${env.NAME} is allowed in ${SECRETABLE.join(', ')} and wallet books`,
};

class Walk {
  readonly secrets: Path[] = [];
  readonly #path: (string | number)[] = [];
  readonly #report: Hearer['report'];
  readonly #hide: Hearer['hide'];

  constructor(
    private readonly lookup: Lookup,
    { report, hide }: Hearer,
    private readonly loose: boolean,
  ) {
    this.#report = report;
    this.#hide = hide;
  }

  /** undefined: the field is left out. */
  visit(value: Json, schema: SchemaNode): Json | undefined {
    if (typeof value === 'string' && mayHoldReference(value)) return this.#text(value, schema);
    if (Array.isArray(value)) return this.#list(value, schema);
    if (isObject(value)) return this.#map(value, schema);
    if (!this.loose || value === null) return value;
    return this.#typed({ value, untyped: false }, schema);
  }

  #map(value: JsonObject, schema: SchemaNode): JsonObject {
    let result: JsonObject | undefined;
    for (const [key, child] of Object.entries(value)) {
      this.#path.push(key);
      const changed = this.visit(child, childSchema(schema, key));
      this.#path.pop();
      if (changed === child) continue;
      result ??= { ...value };
      if (changed === undefined) delete result[key];
      else result[key] = changed;
    }
    return result ?? value;
  }

  #list(value: Json[], schema: SchemaNode): Json[] {
    const items = value.map((item, index) => {
      this.#path.push(index);
      const changed = this.visit(item, childSchema(schema, index));
      this.#path.pop();
      return changed;
    });
    if (items.every((item, index) => item === value[index])) return value;
    return items.filter((item) => item !== undefined);
  }

  #text(value: string, schema: SchemaNode): Json | undefined {
    const parsed = parseReferences(value);
    if (!('parts' in parsed)) return value;
    const { parts } = parsed;
    const found = parts.map((part) => (typeof part === 'string' ? part : this.#find(part)));
    // Already reported. The reference stays, and any problem of its type is only a consequence.
    if (found.includes('later')) return value;
    const secret = found.some((one) => typeof one === 'object' && one.secret);
    // The reference stays, so that its value is not shown where the field is.
    if (secret && !this.#mayHide()) return value;
    if (found.some((one) => typeof one === 'object' && one.kept === true)) {
      this.#report([...this.#path], TOLD);
      return value;
    }
    const [only] = found;
    if (found.length === 1 && typeof only === 'object') return this.#typed(only, schema);
    const filled = found.map((one) => (typeof one === 'object' ? String(one.value ?? '') : one));
    const length = filled.reduce((sum, part) => sum + part.length, 0);
    if (length > MOST.filledLength) {
      const message = `the text has ${length} characters after its references are replaced`;
      const hint = `at most ${MOST.filledLength} are allowed`;
      this.#report([...this.#path], { code: 'out-of-range', message, hint });
      return value;
    }
    const text = filled.join('');
    return this.#checked(text, schema);
  }

  #find(reference: Reference): ReferenceValue | 'later' {
    const found = this.lookup(reference);
    if (found === 'later' || 'secret' in found) return found;
    this.#report([...this.#path], found);
    return 'later';
  }

  /** Notes that the value at this place is secret, before any problem of it is reported. */
  #mayHide(): boolean {
    const path = [...this.#path];
    if (
      path.some((segment) => typeof segment === 'string' && MAY_BE_SECRET.has(segment)) &&
      path[0] === 'spec'
    ) {
      const place = secretPlace(path);
      this.secrets.push(place);
      this.#hide(place);
      return true;
    }
    this.#report(path, SHOWN);
    return false;
  }

  #typed({ value, untyped }: Omit<ReferenceValue, 'secret'>, schema: SchemaNode): Json | undefined {
    if (value === null) return undefined;
    if (typeof value === 'number' && (schema['x-decimal'] !== undefined || schema.type === 'string')) {
      return this.#checked(String(value), schema);
    }
    if (typeof value !== 'string') return value;
    if (untyped && schema.type === 'boolean' && (value === 'true' || value === 'false'))
      return value === 'true';
    if (untyped && schema.type === 'integer' && WHOLE.test(value) && Number.isSafeInteger(Number(value))) {
      return Number(value);
    }
    return this.#checked(value, schema);
  }

  /** The same checks that the reader makes of a literal text. */
  #checked(text: string, schema: SchemaNode): string {
    const { value, problem } = checkedText(text, schema);
    if (problem === undefined) return value;
    const { code, message, hint } = problem;
    this.#report([...this.#path], { code, message, hint });
    return text;
  }
}

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
  readonly #used: Set<unknown>;
  /** Names with a wrong address, which is reported at its place, and whether it comes from the environment. */
  readonly #wrong = new Map<string, boolean>();

  constructor({ wallets }: Used) {
    this.#used = wallets;
  }

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
      const secret = secrets.some((one) => one[2] === name);
      if (typeof address !== 'string' || manifest.isDiagnosed(path)) {
        this.#wrong.set(name, secret);
        continue;
      }
      const first = this.#wallets.get(name);
      if (first !== undefined) {
        const { file, line } = first.manifest.location(first.path);
        report(['spec', 'wallets', name], {
          code: 'duplicate-wallet',
          message: `the wallet ${name} appears in two wallet books`,
          hint: `the other one is at ${file}:${line}: remove one of them, or give it another name`,
        });
        continue;
      }
      if (NAME_PATTERN.test(address)) {
        report(path, {
          code: 'invalid-address',
          message: `${address} is not a chain address`,
          hint: 'a wallet book contains addresses: 32 to 44 characters of base58',
        });
        this.#wrong.set(name, secret);
        continue;
      }
      this.#twice(name, address, path, report);
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

  find(text: string): { readonly address: string } | undefined {
    this.#used.add(text);
    return this.#wallets.get(text);
  }

  isSecret(name: string): boolean {
    return this.#wallets.get(name)?.secret ?? this.#wrong.get(name) === true;
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
    if (wallets.isSecret(name)) secrets.push(secretPlace(path));
    if (wallet === undefined && NAME_PATTERN.test(name)) report(path, wallets.unknown(name));
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
    return typeof value === 'string' ? resolve(value, path) : value;
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
