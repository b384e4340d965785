import type { Manifest, Problem } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
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
export interface Rule {
  readonly name: string;
  check(input: RuleInput, report: ReportAt): void;
}

/** A rule that examines each config of some schemas (tasks or templates) by itself. */
export interface ConfigRule {
  readonly name: string;
  readonly of: readonly ConfigDefinition[];
  check(place: ConfigPlace, report: ReportAt): void;
}

export interface ConfigPlace {
  readonly manifest: Manifest;
  readonly definition: ConfigDefinition;
  readonly config: JsonObject;
}

/** The path of every config in its manifest. */
export const CONFIG: readonly string[] = ['spec', 'config'];

/** Passes the config of each task and template to the rules or lints for its schema. */
export function checkConfigs<R extends { readonly of: readonly ConfigDefinition[] }>(
  manifests: readonly Manifest[],
  rules: readonly R[],
  check: (rule: R, place: ConfigPlace) => void,
): void {
  for (const manifest of manifests) {
    const { kind } = manifest;
    const config = kind === undefined || kind.family === 'label' ? undefined : manifest.object(...CONFIG);
    if (kind === undefined || kind.family === 'label' || config === undefined) continue;
    const place = { manifest, config, definition: kind.config };
    for (const rule of rules) if (rule.of.includes(kind.config)) check(rule, place);
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
