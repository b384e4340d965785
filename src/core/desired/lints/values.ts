import { nearest } from '../../diagnostics/suggest.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import { anywhereBelow, type SchemaNode, schemaAt, visitWhere } from '../../manifest/schema.ts';
import type { Path } from '../../manifest/spans.ts';
import { madeOnce } from '../../model/by-key.ts';
import { addDecimals, compareDecimals, isDecimal } from '../../model/decimal.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { CONFIG, type ConfigCheck, type ConfigPlace, type ReportAtPath } from '../rules/rule.ts';
import { activeSets, allSets, tiersIn } from './buy-parameters.ts';
import { configField, isPositive, isSet } from './lint.ts';

/** Values that have no effect under the present switch, and that one change of the switch would activate (HAZARDS 17). */
export const dormantValues: ConfigCheck = (place, report) => {
  if (place.definition === 'copyTradeConfig') {
    checkOtherSide(place, report);
    checkBlacklist(place, report);
  }
  checkAutoSell(place, report);
  checkList(place, ['timed_strategy'], 'orders', report);
};

/** The buy parameters of the other mode. If they are required, an empty `amount_sol` says that they are not meant. */
function checkOtherSide({ config }: ConfigPlace, report: ReportAtPath): void {
  const { buy_config_mode: mode } = config;
  const tiers = mode === 'universal' ? tiersIn(config) : [];
  if (tiers.length > 0) {
    const amounts = tiers
      .map(({ values }) => (isSet(values.amount_sol) ? values.amount_sol : '""'))
      .join(', ');
    report(
      [...CONFIG, 'buy_config_tiers'],
      `buy_config_tiers (amount_sol ${amounts}) has no effect in universal mode; buy_config_mode: tiered would activate it`,
      'write buy_config_tiers: [] until you want tiers',
    );
  }
  const { amount_sol: amount } = partOf(config, 'buy_config_universal');
  if (mode === 'tiered' && isSet(amount)) {
    report(
      [...CONFIG, 'buy_config_universal', 'amount_sol'],
      `buy_config_universal.amount_sol ${amount} has no effect in tiered mode; buy_config_mode: universal would activate it`,
      'write amount_sol: "" until you want the universal mode',
    );
  }
}

function checkBlacklist({ config }: ConfigPlace, report: ReportAtPath): void {
  const { enabled, wallets } = partOf(config, 'address_blacklist');
  if (enabled !== false || length(wallets) === 0) return;
  report(
    [...CONFIG, 'address_blacklist', 'wallets'],
    `address_blacklist is off, so it blocks no purchase from its wallets (${length(wallets)}); they are only observed`,
    'write enabled: true, or wallets: []',
  );
}

function checkAutoSell(place: ConfigPlace, report: ReportAtPath): void {
  const at = [...CONFIG, 'auto_sell'];
  const sell = partOf(place.config, 'auto_sell');
  if (sell.enabled === true) checkList(place, ['auto_sell', 'trailing_take_profit'], 'tiers', report);
  if (sell.enabled !== false) return;
  const orders = ['tp_orders', 'sl_orders'].filter((field) => length(sell[field]) > 0);
  const flags = ['follow_sell', 'proportional_sell'].filter((field) => sell[field] === true);
  const trailing = 'trailing_take_profit';
  const holds = [
    ...orders.map((field) => ({ path: [...at, field], words: `${field} (${length(sell[field])})` })),
    ...flags.map((field) => ({ path: [...at, field], words: field })),
    ...(partOf(sell, trailing).enabled === true ? [{ path: [...at, trailing], words: trailing }] : []),
  ];
  const [first] = holds;
  if (first === undefined) return;
  report(
    first.path,
    `auto_sell is off, but contains ${holds.map(({ words }) => words).join(', ')}; enabled: true would activate it`,
    'write enabled: true if it should sell, or remove what is not intended',
  );
}

/** A part with its own switch, and a list that counts while the switch is on. */
function checkList(
  { config }: ConfigPlace,
  names: readonly string[],
  field: string,
  report: ReportAtPath,
): void {
  const part = names.reduce(partOf, config);
  const number = length(part[field]);
  if (part.enabled !== false || number === 0) return;
  const path = [...CONFIG, ...names];
  report(
    [...path, field],
    `${configField(path)} is off, but contains ${field} (${number}); enabled: true would activate them`,
    `write enabled: true if they should have an effect, or ${field}: []`,
  );
}

const NOTHING: JsonObject = {};

function partOf(value: JsonObject, name: string): JsonObject {
  const part = value[name];
  return isObject(part) ? part : NOTHING;
}

function length(value: Json | undefined): number {
  return Array.isArray(value) ? value.length : 0;
}

