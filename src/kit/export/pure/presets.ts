import { orderedAsSchema } from '../../../core/manifest/defaults.ts';
import { bareName } from '../../../core/model/address.ts';
import { compareTexts } from '../../../core/model/compare-texts.ts';
import { PLAIN_PARTS } from '../../../core/model/generated/parts.ts';
import { canonicalJson, isObject, type Json, type JsonObject, objectIn } from '../../../core/model/json.ts';
import { TASK_KINDS, type TaskCollection } from '../../../core/model/kind.ts';
import { type Exported, exported, type Names } from './names.ts';

/** Lines of a preset besides its fields: its head, and the separator line. */
const HEAD = 9;
/** With fewer common fields, a preset is harder to read than the repetition. */
const LEAST_FIELDS = 3;
/** How many of the most frequent distinct configs are compared with each other. */
const MOST_COMPARED = 64;
const MOST_PRESETS = 24;

/**
 * Moves what the tasks of a kind have in common into presets, the largest saving first, and makes the tasks extend them.
 * Deterministic. The presets of one task never set the same field, so their order has no effect and every task compiles to the
 * same result.
 */
export function withPresets(tasks: readonly Exported[], names: Names): readonly Exported[] {
  const presets: Exported[] = [];
  const changed = new Map<Exported, Exported>();
  for (const { collection } of TASK_KINDS) {
    const own = tasks.filter(({ address }) => address.startsWith(`${collection}/`));
    const factored = factor(own);
    for (const { fields } of factored.presets) presets.push(presetOf(collection, fields, names));
    const made = presets.slice(presets.length - factored.presets.length);
    for (const [task, { rest, uses }] of factored.tasks) {
      const extended = uses.map((index) => (made[index]?.address ?? '').slice('preset/'.length));
      if (extended.length > 0) changed.set(task, extending(task, extended, rest));
    }
  }
  return [...presets, ...tasks.map((task) => changed.get(task) ?? task)];
}

interface Work {
  rest: ReadonlySet<number>;
  readonly uses: number[];
}

/** The fields of each preset, and of each task what is left and the presets that it uses. */
function factor(tasks: readonly Exported[]) {
  const fields = new Fields();
  const work = new Map<Exported, Work>();
  for (const task of tasks) {
    const config = configIn(task);
    // When merged, a null would remove the value of another layer instead of being kept.
    if (config === undefined || leavesOf(config).some(({ value }) => value === null)) continue;
    work.set(task, { rest: fields.of(config), uses: [] });
  }
  const presets: { fields: readonly Leaf[] }[] = [];
  while (presets.length < MOST_PRESETS) {
    const best = largestSaving([...work.values()]);
    if (best === undefined) break;
    for (const one of work.values()) {
      if (!holds(one.rest, best)) continue;
      one.rest = new Set([...one.rest].filter((field) => !best.has(field)));
      one.uses.push(presets.length);
    }
    presets.push({ fields: fields.leaves(best) });
  }
  return {
    presets,
    tasks: new Map([...work].map(([task, { rest, uses }]) => [task, { rest: fields.leaves(rest), uses }])),
  };
}

/** The common fields of some tasks that save the most lines. Undefined if nothing saves any. */
function largestSaving(work: readonly Work[]): ReadonlySet<number> | undefined {
  const distinct = new Map<string, { rest: ReadonlySet<number>; count: number }>();
  for (const { rest } of work) {
    const key = [...rest].sort((a, b) => a - b).join(' ');
    const known = distinct.get(key);
    distinct.set(key, { rest, count: (known?.count ?? 0) + 1 });
  }
  const all = [...distinct.values()];
  const compared = [...all].sort((a, b) => b.count - a.count).slice(0, MOST_COMPARED);
  let best: { common: ReadonlySet<number>; saving: number } | undefined;
  const tried = new Set<string>();
  for (const [index, one] of compared.entries()) {
    for (const other of compared.slice(index)) {
      const common = new Set([...one.rest].filter((field) => other.rest.has(field)));
      const key = [...common].join(' ');
      if (common.size < LEAST_FIELDS || tried.has(key)) continue;
      tried.add(key);
      const users = all.reduce((sum, { rest, count }) => sum + (holds(rest, common) ? count : 0), 0);
      const saving = (users - 1) * common.size - users - HEAD;
      if (saving > (best?.saving ?? 0)) best = { common, saving };
    }
  }
  return best?.common;
}

function holds(rest: ReadonlySet<number>, fields: ReadonlySet<number>): boolean {
  if (rest.size < fields.size) return false;
  for (const field of fields) if (!rest.has(field)) return false;
  return true;
}

/** Numbers for fields with their values. Equal fields have equal numbers. */
class Fields {
  readonly #numbers = new Map<string, number>();
  readonly #leaves: Leaf[] = [];

