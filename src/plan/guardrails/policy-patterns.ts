/** One term of an alternative and how often it may stand; a group has alternatives of its own. */
interface Term {
  min: number;
  max: number;
  readonly group?: Group;
}

interface Group {
  readonly alternatives: Term[][];
  /** `(?=…)` and the like: what they hold takes no text. */
  readonly looks: boolean;
}

const TOKEN =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|:|<[^>]*>)|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsu;

/** A bounded repetition of more than these is as good as without a bound. */
const MANY = 10;

/**
 * True where a pattern repeats a group that may consist of a repetition alone, as `([a-z]+)*` and `(\w+\s?)+` do: a text that
 * does not pass is tried in all the ways to divide it, twice as many with each character. Thirty take seconds, an address of a
 * wallet takes hours, and no signal interrupts that. Whatever else is ambiguous, `(a|a)*` or `(.+,)*`, is not looked for.
 */
export function repeatsRepetition(pattern: string): boolean {
  return parsed(pattern).alternatives.some((terms) => terms.some(isNested));
}

function isNested({ max, group }: Term): boolean {
  if (group === undefined) return false;
  return group.alternatives.some(
    (terms) => (max > MANY && canBeOneRepetition(terms)) || terms.some(isNested),
  );
}

function canBeOneRepetition(terms: readonly Term[]): boolean {
  return terms.some(
    (term, index) => isRepetition(term) && terms.every((other, at) => at === index || canBeEmpty(other)),
  );
}

function isRepetition({ min, max, group }: Term): boolean {
  if (max > 1 && max > min) return true;
  return group?.looks === false && group.alternatives.some(canBeOneRepetition);
}

function canBeEmpty({ min, group }: Term): boolean {
  return min === 0 || group?.alternatives.some((terms) => terms.every(canBeEmpty)) === true;
}

/** The structure of a pattern that is one; of others something. */
function parsed(pattern: string): Group {
  const whole: Group = { alternatives: [[]], looks: false };
  const open = [whole];
  for (const [token] of pattern.matchAll(TOKEN)) {
    const group = open.at(-1) ?? whole;
    const terms = group.alternatives.at(-1) ?? [];
    const last = terms.at(-1);
    const times = timesOf(token);
    if (token.startsWith('(')) {
      const inner: Group = { alternatives: [[]], looks: /[=!]$/.test(token) };
      terms.push({ min: 1, max: 1, group: inner });
      open.push(inner);
    } else if (token === ')') open.pop();
    else if (token === '|') group.alternatives.push([]);
    else if (times === undefined) terms.push({ min: 1, max: 1 });
    else if (last !== undefined) Object.assign(last, times);
  }
  return whole;
}

/** What a quantifier says; undefined for other tokens. */
function timesOf(token: string): { min: number; max: number } | undefined {
  if (/^\*\??$/.test(token)) return { min: 0, max: Number.POSITIVE_INFINITY };
  if (/^\+\??$/.test(token)) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (/^\?\??$/.test(token)) return { min: 0, max: 1 };
  const [, min, comma, max] = /^\{(\d+)(,?)(\d*)\}\??$/.exec(token) ?? [];
  if (min === undefined) return undefined;
  const most = comma === '' ? min : max;
  return { min: Number(min), max: most === '' ? Number.POSITIVE_INFINITY : Number(most) };
}
