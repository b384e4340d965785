import type { Path } from '../../manifest/spans.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { CONFIG } from '../rules/rule.ts';

/** Buy parameters and their place in the manifest. */
export interface BuySet {
  readonly path: Path;
  readonly values: JsonObject;
}

const UNIVERSAL: Path = [...CONFIG, 'buy_config_universal'];
const TIERS: Path = [...CONFIG, 'buy_config_tiers'];

export function tiersIn({ buy_config_tiers: tiers }: JsonObject): readonly BuySet[] {
  if (!Array.isArray(tiers)) return [];
  return tiers.flatMap((values, index) => (isObject(values) ? [{ path: [...TIERS, index], values }] : []));
}

/** The buy parameters that are active under `buy_config_mode`. */
export function activeSets(config: JsonObject): readonly BuySet[] {
  const { buy_config_mode: mode } = config;
  if (mode === 'universal') return universalIn(config);
  return mode === 'tiered' ? tiersIn(config) : [];
}

/** The active buy parameters, and those of the other mode. */
export function allSets(config: JsonObject): readonly BuySet[] {
  return [...universalIn(config), ...tiersIn(config)];
}

function universalIn({ buy_config_universal: values }: JsonObject): readonly BuySet[] {
  return isObject(values) ? [{ path: UNIVERSAL, values }] : [];
}
