import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { oneOfHint } from '../diagnostics/suggest.ts';
import { NAME_PATTERN } from '../model/address.ts';
import { MOST } from '../model/bounds.ts';
import { isObject, type Json } from '../model/json.ts';
import { syntaxOf } from './composed.ts';
import { convert } from './convert.ts';
import { DocumentPlaces, Manifest } from './manifest.ts';
import { mayHoldReference } from './references.ts';
import { KIND_NAMES, kindSchema, purposesOf, schemaAt, schemaId, UNKNOWN } from './schema.ts';
import { checkShape, reportShape } from './shape.ts';
import type { ShapeFinding } from './shape-words.ts';
import { type Finding, firstOf, moreFrom, type Source } from './source.ts';
import { type Path, Spans, startsWith } from './spans.ts';
import type { MappingNode, Pair, SyntaxNode } from './syntax.ts';
import { quickDocuments } from './syntax.ts';
import { composeDocuments } from './yaml.ts';

export interface ReadResult {
  /** Documents of a known kind, in order. A document with the wrong shape has a diagnostic. */
  readonly manifests: readonly Manifest[];
  readonly diagnostics: readonly Diagnostic[];
  /** False if a document could not be read, so that its definitions are unknown. */
  readonly whole: boolean;
}

/** YAML text → manifests with exact positions, and every error of text and shape. Never throws. */
export function readManifests(source: Source): ReadResult {
  return readQuickly(source) ?? readSlowly(source);
}

/** The only document of a file, of this kind, and everything that is wrong with the file. `message`: that it holds something else. */
export function readOneDocument(
  source: Source,
  kind: string,
  message: string,
): { readonly manifest?: Manifest; readonly diagnostics: readonly Diagnostic[] } {
  const { manifests, diagnostics } = readManifests(source);
  const [manifest, ...more] = manifests;
  if (manifest?.kindName === kind && more.length === 0) return { manifest, diagnostics };
  const wrong = source.diagnostic({ code: 'invalid-value', message, start: 0, end: 0 });
  return { diagnostics: diagnostics.length > 0 ? diagnostics : [wrong] };
}

/** Undefined for a text with any error. The slow reader then reports the error and its place. */
function readQuickly(source: Source): ReadResult | undefined {
  const roots = quickDocuments(source);
  if (roots === undefined) return undefined;
  let clean = true;
  const found = () => {
    clean = false;
  };
  const diagnostics: Diagnostic[] = [];
  const manifests: Manifest[] = [];
  const later = spansLater(source);
  for (const [index, root] of roots.entries()) {
    const manifest = readDocument(source, root, found, diagnostics, () => later(index));
    if (manifest === undefined || !clean || diagnostics.length > 0) return undefined;
    manifests.push(manifest);
  }
  return manifests.length === 0 ? undefined : { manifests, diagnostics, whole: true };
}

/** The same with the parser that reports errors and their places. */
export function readSlowly(source: Source): ReadResult {
  const diagnostics: Diagnostic[] = [];
  const known = new Set<string>();
  const told = firstOf((finding) => diagnostics.push(source.diagnostic(finding)));
  const found = (finding: Finding) => {
    // One character can be an error both of the text and of the field that contains it.
    const key = `${finding.code} ${finding.start}`;
    if (!known.has(key)) told(finding);
    known.add(key);
  };
  const manifests: Manifest[] = [];
  let whole = true;
  for (const { document, readable } of composeDocuments(source.text, found)) {
    const root = readable ? syntaxOf(document) : null;
    const empty = root === null || (root.type === 'scalar' && root.value === null && root.written === '');
    if (readable && empty) continue;
    const manifest = readable ? readDocument(source, root, found, diagnostics) : undefined;
    if (manifest === undefined) whole = false;
    else manifests.push(manifest);
  }
  if (manifests.length === 0 && diagnostics.length === 0) {
    found({
      code: 'no-manifests',
      message: 'this file contains no manifest',
      hint: 'remove the file if this is intended',
      start: 0,
      end: 0,
    });
    whole = false;
  }
  return {
    manifests,
    diagnostics,
    whole: whole && diagnostics.every(({ code }) => !code.startsWith('yaml-')),
  };
}

