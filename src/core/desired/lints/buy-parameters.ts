import type { Path } from '../../manifest/spans.ts';
import { madeOnce } from '../../model/by-key.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { CONFIG, type ConfigCheck, type ReportAtPath } from '../rules/rule.ts';
import { configField } from './lint.ts';

interface BuySet {
  readonly path: Path;
  readonly values: JsonObject;
}

const UNIVERSAL: Path = [...CONFIG, 'buy_config_universal'];
const TIERS: Path = [...CONFIG, 'buy_config_tiers'];
const TIER_PATHS: Path[] = [];

export function tiersIn({ buy_config_tiers: tiers }: JsonObject): readonly BuySet[] {
  if (!Array.isArray(tiers)) return [];
  return tiers.flatMap((values, index) => {
    TIER_PATHS[index] ??= [...TIERS, index];
    return isObject(values) ? [{ path: TIER_PATHS[index], values }] : [];
  });
}

export function activeSets(config: JsonObject): readonly BuySet[] {
  const { buy_config_mode: mode } = config;
  if (mode === 'universal') return universalIn(config);
  return mode === 'tiered' ? tiersIn(config) : [];
}

export function allSets(config: JsonObject): readonly BuySet[] {
  return [...universalIn(config), ...tiersIn(config)];
}

function universalIn({ buy_config_universal: values }: JsonObject): readonly BuySet[] {
  return isObject(values) ? [{ path: UNIVERSAL, values }] : [];
}

/** The list of DEXes of a config or of buy parameters. Empty if there is none. */
function dexesOf(value: Json | undefined): readonly string[] {
  const dexes = isObject(value) ? value.selected_dexes : undefined;
  return Array.isArray(dexes) ? dexes.filter((dex) => typeof dex === 'string') : [];
}

/** `dex_source`; its default is `global`. */
function isGlobal({ dex_source: source = 'global' }: JsonObject): boolean {
  return source === 'global';
}

/** The account's list of DEXes overrides the manifest's, and cannot be seen here (HAZARDS 15). */
export const dexSourceGlobal: ConfigCheck = ({ config }, report) => {
  if (!isGlobal(config)) return;
  const written = config.dex_source === undefined ? ', which is the default' : '';
  report(
    [...CONFIG, 'dex_source'],
    `dex_source is global${written}: the account’s own list decides where this task trades, and selected_dexes counts only where that list is unavailable`,
    'write dex_source: config, so that selected_dexes always counts',
  );
};

/**
 * A tier's `selected_dexes` narrows the selection of the task: a DEX that the task leaves out never reaches the tier. For the
 * universal parameters the interface documents no narrowing.
 */
export const dexesNarrowing: ConfigCheck = ({ config }, report) => {
  for (const { path, values } of activeSets(config)) {
    const named = dexesOf(values);
    if (named.length === 0) continue;
    const selected: Selection = isGlobal(config) ? undefined : dexesOf(config);
    if (path.at(-1) === 'buy_config_universal') checkUniversal(path, selected, named, report);
    else checkTier(path, selected, named, report);
  }
};

/** The selection of a task. Undefined if the account's list overrides it. */
type Selection = readonly string[] | undefined;

function checkTier(tier: Path, selected: Selection, named: readonly string[], report: ReportAtPath): void {
  const without = named.filter((dex) => selected?.includes(dex) === false);
  const [first] = without;
  if (first === undefined) return;
  const all = without.length === named.length ? ', so the tier is never used' : '';
  report(
    [...tier, 'selected_dexes', named.indexOf(first)],
    `${configField(tier)} names ${without.join(', ')}, which is not in selected_dexes of the task${all}`,
    `add ${without.join(', ')} to selected_dexes of the task, or remove it here`,
  );
}

function checkUniversal(
  set: Path,
  selected: Selection,
  named: readonly string[],
  report: ReportAtPath,
): void {
  const same = selected?.length === named.length && named.every((dex) => selected.includes(dex));
  if (same) return;
  report(
    [...set, 'selected_dexes'],
    `buy_config_universal.selected_dexes is ${named.join(', ')}; narrowing by such a list is documented only for tiers`,
    'write these DEXes into selected_dexes of the task, and remove the list here',
  );
}

/** An active tier. Bounds are compared as written, because their unit is not documented (HAZARDS 16). */
interface Tier {
  /** Counts from 1. */
  readonly number: number;
  readonly path: Path;
  /** `""`: no lower bound. */
  readonly min: string;
  /** `""`: no upper bound. */
  readonly max: string;
  /** Empty: all DEXes. */
  readonly dexes: readonly string[];
}

const KNOWN = new WeakMap<JsonObject, readonly Tier[]>();

/**
 * The tiers of tiered mode, in order. None in universal mode, and none if each tier begins where the previous one ends, because
 * there is nothing to report then. A tier without readable bounds is left out.
 */
function activeTiers(config: JsonObject): readonly Tier[] {
  return madeOnce(KNOWN, config, () => {
    const tiers = config.buy_config_mode === 'tiered' ? tiersIn(config).flatMap(tierOf) : [];
    return tiers.every((tier, index) => isNext(tier, tiers[index - 1])) ? [] : tiers;
  });
}

function tierOf({ path, values }: BuySet): readonly Tier[] {
  const { market_cap_min: min, market_cap_max: max } = values;
  if (!isBound(min) || !isBound(max)) return [];
  return [{ number: Number(path.at(-1)) + 1, path, min, max, dexes: dexesOf(values) }];
}

function isBound(value: Json | undefined): value is string {
  return value === '' || (typeof value === 'string' && isDecimal(value));
}

