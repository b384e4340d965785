import type { RemarkSymbol } from './generated/plan.ts';
import { FIRST_VERSION, versionAfter } from './versions.ts';

/**
 * Why a paused task stays off, whatever `stopped_tasks` says (DESIGN 3, "The switch"), and the text behind the `@`. `off`: the
 * operator's switch stopped it. `kept-off`: it stays off while the switch is on, and the switch did not stop it. `held`: an apply
 * holds it; the switch has nothing to do with it.
 */
const OFF_TEXTS = { off: '!', 'kept-off': '0!', held: '-' } as const;
export type Off = keyof typeof OFF_TEXTS;

/** A mark as a plan names it: the number of a pending one is known only when the request is sent (DESIGN 6). */
export type Mark = RemarkSymbol['mark'];

/**
 * The armed version of a marker (DESIGN 3): a number is `@m`; undefined means no `@`: git did not want the task to run.
 */
export type Armed = number | Off | undefined;

/** `@0`: nothing is pending, so a stop from now on was not made by tradeform. */
export const SETTLED = 0;

/** The text behind the `@`. */
export const ARMED_PATTERN = '0|[1-9][0-9]{0,6}|0?!|-';

const MAX_NUMBER = 9_999_999;

/** No `@`: git did not want the task to run. Also true without a marker. */
export function isUnmarked(armed: Armed): armed is undefined {
  return armed === undefined;
}

/** A number: git wanted the task to run, and nothing keeps it off. */
export function isArmedOrSettled(armed: Armed): armed is number {
  return typeof armed === 'number';
}

/** One of the forms that keep a task off. */
export function isOff(armed: Armed | Mark): armed is Off {
  return typeof armed === 'string' && Object.hasOwn(OFF_TEXTS, armed);
}

/** m = v: if the task is paused, a start by tradeform is pending. */
export function isPendingAt(armed: Armed, version: number): boolean {
  return armed === version;
}

/** m > v: a step of tradeform is announced but not done. On a running task the mark is out of date. */
export function isAheadOf(armed: Armed, version: number): armed is number {
  return isArmedOrSettled(armed) && armed > version;
}

/** m < v: no step of tradeform is still to come; any later stop was made by somebody else. */
export function isSettledAt(armed: Armed, version: number): boolean {
  return isArmedOrSettled(armed) && armed < version;
}

/** m ≥ v, the opposite of settled: a pause or a start by tradeform is still to come. */
export function isOpenAt(armed: Armed, version: number): boolean {
  return isArmedOrSettled(armed) && armed >= version;
}

/**
 * The form was written by the create or by the first patch after it, to remember a stop; nothing else was written to
 * the task.
 */
export function isMadeOff(armed: Armed, version: number): boolean {
  return isOff(armed) ? version === FIRST_VERSION : armed === SETTLED && version <= FIRST_VERSION + 1;
}

/**
 * The pending mark that a write on this version carries: the version that the task has when nothing but tradeform's own
 * next step has happened. A create makes version 1, a patch v+1, and the `mark` before a pause v+2.
 */
export function pendingMark(verb: string, version: number): number {
  return verb === 'create' ? FIRST_VERSION : versionAfter({ version }, verb === 'mark' ? 2 : 1);
}

/**
 * The worst version, for a task that must stay off, that its pause can create. A paused task has that version already.
 * The version may reach a mark that is ahead exactly, by the pause or by a person's edit.
 */
export function worstPausedVersion(
  armed: Armed,
  task: { readonly version: number; readonly is_active: boolean },
): number {
  const next = versionAfter(task, task.is_active ? 1 : 0);
  return isAheadOf(armed, next) ? armed : next;
}

/** True for the forms that the operator's switch writes. */
export function isSwitchForm(armed: Armed): armed is 'off' | 'kept-off' {
  return armed === 'off' || armed === 'kept-off';
}

/** What a mark of a plan stands for. `pending`: see {@link pendingMark}. */
export function armedAs(mark: Mark, pending: number): Armed {
  if (isOff(mark)) return mark;
  return mark === 'none' ? undefined : mark === 'pending' ? pending : SETTLED;
}

/** `text`: the match of {@link ARMED_PATTERN}, or undefined. */
export function parseArmed(text: string | undefined): Armed {
  if (text === undefined) return undefined;
  const offs = Object.keys(OFF_TEXTS) as Off[];
  return offs.find((off) => OFF_TEXTS[off] === text) ?? Number(text);
}

/**
 * The text with its `@`; empty without a mark. A pending mark of more than seven digits cannot be written; `@0` is the
 * safe choice: after a crash the task is held.
 */
export function formatArmed(armed: Armed): string {
  if (isUnmarked(armed)) return '';
  if (isOff(armed)) return `@${OFF_TEXTS[armed]}`;
  return `@${armed > MAX_NUMBER ? SETTLED : armed}`;
}

/** The mark with the fewest characters that starts nothing by itself: after a crash the task is held, or stays off. */
export function shortened(armed: Armed): Armed {
  return isArmedOrSettled(armed) ? SETTLED : armed;
}

/** True if both are stored as the same text. */
export function isSameArmed(one: Armed, other: Armed): boolean {
  return formatArmed(one) === formatArmed(other);
}
