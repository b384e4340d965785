import { warning } from '../../diagnostics/diagnostic.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { isFreeze, switchFreezeOf } from '../../model/freeze.ts';
import type { Change, Field, Plan, PlanDiagnostic } from '../../model/generated/plan.ts';
import { isObject, objectIn } from '../../model/json.ts';
import { markerOf, ownMarkerOf, type ProjectNames } from '../../model/marker.ts';
import { named } from '../../model/named.ts';
import { partAt } from '../../model/parts.ts';
import type { LiveLabel, LiveTask } from '../../model/resource.ts';
import { type Cost, costOf, isRunning } from './cost.ts';

/** Classes of fields with which a task may spend more. */
const SPENDING: ReadonlySet<Cost> = new Set([
  'wallets',
  'amounts',
  'slippage',
  'tips',
  'dexes',
  'blacklists',
  // Undocumented: a legacy field may be a limit.
  'other',
]);
/** Undocumented fields are among them: one keeps others from being bought, one is the fee of a sale. */
const STRATEGY = /^config\.auto_strategy(?!\.(?:migration_clear|timed_sell|sell_delay)$)/;

export const spends = (path: string) => SPENDING.has(costOf(path)) || STRATEGY.test(path);

/**
 * True if a freeze of the account blocks a change: afterwards a task trades that did not, another one trades in its place, or one that
 * runs, or that the end of a pause starts again, may spend more. What stops, lowers, renames and removes goes on.
 */
export function isBlockedByFreeze(change: Change): boolean {
  const { starts_trading, stops_trading, action, exposure, fields, operations, former } = change;
  if (starts_trading) return true;
  if (stops_trading || operations.length === 0 || action === 'delete') return false;
  if (!isRunning(change) && !change.held) return false;
  if (action === 'replace' || compareDecimals(exposure.after, exposure.before) > 0) return true;
  // What a wallet launches that is linked no longer, the task skips no longer.
  const skips = isObject(former) && objectIn(former.config).skip_dev_launch === true;
  return !onlyLower(fields, skips);
}

/** True if fields spend no more afterwards. `skips`: what a linked wallet launches is skipped. */
export function onlyLower(fields: readonly Field[], skips: boolean): boolean {
  const lowered = (field: Field) => isLowered(field) && !(skips && partAt(field.path)?.cost === 'wallets');
  return fields.every((field) => !spends(field.path) || lowered(field));
}

type Lowers = (before: unknown, after: unknown) => boolean;

const amount = (value: unknown): value is string => typeof value === 'string' && isDecimal(value);
const lower: Lowers = (before, after) =>
  amount(before) && amount(after) && compareDecimals(after, before) <= 0;
const contains: Lowers = (all, some) =>
  Array.isArray(all) && Array.isArray(some) && some.every((one) => all.includes(one));

/** Which way a field lowers what its task spends. A field without a row only raises. */
const LOWERS: readonly (readonly [RegExp, Lowers])[] = [
  // At 0, the percentage of the route takes its place.
  [
    /bundle_amount$/,
    (before, after) => lower(before, after) && amount(after) && compareDecimals(after, '0') > 0,
  ],
  [/(?:^config\.buy_amount|\.amount_sol|tip|tip_amount|priority_fee|slippage)$/, lower],
  [/^config\.[\w.]*(?:max_trade_amount|dev_max_amount|market_cap_max)$/, lower],
  [
    /^config\.[\w.]*(?:min_trade_amount|dev_min_amount|market_cap_min)$/,
    (before, after) => lower(after, before || '0'),
  ],
  [/^config\.selected_dexes$/, contains],
  [/^config\.address_blacklist$/, (before, after) => contains(after, before)],
  [/\.(?:buy_once|buy_token_once|first_buy_only|skip_dev_launch)$/, (_before, after) => after === true],
];

function isLowered({ path, before, after, sensitive }: Field): boolean {
  const lowers = partAt(path) ? contains : LOWERS.find(([pattern]) => pattern.test(path))?.[1];
  return !sensitive && lowers?.(before, after) === true;
}

/** Which labels freeze a project: all but those of other projects that have tasks on the account, and from which none is taken over. */
export function freezesOf(
  project: ProjectNames,
  tasks: readonly LiveTask[],
  changes: readonly Change[] = [],
): (label: Pick<LiveLabel, 'name'>) => boolean {
  const taken = changes.flatMap(({ actions, id }) => (actions.includes('take-over') ? [id] : []));
  const foreign = tasks.filter((task) => ownMarkerOf(task, project) === undefined);
  const projects = (some: readonly LiveTask[]) => some.map((task) => markerOf(task)?.project);
  const others = new Set(projects(foreign));
  for (const name of projects(foreign.filter(({ id }) => taken.includes(id)))) others.delete(name);
  return (label) => {
    const frozen = switchFreezeOf(label);
    return isFreeze(label) && (frozen === undefined || !others.has(frozen));
  };
}

/** The warning that something is frozen, and how much of a plan waits for the end of the freeze. */
export function freezeWarnings(
  labels: readonly LiveLabel[],
  changes: Plan['changes'],
): readonly PlanDiagnostic[] {
  const [label] = labels;
  if (label === undefined) return [];
  const blocked = changes.filter(isBlockedByFreeze).map(({ address }) => address);
  const text = blocked.length === 0 ? '' : ` Of this plan it blocks ${named(blocked, 5)}.`;
  const frozen = switchFreezeOf(label);
  const scope = frozen === '' ? ' --include-unmanaged' : '';
  const until = frozen === undefined ? '' : ` until \`tradeform resume --all${scope}\``;
  return [
    warning(
      'frozen',
      `Starts are frozen by the label ${JSON.stringify(label.name.trim())}: no apply starts or raises anything${until}.${text}`,
      'Delete the label when the reason is gone; `tradeform resume --all` deletes the one of `pause --all`.',
    ),
  ];
}
