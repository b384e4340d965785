import { addressProblem } from '../../manifest/addresses.ts';
import { isObject, type JsonObject } from '../../model/json.ts';

/**
 * A word that may hold a wallet address, with the ellipsis that cut it, and before it an escape or a colour, whose letters
 * are no part of it: `\n`, `\u000a`, `%0A`, `\x1b[31m`.
 */
const WORD = /(\x1b\[[0-9;]*m|\\u[0-9A-Fa-f]{4}|\\[a-z]|%[0-9A-F]{2})?([0-9A-Za-z]+)(\u2026?)/g;
/** What base58 does without. */
const NOT_BASE58 = /[0OIl]/;
const SHORTEST = 32;
const LONGEST = 44;
/** A commit, or a SHA-256: of 40 hex digits base58 makes 32 bytes where the first ten are ones, and of 64 never. */
const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** An address with a wrong letter, or with others around it, is still as good as whole; a remark has no more characters. */
const LONGEST_DAMAGED = 64;
const MIXED = /^(?=.*[0-9])(?=.*[a-z]).*[A-Z]/;
/** What stands where a text was cut. */
const CUT = '…';
/** The shortest beginning of an address that is worth hiding. */
const SHORTEST_CUT = 4;
/** As much of an address tells which one it is: a remark has no room for a whole one, so that people write a part. */
const PART = 8;
/** Fewer different letters are no part of an address alone: `11111111`. */
const DIVERSE = 5;

/** What stands for the checksum of a plan whose addresses were replaced: it cannot be applied. */
export const REDACTED = 'redacted';

/**
 * Puts names where wallet addresses stand (HAZARDS 51): those of the wallet books, else `wallet-1`, `wallet-2`… in order of
 * first appearance in one run. An address is base58 of 32 bytes, 32 to 44 characters of it, wherever it stands in a text;
 * one that is known is found within a longer word too, and so is a part of it. Documents are to be redacted before they are
 * laid out: lines break and columns end within an address.
 */
export class Redactor {
  readonly #names = new Map<string, string>();
  readonly #bookNames = new Set<string>();
  readonly #known = new Set<string>();
  /** Every part of the addresses that are known. */
  readonly #parts = new Map<string, string>();
  #numbered = 0;

  /** Names of wallet books and their addresses; of two names for one address it is the first in the alphabet. */
  learn(wallets: ReadonlyMap<string, string>): void {
    for (const name of [...wallets.keys()].sort()) {
      const address = wallets.get(name) ?? '';
      this.#bookNames.add(name);
      this.know(address);
      if (!this.#names.has(address)) this.#names.set(address, name);
    }
  }

  /** Remembers the addresses in the texts of a value, so that they are found where nothing separates them from other letters. */
  know(value: unknown): void {
    if (typeof value === 'string') {
      if (value.length < SHORTEST) return;
      for (const [, before = '', run = ''] of value.matchAll(WORD)) this.#knowRun(before, run);
    } else if (Array.isArray(value)) {
      for (const item of value) this.know(item);
    } else if (isPlain(value)) {
      for (const [key, item] of Object.entries(value)) {
        this.know(key);
        this.know(item);
      }
    }
  }

  text(text: string): string {
    if (text.length < PART && !text.includes(CUT)) return text;
    return text.replace(WORD, (_word, before = '', run: string, cut: string) => {
      if (cut !== '' && run.length < SHORTEST) return before + this.#beginning(run) + cut;
      this.#knowRun(before, run);
      // What looks like an escape can be a sign and the beginning of an address.
      const letters = lettersOf(before);
      const inside = this.#inside(letters + run);
      return inside === undefined
        ? before + this.#damaged(run) + cut
        : before.slice(0, before.length - letters.length) + inside + cut;
    });
  }

  /** The same document with every text in it redacted, keys too. */
  document<Document>(document: Document): Document {
    this.know(document);
    return this.#replaced(document) as Document;
  }

  #replaced(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#replaced(item));
    if (!isPlain(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.text(key), this.#replaced(item)]),
    );
  }

  #knowRun(before: string, run: string): void {
    if (before.length + run.length < SHORTEST || run.length > LONGEST_DAMAGED || HASH.test(run)) return;
    const alone = addressesIn(run);
    for (const address of alone.length > 0 ? alone : addressesIn(lettersOf(before) + run)) {
      if (this.#known.has(address)) continue;
      this.#known.add(address);
      for (const part of partsOf(address)) if (new Set(part).size >= DIVERSE) this.#parts.set(part, address);
    }
  }

  /** The text with a name for each address that is known; undefined where there is none in it. */
  #inside(text: string): string | undefined {
    if (HASH.test(text)) return undefined;
    for (let start = 0; start + SHORTEST <= text.length; start++) {
      for (let end = Math.min(text.length, start + LONGEST); end >= start + SHORTEST; end--) {
        const part = text.slice(start, end);
        if (!this.#known.has(part)) continue;
        const rest = text.slice(end);
        return (
          this.#damaged(text.slice(0, start)) + this.#name(part) + (this.#inside(rest) ?? this.#damaged(rest))
        );
      }
    }
    return undefined;
  }

  #damaged(run: string): string {
    if (run.length < PART || run.length > LONGEST_DAMAGED || HASH.test(run)) return run;
    const whole = partsOf(run).flatMap((part) => this.#parts.get(part) ?? [])[0];
    if (whole !== undefined) return this.#name(whole);
    return run.length >= SHORTEST && MIXED.test(run) ? this.#name(run) : run;
  }

  /** The beginning of an address that was cut. */
  #beginning(run: string): string {
    if (run.length < SHORTEST_CUT) return run;
    const whole = [...this.#known].find((address) => address.startsWith(run));
    return whole === undefined ? this.#damaged(run) : this.#name(whole);
  }

  #name(address: string): string {
    const known = this.#names.get(address);
    if (known !== undefined) return known;
    let name: string;
    do name = `wallet-${++this.#numbered}`;
    while (this.#bookNames.has(name));
    this.#names.set(address, name);
    return name;
  }
}

/** A source line that may hold an address, or most of a damaged one: it has a long word of more than lower-case letters. */
export function mayHoldAddress(line: string): boolean {
  return (line.match(/[0-9A-Za-z]{16,}/g) ?? []).some((run) => /[0-9A-Z]/.test(run));
}

/** What JSON can say; a map or a function stays what it is. */
function isPlain(value: unknown): value is JsonObject {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}

function addressesIn(run: string): readonly string[] {
  return run.split(NOT_BASE58).filter(isAddress);
}

function isAddress(text: string): boolean {
  return text.length >= SHORTEST && text.length <= LONGEST && addressProblem(text) === undefined;
}

function partsOf(run: string): readonly string[] {
  return Array.from({ length: Math.max(0, run.length - PART + 1) }, (_, at) => run.slice(at, at + PART));
}

/** The letters that an escape ends with. */
function lettersOf(before: string): string {
  return /[0-9A-Za-z]*$/.exec(before)?.[0] ?? '';
}