  of(config: JsonObject): ReadonlySet<number> {
    return new Set(leavesOf(config).map((leaf) => this.#number(leaf)));
  }

  leaves(numbers: ReadonlySet<number>): readonly Leaf[] {
    return [...numbers].sort((a, b) => a - b).flatMap((number) => this.#leaves[number] ?? []);
  }

  #number(leaf: Leaf): number {
    const key = canonicalJson([[...leaf.path], leaf.value]);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#leaves.push(leaf);
    this.#numbers.set(key, this.#leaves.length - 1);
    return this.#leaves.length - 1;
  }
}

function configIn({ manifest }: Exported): JsonObject | undefined {
  const config = isObject(manifest.spec) ? manifest.spec.config : undefined;
  return isObject(config) ? config : undefined;
}

function presetOf(collection: TaskCollection, fields: readonly Leaf[], names: Names): Exported {
  const roots = [...new Set(fields.map(({ path }) => path[0] ?? ''))];
  const [only = '', second] = roots;
  const what = second === undefined ? only.replaceAll('_', '-') : 'base';
  const name = names.take(`${collection}-${what}`);
  return exported('Preset', `preset/${name}`, { spec: { for: collection, config: configOf(fields) } });
}

function extending(task: Exported, presets: readonly string[], rest: readonly Leaf[]): Exported {
  const spec = objectIn(task.manifest.spec);
  const { config, ...others } = spec;
  const manifest = { ...task.manifest, spec: { ...others, extends: [...presets], config: configOf(rest) } };
  return { ...task, manifest: orderedAsSchema(manifest) };
}

/** A field of a config without subfields. Lists are leaves too, because merging replaces them completely. */
interface Leaf {
  readonly path: readonly string[];
  readonly value: Json;
}

function leavesOf(config: JsonObject): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const walk = (value: Json, path: readonly string[]) => {
    if (!isObject(value) || Object.keys(value).length === 0) leaves.push({ path, value });
    else for (const [key, child] of Object.entries(value)) walk(child, [...path, key]);
  };
  for (const [key, child] of Object.entries(config)) walk(child, [key]);
  return leaves;
}

function configOf(leaves: readonly Leaf[]): JsonObject {
  const config: JsonObject = {};
  for (const { path, value } of leaves) {
    let at = config;
    for (const key of path.slice(0, -1)) {
      const next = at[key];
      const inside: JsonObject = isObject(next) ? next : {};
      at[key] = inside;
      at = inside;
    }
    at[path.at(-1) ?? ''] = value;
  }
  return config;
}

type AddressChange = (address: string) => string;

/**
 * Moves the addresses that several tasks name into a wallet book, and writes their names instead. `known` are the names in
 * existing books. `taken` are all names that must not be used again.
 */
export function withWallets(
  tasks: readonly Exported[],
  known: ReadonlyMap<string, string>,
  taken: Names,
  book: string,
): readonly Exported[] {
  const counts = new Map<string, number>();
  for (const { manifest } of tasks) {
    for (const address of new Set(addressesIn(manifest))) counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  const names = new Map([...known].map(([name, address]) => [address, name]));
  const made: Record<string, Json> = {};
  for (const [address, count] of counts) {
    if (count < 2 || names.has(address)) continue;
    const name = taken.take(wantedName(address, tasks));
    names.set(address, name);
    made[name] = address;
  }
  const written = tasks.map((task) => {
    const manifest = changed(task.manifest, (address) => names.get(address) ?? address);
    return { ...task, manifest };
  });
  if (Object.keys(made).length === 0) return written;
  const wallets = Object.fromEntries(Object.entries(made).sort(([a], [b]) => compareTexts(a, b)));
  return [exported('WalletBook', `wallet-book/${book}`, { spec: { wallets } }), ...written];
}

/**
 * A name after the only task with this target. It contains no characters of the address, because names also appear where
 * addresses must not.
 */
function wantedName(address: string, tasks: readonly Exported[]): string {
  const targeting = tasks.filter(({ manifest }) => specOf(manifest).target_wallet === address);
  const [only, second] = targeting;
  if (only !== undefined && second === undefined) return bareName(only.address);
  return 'shared-wallet';
}

function addressesIn(manifest: JsonObject): readonly string[] {
  const found: string[] = [];
  changed(manifest, (address) => {
    found.push(address);
    return address;
  });
  return found;
}

function changed(manifest: JsonObject, change: AddressChange): JsonObject {
  const spec = specOf(manifest);
  const { config } = spec;
  const wallets = PLAIN_PARTS.filter(({ cost, name }) => cost === 'wallets' && spec[name] !== undefined);
  const blacklist = isObject(config) ? config.address_blacklist : undefined;
  return {
    ...manifest,
    spec: {
      ...spec,
      ...Object.fromEntries(wallets.map(({ name }) => [name, texts(spec[name] ?? null, change)])),
      ...(isObject(config) && isObject(blacklist) && blacklist.wallets !== undefined
        ? {
            config: {
              ...config,
              address_blacklist: { ...blacklist, wallets: texts(blacklist.wallets, change) },
            },
          }
        : {}),
    },
  };
}

function texts(list: Json, change: AddressChange): Json {
  const changed = (item: Json) => (typeof item === 'string' ? change(item) : item);
  return Array.isArray(list) ? list.map(changed) : changed(list);
}

function specOf(manifest: JsonObject): JsonObject {
  return objectIn(manifest.spec);
}
