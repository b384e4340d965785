import { canonicalDecimal, isDecimal } from '../../model/decimal.ts';
import { encodingsOf } from '../../model/encodings.ts';
import { isObject, type Json } from '../../model/json.ts';
import { escaped, SECRET, standingAlone } from '../../model/secret.ts';
import { htmlText } from '../html/escape.ts';
import { markdownText } from '../markdown/escape.ts';
import { maskTokens, visible } from '../untrusted.ts';
import type { Redactor } from './wallets.ts';

/** What stands for a token that is not written plainly, and for its secret part alone. */
const TOKEN = '[token]';
/** A shorter secret part of a token is likely to be part of ordinary words; the whole token is always hidden. */
const SHORTEST_SECRET = 6;
/** A shorter value stands in too many other words. */
const SHORTEST_VALUE = 6;
const NUMBER = /^-?[0-9.]+$/;
const PLAIN_WORD = /^[a-z]+(?:-[a-z]+)*$/;
/** Values that everybody can guess, and that stand in many sentences. */
const GUESSED: ReadonlySet<string> = new Set(['true', 'false', 'universal', 'tiered', 'global', 'config']);
/** Fields that hold what a person or the service wrote, as it is. */
const WRITTEN_BY_OTHERS: ReadonlySet<string> = new Set(['remark', 'note', 'error']);
/** Diagnostics that repeat the service's words. */
const SAID_BY_SERVICE: ReadonlySet<unknown> = new Set(['service-error', 'service-unreachable']);

