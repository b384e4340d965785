import type { Manifest, Problem } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ConfigDefinition, Kind } from '../../model/kind.ts';

export interface RuleInput {
  readonly project: string;
  /** All manifests, sorted by file and place. Their shape may be wrong. */
  readonly manifests: readonly Manifest[];
  /** False if a file or document could not be read, so that its definitions are unknown. */
  readonly whole: boolean;
}

/** Reports a problem at a place, unless that value is already known to have the wrong shape. */
export type ReportAt = (manifest: Manifest, path: Path, problem: Problem, on?: 'key' | 'value') => void;

/**
 * A rule across fields or manifests that no schema can express. It reads values of any shape, because all problems are reported
 * at once.
 */
export type Rule = (input: RuleInput, report: ReportAt) => void;

/** Reports a finding at a path of the manifest: the present values, and what to write instead. */
export type ReportAtPath = (path: Path, message: string, hint: string) => void;

/**
 * A rule or a lint that examines the config of a task or template by itself. It must expect that a field is missing or has another
 * type.
 */
export type ConfigCheck = (place: ConfigPlace, report: ReportAtPath) => void;

export interface ConfigRow {
  readonly code: DiagnosticCode;
  readonly of: readonly ConfigDefinition[];
  readonly check: ConfigCheck;
}

export interface ConfigPlace {
  readonly manifest: Manifest;
  readonly definition: ConfigDefinition;
  readonly config: JsonObject;
}

/** The path of every config in its manifest. */
export const CONFIG: readonly string[] = ['spec', 'config'];

export function checkConfigs(
  manifests: readonly Manifest[],
  rows: readonly ConfigRow[],
  report: (code: DiagnosticCode, manifest: Manifest, ...said: Parameters<ReportAtPath>) => void,
): void {
  for (const manifest of manifests) {
    const { kind } = manifest;
    const config = kind === undefined || kind.family === 'label' ? undefined : manifest.object(...CONFIG);
    if (kind === undefined || kind.family === 'label' || config === undefined) continue;
    const place = { manifest, config, definition: kind.config };
    for (const { code, of, check } of rows)
      if (of.includes(kind.config)) check(place, (...said) => report(code, manifest, ...said));
  }
}

export function ofFamily(
  { manifests }: RuleInput,
  ...families: readonly Kind['family'][]
): readonly Manifest[] {
  return manifests.filter(({ kind }) => kind !== undefined && families.includes(kind.family));
}

/** `manifests/a.yaml:3`, for messages that name a second place. */
export function where(manifest: Manifest, path: Path): string {
  const { file, line } = manifest.location(path);
  return `${file}:${line}`;
}
