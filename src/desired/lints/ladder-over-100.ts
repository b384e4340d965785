import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { addDecimals, compareDecimals, isDecimal } from '../../model/decimal.ts';
import { isObject, type Json } from '../../model/json.ts';
import { CONFIG } from '../rules/rule.ts';
import { type ConfigLint, configField, type LintReport } from './lint.ts';

const LADDERS = [
  ['auto_sell', 'tp_orders'],
  ['auto_sell', 'sl_orders'],
  ['timed_strategy', 'orders'],
] as const;

/**
 * Sell orders that together sell more than there is. The unit of a share is not documented, nor are the fields of some orders.
 * An order without a readable `sell` is skipped.
 */
export const ladderOver100: ConfigLint = {
  code: 'ladder-over-100',
  of: ['sniperConfig', 'copyTradeConfig'],
  check({ manifest, config }, report) {
    for (const [name, field] of LADDERS) {
      const part = config[name];
      const orders = isObject(part) && part.enabled === true ? part[field] : undefined;
      if (Array.isArray(orders) && mayBeOver(orders))
        checkLadder(manifest, [...CONFIG, name, field], orders, report);
    }
  },
};

/** False for most: their sum is below the limit by far more than the error of a float. */
function mayBeOver(orders: readonly Json[]): boolean {
  let sum = 0;
  for (const order of orders) sum += Number(share(order) ?? 0);
  return sum > 99;
}

function checkLadder(manifest: Manifest, path: Path, orders: readonly Json[], report: LintReport): void {
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
    manifest,
    [...path, over.index, 'sell'],
    `the shares of ${configField(path)} add up to ${parts}; they exceed 100 from this one on`,
    'lower the shares to 100 in total; if each is a share of the remaining amount, say so in an annotation',
  );
}

function share(order: Json): string | undefined {
  if (!isObject(order)) return undefined;
  const { sell } = order;
  const text = typeof sell === 'number' ? String(sell) : sell;
  return typeof text === 'string' && isDecimal(text) ? text : undefined;
}
