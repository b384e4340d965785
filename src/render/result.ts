import type { Diagnostic } from '../diagnostics/diagnostic.ts';

/** The output of `-o json` for a command without its own document, and for failures. */
export interface ResultDocument {
  readonly format: 'tradeform.result/1';
  readonly command: string;
  readonly ok: boolean;
  readonly exit_code: number;
  readonly diagnostics: readonly Diagnostic[];
}

export function resultDocument(
  command: string,
  exitCode: number,
  diagnostics: readonly Diagnostic[],
): ResultDocument {
  return {
    format: 'tradeform.result/1',
    command,
    ok: exitCode === 0,
    exit_code: exitCode,
    diagnostics,
  };
}

/** One JSON document, indented, with a final newline. */
export function jsonText(document: unknown): string {
  // JSON allows these characters unescaped, but some terminals read them as the start of an escape sequence.
  return `${JSON.stringify(document, null, 2).replace(CONTROLS, escaped)}\n`;
}

/** The control characters that JSON.stringify does not escape. */
const CONTROLS = /[\x7f-\x9f]/g;

function escaped(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`;
}
