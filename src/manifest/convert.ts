import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Json, JsonObject } from '../model/json.ts';
import { aliasTargets } from './aliases.ts';
import { convertScalar } from './scalars.ts';
import { childSchema, type SchemaNode } from './schema.ts';
import type { Finding, Source } from './source.ts';
import { Spans } from './spans.ts';
import { MAX_DEPTH } from './yaml.ts';

/** A document as JSON, with the place of every value. */
export interface Converted {
  readonly value: Json;
  readonly spans: Spans;
  /** Indexes of values that already have a finding; what stands there is a stand-in. */
  readonly diagnosed: ReadonlySet<number>;
}

/** Values that aliases may add to one document: far more than any manifest needs. */
const MAX_ALIASED = 10_000;
/** `{ slippage: 0,5 }`. */
const DECIMAL_COMMA = 'write a decimal point: within braces a comma begins the next field';
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', '<<']);
const INTEGER_KEY = /^(?:0|[1-9][0-9]{0,15})$/;

/**
 * Turns the syntax tree into JSON by the schema at each place: amounts keep their own source text, and no number that is
 * not a safe whole one is ever made. Everything that cannot stand is found, and replaced so that the rest can be checked.
 */
export function convert(
  root: Node,
  source: Source,
  schema: SchemaNode,
  found: (finding: Finding) => void,
): Converted {
  const converter = new Converter(root, source, found);
  const value = converter.convert(root, schema, -1, -1, 0);
  converter.spans.compact();
  return { value, spans: converter.spans, diagnosed: converter.diagnosed };
}

class Converter {
  readonly spans = new Spans();
  readonly diagnosed = new Set<number>();
  readonly #text: string;
  readonly #found: (finding: Finding) => void;
  readonly #targets: ReadonlyMap<Alias, Node>;
  readonly #open = new Set<Node>();
  #aliased = 0;
  #bomb = false;

  constructor(root: Node, source: Source, found: (finding: Finding) => void) {
    this.#text = source.text;
    this.#found = found;
    this.#targets = source.mayHoldAliases ? aliasTargets(root) : new Map();
  }

  convert(node: Node | null, schema: SchemaNode, keyStart: number, keyEnd: number, depth: number): Json {
    const start = node?.range?.[0] ?? keyEnd;
    const end = this.#endOf(node, start);
    if (isAlias(node)) return this.#alias(node, schema, keyStart, keyEnd, depth);
    // An empty value has no text of its own: its key stands for it.
    const empty = end <= start && keyStart >= 0;
    const index = this.spans.add(keyStart, keyEnd, empty ? keyStart : start, empty ? keyEnd : end);
    if (this.#open.size > 0) this.#countAliased(start);
    if (depth > MAX_DEPTH) return this.#deep(start, index);
    if (this.#bomb) return null;
    if (isMap(node)) return this.#map(node, schema, depth);
    if (isSeq(node)) return this.#list(node, schema, depth);
    if (isScalar(node)) return this.#scalar(node, schema, index);
    return null;
  }

  #map(node: YAMLMap, schema: SchemaNode, depth: number): JsonObject {
    const pairs = this.#keys(node);
    const result: JsonObject = {};
    for (const { key, pair } of pairs) {
      const keyNode = pair.key as Scalar;
      const keyStart = keyNode.range?.[0] ?? 0;
      const keyEnd = keyNode.range?.[1] ?? keyStart;
      result[key] = this.convert(
        pair.value as Node | null,
        childSchema(schema, key),
        keyStart,
        keyEnd,
        depth + 1,
      );
    }
    return result;
  }

  /** The usable pairs, in the order in which an object keeps its keys. */
  #keys(node: YAMLMap): { key: string; pair: Pair }[] {
    const seen = new Map<string, number>();
    const pairs: { key: string; pair: Pair }[] = [];
    let numeric = false;
    for (const pair of node.items) {
      const key = this.#key(pair.key as Node | null, node, seen);
      if (key === undefined) continue;
      numeric ||= INTEGER_KEY.test(key);
      pairs.push({ key, pair });
    }
    if (!numeric) return pairs;
    const order = new Map(
      Object.keys(Object.fromEntries(pairs.map(({ key }) => [key, 0]))).map((key, index) => [key, index]),
    );
    return pairs.sort((a, b) => (order.get(a.key) ?? 0) - (order.get(b.key) ?? 0));
  }