/** Any token, of which the end may still come. */
const BEGUN_TOKEN = /svc_live_[0-9a-f]{0,8}$|svc_live_[0-9a-f]{8}\.[^\s"'`\\]*$/i;
const ANY_TOKEN = 'svc_live_';
const LONGEST_TOKEN = 1_024;
const BEGUN_ADDRESS = /[0-9A-Za-z]{1,64}$/;

type Hide = (text: string) => string;

/**
 * What is secret in one run, and the one way to keep it out of all that the run puts out. It knows the secrets by where they
 * came from: the token in use, values of the environment (`${env.NAME}`), and wallet addresses where `--redact-wallets` is
 * given. There are three ways through it. {@link said}: what the service says, as it is read. {@link document}: data, before
 * it is laid out or serialised. {@link text}: finished text; the net at every stream and file.
 *
 * A token is found in every encoding. A value is found wherever it stands if it is long and peculiar: 6 characters or more, and
 * neither a number nor a lower-case word. A number of 6 digits or more is found where it stands alone. Every other value
 * of 2 characters or more is found where it stands alone in what the service or a person wrote, and nowhere else: `1`,
 * `true` and `0.5` are in too many other places, and fields are hidden by their paths (by-path.ts).
 */
export class Masking {
  readonly #wallets: Redactor | undefined;
  /** Every way to write the tokens, with what stands for each. */
  readonly #tokens = new Map<string, string>();
  readonly #variables = new Map<string, string>();
  readonly #values = new Set<string>();
  readonly #numbers = new Set<string>();
  readonly #words = new Set<string>();
  #hides: { readonly data: Hide; readonly said: Hide; readonly text: Hide } | undefined;
  #needles: readonly string[] = [];
  readonly #keys = new Map<string, string>();

  /** `wallets`: puts names where addresses stand; absent where addresses may be seen. */
  constructor(wallets?: Redactor) {
    this.#wallets = wallets;
  }

  get hidesWallets(): boolean {
    return this.#wallets !== undefined;
  }

  /** A credential: the service's token, whose public prefix stays to be seen, or any other. */
  learnToken(token: string): void {
    const [, prefix, secret = ''] = /^(svc_live_[0-9a-f]{8}\.)(.*)$/s.exec(token) ?? [];
    if (secret.length >= SHORTEST_SECRET) {
      if (PLAIN_WORD.test(secret)) this.#words.add(secret);
      else for (const one of encodingsOf(secret)) this.#tokens.set(one, TOKEN);
    }
    if (token !== '') for (const one of encodingsOf(token)) this.#tokens.set(one, TOKEN);
    if (prefix !== undefined) this.#tokens.set(token, `${prefix}…`);
    this.#hides = undefined;
  }

  /** Variables that manifests read of the environment, by name. */
  learnEnvironment(variables: ReadonlyMap<string, string>): void {
    for (const [name, value] of variables) this.#variables.set(name, value);
    this.learnValues(variables.values());
  }

  /** The variable of those that were read whose value holds a token, or its secret part, in any encoding. */
  variableWith(token: string): string | undefined {
    const secret = token.slice(token.indexOf('.') + 1);
    const written = secret.length < SHORTEST_SECRET ? [token] : encodingsOf(secret);
    return [...this.#variables].find(([, value]) => written.some((one) => value.includes(one)))?.[0];
  }

  /** Values of the environment. */
  learnValues(values: Iterable<string>): void {
    for (const value of values) {
      for (const form of [value, value.trim(), isDecimal(value) ? canonicalDecimal(value) : value]) {
        if (form.length < 2 || GUESSED.has(form)) continue;
        if (NUMBER.test(form)) this.#amongNumbers(form).add(form);
        else if (form.length < SHORTEST_VALUE || PLAIN_WORD.test(form)) this.#words.add(form);
        else for (const one of encodingsOf(form)) this.#values.add(one);
      }
    }
    this.#hides = undefined;
  }

  /** Names of wallet books and their addresses. */
  learnWallets(wallets: ReadonlyMap<string, string>): void {
    this.#wallets?.learn(wallets);
  }

  /** Remembers the addresses in the texts of a value, so that they are found where other letters touch them. */
  know(value: unknown): void {
    this.#wallets?.know(value);
  }

  /** A text of the service or the system. */
  said(text: string): string {
    return this.#compiled().said(text);
  }

  /** The same document with every text in it hidden, keys too; the very same where there is nothing to hide. */
  document<Document>(document: Document): Document {
    const hidden = this.#visit(document as Json, false) as Document;
    return this.#wallets === undefined ? hidden : this.#wallets.document(hidden);
  }

  /** A finished text. */
  text(text: string): string {
    const hidden = this.#compiled().text(text);
    return this.#wallets === undefined ? hidden : this.#wallets.text(hidden);
  }

  /** How many characters at the end of a text may be the beginning of something that is to be hidden. */
  begins(text: string): number {
    this.#compiled();
    let kept = 0;
    // What is kept back must not begin within something that begins before it.
    for (let more = -1; more !== 0; kept += more) more = this.#beginsOnce(text.slice(0, text.length - kept));
    return kept;
  }

  #beginsOnce(text: string): number {
    const end = text.slice(-LONGEST_TOKEN);
    const token = BEGUN_TOKEN.exec(end)?.[0] ?? '';
    const address = this.#wallets === undefined ? '' : (BEGUN_ADDRESS.exec(end)?.[0] ?? '');
    return this.#needles.reduce(
      (most, needle) => Math.max(most, sharedEnd(text, needle, most)),
      Math.max(token.length, address.length),
    );
  }

  #amongNumbers(form: string): Set<string> {
    const digits = form.replace(/[-.]/g, '').replace(/^0+|0+$/g, '');
    return digits.length >= SHORTEST_VALUE ? this.#numbers : this.#words;
  }

  #visit(value: Json, others: boolean): Json {
    const hides = this.#compiled();
    if (typeof value === 'string') return others ? hides.said(value) : hides.data(value);
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#visit(item, others));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
    const theirs = others || SAID_BY_SERVICE.has(value.code);
    let changed: [string, Json][] | undefined;
    for (const key of Object.keys(value)) {
      const item = value[key] ?? null;
      const hidden = this.#visit(item, theirs || WRITTEN_BY_OTHERS.has(key));
      const name = this.#key(key);
      if (changed === undefined && hidden === item && name === key) continue;
      changed ??= Object.entries(value).slice(0, Object.keys(value).indexOf(key));
      changed.push([name, hidden]);
    }
    return changed === undefined ? value : Object.fromEntries(changed);
  }

  /** A key as it may be shown: most documents have few, again and again. */
  #key(key: string): string {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const hidden = this.#compiled().data(key);
    this.#keys.set(key, hidden);
    return hidden;
  }

  #compiled() {
    if (this.#hides === undefined) {
      this.#keys.clear();
      const tokens = [...this.#tokens.keys()];
      const plain = [...tokens, ...this.#values];
      const written = [...plain, ...[...this.#values].flatMap(waysToWrite)];
      const numbers = [...this.#numbers].map(standingAlone);
      const words = [...this.#words].map(standingAlone);
      this.#needles = [...new Set([ANY_TOKEN, ...written, ...this.#numbers])];
      this.#hides = {
        data: this.#hideOf(plain, numbers),
        said: this.#hideOf(plain, [...numbers, ...words]),
        text: this.#hideOf([...new Set(written)], numbers),
      };
    }
    return this.#hides;
  }

  /** Looks for texts, the longest first, and for patterns. */
  #hideOf(texts: readonly string[], patterns: readonly string[]): Hide {
    if (texts.length + patterns.length === 0) return maskTokens;
    const sorted = [...texts].sort((left, right) => right.length - left.length);
    const shortest = patterns.length > 0 ? 2 : (sorted.at(-1)?.length ?? 0);
    const all = new RegExp([...sorted.map(escaped), ...patterns].join('|'), 'g');
    return (text) =>
      maskTokens(
        text.length < shortest ? text : text.replace(all, (found) => this.#tokens.get(found) ?? SECRET),
      );
  }
}

/** A text as it is shown, and as JSON, Markdown and HTML write it. */
function waysToWrite(text: string): readonly string[] {
  return [visible(text), JSON.stringify(text).slice(1, -1), markdownText(text), htmlText(text)];
}

/** How many characters the end of a text shares with the beginning of another one, if more than so many; all of it is no beginning. */
function sharedEnd(text: string, needle: string, more: number): number {
  for (let length = Math.min(text.length, needle.length - 1); length > more; length -= 1) {
    if (text.endsWith(needle.slice(0, length))) return length;
  }
  return 0;
}
