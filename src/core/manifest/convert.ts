import { NAME_PATTERN } from '../model/address.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { addressProblem } from './addresses.ts';
import { codePointName, firstInvisible } from './invisible.ts';
import { mayHoldReference, parseReferences } from './references.ts';
import { childSchema, OPEN, type SchemaNode } from './schema.ts';
import type { Finding, Source } from './source.ts';
import type { Spans } from './spans.ts';
import type { AliasNode, ListNode, MappingNode, Pair, ScalarNode, SyntaxNode } from './syntax.ts';
import { MAX_DEPTH } from './yaml.ts';

/** How many values aliases may add to one document: far more than any manifest needs. */
const MAX_ALIASED = 10_000;
/** `{ slippage: 0,5 }`. */
const DECIMAL_COMMA = 'write a decimal point: inside braces, a comma starts the next field';
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', '<<']);
/** Keys with only one possible spelling. */
const PLAIN_KEY = /^[ -~]*$/;
const INTEGER_KEY = /^(?:0|[1-9][0-9]{0,15})$/;

/**
 * Converts the syntax tree to JSON by the schema at each place. Amounts keep their source text, and no unsafe or fractional
 * number is ever created. Every invalid value becomes a finding and is replaced by a stand-in, so that the rest can be checked.
 * `spans`, if given, collects the place of every value.
 */
export function convert(
  root: SyntaxNode,
  { text }: Source,
  schema: SchemaNode,
  found: (finding: Finding) => void,
  spans?: Spans,
): {
  readonly value: Json;
  /** Indexes of values that already have a finding. Such a value is replaced by a stand-in. */
  readonly diagnosed: ReadonlySet<number>;
} {
  const converter = new Converter(text, found, spans);
  const value = converter.convert(root, schema, -1, -1, 0);
  spans?.compact();
  return { value, diagnosed: converter.diagnosed };
}

const SHARED = new Map<string, string>();
/** Longer texts refer to the text of their manifest instead of copying it, and more different ones are rarely seen twice. */
const MOST_SHARED = { length: 12, texts: 10_000 };

/** One string for all short texts that are equal, such as amounts: each would take its own memory. */
function shared(text: string): string {
  if (text.length > MOST_SHARED.length) return text;
  const known = SHARED.get(text);
  if (known === undefined && SHARED.size < MOST_SHARED.texts) SHARED.set(text, text);
  return known ?? text;
}

class Converter {
  readonly diagnosed = new Set<number>();
  readonly #open = new Set<SyntaxNode>();
  #aliased = 0;
  #bomb = false;

  constructor(
    private readonly text: string,
    private readonly found: (finding: Finding) => void,
    private readonly spans: Spans | undefined,
  ) {}

  convert(
    node: SyntaxNode | null,
    schema: SchemaNode,
    keyStart: number,
    keyEnd: number,
    depth: number,
  ): Json {
    const start = node?.start ?? keyEnd;
    if (node?.type === 'alias') return this.#alias(node, schema, keyStart, keyEnd, depth);
    const index = this.#place(node, start, keyStart, keyEnd);
    if (this.#open.size > 0) this.#countAliased(start);
    if (depth > MAX_DEPTH) return this.#deep(start, index);
    if (this.#bomb || node === null) return null;
    if (node.type === 'mapping') return this.#map(node, schema, index, depth);
    return node.type === 'list' ? this.#list(node, schema, depth) : this.#scalar(node, schema, index);
  }

  /** The index of the place, or -1 if no places are collected. */
  #place(node: SyntaxNode | null, start: number, keyStart: number, keyEnd: number): number {
    if (this.spans === undefined) return -1;
    const end = this.#endOf(node, start);
    // An empty value has no text, so the place of its key is used.
    const empty = end <= start && keyStart >= 0;
    return this.spans.add(keyStart, keyEnd, empty ? keyStart : start, empty ? keyEnd : end);
  }

  #map(node: MappingNode, schema: SchemaNode, index: number, depth: number): JsonObject {
    const result: JsonObject = {};
    const keys = new Keys(node, result);
    for (const { key: at, value } of inOrderOfKeys(node.pairs)) {
      // A merge key may hold the fields that the mapping lacks.
      if (at?.type === 'scalar' && at.value === '<<') this.diagnosed.add(index);
      const key = this.#key(at, node, keys);
      if (key === undefined || at === null) continue;
      result[key] = this.convert(value, childSchema(schema, key), at.start, at.end, depth + 1);
    }
    return result;
  }

