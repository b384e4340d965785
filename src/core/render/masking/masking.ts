import { canonicalDecimal, isDecimal } from '../../model/decimal.ts';
import { encodingsOf } from '../../model/encodings.ts';
import { isObject, type Json } from '../../model/json.ts';
import { escaped, SECRET, standingAlone } from '../../model/secret.ts';
import { htmlText } from '../escape.ts';
import { markdownText } from '../markdown/escape.ts';
import { maskTokens, visible } from '../untrusted.ts';

/** The text in place of an encoded token, or of its secret part alone. */
const TOKEN = '[token]';
/** A shorter secret part is probably part of ordinary words. The whole token is always hidden. */
const SHORTEST_SECRET = 6;
/** Shorter values occur in too many other words. */
const SHORTEST_VALUE = 6;
const NUMBER = /^-?[0-9.]+$/;
const PLAIN_WORD = /^[a-z]+(?:-[a-z]+)*$/;
/** Values that everybody can guess, and that occur in many sentences. */
const GUESSED: ReadonlySet<string> = new Set(['true', 'false', 'universal', 'tiered', 'global', 'config']);
/** Fields with the literal text of a person or the service, also as the path of a change. */
const WRITTEN_BY_OTHERS: ReadonlySet<unknown> = new Set(['remark', 'note', 'error']);
/** Diagnostics that quote the service. */
const SAID_BY_SERVICE: ReadonlySet<unknown> = new Set([
  'not-frozen',
  'service-error',
  'service-unreachable',
  'tls-failed',
]);

/** Any token whose end may still follow. */
const BEGUN_TOKEN = /svc_live_[0-9a-f]{0,8}$|svc_live_[0-9a-f]{8}\.[^\s"'`\\]*$/i;
const ANY_TOKEN = 'svc_live_';
const LONGEST_TOKEN = 1_024;

type Hide = (text: string) => string;

/**
 * The secrets of one run, and the only way to keep them out of everything that the run writes. It knows the secrets by their
 * source: the token in use, and values of the environment (`${env.NAME}`). Text is masked in three ways. {@link said}: what the service says, as it is read. {@link document}: data, before it is laid out or
 * serialised. {@link text}: finished text, as a safety net at every stream and file.
 *
 * A token is found in every encoding. A value is found in any place if it is long and distinctive: at least 6 characters, and
 * neither a number nor a lower-case word. A number of at least 6 digits is found if it stands alone. Any other value of at
 * least 2 characters is found only if it stands alone in text that the service or a person wrote: `1`, `true` and `0.5` occur
 * in too many other places, and fields are hidden by their paths (by-path.ts).
 */
export class Masking {
  /** Every spelling of the tokens, with its replacement. */
  readonly #tokens = new Map<string, string>();
  readonly #variables = new Map<string, string>();
  readonly #values = new Set<string>();
  readonly #numbers = new Set<string>();
  readonly #words = new Set<string>();
  #hides: { readonly data: Hide; readonly said: Hide; readonly text: Hide } | undefined;
  #needles: readonly string[] = [];
  readonly #keys = new Map<string, string>();

  /** One that knows no secrets yet, for another run. */
  fresh(): Masking {
    return new Masking();
  }

  /** A credential: the service's token, whose public prefix stays visible, or any other. */
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

  learnEnvironment(variables: ReadonlyMap<string, string>): void {
    for (const [name, value] of variables) this.#variables.set(name, value);
    this.learnValues(variables.values());
  }

  /**
   * The name of a variable whose value contains a token or its secret part, in any encoding. Only variables that were read are
   * searched.
   */
  variableWith(token: string): string | undefined {
    const secret = token.slice(token.indexOf('.') + 1);
    const written = secret.length < SHORTEST_SECRET ? [token] : encodingsOf(secret);
    return [...this.#variables].find(([, value]) => written.some((one) => value.includes(one)))?.[0];
  }

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

  /** A text of the service or the system. */
  said(text: string): string {
    return this.#compiled().said(text);
  }

  /** The same document with all its texts masked, including keys. The same object if there is nothing to mask. */
  document<Document>(document: Document): Document {
    return this.#visit(document as Json, false) as Document;
  }

  /** A finished text. */
  text(text: string): string {
    return this.#compiled().text(text);
  }

  /** How many characters at the end of a text may be the beginning of something to hide. */
  begins(text: string): number {
    this.#compiled();
    let kept = 0;
    // The part that is held back must not begin inside a longer match.
    for (let more = -1; more !== 0; kept += more) more = this.#beginsOnce(text.slice(0, text.length - kept));
    return kept;
  }

  #beginsOnce(text: string): number {
    const end = text.slice(-LONGEST_TOKEN);
    const token = BEGUN_TOKEN.exec(end)?.[0] ?? '';
    return this.#needles.reduce(
      (most, needle) => Math.max(most, sharedEnd(text, needle, most)),
      token.length,
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
    const theirs = others || SAID_BY_SERVICE.has(value.code) || WRITTEN_BY_OTHERS.has(value.path);
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

  /** A masked key. Cached, because most documents repeat a few keys. */
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

  /** Finds texts, the longest first, and patterns. */
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

function waysToWrite(text: string): readonly string[] {
  return [visible(text), JSON.stringify(text).slice(1, -1), markdownText(text), htmlText(text)];
}

/**
 * How many characters the end of a text shares with the beginning of another one, if more than `more`. A complete match does
 * not count as a beginning.
 */
function sharedEnd(text: string, needle: string, more: number): number {
  for (let length = Math.min(text.length, needle.length - 1); length > more; length -= 1) {
    if (text.endsWith(needle.slice(0, length))) return length;
  }
  return 0;
}

/**
 * A stream through which no secret passes, even if the secret is split over two writes. `flush` writes what was held back because
 * it may have been the beginning of a secret.
 */
export function openDoor(masking: Pick<Masking, 'text' | 'begins'>, write: (text: string) => void) {
  let kept = '';
  const letOut = (text: string) => {
    if (text !== '') write(masking.text(text));
  };
  return {
    write(text: string): void {
      const whole = kept + text;
      const end = whole.length - masking.begins(whole);
      kept = whole.slice(end);
      letOut(whole.slice(0, end));
    },
    flush(): void {
      const rest = kept;
      kept = '';
      letOut(rest);
    },
  };
}