/**
 * What `dev_sell_only` ignores according to the interface (HAZARDS 19). It also ignores Anti-PVP, but its fields are not
 * documented.
 */
export const ignoredUnderDevSell: ConfigCheck = ({ config }, report) => {
  if (config.dev_sell_only !== true) return;
  for (const field of ['min_trade_amount', 'max_trade_amount']) {
    const amount = config[field];
    if (!isSet(amount)) continue;
    report(
      [...CONFIG, field],
      `${field} ${amount} is ignored because dev_sell_only is true`,
      `write ${field}: ""`,
    );
  }
  if (config.skip_dev_launch !== true) return;
  report(
    [...CONFIG, 'skip_dev_launch'],
    'skip_dev_launch: true is ignored because dev_sell_only is true',
    'remove skip_dev_launch, or write dev_sell_only: false',
  );
};

/** Legacy fields that are still accepted on write, if they have a value (HAZARDS 20). No manifest is rewritten. */
export const legacyField: ConfigCheck = ({ config, definition }, report) => {
  const sniper = definition === 'sniperConfig';
  if (isSet(config.bundle_amount)) {
    report(
      [...CONFIG, 'bundle_amount'],
      sniper
        ? `bundle_amount ${config.bundle_amount} is a legacy fallback: the values in relay_mode and priority_mode take precedence`
        : `bundle_amount ${config.bundle_amount} is a legacy field: its effect beside the amounts of the routes is not documented`,
      sniper
        ? 'write bundle_amount in relay_mode and in priority_mode, and remove this one'
        : 'write relay_bundle_amount and priority_bundle_amount in the buy parameters, and remove this one',
    );
  }
  if (sniper && config.sol_slippage_mode === true) {
    report(
      [...CONFIG, 'sol_slippage_mode'],
      'sol_slippage_mode: true is a legacy flag for both routes: the flags in relay_mode and priority_mode take precedence',
      'write sol_slippage_mode in relay_mode and in priority_mode, and remove this one',
    );
  }
  for (const { path: at, values } of sniper ? [] : allSets(config)) {
    if (values.sol_slippage_mode !== true) continue;
    const path: Path = [...at, 'sol_slippage_mode'];
    report(
      path,
      `${configField(path)}: true is a legacy flag for both routes`,
      'write relay_sol_slippage_mode and priority_sol_slippage_mode, and remove this one',
    );
  }
};

/** The fields of one route. If the route lacks its own fields, the shared ones count. */
interface Route {
  readonly slippage: Path;
  readonly bundle: Path;
  readonly sharedBundle?: Path;
  readonly solMode: Path;
  readonly sharedSolMode: Path;
  /** The condition for a positive bundle amount, in the interface's words. */
  readonly where: string;
}

/** A percentage that limits nothing, because a bundle amount or the SOL mode overrides it, for each route (HAZARDS 14). */
export const slippageInert: ConfigCheck = (place, report) => {
  for (const route of routesIn(place)) checkRoute(place.manifest, route, report);
};

/** A percentage below 1, where a share of 1 is perhaps meant. One without effect has a warning of its own. */
export const slippageBelow1: ConfigCheck = (place, report) => {
  for (const route of routesIn(place)) {
    const slippage = place.manifest.text(...route.slippage);
    if (!isPositive(slippage) || compareDecimals(slippage, '1') >= 0) continue;
    let inert = false;
    checkRoute(place.manifest, route, () => {
      inert = true;
    });
    if (inert) continue;
    report(
      route.slippage,
      `${configField(route.slippage)} ${slippage} means ${slippage} %: the field takes percent, not a share of 1`,
      'write 20 for 20 %',
    );
  }
};

function routesIn({ config, definition }: ConfigPlace): readonly Route[] {
  if (definition === 'sniperConfig') return MODES;
  return activeSets(config).flatMap(({ path }) =>
    madeOnce(ROUTES, path, () => ['relay', 'priority'].map((route) => copyTradeRoute(path, route))),
  );
}

function sniperRoute(mode: string): Route {
  const at = [...CONFIG, mode];
  return {
    slippage: [...at, 'slippage'],
    bundle: [...at, 'bundle_amount'],
    sharedBundle: [...CONFIG, 'bundle_amount'],
    solMode: [...at, 'sol_slippage_mode'],
    sharedSolMode: [...CONFIG, 'sol_slippage_mode'],
    where: '',
  };
}

/** By the path of the buy parameters. */
const ROUTES = new Map<Path, readonly Route[]>();
const MODES = ['relay_mode', 'priority_mode'].map(sniperRoute);

