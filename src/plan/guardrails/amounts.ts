import type { Guardrail } from '../../desired/guardrails/settings.ts';
import { compareDecimals, growsBeyond } from '../../model/decimal.ts';
import { formerSpots, isAnyAbove, type Role, type Spot, spotsOf } from './config-amounts.ts';
import { fieldFinding, type GuardrailFinding, type JudgedState, shownValue } from './judged.ts';

const UNITS: Readonly<Record<Role, string>> = {
  buy_amount: 'SOL',
  tip: 'SOL',
  priority_fee: 'SOL',
  slippage: 'percent',
};

/** A guardrail on one role of amounts: `max_slippage` and so on. */
export function maxAmount(role: Role) {
  return ({ resources }: JudgedState, { limit }: Guardrail<string>): readonly GuardrailFinding[] =>
    resources.flatMap((resource) => {
      const { after, definition } = resource;
      if (!isAnyAbove(definition, after.config, role, limit)) return [];
      const { before } = resource;
      const spots = spotsOf(definition, after.config);
      const over = spots.filter((spot) => spot.role === role && compareDecimals(spot.value, limit) > 0);
      const former = formerSpots(before === undefined ? [] : spotsOf(definition, before.config), spots);
      return over.map((spot) => {
        const { path, value } = spot;
        const was = former(spot);
        const worse =
          was === undefined || (spot.awake && !was.awake) || compareDecimals(value, was.value) > 0;
        const message = `${after.address}: ${path} is ${shownValue(resource, path, value)}, but max_${role} allows ${limit} ${UNITS[role]}.`;
        return fieldFinding(resource, path, { message, hint: 'Lower the value.' }, worse);
      });
    });
}

/**
 * `max_factor` for amounts of every role that a plan changes: "10" for "0.10" is below every limit. An amount is
 * compared with the live config; in a replacement, with the config of the replaced task. Amounts that are off count
 * too, because a later start would spend them. An amount that was 0 or absent has no factor: the other limits apply.
 */
export function maxFactor(
  { resources }: JudgedState,
  { limit }: Guardrail<string>,
): readonly GuardrailFinding[] {
  return resources.flatMap((resource) => {
    const { after, definition, written } = resource;
    const before = written ? resource.before : undefined;
    if (before === undefined) return [];
    const spots = spotsOf(definition, after.config);
    const live = spotsOf(definition, before.config);
    const former = formerSpots(live, spots);
    const largest = largestBuy(live);
    return spots.flatMap((spot) => {
      const same = former(spot);
      // The other mode, or another tier: an amount that begins to buy is compared with the largest one that bought
      // before.
      const begins = spot.role === 'buy_amount' && spot.awake && same?.awake !== true;
      const was = begins ? (largest ?? same) : same;
      if (was === undefined || !growsBeyond(was.value, spot.value, limit)) return [];
      const values = `from ${shownValue(resource, was.path, was.value)} to ${shownValue(resource, spot.path, spot.value)}`;
      const grows = was === same ? 'grows' : 'makes the largest buy grow';
      const message = `${after.address}: ${spot.path} ${grows} ${values}, but max_factor allows ${limit} times as much.`;
      return [fieldFinding(resource, spot.path, { message, hint: 'Check the decimal point.' }, true)];
    });
  });
}

function largestBuy(spots: readonly Spot[]): Spot | undefined {
  const [largest] = spots
    .filter(({ role, awake }) => role === 'buy_amount' && awake)
    .toSorted((a, b) => compareDecimals(b.value, a.value));
  return largest;
}
