import { diffArrays } from 'diff';
import { isUndone } from '../model/change.ts';
import { compareDecimals, isDecimal, maxDecimal } from '../model/decimal.ts';
import type { Field } from '../model/generated/plan.ts';
import { given } from '../model/given.ts';
import { isObject, jsonEqual } from '../model/json.ts';
import { count } from '../model/named.ts';
import { partAt } from '../model/parts.ts';
import { SECRET } from '../model/secret.ts';
import { isUnordered } from '../model/shape.ts';
import { COSTS, type Cost, costGroupOf, costOf, isRaised } from '../plan/stakes/cost.ts';
import { visible } from './untrusted.ts';
import { ABSENT, pairText, quoted, valueText } from './value-text.ts';

/** One field that differs, ready for layout. A side is undefined if the field is absent there. */
interface FieldSides {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly note: string;
  /** `manifests/dawn.yaml:12`, or empty. */
  readonly place: string;
  /** For lists and texts of several lines: the differences within them. */
  readonly list?: {
    readonly lines: readonly ListLine[];
    readonly unit: 'item' | 'line' | 'member';
  };
}

export function differenceOf(field: Field): FieldSides {
  const { before, after, legacy, sensitive } = field;
  const sides = (was: string, becomes: string, note = '') => ({
    path: visible(field.path),
    before: before === undefined ? undefined : was,
    after: after === undefined ? undefined : becomes,
    note,
    place: originText(field),
  });
  if (sensitive) return sides(SECRET, SECRET);
  if (legacy === true) {
    const note =
      after === undefined ? 'legacy, will be dropped' : 'absent in the legacy config, will be added';
    return sides(valueText(before), valueText(after), note);
  }
  const pair = pairText(before, after);
  const whole = sides(pair.before, pair.after, isUndone(field) ? (undoText([field])[0] ?? '') : '');
  if (Array.isArray(before) && Array.isArray(after)) {
    const unordered = isUnordered(field.path);
    const lines = (unordered ? memberDiff : orderedDiff)(before.map(valueText), after.map(valueText));
    if (lines.some(({ sign }) => sign !== 'same'))
      return { ...whole, list: { lines, unit: unordered ? 'member' : 'item' } };
  } else if ([before, after].some((side) => typeof side === 'string' && side.includes('\n'))) {
    return { ...whole, list: { lines: orderedDiff(rows(before), rows(after)), unit: 'line' } };
  }
  return whole;
}

function rows(value: unknown): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? value.split('\n').map(visible) : [valueText(value)];
}

export function originText(field: Pick<Field, 'origin'>): string {
  return field.origin === undefined ? '' : placeText(field.origin);
}

/** `manifests/dawn.yaml:12`. A document that others wrote may hold a text as its line. */
export function placeText({ file, line }: NonNullable<Field['origin']>): string {
  return visible(`${file}:${line}`);
}

/** One line of a diff. A `same` line only counts unchanged lines. */
type ListLine =
  | { readonly sign: '+' | '-'; readonly text: string }
  | { readonly sign: 'same'; readonly count: number };

/** Beyond this many edits, a diff by lines says less than the two texts. It also limits the time. */
const MOST_EDITS = 400;
/** A safety net for the limit above: the time of the diff is quadratic for very different texts. */
const TIMEOUT_MS = 1_000;

/** Unordered lists only lose and gain members. */
function memberDiff(before: readonly string[], after: readonly string[]): ListLine[] {
  const was = new Set(before);
  const will = new Set(after);
  const removed = before.filter((item) => !will.has(item));
  const kept = before.length - removed.length;
  return [
    ...signed('-', removed),
    ...signed(
      '+',
      after.filter((item) => !was.has(item)),
    ),
    ...(kept === 0 ? [] : [{ sign: 'same', count: kept } as const]),
  ];
}