  #key(node: SyntaxNode | null, parent: MappingNode, keys: Keys): string | undefined {
    if (node?.type !== 'scalar' || typeof node.value !== 'string') return this.#notText(node, parent);
    const key = node.value;
    if (FORBIDDEN_KEYS.has(key)) {
      const hint = key === '<<' ? 'merge keys are not YAML 1.2; write the fields out' : undefined;
      return this.#wrongKey(node, 'yaml-forbidden-key', `the key ${key} is not allowed`, hint);
    }
    if (!keys.isTaken(key)) return key;
    const hint = `it appears first in line ${this.#lineOf(keys.firstStart(key))}`;
    return this.#wrongKey(node, 'yaml-duplicate-key', `the key ${key} appears twice in this mapping`, hint);
  }

  #notText(node: SyntaxNode | null, parent: MappingNode): undefined {
    const start = node?.start ?? parent.start;
    const written = this.text.slice(start, Math.max(this.#endOf(node, start), start + 1)).split('\n', 1)[0];
    const plain = node?.type === 'scalar' && node.value !== null;
    const quotes = plain ? `write "${written}" in quotes` : undefined;
    const hint = parent.flow && /^[0-9]+$/.test(written ?? '') ? DECIMAL_COMMA : quotes;
    const message = plain ? `the key ${written} is not text` : 'a key must be plain text';
    return this.#wrongKey(node ?? { start, end: start }, 'yaml-complex-key', message, hint);
  }

  #wrongKey(
    node: Pick<Finding, 'start' | 'end'>,
    code: Finding['code'],
    message: string,
    hint?: string,
  ): undefined {
    const { start } = node;
    this.found({ code, message, hint, start, end: Math.max(this.#endOf(node, start), start + 1) });
  }

  #list(node: ListNode, schema: SchemaNode, depth: number): Json[] {
    return node.items.map((item, index) => this.convert(item, childSchema(schema, index), -1, -1, depth + 1));
  }

  #scalar(node: ScalarNode, schema: SchemaNode, index: number): Json {
    const { value, finding } = convertScalar(node, schema, this.text);
    if (finding !== undefined) {
      const { start, end } = this.spans?.at(index) ?? node;
      this.found({ start, end: Math.max(end, start + 1), ...finding });
      this.diagnosed.add(index);
    }
    return typeof value === 'string' ? shared(value) : value;
  }

  #alias(
    { name, anchored, start, end }: AliasNode,
    schema: SchemaNode,
    keyStart: number,
    keyEnd: number,
    depth: number,
  ): Json {
    if (anchored === undefined || this.#open.has(anchored)) {
      const message =
        anchored === undefined
          ? `there is no anchor &${name} before this alias`
          : `the alias *${name} is inside its own anchor`;
      this.found({ code: 'yaml-alias', message, start, end });
      this.diagnosed.add(this.spans?.add(keyStart, keyEnd, start, end) ?? -1);
      return null;
    }
    this.#open.add(anchored);
    const value = this.convert(anchored, schema, keyStart, keyEnd, depth);
    this.#open.delete(anchored);
    return value;
  }

  /** Only nested aliases get here: the depth of the text itself was checked before. */
  #deep(start: number, index: number): null {
    const message = `nested more than ${MAX_DEPTH} levels deep`;
    this.found({ code: 'yaml-too-deep', message, start, end: start + 1 });
    this.diagnosed.add(index);
    return null;
  }

  #countAliased(start: number): void {
    this.#aliased += 1;
    if (this.#aliased <= MAX_ALIASED || this.#bomb) return;
    this.#bomb = true;
    const message = `the aliases of this document expand to more than ${MAX_ALIASED} values`;
    this.found({ code: 'yaml-alias', message, start, end: start + 1 });
  }

  /** The end of the node's own text, without line breaks after it. */
  #endOf(node: Pick<Finding, 'end'> | null, start: number): number {
    let end = node?.end ?? start;
    while (end > start && (this.text.charCodeAt(end - 1) === 10 || this.text.charCodeAt(end - 1) === 13))
      end -= 1;
    return end;
  }

  #lineOf(offset: number): number {
    return this.text.slice(0, offset).split('\n').length;
  }
}

