import type { Guardrail } from '../../desired/guardrails/settings.ts';
import { compareDecimals } from '../../model/decimal.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';
import { type Finding, fieldFinding, type Scene, shown } from './scene.ts';

type Role = 'buy_amount' | 'tip' | 'priority_fee' | 'slippage';

const UNITS: Readonly<Record<Role, string>> = {
  buy_amount: 'SOL',
  tip: 'SOL',
  priority_fee: 'SOL',
  slippage: 'percent',
};

/** A guardrail upon one role of amounts: `max_slippage` and the like. */
export function maxAmount(role: Role) {
  return ({ resources }: Scene, { limit }: Guardrail<string>): readonly Finding[] => {
    const findings: Finding[] = [];
    for (const resource of resources) {
      eachSet(resource.definition, resource.config, (set, fields, place) => {
        for (const field of fields[role]) {
          if (!isOver(set[field], limit)) continue;
          const path = `${place()}.${field}`;
          const text = `${resource.desired.address}: ${path} is ${shown(resource, path, set[field])}, and max_${role} allows ${limit} ${UNITS[role]}.`;
          findings.push(fieldFinding(resource, path, text, 'Lower it.'));
        }
      });
    }
    return findings;
  };
}

function isOver(value: Json | undefined, limit: string): boolean {
  // What is no decimal counts as 0.
  return typeof value === 'string' && compareDecimals(value, limit) > 0;
}

type Fields = Readonly<Record<Role, readonly string[]>>;

const SNIPER_FIELDS: Fields = { buy_amount: ['buy_amount'], tip: [], priority_fee: [], slippage: [] };
const MODE_FIELDS: Fields = {
  buy_amount: [],
  tip: ['tip_amount'],
  priority_fee: ['priority_fee'],
  slippage: ['slippage'],
};
const SET_FIELDS: Fields = {
  buy_amount: ['amount_sol'],
  tip: ['relay_tip', 'priority_tip'],
  priority_fee: ['relay_priority_fee', 'priority_fee'],
  slippage: ['relay_slippage', 'priority_slippage'],
};

/** Where a config holds amounts: every route, and of copy-trade configs every set; a mode switch wakes the others. */
function eachSet(
  definition: ConfigDefinition,
  config: JsonObject,
  visit: (set: JsonObject, fields: Fields, place: () => string) => void,
): void {
  const at = (set: Json | undefined, fields: Fields, place: () => string) => {
    if (isObject(set)) visit(set, fields, place);
  };
  if (definition === 'sniperConfig') {
    at(config, SNIPER_FIELDS, () => 'config');
    at(config.relay_mode, MODE_FIELDS, () => 'config.relay_mode');
    at(config.priority_mode, MODE_FIELDS, () => 'config.priority_mode');
  } else eachBuySet(config, (set, place) => at(set, SET_FIELDS, place));
}

/** The buy parameter sets of a copy-trade config, both sides, and where they stand. */
export function eachBuySet(
  { buy_config_universal: universal, buy_config_tiers: tiers }: JsonObject,
  visit: (set: Json | undefined, place: () => string) => void,
): void {
  visit(universal, () => 'config.buy_config_universal');
  for (const [index, set] of (Array.isArray(tiers) ? tiers : []).entries())
    visit(set, () => `config.buy_config_tiers[${index}]`);
}
