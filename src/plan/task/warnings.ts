import type { DesiredTask } from '../../desired/state.ts';
import type { PlanDiagnostic } from '../../model/generated/plan.ts';
import type { JsonObject } from '../../model/json.ts';
import type { LiveTask } from '../../model/resource.ts';
import type { TaskDifference } from './compare-task.ts';

/** Warnings about the side effects of a change in place. */
export function changeWarnings(
  desired: DesiredTask,
  task: LiveTask,
  difference: TaskDifference,
  pauses: boolean,
  configWritten: boolean,
): readonly PlanDiagnostic[] {
  const warnings: PlanDiagnostic[] = [];
  if (pauses && difference.legacy) warnings.push(oneWayPause(desired.address));
  if (configWritten && remembersBuys(task.config)) warnings.push(mayBuyAgain(desired.address));
  return warnings;
}

export function remembersBuys(config: JsonObject): boolean {
  return config.buy_token_once === true || config.first_buy_only === true;
}

export function oneWayPause(address: string): PlanDiagnostic {
  return {
    severity: 'warning',
    code: 'one-way-pause',
    address,
    message: `${address} runs with a legacy config that the service would not start again: once paused, it can only start with the config in git.`,
  };
}

export function mayBuyAgain(address: string): PlanDiagnostic {
  return {
    severity: 'warning',
    code: 'may-buy-again',
    address,
    message: `${address} may buy again what it has already bought: it is not documented whether buy_token_once and first_buy_only survive this change.`,
  };
}

/** A running task is deleted; `becomes` says why: its manifest was removed, or a new task takes its place. */
export function deleteRunning(address: string, becomes: 'deleted' | 'replaced'): PlanDiagnostic {
  const happens =
    becomes === 'deleted'
      ? 'will be deleted; what that does'
      : 'will be replaced: the present task is deleted, and what that does';
  return {
    severity: 'warning',
    code: 'delete-running',
    address,
    message: `${address} is running and ${happens} to open positions is not documented.`,
  };
}
