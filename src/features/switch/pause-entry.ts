import type { Failure } from '../../apply/outcome.ts';
import { isUnmarked, type Off } from '../../model/armed.ts';
import { ownMarkerOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { type KnownTask, knownTask } from '../../plan/identity/known-task.ts';
import {
  nextOffStep,
  type OffMemory,
  type OffPolicy,
  seen,
  staysOff,
} from '../../plan/switch/pause-steps.ts';

/** A chosen task and its result. */
export interface PausedTask {
  readonly known: KnownTask;
  readonly status: 'paused' | 'off' | 'running' | 'unknown' | 'gone';
  /** A later apply leaves it off. null if this command cannot know: the task is not owned, or git paused it. */
  readonly held: boolean | null;
  /** The last mark that this run wrote. */
  readonly wrote: Off | undefined;
  /** The mark that a paused task still lacks: it could not be written, or nothing was to be sent. */
  readonly missing: Off | undefined;
  readonly failure: Failure | undefined;
  /** Somebody started it again after its pause, and no later reading has shown it off. */
  readonly restarted: boolean;
  readonly requestIds: readonly string[];
}

/** The present knowledge about a task that is to be off. */
export interface PauseEntry {
  known: KnownTask;
  memory: OffMemory;
  wrote: Off | undefined;
  failure: Failure | undefined;
  /** An answer was lost, and the task could not be read since. */
  uncertain: boolean;
  gone: boolean;
  refused: number;
  /** It was found running after its pause, and no later reading has shown it off. */
  restarted: boolean;
  readonly requestIds: string[];
}

export function newEntry(known: KnownTask): PauseEntry {
  return {
    known,
    memory: { ran: known.task.is_active, refused: { running: false, paused: false } },
    wrote: undefined,
    failure: undefined,
    uncertain: false,
    gone: false,
    refused: 0,
    restarted: false,
    requestIds: [],
  };
}

/** Records a reading. A page may be older than an answer that this run received. */
export function seeAgain(entry: PauseEntry, task: LiveTask, policy: OffPolicy): void {
  if (task.version < entry.known.task.version) return;
  entry.restarted = task.is_active && entry.memory.ran && !entry.known.task.is_active;
  entry.known = knownAs(entry.known, task, policy);
  entry.memory = seen(entry.memory, task, policy);
  entry.uncertain = false;
  entry.gone = false;
}

/** The current task under the name by which it was chosen. */
export function knownAs(before: KnownTask, task: LiveTask, policy: OffPolicy): KnownTask {
  const { address, owner, marker } = before;
  return { ...knownTask(task, policy), address, owner, marker };
}

export function toldOf(entry: PauseEntry, policy: OffPolicy): PausedTask {
  const { known, memory, wrote, failure, restarted, requestIds } = entry;
  const held = heldOf(known.task, memory, policy);
  const missing = entry.gone ? undefined : missingMark(known.task, memory, policy);
  return { known, status: statusOf(entry), held, wrote, missing, failure, restarted, requestIds };
}

function missingMark(task: LiveTask, memory: OffMemory, policy: OffPolicy): Off | undefined {
  if (task.is_active) return undefined;
  const step = nextOffStep(task, policy, { ...memory, refused: { ...memory.refused, paused: false } });
  return step.type === 'mark' ? step.armed : undefined;
}

function statusOf({ known, memory, uncertain, gone, restarted }: PauseEntry): PausedTask['status'] {
  if (gone) return 'gone';
  if (known.task.is_active) return uncertain ? 'unknown' : 'running';
  if (restarted) return 'unknown';
  return memory.ran ? 'paused' : 'off';
}

function heldOf(task: LiveTask, memory: OffMemory, policy: OffPolicy): boolean | null {
  const marker = ownMarkerOf(task, policy);
  if (marker === undefined || task.is_active) return null;
  if (isUnmarked(marker.armed) && !memory.ran) return null;
  return staysOff(task, marker.armed, policy);
}

/** The end of its progress line. */
export function endingOf({ known, failure, uncertain, gone }: PauseEntry) {
  if (gone) return { status: 'done', text: 'deleted in the meantime' } as const;
  if (!known.task.is_active) return { status: 'done', text: 'paused' } as const;
  return { status: uncertain ? 'unknown' : 'failed', text: failure?.text ?? '' } as const;
}
