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

/** The names in the markers of a project's own tasks; `previousProject` is `Project.metadata.previous_name`. */
export interface ProjectNames {
  /** Undefined if no project is known: then no task is owned. */
  readonly project: string | undefined;
  readonly previousProject?: string | undefined;
}

/** True for a marker of the project, under its current or its previous name. */
export function isOwnMarker({ project }: Marker, { project: name, previousProject }: ProjectNames): boolean {
  return project === name || project === previousProject;
}

/** A parsed remark (DESIGN 3). */
export type Remark = { readonly text: string } & (
  | { readonly type: 'plain'; readonly note: string; readonly marker?: undefined }
  | { readonly type: 'marked'; readonly note: string; readonly marker: Marker }
  /** A `[git:` that does not parse, or is not at the end; the remark has no usable note. */
  | { readonly type: 'damaged'; readonly note: ''; readonly marker?: undefined }
);

const OPEN = '[git:';
const MARKER = new RegExp(
  `^\\[git:([a-z0-9-]{1,12})/([a-z0-9-]{1,28})(?:@(${ARMED_PATTERN}))?(?:#([a-z0-9]{1,3}))?(?:~([0-9a-f]{4}))?\\]$`,
);
/** Room for `@` and seven digits or `@0!` and five characters; `~` and four hex digits. */
const ROOM_FOR_VERSION = 8;
const ROOM_FOR_REPLACES = 5;

/** Parses a stored remark; never throws. For a live task use {@link remarkOf}. */
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

/** A task, or another object, with a stored remark. */
type Remarked = Pick<LiveTask, 'remark'>;

const PARSED = new WeakMap<Remarked, Remark>();

/** The parsed remark of a task; parsed once for each object of a reading. */
export function remarkOf(task: Remarked): Remark {
  const known = PARSED.get(task);
  if (known?.text === task.remark) return known;
  const remark = parseRemark(task.remark);
  PARSED.set(task, remark);
  return remark;
}

/** The marker of a task, of any project. */
export function markerOf(task: Remarked): Marker | undefined {
  return remarkOf(task).marker;
}

/** The marker of an owned task; undefined for all other tasks. */
export function ownMarkerOf(task: Remarked, project: ProjectNames): Marker | undefined {
  const marker = markerOf(task);
  return marker !== undefined && isOwnMarker(marker, project) ? marker : undefined;
}

/** The armed version of a task, from a marker of any project. */
export function armedOf(task: Remarked): Armed {
  return markerOf(task)?.armed;
}

type Marked = Remarked & Pick<LiveTask, 'version' | 'is_active'>;

/** Paused, and m = v: a start by tradeform is pending. */
export function isPending(task: Marked): boolean {
  return !task.is_active && isPendingAt(armedOf(task), task.version);
}

/** m ≥ v: the mark must become `@0` before somebody's pause can be mistaken for a pause by tradeform. */
export function isOpen(task: Pick<Marked, 'remark' | 'version'>): boolean {
  return isOpenAt(armedOf(task), task.version);
}

/** An apply was interrupted: before its pause (it runs, m > v), or before its start (it is paused, m = v). */
export function isInterrupted(task: Marked): boolean {
  return task.is_active ? isAheadOf(armedOf(task), task.version) : isPending(task);
}

/** The version of a mark; undefined for `@0`, for the forms that keep a task off, and without `@` or marker. */
export function markedVersion(task: Remarked): number | undefined {
  const armed = armedOf(task);
  return isAheadOf(armed, 0) ? armed : undefined;
}

/** The note without its marker; for a damaged marker the text before it. */
export function bareNote({ type, text, note }: Remark): string {
  return (type === 'damaged' ? text.slice(0, text.indexOf(OPEN)) : note).trim();
}

/**
 * True if two tasks carry the same marker, whatever their notes are. Without markers, the notes must be equal, because
 * an adoption compares notes.
 */
export function sameMarker(one: Remarked, other: Remarked): boolean {
  if (one.remark === other.remark) return true;
  const [a, b] = [remarkOf(one), remarkOf(other)];
  return a.type === 'marked' && b.type === 'marked' && markerText(a) === markerText(b);
}

function markerText({ text }: Remark): string {
  return text.slice(text.indexOf(OPEN)).trimEnd();
}

/**
 * The stored remark with another armed version; the note and the rest of the marker do not change. Undefined without a
 * marker of this project.
 */
export function rearmedRemark(task: Remarked, project: ProjectNames, armed: Armed): string | undefined {
  const marker = ownMarkerOf(task, project);
  return marker && formatRemark(remarkOf(task).note, { ...marker, armed });
}

/** The remark to store: the note, one space and the marker; the marker alone for an empty note. */
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
 * How many UTF-16 units a note can have beside its marker, with room reserved for a seven-digit version and the `~`
 * part. 0 means that only the marker fits.
 */
export function noteRoom(project: string, name: string, rearm: string | undefined): number {
  const marker = formatMarker({ project, name, rearm }).length + ROOM_FOR_VERSION + ROOM_FOR_REPLACES;
  return Math.max(0, LIMITS.remark - marker - 1);
}

/** The four hex digits with which a marker names the task that it replaces. */
export function replacesTag(id: string): string {
  return id.slice(0, 4).toLowerCase();
}

/** True if a note would be parsed as a marker. */
export function holdsMarker(note: string): boolean {
  return note.includes(OPEN);
}
