import { isMap, isScalar, type Node, type Scalar, type YAMLMap } from 'yaml';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { MOST } from '../model/bounds.ts';
import { isObject } from '../model/json.ts';
import { convert } from './convert.ts';
import { isDeferred } from './deferred.ts';
import { Manifest } from './manifest.ts';
import { DocumentPlaces } from './places.ts';
import { FOREIGN, KIND_NAMES, kindSchema, purposesOf, schemaId } from './schema.ts';
import { checkShape, reportShape } from './shape.ts';
import { type Finding, firstOf, moreFrom, type Source } from './source.ts';
import { didYouMean } from './suggest.ts';
import { composeDocuments } from './yaml.ts';

export interface ReadResult {
  /** Documents of a known kind, in order; their shape may be wrong, and then there is a diagnostic. */
  readonly manifests: readonly Manifest[];
  readonly diagnostics: readonly Diagnostic[];
  /** False where a document could not be read: what it defines is not known. */
  readonly whole: boolean;
}

/** YAML text → manifests with exact positions, and everything that is wrong with their text and shape; never throws. */
export function readManifests(source: Source): ReadResult {
  const diagnostics: Diagnostic[] = [];
  const known = new Set<string>();
  const told = firstOf((finding) => diagnostics.push(source.diagnostic(finding)));
  const found = (finding: Finding) => {
    // One character can be wrong for the text and for the field that it stands in.
    const key = `${finding.code} ${finding.start}`;
    if (!known.has(key)) told(finding);
    known.add(key);
  };
  const manifests: Manifest[] = [];
  let whole = true;
  const composed = composeDocuments(source.text, found);
  for (const { document, readable } of composed) {
    const root = document.contents;
    if (isEmpty(root)) {
      whole &&= readable;
      continue;
    }
    const manifest = readable ? readDocument(source, root, found, diagnostics) : undefined;
    if (manifest === undefined) whole = false;
    else manifests.push(manifest);
  }
  if (manifests.length === 0 && diagnostics.length === 0) {
    found({
      code: 'no-manifests',
      message: 'this file holds no manifest',
      hint: 'remove the file if that is meant',
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

function isEmpty(root: Node | null): boolean {
  return root === null || (isScalar(root) && root.value === null && (root.source ?? '') === '');
}

function readDocument(
  source: Source,
  root: Node | null,
  found: (finding: Finding) => void,
  diagnostics: Diagnostic[],
): Manifest | undefined {
  const start = root?.range?.[0] ?? 0;
  if (!isMap(root)) {
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
  const schema = id === undefined ? undefined : kindSchema(id);
  const { value, spans, diagnosed } = convert(root, source, schema ?? FOREIGN, found);
  if (!isObject(value)) return undefined;
  const places = new DocumentPlaces(source, value, spans, [...diagnosed]);
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

/** All kinds have the same `apiVersion`: of a manifest whose kind is not known at least that is. */
const ANY_KIND = 'Label';

/** Which schema holds: that of the kind, or of kind and `spec.for`. */
function findSchema(kind: string, root: YAMLMap, found: (finding: Finding) => void): string | undefined {
  const spec = root.items.find(({ key }) => isScalar(key) && key.value === 'spec')?.value;
  const purpose = isMap(spec)
    ? spec.items.find(({ key }) => isScalar(key) && key.value === 'for')?.value
    : undefined;
  const written = isScalar(purpose) && typeof purpose.value === 'string' ? purpose.value : undefined;
  const id = schemaId(kind, written);
  if (id !== undefined) return id;
  const start = (isScalar(purpose) ? purpose : root).range?.[0] ?? 0;
  const purposes = purposesOf(kind);
  const near = written === undefined ? undefined : didYouMean(written, purposes);
  const list = `one of ${purposes.join(', ')}`;
  found({
    code: written === undefined ? 'missing-field' : 'invalid-value',
    message:
      written === undefined
        ? `the ${kind} does not say in spec.for what it is for`
        : `spec.for: ${JSON.stringify(written)} is not allowed`,
    hint: near === undefined ? list : `${near} ${list}`,
    start,
    end: start + Math.max(1, written?.length ?? 1),
  });
  return undefined;
}

function findKind(root: YAMLMap, found: (finding: Finding) => void): string | undefined {
  const start = root.range?.[0] ?? 0;
  const pair = root.items.find(({ key }) => isScalar(key) && key.value === 'kind');
  const node = pair?.value as Node | null | undefined;
  if (pair === undefined) {
    found({
      code: 'missing-field',
      message: 'the manifest has no kind',
      hint: `one of ${KIND_NAMES.join(', ')}`,
      start,
      end: start + 1,
    });
    return undefined;
  }
  const key = pair.key as Scalar;
  const from = node?.range?.[0] ?? key.range?.[0] ?? start;
  const place = { start: from, end: Math.max(node?.range?.[1] ?? from, from + 1) };
  if (!isScalar(node) || typeof node.value !== 'string') {
    found({
      code: 'wrong-type',
      message: 'kind must be a name',
      hint: `one of ${KIND_NAMES.join(', ')}`,
      ...place,
    });
    return undefined;
  }
  if (KIND_NAMES.includes(node.value)) return node.value;
  const list = `one of ${KIND_NAMES.join(', ')}`;
  const near = didYouMean(node.value, KIND_NAMES);
  found({
    code: 'unknown-kind',
    message: `no kind ${JSON.stringify(node.value)}`,
    hint: near === undefined ? list : `${near} ${list}`,
    ...place,
  });
  return undefined;
}
