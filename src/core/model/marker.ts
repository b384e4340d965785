import { NAME_PATTERN, PROJECT_PATTERN } from './address.ts';
import {
  ARMED_PATTERN,
  type Armed,
  formatArmed,
  isAheadOf,
  isOpenAt,
  isPendingAt,
  parseArmed,
  shortened,
} from './armed.ts';
import { LIMITS } from './kind.ts';
import type { LiveTask } from './resource.ts';

/** What was applied last (DESIGN 3, "The version"). */
export interface Version {
  /** Four characters of base 62 that name the task as git described it. */
  readonly digest: string;
  /** How many commits there were up to the one that was applied; 0 without a number. */
  readonly number: number;
}

export interface Marker {
  readonly project: string;
  readonly name: string;
  readonly armed?: Armed;
  readonly version?: Version | undefined;
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
type Remark = { readonly text: string } & (
  | { readonly type: 'plain'; readonly note: string; readonly marker?: undefined }
  | { readonly type: 'marked'; readonly note: string; readonly marker: Marker }
  /** A `[git:` that does not parse, or is not at the end; the remark has no usable note. */
  | { readonly type: 'damaged'; readonly note: ''; readonly marker?: undefined }
);

const OPEN = '[git:';
const MARKER = new RegExp(
  `^\\[git:([a-z0-9-]{1,12})/([a-z0-9-]{1,24})(?:@(${ARMED_PATTERN}))?(?:\\.([0-9A-Za-z]{4})([0-9A-Za-z]{4}))?(?:#([a-z0-9]{1,3}))?(?:~([0-9a-f]{4}))?\\]$`,
);
/** The markers that this version reads, as a regular expression: a part of the contract. */
export const MARKER_GRAMMAR = MARKER.source;
/** Room for `@` and seven digits, for `@0!` and five characters, or for a short mark and `~` with four hex digits. */
const ROOM_FOR_ARMED = 8;
/** The digits of base 62. The service keeps the case of letters. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const HALF = 4;
/** The largest number that half of a version can hold. */
export const MAX_HALF = DIGITS.length ** HALF - 1;

/** Parses a stored remark; never throws. For a live task use {@link remarkOf}. */
export function parseRemark(text: string): Remark {
  const start = text.indexOf(OPEN);
  if (start < 0) return { type: 'plain', text, note: text.trim() };
  const match = MARKER.exec(text.slice(start).trimEnd());
  if (match === null) return { type: 'damaged', text, note: '' };
  const [, project = '', name = '', armed, digest, number = '', rearm, replaces] = match;
  const version = digest === undefined ? undefined : parseVersion(digest + number);
  const before = text.slice(0, start);
  return {
    type: 'marked',
    text,
    note: before.endsWith(' ') ? before.slice(0, -1) : before,
    marker: { project, name, armed: parseArmed(armed), version, rearm, replaces },
  };
}

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

export function markerOf(task: Remarked): Marker | undefined {
  return remarkOf(task).marker;
}

/** The marker of an owned task; undefined for all other tasks. */
export function ownMarkerOf(task: Remarked, project: ProjectNames): Marker | undefined {
  const marker = markerOf(task);
  return marker !== undefined && isOwnMarker(marker, project) ? marker : undefined;
}

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

/** The version of a mark; undefined for `@0`, for the forms that keep a task off, and without `@` or marker. */
export function markedVersion(task: Remarked): number | undefined {
  const armed = armedOf(task);
  return isAheadOf(armed, 0) ? armed : undefined;
}

/** True if a damaged marker may be one of a repository: one of its names is in it, or it ends within one. Others only look like one. */
export function mayBeOwn({ text }: Remark, names: readonly (string | undefined)[]): boolean {
  const inside = text
    .slice(text.indexOf(OPEN) + OPEN.length)
    .trimEnd()
    .toLowerCase();
  const words = inside.split(/[^a-z0-9-]+/);
  return names.some((name) => name !== undefined && (words.includes(name) || name.startsWith(inside)));
}

/** What can still be read of a damaged marker: words that may be its names, and its version. */
export function readableOf({ text }: Remark): {
  readonly names: string[];
  readonly version: Version | undefined;
} {
  const inside = text.slice(text.indexOf(OPEN) + OPEN.length);
  const [, version] = /\.([0-9A-Za-z]{8})(?![0-9A-Za-z])/.exec(inside) ?? [];
  return {
    names: inside.split(/[^a-z0-9-]+/),
    version: version === undefined ? undefined : parseVersion(version),
  };
}

/** The remark with this in place of its note, if it has one. */
export function withNoteHidden(text: string, hidden: string): string {
  const start = text.indexOf(OPEN);
  return start === 0 ? text : withNote(hidden, text.slice(Math.max(0, start)));
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
 * The stored remark with another armed version; the note and the rest of the marker do not change. `former`: the task whose values
 * are written back, with their version. Undefined without a marker of this project.
 */
export function rearmedRemark(
  task: Remarked,
  project: ProjectNames,
  armed: Armed,
  former: Remarked = task,
): string | undefined {
  const marker = ownMarkerOf(task, project);
  const version = (ownMarkerOf(former, project) ?? marker)?.version;
  return marker && formatRemark(remarkOf(task).note, { ...marker, armed, version });
}

/**
 * The remark to store: the note, one space and the marker; the marker alone for an empty note. Where `~` and a long armed version
 * do not fit together, a number is shortened to `@0`, which keeps the task off.
 */
export function formatRemark(note: string, marker: Marker): string {
  const text = withNote(note, formatMarker(marker));
  if (text.length <= LIMITS.remark || marker.replaces === undefined) return text;
  return withNote(note, formatMarker({ ...marker, armed: shortened(marker.armed) }));
}

function withNote(note: string, marker: string): string {
  return note === '' ? marker : `${note} ${marker}`;
}

function formatMarker({ project, name, armed, version, rearm, replaces }: Marker): string {
  if (!PROJECT_PATTERN.test(project) || !NAME_PATTERN.test(name)) {
    throw new Error(`not a marker: ${project}/${name}`);
  }
  return `${OPEN}${project}/${name}${formatArmed(armed)}${version === undefined ? '' : `.${formatVersion(version)}`}${rearm === undefined ? '' : `#${rearm}`}${replaces === undefined ? '' : `~${replaces}`}]`;
}

/** The eight characters of a version in a marker and in a plan. */
export function formatVersion({ digest, number }: Version): string {
  return digest + formatHalf(number);
}

/** The version of these eight characters. */
export function parseVersion(text: string): Version {
  const number = [...text.slice(HALF)].reduce((sum, digit) => sum * DIGITS.length + DIGITS.indexOf(digit), 0);
  return { digest: text.slice(0, HALF), number };
}

/** A number up to {@link MAX_HALF} as four characters. */
export function formatHalf(number: number): string {
  const digit = (_: unknown, at: number) =>
    DIGITS.charAt(Math.floor(number / DIGITS.length ** (HALF - 1 - at)) % DIGITS.length);
  return Array.from({ length: HALF }, digit).join('');
}

/**
 * How many UTF-16 units a note can have beside its marker, with room reserved for a seven-digit armed version and the whole
 * version. 0 means that only the marker fits.
 */
export function noteRoom(
  project: string,
  name: string,
  rearm: string | undefined,
  armed = ROOM_FOR_ARMED,
): number {
  const marker = formatMarker({ project, name, rearm }).length + armed + 1 + 2 * HALF;
  return Math.max(0, LIMITS.remark - marker - 1);
}

/** The most versions that one change of a task passes, with a write of somebody in between. */
const STEPS = 5;

/** The room of a live note that stays: with the armed versions of the next change, instead of any. */
export function liveNoteRoom(
  project: string,
  { name, rearm }: Pick<Marker, 'name' | 'rearm'>,
  task: Remarked & Pick<LiveTask, 'version'>,
): number {
  const armed = Math.max(formatArmed(armedOf(task)).length, formatArmed(task.version + STEPS).length);
  return noteRoom(project, name, rearm, armed);
}

/** The four hex digits with which a marker names the task that it replaces. */
export function replacesTag(id: string): string {
  return id.slice(0, 4).toLowerCase();
}

export function holdsMarker(note: string): boolean {
  return note.includes(OPEN);
}
