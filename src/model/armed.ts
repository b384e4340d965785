/**
 * The forms under which a paused task stays off, whatever `stopped_tasks` says (DESIGN 3, "The switch"):
 * `!`: the operator's switch stopped it. `0!`: it stays off while the switch is on, and the switch did not stop it.
 * `-`: an apply holds it; the switch has nothing to do with it.
 */
export type OffForm = '!' | '0!' | '-';

export interface Off {
  readonly form: OffForm;
  /** The time from which `tradeform resume --due` starts the task, in minutes since the epoch; never on `-`. */
  readonly due?: number | undefined;
}

/**
 * The armed version of a marker (DESIGN 3): a number is `@m`; undefined means no `@`: git did not want the task to run.
 */
export type Armed = number | Off | undefined;

/**
 * The text behind the `@`: a number, or a form with `!` and an optional due time in five base-36 characters, or `-`.
 */
export const ARMED_PATTERN = '0|[1-9][0-9]{0,6}|0?!(?:[0-9a-z]{5})?|-';

const MAX_NUMBER = 9_999_999;
const DUE_LENGTH = 5;
/** The latest due time that five characters can hold: in the year 2084. */
export const MAX_DUE = 36 ** DUE_LENGTH - 1;

export function isOff(armed: Armed): armed is Off {
  return typeof armed === 'object';
}

/** `@!`: the operator's switch stopped it. */
export function isSwitchedOff(armed: Armed): armed is Off {
  return isOff(armed) && armed.form === '!';
}

/** m = v: if the task is paused, a start by tradeform is pending. */
export function isPendingAt(armed: Armed, version: number): boolean {
  return armed === version;
}

/** m > v: a step of tradeform is announced but not done. On a running task the mark is out of date. */
export function isAheadOf(armed: Armed, version: number): armed is number {
  return typeof armed === 'number' && armed > version;
}

/** m < v: no step of tradeform is still to come; any later stop was made by somebody else. */
export function isSettledAt(armed: Armed, version: number): boolean {
  return typeof armed === 'number' && armed < version;
}

/** m ≥ v, the opposite of settled: a pause or a start by tradeform is still to come. */
export function isOpenAt(armed: Armed, version: number): boolean {
  return typeof armed === 'number' && armed >= version;
}

/**
 * The form was written by the create or by the first patch after it, to remember a stop; nothing else was written to
 * the task.
 */
export function isMadeOff(armed: Armed, version: number): boolean {
  return isOff(armed) ? version === 1 : armed === 0 && version <= 2;
}

/**
 * The pending mark that a write on this version carries: the version that the task has when nothing but tradeform's own
 * next step has happened. A create makes version 1, a patch v+1, and the `mark` before a pause v+2.
 */
export function pendingMark(verb: string, version: number): number {
  return verb === 'create' ? 1 : verb === 'mark' ? version + 2 : version + 1;
}

/** True for the forms that the operator's switch writes. */
export function isSwitchForm(armed: Armed): armed is Off {
  return isOff(armed) && armed.form !== '-';
}

/** `text`: the match of {@link ARMED_PATTERN}, or undefined. */
export function parseArmed(text: string | undefined): Armed {
  if (text === undefined) return undefined;
  if (text === '-') return { form: '-' };
  const end = text.indexOf('!') + 1;
  if (end === 0) return Number(text);
  const form = text.startsWith('0') ? '0!' : '!';
  return text.length === end ? { form } : { form, due: Number.parseInt(text.slice(end), 36) };
}

/**
 * The text with its `@`; empty without a mark. A pending mark of more than seven digits cannot be written; `@0` is the
 * safe choice: after a crash the task is held.
 */
export function formatArmed(armed: Armed): string {
  if (armed === undefined) return '';
  if (typeof armed === 'number') return `@${armed > MAX_NUMBER ? 0 : armed}`;
  const { form, due } = armed;
  return `@${form}${due === undefined || form === '-' ? '' : due.toString(36).padStart(DUE_LENGTH, '0')}`;
}

/** The due time as documents show it (ISO 8601, UTC); null without a due time. */
export function dueTime(armed: Armed): string | null {
  return isOff(armed) && armed.due !== undefined ? new Date(armed.due * 60_000).toISOString() : null;
}
