import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { CONFIG, configs } from '../rules/rule.ts';
import { tierPaths } from './buy-sets.ts';
import { configField, isSet, type Lint, type LintReport } from './lint.ts';

/** Values that do nothing as long as a switch stands as it does, and that one change of it would wake (HAZARDS 17). */
export const dormantValues: Lint = {
  code: 'dormant-values',
  check(input, report) {
    const copyTrades = configs(input, 'copyTradeConfig');
    for (const { manifest } of copyTrades) {
      checkOtherSide(manifest, report);
      checkBlacklist(manifest, report);
    }
    for (const { manifest } of [...configs(input, 'sniperConfig'), ...copyTrades]) {
      checkAutoSell(manifest, report);
      checkList(manifest, [...CONFIG, 'timed_strategy'], 'orders', report);
    }
  },
};

/** The buy parameters that `buy_config_mode` leaves out. Where they must stand, an empty `amount_sol` means nothing by them. */
function checkOtherSide(manifest: Manifest, report: LintReport): void {
  const mode = manifest.text(...CONFIG, 'buy_config_mode');
  const tiers = tierPaths(manifest);
  if (mode === 'universal' && tiers.length > 0) {
    const amounts = tiers.map((tier) => manifest.text(...tier, 'amount_sol') || '""').join(', ');
    report(
      manifest,
      [...CONFIG, 'buy_config_tiers'],
      `buy_config_tiers (amount_sol ${amounts}) does nothing in universal mode; buy_config_mode: tiered would wake it`,
      'write buy_config_tiers: [] until tiers are wanted',
    );
  }
  const amount = manifest.text(...CONFIG, 'buy_config_universal', 'amount_sol');
  if (mode === 'tiered' && isSet(amount)) {
    report(
      manifest,
      [...CONFIG, 'buy_config_universal', 'amount_sol'],
      `buy_config_universal.amount_sol ${amount} does nothing in tiered mode; buy_config_mode: universal would wake it`,
      'write amount_sol: "" there until it is wanted',
    );
  }
}

function checkBlacklist(manifest: Manifest, report: LintReport): void {
  const at = [...CONFIG, 'address_blacklist'];
  const wallets = manifest.list(...at, 'wallets') ?? [];
  if (manifest.get(...at, 'enabled') !== false || wallets.length === 0) return;
  report(
    manifest,
    [...at, 'wallets'],
    `address_blacklist is off, so its wallets (${wallets.length}) keep nothing from being bought; they are only observed`,
    'write enabled: true, or wallets: []; if they shall only be observed for now, say so in an annotation',
  );
}

function checkAutoSell(manifest: Manifest, report: LintReport): void {
  const at = [...CONFIG, 'auto_sell'];
  const trailing = [...at, 'trailing_take_profit'];
  if (manifest.get(...at, 'enabled') === true) checkList(manifest, trailing, 'tiers', report);
  if (manifest.get(...at, 'enabled') !== false) return;
  const orders = ['tp_orders', 'sl_orders'].filter((field) => length(manifest, [...at, field]) > 0);
  const flags = ['follow_sell', 'proportional_sell'].filter((field) => manifest.get(...at, field) === true);
  const holds = [
    ...orders.map((field) => ({
      path: [...at, field],
      words: `${field} (${length(manifest, [...at, field])})`,
    })),
    ...flags.map((field) => ({ path: [...at, field], words: field })),
    ...(manifest.get(...trailing, 'enabled') === true
      ? [{ path: trailing, words: 'trailing_take_profit' }]
      : []),
  ];
  const [first] = holds;
  if (first === undefined) return;
  report(
    manifest,
    first.path,
    `auto_sell is off, but holds ${holds.map(({ words }) => words).join(', ')}; enabled: true would wake that`,
    'write enabled: true if it shall sell, or take out what is not meant',
  );
}

/** A part that has its own switch, and a list that counts while it is on. */
function checkList(manifest: Manifest, part: Path, field: string, report: LintReport): void {
  const number = length(manifest, [...part, field]);
  if (manifest.get(...part, 'enabled') !== false || number === 0) return;
  report(
    manifest,
    [...part, field],
    `${configField(part)} is off, but holds ${field} (${number}); enabled: true would wake them`,
    `write enabled: true if they shall count, or ${field}: []`,
  );
}

function length(manifest: Manifest, path: Path): number {
  return manifest.list(...path)?.length ?? 0;
}
