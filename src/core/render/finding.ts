import { createHash } from 'node:crypto';
import type { Diagnostic, Location } from '../diagnostics/diagnostic.ts';
import { CODES } from '../model/generated/codes.ts';
import type { PlanDiagnostic } from '../model/generated/plan.ts';
import { given } from '../model/given.ts';

/** One entry in a format for machines: a diagnostic, or a class of drift. */
export interface FormatFinding extends Pick<Diagnostic, 'message' | 'hint' | 'address' | 'location'> {
  /** A diagnostic code, or `drift/<class>`. */
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'note';
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

export function findingsOf(diagnostics: readonly PlanDiagnostic[]): readonly FormatFinding[] {
  return diagnostics.map(({ severity, code, message, hint, address, location }) => ({
    rule: code,
    level: LEVELS[severity],
    message,
    ...given({ hint, address, location }),
  }));
}

export function saidIn({ message, hint }: FormatFinding): readonly string[] {
  return hint === undefined ? [message] : [message, hint];
}

/** The meaning of a rule in one line. Empty if unknown. */
export function ruleText({ rules }: Pick<FindingsDocument, 'rules'>, rule: string): string {
  return rules.get(rule) ?? (Object.hasOwn(CODES, rule) ? CODES[rule as keyof typeof CODES] : '');
}

const AT_ROOT: ProjectRoot = { folder: '', projectFile: 'tradeform.yaml' };

function pathFromRoot(file: string, { folder }: ProjectRoot): string {
  return folder === '' ? file : `${folder}/${file}`;
}

export function placeFromRoot(
  { location }: Pick<FormatFinding, 'location'>,
  { root = AT_ROOT }: Pick<FindingsDocument, 'root'>,
): Location | undefined {
  return location === undefined ? undefined : { ...location, file: pathFromRoot(location.file, root) };
}

/** Like `placeFromRoot`, for formats that require a place. Without one it is the start of the project file. */
export function someplace(
  finding: Pick<FormatFinding, 'location'>,
  document: Pick<FindingsDocument, 'root'>,
): Location {
  const { root = AT_ROOT } = document;
  return (
    placeFromRoot(finding, document) ?? { file: pathFromRoot(root.projectFile, root), line: 1, column: 1 }
  );
}

/**
 * One unique fingerprint for each finding, in order. It stays the same as long as rule, file, address and message do, so that a
 * forge recognizes a finding when lines move. Findings that are equal in all of these are numbered.
 */
export function fingerprints(document: Pick<FindingsDocument, 'findings' | 'root'>): readonly string[] {
  const seen = new Map<string, number>();
  return document.findings.map((finding) => {
    const { rule, address = '', message, fingerprint = message } = finding;
    const what = JSON.stringify([rule, someplace(finding, document).file, address, fingerprint]);
    const before = seen.get(what) ?? 0;
    seen.set(what, before + 1);
    return createHash('sha256')
      .update(JSON.stringify([what, before]))
      .digest('hex')
      .slice(0, 40);
  });
}
