import { canonicalDecimal } from '../../model/decimal.ts';
import type { ROLE_FIELDS } from '../../model/generated/money.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';

/** A part of a config that has amounts. */
interface BuyPart {
  readonly part: keyof typeof ROLE_FIELDS;
  readonly set: Json | undefined;
  /** Its path. */
  readonly place: string;
  /** False for the side that `buy_config_mode` does not select. */
  readonly fires: boolean;
  /** Identifies the same set in another config: a tier by its market caps, not by its position. */
  readonly key: () => string;
}

/** The config itself, and the buy parameter sets of a copy-trade config, of both modes. */
export function buySets(name: ConfigDefinition, config: JsonObject): readonly BuyPart[] {
  const whole: BuyPart = { part: name, set: config, place: 'config', fires: true, key: () => 'config' };
  if (name === 'sniperConfig') return [whole];
  const { buy_config_mode: mode, buy_config_universal: universal, buy_config_tiers: tiers } = config;
  const list = Array.isArray(tiers) ? tiers : [];
  const tiered = mode === 'tiered' && Array.isArray(tiers);
  const keyOf = (index: number) => {
    const bound = (value: Json | undefined) => (typeof value === 'string' ? canonicalDecimal(value) : '');
    const ranges = list.map((tier) =>
      isObject(tier) ? [tier.market_cap_min, tier.market_cap_max].map(bound).join(' to ') : '',
    );
    const range = ranges[index] ?? '';
    return ranges.indexOf(range) === ranges.lastIndexOf(range) ? range : `tier ${index}`;
  };
  const part = 'buyParameterSet';
  return [
    whole,
    { part, set: universal, place: UNIVERSAL, fires: !tiered, key: () => UNIVERSAL },
    ...list.map((set, index): BuyPart => {
      const place = `config.buy_config_tiers[${index}]`;
      return { part, set, place, fires: tiered, key: () => keyOf(index) };
    }),
  ];
}

const UNIVERSAL = 'config.buy_config_universal';
