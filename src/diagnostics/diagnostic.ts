import type { DiagnosticCode } from '../model/generated/codes.ts';

/** A place in a file; line and column count from 1, columns in UTF-16 units. */
export interface Location {
  /** Relative to the project directory, with forward slashes. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Something a user can act upon; collected, never thrown one by one. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'info';
  readonly code: DiagnosticCode;
  readonly message: string;
  /** What to write or do instead. */
  readonly hint?: string;
  readonly address?: string;
  readonly location?: Location;
  /** Columns to underline from `location.column`; 1 when absent. */
  readonly length?: number;
}

/** An error that no file is the place of. */
export function problem(code: DiagnosticCode, message: string, hint?: string): Diagnostic {
  return { severity: 'error', code, message, ...(hint === undefined ? {} : { hint }) };
}

export function warning(...said: Parameters<typeof problem>): Diagnostic & { readonly severity: 'warning' } {
  return { ...problem(...said), severity: 'warning' };
}

export function note(...said: Parameters<typeof problem>): Diagnostic {
  return { ...problem(...said), severity: 'info' };
}

/** The texts of files, by the names that diagnostics give them. One may be read only when it is asked for. */
export type Texts = Pick<ReadonlyMap<string, string>, 'get' | 'has' | 'keys'>;

/** The failure of a whole command: carries the diagnostics and the exit code (DESIGN 1). Only the entry point catches it. */
export class CommandFailure extends Error {
  readonly exitCode: 1 | 3 | 4 | 130;
  readonly diagnostics: readonly Diagnostic[];
  /** Text of the files that the diagnostics point into, by their name in locations. */
  readonly sources: Texts;
  /** Further fields of the JSON result document. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    exitCode: 1 | 3 | 4 | 130,
    diagnostics: readonly Diagnostic[],
    sources: Texts = new Map(),
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(diagnostics[0]?.message ?? 'failed');
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
    this.diagnostics = diagnostics;
    this.sources = sources;
    this.details = details;
  }

  /** For one reason. */
  static of(exitCode: 1 | 3 | 4 | 130, ...reason: Parameters<typeof problem>): CommandFailure {
    return new CommandFailure(exitCode, [problem(...reason)]);
  }

  /** The same failure with further fields of the document, where it has not them already. */
  with(details: Readonly<Record<string, unknown>>): CommandFailure {
    return new CommandFailure(this.exitCode, this.diagnostics, this.sources, { ...details, ...this.details });
  }
}

/** A command line that asks for what does not exist, or not so (exit 3). */
export function usage(message: string, hint?: string): CommandFailure {
  return CommandFailure.of(3, 'invalid-option', message, hint);
}
