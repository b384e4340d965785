import { addressProblem } from '../../manifest/addresses.ts';
import { isObject, type JsonObject } from '../../model/json.ts';

/**
 * A word that may contain a wallet address, with the ellipsis of a cut. Before it there may be an escape or a colour, whose
 * letters are not part of the word: `\n`, `\u000a`, `%0A`, `\x1b[31m`.
 */
const WORD = /(\x1b\[[0-9;]*m|\\u[0-9A-Fa-f]{4}|\\[a-z]|%[0-9A-F]{2})?([0-9A-Za-z]+)(\u2026?)/g;
/** Letters that base58 lacks. */
const NOT_BASE58 = /[0OIl]/;
const SHORTEST = 32;
const LONGEST = 44;
/** A commit hash or a SHA-256. In base58, 40 hex digits are 32 bytes only if the first ten are ones, and 64 digits never are. */
const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/**
 * An address with a wrong letter, or with others around it, still identifies the wallet. A remark has no more characters than
 * this.
 */
const LONGEST_DAMAGED = 64;
const MIXED = /^(?=.*[0-9])(?=.*[a-z]).*[A-Z]/;
/** The sign of a cut text. */
const CUT = '…';
/** The shortest beginning of an address that needs hiding. */
const SHORTEST_CUT = 4;
/** This much of an address identifies it. A remark has no room for a whole one, so people write a part. */
const PART = 8;
/** A part with fewer distinct letters, such as `11111111`, does not identify an address. */
const DIVERSE = 5;

/**
 * Replaces wallet addresses by names (HAZARDS 51): names from the wallet books, else `wallet-1`, `wallet-2`… in order of first
 * appearance in the run. An address is base58 of 32 bytes, 32 to 44 characters, anywhere in a text. A known address, or a part
 * of it, is found even within a longer word. Documents must be redacted before layout, because lines break and columns end
 * within addresses.
 */
export class Redactor {
  readonly #names = new Map<string, string>();
  readonly #bookNames = new Set<string>();
  readonly #known = new Set<string>();
  /** Every part of the known addresses. */
  readonly #parts = new Map<string, string>();
  #numbered = 0;

  /** One that knows nothing yet, for another run. */
  fresh(): Redactor {
    return new Redactor();
  }

  /** Names of wallet books and their addresses. If an address has two names, the first in the alphabet wins. */
  learn(wallets: ReadonlyMap<string, string>): void {
    for (const name of [...wallets.keys()].sort()) {
      const address = wallets.get(name) ?? '';
      this.#bookNames.add(name);
      this.know(address);
      if (!this.#names.has(address)) this.#names.set(address, name);
    }
  }

  /** Stores the addresses in the texts of a value, so that they are found even without separators. */
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
      // What looks like an escape can be a sign followed by the beginning of an address.
      const letters = lettersOf(before);
      const inside = this.#inside(letters + run);
      return inside === undefined
        ? before + this.#damaged(run) + cut
        : before.slice(0, before.length - letters.length) + inside + cut;
    });
  }

  /** The same document with all its texts redacted, including keys. */
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

  /** The text with a name for each known address. Undefined if it contains none. */
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

/**
 * True for a source line that may contain an address or most of a damaged one: it has a long word with more than lower-case
 * letters.
 */
export function mayHoldAddress(line: string): boolean {
  return (line.match(/[0-9A-Za-z]{16,}/g) ?? []).some((run) => /[0-9A-Z]/.test(run));
}

/** True for plain JSON objects. A map or a function is not changed. */
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

/** The letters at the end of an escape. */
function lettersOf(before: string): string {
  return /[0-9A-Za-z]*$/.exec(before)?.[0] ?? '';
}
