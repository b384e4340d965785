import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { RESULT_FORMAT, type ResultDocument } from '../model/generated/result.ts';

/** The output of `-o json` for a command without its own document, and for failures. */
export function resultDocument(
  command: string,
  exitCode: number,
  diagnostics: readonly Diagnostic[],
): ResultDocument {
  return {
    format: RESULT_FORMAT,
    command,
    ok: exitCode === 0,
    exit_code: exitCode as ResultDocument['exit_code'],
    diagnostics: [...diagnostics],
  };
}

/** One JSON document, indented, with a final newline. */
export function jsonText(document: unknown): string {
  // JSON allows these characters unescaped, but some terminals read them as the start of an escape sequence.
  const text = JSON.stringify(document, null, 2);
  return `${text.replace(CONTROLS, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)}\n`;
}

/** The control characters that JSON.stringify does not escape. */
const CONTROLS = /[\x7f-\x9f]/g;
