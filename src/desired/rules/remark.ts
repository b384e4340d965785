import type { Manifest } from '../../manifest/manifest.ts';
import { PROJECT_PATTERN } from '../../model/address.ts';
import { LIMITS } from '../../model/kind.ts';
import { holdsMarker, noteRoom } from '../../model/marker.ts';
import { ofFamily, type Rule } from './rule.ts';

/** UTF-16 units for the note beside its marker. Undefined while the name or `rearm` is wrong. */
export function roomForNote(manifest: Manifest, project: string): number | undefined {
  const { name } = manifest;
  const rearm = manifest.get('spec', 'rearm');
  if (name === undefined || !PROJECT_PATTERN.test(project) || manifest.isDiagnosed(['spec', 'rearm']))
    return undefined;
  return noteRoom(project, name, typeof rearm === 'string' ? rearm : undefined);
}

/** The note and its marker fit in the remark together (DESIGN 3), and the note does not look like a marker. */
export const remark: Rule = {
  name: 'remark',
  check(input, report) {
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
  },
};