function copyTradeRoute(set: Path, route: string): Route {
  return {
    slippage: [...set, `${route}_slippage`],
    bundle: [...set, `${route}_bundle_amount`],
    solMode: [...set, `${route}_sol_slippage_mode`],
    sharedSolMode: [...set, 'sol_slippage_mode'],
    where: ' on DEXes that support bundle pool advancement',
  };
}

function checkRoute(manifest: Manifest, route: Route, report: ReportAtPath): void {
  const slippage = manifest.text(...route.slippage);
  if (slippage === undefined) return;
  const bundle = firstGiven(manifest, route.bundle, route.sharedBundle);
  const solMode = firstGiven(manifest, route.solMode, route.sharedSolMode);
  if (solMode !== undefined && manifest.get(...solMode) === true) {
    report(
      route.slippage,
      `${configField(route.slippage)} ${slippage} % has no effect: ${configField(solMode)} is true, so the route uses SOL slippage`,
      `write ${configField(route.solMode)}: false to use the percentage`,
    );
  }
  const amount = bundle === undefined ? undefined : manifest.get(...bundle);
  if (bundle !== undefined && isPositive(amount)) {
    report(
      route.slippage,
      `${configField(route.slippage)} ${slippage} % has no effect${route.where}: ${configField(bundle)} is ${amount}`,
      `write ${configField(route.bundle)}: "" to use the percentage`,
    );
  }
}

function firstGiven(manifest: Manifest, ...paths: readonly (Path | undefined)[]): Path | undefined {
  return paths.find((path) => path !== undefined && manifest.get(...path) !== undefined);
}

const LADDERS = [
  ['auto_sell', 'tp_orders'],
  ['auto_sell', 'sl_orders'],
  ['timed_strategy', 'orders'],
] as const;

/**
 * Sell orders that together sell more than there is. The unit of a share is not documented, nor are the fields of some orders.
 * An order without a readable `sell` is skipped.
 */
export const ladderOver100: ConfigCheck = ({ config }, report) => {
  for (const [name, field] of LADDERS) {
    const part = config[name];
    const orders = isObject(part) && part.enabled === true ? part[field] : undefined;
    if (Array.isArray(orders) && mayBeOver(orders)) checkLadder([...CONFIG, name, field], orders, report);
  }
};

/** False for most: their sum is below the limit by far more than the error of a float. */
function mayBeOver(orders: readonly Json[]): boolean {
  let sum = 0;
  for (const order of orders) sum += Number(share(order) ?? 0);
  return sum > 99;
}

function checkLadder(path: Path, orders: readonly Json[], report: ReportAtPath): void {
  const shares = orders.flatMap((order, index) => {
    const text = share(order);
    return text === undefined ? [] : [{ text, index }];
  });
  const texts = shares.map(({ text }) => text);
  const sum = addDecimals(texts);
  if (compareDecimals(sum, '100') <= 0) return;
  const over = shares.find((_, at) => compareDecimals(addDecimals(texts.slice(0, at + 1)), '100') > 0);
  if (over === undefined) return;
  const parts = texts.length === 1 ? sum : `${texts.join(' + ')} = ${sum}`;
  report(
    [...path, over.index, 'sell'],
    `${configField(path)} sells ${parts} %, more than there is`,
    'lower the shares to 100 in total, unless each is a share of what is left',
  );
}

function share(order: Json): string | undefined {
  if (!isObject(order)) return undefined;
  const { sell } = order;
  const text = typeof sell === 'number' ? String(sell) : sell;
  return typeof text === 'string' && isDecimal(text) ? text : undefined;
}

/**
 * Fields of the sell-side objects that the interface does not document. They are sent unchanged, and so are typing errors.
 * Nothing below such a field is examined, and no item of an undocumented shape.
 */
export const unshownField: ConfigCheck = ({ manifest, config }, report) => {
  const tell = (part: Json, { properties, 'x-open': open }: SchemaNode, path: Path) => {
    if (!isObject(part) || properties === undefined || open !== true) return;
    for (const key of Object.keys(part))
      if (!Object.hasOwn(properties, key)) say([...path, key], properties, part, report);
  };
  visitWhere(holdsOpen, config, schemaAt(manifest.schema, CONFIG), tell, [...CONFIG]);
};

const holdsOpen = anywhereBelow((schema) => schema.properties !== undefined && schema['x-open'] === true);

function say(path: Path, properties: object, value: object, report: ReportAtPath): void {
  // A field that is present as well cannot be the intended one.
  const names = Object.keys(properties).filter((name) => !Object.hasOwn(value, name));
  const near = nearest(String(path.at(-1)), names);
  report(
    path,
    `the service does not document a field ${configField(path)}: it is sent unchanged, and may have no effect`,
    near === undefined ? 'check the spelling' : `did you mean ${near}?`,
  );
}
