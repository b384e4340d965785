import type { Diagnostic, Location } from '../../diagnostics/diagnostic.ts';
import { CODES } from '../../model/generated/codes.ts';

/** One thing that a machine format tells of: a diagnostic, or a class of drift. */
export interface FormatFinding {
  /** A diagnostic code, or `drift/<class>`. */
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'note';
  readonly message: string;
  readonly hint?: string;
  readonly address?: string;
  readonly location?: Location;
  /** What stays the same from run to run, where the message does not: it holds a time, or a request id. */
  readonly fingerprint?: string;
}

/** What SARIF, JUnit, GitHub annotations and GitLab code quality are made of. */
export interface FindingsDocument {
  readonly command: string;
  readonly exitCode: number;
  readonly findings: readonly FormatFinding[];
  /** Rule → one line of what it means. Rules that are diagnostic codes may be left out. */
  readonly rules: ReadonlyMap<string, string>;
  /** Of JUnit; without it each address or file with a finding is a case. */
  readonly suites?: readonly JunitSuite[];
  /** The command did its work, whatever it found. Where it is left out: with exit code 0 and 2. */
  readonly completed?: boolean;
  readonly version?: string;
  readonly root?: ProjectRoot;
}

/** Where the project lies in its repository: GitHub and GitLab look for files from the repository's root. */
export interface ProjectRoot {
  /** Folder of the project, with forward slashes and without one at its end; empty at the root. */
  readonly folder: string;
  /** The project file, relative to the project: the place of what has none. */
  readonly projectFile: string;
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

export interface JunitCase {
  /** An address, or a file. */
  readonly name: string;
  readonly classname: string;
  /** What it says where nothing is wrong with it: `update, starts trading`. */
  readonly text?: string;
  readonly findings: readonly FormatFinding[];
  /** Why it was not done. */
  readonly skipped?: string;
}

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const;

/** Diagnostics as they stand in a plan, whose codes the schema knows as texts. */
type AnyDiagnostic = Omit<Diagnostic, 'code'> & { readonly code: string };

export function findingsOf(diagnostics: readonly AnyDiagnostic[]): readonly FormatFinding[] {
  return diagnostics.map(({ severity, code, message, hint, address, location }) => ({
    rule: code,
    level: LEVELS[severity],
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(address === undefined ? {} : { address }),
    ...(location === undefined ? {} : { location }),
  }));
}

/** One line of what a rule means; the empty text where nobody says. */
export function ruleText({ rules }: Pick<FindingsDocument, 'rules'>, rule: string): string {
  return rules.get(rule) ?? (Object.hasOwn(CODES, rule) ? CODES[rule as keyof typeof CODES] : '');
}

export function isCompleted({ completed, exitCode }: FindingsDocument): boolean {
  return completed ?? (exitCode === 0 || exitCode === 2);
}
