import { matchesWildcard } from '../model/wildcard.ts';
import { hasGitName } from './door/git-name.ts';

/** A pattern of manifest files, prepared for matching by segments. */
export interface Glob extends Matcher {
  /** Literal folders before the first wildcard. The search starts there. */
  readonly base: readonly string[];
  /** The characters of all alternatives. The time to match grows with them. */
  readonly length: number;
  /** The same for names that are equal in `caseless` form. */
  readonly inAnyCase: Matcher;
}

interface Matcher {
  /** True for a matching path of a file: relative to the project directory, as segments. */
  matches(path: readonly string[]): boolean;
  mayMatchBelow(folder: readonly string[]): boolean;
}

/** More alternatives or a longer pattern are a mistake or an attack on the matcher. */
const MAX_ALTERNATIVES = 64;
export const MAX_PATTERN = 1_000;
const WILDCARD = /[*?]/;
/** The segment that matches any number of folders. */
const ANY_DEPTH = '**';

/**
 * `**` matches any folders, `*` and `?` match within a name, and `{a,b}` lists alternatives. A name that starts with a point
 * matches only if the pattern has that point too. A failure returns a sentence that says what is wrong.
 */
export function parseGlob(pattern: string): { readonly glob: Glob } | { readonly problem: string } {
  if (pattern.length > MAX_PATTERN)
    return { problem: `it has ${pattern.length} characters; at most ${MAX_PATTERN} are allowed` };
  if (pattern.includes('\\')) return { problem: 'it contains a backslash; separate folders with /' };
  if (/[[\]!]/.test(pattern))
    return { problem: 'it contains [, ] or !; only **, *, ? and {a,b} have a meaning' };
  const alternatives = expandBraces(pattern);
  if (alternatives === undefined)
    return { problem: 'its braces do not match, or contain too many alternatives' };
  const lists = alternatives.map((text) =>
    text.split('/').filter((segment) => segment !== '' && segment !== '.'),
  );
  if (lists.some((segments) => segments.length === 0)) return { problem: 'it names no file' };
  const anyCase = matcher(lists.map((list) => list.map(caseless)));
  return {
    glob: {
      base: commonBase(lists),
      length: alternatives.reduce((sum, text) => sum + text.length, 0),
      ...matcher(lists),
      inAnyCase: {
        matches: (path) => anyCase.matches(path.map(caseless)),
        mayMatchBelow: (folder) => anyCase.mayMatchBelow(folder.map(caseless)),
      },
    },
  };
}

function matcher(lists: readonly (readonly string[])[]): Matcher {
  const reaches = lists.map((list) => reaching(withoutRepeats(list)));
  return {
    matches: (path) => reaches.some((reached) => reached(path).at(-1) === true),
    mayMatchBelow: (folder) => reaches.some((reached) => reached(folder).slice(0, -1).includes(true)),
  };
}

/** One form for names that differ by case or by their Unicode form alone: some file systems take them for the same. */
export function caseless(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** True for a pattern that leads out of the project directory, or into a .git folder. */
export function leadsOutside(pattern: string): boolean {
  return (
    pattern.startsWith('/') ||
    /^[A-Za-z]:/.test(pattern) ||
    /(?:^|[/{,])\.\.(?:$|[/},])/.test(pattern) ||
    pattern.split(/[{,}]/).some(hasGitName)
  );
}

function expandBraces(pattern: string): readonly string[] | undefined {
  const open = pattern.indexOf('{');
  if (open < 0) return pattern.includes('}') ? undefined : [pattern];
  const close = closing(pattern, open);
  if (close === undefined) return undefined;
  const before = pattern.slice(0, open);
  const results: string[] = [];
  for (const choice of splitChoices(pattern.slice(open + 1, close))) {
    const expanded = expandBraces(before + choice + pattern.slice(close + 1));
    if (expanded === undefined || results.length + expanded.length > MAX_ALTERNATIVES) return undefined;
    results.push(...expanded);
  }
  return results;
}

function closing(pattern: string, open: number): number | undefined {
  let depth = 0;
  for (let index = open; index < pattern.length; index += 1) {
    if (pattern[index] === '{') depth += 1;
    if (pattern[index] === '}') depth -= 1;
    if (depth === 0) return index;
  }
  return undefined;
}

function splitChoices(text: string): readonly string[] {
  const choices = [''];
  let depth = 0;
  for (const character of text) {
    if (character === ',' && depth === 0) {
      choices.push('');
      continue;
    }
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    choices[choices.length - 1] += character;
  }
  return choices;
}

/** `a/**` means every file below, and a second `**` in a row adds nothing. */
function withoutRepeats(segments: readonly string[]): readonly string[] {
  const list = segments.filter(
    (segment, index) => segment !== ANY_DEPTH || segments[index + 1] !== ANY_DEPTH,
  );
  return list.at(-1) === ANY_DEPTH ? [...list, '*'] : list;
}

function commonBase(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = []] = lists;
  const common: string[] = [];
  for (const [index, segment] of first.slice(0, -1).entries()) {
    if (WILDCARD.test(segment) || lists.some((list) => list.length <= index + 1 || list[index] !== segment))
      break;
    common.push(segment);
  }
  return common;
}

/**
 * Computes how many parts of a pattern can match a whole path, as flags from zero to all parts. Each part is compared with each
 * segment once, so a pattern with many `**` needs no backtracking. The folder of the last path is cached, because thousands of
 * names share one folder.
 */
function reaching(parts: readonly string[]): (path: readonly string[]) => readonly boolean[] {
  const beginning = withEmptyDepth(
    parts,
    Array.from({ length: parts.length + 1 }, (_, at) => at === 0),
  );
  let folder: readonly string[] = [];
  let before = beginning;
  return (path) => {
    const name = path.at(-1);
    if (name === undefined) return beginning;
    if (path.length !== folder.length + 1 || !folder.every((segment, at) => segment === path[at])) {
      folder = path.slice(0, -1);
      before = folder.reduce((flags, segment) => further(parts, flags, segment), beginning);
    }
    return further(parts, before, name);
  };
}

function further(parts: readonly string[], flags: readonly boolean[], segment: string): readonly boolean[] {
  const next = new Array<boolean>(parts.length + 1).fill(false);
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? '';
    if (flags[at] !== true) continue;
    if (part !== ANY_DEPTH) next[at + 1] ||= matchesName(part, segment);
    else next[at] ||= !segment.startsWith('.');
  }
  return withEmptyDepth(parts, next);
}

/** `**` may match no folder at all. Sets the flags in place. */
function withEmptyDepth(parts: readonly string[], flags: boolean[]): readonly boolean[] {
  for (let at = 0; at < parts.length; at += 1)
    if (parts[at] === ANY_DEPTH && flags[at] === true) flags[at + 1] = true;
  return flags;
}

function matchesName(part: string, segment: string): boolean {
  return (part.startsWith('.') || !segment.startsWith('.')) && matchesWildcard(part, segment, '?');
}
