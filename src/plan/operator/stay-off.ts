import { type Armed, isOwnMarker, type Marker, type ProjectNames, parseRemark } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { isBuyOnce } from '../subject.ts';
import { decideSwitch } from '../switch.ts';

/** What `tradeform pause` knows of the project whose tasks it stops; it works without manifests. */
export interface OffPolicy extends ProjectNames {
  /** `stopped_tasks`; undefined where the project file is not at hand: then the worse is assumed. */
  readonly stoppedTasks: 'hold' | 'resume' | undefined;
}

/** What has happened to a task in this run. */
export interface OffMemory {
  /** This run found it running. */
  readonly ran: boolean;
  /** The service refused to have `@!` written while it ran, while it was paused. */
  readonly refused: { readonly running: boolean; readonly paused: boolean };
}

/** What of a task these decisions rest on. */
export type Switchable = Pick<LiveTask, 'remark' | 'is_active' | 'version' | 'config'>;

export type OffStep = 'mark' | 'pause' | 'none';

/** The marker of a task of the project; undefined for everybody else's. */
export function ownMarker({ remark }: Pick<Switchable, 'remark'>, project: ProjectNames): Marker | undefined {
  const parsed = parseRemark(remark);
  return parsed.type === 'marked' && isOwnMarker(parsed.marker, project) ? parsed.marker : undefined;
}

/**
 * True where the next apply holds a paused task of the project that the manifests want active, whatever version its pause
 * makes: the table of DESIGN 3 is asked, at the version that is worst. `active`: the pause is still to come.
 */
export function staysOff(task: Switchable, armed: Armed, { stoppedTasks }: OffPolicy): boolean {
  const next = task.is_active ? task.version + 1 : task.version;
  // A mark that is ahead may be met exactly: by the pause, or by a person's edit.
  const version = typeof armed === 'number' && armed > next ? armed : next;
  const plan = decideSwitch({
    state: 'active',
    active: false,
    version,
    armed,
    rearmed: false,
    adopted: false,
    buyOnce: isBuyOnce(task.config),
    resume: stoppedTasks === 'hold' ? 'no' : 'configured',
  });
  return plan.type === 'held';
}

/**
 * What comes next until a task is off and stays off (DESIGN 3, "`tradeform pause` writes `@!`"):
 *
 * | live   | what an apply would do once it is paused | next                                     |
 * |--------|------------------------------------------|------------------------------------------|
 * | active | hold it                                  | pause                                    |
 * | active | start it: no mark, or one that is ahead, | mark: a crash right after the pause must |
 * |        | or `stopped_tasks: resume`               | not look like a start that was asked for |
 * | paused | stopped by this run                      | mark, so that it is known who did        |
 * | paused | start it: a pending start                | mark                                     |
 * | paused | no mark: git had it paused               | nothing                                  |
 * | paused | hold it, stopped before                  | nothing: who stopped it is remembered    |
 *
 * A mark that the service refuses holds no pause up.
 */
export function nextOffStep(task: Switchable, policy: OffPolicy, memory: OffMemory): OffStep {
  const marker = ownMarker(task, policy);
  const rest = task.is_active ? 'pause' : 'none';
  if (marker === undefined || marker.armed === 'off') return rest;
  if (task.is_active) {
    return staysOff(task, marker.armed, policy) || memory.refused.running ? rest : 'mark';
  }
  if (memory.refused.paused) return rest;
  if (memory.ran) return 'mark';
  return marker.armed !== undefined && !staysOff(task, marker.armed, policy) ? 'mark' : 'none';
}
