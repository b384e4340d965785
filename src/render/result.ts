import type { Diagnostic } from '../diagnostics/diagnostic.ts';

/** What `-o json` prints where a command has no document of its own, failures included. */
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
  // JSON may hold these as they are, and terminals take some of them for the beginning of an escape.
  return `${JSON.stringify(document, null, 2).replace(CONTROLS, escaped)}\n`;
}

/** What JSON.stringify leaves of the control characters. */
const CONTROLS = /[\x7f-\x9f]/g;

function escaped(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`;
}
