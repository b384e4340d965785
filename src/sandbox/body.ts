import { decimal, type ValidationError, writeValidators } from '../model/generated/validators.js';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { type Collection, type ConfigDefinition, LIMITS } from '../model/kind.ts';
import type { Choices } from './choices.ts';
import { type FieldError, Refused } from './refusal.ts';
import { addressErrors, configRules } from './rules.ts';
import { withRequiredDefaults } from './storing.ts';

/** Names of write bodies in schemas/service.schema.json, by their use. */
const BODIES = {
  sniper: 'sniper',
  'copy-trade': 'copyTrade',
  'transfer-snipe': 'transferSnipe',
  'sniper-template': 'sniperTemplate',
  'copy-trade-template': 'copyTradeTemplate',
  label: 'label',
} as const;

type BodyName = `${(typeof BODIES)[Collection]}${'Create' | 'Patch'}`;

/** The write body of a collection. */
export function bodyOf(collection: Collection, verb: 'Create' | 'Patch'): BodyName {
  return `${BODIES[collection]}${verb}`;
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
  const tiers = config.buy_config_tiers;
  const tier = match[2] === undefined ? undefined : Number(match[2]);
  const set =
    tier === undefined ? config.buy_config_universal : Array.isArray(tiers) ? tiers[tier] : undefined;
  const idle = config.buy_config_mode === (tier === undefined ? 'tiered' : 'universal');
  return idle && isObject(set) && decimal(set.amount_sol);
}

function configErrors(
  name: ConfigDefinition | undefined,
  config: Json | undefined,
  choices: Choices,
): FieldError[] {
  if (name === undefined || !isObject(config)) return [];
  const blacklist = config.address_blacklist;
  const wallets = isObject(blacklist) && Array.isArray(blacklist.wallets) ? blacklist.wallets : [];
  const addresses = new Map(wallets.map((wallet, index) => [`address_blacklist.wallets.${index}`, wallet]));
  return [...configRules(name, config, choices), ...addressErrors(addresses, choices)];
}

function walletErrors(body: JsonObject, rules: BodyRules, choices: Choices): FieldError[] {
  const linked = Array.isArray(body.linked_wallets) ? body.linked_wallets : [];
  const addresses = new Map<string, Json | undefined>([['target_wallet', body.target_wallet]]);
  for (const [index, wallet] of linked.entries()) addresses.set(`linked_wallets.${index}`, wallet);
  const fields = addressErrors(addresses, choices);
  const target = body.target_wallet ?? rules.target;
  if (choices.linked_target === 'refused' && target !== undefined && linked.includes(target)) {
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
  const fields: FieldError[] = [];
  for (const error of errors) {
    if (unions.has(error.instancePath) && error.keyword !== 'anyOf') continue;
    if (choices.address_form === 'length' && error.params.pattern === BASE58) continue;
    fields.push({ path: pathOf(error, choices), reason: reasonOf(error) });
  }
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