/** The keys of a mapping so far, which are the keys of `result`. Two Unicode spellings of one text count as one key. */
class Keys {
  /** Created for the first key that may have several spellings, or for the first repeated key. */
  #normal: Set<string> | undefined;
  #starts: Map<string, number> | undefined;

  constructor(
    private readonly node: MappingNode,
    private readonly result: JsonObject,
  ) {}

  isTaken(key: string): boolean {
    if (this.#normal === undefined && PLAIN_KEY.test(key)) return Object.hasOwn(this.result, key);
    this.#normal ??= new Set(Object.keys(this.result));
    const normal = key.normalize('NFC');
    const taken = this.#normal.has(normal);
    this.#normal.add(normal);
    return taken;
  }

  firstStart(key: string): number {
    this.#starts ??= new Map(
      this.node.pairs
        .flatMap(({ key: at }) =>
          at?.type === 'scalar' && typeof at.value === 'string' ? [{ text: at.value, start: at.start }] : [],
        )
        .map(({ text, start }) => [text.normalize('NFC'), start] as const)
        .reverse(),
    );
    return this.#starts.get(key.normalize('NFC')) ?? this.node.start;
  }
}

function beginsWithDigit({ key }: Pair): boolean {
  const code = key?.type === 'scalar' ? String(key.value).charCodeAt(0) : 0;
  return code >= 48 && code <= 57;
}

/** The order in which an object keeps its keys: numeric keys first. */
function inOrderOfKeys(pairs: readonly Pair[]): readonly Pair[] {
  if (!pairs.some(beginsWithDigit)) return pairs;
  const keys = pairs.map(({ key }) => (key?.type === 'scalar' ? String(key.value) : ''));
  if (!keys.some((key) => INTEGER_KEY.test(key))) return pairs;
  const ordered = Object.keys(Object.fromEntries(keys.map((key) => [key, 0])));
  const ranks = new Map(ordered.map((key, index) => [key, index]));
  const rank = (index: number) => ranks.get(keys[index] ?? '') ?? 0;
  return [...pairs.keys()].sort((a, b) => rank(a) - rank(b)).flatMap((index) => pairs[index] ?? []);
}

/** A finding about one scalar. Without offsets it is about the whole scalar. */
type ScalarFinding = Omit<Finding, 'start' | 'end'> & Partial<Pick<Finding, 'start' | 'end'>>;

interface ConvertedScalar {
  /** With a finding, a stand-in that is valid for the field's type. */
  readonly value: Json;
  readonly finding?: ScalarFinding;
}

/** The only spelling of a whole number that JSON also has. */
export const WHOLE = /^(?:0|-?[1-9][0-9]*)$/;

/** A scalar in the type that the schema requires at its place. Plain numbers are read from their source text, never as floats. */
function convertScalar(node: ScalarNode, schema: SchemaNode, text: string): ConvertedScalar {
  const { value } = node;
  if (typeof value === 'number') return convertNumber(node, value, schema);
  if (typeof value === 'string') return convertText(node, value, schema, text);
  return { value: typeof value === 'boolean' ? value : null };
}

