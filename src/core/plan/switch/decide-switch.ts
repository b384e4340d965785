import { type Armed, isOff, isPendingAt, isSettledAt, isUnmarked, type Off } from '../../model/armed.ts';
import { heldMark } from './off-marks.ts';

/** The input for the decision about a task's switch: one row of the table in DESIGN 3. */
export interface SwitchInput {
  readonly state: 'active' | 'paused' | 'manual';
  readonly active: boolean;
  readonly version: number;
  /** From the marker of an owned task. */
  readonly armed: Armed;
  /** True if the manifest has a `rearm` value that differs from the marker's; a removed value requests nothing. */
  readonly rearmed: boolean;
  /** True if the task has no marker of this project yet: adopting never starts anything. */
  readonly adopted: boolean;
  /** `buy_once` in the live or desired config: the task may have stopped itself. */
  readonly buyOnce: boolean;
  /** `--resume-stopped` names this task, `stopped_tasks: resume` holds for it, or neither. */
  readonly resume: 'asked' | 'configured' | 'no';
}

export type SwitchPlan =
  /** It runs and keeps running. `markSettled`: its mark is outdated and becomes `@0`. */
  | { readonly type: 'run'; readonly markSettled: boolean }
  /** It is paused, and a start is requested again: patch with a pending mark, resume. */
  | {
      readonly type: 'start';
      readonly reason: 'start-asked' | 'rearmed' | 'resume-asked' | 'stopped-tasks-resume';
    }
  /** It is paused, and tradeform's own start is still pending: resume. */
  | { readonly type: 'finish' }
  /** It ran and was stopped: it stays paused, and patches keep that memory. */
  | { readonly type: 'held'; readonly mark: 'settled' | Off }
  /** Runs, and git wants it paused. */
  | { readonly type: 'stop' }
  /** It is paused, as git wants. `unmark`: a mark is left to be removed. */
  | { readonly type: 'rest'; readonly unmark: boolean }
  /** `state: manual`: left unchanged. `unmark` as above. `mark`: what a patch writes for a task that stays off. */
  | { readonly type: 'free'; readonly unmark: boolean; readonly mark: 'none' | Off };

/**
 * The table of DESIGN 3, with the rows of tasks that were switched off or are adopted. `m` is the version that the mark of
 * the marker names, `v` the live one; "none" is a marker without a mark:
 *
 * | desired | live   | mark                               | plan                                    |
 * |---------|--------|------------------------------------|-----------------------------------------|
 * | active  | active | m < v, no new rearm                | run                                     |
 * | active  | active | none, m ≥ v, a form, a new rearm   | run, mark settled                       |
 * | active  | paused | any, and the task is adopted       | held: adopting starts nothing           |
 * | active  | paused | none, or a new rearm               | start                                   |
 * | active  | paused | m = v                              | finish                                  |
 * | active  | paused | a form                             | held, unless --resume-stopped names it  |
 * | active  | paused | otherwise                          | held, unless an option asks for a start |
 * | paused  | active |                                    | stop                                    |
 * | paused  | paused | some                               | rest, unmark                            |
 * | manual  | paused | m = v                              | finish                                  |
 * | manual  | paused | a form                             | free, and keeps it                      |
 * | manual  | either |                                    | free                                    |
 *
 * A form is `@!`, `@0!` or `@-`.
 */
export function decideSwitch(input: SwitchInput): SwitchPlan {
  const { state, active, version, armed, adopted } = input;
  const pending = !adopted && isPendingAt(armed, version);
  if (state === 'manual') {
    if (!active && pending) return { type: 'finish' };
    const mark = !active && isOff(armed) ? armed : 'none';
    return { type: 'free', unmark: !isUnmarked(armed) && mark === 'none', mark };
  }
  if (state === 'paused') return active ? { type: 'stop' } : { type: 'rest', unmark: !isUnmarked(armed) };
  if (active) {
    return { type: 'run', markSettled: !isSettledAt(armed, version) || input.rearmed };
  }
  return adopted ? held(input) : decideStart(input, pending);
}

function decideStart(input: SwitchInput, pending: boolean): SwitchPlan {
  const { armed, rearmed, buyOnce, resume } = input;
  if (isUnmarked(armed)) return { type: 'start', reason: 'start-asked' };
  if (rearmed) return { type: 'start', reason: 'rearmed' };
  if (pending) return { type: 'finish' };
  if (resume === 'asked') return { type: 'start', reason: 'resume-asked' };
  if (resume === 'configured' && !buyOnce && !isOff(armed))
    return { type: 'start', reason: 'stopped-tasks-resume' };
  return held(input);
}

function held({ armed, resume }: SwitchInput): SwitchPlan {
  return { type: 'held', mark: heldMark(armed, resume) };
}

/** The mark for a task that should not run: for the task itself, or for the one that replaces it. */
export function offMark(plan: SwitchPlan): 'settled' | 'none' | Off {
  return plan.type === 'held' || plan.type === 'free' ? plan.mark : 'none';
}

export function runsAfter(plan: SwitchPlan, active: boolean): boolean {
  switch (plan.type) {
    case 'run':
    case 'start':
    case 'finish':
      return true;
    case 'held':
    case 'stop':
    case 'rest':
      return false;
    case 'free':
      return active;
  }
}
