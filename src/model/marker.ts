import { NAME_PATTERN, PROJECT_PATTERN } from './address.ts';
import {
  ARMED_PATTERN,
  type Armed,
  formatArmed,
  isAheadOf,
  isOpenAt,
  isPendingAt,
  parseArmed,
} from './armed.ts';
import { LIMITS } from './kind.ts';
import type { LiveTask } from './resource.ts';

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

/** A stored remark, taken apart (DESIGN 3). */
export type Remark = { readonly text: string } & (
  | { readonly type: 'plain'; readonly note: string; readonly marker?: undefined }
  | { readonly type: 'marked'; readonly note: string; readonly marker: Marker }
  /** A `[git:` that does not parse, or is not at the end; it has no note that one could go by. */
  | { readonly type: 'damaged'; readonly note: ''; readonly marker?: undefined }
);

const OPEN = '[git:';
const MARKER = new RegExp(
  `^\\[git:([a-z0-9-]{1,12})/([a-z0-9-]{1,28})(?:@(${ARMED_PATTERN}))?(?:#([a-z0-9]{1,3}))?(?:~([0-9a-f]{4}))?\\]$`,
);
/** `@` and seven digits, or `@0!` and five; `~` and four hex digits. */
const ROOM_FOR_VERSION = 8;
const ROOM_FOR_REPLACES = 5;

/** Takes a stored remark apart; never throws. Of a live task ask {@link remarkOf}. */
export function parseRemark(text: string): Remark {
  const start = text.indexOf(OPEN);
  if (start < 0) return { type: 'plain', text, note: text.trim() };
  const match = MARKER.exec(text.slice(start).trimEnd());
  if (match === null) return { type: 'damaged', text, note: '' };
  const [, project = '', name = '', armed, rearm, replaces] = match;
  const before = text.slice(0, start);
  return {
    type: 'marked',
    text,
    note: before.endsWith(' ') ? before.slice(0, -1) : before,
    marker: { project, name, armed: parseArmed(armed), rearm, replaces },
  };
}

/** A task, or what is said of one, with its remark as it is stored. */
type Remarked = Pick<LiveTask, 'remark'>;

const PARSED = new WeakMap<Remarked, Remark>();

/** The remark of a task, taken apart once for each object that a reading made. */
export function remarkOf(task: Remarked): Remark {
  const known = PARSED.get(task);
  if (known?.text === task.remark) return known;
  const remark = parseRemark(task.remark);
  PARSED.set(task, remark);
  return remark;
}

/** The marker of a task, whoever's it is. */
export function markerOf(task: Remarked): Marker | undefined {
  return remarkOf(task).marker;
}

/** The marker of a task of the project; undefined for everybody else's. */
export function ownMarkerOf(task: Remarked, project: ProjectNames): Marker | undefined {
  const marker = markerOf(task);
  return marker !== undefined && isOwnMarker(marker, project) ? marker : undefined;
}

/** What stands behind the `@` of a task, whoever's marker it is. */
export function armedOf(task: Remarked): Armed {
  return markerOf(task)?.armed;
}

type Marked = Remarked & Pick<LiveTask, 'version' | 'is_active'>;

/** Paused, and m = v: a start of ours is pending. */
export function isPending(task: Marked): boolean {
  return !task.is_active && isPendingAt(armedOf(task), task.version);
}

/** m ≥ v: the mark must be made `@0` before anybody's pause can be mistaken for ours. */
export function isOpen(task: Pick<Marked, 'remark' | 'version'>): boolean {
  return isOpenAt(armedOf(task), task.version);
}

/** An apply was interrupted: before its pause (it runs, m > v), or before its start (it is paused, m = v). */
export function isInterrupted(task: Marked): boolean {
  return task.is_active ? isAheadOf(armedOf(task), task.version) : isPending(task);
}

/** The version that a mark names; undefined for `@0`, the forms that keep a task off, no `@` and no marker. */
export function markedVersion(task: Remarked): number | undefined {
  const armed = armedOf(task);
  return isAheadOf(armed, 0) ? armed : undefined;
}

/** The note without its marker; of a damaged one what stands before it. */
export function bareNote({ type, text, note }: Remark): string {
  return (type === 'damaged' ? text.slice(0, text.indexOf(OPEN)) : note).trim();
}

/**
 * True where two tasks carry the same marker, whatever their notes say. Without a marker the note is what an adoption went
 * by: it must be the same.
 */
export function sameMarker(one: Remarked, other: Remarked): boolean {
  if (one.remark === other.remark) return true;
  const [a, b] = [remarkOf(one), remarkOf(other)];
  return a.type === 'marked' && b.type === 'marked' && markerText(a) === markerText(b);
}

function markerText({ text }: Remark): string {
  return text.slice(text.indexOf(OPEN)).trimEnd();
}

/** The stored remark with another armed version, note and the rest of the marker as they are. Undefined without a marker of this project. */
export function rearmedRemark(task: Remarked, project: ProjectNames, armed: Armed): string | undefined {
  const marker = ownMarkerOf(task, project);
  return marker && formatRemark(remarkOf(task).note, { ...marker, armed });
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
