import { warning } from '../../diagnostics/diagnostic.ts';
import type { PlanDiagnostic } from '../../model/generated/plan.ts';
import type { JsonObject } from '../../model/json.ts';

export function remembersBuys(config: JsonObject): boolean {
  return config.buy_token_once === true || config.first_buy_only === true;
}

export function oneWayPause(address: string): PlanDiagnostic {
  const message = `${address} runs with a legacy config that the service would not start again: once paused, it can only start with the config in git.`;
  return warning('one-way-pause', message, undefined, { address });
}

/** A held task whose stored config the service would refuse. */
export function notStartable(address: string): PlanDiagnostic {
  const message = `${address} has a legacy config: the service would not start it, so \`tradeform resume\` cannot`;
  const hint = `\`tradeform apply --resume-stopped ${address}\` writes the config in git, and starts it.`;
  return warning('one-way-pause', message, hint, { address });
}

export function mayBuyAgain(address: string): PlanDiagnostic {
  const message = `${address} may buy again what it has already bought: it is not documented whether buy_token_once and first_buy_only survive this change.`;
  return warning('may-buy-again', message, undefined, { address });
}

/** A running task is deleted; `becomes` says why: its manifest was removed, or a new task takes its place. */
export function deleteRunning(address: string, becomes: 'deleted' | 'replaced'): PlanDiagnostic {
  const happens =
    becomes === 'deleted'
      ? 'will be deleted; what that does'
      : 'will be replaced: the present task is deleted, and what that does';
  const message = `${address} is running and ${happens} to open positions is not documented.`;
  return warning('delete-running', message, undefined, { address });
}
