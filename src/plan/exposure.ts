import { addDecimals, maxDecimal } from '../model/decimal.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { ConfigDefinition } from '../model/kind.ts';

/**
 * The worst case per trigger in SOL: the buy amount plus the larger of the two routes' tip and fee; of tiers the dearest.
 * Amounts that are missing or not decimals count as 0 (legacy snapshots).
 */
export function exposureOf(definition: ConfigDefinition, config: JsonObject): string {
  if (definition === 'sniperConfig') {
    const routes = [config.relay_mode, config.priority_mode].map((mode) =>
      isObject(mode) ? addDecimals([amount(mode.tip_amount), amount(mode.priority_fee)]) : '0',
    );
    return addDecimals([amount(config.buy_amount), maxDecimal(routes)]);
  }
  const tiers = config.buy_config_tiers;
  const sets =
    config.buy_config_mode === 'tiered' && Array.isArray(tiers) ? tiers : [config.buy_config_universal];
  return maxDecimal(sets.map((set) => (isObject(set) ? exposureOfSet(set) : '0')));
}

function exposureOfSet(set: JsonObject): string {
  const relay = addDecimals([amount(set.relay_tip), amount(set.relay_priority_fee)]);
  const priority = addDecimals([amount(set.priority_tip), amount(set.priority_fee)]);
  return addDecimals([amount(set.amount_sol), maxDecimal([relay, priority])]);
}

function amount(value: Json | undefined): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '0';
}