/** `later` computes the places on demand. Places are the largest part of the work, and few are needed. */
function readDocument(
  source: Source,
  root: SyntaxNode | null,
  found: (finding: Finding) => void,
  diagnostics: Diagnostic[],
  later?: () => Spans,
): Manifest | undefined {
  const start = root?.start ?? 0;
  if (root?.type !== 'mapping') {
    found({
      code: 'wrong-type',
      message: 'a manifest is a mapping with apiVersion, kind, metadata and spec',
      start,
      end: start + 1,
    });
    return undefined;
  }
  const kind = findKind(root, found);
  const id = kind === undefined ? undefined : findSchema(kind, root, found);
  const schema = (id === undefined ? undefined : kindSchema(id)) ?? UNKNOWN;
  const spans = later ?? new Spans();
  const { value, diagnosed } = convert(
    root,
    source,
    schema,
    found,
    spans instanceof Spans ? spans : undefined,
  );
  if (!isObject(value)) return undefined;
  const places = new DocumentPlaces(source, value, root, spans, [...diagnosed]);
  if (kind === undefined || id === undefined) {
    const unknown = new Manifest('', ANY_KIND, value, places);
    const version = [...checkShape(unknown)].filter(
      ({ path, missing }) => (path[0] ?? missing) === 'apiVersion',
    );
    diagnostics.push(...reportShape(unknown, version));
    return undefined;
  }
  const manifest = new Manifest(kind, id, value, places);
  for (const finding of checkShape(manifest)) {
    if (isDeferred(manifest, finding)) manifest.deferred.push(finding);
    else if (diagnostics.length < MOST.findings) diagnostics.push(...reportShape(manifest, [finding]));
    else {
      found(moreFrom(manifest.places.find(finding.path, finding.on)));
      break;
    }
  }
  return manifest;
}

/**
 * The places of each document of a text that the quick reader read. The first request computes the places of all documents,
 * because a file can hold thousands. It reads the text again, because syntax trees must not be kept.
 */
function spansLater(source: Source): (index: number) => Spans {
  let found: readonly Spans[] | undefined;
  return (index) => {
    found ??= (quickDocuments(source) ?? []).map((root) => {
      const spans = new Spans();
      // Places do not depend on types.
      convert(root, source, UNKNOWN, () => undefined, spans);
      return spans;
    });
    return found[index] ?? new Spans();
  };
}

/** All kinds have the same `apiVersion`, so a manifest of an unknown kind can at least be checked for it. */
const ANY_KIND = 'Label';

/** The applicable schema: by kind, or by kind and `spec.for`. */
function findSchema(kind: string, root: MappingNode, found: (finding: Finding) => void): string | undefined {
  const spec = pairOf(root, 'spec')?.value;
  const purpose = spec?.type === 'mapping' ? pairOf(spec, 'for')?.value : undefined;
  const written = textOf(purpose);
  const id = schemaId(kind, written);
  if (id !== undefined) return id;
  const { start } = purpose?.type === 'scalar' ? purpose : root;
  const place = { start, end: start + Math.max(1, written?.length ?? 1) };
  const hint = oneOfHint(purposesOf(kind), written);
  if (written === undefined)
    found({ code: 'missing-field', message: `the ${kind} has no spec.for`, hint, ...place });
  else
    found({
      code: 'invalid-value',
      message: `spec.for: ${JSON.stringify(written)} is not allowed`,
      hint,
      ...place,
    });
  return undefined;
}

function pairOf({ pairs }: MappingNode, name: string): Pair | undefined {
  return pairs.find(({ key }) => key?.type === 'scalar' && key.value === name);
}

function textOf(node: SyntaxNode | null | undefined): string | undefined {
  return node?.type === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

function findKind(root: MappingNode, found: (finding: Finding) => void): string | undefined {
  const { key, value } = pairOf(root, 'kind') ?? {};
  const written = textOf(value);
  if (written !== undefined && KIND_NAMES.includes(written)) return written;
  const start = value?.start ?? key?.start ?? root.start;
  const place = { start, end: Math.max(value?.end ?? start, start + 1) };
  const hint = oneOfHint(KIND_NAMES, written);
  if (key === undefined)
    found({ code: 'missing-field', message: 'the manifest has no kind', hint, ...place });
  else if (written === undefined)
    found({ code: 'wrong-type', message: 'kind must be a name', hint, ...place });
  else found({ code: 'unknown-kind', message: `unknown kind ${JSON.stringify(written)}`, hint, ...place });
  return undefined;
}

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
function isDeferred(manifest: Manifest, { code, path }: ShapeFinding): boolean {
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
