import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { commentsIn } from '../../../core/manifest/comments.ts';
import type { Path } from '../../../core/manifest/spans.ts';
import { composeDocuments, holdsAlias } from '../../../core/manifest/yaml.ts';
import { isObject, type Json } from '../../../core/model/json.ts';
import { blockYaml, flowYaml } from '../../../core/render/manifest-yaml.ts';

/** The value that a manifest will have at a path. Without a value the field is removed. */
export interface ManifestChange {
  readonly path: Path;
  readonly value?: Json;
  /** An unordered list. */
  readonly set?: boolean;
}

export interface EditRules {
  /** True if the written value already means the same: `0.50` for `0.5`, the name of a wallet for its address. */
  readonly same: (written: Json, wanted: Json, path: Path) => boolean;
  /** The form in which a new value is written: for a wallet, its name. */
  readonly write: (value: Json, path: Path) => Json;
  /** Fields in order, so that a new one gets the right position. */
  readonly order: (path: Path) => readonly string[];
}

/**
 * The text with these changes in the document that starts at `start`. Every other byte is unchanged: comments, order, quotes and
 * blank lines stay, and a comment beside a removed field stays on its own line. Undefined for a document with aliases, where one
 * place holds several values.
 */
export function editManifest(
  text: string,
  start: number,
  changes: readonly ManifestChange[],
  rules: EditRules,
): string | undefined {
  const root = rootAt(text, start);
  if (!isMap(root) || holdsAlias(root)) return undefined;
  return changes.reduce<string | undefined>(
    (before, change) => (before === undefined ? undefined : editOnce(before, start, change, rules)),
    text,
  );
}

function rootAt(text: string, start: number): unknown {
  const documents = composeDocuments(text, () => undefined);
  return documents.find(({ document }) => document.contents?.range?.[0] === start)?.document.contents;
}

/** Makes one change, because it moves the places of the next one. */
function editOnce(text: string, start: number, change: ManifestChange, rules: EditRules): string | undefined {
  const root = rootAt(text, start);
  if (!isMap(root)) return undefined;
  const edit = new Edit(text, rules);
  edit.setIn(root, [], change.path, change);
  return edit.splices.result();
}

type Wanted = Pick<ManifestChange, 'value' | 'set'>;

class Edit {
  readonly splices: Splices;

  constructor(
    private readonly text: string,
    private readonly rules: EditRules,
  ) {
    this.splices = new Splices(text);
  }

  setIn(map: YAMLMap, at: Path, rest: Path, wanted: Wanted): void {
    const [key, ...deeper] = rest;
    const pair = map.items.find((one) => keyOf(one) === key);
    const here = [...at, key ?? ''];
    if (deeper.length === 0) {
      if (wanted.value === undefined) {
        if (pair !== undefined) this.#removePair(map, pair);
      } else if (pair === undefined) this.#addPair(map, at, String(key), wanted.value);
      else this.#setValue(map, pair, here, wanted);
      return;
    }
    if (pair !== undefined && isMap(pair.value) && pair.value.items.length > 0) {
      this.setIn(pair.value, here, deeper, wanted);
      return;
    }
    if (wanted.value === undefined) return;
    const nested = deeper.reduceRight<Json>((value, name) => ({ [name]: value }), wanted.value);
    if (pair === undefined) this.#addPair(map, at, String(key), nested);
    else this.#replace(map, pair, here, nested);
  }

  #setValue(map: YAMLMap, pair: Pair, at: Path, { value, set }: Wanted): void {
    if (!this.#merge(pair.value as Node | null, at, value ?? null, set === true))
      this.#replace(map, pair, at, value ?? null);
  }

