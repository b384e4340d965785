import { NAME_PATTERN, PROJECT_PATTERN } from './address.ts';
import { ARMED_PATTERN, type Armed, formatArmed, parseArmed } from './armed.ts';
import { LIMITS } from './kind.ts';

export interface Marker {
  readonly project: string;
  readonly name: string;
  readonly armed?: Armed;
  readonly rearm?: string | undefined;
  /** First four hex digits of the task that this one replaces. */
  readonly replaces?: string | undefined;
}

/** Whose tasks are a project's own: `Project.metadata.previous_name` is the name that it had before. */
export interface ProjectNames {
  /** Undefined where none is known: then no task is ours. */
  readonly project: string | undefined;
  readonly previousProject?: string | undefined;
}

/** True for a marker of the project, under its name of now or the one before. */
export function isOwnMarker({ project }: Marker, { project: name, previousProject }: ProjectNames): boolean {
  return project === name || project === previousProject;
}

export type Remark =
  | { readonly type: 'plain'; readonly note: string }
  | { readonly type: 'marked'; readonly note: string; readonly marker: Marker }
  | { readonly type: 'damaged'; readonly text: string };

const OPEN = '[git:';
const MARKER = new RegExp(
  `^\\[git:([a-z0-9-]{1,12})/([a-z0-9-]{1,28})(?:@(${ARMED_PATTERN}))?(?:#([a-z0-9]{1,3}))?(?:~([0-9a-f]{4}))?\\]$`,
);
/** `@` and seven digits, or `@0!` and five; `~` and four hex digits. */
const ROOM_FOR_VERSION = 8;
const ROOM_FOR_REPLACES = 5;

/** Takes a stored remark apart; never throws. A `[git:` that does not parse, or is not at the end, is damaged. */
export function parseRemark(text: string): Remark {
  const start = text.indexOf(OPEN);
  if (start < 0) return { type: 'plain', note: text.trim() };
  const match = MARKER.exec(text.slice(start).trimEnd());
  if (match === null) return { type: 'damaged', text };
  const [, project = '', name = '', armed, rearm, replaces] = match;
  const before = text.slice(0, start);
  return {
    type: 'marked',
    note: before.endsWith(' ') ? before.slice(0, -1) : before,
    marker: { project, name, armed: parseArmed(armed), rearm, replaces },
  };
}

/** What stands behind the `@` of a stored remark, whoever's marker it is. */
export function armedOf(stored: string): Armed {
  const remark = parseRemark(stored);
  return remark.type === 'marked' ? remark.marker.armed : undefined;
}

/** The stored remark: the note, one space and the marker; the marker alone for an empty note. */
export function formatRemark(note: string, marker: Marker): string {
  const text = formatMarker(marker);
  return note === '' ? text : `${note} ${text}`;
}

function formatMarker({ project, name, armed, rearm, replaces }: Marker): string {
  if (!PROJECT_PATTERN.test(project) || !NAME_PATTERN.test(name)) {
    throw new Error(`not a marker: ${project}/${name}`);
  }
  return `${OPEN}${project}/${name}${formatArmed(armed)}${rearm === undefined ? '' : `#${rearm}`}${replaces === undefined ? '' : `~${replaces}`}]`;
}

/**
 * How many UTF-16 units a note may have beside its marker, with room kept for a seven-digit version and the `~` part.
 * 0 means that only the marker fits.
 */
export function noteRoom(project: string, name: string, rearm: string | undefined): number {
  const marker = formatMarker({ project, name, rearm }).length + ROOM_FOR_VERSION + ROOM_FOR_REPLACES;
  return Math.max(0, LIMITS.remark - marker - 1);
}

/** The four hex digits by which a marker names the task that is replaced. */
export function replacesTag(id: string): string {
  return id.slice(0, 4).toLowerCase();
}

/** True when a note would be read back as a marker. */
export function holdsMarker(note: string): boolean {
  return note.includes(OPEN);
}
