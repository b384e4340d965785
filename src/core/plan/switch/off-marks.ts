import { type Armed, isOff, isPendingAt, isSwitchForm, isUnmarked, type Off } from '../../model/armed.ts';

/**
 * The marks of a task that stays off, or that the switch releases (DESIGN 3, "The switch"). They are decided only here. `own`: the
 * pause of this run stopped the task, and nothing since contradicts that. m: a number. v: the version of the task.
 *
 * | marker     | `pause`, runs | `pause`, own | `pause`, ran | `pause`, was paused | `resume --all` | by name  | an apply keeps it paused |
 * |------------|---------------|--------------|--------------|---------------------|----------------|----------|--------------------------|
 * | none       | `@0!` ¹       | left ²       | left         | left                | left           | left ³   | -                        |
 * | m = v      | `@0!` ¹       | `@!`         | `@!`         | `@!`                | start          | start    | -                        |
 * | another m  | `@0!` ¹       | `@!`         | `@0!`        | `@0!`               | left           | `@v+1`   | `@0`, or `@-` ⁴          |
 * | `@!`       | left          | left         | `@0!`        | left                | `@v+1`         | `@v+1`   | `@!`                     |
 * | `@0!`      | left          | `@!`         | left         | left                | `@0`           | `@v+1`   | `@0!`                    |
 * | `@-`       | left          | `@!`         | left         | left                | left           | `@v+1`   | `@-`                     |
 *
 * 1: not if the pause may come first (m ≤ v, and an apply would hold the task). 2: `@!` if nothing could be written before the
 * pause. 3: resumed without a mark. 4: `@-` under `stopped_tasks: resume`, where `@0` would only delay the start until the next
 * run. On a running task, `@!` and `@0!` are outdated: `@0`.
 */
export const BEFORE_PAUSE: Off = 'kept-off';

interface ArmedTask {
  readonly armed: Armed;
  readonly version: number;
}

/** Who stopped a paused task, as far as a run of `pause` knows: see {@link BEFORE_PAUSE}. */
type Whose = 'own' | 'ran' | 'was-paused';

/** The mark that `pause` writes on a paused task; undefined to leave the mark as it is. */
export function markOfPaused({ armed, version }: ArmedTask, whose: Whose): Off | undefined {
  if (isUnmarked(armed)) return undefined;
  if (!isOff(armed)) return whose === 'own' || isPendingAt(armed, version) ? 'off' : 'kept-off';
  if (whose === 'own') return armed === 'off' ? undefined : 'off';
  return armed === 'off' && whose === 'ran' ? 'kept-off' : undefined;
}

type LetGo =
  /** The switch stopped it, or its own start is pending. */
  | 'start'
  /** `@0`, and nothing is started: the result is as if the switch had not been used. */
  | 'mark-settled'
  | 'left';

export function letGo({ armed, version }: ArmedTask, active: boolean): LetGo {
  if (active) return isSwitchForm(armed) ? 'mark-settled' : 'left';
  if (armed === 'off' || isPendingAt(armed, version)) return 'start';
  return isSwitchForm(armed) ? 'mark-settled' : 'left';
}

/** The mark that an apply writes on a task that it leaves paused and held. */
export function heldMark(armed: Armed, resume: 'asked' | 'configured' | 'no'): 'settled' | Off {
  if (isOff(armed)) return armed;
  return resume === 'configured' ? 'held' : 'settled';
}

/**
 * The form that the new task of a replacement inherits from the former task, which is paused and stays off; undefined
 * if it keeps its own. A pending start of the new task is not considered here.
 */
export function inherited(former: Armed, next: Armed): Off | undefined {
  const stopped = next === 'off';
  if (!isOff(former)) return stopped ? 'kept-off' : undefined;
  const known = former === 'off' ? stopped : isOff(next) && !stopped;
  return known ? undefined : former;
}