  /** Makes the smallest change within the value. Returns false if the value must be written completely. */
  #merge(node: Node | null, at: Path, wanted: Json, set: boolean): boolean {
    const { count } = this.splices;
    const merged = this.#mergeAny(node, at, wanted, set);
    if (!merged) this.splices.back(count);
    return merged;
  }

  #mergeAny(node: Node | null, at: Path, wanted: Json, set: boolean): boolean {
    if (isScalar(node) && !isObject(wanted) && !Array.isArray(wanted))
      return this.#mergeScalar(node, at, wanted);
    if (isMap(node) && isObject(wanted)) return this.#mergeMap(node, at, wanted);
    if (isSeq(node) && Array.isArray(wanted)) return this.#mergeList(node, at, wanted, set);
    return false;
  }

  #mergeScalar(node: Node, at: Path, wanted: Json): boolean {
    if (!isScalar(node)) return false;
    if (this.rules.same(node.value as Json, wanted, at)) return true;
    const [start, end] = node.range ?? [0, 0];
    if (start === end || /^[|>]/.test(this.text.slice(start, end))) return false;
    const written = flowYaml(this.rules.write(wanted, at));
    const quoted = this.text[start] === '"' && typeof wanted === 'string' && !/^["']/.test(written);
    this.splices.replace(start, end, quoted ? JSON.stringify(this.rules.write(wanted, at)) : written);
    return true;
  }

  #mergeMap(node: YAMLMap, at: Path, wanted: Record<string, Json>): boolean {
    if (node.items.length === 0 || node.flow === true) return false;
    const gone = node.items.filter((pair) => !Object.hasOwn(wanted, keyOf(pair) ?? ''));
    const added = Object.keys(wanted).filter((key) => !node.has(key));
    // If several fields of a mapping change, the mapping is written completely. Usually only a value changes.
    if (gone.length > 1 || (gone.length > 0 && added.length > 0) || gone.length === node.items.length)
      return false;
    for (const [key, value] of Object.entries(wanted)) {
      const pair = node.items.find((one) => keyOf(one) === key);
      if (pair !== undefined) this.#setValue(node, pair, [...at, key], { value });
    }
    for (const pair of gone) this.#removePair(node, pair);
    for (const key of added.slice(0, 1)) this.#addPair(node, at, key, wanted[key] ?? null);
    return added.length <= 1;
  }

  #mergeList(node: YAMLSeq, at: Path, wanted: readonly Json[], set: boolean): boolean {
    if (node.items.length === 0 || node.flow === true || wanted.length === 0) return false;
    const items = node.items as (Node | null)[];
    if (set) return this.#mergeSet(node, items, at, wanted);
    const shared = Math.min(items.length, wanted.length);
    for (let index = 0; index < shared; index += 1) {
      const item = items[index] ?? null;
      const value = wanted[index] ?? null;
      if (!this.#merge(item, [...at, index], value, false)) return false;
    }
    this.#append(node, at, wanted.slice(shared));
    return items.slice(shared).every((item) => this.#removeItem(node, item));
  }

  #mergeSet(node: YAMLSeq, items: readonly (Node | null)[], at: Path, wanted: readonly Json[]): boolean {
    const values = items.map((item) => (isScalar(item) ? (item.value as Json) : undefined));
    const fits = (value: Json | undefined, want: Json) =>
      value !== undefined && this.rules.same(value, want, [...at, 0]);
    const kept = items.filter((_, index) => wanted.some((want) => fits(values[index], want)));
    if (kept.length === 0) return false;
    for (const item of items) if (!kept.includes(item)) this.#removeItem(node, item);
    this.#append(
      node,
      at,
      wanted.filter((want) => !values.some((value) => fits(value, want))),
    );
    return true;
  }

  #addPair(map: YAMLMap, at: Path, key: string, value: Json): void {
    const written = this.#written(value, [...at, key]);
    const last = map.items.at(-1);
    if (last === undefined) {
      const [start, end] = map.range ?? [0, 0];
      this.splices.replace(start, end, `{ ${flowYaml(key)}: ${flowYaml(written)} }`);
      return;
    }
    if (map.flow === true) {
      this.splices.insert(this.#endOfPair(last), `, ${flowYaml(key)}: ${flowYaml(written)}`);
      return;
    }
    const order = this.rules.order(at);
    const rank = (pair: Pair) => order.indexOf(keyOf(pair) ?? '');
    const place = order.indexOf(key);
    const before =
      place < 0 ? undefined : map.items.findLast((pair) => rank(pair) >= 0 && rank(pair) < place);
    const indent = this.#column(map.items[0]?.key as Node);
    this.splices.insertLine(this.#endOfPair(before ?? last), indented(blockYaml({ [key]: written }), indent));
  }

  /** The value as it is written: names of wallets for addresses, at any depth. */
  #written(value: Json, at: Path): Json {
    if (Array.isArray(value)) return value.map((item, index) => this.#written(item, [...at, index]));
    if (!isObject(value)) return this.rules.write(value, at);
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, this.#written(child, [...at, key])]),
    );
  }

  #replace(map: YAMLMap, pair: Pair, at: Path, value: Json): void {
    const written = this.#written(value, at);
    const key = pair.key as Node;
    const colon = this.text.indexOf(':', key.range?.[1] ?? 0) + 1;
    const end = Math.max(colon, this.#endOfPair(pair));
    const block =
      map.flow !== true && (isObject(written) || Array.isArray(written)) && Object.keys(written).length > 0;
    const indent = this.#column(map.items[0]?.key as Node);
    const text = block
      ? `\n${indented(blockYaml(written), indent + 2).replace(/\n$/, '')}`
      : ` ${flowYaml(written)}`;
    this.splices.replace(colon, end, text);
  }

  #removePair(map: YAMLMap, pair: Pair): void {
    const index = map.items.indexOf(pair);
    const next = map.items[index + 1];
    const start = (pair.key as Node).range?.[0] ?? 0;
    if (map.items.length === 1) {
      const from = map.flow === true ? (map.range?.[0] ?? start) : start;
      const end = map.flow === true ? (map.range?.[1] ?? start) : this.#endOfPair(pair);
      this.splices.replace(from, end, '{}');
    } else if (map.flow === true) {
      const previous = map.items[index - 1];
      if (next !== undefined) this.splices.replace(start, (next.key as Node).range?.[0] ?? start, '');
      else if (previous !== undefined)
        this.splices.replace(this.#endOfPair(previous), this.#endOfPair(pair), '');
    } else if (index === 0 && next !== undefined && !this.#beginsLine(start)) {
      this.splices.replace(start, (next.key as Node).range?.[0] ?? start, '');
    } else this.splices.removeLines(start, this.#endOfPair(pair));
  }

  /** False if its line contains something else as well. */
  #removeItem(list: YAMLSeq, item: Node | null): boolean {
    const start = item?.range?.[0] ?? list.range?.[0] ?? 0;
    const dash = this.text.lastIndexOf('-', start);
    if (item === null || !this.#beginsLine(dash)) return false;
    this.splices.removeLines(dash, endOf(item, start));
    return true;
  }

  #append(list: YAMLSeq, at: Path, values: readonly Json[]): void {
    const last = (list.items as (Node | null)[]).at(-1) ?? null;
    const first = (list.items as (Node | null)[])[0] ?? null;
    if (values.length === 0) return;
    const dash = this.text.lastIndexOf('-', first?.range?.[0] ?? 0);
    const written = values.map((value, index) => this.#written(value, [...at, list.items.length + index]));
    const indent = dash - lineStart(this.text, dash);
    this.splices.insertLine(endOf(last, list.range?.[0] ?? 0), indented(blockYaml(written), indent));
  }

  #endOfPair(pair: Pair): number {
    const keyEnd = (pair.key as Node).range?.[1] ?? 0;
    const colon = this.text.indexOf(':', keyEnd) + 1;
    return Math.max(colon, endOf(pair.value as Node | null, colon));
  }

  #column(node: Node): number {
    const start = node.range?.[0] ?? 0;
    return start - lineStart(this.text, start);
  }

  #beginsLine(offset: number): boolean {
    return this.text.slice(lineStart(this.text, offset), offset).trim() === '';
  }
}

