import type { Manifest, Problem } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ConfigDefinition, Kind, TaskKind } from '../../model/kind.ts';

export interface RuleInput {
  readonly project: string;
  /** All manifests, in order of file and place; their shape may be wrong. */
  readonly manifests: readonly Manifest[];
  /** False where a file or document could not be read: what it defines is not known. */
  readonly whole: boolean;
}

/** Says a problem at a place, unless the shape of that very value is already known to be wrong. */
export type ReportAt = (manifest: Manifest, path: Path, problem: Problem, on?: 'key' | 'value') => void;

/**
 * A rule across fields or manifests that a schema cannot say. It reads values that may have any shape, since all problems
 * are told at once.
 */
export interface Rule {
  readonly name: string;
  check(input: RuleInput, report: ReportAt): void;
}

interface ConfigPlace {
  readonly manifest: Manifest;
  readonly config: JsonObject;
}

/** Where every config stands in its manifest. */
export const CONFIG: readonly string[] = ['spec', 'config'];

const CONFIGS = new WeakMap<RuleInput, Map<ConfigDefinition, readonly ConfigPlace[]>>();

/** The configs of one schema, of tasks and of templates. */
export function configs(input: RuleInput, definition: ConfigDefinition): readonly ConfigPlace[] {
  const known = CONFIGS.get(input) ?? new Map<ConfigDefinition, readonly ConfigPlace[]>();
  CONFIGS.set(input, known);
  const places = known.get(definition) ?? findConfigs(input, definition);
  known.set(definition, places);
  return places;
}

function findConfigs({ manifests }: RuleInput, definition: ConfigDefinition): readonly ConfigPlace[] {
  return manifests.flatMap((manifest) => {
    const { kind } = manifest;
    const config = manifest.object(...CONFIG);
    const fits = kind !== undefined && kind.family !== 'label' && kind.config === definition;
    return fits && config !== undefined ? [{ manifest, config }] : [];
  });
}

export function tasks({ manifests }: RuleInput): readonly { manifest: Manifest; kind: TaskKind }[] {
  return manifests.flatMap((manifest) =>
    manifest.kind?.family === 'task' ? [{ manifest, kind: manifest.kind }] : [],
  );
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
