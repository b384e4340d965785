import { base58 } from '@scure/base';
import { decimal, type ValidationError, writeValidators } from '../core/model/generated/validators.js';
import { isObject, type Json, type JsonObject, objectIn } from '../core/model/json.ts';
import { type Collection, type ConfigDefinition, LIMITS } from '../core/model/kind.ts';
import { definition, resolveShape, type SchemaNode } from '../core/model/shape.ts';
import { walletsIn } from '../core/model/wallets.ts';
import type { Choices } from './choices.ts';
import { type FieldError, Refused } from './refusal.ts';
import { withRequiredDefaults } from './storing.ts';

type BodyName = Exclude<keyof typeof writeValidators, ConfigDefinition>;

/** The write body of a collection in schemas/service.schema.json. */
export function bodyOf(collection: Collection, verb: 'Create' | 'Patch'): BodyName {
  const name = collection.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return `${name}${verb}` as BodyName;
}

export interface BodyRules {
  readonly name: BodyName;
  /** The definition of the `config` in the body, if the body has one. */
  readonly config?: ConfigDefinition;
  /** The maximum length of the trimmed `name` in units. */
  readonly nameLimit?: number;
  /** For `linked_target`: the target of the patched task. */
  readonly target?: string | undefined;
  /** Fields that a chosen reading of the interface requires, in addition to the schema. */
  readonly required?: readonly string[];
}

/**
 * Checks a write body and returns it with `remark` and `name` trimmed (interface, "Conventions that apply to every write
 * body"). Throws `validation_error` with all findings, at most 20.
 */
export function checkBody(raw: unknown, rules: BodyRules, choices: Choices): JsonObject {
  if (!isObject(raw)) throw invalid([{ path: '$', reason: 'expected_object' }]);
  const filled = choices.defaulted_fields === 'filled' ? withRequiredDefaults(rules.name, raw) : raw;
  const body = trimTexts(filled, choices);
  const fields = [
    ...validate(rules.name, body, choices),
    ...textErrors(choices.length_before_trim === 'yes' ? filled : body, rules, choices),
    ...(rules.required ?? [])
      .filter((field) => !Object.hasOwn(body, field))
      .map((path) => ({ path, reason: 'required' })),
    ...below('config', configErrors(rules.config, body.config, choices)),
    ...walletErrors(body, rules, choices),
  ];
  if (fields.length > 0) throw invalid(fields);
  return body;
}

/**
 * Checks a stored config against the present schema (interface, resume: "the complete stored config"). An empty result means
 * that it passes.
 */
export function checkStoredConfig(
  name: ConfigDefinition,
  config: JsonObject,
  choices: Choices,
): FieldError[] {
  const filled = choices.defaulted_fields === 'filled' ? withRequiredDefaults(name, config) : config;
  const fields = [...validate(name, filled, choices), ...configErrors(name, filled, choices)];
  return choices.resume_field_paths === 'config' ? below('config', fields) : fields;
}

export function invalid(fields: readonly FieldError[]): Refused {
  return new Refused('validation_error', 'The body does not satisfy the schema.', fields);
}

function validate(name: BodyName | ConfigDefinition, value: JsonObject, choices: Choices): FieldError[] {
  const validator = writeValidators[name];
  if (validator(value)) return [];
  return fieldErrors(validator.errors ?? [], choices).filter(({ path, reason }) => {
    const idle = choices.inactive_amount === 'any-decimal' && reason === 'invalid_decimal';
    return !(idle && isIdleAmount(path, value));
  });
}

const AMOUNT = /^(?:config\.)?buy_config_(universal|tiers\.(\d+))\.amount_sol$/;

/** True for a well-formed `amount_sol` on the side that `buy_config_mode` does not use. */
function isIdleAmount(path: string, value: JsonObject): boolean {
  const match = AMOUNT.exec(path);
  const config = path.startsWith('config.') ? value.config : value;
  if (match === null || !isObject(config)) return false;
  const tier = match[2] === undefined ? undefined : Number(match[2]);
  const set = tier === undefined ? config.buy_config_universal : arrayOf(config.buy_config_tiers)[tier];
  const idle = config.buy_config_mode === (tier === undefined ? 'tiered' : 'universal');
  return idle && isObject(set) && decimal(set.amount_sol);
}

function configErrors(
  name: ConfigDefinition | undefined,
  config: Json | undefined,
  choices: Choices,
): FieldError[] {
  if (name === undefined || !isObject(config)) return [];
  const wallets = arrayOf(objectIn(config.address_blacklist).wallets);
  const addresses = wallets.map((wallet, index) => [`address_blacklist.wallets.${index}`, wallet] as const);
  return [...configRules(name, config, choices), ...addressErrors(addresses, choices)];
}

function walletErrors(body: JsonObject, rules: BodyRules, choices: Choices): FieldError[] {
  const addresses = walletsIn(body).map(
    ({ wallet, path }) => [path.replace(/\[(\d+)\]/, '.$1'), wallet] as const,
  );
  const fields = addressErrors(addresses, choices);
  const target = body.target_wallet ?? rules.target;
  if (
    choices.linked_target === 'refused' &&
    target !== undefined &&
    arrayOf(body.linked_wallets).includes(target)
  ) {
    fields.push({ path: 'linked_wallets', reason: 'holds_target' });
  }
  return fields;
}

