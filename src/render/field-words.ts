import { compareDecimals, isDecimal, maxDecimal } from '../model/decimal.ts';
import type { Field } from '../model/generated/plan.ts';
import { isObject, jsonEqual } from '../model/json.ts';
import { SECRET } from '../model/secret.ts';
import { costGroupOf, costOf, isRaised } from '../plan/stakes/cost.ts';
import { costCounts, withCost } from './cost-words.ts';
import { differenceOf, sidesText } from './differences.ts';
import { count } from './layout.ts';
import { quoted, valueText } from './value-text.ts';

/** Differences in a few words: `amount 0.2 → 0.9 SOL ×4.5, relay slippage 15 → 25 %`. */

/** The maximum of fields that cost money, and of fields in total, that are written out. */
const MOST_MONEY = 6;
const MOST = 3;
/** Longer values appear only in the details. */
const LONGEST = 40;

/** Short names for the most frequently edited fields. Every other field has its path. */
const AMOUNT = /^config\.(?:buy_amount|buy_config_universal\.amount_sol)$/;
const NAMES: readonly (readonly [RegExp, string])[] = [
  [AMOUNT, 'amount'],
  [/^config\.(relay|priority)_mode\.(?:tip_amount|(slippage))$/, '$1 '],
  [/^config\.buy_config_universal\.(relay|priority)_(slippage|tip)$/, '$1 $2'],
  [/^config\.(?:buy_config_universal\.)?/, ''],
];
const SOL = /(?:amount|amount_sol|tip|priority_fee)$/;
const WALLETS = /^(?:target_wallet|linked_wallets|config\.address_blacklist\.wallets)$/;

/** The fields of a change that are not shown elsewhere, in order. Only fields without cost may be cut to `least`. */
export function fieldWords(fields: readonly Field[], least = MOST): string {
  const money = fields.filter(({ path }) => costGroupOf(costOf(path)) === 'money').length;
  const most = Math.min(MOST_MONEY, Math.max(least, money));
  // Fields that become more expensive, are switched off or are lost are never left out.
  const isShown = (field: Field, index: number) => index < most || isRaised(field) || isLost(field);
  const shown = fields.filter(isShown);
  const hidden = fields.filter((field, index) => !isShown(field, index));
  const words = shown.map(oneField).join(', ');
  if (hidden.length === 0) return words;
  const costs = hidden.map(({ path }) => costOf(path)).filter((cost) => costGroupOf(cost) === 'money');
  const dear = costCounts(costs.reduce((counts, cost) => withCost(counts, cost, 1), {}));
  const more = `${words} and ${hidden.length} more${dear === '' ? '' : ` (${dear})`}`;
  return shown.length === 0 ? count(hidden.length, 'field') : more;
}

/** A limit, a filter or a safety setting that no longer applies, or a field that the service drops. */
function isLost({ path, after, sensitive, legacy }: Field): boolean {
  if (legacy === true) return true;
  const isOff = after === undefined || after === null || after === false || after === '' || after === '0';
  return !sensitive && isOff && costGroupOf(costOf(path)) === 'money';
}

function oneField(field: Field): string {
  const { path, before, after, sensitive, legacy } = field;
  const name = shortName(path);
  if (sensitive) return `${name} ${SECRET}`;
  if (legacy === true) return `${name} ${after === undefined ? 'dropped' : 'written'} (legacy)`;
  const parts = partsOf(field);
  if (parts.length > 0) return fieldWords(parts);
  const difference = differenceOf(field);
  if (difference.list !== undefined) {
    const signed = difference.list.lines.flatMap((line) => (line.sign === 'same' ? [] : [line]));
    const all = signed.map(({ sign, text }) => `${sign === '+' ? '+' : '-'}${text}`).join(' ');
    if (all.length <= (all.includes('{') ? 1 : 2) * LONGEST && !WALLETS.test(path)) return `${name} ${all}`;
    const count = (wanted: string) => signed.filter(({ sign }) => sign === wanted).length;
    const parts = [['-', count('-')] as const, ['+', count('+')] as const];
    return `${name} ${parts.flatMap(([sign, many]) => (many === 0 ? [] : [`${sign}${many}`])).join(' ')}`;
  }
  const text = sidesText(difference);
  if (text.length > 2 * LONGEST) return `${name} ${wordOf(field)}`;
  const amounts = [before, after].every((side) => typeof side === 'string' && isDecimal(side));
  if (!amounts) return `${name} ${text}`;
  if (/slippage$/.test(path)) return `${name} ${text} %`;
  return SOL.test(path)
    ? `${name} ${text} SOL${factorText(String(before), String(after))}`
    : `${name} ${text}`;
}

function wordOf({ before, after }: Field): string {
  if (after === undefined || after === null) return 'removed';
  return before === undefined || before === null ? 'added' : 'changed';
}

/** For two lists with the same number of objects, for example tiers: the fields that differ within the objects. */
function partsOf({ path, before, after, sensitive }: Field): readonly Field[] {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return [];
  return before.flatMap((was: unknown, index): readonly Field[] => {
    const becomes: unknown = after[index];
    if (!isObject(was) || !isObject(becomes)) return [];
    return [...new Set([...Object.keys(was), ...Object.keys(becomes)])]
      .filter((key) => !jsonEqual(was[key] ?? null, becomes[key] ?? null))
      .map((key) => ({
        path: `${path}[${index}].${key}`,
        sensitive,
        ...(was[key] === undefined ? {} : { before: was[key] }),
        ...(becomes[key] === undefined ? {} : { after: becomes[key] }),
      }));
  });
}

