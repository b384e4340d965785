import type { DesiredTask } from '../../desired/state.ts';
import type { JsonObject } from '../../model/json.ts';
import type { TaskKind } from '../../model/kind.ts';
import type { LiveTask } from '../../model/resource.ts';
import { type Mark, remarkSymbol, type StepChain } from '../draft.ts';
import type { SwitchPlan } from '../switch/decide-switch.ts';
import { labelValue, type TaskDifference, type Wanted } from './compare-task.ts';
import { isBuyOnce, type TaskContext } from './task-context.ts';

interface StepInput {
  readonly plan: SwitchPlan;
  readonly desired: DesiredTask;
  readonly task: LiveTask;
  readonly difference: TaskDifference;
  readonly touched: boolean;
  readonly chain: StepChain;
  readonly context: TaskContext;
  readonly body: (mark: Mark, withConfig: boolean) => JsonObject;
  readonly remarks: RemarkWriter;
  /** The service's schema takes the desired config. */
  readonly writable: () => boolean;
}

/** Adds the steps of DESIGN 3; true where a running task is paused and started again. */
export function addSteps(input: StepInput): boolean {
  const { plan, task, difference, touched, chain, context, body } = input;
  // What is started has to have a config of today; what stays paused keeps its legacy one, unless the service wants another.
  const renew = () => difference.legacy;
  const patchPaused = (mark: Mark) => {
    const renewed =
      !difference.config && difference.legacy && input.writable() ? body(mark, true) : undefined;
    chain.patch(task, body(mark, false), renewed);
  };
  switch (plan.type) {
    case 'run':
      if (difference.config || difference.linked) return bounce(input, 'running');
      if (touched || plan.settle) chain.patch(task, body('settled', false));
      return false;
    case 'start':
      chain.patch(task, body('pending', renew()));
      chain.resume(task);
      return false;
    case 'finish': {
      if (touched || renew()) chain.patch(task, body('pending', renew()));
      chain.resume(task);
      if (input.desired.state === 'manual') chain.patch(task, { remark: input.remarks.symbol('none') });
      return false;
    }
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
      if (task.is_active && (difference.config || difference.linked)) return bounce(input, 'manual');
      if (!touched && !plan.unmark) return false;
      if (task.is_active) chain.patch(task, body(plan.mark, false));
      else patchPaused(plan.mark);
      return false;
  }
}

/** Mark, pause, patch, resume; with a live `buy_once` read, pause, patch, resume. */
function bounce({ task, chain, context, body, remarks }: StepInput, mode: 'running' | 'manual'): true {
  const buyOnce = isBuyOnce(task.config);
  if (!buyOnce) chain.mark(task, remarks.symbol('pending'));
  chain.pause(task, context.settle.update, buyOnce);
  chain.patch(task, body('pending', true));
  chain.resume(task);
  if (mode === 'manual') chain.patch(task, { remark: remarks.symbol('none') });
  return true;
}

/** Writes the remark of one desired task with whatever mark a step needs. */
export class RemarkWriter {
  private readonly note: string;
  private readonly rearm: string | undefined;

  constructor(desired: DesiredTask, wanted: Wanted) {
    this.note = wanted.note;
    this.rearm = desired.rearm;
  }

  symbol(mark: Mark, replaces: string | null = null): JsonObject {
    return remarkSymbol(this.note, mark, this.rearm, replaces);
  }
}

/** Always the remark; label, linked wallets and the complete config only where they differ or must be renewed. */
export function patchBody(
  kind: TaskKind,
  wanted: Wanted,
  difference: TaskDifference,
  remark: JsonObject,
  withConfig: boolean,
): JsonObject {
  return {
    remark,
    ...(difference.label ? { risk_label_id: labelValue(wanted.label) } : {}),
    ...(difference.linked && kind.linkedWallets ? { linked_wallets: [...(wanted.linked ?? [])] } : {}),
    ...(difference.config || (withConfig && difference.legacy) ? { config: wanted.config } : {}),
  };
}