function isNext({ min, max, dexes }: Tier, before: Tier | undefined): boolean {
  if (dexes.length > 0 || (min !== '' && max !== '' && compareDecimals(min, max) >= 0)) return false;
  return before === undefined || (min !== '' && min === before.max);
}

/** Every DEX on which the task may buy, as far as the manifest says. */
function dexesInUse(config: JsonObject, tiers: readonly Tier[]): readonly string[] {
  const selected = dexesOf(config);
  return isGlobal(config) ? [...new Set([...selected, ...tiers.flatMap(({ dexes }) => dexes)])] : selected;
}

function usedOn({ dexes }: Tier, dex: string): boolean {
  return dexes.length === 0 || dexes.includes(dex);
}

/** True if the DEXes allow one purchase to match both tiers. */
function shareDex(a: Tier, b: Tier): boolean {
  return a.dexes.length === 0 || b.dexes.length === 0 || a.dexes.some((dex) => usedOn(b, dex));
}

/** A lint about the lower bound of each tier. `problemOf` also receives the earlier tiers that share a DEX with it. */
function tierLint(
  problemOf: (tier: Tier, before: readonly Tier[]) => readonly [message: string, hint: string] | undefined,
): ConfigCheck {
  return ({ config }, report) => {
    const tiers = activeTiers(config);
    for (const [index, tier] of tiers.entries()) {
      const before = tiers.slice(0, index).filter((other) => shareDex(tier, other));
      const problem = problemOf(tier, before);
      if (problem !== undefined) report([...tier.path, 'market_cap_min'], ...problem);
    }
  };
}

/** By lower bound, tiers without one first. */
function compareMin(a: Tier, b: Tier): number {
  if (a.min === '' || b.min === '') return Number(a.min !== '') - Number(b.min !== '');
  return compareDecimals(a.min, b.min);
}

/** By upper bound, tiers without one last. */
function compareMax(a: Tier, b: Tier): number {
  if (a.max === '' || b.max === '') return Number(a.max === '') - Number(b.max === '');
  return compareDecimals(a.max, b.max);
}

/** `from 100 to 200`, `up to 200`, `from 100`, `all market caps`. */
function rangeWords(min: string, max: string): string {
  if (min === '') return max === '' ? 'all market caps' : `up to ${max}`;
  return max === '' ? `from ${min}` : `from ${min} to ${max}`;
}

function tierWords({ number, min, max }: Tier): string {
  return `tier ${number} (${rangeWords(min, max)})`;
}

/** The interface does not say which of two overlapping tiers a buy uses (HAZARDS 16). Bounds that meet do not overlap. */
export const tiersOverlap = tierLint((tier, before) => {
  const others = before.filter((other) => overlap(tier, other));
  if (others.length === 0) return undefined;
  return [
    `${tierWords(tier)} overlaps ${others.map(tierWords).join(', ')}; which one a buy uses is not documented`,
    'make the bounds meet: the market_cap_max of one is the market_cap_min of the next',
  ];
});

function overlap(a: Tier, b: Tier): boolean {
  const same = compareMin(a, b) === 0 && compareMax(a, b) === 0;
  return same || (reaches(a.max, b.min) && reaches(b.max, a.min));
}

/** True if the upper bound of one tier is beyond the lower bound of the other. */
function reaches(max: string, min: string): boolean {
  return max === '' || min === '' || compareDecimals(max, min) > 0;
}

interface Gap {
  readonly below: Tier;
  readonly above: Tier;
  readonly dexes: string[];
}

/**
 * The interface does not say what happens at a market cap that no tier covers (HAZARDS 16). Only a range between two tiers is a
 * gap: below the first tier and above the last one, the bound is intended.
 */
export const tiersGap: ConfigCheck = ({ config }, report) => {
  const tiers = activeTiers(config);
  if (tiers.length < 2) return;
  const dexes = dexesInUse(config, tiers);
  for (const { below, above, dexes: on } of gaps(tiers, dexes)) {
    const where = on.length === dexes.length ? '' : ` on ${on.join(', ')}`;
    report(
      [...above.path, 'market_cap_min'],
      `no tier covers market caps ${rangeWords(below.max, above.min)}${where}; the behaviour there is not documented`,
      `make the bounds meet: market_cap_max of tier ${below.number} and market_cap_min of tier ${above.number}`,
    );
  }
};

/** A tier may apply only to some DEXes, so each DEX has its own sequence of tiers. */
function gaps(tiers: readonly Tier[], dexes: readonly string[]): readonly Gap[] {
  const found = new Map<string, Gap>();
  for (const dex of dexes) {
    const row = tiers
      .filter((tier) => usedOn(tier, dex))
      .sort((a, b) => compareMin(a, b) || compareMax(a, b));
    let [furthest] = row;
    for (const tier of row) {
      if (furthest === undefined) break;
      if (furthest.max !== '' && tier.min !== '' && compareDecimals(furthest.max, tier.min) < 0) {
        const key = `${furthest.number} ${tier.number}`;
        const gap = found.get(key) ?? { below: furthest, above: tier, dexes: [] };
        found.set(key, gap);
        gap.dexes.push(dex);
      }
      if (compareMax(tier, furthest) > 0) furthest = tier;
    }
  }
  return [...found.values()];
}

/** The interface does not say in which order tiers are tried (HAZARDS 16): only an ascending order leaves no question. */
export const tiersUnordered = tierLint((tier, others) => {
  const before = others.at(-1);
  if (before === undefined || compareMin(tier, before) >= 0) return undefined;
  return [
    `${tierWords(tier)} comes after ${tierWords(before)}; the order in which tiers are tried is not documented`,
    `move it before tier ${before.number}, so that the lowest market caps come first`,
  ];
});
