import { NAME_PATTERN } from '../model/address.ts';
import { isObject, type Json } from '../model/json.ts';
import type { Manifest } from './manifest.ts';
import { mayHoldReference } from './references.ts';
import { schemaAt } from './schema.ts';
import type { ShapeFinding } from './shape-words.ts';
import type { Path } from './spans.ts';

/** The places of the fields that composition fills in. */
const FILLED: Readonly<Record<string, Path>> = {
  Preset: ['spec', 'config'],
  TaskSet: ['spec', 'task', 'spec'],
};
const CONFIGS: readonly Path[] = [
  ['spec', 'config'],
  ['spec', 'task', 'spec', 'config'],
];

/** Kinds that take no part in composition. */
const SETTINGS = ['Project', 'Fleet', 'Notifications'];

/**
 * True for a finding that composition may resolve: a missing field that an extended preset or template may supply, a reference
 * in a field of another type, a null that removes a field.
 */
export function isDeferred(manifest: Manifest, { code, path }: ShapeFinding): boolean {
  const { kindName } = manifest;
  if (SETTINGS.includes(kindName)) return false;
  const value = manifest.get(...path);
  if (typeof value === 'string' && mayHoldReference(value)) return true;
  if (
    typeof value === 'string' &&
    NAME_PATTERN.test(value) &&
    schemaAt(manifest.schema, path)['x-address'] === true
  )
    return true;
  if (code === 'missing-field') return isFilled(manifest, path);
  return value === null && code === 'wrong-type' && removes(manifest, path);
}

function isFilled({ kindName, kind }: Manifest, path: Path): boolean {
  const place = FILLED[kindName] ?? (kind === undefined || kind.family === 'label' ? undefined : ['spec']);
  return place !== undefined && startsWith(path, place);
}

/** Null removes a value that was merged before. If nothing was merged, somebody forgot to fill in the field. */
function removes(manifest: Manifest, path: Path): boolean {
  if (!CONFIGS.some((place) => path.length > place.length && startsWith(path, place))) return false;
  if (isInList(manifest.value, path)) return false;
  const spec = manifest.get('spec', 'task', 'spec') ?? manifest.get('spec');
  const bases = isObject(spec) ? spec.extends : undefined;
  return manifest.kindName === 'Preset' || (Array.isArray(bases) && bases.length > 0);
}

function isInList(root: Json, path: Path): boolean {
  let value: Json | undefined = root;
  for (const segment of path) {
    if (Array.isArray(value)) return true;
    value = isObject(value) ? value[segment] : undefined;
  }
  return false;
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((segment, index) => path[index] === segment);
}
