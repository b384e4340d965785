import type { DesiredTask } from '../../desired/state.ts';
import type { Mark } from '../../model/armed.ts';
import type { JsonObject } from '../../model/json.ts';
import { kindOf, type TaskKind } from '../../model/kind.ts';
import { liveNoteRoom, remarkOf, type Version } from '../../model/marker.ts';
import { pick } from '../../model/parts.ts';
import { isBuyOnce, type LiveTask } from '../../model/resource.ts';
import { passesWriteSchema } from '../../model/write-schema.ts';
import { remarkSymbol, StepChain } from '../draft.ts';
import type { SwitchPlan } from '../switch/decide-switch.ts';
import { compareTask, labelValue, type TaskDifference, type Wanted, wantedOf } from './compare-task.ts';
import { type MarkedTask, switchOf, type TaskContext, writtenVersion } from './task-context.ts';

export interface ComparedTask extends MarkedTask {
  readonly desired: DesiredTask;
  readonly context: TaskContext;
  readonly kind: TaskKind;
  readonly plan: SwitchPlan;
  readonly wanted: Wanted;
  readonly difference: TaskDifference;
  /** The version that is written with the values. */
  readonly version: Version | undefined;
  readonly chain: StepChain;
}

/** `wanted`: without the values that `lifecycle.ignore_changes` keeps, if another task replaces the live one. */
export function comparedTask(
  desired: DesiredTask,
  subject: MarkedTask,
  context: TaskContext,
  wanted = wantedOf(desired, subject.task, context.labels),
): ComparedTask {
  const { task, marker } = subject;
  const kind = kindOf(desired.collection);
  const plan = switchOf(desired, subject, context);
  const difference = compareTask(kind, desired, wanted, task, context.labels);
  const version = writtenVersion(desired, marker, context, difference.fields.length > 0);
  const chain = new StepChain(desired.address);
  return { ...subject, desired, context, kind, plan, wanted, difference, version, chain };
}

/** Adds the steps of DESIGN 3; true if a running task is paused and started again. */
export function addSteps(compared: ComparedTask, touched: boolean): boolean {
  const { plan, task, kind, wanted, difference, chain, context } = compared;
  // A task that stays paused keeps its legacy config, unless the service requires another.
  const patchPaused = (mark: Mark) => {
    const renews = !difference.config && difference.legacy && passesWriteSchema(kind.config, wanted.config);
    chain.patch(task, patchBody(compared, mark, false), renews ? patchBody(compared, mark, true) : undefined);
  };
  switch (plan.type) {
    case 'run':
      if (difference.trades) return bounce(compared);
      if (touched || plan.markSettled) chain.patch(task, patchBody(compared, 'settled', false));
      return false;
    case 'start':
      // A task that starts needs a valid config.
      chain.patch(task, patchBody(compared, 'pending', true));
      start(compared, task);
      return false;
    case 'finish':
      if (touched || difference.legacy) chain.patch(task, patchBody(compared, 'pending', true));
      start(compared, task);
      return false;
    case 'held':
      if (touched) patchPaused(plan.mark);
      return false;
    case 'stop':
      chain.pause(task, context.settle.update);
      patchPaused('none');
      return false;
    case 'rest':
      if (touched || plan.unmark) patchPaused('none');
      return false;
    case 'free':
      if (task.is_active && difference.trades) return bounce(compared);
      if (!touched && !plan.unmark) return false;
      if (task.is_active) chain.patch(task, patchBody(compared, plan.mark, false));
      else patchPaused(plan.mark);
      return false;
  }
}

/** Starts a task. One whose switch is not managed loses its mark again. */
export function start(compared: ComparedTask, on: LiveTask | 'created'): void {
  const { chain, desired } = compared;
  chain.resume(on);
  if (desired.state === 'manual') chain.patch(on, { remark: remarkFor(compared, 'none') });
}

/** Mark, pause, patch, start; with a live `buy_once` read, pause, patch, start. */
function bounce(compared: ComparedTask): true {
  const { task, marker, chain, context } = compared;
  // What is adopted gets the version with its marker.
  const version = marker === undefined ? compared.version : marker.version;
  markAndPause({ ...compared, version }, task, context.settle.update);
  chain.patch(task, patchBody(compared, 'pending', true));
  start(compared, task);
  return true;
}

/**
 * Pauses a running task in such a way that the next run starts it again after a crash; with `buy_once` it may have
 * stopped itself by then. The mark keeps the note if it leaves room for one, and `version` is that of the task before the change:
 * the values and their version are written by one request (DESIGN 3, "The version", rule 1).
 */
export function markAndPause(
  { chain, desired, context, version }: Pick<ComparedTask, 'chain' | 'desired' | 'context' | 'version'>,
  task: LiveTask,
  settleMs: number,
): void {
  const buyOnce = isBuyOnce(task.config);
  const { rearm } = desired;
  const { note } = remarkOf(task);
  const kept = note.length > liveNoteRoom(context.project, desired, task) ? desired.note : note;
  if (!buyOnce) chain.mark(task, remarkSymbol(kept, 'pending', { version, rearm }, null));
  chain.pause(task, settleMs, buyOnce);
}

/** The remark of a desired task with a mark; `replaces`: the id of the task that it replaces. */
export function remarkFor(
  { desired, wanted, version }: Pick<ComparedTask, 'desired' | 'wanted' | 'version'>,
  mark: Mark,
  replaces: string | null = null,
): JsonObject {
  return remarkSymbol(wanted.note, mark, { version, rearm: desired.rearm }, replaces);
}

/**
 * The body of a patch: always the remark; label, parts and the complete config only if they differ or must be renewed.
 */
export function patchBody(
  compared: ComparedTask,
  mark: Mark,
  withConfig: boolean,
  replaces: string | null = null,
): JsonObject {
  const { wanted, difference } = compared;
  return {
    remark: remarkFor(compared, mark, replaces),
    ...(difference.label ? { risk_label_id: labelValue(wanted.label) } : {}),
    ...pick(wanted.parts, difference.parts),
    ...(difference.config || (withConfig && difference.legacy) ? { config: wanted.config } : {}),
  };
}