  #key(node: Node | null, parent: YAMLMap, seen: Map<string, number>): string | undefined {
    const start = node?.range?.[0] ?? parent.range?.[0] ?? 0;
    const end = Math.max(this.#endOf(node, start), start + 1);
    if (!isScalar(node) || typeof node.value !== 'string') {
      const written = this.#text.slice(start, end).split('\n', 1)[0] ?? '';
      const plain = isScalar(node) && node.value !== null;
      const quotes = plain ? `write "${written}" in quotes` : undefined;
      this.#found({
        code: 'yaml-complex-key',
        message: plain ? `the key ${written} is not text` : 'a key must be plain text',
        hint: parent.flow === true && /^[0-9]+$/.test(written) ? DECIMAL_COMMA : quotes,
        start,
        end,
      });
      return undefined;
    }
    const key = node.value;
    if (FORBIDDEN_KEYS.has(key)) {
      const hint = key === '<<' ? 'merge keys are not YAML 1.2; write the fields out' : undefined;
      this.#found({ code: 'yaml-forbidden-key', message: `the key ${key} is not allowed`, hint, start, end });
      return undefined;
    }
    const normal = key.normalize('NFC');
    const first = seen.get(normal);
    if (first !== undefined) {
      this.#found({
        code: 'yaml-duplicate-key',
        message: `the key ${key} stands here twice`,
        hint: `the first one is in line ${this.#lineOf(first)}`,
        start,
        end,
      });
      return undefined;
    }
    seen.set(normal, start);
    return key;
  }

  #list(node: YAMLSeq, schema: SchemaNode, depth: number): Json[] {
    return node.items.map((item, index) =>
      this.convert(item as Node | null, childSchema(schema, index), -1, -1, depth + 1),
    );
  }

  #scalar(node: Scalar, schema: SchemaNode, index: number): Json {
    const { value, finding } = convertScalar(node, schema, this.#text);
    if (finding !== undefined) {
      const { start, end } = this.spans.at(index);
      this.#found({ start, end: Math.max(end, start + 1), ...finding });
      this.diagnosed.add(index);
    }
    return value;
  }

  #alias(node: Alias, schema: SchemaNode, keyStart: number, keyEnd: number, depth: number): Json {
    const target = this.#targets.get(node);
    const start = node.range?.[0] ?? 0;
    if (target === undefined || this.#open.has(target)) {
      const message =
        target === undefined
          ? `no anchor &${node.source} before this alias`
          : `the alias *${node.source} stands within its own anchor`;
      this.#found({ code: 'yaml-alias', message, start, end: node.range?.[1] ?? start + 1 });
      this.diagnosed.add(this.spans.add(keyStart, keyEnd, start, node.range?.[1] ?? start + 1));
      return null;
    }
    this.#open.add(target);
    const value = this.convert(target, schema, keyStart, keyEnd, depth);
    this.#open.delete(target);
    return value;
  }

  /** Only aliases within aliases come here: the text itself was measured before. */
  #deep(start: number, index: number): null {
    this.#found({
      code: 'yaml-too-deep',
      message: `nested more than ${MAX_DEPTH} levels deep`,
      start,
      end: start + 1,
    });
    this.diagnosed.add(index);
    return null;
  }

  #countAliased(start: number): void {
    this.#aliased += 1;
    if (this.#aliased <= MAX_ALIASED || this.#bomb) return;
    this.#bomb = true;
    this.#found({
      code: 'yaml-alias',
      message: `the aliases of this document expand to more than ${MAX_ALIASED} values`,
      start,
      end: start + 1,
    });
  }

  /** Where the node's own text ends: line breaks after it do not count. */
  #endOf(node: Node | null, start: number): number {
    let end = node?.range?.[1] ?? start;
    while (end > start && (this.#text.charCodeAt(end - 1) === 10 || this.#text.charCodeAt(end - 1) === 13))
      end -= 1;
    return end;
  }

  #lineOf(offset: number): number {
    return this.#text.slice(0, offset).split('\n').length;
  }
}
