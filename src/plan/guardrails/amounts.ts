import type { Guardrail } from '../../desired/guardrails/settings.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';
import { type Finding, fieldFinding, type Scene, shown } from './scene.ts';

type Role = 'buy_amount' | 'tip' | 'priority_fee' | 'slippage';

/** An amount of a config: every route, and of copy-trade configs every set, awake or not; a mode switch wakes the others. */
interface Amount {
  readonly role: Role;
  /** `config.relay_mode.slippage`. */
  readonly path: string;
  readonly value: Json | undefined;
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
      amountsOf(resource.definition, resource.config)
        .filter((amount) => amount.role === role && isOver(amount.value, limit))
        .map(({ path, value }) =>
          fieldFinding(
            resource,
            path,
            `${resource.desired.address}: ${path} is ${shown(resource, path, value)}, and max_${role} allows ${limit} ${UNITS[role]}.`,
            'Lower it.',
          ),
        ),
    );
}

function isOver(value: Json | undefined, limit: string): boolean {
  return typeof value === 'string' && isDecimal(value) && compareDecimals(value, limit) > 0;
}

function amountsOf(definition: ConfigDefinition, config: JsonObject): readonly Amount[] {
  if (definition === 'sniperConfig') {
    return [
      { role: 'buy_amount', path: 'config.buy_amount', value: config.buy_amount },
      ...['relay_mode', 'priority_mode'].flatMap((mode) =>
        amountsAt(config[mode], `config.${mode}`, [
          ['tip', 'tip_amount'],
          ['priority_fee', 'priority_fee'],
          ['slippage', 'slippage'],
        ]),
      ),
    ];
  }
  return buySets(config).flatMap(({ set, path }) =>
    amountsAt(set, path, [
      ['buy_amount', 'amount_sol'],
      ['tip', 'relay_tip'],
      ['tip', 'priority_tip'],
      ['priority_fee', 'relay_priority_fee'],
      ['priority_fee', 'priority_fee'],
      ['slippage', 'relay_slippage'],
      ['slippage', 'priority_slippage'],
    ]),
  );
}

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

function amountsAt(
  set: Json | undefined,
  path: string,
  fields: readonly (readonly [Role, string])[],
): readonly Amount[] {
  if (!isObject(set)) return [];
  return fields.map(([role, field]) => ({ role, path: `${path}.${field}`, value: set[field] }));
}
