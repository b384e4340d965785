import type { Guardrail, RiseLimit } from '../../desired/guardrails/settings.ts';
import { addDecimals, compareDecimals, growsBeyond, signedDifference } from '../../model/decimal.ts';
import { SECRET } from '../../model/secret.ts';
import { fieldFinding, type GuardrailFinding, type JudgedState } from './judged.ts';

/**
 * `max_exposure`: all running tasks together, including those with secret amounts. A plan that does not raise the sum
 * is never refused.
 */
export function maxExposure(
  { stakes, what }: JudgedState,
  { limit, location }: Guardrail<string>,
): readonly GuardrailFinding[] {
  const { before, after } = sumsOf(stakes);
  if (compareDecimals(after, limit) <= 0) return [];
  const secret = stakes.some((stake) => stake.secret);
  const sums = secret ? 'an amount that is partly secret' : `${after} SOL (now ${before})`;
  return [
    {
      message: `The ${what} puts ${sums} at stake per trigger, but max_exposure allows ${limit} SOL.`,
      hint: 'Lower amounts, or pause tasks.',
      location,
      worse: compareDecimals(after, before) > 0,
    },
  ];
}

/**
 * `max_exposure_rise`: how much one plan raises the sum, without tasks that resume after the operator's switch. A
 * percentage has no effect while nothing is at stake: a first plan would never pass.
 */
export function maxExposureRise(
  { stakes, what }: JudgedState,
  { limit, location }: Guardrail<RiseLimit>,
): readonly GuardrailFinding[] {
  const { before, after } = sumsOf(
    stakes.map((stake) => (stake.returns === true ? { ...stake, before: stake.after } : stake)),
  );
  const rise = signedDifference(before, after).replace('+', '');
  const over =
    'sol' in limit
      ? compareDecimals(rise, limit.sol) > 0
      : growsBeyond(before, after, addDecimals(['1', percentOf(limit.percent)]));
  if (!over) return [];
  const secret = stakes.some((stake) => stake.secret);
  const more = secret ? 'an amount that is partly secret' : `${rise} SOL (from ${before} to ${after})`;
  const allows = 'sol' in limit ? `${limit.sol} SOL` : `${limit.percent}%`;
  return [
    {
      message: `The ${what} raises the stake per trigger by ${more}, but max_exposure_rise allows ${allows}.`,
      hint: 'Split the plan with --target, or lower amounts.',
      location,
      worse: true,
    },
  ];
}

/** 20 → `0.20`. */
function percentOf(percent: number): string {
  const digits = String(percent).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function sumsOf(stakes: JudgedState['stakes']) {
  return {
    before: addDecimals(stakes.map((stake) => stake.before)),
    after: addDecimals(stakes.map((stake) => stake.after)),
  };
}

/** `max_task_exposure`: each running task by itself. */
export function maxTaskExposure(
  { resources, stakes }: JudgedState,
  { limit }: Guardrail<string>,
): readonly GuardrailFinding[] {
  const byAddress = new Map(stakes.map((stake) => [stake.address, stake]));
  return resources.flatMap((resource) => {
    const { address } = resource.after;
    const stake = byAddress.get(address);
    if (stake === undefined || compareDecimals(stake.after, limit) <= 0) return [];
    const message = `${address}: ${stake.secret ? SECRET : stake.after} SOL at stake per trigger, but max_task_exposure allows ${limit} SOL.`;
    const worse = compareDecimals(stake.after, stake.before) > 0;
    return [fieldFinding(resource, 'config', { message, hint: 'Lower its amounts.' }, worse)];
  });
}
