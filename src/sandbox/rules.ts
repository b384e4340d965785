import { base58 } from '@scure/base';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { ConfigDefinition } from '../model/kind.ts';
import { definition, resolveShape, type SchemaNode } from '../model/shape.ts';
import type { Choices } from './choices.ts';
import type { FieldError } from './refusal.ts';

/**
 * The rules across fields that no schema expresses (interface, "Sniper config", "Copy-trade config", "Constraints across
 * fields", "Mode rules"). Written from the interface alone. Parts that the schema already refused are skipped. Paths are
 * relative to the config.
 */
export function configRules(name: ConfigDefinition, config: JsonObject, choices: Choices): FieldError[] {
  const own = name === 'sniperConfig' ? sniperRules(config) : copyTradeRules(config, choices);
  return [
    ...own,
    ...sellSideRules(config, choices),
    ...unshownKeys(name, config, choices),
    ...duplicateDexes(config, choices),
  ];
}

function sniperRules(config: JsonObject): FieldError[] {
  return inverted(config.dev_min_amount, config.dev_max_amount)
    ? [{ path: 'dev_max_amount', reason: 'below_minimum' }]
    : [];
}

function copyTradeRules(config: JsonObject, choices: Choices): FieldError[] {
  const fields: FieldError[] = [];
  const tiers = arrayOf(config.buy_config_tiers);
  const sets = [
    {
      path: 'buy_config_universal',
      set: config.buy_config_universal,
      active: config.buy_config_mode === 'universal',
    },
    ...tiers.map((set, index) => ({
      path: `buy_config_tiers.${index}`,
      set,
      active: config.buy_config_mode === 'tiered',
    })),
  ];
  if (config.buy_config_mode === 'tiered' && tiers.length === 0) {
    fields.push({ path: 'buy_config_tiers', reason: 'tier_required' });
  }
  for (const { path, set, active } of sets) {
    if (!isObject(set)) continue;
    if (active && set.amount_sol === '')
      fields.push({ path: `${path}.amount_sol`, reason: 'amount_required' });
    else if ((active || choices.inactive_amount === 'checked') && scaled(set.amount_sol) === 0n)
      fields.push({ path: `${path}.amount_sol`, reason: 'invalid_decimal' });
    if (inverted(set.market_cap_min, set.market_cap_max)) {
      fields.push({ path: `${path}.market_cap_max`, reason: 'below_minimum' });
    }
  }
  for (const flag of ['dev_sell_only', 'dev_sell_all_only']) {
    if (config[flag] === true && !arrayOf(config.selected_dexes).includes('pump-fun')) {
      fields.push({ path: 'selected_dexes', reason: 'pump_fun_required' });
      break;
    }
  }
  if (config.dev_sell_only !== true && inverted(config.min_trade_amount, config.max_trade_amount)) {
    fields.push({ path: 'max_trade_amount', reason: 'below_minimum' });
  }
  return fields;
}

function sellSideRules(config: JsonObject, choices: Choices): FieldError[] {
  const fields: FieldError[] = [];
  const orders = arrayOf(isObject(config.auto_sell) ? config.auto_sell.tp_orders : undefined);
  for (const [index, order] of orders.entries()) {
    const share = isObject(order) ? scaled(order.sell) : undefined;
    if (choices.tp_order_range === 'sell-at-most-100' && share !== undefined && share > HUNDRED) {
      fields.push({ path: `auto_sell.tp_orders.${index}.sell`, reason: 'out_of_range' });
    }
  }
  return fields;
}

/** With `sell_side_keys: strict`: keys that the interface does not document, in every open object with a known shape. */
function unshownKeys(name: ConfigDefinition, config: JsonObject, choices: Choices): FieldError[] {
  if (choices.sell_side_keys === 'open') return [];
  const fields: FieldError[] = [];
  const walk = (shape: SchemaNode | undefined, value: Json, path: string): void => {
    if (shape === undefined) return;
    const { properties, items, 'x-open': open } = resolveShape(shape);
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) walk(items, item, `${path}.${index}`);
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        const below = path === '' ? key : `${path}.${key}`;
        if (open === true && !Object.hasOwn(properties ?? {}, key)) fields.push(unknown(below, choices));
        else walk(properties?.[key], item, below);
      }
    }
  };
  walk(definition(name), config, '');
  return fields;
}

function unknown(path: string, choices: Choices): FieldError {
  const parent = path.slice(0, path.lastIndexOf('.'));
  return { path: choices.unknown_field_path === 'property' ? path : parent, reason: 'unknown_property' };
}

function duplicateDexes(config: JsonObject, choices: Choices): FieldError[] {
  if (choices.duplicate_dexes === 'accepted') return [];
  const dexes = arrayOf(config.selected_dexes);
  return new Set(dexes).size === dexes.length ? [] : [{ path: 'selected_dexes', reason: 'duplicate_items' }];
}

/** True if both bounds are set and the upper one is smaller. */
function inverted(low: Json | undefined, high: Json | undefined): boolean {
  const [least, most] = [scaled(low), scaled(high)];
  return least !== undefined && most !== undefined && most < least;
}

const FRACTION_DIGITS = 12;
const HUNDRED = 100n * 10n ** BigInt(FRACTION_DIGITS);

/** The exact value in units of 10^-12. Undefined for the empty string and for anything that is no decimal. */
function scaled(value: Json | undefined): bigint | undefined {
  const match = typeof value === 'string' ? /^([0-9]+)(?:\.([0-9]{1,12}))?$/.exec(value) : null;
  return match ? BigInt(`${match[1]}${(match[2] ?? '').padEnd(FRACTION_DIGITS, '0')}`) : undefined;
}

function arrayOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Checks every address of a body more strictly than the schema does. Errors name its path. */
export function addressErrors(
  addresses: ReadonlyMap<string, Json | undefined>,
  choices: Choices,
): FieldError[] {
  if (choices.address_form !== '32-bytes') return [];
  return [...addresses]
    .filter(([, value]) => typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value))
    .filter(([, value]) => base58.decode(String(value)).length !== 32)
    .map(([path]) => ({ path, reason: 'invalid_address' }));
}
