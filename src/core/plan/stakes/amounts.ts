import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { ROLE_FIELDS, ROUTES, type RoleField } from '../../model/generated/money.ts';
import { isObject, type JsonObject, valueAt } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';
import { buySets } from './buy-sets.ts';

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

const ROLES: readonly Role[] = ['buy_amount', 'tip', 'priority_fee', 'slippage'];

/**
 * Every amount of a config: of every route; in copy-trade configs, of both modes and every tier. `only`: those of a role that are
 * above a limit.
 */
export function spotsOf(
  name: ConfigDefinition,
  config: JsonObject,
  only?: { readonly role: Role; readonly above: string },
): readonly Spot[] {
  return buySets(name, config).flatMap(({ part, set, place, fires, key }) => {
    if (!isObject(set)) return [];
    const fields = ROLE_FIELDS[part];
    const wanted = only === undefined ? ROLES : [only.role];
    return wanted.flatMap((role) =>
      fields.flatMap((field): Spot[] => {
        const amount = valueAt(set, ...field.keys);
        if ((field.role === 'bundle_amount' ? 'tip' : field.role) !== role || amount === undefined) return [];
        const value = decimalOf(amount);
        if (only !== undefined && compareDecimals(value, only.above) <= 0) return [];
        const awake = fires && !isAsleep(set, field, fields);
        const below = field.keys.join('.');
        return [{ role, path: `${place}.${below}`, value, awake, key: `${key()}.${below}` }];
      }),
    );
  });
}

/**
 * True of a slippage where a positive bundle amount or the SOL mode takes precedence over the percentage of its route (HAZARDS 14),
 * and of a bundle amount of all routes where each route has its own.
 */
function isAsleep(set: JsonObject, { role, route }: RoleField, fields: readonly RoleField[]): boolean {
  if (role !== 'slippage' && (role !== 'bundle_amount' || route !== undefined)) return false;
  const own = (wanted: RoleField['role'], on: RoleField['route']) => {
    const found = fields.find((field) => field.role === wanted && field.route === on);
    return found && valueAt(set, ...found.keys);
  };
  if (role === 'bundle_amount') {
    const routes = ROUTES.filter((on) => fields.some((field) => field.route === on));
    return routes.length > 0 && routes.every((on) => own(role, on) !== undefined);
  }
  const [bundle, inSol] = (['bundle_amount', 'sol_slippage_mode'] as const).map(
    (wanted) => own(wanted, route) ?? own(wanted, undefined),
  );
  return compareDecimals(decimalOf(bundle), '0') > 0 || inSol === true;
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

/** Legacy snapshots hold numbers. */
function decimalOf(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && isDecimal(text) ? text : '0';
}