function orderedDiff(before: readonly string[], after: readonly string[]): ListLine[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: MOST_EDITS, timeout: TIMEOUT_MS });
  if (parts === undefined) return [...signed('-', before), ...signed('+', after)];
  return parts.flatMap((part): ListLine[] => {
    if (part.removed) return signed('-', part.value);
    if (part.added) return signed('+', part.value);
    return [{ sign: 'same', count: part.value.length }];
  });
}

function signed(sign: '+' | '-', texts: readonly string[]): ListLine[] {
  return texts.map((text) => ({ sign, text }));
}

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
const BLACKLIST = 'config.address_blacklist.wallets';
const isWallets = (path: string) => path === BLACKLIST || partAt(path)?.cost === 'wallets';

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
  const parts = partsOfKind(field);
  if (parts.length > 0) return fieldWords(parts);
  const difference = differenceOf(field);
  if (difference.list !== undefined) {
    const signed = difference.list.lines.flatMap((line) => (line.sign === 'same' ? [] : [line]));
    const all = signed.map(({ sign, text }) => `${sign === '+' ? '+' : '-'}${text}`).join(' ');
    if (all.length <= (all.includes('{') ? 1 : 2) * LONGEST && !isWallets(path)) return `${name} ${all}`;
    const count = (wanted: string) => signed.filter(({ sign }) => sign === wanted).length;
    const parts = [['-', count('-')] as const, ['+', count('+')] as const];
    return `${name} ${parts.flatMap(([sign, many]) => (many === 0 ? [] : [`${sign}${many}`])).join(' ')}`;
  }
  const text = `${difference.before ?? ABSENT} → ${difference.after ?? ABSENT}`;
  if (text.length > 2 * LONGEST) return `${name} ${wordOf(field)}`;
  const amounts = [before, after].every((side) => typeof side === 'string' && isDecimal(side));
  if (!amounts) return `${name} ${text}`;
  if (/slippage$/.test(path)) return `${name} ${text} %`;
  return SOL.test(path)
    ? `${name} ${text} SOL${factorText(String(before), String(after))}`
    : `${name} ${text}`;
}

/** Who set the first side, and what an apply sets. With values that are short, not secret and those of all tasks (`isTold`). */
export function undoText(fields: readonly Field[], isNamed = false, isTold = true): readonly string[] {
  const names = fields.map(({ path }) => shortName(path));
  const pairs = fields.map(({ before, after }) => pairText(before, after));
  const isShort = pairs.every(({ before, after }) => before.length + after.length <= LONGEST);
  const isHidden = fields.some((field) => [field.before, field.after].includes(undefined) || field.sensitive);
  const what = fields.length > MOST ? count(fields.length, 'field') : names.join(', ');
  if (!isTold || !isShort || isHidden || fields.length > MOST)
    return [`somebody changed ${what} on the service`, 'this apply undoes it'];
  const of = (side: 'before' | 'after') =>
    pairs.map((pair, at) => (isNamed ? `${names[at]} ${pair[side]}` : pair[side])).join(', ');
  return [`somebody set ${of('before')} on the service`, `this apply sets ${of('after')}`];
}

function wordOf({ before, after }: Field): string {
  if (after === undefined || after === null) return 'removed';
  return before === undefined || before === null ? 'added' : 'changed';
}