function convertNumber(node: ScalarNode, value: number, schema: SchemaNode): ConvertedScalar {
  const { written } = node;
  if (schema['x-decimal'] !== undefined) return { value: written };
  if (schema['x-scalar'] === true)
    return { value: WHOLE.test(written) && Number.isSafeInteger(value) ? value : written };
  if (schema.type === 'integer') return wholeNumber(written, value);
  if (schema === OPEN) {
    return WHOLE.test(written) && Number.isSafeInteger(value)
      ? { value }
      : { value: 0, finding: unquoted(written) };
  }
  // The field is no number, and the validator reports that. The stand-in avoids floats, NaN and -0, which JSON lacks.
  return { value: Number.isSafeInteger(value) ? value + 0 : 0 };
}

function wholeNumber(written: string, value: number): ConvertedScalar {
  if (WHOLE.test(written) && Number.isSafeInteger(value)) return { value };
  const wrong = (code: Finding['code'], problem: string, hint?: string) => {
    return { value: 0, finding: { code, message: `${written} is ${problem}`, hint } };
  };
  if (!Number.isInteger(value)) return wrong('wrong-type', 'not a whole number');
  if (!Number.isSafeInteger(value)) return wrong('out-of-range', 'too large for a whole number');
  return wrong('wrong-type', 'not plain digits', `write ${Object.is(value, -0) ? 0 : value}`);
}

function unquoted(written: string): ScalarFinding {
  return {
    code: 'unquoted-number',
    message: `the service does not document the type of this field, so ${written} could lose digits`,
    hint: `for an amount write "${written}" in quotes; otherwise write a whole number`,
  };
}

function convertText(node: ScalarNode, value: string, schema: SchemaNode, text: string): ConvertedScalar {
  if (mayHoldReference(value)) {
    const parsed = parseReferences(value);
    return 'parts' in parsed ? { value } : { value: '', finding: placed(parsed, node, value, text) };
  }
  const { value: plain, problem, wrong = '' } = checkedText(value, schema);
  if (problem === undefined) return { value: plain };
  return { value: plain.replaceAll(wrong, ''), finding: placed(problem, node, plain, text) };
}

/** `index`: where it is in the text, if it is about some of its characters. */
type TextProblem = Omit<Finding, 'start' | 'end'> & { readonly index?: number; readonly length?: number };

/**
 * A text without references at a place that wants a name, a remark or an address: what it says, and why it cannot stand there. `wrong`:
 * the first character that makes a name or remark more than plain text on one line.
 */
export function checkedText(
  value: string,
  schema: SchemaNode,
): { readonly value: string; readonly problem?: TextProblem; readonly wrong?: string } {
  if (schema['x-text'] === true) {
    const text = value.trim();
    const { index, character = '' } = firstInvisible(text) ?? {};
    if (index === undefined) return { value: text };
    const lineBreak = /[\r\n]/.test(character);
    const what = lineBreak ? 'a line break' : `the invisible character ${codePointName(character)}`;
    const message = `${what} in a name or remark`;
    const hint = lineBreak ? 'write it on one line' : 'remove it, or type the text again';
    const problem = { code: 'control-character', message, hint, index, length: character.length } as const;
    return { value: text, problem, wrong: character };
  }
  if (schema['x-address'] !== true || NAME_PATTERN.test(value)) return { value };
  const problem = addressProblem(value);
  return problem === undefined
    ? { value }
    : { value, problem: { code: 'invalid-address', length: 1, ...problem } };
}

/** With the place of what is wrong, if the source contains the text literally (no escapes, no folding). */
function placed(
  { index, length = 0, ...finding }: TextProblem,
  node: ScalarNode,
  value: string,
  text: string,
): ScalarFinding {
  const at = value === '' || index === undefined ? -1 : text.slice(node.start, node.end).indexOf(value);
  const start = node.start + at + (index ?? 0);
  return at < 0 ? finding : { ...finding, start, end: start + length };
}
