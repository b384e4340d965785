import { digitsOf, exactUnits, isDecimal } from '../../model/decimal.ts';
import { overlaps } from '../../model/field-path.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';

/**
 * The worst case per trigger in SOL: the buy amount plus the larger of the two routes' tip and fee; with tiers, the
 * most expensive tier. Amounts that are missing or not decimals count as 0 (legacy snapshots); see `isReadable`.
 */
export function exposureOf(definition: ConfigDefinition, config: JsonObject): string {
  const most = firingSets(definition, config).map(spentBy);
  return digitsOf(most.reduce(larger, 0n));
}

/** False if an amount that counts is missing or not a decimal. */
export function isReadable(definition: ConfigDefinition, config: JsonObject): boolean {
  const sets = firingSets(definition, config);
  return sets.length > 0 && sets.every((values) => values.every((value) => isDecimal(amount(value))));
}

/** True if an amount that counts is at one of these paths. */
export function isSecretStake(
  definition: ConfigDefinition,
  config: JsonObject,
  secrets: readonly string[],
): boolean {
  return secrets.length > 0 && countedPaths(definition, config).some((path) => overlaps(secrets, path));
}

/** Paths of the amounts that count: `config.buy_amount`. */
function countedPaths(definition: ConfigDefinition, config: JsonObject): readonly string[] {
  if (definition === 'sniperConfig') return SNIPER_AMOUNTS.map((path) => ['config', ...path].join('.'));
  const paths = firingTiers(config)?.map((_, index) => `config.buy_config_tiers[${index}]`);
  return (paths ?? ['config.buy_config_universal']).flatMap((path) =>
    SET_AMOUNTS.map((field) => `${path}.${field}`),
  );
}

/** The amounts that one trigger may spend: the buy, then tip and fee of the one route and of the other. */
type Spending = readonly (Json | undefined)[];

/** The amounts of a spending in a set of a copy-trade config. */
const SET_AMOUNTS = [
  'amount_sol',
  'relay_tip',
  'relay_priority_fee',
  'priority_tip',
  'priority_fee',
] as const;
/** The same in the config of a sniper. */
const SNIPER_AMOUNTS = [
  ['buy_amount'],
  ['relay_mode', 'tip_amount'],
  ['relay_mode', 'priority_fee'],
  ['priority_mode', 'tip_amount'],
  ['priority_mode', 'priority_fee'],
] as const;

/** The parameter sets that can fire. For a copy-trade config, those of the active side. */
function firingSets(definition: ConfigDefinition, config: JsonObject): readonly Spending[] {
  if (definition === 'sniperConfig') {
    return [
      SNIPER_AMOUNTS.map(([part, field]) =>
        field === undefined ? config[part] : valueIn(config[part], field),
      ),
    ];
  }
  return (firingTiers(config) ?? [config.buy_config_universal]).map((set) =>
    SET_AMOUNTS.map((field) => valueIn(set, field)),
  );
}

/** Undefined for a config that does not buy by tiers. */
function firingTiers({
  buy_config_mode: mode,
  buy_config_tiers: tiers,
}: JsonObject): readonly Json[] | undefined {
  return mode === 'tiered' && Array.isArray(tiers) ? tiers : undefined;
}

function valueIn(parent: Json | undefined, field: string): Json | undefined {
  return isObject(parent) ? parent[field] : undefined;
}

function spentBy(values: Spending): bigint {
  const [buy = 0n, relayTip = 0n, relayFee = 0n, tip = 0n, fee = 0n] = values.map((value) =>
    exactUnits(amount(value)),
  );
  return buy + larger(relayTip + relayFee, tip + fee);
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function amount(value: Json | undefined): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