/** For two lists with the same number of objects, for example tiers: the fields that differ within the objects. */
function partsOfKind({ path, before, after, sensitive }: Field): readonly Field[] {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return [];
  return before.flatMap((was: unknown, index): readonly Field[] => {
    const becomes: unknown = after[index];
    if (!isObject(was) || !isObject(becomes)) return [];
    return [...new Set([...Object.keys(was), ...Object.keys(becomes)])]
      .filter((key) => !jsonEqual(was[key] ?? null, becomes[key] ?? null))
      .map((key) => ({
        path: `${path}[${index}].${key}`,
        sensitive,
        ...given({ before: was[key], after: becomes[key] }),
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

/** ` ×4.5`, ` -94%`. Empty from or to 0, which has no multiple. */
function factorText(before: string, after: string): string {
  if (compareDecimals(before, '0') === 0 || compareDecimals(after, '0') === 0) return '';
  const factor = Number(after) / Number(before);
  const text = factor >= 100 ? factor.toFixed(0) : String(Number(factor.toPrecision(3)));
  const shown = factor < 1 ? percentText(before, after) : text === '1' ? '' : `×${text}`;
  return shown === '' ? '' : ` ${shown}`;
}

/** `+28%`, `-94%`. Empty from 0, or if it rounds to nothing. */
export function percentText(before: string, after: string): string {
  const percent = Math.round((Number(after) / Number(before) - 1) * 100);
  return Number.isFinite(percent) && percent !== 0 ? `${percent > 0 ? '+' : ''}${percent}%` : '';
}

/** How a new or a deleted task trades: `buys 0.5 SOL`, `slippage 20 %`, `tip up to 0.01 SOL`, `no auto-sell`. */
export function tradeWords(fields: readonly Field[]): readonly string[] {
  const config = fields.filter(({ path }) => path.startsWith('config.'));
  const said = (wanted: RegExp, words: string, unit: string) => {
    const found = config.filter(
      ({ path, before, after = before }) => wanted.test(path) && after !== '' && after !== null,
    );
    const values = new Set(
      found.map(({ before, after = before, sensitive }) => (sensitive ? SECRET : valueText(after))),
    );
    const [first, ...others] = values;
    const most = values.has(SECRET) ? SECRET : maxDecimal([...values]);
    if (first === undefined) return [];
    return [`${words} ${others.length === 0 ? first : `up to ${most}`} ${unit}`];
  };
  const sells = config.some(
    ({ path, before, after = before, sensitive }) => SELLS.test(path) && (sensitive || after === true),
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
export function walletLines(fields: readonly Field[], names: WalletNames = new Map()): readonly string[] {
  const named = (address: string) => [names.get(address) ?? ''].filter((name) => name !== '');
  return fields
    .filter(({ path }) => isWallets(path))
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
          ? [...signedTexts('-', field.before), ...signedTexts('+', field.after)]
          : list.lines.flatMap((line) => (line.sign === 'same' ? [] : [`${line.sign} ${line.text}`]));
      const most = path === BLACKLIST ? MOST_WALLETS : lines.length;
      const more = lines.length - most;
      return [
        ...lines.slice(0, most).map((line) => withWords(line, [...named(line.slice(2)), shortName(path)])),
        ...(more > 0 ? [`… and ${more} more in ${shortName(path)}`] : []),
      ];
    });
}

function withWords(text: string, words: readonly string[]): string {
  return words.length === 0 ? text : `${text} (${words.join(', ')})`;
}

function signedTexts(sign: '+' | '-', items: unknown): readonly string[] {
  return (Array.isArray(items) ? items : []).map((item) => `${sign} ${valueText(item)}`);
}

/** The words for the classes of fields. */
const COST_WORDS: Readonly<Record<Cost, string>> = {
  switch: 'starts and stops',
  wallets: 'wallets and targets',
  amounts: 'amounts',
  slippage: 'slippage',
  tips: 'tips and fees',
  dexes: 'DEXes',
  selling: 'selling',
  blacklists: 'blacklists',
  other: 'other settings',
  label: 'labels',
  note: 'names and notes',
};

/** The number of fields or changes in each class. */
export type CostCounts = Readonly<Partial<Record<Cost, number>>>;

export function withCost(counts: CostCounts, cost: Cost, many: number): CostCounts {
  return { ...counts, [cost]: (counts[cost] ?? 0) + many };
}

/** `slippage 3, names and notes 600`: the most expensive class first, without empty classes. */
export function costCounts(counts: CostCounts): string {
  return COSTS.flatMap((cost) =>
    counts[cost] === undefined ? [] : [`${COST_WORDS[cost]} ${counts[cost]}`],
  ).join(', ');
}
