import { addDecimals, isDecimal, maxDecimal } from '../model/decimal.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { ConfigDefinition } from '../model/kind.ts';

/**
 * The worst case per trigger in SOL: the buy amount plus the larger of the two routes' tip and fee; of tiers the dearest.
 * Amounts that are missing or not decimals count as 0 (legacy snapshots); `isReadable` tells.
 */
export function exposureOf(definition: ConfigDefinition, config: JsonObject): string {
  return maxDecimal(activeSets(definition, config).map(exposureOfSet));
}

/** False where an amount that counts is missing or is no decimal. */
export function isReadable(definition: ConfigDefinition, config: JsonObject): boolean {
  const amounts = countedAmounts(definition, config);
  return amounts.length > 0 && amounts.every(({ value }) => isDecimal(amount(value, '')));
}

/** Where the amounts stand that count: `config.buy_amount`. */
export function countedPaths(definition: ConfigDefinition, config: JsonObject): readonly string[] {
  return countedAmounts(definition, config).map(({ path }) => path);
}

interface Amount {
  readonly path: string;
  readonly value: Json | undefined;
}

/** What one trigger may spend: the buy, and tip and fee of each route. */
interface Spending {
  readonly buy: Amount;
  readonly routes: readonly (readonly Amount[])[];
}

function countedAmounts(definition: ConfigDefinition, config: JsonObject): readonly Amount[] {
  return activeSets(definition, config).flatMap(({ buy, routes }) => [buy, ...routes.flat()]);
}

/** The parameter sets that can fire: of a copy-trade config those of the active side. */
function activeSets(definition: ConfigDefinition, config: JsonObject): readonly Spending[] {
  if (definition === 'sniperConfig') {
    const routes = ['relay_mode', 'priority_mode'].map((mode) => {
      const at = reader(config[mode], `config.${mode}`);
      return [at('tip_amount'), at('priority_fee')];
    });
    return [{ buy: reader(config, 'config')('buy_amount'), routes }];
  }
  const tiers = config.buy_config_tiers;
  if (config.buy_config_mode === 'tiered' && Array.isArray(tiers)) {
    return tiers.map((tier, index) => spendingOf(tier, `config.buy_config_tiers[${index}]`));
  }
  return [spendingOf(config.buy_config_universal, 'config.buy_config_universal')];
}

function spendingOf(set: Json | undefined, path: string): Spending {
  const at = reader(set, path);
  return {
    buy: at('amount_sol'),
    routes: [
      [at('relay_tip'), at('relay_priority_fee')],
      [at('priority_tip'), at('priority_fee')],
    ],
  };
}

function reader(parent: Json | undefined, path: string): (field: string) => Amount {
  return (field) => ({ path: `${path}.${field}`, value: isObject(parent) ? parent[field] : undefined });
}

function exposureOfSet({ buy, routes }: Spending): string {
  const fees = routes.map((amounts) => addDecimals(amounts.map(({ value }) => amount(value))));
  return addDecimals([amount(buy.value), maxDecimal(fees)]);
}

function amount(value: Json | undefined, other = '0'): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : other;
}