/** The schema counts code points; the other reading counts UTF-16 units. */
function textErrors(body: JsonObject, rules: BodyRules, choices: Choices): FieldError[] {
  const limits = { remark: LIMITS.remark, name: rules.nameLimit };
  return Object.entries(limits).flatMap(([path, limit]) => {
    const text = body[path];
    if (limit === undefined || typeof text !== 'string') return [];
    const length = choices.remark_length === 'utf16' ? text.length : [...text].length;
    const points = [...text.trim()].length;
    return length > limit && points <= limit ? [{ path, reason: 'too_long' }] : [];
  });
}

function trimTexts(body: JsonObject, choices: Choices): JsonObject {
  const trimmed = { ...body };
  for (const key of ['remark', 'name']) {
    const text = body[key];
    if (typeof text !== 'string') continue;
    trimmed[key] = choices.trimmed === 'spaces' ? text.replace(/^ +| +$/g, '') : text.trim();
  }
  return trimmed;
}

function below(prefix: string, fields: readonly FieldError[]): FieldError[] {
  return fields.map(({ path, reason }) => ({ path: path === '$' ? prefix : `${prefix}.${path}`, reason }));
}

/**
 * The findings of the compiled schema as `error.fields` (interface, "Errors"): dot-separated paths, `$` for the whole body,
 * reasons from a fixed set of words.
 */
function fieldErrors(errors: readonly ValidationError[], choices: Choices): FieldError[] {
  const unions = new Set(
    errors.filter((error) => error.keyword === 'anyOf').map((error) => error.instancePath),
  );
  const fields = errors
    .filter((error) => error.keyword === 'anyOf' || !unions.has(error.instancePath))
    .filter((error) => choices.address_form !== 'length' || error.params.pattern !== BASE58)
    .map((error) => ({ path: pathOf(error, choices), reason: reasonOf(error) }));
  return [...new Map(fields.map((field) => [`${field.path} ${field.reason}`, field])).values()];
}

/** `definitions.address.pattern` of schemas/service.schema.json. */
const BASE58 = '^[1-9A-HJ-NP-Za-km-z]+$';

const REASONS: Readonly<Record<string, string>> = {
  additionalProperties: 'unknown_property',
  required: 'required',
  pattern: 'invalid_format',
  enum: 'invalid_enum_value',
  minItems: 'too_few_items',
  maxItems: 'too_many_items',
  uniqueItems: 'duplicate_items',
  minLength: 'too_short',
  maxLength: 'too_long',
  minProperties: 'empty_patch',
  anyOf: 'invalid_uuid',
  format: 'invalid_uuid',
};

function reasonOf(error: ValidationError): string {
  if (error.keyword === 'type') return `expected_${String(error.params.type)}`;
  if (error.keyword === 'pattern' && error.params.pattern === BASE58) return 'invalid_address';
  if (error.keyword === 'pattern') return 'invalid_decimal';
  return REASONS[error.keyword] ?? 'invalid';
}

function pathOf(error: ValidationError, choices: Choices): string {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { missingProperty, additionalProperty } = error.params;
  if (typeof missingProperty === 'string') parts.push(missingProperty);
  if (typeof additionalProperty === 'string' && choices.unknown_field_path === 'property') {
    parts.push(additionalProperty);
  }
  return parts.length === 0 ? '$' : parts.join('.');
}

/** Values of a body that the schema has already accepted. */

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/**
 * The rules across fields that no schema expresses (interface, "Sniper config", "Copy-trade config", "Constraints across
 * fields", "Mode rules"). Written from the interface alone. Parts that the schema already refused are skipped. Paths are
 * relative to the config.
 */
function configRules(name: ConfigDefinition, config: JsonObject, choices: Choices): FieldError[] {
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
  const { buy_config_mode: mode, buy_config_universal: universal } = config;
  const sets = [
    { path: 'buy_config_universal', set: universal, active: mode === 'universal' },
    ...tiers.map((set, index) => ({ path: `buy_config_tiers.${index}`, set, active: mode === 'tiered' })),
  ];
  if (mode === 'tiered' && tiers.length === 0) {
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
  if (choices.tp_order_range !== 'sell-at-most-100') return [];
  return arrayOf(objectIn(config.auto_sell).tp_orders).flatMap((order, index) => {
    const tooMuch = (scaled(objectIn(order).sell) ?? 0n) > HUNDRED;
    return tooMuch ? [{ path: `auto_sell.tp_orders.${index}.sell`, reason: 'out_of_range' }] : [];
  });
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
function addressErrors(
  addresses: readonly (readonly [path: string, address: Json])[],
  choices: Choices,
): FieldError[] {
  if (choices.address_form !== '32-bytes') return [];
  return addresses
    .filter(([, value]) => typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value))
    .filter(([, value]) => base58.decode(String(value)).length !== 32)
    .map(([path]) => ({ path, reason: 'invalid_address' }));
}
