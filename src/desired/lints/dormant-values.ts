import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { CONFIG, type ConfigPlace } from '../rules/rule.ts';
import { tiersIn } from './buy-sets.ts';
import { type ConfigLint, configField, isSet, type LintReport } from './lint.ts';

/** Values that have no effect under the present switch, and that one change of the switch would activate (HAZARDS 17). */
export const dormantValues: ConfigLint = {
  code: 'dormant-values',
  of: ['sniperConfig', 'copyTradeConfig'],
  check(place, report) {
    if (place.definition === 'copyTradeConfig') {
      checkOtherSide(place, report);
      checkBlacklist(place, report);
    }
    checkAutoSell(place, report);
    checkList(place, ['timed_strategy'], 'orders', report);
  },
};

/** The buy parameters of the other mode. If they are required, an empty `amount_sol` says that they are not meant. */
function checkOtherSide({ manifest, config }: ConfigPlace, report: LintReport): void {
  const { buy_config_mode: mode } = config;
  const tiers = mode === 'universal' ? tiersIn(config) : [];
  if (tiers.length > 0) {
    const amounts = tiers
      .map(({ values }) => (isSet(values.amount_sol) ? values.amount_sol : '""'))
      .join(', ');
    report(
      manifest,
      [...CONFIG, 'buy_config_tiers'],
      `buy_config_tiers (amount_sol ${amounts}) has no effect in universal mode; buy_config_mode: tiered would activate it`,
      'write buy_config_tiers: [] until you want tiers',
    );
  }
  const { amount_sol: amount } = partOf(config, 'buy_config_universal');
  if (mode === 'tiered' && isSet(amount)) {
    report(
      manifest,
      [...CONFIG, 'buy_config_universal', 'amount_sol'],
      `buy_config_universal.amount_sol ${amount} has no effect in tiered mode; buy_config_mode: universal would activate it`,
      'write amount_sol: "" until you want the universal mode',
    );
  }
}

function checkBlacklist({ manifest, config }: ConfigPlace, report: LintReport): void {
  const { enabled, wallets } = partOf(config, 'address_blacklist');
  if (enabled !== false || length(wallets) === 0) return;
  report(
    manifest,
    [...CONFIG, 'address_blacklist', 'wallets'],
    `address_blacklist is off, so it blocks no purchase from its wallets (${length(wallets)}); they are only observed`,
    'write enabled: true, or wallets: []; if you only want to observe them for now, say so in an annotation',
  );
}

function checkAutoSell(place: ConfigPlace, report: LintReport): void {
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
    place.manifest,
    first.path,
    `auto_sell is off, but contains ${holds.map(({ words }) => words).join(', ')}; enabled: true would activate it`,
    'write enabled: true if it should sell, or remove what is not intended',
  );
}

/** A part with its own switch, and a list that counts while the switch is on. */
function checkList(
  { manifest, config }: ConfigPlace,
  names: readonly string[],
  field: string,
  report: LintReport,
): void {
  const part = names.reduce(partOf, config);
  const number = length(part[field]);
  if (part.enabled !== false || number === 0) return;
  const path = [...CONFIG, ...names];
  report(
    manifest,
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
export const ignoredUnderDevSell: ConfigLint = {
  code: 'ignored-under-dev-sell',
  of: ['copyTradeConfig'],
  check({ manifest, config }, report) {
    if (config.dev_sell_only !== true) return;
    for (const field of ['min_trade_amount', 'max_trade_amount']) {
      const amount = config[field];
      if (!isSet(amount)) continue;
      report(
        manifest,
        [...CONFIG, field],
        `${field} ${amount} is ignored because dev_sell_only is true`,
        `write ${field}: ""`,
      );
    }
    if (config.skip_dev_launch !== true) return;
    report(
      manifest,
      [...CONFIG, 'skip_dev_launch'],
      'skip_dev_launch: true is ignored because dev_sell_only is true',
      'remove skip_dev_launch, or write dev_sell_only: false',
    );
  },
};
