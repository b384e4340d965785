import { byKey } from '../../model/by-key.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import { addDecimals, digitsOf, exactUnits, isDecimal } from '../../model/decimal.ts';
import { overlaps } from '../../model/field-path.ts';
import { ROLE_FIELDS, ROUTES, type RoleField } from '../../model/generated/money.ts';
import type { Outside } from '../../model/generated/plan.ts';
import { type Json, type JsonObject, valueAt } from '../../model/json.ts';
import { type ConfigDefinition, kindOf } from '../../model/kind.ts';
import type { LiveTask } from '../../model/resource.ts';

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
  return sets.length > 0 && sets.every((values) => values.every(({ value }) => isDecimal(amount(value))));
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
function countedPaths(name: ConfigDefinition, config: JsonObject): readonly string[] {
  if (name === 'sniperConfig') return SPENT_FIELDS.sniper.map(({ keys }) => ['config', ...keys].join('.'));
  const places = firingTiers(config)?.map((_, index) => `config.buy_config_tiers[${index}]`);
  return (places ?? ['config.buy_config_universal']).flatMap((place) =>
    SPENT_FIELDS.set.map(({ keys }) => [place, ...keys].join('.')),
  );
}

interface Spent {
  readonly field: RoleField;
  readonly value: unknown;
}

/** The parameter sets that can fire. For a copy-trade config, those of the active side. */
function firingSets(name: ConfigDefinition, config: JsonObject): readonly (readonly Spent[])[] {
  const isSniper = name === 'sniperConfig';
  const sets = isSniper ? [config] : (firingTiers(config) ?? [config.buy_config_universal]);
  const fields = isSniper ? SPENT_FIELDS.sniper : SPENT_FIELDS.set;
  return sets.map((set) => fields.map((field) => ({ field, value: valueAt(set, ...field.keys) })));
}

/** Undefined for a config that does not buy by tiers. */
function firingTiers({
  buy_config_mode: mode,
  buy_config_tiers: tiers,
}: JsonObject): readonly Json[] | undefined {
  return mode === 'tiered' && Array.isArray(tiers) ? tiers : undefined;
}

/** The buys, and of the routes the one that costs more. */
function spentBy(amounts: readonly Spent[]): bigint {
  const on = (route: RoleField['route']) =>
    amounts.reduce(
      (sum, { field, value }) => (field.route === route ? sum + exactUnits(amount(value)) : sum),
      0n,
    );
  return on(undefined) + ROUTES.map(on).reduce(larger, 0n);
}

/** Bundle amounts are no cost of their own: they are a pressure on the slippage. */
const SPENT: ReadonlySet<RoleField['role']> = new Set(['buy_amount', 'tip', 'priority_fee']);

const ofBuys = (fields: readonly RoleField[]) => fields.filter(({ role }) => SPENT.has(role));
const SPENT_FIELDS = { sniper: ofBuys(ROLE_FIELDS.sniperConfig), set: ofBuys(ROLE_FIELDS.buyParameterSet) };

interface Running {
  readonly task: Pick<LiveTask, 'collection' | 'config'>;
  /** Paths of values that are never shown. */
  readonly secrets?: readonly string[] | undefined;
  /** The other project that it belongs to. */
  readonly project?: string | undefined;
}

/** Running tasks outside git with their worst case, by whose they are: nobody's first, then by the name of the project. */
export function outsideOf(tasks: readonly Running[]): Outside[] {
  return [...byKey(tasks, ({ project = '' }) => project)]
    .sort(([a], [b]) => compareTexts(a, b))
    .map(([project, some]) => ({ project: project || null, ...sumOf(some) }));
}

/** Running tasks with their worst case. */
export function sumOf(tasks: readonly Running[]): Omit<Outside, 'project'> {
  const stakes = tasks.map(({ task: { collection, config }, secrets = [] }) => {
    const { config: definition } = kindOf(collection);
    if (isSecretStake(definition, config, secrets)) return { sol: '0', readable: false };
    return { sol: exposureOf(definition, config), readable: isReadable(definition, config) };
  });
  return {
    tasks: tasks.length,
    sol: addDecimals(stakes.map(({ sol }) => sol)),
    unreadable: stakes.filter(({ readable }) => !readable).length,
  };
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function amount(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
