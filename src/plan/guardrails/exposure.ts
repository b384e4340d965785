import type { Guardrail } from '../../desired/guardrails/settings.ts';
import { addDecimals, compareDecimals } from '../../model/decimal.ts';
import { SECRET } from '../../model/secret.ts';
import { type Finding, fieldFinding, type Scene } from './scene.ts';

/** All running tasks together, those with secret amounts included. What lowers the sum, or leaves it, is never refused. */
export function maxExposure(
  { stakes, what }: Scene,
  { limit, location }: Guardrail<string>,
): readonly Finding[] {
  const before = addDecimals(stakes.map((stake) => stake.before));
  const after = addDecimals(stakes.map((stake) => stake.after));
  if (compareDecimals(after, limit) <= 0) return [];
  const secret = stakes.some((stake) => stake.secret);
  const sums = secret ? 'more, which is secret in part,' : `${after} SOL (now ${before})`;
  return [
    {
      message: `The ${what} puts ${sums} at stake per trigger, and max_exposure allows ${limit} SOL.`,
      hint: 'Lower amounts, or pause tasks.',
      location,
      worse: compareDecimals(after, before) > 0,
    },
  ];
}

/** Each task that runs afterwards, by itself. */
export function maxTaskExposure(
  { resources, stakes }: Scene,
  { limit }: Guardrail<string>,
): readonly Finding[] {
  const byAddress = new Map(stakes.map((stake) => [stake.address, stake]));
  return resources.flatMap((resource) => {
    const { address } = resource.after;
    const stake = byAddress.get(address);
    if (stake === undefined || compareDecimals(stake.after, limit) <= 0) return [];
    const message = `${address}: ${stake.secret ? SECRET : stake.after} SOL at stake per trigger, and max_task_exposure allows ${limit} SOL.`;
    const worse = compareDecimals(stake.after, stake.before) > 0;
    return [fieldFinding(resource, 'config', { message, hint: 'Lower its amounts.' }, worse)];
  });
}
