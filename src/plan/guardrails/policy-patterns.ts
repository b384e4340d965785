import { RE2JS } from 're2js';
import { MOST } from '../../model/bounds.ts';

/** A compiled `pattern` of a policy. */
interface LinearPattern {
  test(text: string): boolean;
  /** Number of instructions of its program: each character of a text can take that many steps. */
  readonly size: number;
}

interface UnusablePattern {
  readonly problem: string;
}

/** Longer patterns, and those with higher repetition counts in total, would take seconds to compile. */
const MAX_LENGTH = 1_000;
const MAX_COUNTED = 1_000;
const COUNT = /\{(\d+)(?:,(\d*))?\}/g;
/** Named back-references: the library's translation would read them as letters. */
const NAMED_REFERENCE = /\\k</;

/** The patterns of all policies of a project. Their total size is limited, because compiling one takes milliseconds. */
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
 * Compiles an ECMAScript pattern that RE2 matches in linear time: without back-references and look-around. Anyone who
 * opens a pull request can write patterns, and backtracking can take hours, which no signal interrupts.
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
    // A pattern that is not valid ECMAScript is refused, even if the library would accept it.
    new RegExp(pattern, 'u');
    const program = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { test: (text) => program.test(text), size: program.programSize() };
  } catch (error) {
    const text = error instanceof Error ? error.message : 'it is not a valid pattern';
    return { problem: text.replace(/^(?:Invalid regular expression|error parsing regexp): /, '') };
  }
}
