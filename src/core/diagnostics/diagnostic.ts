import type { DiagnosticCode } from '../model/generated/codes.ts';
import { given } from '../model/given.ts';

/** A place in a file. Line and column count from 1, columns in UTF-16 units. */
export interface Location {
  /** Relative to the project directory, with forward slashes. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Something that a user can act upon. Diagnostics are collected and never thrown one by one. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'info';
  readonly code: DiagnosticCode;
  readonly message: string;
  /** What to write or do instead. */
  readonly hint?: string;
  readonly address?: string;
  readonly location?: Location;
  /** The code that the service gave and its HTTP status, or what stopped the run. */
  readonly error?: { readonly code: string; readonly status: number | null };
  /** Number of columns to underline from `location.column`. Default: 1. */
  readonly length?: number;
}

interface About {
  readonly address?: string | undefined;
  readonly location?: Location | undefined;
}

export function diagnostic(
  severity: Diagnostic['severity'],
  code: DiagnosticCode,
  message: string,
  hint?: string,
  { address, location }: About = {},
): Diagnostic {
  return { severity, code, message, ...given({ hint, address, location }) };
}

export function problem(code: DiagnosticCode, message: string, hint?: string, about?: About): Diagnostic {
  return diagnostic('error', code, message, hint, about);
}

/** An error at a place, or about a whole file. */
export function problemIn(at: string | Location, ...said: Parameters<typeof problem>): Diagnostic {
  return { ...problem(...said), location: typeof at === 'string' ? { file: at, line: 1, column: 1 } : at };
}

export function warning(...said: Parameters<typeof problem>): Diagnostic & { readonly severity: 'warning' } {
  return { ...problem(...said), severity: 'warning' };
}

export function note(...said: Parameters<typeof problem>): Diagnostic {
  return { ...problem(...said), severity: 'info' };
}

/** The texts of files, by their names in diagnostics. A text may be read lazily. */
export type Texts = Pick<ReadonlyMap<string, string>, 'get' | 'has' | 'keys' | 'values'>;

type FailureCode = 1 | 3 | 4 | 5 | 130;

/** The failure of a whole command, with diagnostics and exit code (DESIGN 1). Only the entry point catches it. */
export class CommandFailure extends Error {
  constructor(
    readonly exitCode: FailureCode,
    readonly diagnostics: readonly Diagnostic[],

    /** Texts of the files that the diagnostics point into, by their name in locations. */
    readonly sources: Texts = new Map(),

    /** Further fields of the JSON result document. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(diagnostics[0]?.message ?? 'failed');
    this.name = 'CommandFailure';
  }

  /** A failure for a single reason. */
  static of(exitCode: FailureCode, ...reason: Parameters<typeof problem>): CommandFailure {
    return new CommandFailure(exitCode, [problem(...reason)]);
  }

  /** The same failure with further fields of the document. Existing fields stay. */
  with(details: Readonly<Record<string, unknown>>): CommandFailure {
    return new CommandFailure(this.exitCode, this.diagnostics, this.sources, { ...details, ...this.details });
  }
}

/** A command line that asks for something impossible or is malformed (exit 3). */
export function usage(message: string, hint?: string): CommandFailure {
  return CommandFailure.of(3, 'invalid-option', message, hint);
}
