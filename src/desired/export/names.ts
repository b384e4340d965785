import { LIMITS } from '../../model/kind.ts';
import { noteRoom } from '../../model/marker.ts';

const LONGEST = 28;
/** A name that must make room for a long note is not cut below this: it is how people will speak of the task. */
const READABLE = 8;

/** `Follow whale 7 🐳` → `follow-whale-7`; empty where nothing of the text can stand in a name. */
export function slug(text: string, longest = LONGEST): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return shortened(words, longest);
}

/** At most so many characters, cut between words where that leaves more than half of them. */
function shortened(words: string, longest: number): string {
  if (words.length <= longest) return words;
  const cut = words.slice(0, longest);
  const edge = words[longest] === '-' ? longest : cut.lastIndexOf('-');
  return cut.slice(0, edge > longest / 2 ? edge : longest).replace(/-+$/, '');
}

/**
 * How long a name may be so that the note fits beside the marker that holds it (DESIGN 3): short enough for all of the note
 * where that leaves a readable name. A note that is too long for any is cut instead.
 */
export function nameRoom(note: string, project: string, rearm: string | undefined): number {
  const room = noteRoom(project, 'x', rearm) + 1 - note.length;
  return Math.max(READABLE, Math.min(LONGEST, room));
}

/** Gives out each name once: a second one is numbered. */
export class Names {
  readonly #taken = new Set<string>();

  reserve(name: string): void {
    this.#taken.add(name);
  }

  take(wanted: string, longest = LONGEST): string {
    for (let number = 1; ; number += 1) {
      const suffix = number === 1 ? '' : `-${number}`;
      const name = `${shortened(wanted, Math.max(1, longest - suffix.length))}${suffix}`;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
  }
}

/** The note that fits beside the marker: the same, or its beginning with an ellipsis. */
export function fittingNote(note: string, project: string, name: string, rearm: string | undefined): string {
  const room = Math.min(LIMITS.remark, noteRoom(project, name, rearm));
  if (note.length <= room) return note;
  let kept = '';
  for (const character of note) {
    if (kept.length + character.length > room - 1) break;
    kept += character;
  }
  return room < 2 ? '' : `${kept.trimEnd()}…`;
}
