import type { Armed } from '../model/marker.ts';

/** What decides whether a task's switch moves: one row of the table in DESIGN 3. */
export interface SwitchInput {
  readonly state: 'active' | 'paused' | 'manual';
  readonly active: boolean;
  readonly version: number;
  /** From the marker of an owned task. */
  readonly armed: Armed;
  /** The manifest has a `rearm` value that the marker has not; one that was taken out asks for nothing. */
  readonly rearmed: boolean;
  /** The task has no marker of ours yet: adopting never starts anything. */
  readonly adopted: boolean;
  /** Live or desired: such a task may have stopped itself. */
  readonly buyOnce: boolean;
  /** `--resume-stopped` names this task, `stopped_tasks: resume` holds for it, or neither. */
  readonly resume: 'asked' | 'configured' | 'no';
}

export type SwitchPlan =
  /** Runs and goes on running; `settle`: its mark is out of date and becomes `@0`. */
  | { readonly type: 'run'; readonly settle: boolean }
  /** Paused, and a start is asked anew: patch with a pending mark, resume. */
  | {
      readonly type: 'start';
      readonly reason: 'start-asked' | 'rearmed' | 'resume-asked' | 'stopped-tasks-resume';
    }
  /** Paused with our own start still pending: resume. */
  | { readonly type: 'finish' }
  /** It ran and was stopped: it stays paused, and patches keep that memory. */
  | { readonly type: 'held'; readonly mark: 'settled' | 'off' }
  /** Runs, and git wants it paused. */
  | { readonly type: 'stop' }
  /** Paused as git wants it; `unmark`: a mark remains to be taken away. */
  | { readonly type: 'rest'; readonly unmark: boolean }
  /** `state: manual`: left as it is; `unmark` as above. */
  | { readonly type: 'free'; readonly unmark: boolean };

/**
 * The table of DESIGN 3, row by row:
 *
 * | desired | live   | marker                             | plan                                    |
 * |---------|--------|------------------------------------|-----------------------------------------|
 * | active  | active | m < v, no new rearm                | run                                     |
 * | active  | active | none, or m ≥ v, or a new rearm     | run, settle                             |
 * | active  | paused | none, or a new rearm               | start                                   |
 * | active  | paused | m = v                              | finish                                  |
 * | active  | paused | otherwise                          | held, unless a start is asked by option |
 * | paused  | active |                                    | stop                                    |
 * | paused  | paused | some                               | rest, unmark                            |
 * | manual  | paused | m = v                              | finish                                  |
 * | manual  | either |                                    | free                                    |
 */
export function decideSwitch(input: SwitchInput): SwitchPlan {
  const { state, active, version, armed, adopted } = input;
  const pending = !adopted && armed === version;
  if (state === 'manual') {
    return !active && pending ? { type: 'finish' } : { type: 'free', unmark: armed !== undefined };
  }
  if (state === 'paused') return active ? { type: 'stop' } : { type: 'rest', unmark: armed !== undefined };
  if (active) {
    const outdated = armed === undefined || (armed !== 'off' && armed >= version) || input.rearmed;
    return { type: 'run', settle: outdated };
  }
  return adopted ? held(input) : decideStart(input, pending);
}

function decideStart(input: SwitchInput, pending: boolean): SwitchPlan {
  const { armed, rearmed, buyOnce, resume } = input;
  if (armed === undefined) return { type: 'start', reason: 'start-asked' };
  if (rearmed) return { type: 'start', reason: 'rearmed' };
  if (pending) return { type: 'finish' };
  if (resume === 'asked') return { type: 'start', reason: 'resume-asked' };
  if (resume === 'configured' && !buyOnce && armed !== 'off')
    return { type: 'start', reason: 'stopped-tasks-resume' };
  return held(input);
}

/** Under `stopped_tasks: resume` a plain `@0` would only put the start off until the next run. */
function held({ armed, resume }: SwitchInput): SwitchPlan {
  return { type: 'held', mark: armed === 'off' || resume === 'configured' ? 'off' : 'settled' };
}

/** True where the task runs once the plan is carried out. */
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
