import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';

/**
 * A config whose every field is valid by itself, changed where fields contradict each other (src/desired/rules): older
 * snapshots may hold what the service refuses today. The very same values where they do not.
 */
export function coherent(definition: ConfigDefinition, config: JsonObject): JsonObject {
  if (definition === 'sniperConfig') return openRange(config, 'dev_min_amount', 'dev_max_amount');
  const base = withBuySets(config);
  const ranged = base.dev_sell_only === true ? base : openRange(base, 'min_trade_amount', 'max_trade_amount');
  const dexes = Array.isArray(ranged.selected_dexes) ? ranged.selected_dexes : [];
  return {
    ...ranged,
    ...(ranged.reentry_after_flat === true ? { reentry_after_flat: false } : {}),
    ...(dexes.includes('pump-fun') ? {} : { dev_sell_only: false, dev_sell_all_only: false }),
  };
}

/** An upper bound below its lower one is opened. */
function openRange(config: JsonObject, lower: string, upper: string): JsonObject {
  const [least, most] = [config[lower], config[upper]];
  if (typeof least !== 'string' || typeof most !== 'string') return config;
  if (!isDecimal(least) || !isDecimal(most) || compareDecimals(most, least) >= 0) return config;
  return { ...config, [upper]: '' };
}

const LEAST_AMOUNT = '0.000000000001';

function withBuySets(config: JsonObject): JsonObject {
  const universal = buySet(config.buy_config_universal);
  const tiers = (Array.isArray(config.buy_config_tiers) ? config.buy_config_tiers : []).map(buySet);
  const tiered = config.buy_config_mode === 'tiered';
  return {
    ...config,
    buy_config_universal: tiered ? universal : withAmount(universal),
    buy_config_tiers: tiered ? (tiers.length === 0 ? [withAmount(universal)] : tiers.map(withAmount)) : tiers,
  };
}

function buySet(set: Json | undefined): Json {
  return isObject(set) ? openRange(set, 'market_cap_min', 'market_cap_max') : (set ?? {});
}

function isNothing(amount: Json | undefined): boolean {
  return (
    typeof amount === 'string' && (amount === '' || (isDecimal(amount) && compareDecimals(amount, '0') === 0))
  );
}

function withAmount(set: Json): Json {
  return isObject(set) && isNothing(set.amount_sol) ? { ...set, amount_sol: LEAST_AMOUNT } : set;
}
