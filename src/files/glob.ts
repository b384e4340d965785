/** A pattern of manifest files, ready to be matched segment by segment. */
export interface Glob {
  /** Literal folders before the first wildcard: where the search starts. */
  readonly base: readonly string[];
  /** True for a path of a file, relative to the project directory, as segments. */
  matches(path: readonly string[]): boolean;
  /** True where a file below this folder could match. */
  mayMatchBelow(folder: readonly string[]): boolean;
}

type Part = { readonly type: 'any-depth' } | { readonly type: 'name'; readonly test: RegExp };

/** More alternatives than this are a mistake, or an attack upon the matcher. */
const MAX_ALTERNATIVES = 64;
const WILDCARD = /[*?]/;

/**
 * `**` for any folders, `*` and `?` within a name, `{a,b}` for alternatives. Names that start with a point match only
 * where the pattern has that point too. Fails with a sentence that says what is wrong.
 */
export function parseGlob(pattern: string): { readonly glob: Glob } | { readonly problem: string } {
  if (pattern.includes('\\')) return { problem: 'it has a backslash; folders are separated by /' };
  if (/[[\]!]/.test(pattern)) return { problem: 'it has [, ] or !; only **, *, ? and {a,b} have a meaning' };
  const alternatives = expandBraces(pattern);
  if (alternatives === undefined)
    return { problem: 'its braces do not match, or hold too many alternatives' };
  const lists = alternatives.map((text) =>
    text.split('/').filter((segment) => segment !== '' && segment !== '.'),
  );
  if (lists.some((segments) => segments.length === 0)) return { problem: 'it names no file' };
  const parts = lists.map((segments) => withoutRepeats(segments).map(parsePart));
  return {
    glob: {
      base: commonBase(lists),
      matches: (path) => parts.some((list) => matchFrom(list, 0, path, 0, false)),
      mayMatchBelow: (folder) => parts.some((list) => matchFrom(list, 0, folder, 0, true)),
    },
  };
}

/** True for a pattern that leads out of the project directory. */
export function leadsOutside(pattern: string): boolean {
  return pattern.startsWith('/') || /^[A-Za-z]:/.test(pattern) || /(?:^|[/{,])\.\.(?:$|[/},])/.test(pattern);
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

/** `a/**` means every file below, and `**` after `**` says nothing more. */
function withoutRepeats(segments: readonly string[]): readonly string[] {
  const list = segments.filter((segment, index) => segment !== '**' || segments[index + 1] !== '**');
  return list.at(-1) === '**' ? [...list, '*'] : list;
}

function parsePart(segment: string): Part {
  if (segment === '**') return { type: 'any-depth' };
  const source = segment
    .replace(/\*+/g, '*')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]');
  const hidden = segment.startsWith('.') ? '' : '(?!\\.)';
  return { type: 'name', test: new RegExp(`^${hidden}${source}$`, 'su') };
}

function commonBase(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = []] = lists;
  const base: string[] = [];
  for (const [index, segment] of first.slice(0, -1).entries()) {
    if (WILDCARD.test(segment) || lists.some((list) => list.length <= index + 1 || list[index] !== segment))
      break;
    base.push(segment);
  }
  return base;
}

/** `prefix`: whether the path could become a match by going deeper. */
function matchFrom(
  parts: readonly Part[],
  at: number,
  path: readonly string[],
  from: number,
  prefix: boolean,
): boolean {
  const part = parts[at];
  const segment = path[from];
  if (segment === undefined) {
    return prefix === (part !== undefined);
  }
  if (part === undefined) return false;
  if (part.type === 'name')
    return part.test.test(segment) && matchFrom(parts, at + 1, path, from + 1, prefix);
  if (matchFrom(parts, at + 1, path, from, prefix)) return true;
  return !segment.startsWith('.') && matchFrom(parts, at, path, from + 1, prefix);
}
