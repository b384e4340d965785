import type { Diagnostic, Location } from '../../diagnostics/diagnostic.ts';
import { CODES } from '../../model/generated/codes.ts';

/** One entry in a format for machines: a diagnostic, or a class of drift. */
export interface FormatFinding {
  /** A diagnostic code, or `drift/<class>`. */
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'note';
  readonly message: string;
  readonly hint?: string;
  readonly address?: string;
  readonly location?: Location;
  /** The text that stays the same from run to run, if the message does not: a message may contain a time or a request id. */
  readonly fingerprint?: string;
}

/** The source of SARIF, GitHub annotations and GitLab code quality. */
export interface FindingsDocument {
  readonly command: string;
  readonly exitCode: number;
  readonly findings: readonly FormatFinding[];
  /** Rule → its meaning in one line. Rules that are diagnostic codes may be left out. */
  readonly rules: ReadonlyMap<string, string>;
  /** The command did its work, whatever it found. Default: true for exit codes 0 and 2. */
  readonly completed?: boolean;
  readonly version?: string;
  readonly root?: ProjectRoot;
}

/** Where the project lies in its repository. GitHub and GitLab resolve files from the root of the repository. */
export interface ProjectRoot {
  /** The folder of the project, with forward slashes and without a final one. Empty for the root. */
  readonly folder: string;
  /** The project file, relative to the project. It is the place of findings without one. */
  readonly projectFile: string;
}

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const;

/** Diagnostics in a plan. Its schema only calls their codes strings. */
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

/** The meaning of a rule in one line. Empty if unknown. */
export function ruleText({ rules }: Pick<FindingsDocument, 'rules'>, rule: string): string {
  return rules.get(rule) ?? (Object.hasOwn(CODES, rule) ? CODES[rule as keyof typeof CODES] : '');
}

export function isCompleted({ completed, exitCode }: FindingsDocument): boolean {
  return completed ?? (exitCode === 0 || exitCode === 2);
}
