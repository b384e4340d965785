import type { Diagnostic, Location, Texts } from '../diagnostics/diagnostic.ts';
import { MOST } from '../model/bounds.ts';
import type { DiagnosticCode } from '../model/generated/codes.ts';
import { given } from '../model/given.ts';
import { holdsPrivateKey } from '../model/private-key.ts';
import { mayHoldReference } from './references.ts';

/** A finding within one text, in UTF-16 offsets. Line and column are computed only when it is shown. */
export interface Finding {
  readonly severity?: 'warning';
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly start: number;
  readonly end: number;
}

/** Whatever is wrong with it otherwise: any other words could repeat a part of the key. */
const PRIVATE_KEY = {
  code: 'private-key',
  message: 'this looks like a private key (or a signature), which is not shown',
  hint: 'write the address of the wallet; if a key was committed, everybody with the repository has it: move the funds to a new wallet',
} as const;

/** The text of a file with its line index, which is created on first use. */
export class Source {
  /** Without a byte order mark. */
  readonly text: string;
  /** False if the text certainly contains no alias. Most files then need no search for aliases. */
  readonly mayHoldAliases: boolean;
  /** False if the text certainly contains no `${…}`. */
  readonly mayHoldReferences: boolean;
  #lineStarts: number[] | undefined;
  #measure: Measure | undefined;

  constructor(
    /** Relative to the project directory, with forward slashes. */
    readonly file: string,
    text: string,
  ) {
    this.text = text.startsWith('\ufeff') ? text.slice(1) : text;
    this.mayHoldAliases = this.text.includes('*');
    this.mayHoldReferences = mayHoldReference(this.text) || this.text.includes('\\');
  }

  get measure(): Measure {
    this.#measure ??= measure(this.text);
    return this.#measure;
  }

  location(offset: number): Location {
    this.#lineStarts ??= lineStarts(this.text);
    const starts = this.#lineStarts;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file: this.file, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }

  diagnostic(finding: Finding, address?: string): Diagnostic {
    const { severity, start, end } = finding;
    const { code, message, hint } = holdsPrivateKey(this.text, start, end) ? PRIVATE_KEY : finding;
    const lineEnd = this.text.indexOf('\n', start);
    const units = Math.max(1, Math.min(end, lineEnd < 0 ? this.text.length : lineEnd) - start);
    // Half of a character cannot be shown.
    const half = (this.text.codePointAt(start + units - 1) ?? 0) > 0xffff;
    return {
      severity: severity ?? 'error',
      code,
      message,
      ...given({ hint, address }),
      location: this.location(start),
      length: half ? units + 1 : units,
    };
  }
}

/** Passes on the first problems of a file, then one note that there are more. Further problems cost nothing. */
export function firstOf(found: (finding: Finding) => void): (finding: Finding) => void {
  let count = 0;
  return (finding) => {
    count += 1;
    if (count <= MOST.findings) found(finding);
    else if (count === MOST.findings + 1) found(moreFrom(finding));
  };
}

/** The note that a file has more problems than are reported, from this place on. */
export function moreFrom({ start, end }: Pick<Finding, 'start' | 'end'>): Finding {
  const message = `more than ${MOST.findings} problems in this file; the rest is not shown`;
  return { code: 'more-problems', message, start, end };
}

/** The texts of sources by their names. If two sources share a name, the last one wins. */
export function textsByFile(sources: readonly Source[]): Texts {
  return new Map(sources.map(({ file, text }) => [file, text]));
}

/** The offset at which each line begins. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The size of a text, independent of its reader. */
interface Measure {
  /** The number of YAML documents, counted by the markers at the start of lines. */
  readonly documents: number;
  /** Lines, and signs that form the structure of YAML or of a table. */
  readonly tokens: number;
  /** Every character is printable ASCII or a line feed. */
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
  let documents = 1;
  let before = 0;
  let tokens = 0;
  let line = 0;
  let printable = true;
  for (let at = 0; at <= text.length; at += 1) {
    const kind = at === text.length ? NEWLINE : KINDS[text.charCodeAt(at)];
    if (kind === NOTHING) continue;
    if (kind === CONTROL || kind === undefined) {
      printable = false;
      continue;
    }
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
  return { documents, tokens: before + tokens, ...(printable ? { printable } : {}) };
}

function tooLong(line: number, end: number): Excess {
  const message = `the line has ${end - line} characters; at most ${MOST.lineLength} are allowed`;
  return { message, hint: 'split the line', at: line };
}

function tooMany(at: number): Excess {
  const message = `the document has more than ${MOST.documentTokens} lines, commas, colons and brackets`;
  return { message, hint: 'split the document', at };
}
