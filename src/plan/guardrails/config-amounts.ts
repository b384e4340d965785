import { canonicalDecimal, compareDecimals, isDecimal } from '../../model/decimal.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';

/** The role of an amount in a config. Bundle amounts count as tips. */
export type Role = 'buy_amount' | 'tip' | 'priority_fee' | 'slippage';

/** An amount of a config. */
export interface Spot {
  readonly role: Role;
  /** `config.relay_mode.slippage`. */
  readonly path: string;
  /** A decimal; `0` for a value that is not a decimal. */
  readonly value: string;
  /**
   * False if another field makes it ineffective: the mode that `buy_config_mode` does not select, or a slippage below a
   * bundle amount.
   */
  readonly awake: boolean;
  /** Identifies the same field in another config: a tier is identified by its market caps, not by its position. */
  readonly key: string;
}

type Fields = Readonly<Record<Role, readonly string[]>>;

const ROLES: readonly Role[] = ['buy_amount', 'tip', 'priority_fee', 'slippage'];
const MODES = ['relay_mode', 'priority_mode'] as const;
const SNIPER_FIELDS: Fields = {
  buy_amount: ['buy_amount'],
  tip: ['bundle_amount'],
  priority_fee: [],
  slippage: [],
};
const COPY_TRADE_FIELDS: Fields = { ...SNIPER_FIELDS, buy_amount: [] };
const MODE_FIELDS: Fields = {
  buy_amount: [],
  tip: ['tip_amount', 'bundle_amount'],
  priority_fee: ['priority_fee'],
  slippage: ['slippage'],
};
const SET_FIELDS: Fields = {
  buy_amount: ['amount_sol'],
  tip: ['relay_tip', 'relay_bundle_amount', 'priority_tip', 'priority_bundle_amount'],
  priority_fee: ['relay_priority_fee', 'priority_fee'],
  slippage: ['relay_slippage', 'priority_slippage'],
};

/**
 * Every amount of a config: of every route; in copy-trade configs, of both modes and every tier. `only`: those of a role that are
 * above a limit.
 */
export function spotsOf(
  definition: ConfigDefinition,
  config: JsonObject,
  only?: { readonly role: Role; readonly above: string },
): readonly Spot[] {
  const spots: Spot[] = [];
  const add = (part: Json | undefined, fields: Fields, place: string, fires: boolean, key = () => place) => {
    if (!isObject(part)) return;
    for (const role of only === undefined ? ROLES : [only.role]) {
      for (const field of fields[role]) {
        if (part[field] === undefined) continue;
        const value = decimalOf(part[field]);
        if (only !== undefined && compareDecimals(value, only.above) <= 0) continue;
        const asleep =
          role === 'slippage' ? isInert(config, part, field) : part === config && isReplaced(config, field);
        const path = `${place}.${field}`;
        spots.push({ role, path, value, awake: fires && !asleep, key: `${key()}.${field}` });
      }
    }
  };
  if (definition === 'sniperConfig') {
    add(config, SNIPER_FIELDS, 'config', true);
    for (const mode of MODES) add(config[mode], MODE_FIELDS, `config.${mode}`, true);
    return spots;
  }
  const tiered = config.buy_config_mode === 'tiered';
  add(config, COPY_TRADE_FIELDS, 'config', true);
  eachBuySet(config, (set, place, key) => add(set, SET_FIELDS, place, tiered === (place !== UNIVERSAL), key));
  return spots;
}

const UNIVERSAL = 'config.buy_config_universal';

/** True if a positive bundle amount or the SOL mode takes precedence over the percentage of its route (HAZARDS 14). */
function isInert(config: JsonObject, part: JsonObject, field: string): boolean {
  const route = field.slice(0, -'slippage'.length);
  const own = (name: string) => part[`${route}${name}`] ?? (route === '' ? config[name] : part[name]);
  return compareDecimals(decimalOf(own('bundle_amount')), '0') > 0 || own('sol_slippage_mode') === true;
}

/** True if the shared bundle amount of a sniper is replaced by the bundle amount of each route. */
function isReplaced(config: JsonObject, field: string): boolean {
  if (field !== 'bundle_amount') return false;
  return MODES.every((mode) => isObject(config[mode]) && config[mode][field] !== undefined);
}

/**
 * The former amount for each amount of `after`: with the same key, else at the same path if no other amount has that
 * key now.
 */
export function formerSpots(
  before: readonly Spot[],
  after: readonly Spot[],
): (spot: Spot) => Spot | undefined {
  const byKey = new Map(before.map((spot) => [spot.key, spot]));
  const kept = new Set(after.map(({ key }) => key));
  const byPath = new Map(before.flatMap((spot) => (kept.has(spot.key) ? [] : [[spot.path, spot] as const])));
  return ({ key, path }) => byKey.get(key) ?? byPath.get(path);
}

/** The buy parameter sets of a copy-trade config, of both modes, with their paths; `key` as in `Spot`. */
export function eachBuySet(
  { buy_config_universal: universal, buy_config_tiers: tiers }: JsonObject,
  visit: (set: Json | undefined, place: string, key: () => string) => void,
): void {
  visit(universal, UNIVERSAL, () => UNIVERSAL);
  if (!Array.isArray(tiers)) return;
  for (const [index, set] of tiers.entries())
    visit(set, `config.buy_config_tiers[${index}]`, () => {
      const bound = (value: Json | undefined) => (typeof value === 'string' ? canonicalDecimal(value) : '');
      const ranges = tiers.map((tier) =>
        isObject(tier) ? [tier.market_cap_min, tier.market_cap_max].map(bound).join(' to ') : '',
      );
      const range = ranges[index] ?? '';
      return ranges.indexOf(range) === ranges.lastIndexOf(range) ? range : `tier ${index}`;
    });
}

/** Legacy snapshots hold numbers. */
function decimalOf(value: Json | undefined): string {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && isDecimal(text) ? text : '0';
}