function shortName(path: string): string {
  const [pattern, name = ''] = NAMES.find(([wanted]) => wanted.test(path)) ?? [/^/, ''];
  const short = path.replace(pattern, name);
  // A key of an open object may be any text, even the words around it.
  if (!/^[\w.[\]-]* ?\w*$/.test(short)) return quoted(short);
  if (!short.endsWith(' ')) return short;
  return `${short}${path.endsWith('slippage') ? 'slippage' : 'tip'}`;
}

/** ` ×4.5`. Empty from or to 0, which has no multiple. */
function factorText(before: string, after: string): string {
  if (compareDecimals(before, '0') === 0 || compareDecimals(after, '0') === 0) return '';
  const factor = Number(after) / Number(before);
  const text = factor >= 10 ? factor.toFixed(0) : String(Number(factor.toPrecision(2)));
  return text === '1' ? '' : ` ×${text}`;
}

/** How a new task trades: `buys 0.5 SOL`, `slippage 20 %`, `tip up to 0.01 SOL`, `no auto-sell`. */
export function tradeWords(fields: readonly Field[]): readonly string[] {
  const config = fields.filter(({ path }) => path.startsWith('config.'));
  const said = (wanted: RegExp, words: string, unit: string) => {
    const found = config.filter(({ path, after }) => wanted.test(path) && after !== '' && after !== null);
    const values = new Set(found.map(({ after, sensitive }) => (sensitive ? SECRET : valueText(after))));
    const [first, ...others] = values;
    const most = values.has(SECRET) ? SECRET : maxDecimal([...values]);
    if (first === undefined) return [];
    return [`${words} ${others.length === 0 ? first : `up to ${most}`} ${unit}`];
  };
  const sells = config.some(
    ({ path, after, sensitive }) => SELLS.test(path) && (sensitive || after === true),
  );
  return [
    ...said(AMOUNT, 'buys', 'SOL'),
    ...said(/slippage$/, 'slippage', '%'),
    ...said(/tip(?:_amount)?$/, 'tip', 'SOL'),
    ...(sells || config.length === 0 ? [] : ['no auto-sell']),
  ];
}

const SELLS = /^config\.(?:(?:auto_sell|timed_strategy)\.enabled|auto_strategy\.timed_sell)$/;

/** Addresses of wallets with their names in the wallet books. */
export type WalletNames = ReadonlyMap<string, string>;

/** Inverts the books, which map name → address. If an address has two names, the first in the alphabet wins. */
export function walletNames(books: ReadonlyMap<string, string>): WalletNames {
  return new Map([...books].sort(([a], [b]) => (a < b ? 1 : -1)).map(([name, address]) => [address, name]));
}

/**
 * A shortened wallet, only to identify it: `9fZp…1MJae (kucoin)`. A wallet that a change sets is written in full, because
 * lookalikes have the same ends.
 */
export function shortWallet(address: string, names: WalletNames): string {
  const name = names.get(address);
  const short = address.length < 16 ? address : `${address.slice(0, 4)}…${address.slice(-5)}`;
  return name === undefined ? short : `${short} (${name})`;
}

/** The maximum of blacklist wallets that are written out, removed ones first. Linked wallets are all written out. */
const MOST_WALLETS = 12;

/** Addresses of wallets that the fields set or remove, each on its own line and never shortened. */
export function walletLines(fields: readonly Field[], names: WalletNames = NO_NAMES): readonly string[] {
  const named = (address: string) => [names.get(address) ?? ''].filter((name) => name !== '');
  return fields
    .filter(({ path }) => WALLETS.test(path))
    .flatMap((field) => {
      const { path } = field;
      const { before, after, list } = differenceOf(field);
      if (path === 'target_wallet') {
        return [
          ...(before === undefined ? [] : [`  ${withWords(before, named(before))}`]),
          ...(after === undefined ? [] : [`→ ${withWords(after, named(after))}`]),
        ];
      }
      const lines =
        list === undefined
          ? [...signed('-', field.before), ...signed('+', field.after)]
          : list.lines.flatMap((line) => (line.sign === 'same' ? [] : [`${line.sign} ${line.text}`]));
      const most = path === 'linked_wallets' ? lines.length : MOST_WALLETS;
      const more = lines.length - most;
      return [
        ...lines.slice(0, most).map((line) => withWords(line, [...named(line.slice(2)), shortName(path)])),
        ...(more > 0 ? [`… and ${more} more in ${shortName(path)}`] : []),
      ];
    });
}

const NO_NAMES: WalletNames = new Map();

function withWords(text: string, words: readonly string[]): string {
  return words.length === 0 ? text : `${text} (${words.join(', ')})`;
}

function signed(sign: '+' | '-', items: unknown): readonly string[] {
  return (Array.isArray(items) ? items : []).map((item) => `${sign} ${valueText(item)}`);
}
