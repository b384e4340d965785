import {
  type Armed,
  HELD_BY_APPLY,
  isOff,
  isPendingAt,
  isSameArmed,
  isSwitchedOff,
  isSwitchForm,
  isUnmarked,
  keptOff,
  type Off,
  switchedOff,
} from '../../model/armed.ts';

/**
 * The marks of a task that stays off, or that the switch releases (DESIGN 3, "The switch"). They are decided only here. `own`: the
 * pause of this run stopped the task, and nothing since contradicts that. m: a number. v: the version of the task.
 *
 * | marker     | `pause`, runs | `pause`, own | `pause`, ran | `pause`, was paused | `resume --all` | by name  | an apply keeps it paused |
 * |------------|---------------|--------------|--------------|---------------------|----------------|----------|--------------------------|
 * | none       | `@0!` ¹       | left ²       | left         | left                | left           | left ³   | -                        |
 * | m = v      | `@0!` ¹       | `@!`         | `@!`         | `@!`                | start          | start    | -                        |
 * | another m  | `@0!` ¹       | `@!`         | `@0!`        | `@0!`               | left           | `@v+1`   | `@0`, or `@-` ⁴          |
 * | `@!`       | left          | `@!` ⁵       | `@0!`        | `@!` ⁵              | `@v+1`         | `@v+1`   | `@!`                     |
 * | `@0!`      | left          | `@!`         | `@0!` ⁵      | `@0!` ⁵             | `@0`           | `@v+1`   | `@0!`                    |
 * | `@-`       | left          | `@!`         | left         | left                | left           | `@v+1`   | `@-`                     |
 *
 * 1: not if the pause may come first (m ≤ v, and an apply would hold the task). 2: `@!` if nothing could be written before the
 * pause. 3: resumed without a mark. 4: `@-` under `stopped_tasks: resume`, where `@0` would only delay the start until the next
 * run. 5: with its due time, see {@link joined}. On a running task, `@!` and `@0!` are outdated: `@0`.
 */
export const BEFORE_PAUSE: Off = keptOff();

interface Found {
  readonly armed: Armed;
  readonly version: number;
}

/** Who stopped a paused task, as far as a run of `pause` knows: see {@link BEFORE_PAUSE}. */
type Whose = 'own' | 'ran' | 'was-paused';

/**
 * The mark that `pause` writes on a paused task; undefined to leave the mark as it is. `due`: from `--for`, in minutes.
 */
export function markOfPaused(
  { armed, version }: Found,
  whose: Whose,
  due: number | undefined,
): Off | undefined {
  if (isUnmarked(armed)) return undefined;
  if (!isOff(armed)) {
    return whose === 'own' || isPendingAt(armed, version) ? switchedOff(due) : keptOff(due);
  }
  if (whose === 'own')
    return changed(armed, switchedOff(isSwitchedOff(armed) ? joined(armed.due, due) : due));
  if (!isSwitchForm(armed)) return undefined;
  if (isSwitchedOff(armed) && whose === 'ran') return keptOff(due);
  return changed(armed, { ...armed, due: joined(armed.due, due) });
}

function changed(before: Off, after: Off): Off | undefined {
  return isSameArmed(before, after) ? undefined : after;
}

/** A pause without `--for` removes a due time. Of two due times the later one counts, and no due time counts as the latest. */
function joined(before: number | undefined, now: number | undefined): number | undefined {
  return before === undefined || now === undefined ? undefined : Math.max(before, now);
}

/** The decision of `resume` about a task that nobody named. */
type LetGo =
  /** The switch stopped it, or its own start is pending. */
  | 'start'
  /** `@0`, and nothing is started: the result is as if the switch had not been used. */
  | 'mark-settled'
  | 'left';

/** `dueBy`: from `--due`, in minutes: only marks that are due. */
export function letGo({ armed, version }: Found, active: boolean, dueBy: number | undefined): LetGo {
  if (dueBy !== undefined && !(isOff(armed) && armed.due !== undefined && armed.due <= dueBy)) return 'left';
  if (active) return isSwitchForm(armed) ? 'mark-settled' : 'left';
  if (isSwitchedOff(armed) || isPendingAt(armed, version)) return 'start';
  return isSwitchForm(armed) ? 'mark-settled' : 'left';
}

/** The mark that an apply writes on a task that it leaves paused and held. */
export function heldMark(armed: Armed, resume: 'asked' | 'configured' | 'no'): 'settled' | Off {
  if (isOff(armed)) return armed;
  return resume === 'configured' ? HELD_BY_APPLY : 'settled';
}

/**
 * The form that the new task of a replacement inherits from the former task, which is paused and stays off; undefined
 * if it keeps its own. A pending start of the new task is not considered here.
 */
export function inherited(former: Armed, next: Armed): Off | undefined {
  const stopped = isSwitchedOff(next);
  if (!isOff(former)) return stopped ? keptOff(next.due) : undefined;
  const known = isSwitchedOff(former) ? stopped : isOff(next) && !stopped;
  return known ? undefined : former;
}
