import { RE2JS } from 're2js';
import { MOST } from '../../model/bounds.ts';

/** A compiled `pattern` of a policy. */
interface LinearPattern {
  test(text: string): boolean;
  /** Instructions of its program: each character of a text can take as many steps. */
  readonly size: number;
}

interface UnusablePattern {
  readonly problem: string;
}

/** Longer ones, and those that count to more in all, would take seconds to compile. */
const MAX_LENGTH = 1_000;
const MAX_COUNTED = 1_000;
const COUNT = /\{(\d+)(?:,(\d*))?\}/g;
/** Named back references: the translation of the library would take them for letters. */
const NAMED_REFERENCE = /\\k</;

/** The patterns of all policies of a project: together they have a bound, since making one ready takes milliseconds. */
export class Patterns {
  readonly #known = new Map<string, LinearPattern | UnusablePattern>();
  #left: number = MOST.patternSize;

  get(pattern: string): LinearPattern | UnusablePattern {
    const known = this.#known.get(pattern) ?? this.#made(pattern);
    this.#known.set(pattern, known);
    return known;
  }

  #made(pattern: string): LinearPattern | UnusablePattern {
    const made = this.#left < 0 ? TOO_MUCH : linearPattern(pattern);
    this.#left -= 'size' in made ? made.size : pattern.length;
    return made;
  }
}

const TOO_MUCH: UnusablePattern = { problem: 'the patterns of all policies together are too large' };

/**
 * A pattern of ECMAScript that takes a time linear in the text, as RE2 matches it: without back references, without looking
 * ahead or behind. Whoever opens a pull request writes patterns, and one that is tried in all the ways to divide a text takes
 * hours, which no signal interrupts.
 */
function linearPattern(pattern: string): LinearPattern | UnusablePattern {
  if (pattern.length > MAX_LENGTH)
    return { problem: `it has ${pattern.length} characters; at most ${MAX_LENGTH} are allowed` };
  const counted = [...pattern.matchAll(COUNT)].reduce(
    (sum, [, least, most]) => sum + Number(most === undefined || most === '' ? least : most),
    0,
  );
  if (counted > MAX_COUNTED) return { problem: `its repetitions add up to more than ${MAX_COUNTED}` };
  if (NAMED_REFERENCE.test(pattern)) return { problem: 'it contains a back-reference' };
  try {
    // What is no pattern of ECMAScript is none here, whatever else the library knows.
    new RegExp(pattern, 'u');
    const program = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { test: (text) => program.test(text), size: program.programSize() };
  } catch (error) {
    const text = error instanceof Error ? error.message : 'it is not a valid pattern';
    return { problem: text.replace(/^(?:Invalid regular expression|error parsing regexp): /, '') };
  }
}
