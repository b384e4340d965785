import { orderedAsSchema } from '../../../core/manifest/defaults.ts';
import { literal } from '../../../core/manifest/references.ts';
import { mapLeaves } from '../../../core/manifest/spans.ts';
import { bareName } from '../../../core/model/address.ts';
import { canonicalJson, type Json, type JsonObject } from '../../../core/model/json.ts';
import { API_VERSION, LIMITS } from '../../../core/model/kind.ts';
import { noteRoom } from '../../../core/model/marker.ts';

const LONGEST = 24;
/** A name is never shortened below this to make room for a long note, because people use the name to speak about the task. */
const READABLE = 8;

/** `Follow whale 7 🐳` → `follow-whale-7`. Empty if no character of the text can be part of a name. */
export function slug(text: string, longest = LONGEST): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return shortened(words, longest);
}

/** At most this many characters, cut between words if more than half of them remain. */
function shortened(words: string, longest: number): string {
  if (words.length <= longest) return words;
  const cut = words.slice(0, longest);
  const edge = words[longest] === '-' ? longest : cut.lastIndexOf('-');
  return cut.slice(0, edge > longest / 2 ? edge : longest).replace(/-+$/, '');
}

/**
 * The maximum length of a name so that the note fits beside the marker (DESIGN 3). If a readable name leaves room for the whole
 * note, that length. If no name does, the note is cut instead.
 */
export function nameRoom(note: string, project: string, rearm: string | undefined): number {
  const room = noteRoom(project, 'x', rearm) + 1 - note.length;
  return Math.max(READABLE, Math.min(LONGEST, room));
}

/** Assigns each name once. A repeated name gets a number. */
export class Names {
  readonly #taken: Set<string>;

  /** `taken`: names that are in use. */
  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
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

/** The note, or its beginning with an ellipsis, so that it fits beside the marker. */
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

export interface Exported {
  /** `sniper/whale-7`, `preset/sniper-base`, `wallet-book/wallets`. */
  readonly address: string;
  readonly manifest: JsonObject;
  /** Comment lines above it, for people: stored values that a manifest cannot express. */
  readonly notes: readonly string[];
  /** The id of the live resource. null for a resource that exists only in git. */
  readonly id: string | null;
  /** Differences between this manifest and the service, which are reported again when the manifest is written. */
  readonly altered: readonly string[];
}

/** A manifest with its name from the address, and its fields in the order of the schema. */
export function exported(
  kind: string,
  address: string,
  {
    id = null,
    notes = [],
    altered = [],
    spec,
    metadata,
  }: Partial<Omit<Exported, 'manifest' | 'address'>> & {
    readonly spec: JsonObject;
    /** Besides the name. */
    readonly metadata?: JsonObject;
  },
): Exported {
  const manifest = {
    apiVersion: API_VERSION,
    kind,
    metadata: { name: bareName(address), ...metadata },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
  return { address, manifest: orderedAsSchema(manifest), notes, id, altered };
}

const LONGEST_VALUE = 160;

/** A stored value in a comment: on one line, cut if it is long. */
export function storedValue(value: Json): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}

/** With each text as {@link literal}. */
export function literally<Value extends Json>(fields: Value): Value {
  return mapLeaves(fields, [], (value) => (typeof value === 'string' ? literal(value) : value)) as Value;
}
