import { MOST } from '../model/bounds.ts';

/** The size of a text, independent of its reader. */
export interface Measure {
  /** The number of YAML documents, counted by the markers at the start of lines. */
  readonly documents: number;
  /** Lines, and signs that form the structure of YAML or of a table. */
  readonly tokens: number;
  /** Every character is certainly printable or a line feed. Absent if this was not checked. */
  readonly printable?: true;
  /** The first place where a text exceeds the limits of a file. */
  readonly excess?: Excess;
}

interface Excess {
  readonly message: string;
  readonly hint: string;
  readonly at: number;
}

const DASH = 45;
/**
 * `,` `:` `[` `]` `{` `}` `?` `&` `*` `!` `%` `\` and quotes: the time to read grows with their number more than with the
 * length.
 */
const SIGNS = new Set([...',:[]{}?&*!%\\"\'-'].map((sign) => sign.charCodeAt(0)));
const [NOTHING, SIGN, NEWLINE, CONTROL] = [0, 1, 2, 3];
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code < 32 || code === 127) return code === 10 ? NEWLINE : CONTROL;
  return SIGNS.has(code) ? SIGN : NOTHING;
});

/** Reads every character once, before anything else does. Stops at the first excess. */
export function measure(text: string): Measure {
  // Too short for any excess, like nearly all texts.
  if (text.length <= Math.min(MOST.lineLength, MOST.documentTokens - 1)) return measureShort(text);
  let documents = 1;
  let before = 0;
  let tokens = 0;
  let line = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const kind = at === text.length ? NEWLINE : KINDS[text.charCodeAt(at)];
    if (kind === NOTHING || kind === CONTROL || kind === undefined) continue;
    tokens += 1;
    if (kind === NEWLINE) {
      if (at - line > MOST.lineLength)
        return { documents, tokens: before + tokens, excess: tooLong(line, at) };
      line = at + 1;
      if (text.charCodeAt(line) === DASH && text.startsWith('---', line)) {
        documents += 1;
        before += tokens;
        tokens = 0;
      }
    }
    if (tokens > MOST.documentTokens) return { documents, tokens: before + tokens, excess: tooMany(at) };
  }
  return { documents, tokens: before + tokens };
}

function measureShort(text: string): Measure {
  let tokens = 1;
  let others = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? KINDS[code] : CONTROL;
    if (kind === CONTROL) others += 1;
    else if (kind !== NOTHING) tokens += 1;
  }
  let documents = 1;
  for (let at = text.indexOf('\n---'); at >= 0; at = text.indexOf('\n---', at + 1)) documents += 1;
  return { documents, tokens, ...(others === 0 ? { printable: true as const } : {}) };
}

function tooLong(line: number, end: number): Excess {
  const message = `the line has ${end - line} characters; at most ${MOST.lineLength} are allowed`;
  return { message, hint: 'split the line', at: line };
}

function tooMany(at: number): Excess {
  const message = `the document has more than ${MOST.documentTokens} lines, commas, colons and brackets`;
  return { message, hint: 'split the document', at };
}
