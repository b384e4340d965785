import { byKey } from '../../model/by-key.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import { addDecimals, digitsOf, exactUnits, isDecimal } from '../../model/decimal.ts';
import { overlaps } from '../../model/field-path.ts';
import { ROLE_FIELDS, ROUTES, type RoleField } from '../../model/generated/money.ts';
import type { Outside } from '../../model/generated/plan.ts';
import { type JsonObject, valueAt } from '../../model/json.ts';
import { type ConfigDefinition, kindOf } from '../../model/kind.ts';
import type { LiveTask } from '../../model/resource.ts';
import { buySets } from './buy-sets.ts';

/**
 * The worst case per trigger in SOL: the buy amount plus the larger of the two routes' tip and fee; with tiers, the
 * most expensive tier. Amounts that are missing or not decimals count as 0 (legacy snapshots); see `isReadable`.
 */
export function exposureOf(definition: ConfigDefinition, config: JsonObject): string {
  return digitsOf(countedIn(definition, config).map(spentBy).reduce(larger, 0n));
}

/** False if an amount that counts is missing or not a decimal. */
export function isReadable(definition: ConfigDefinition, config: JsonObject): boolean {
  const sets = countedIn(definition, config);
  return sets.length > 0 && sets.flat().every(({ value }) => isDecimal(amount(value)));
}

/** True if an amount that counts is at one of these paths. */
export function isSecretStake(
  definition: ConfigDefinition,
  config: JsonObject,
  secrets: readonly string[],
): boolean {
  if (secrets.length === 0) return false;
  const counted = countedIn(definition, config).flat();
  return counted.some(({ place, field }) => overlaps(secrets, [place, ...field.keys].join('.')));
}

interface Spent {
  readonly place: string;
  readonly field: RoleField;
  readonly value: unknown;
}

/** The amounts that count, by the sets that can fire: of a copy-trade config, those of the active side. */
function countedIn(name: ConfigDefinition, config: JsonObject): readonly (readonly Spent[])[] {
  return buySets(name, config)
    .filter(({ part, fires }) => fires && SPENT_FIELDS[part].length > 0)
    .map(({ part, set, place }) =>
      SPENT_FIELDS[part].map((field) => ({ place, field, value: valueAt(set, ...field.keys) })),
    );
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
const SPENT_FIELDS = {
  sniperConfig: ofBuys(ROLE_FIELDS.sniperConfig),
  copyTradeConfig: ofBuys(ROLE_FIELDS.copyTradeConfig),
  buyParameterSet: ofBuys(ROLE_FIELDS.buyParameterSet),
};

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