function keyOf({ key }: Pair): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The end of a value. Blank lines and comments after it do not belong to it. */
function endOf(node: Node | null, fallback: number): number {
  if (node === null || isAlias(node)) return node?.range?.[1] ?? fallback;
  if (isMap(node) && node.flow !== true && node.items.length > 0) {
    const last = node.items.at(-1);
    const keyEnd = (last?.key as Node | undefined)?.range?.[1] ?? fallback;
    return Math.max(keyEnd + 1, endOf((last?.value ?? null) as Node | null, keyEnd + 1));
  }
  if (isSeq(node) && node.flow !== true && node.items.length > 0)
    return endOf((node.items.at(-1) ?? null) as Node | null, node.range?.[0] ?? fallback);
  return node.range?.[1] ?? fallback;
}

function indented(text: string, columns: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(columns));
}

/** Replacements in a YAML text. Comments in removed parts are kept as lines above. */
class Splices {
  readonly #splices: { readonly start: number; readonly end: number; readonly text: string }[] = [];

  constructor(private readonly text: string) {}

  replace(start: number, end: number, text: string): void {
    this.#keepComments(start, end);
    this.#splices.push({ start, end, text });
  }

  insert(at: number, text: string): void {
    this.#splices.push({ start: at, end: at, text });
  }

  /** After the line of `at`. `lines` end with a line break. */
  insertLine(at: number, lines: string): void {
    const end = this.text.indexOf('\n', this.#withoutBreaks(at));
    if (end >= 0) this.insert(end + 1, lines);
    else this.insert(this.text.length, `\n${lines.replace(/\n$/, '')}`);
  }

  removeLines(start: number, end: number): void {
    const from = lineStart(this.text, start);
    const lineEnd = this.text.indexOf('\n', this.#withoutBreaks(end));
    const to = lineEnd < 0 ? this.text.length : lineEnd + 1;
    this.#keepComments(from, to);
    this.#splices.push({ start: from, end: to, text: '' });
  }

  result(): string {
    const ordered = this.#splices.map((splice, index) => ({ ...splice, index }));
    ordered.sort((a, b) => a.start - b.start || a.end - b.end || a.index - b.index);
    let result = '';
    let at = 0;
    for (const { start, end, text } of ordered) {
      if (start < at) throw new Error('two changes of the same place');
      result +=
        this.text.slice(at, start) + (this.text.includes('\r\n') ? text.replace(/\r?\n/g, '\r\n') : text);
      at = end;
    }
    return result + this.text.slice(at);
  }

  /** The number of replacements so far. `back` discards the later ones. */
  get count(): number {
    return this.#splices.length;
  }

  back(count: number): void {
    this.#splices.length = count;
  }

  /** A text block ends after its last line break. */
  #withoutBreaks(at: number): number {
    let end = at;
    while (end > 0 && /[\r\n]/.test(this.text[end - 1] ?? '')) end -= 1;
    return end;
  }

  #keepComments(start: number, end: number): void {
    const comments = commentsIn(this.text.slice(start, end));
    if (comments.length === 0) return;
    const line = lineStart(this.text, start);
    const indent = /^ */.exec(this.text.slice(line))?.[0] ?? '';
    this.insert(line, comments.map((comment) => `${indent}${comment}\n`).join(''));
  }
}
