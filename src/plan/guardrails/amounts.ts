import type { Guardrail } from '../../desired/guardrails/settings.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';
import { type Finding, fieldFinding, type Scene, shown } from './scene.ts';

type Role = 'buy_amount' | 'tip' | 'priority_fee' | 'slippage';

interface AmountSet {
  readonly set: JsonObject;
  /** `config.relay_mode`. */
  readonly path: string;
  readonly fields: readonly string[];
}

const UNITS: Readonly<Record<Role, string>> = {
  buy_amount: 'SOL',
  tip: 'SOL',
  priority_fee: 'SOL',
  slippage: 'percent',
};

/** A guardrail upon one role of amounts: `max_slippage` and the like. */
export function maxAmount(role: Role) {
  return ({ resources }: Scene, { limit }: Guardrail<string>): readonly Finding[] =>
    resources.flatMap((resource) =>
      setsOf(role, resource.definition, resource.config).flatMap(({ set, path: prefix, fields }) =>
        fields
          .filter((field) => isOver(set[field], limit))
          .map((field) => {
            const path = `${prefix}.${field}`;
            return fieldFinding(
              resource,
              path,
              `${resource.desired.address}: ${path} is ${shown(resource, path, set[field])}, and max_${role} allows ${limit} ${UNITS[role]}.`,
              'Lower it.',
            );
          }),
      ),
    );
}

function isOver(value: Json | undefined, limit: string): boolean {
  return typeof value === 'string' && isDecimal(value) && compareDecimals(value, limit) > 0;
}

/** Where a config holds amounts of the role: every route, and of copy-trade configs every set; a mode switch wakes the others. */
function setsOf(role: Role, definition: ConfigDefinition, config: JsonObject): readonly AmountSet[] {
  const sets =
    definition === 'sniperConfig'
      ? [
          { set: config, path: 'config', fields: role === 'buy_amount' ? ['buy_amount'] : [] },
          { set: config.relay_mode, path: 'config.relay_mode', fields: MODE_FIELDS[role] },
          { set: config.priority_mode, path: 'config.priority_mode', fields: MODE_FIELDS[role] },
        ]
      : buySets(config).map(({ set, path }) => ({ set, path, fields: SET_FIELDS[role] }));
  return sets.flatMap(({ set, ...rest }) => (isObject(set) ? [{ set, ...rest }] : []));
}

const MODE_FIELDS: Readonly<Record<Role, readonly string[]>> = {
  buy_amount: [],
  tip: ['tip_amount'],
  priority_fee: ['priority_fee'],
  slippage: ['slippage'],
};

const SET_FIELDS: Readonly<Record<Role, readonly string[]>> = {
  buy_amount: ['amount_sol'],
  tip: ['relay_tip', 'priority_tip'],
  priority_fee: ['relay_priority_fee', 'priority_fee'],
  slippage: ['relay_slippage', 'priority_slippage'],
};

/** The buy parameter sets of a copy-trade config, both sides. */
export function buySets(
  config: JsonObject,
): readonly { readonly set: Json | undefined; readonly path: string }[] {
  const tiers = config.buy_config_tiers;
  return [
    { set: config.buy_config_universal, path: 'config.buy_config_universal' },
    ...(Array.isArray(tiers) ? tiers : []).map((set, index) => ({
      set,
      path: `config.buy_config_tiers[${index}]`,
    })),
  ];
}
