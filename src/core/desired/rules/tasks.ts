import { didYouMean } from '../../diagnostics/suggest.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import { childSchema, type SchemaNode, schemaAt, UNKNOWN } from '../../manifest/schema.ts';
import { PROJECT_PATTERN } from '../../model/address.ts';
import { LIMITS } from '../../model/kind.ts';
import { holdsMarker, noteRoom } from '../../model/marker.ts';
import { canonicalPart, IGNORABLE, PATCHED_PARTS } from '../../model/parts.ts';
import { CONFIG, ofFamily, type Rule } from './rule.ts';

/** UTF-16 units for the note beside its marker. Undefined while the name or `rearm` is wrong. */
export function roomForNote(manifest: Manifest, project: string): number | undefined {
  const { name } = manifest;
  const rearm = manifest.get('spec', 'rearm');
  if (name === undefined || !PROJECT_PATTERN.test(project) || manifest.isDiagnosed(['spec', 'rearm']))
    return undefined;
  return noteRoom(project, name, typeof rearm === 'string' ? rearm : undefined);
}

/** The note and its marker fit in the remark together (DESIGN 3), and the note does not look like a marker. */
export const remark: Rule = (input, report) => {
  for (const manifest of ofFamily(input, 'task')) {
    const note = manifest.text('spec', 'remark');
    if (note === undefined) continue;
    if (holdsMarker(note)) {
      report(manifest, ['spec', 'remark'], {
        code: 'remark-holds-marker',
        message: 'a remark must not contain [git:',
        hint: 'remove the marker; tradeform writes it',
      });
    }
    const room = roomForNote(manifest, input.project);
    if (room === undefined || note.length <= room) continue;
    report(manifest, ['spec', 'remark'], {
      code: 'remark-too-long',
      message: `the remark has ${note.length} characters; at most ${room} fit beside the marker`,
      hint: `shorten it by ${note.length - room}, or shorten metadata.name; the service stores ${LIMITS.remark} in total`,
    });
  }
};

/** `lifecycle.ignore_changes` names existing fields, and no list elements (DESIGN 2). */
export const ignoreChanges: Rule = (input, report) => {
  for (const manifest of ofFamily(input, 'task')) {
    const at = ['spec', 'lifecycle', 'ignore_changes'];
    (manifest.list(...at) ?? []).forEach((path, index) => {
      const problem = typeof path === 'string' ? pathProblem(path, manifest.schema) : undefined;
      if (problem !== undefined) report(manifest, [...at, index], problem);
    });
  }
};

function pathProblem(text: string, schema: SchemaNode): Problem | undefined {
  const wrong = (message: string, hint?: string): Problem => ({ code: 'ignored-path', message, hint });
  const spec = schemaAt(schema, ['spec']);
  const allowed = IGNORABLE.filter((field) => Object.hasOwn(spec.properties ?? {}, field));
  if (allowed.includes(text)) return undefined;
  const [root, ...rest] = text.split('.');
  if (root !== 'config' || rest.length === 0) {
    const list = `config.…, ${allowed.join(', ')}`;
    return wrong(`${JSON.stringify(text)} cannot be ignored`, didYouMean(text, allowed) ?? `one of ${list}`);
  }
  let parent = childSchema(spec, 'config');
  for (const [index, segment] of rest.entries()) {
    if (segment === '' || /[[\]]/.test(segment))
      return wrong(`${JSON.stringify(text)} is not a path of field names`, 'name the whole list');
    if (parent.type === 'array')
      return wrong(
        `${text} leads into a list`,
        `name the whole list: config.${rest.slice(0, index).join('.')}`,
      );
    const child = childSchema(parent, segment);
    if (child === UNKNOWN) {
      const near = didYouMean(segment, Object.keys(parent.properties ?? {}));
      return wrong(`${text} is not a field: there is no ${segment}`, near);
    }
    parent = child;
  }
  return undefined;
}

/**
 * A JSON escape takes at most six bytes for each character, so a shorter document cannot fill a body unless aliases repeat it.
 */
const SURELY_SMALL = 8_000;
/** Room for what the manifest lacks: field names of the body, the marker, an id, defaults. */
const REST = 1_024;

/** The request body fits in 64 KiB, counted in UTF-8 bytes (HAZARDS 23). */
export const bodySize: Rule = (input, report) => {
  for (const manifest of ofFamily(input, 'task', 'template')) {
    const config = manifest.object(...CONFIG);
    if (config === undefined || manifest.places.length < SURELY_SMALL) continue;
    const parts = PATCHED_PARTS.map((part) => canonicalPart(manifest.object('spec') ?? {}, part));
    const rest = [...parts, manifest.text('spec', 'name') ?? ''];
    const bytes = new TextEncoder().encode(JSON.stringify([config, ...rest])).length + REST;
    if (bytes <= LIMITS.bodyBytes) continue;
    report(
      manifest,
      CONFIG,
      {
        code: 'body-too-large',
        message: `the request body would have about ${bytes} bytes; the service accepts ${LIMITS.bodyBytes}`,
        hint: 'shorten the sell-side objects',
      },
      'key',
    );
  }
};
