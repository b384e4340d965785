import type { Guardrail } from '../../desired/guardrails/settings.ts';
import { compareDecimals } from '../../model/decimal.ts';
import { type Finding, fieldFinding, type Scene, shown } from './scene.ts';
import { formerSpots, type Role, spotsOf } from './spots.ts';

export const UNITS: Readonly<Record<Role, string>> = {
  buy_amount: 'SOL',
  tip: 'SOL',
  priority_fee: 'SOL',
  slippage: 'percent',
};

/** A guardrail upon one role of amounts: `max_slippage` and the like. */
export function maxAmount(role: Role) {
  return ({ resources }: Scene, { limit }: Guardrail<string>): readonly Finding[] =>
    resources.flatMap((resource) => {
      const { after, before, definition } = resource;
      const spots = spotsOf(definition, after.config);
      const over = spots.filter((spot) => spot.role === role && compareDecimals(spot.value, limit) > 0);
      if (over.length === 0) return [];
      const former = formerSpots(before === undefined ? [] : spotsOf(definition, before.config), spots);
      return over.map((spot) => {
        const { path, value } = spot;
        const was = former(spot);
        const worse =
          was === undefined || (spot.awake && !was.awake) || compareDecimals(value, was.value) > 0;
        const message = `${after.address}: ${path} is ${shown(resource, path, value)}, and max_${role} allows ${limit} ${UNITS[role]}.`;
        return fieldFinding(resource, path, { message, hint: 'Lower it.' }, worse);
      });
    });
}
