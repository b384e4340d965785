import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { JsonObject } from '../model/json.ts';
import { Manifest } from './manifest.ts';
import { DocumentPlaces } from './places.ts';
import type { ReadResult } from './read.ts';
import type { ShapeFinding } from './shape-words.ts';
import type { Source } from './source.ts';
import { Spans } from './spans.ts';

/**
 * What was read of a text, as plain data: it can go to another thread or into a file and makes the same manifests again.
 * It holds nothing but the text has, before any reference is replaced, and not the name of the file.
 */
export interface ReadRecord {
  /** A `RecordBody`. */
  readonly json: string;
  /** Of all its manifests, one after the other. */
  readonly offsets: Int32Array;
}

interface RecordBody {
  readonly whole: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly manifests: readonly RecordedManifest[];
}

interface RecordedManifest {
  readonly kind: string;
  readonly schema: string;
  readonly value: JsonObject;
  /** How many offsets are its own. */
  readonly offsets: number;
  readonly diagnosed?: readonly number[];
  readonly deferred?: readonly ShapeFinding[];
}

/** To be asked before the manifests are composed: what is found then is noted in them. */
export function recordOf({ whole, diagnostics, manifests }: ReadResult): ReadRecord {
  const parts: Int32Array[] = [];
  const recorded = manifests.map(({ kindName, schemaId, value, places, deferred }): RecordedManifest => {
    if (!(places instanceof DocumentPlaces)) throw new TypeError('a composed manifest is no document');
    const { spans, diagnosed } = places;
    parts.push(spans.offsets);
    return {
      kind: kindName,
      schema: schemaId,
      value,
      offsets: spans.offsets.length,
      ...(diagnosed.length === 0 ? {} : { diagnosed }),
      ...(deferred.length === 0 ? {} : { deferred }),
    };
  });
  const body: RecordBody = {
    whole,
    diagnostics: diagnostics.map((diagnostic) => inFile(diagnostic, '')),
    manifests: recorded,
  };
  return { json: JSON.stringify(body), offsets: joined(parts) };
}

/** The result for a source with the very text that the record was made of. */
export function resultOf(source: Source, { json, offsets }: ReadRecord): ReadResult {
  const { whole, diagnostics, manifests } = JSON.parse(json) as RecordBody;
  let at = 0;
  return {
    whole,
    diagnostics: diagnostics.map((diagnostic) => inFile(diagnostic, source.file)),
    manifests: manifests.map(({ kind, schema, value, offsets: count, diagnosed = [], deferred = [] }) => {
      const spans = new Spans(offsets.subarray(at, at + count));
      at += count;
      const manifest = new Manifest(kind, schema, value, new DocumentPlaces(source, value, spans, diagnosed));
      manifest.deferred.push(...deferred);
      return manifest;
    }),
  };
}

function inFile(diagnostic: Diagnostic, file: string): Diagnostic {
  const { location } = diagnostic;
  return location === undefined ? diagnostic : { ...diagnostic, location: { ...location, file } };
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
