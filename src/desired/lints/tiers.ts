import type { Path } from '../../manifest/spans.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type BuySet, tiersIn } from './buy-sets.ts';
import { dexesOf, isGlobal } from './dexes.ts';
import type { ConfigLint } from './lint.ts';

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

const TIERS = new WeakMap<JsonObject, readonly Tier[]>();

/**
 * The tiers of tiered mode, in order. None in universal mode, and none if each tier begins where the previous one ends, because
 * there is nothing to report then. A tier without readable bounds is left out.
 */
function activeTiers(config: JsonObject): readonly Tier[] {
  const known = TIERS.get(config);
  if (known !== undefined) return known;
  const tiers = config.buy_config_mode === 'tiered' ? tiersIn(config).flatMap(tierOf) : [];
  const found = tiers.every((tier, index) => isNext(tier, tiers[index - 1])) ? [] : tiers;
  TIERS.set(config, found);
  return found;
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
  code: ConfigLint['code'],
  problemOf: (tier: Tier, before: readonly Tier[]) => readonly [message: string, hint: string] | undefined,
): ConfigLint {
  return {
    code,
    of: ['copyTradeConfig'],
    check({ manifest, config }, report) {
      const tiers = activeTiers(config);
      for (const [index, tier] of tiers.entries()) {
        const problem = problemOf(
          tier,
          tiers.slice(0, index).filter((other) => shareDex(tier, other)),
        );
        if (problem !== undefined) report(manifest, [...tier.path, 'market_cap_min'], ...problem);
      }
    },
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
export const tiersOverlap = tierLint('tiers-overlap', (tier, before) => {
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
export const tiersGap: ConfigLint = {
  code: 'tiers-gap',
  of: ['copyTradeConfig'],
  check({ manifest, config }, report) {
    const tiers = activeTiers(config);
    if (tiers.length < 2) return;
    const dexes = dexesInUse(config, tiers);
    for (const { below, above, dexes: on } of gaps(tiers, dexes)) {
      const where = on.length === dexes.length ? '' : ` on ${on.join(', ')}`;
      report(
        manifest,
        [...above.path, 'market_cap_min'],
        `no tier covers market caps ${rangeWords(below.max, above.min)}${where}; the behaviour there is not documented`,
        `make the bounds meet: market_cap_max of tier ${below.number} and market_cap_min of tier ${above.number}`,
      );
    }
  },
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
export const tiersUnordered = tierLint('tiers-unordered', (tier, others) => {
  const before = others.at(-1);
  if (before === undefined || compareMin(tier, before) >= 0) return undefined;
  return [
    `${tierWords(tier)} comes after ${tierWords(before)}; the order in which tiers are tried is not documented`,
    `move it before tier ${before.number}, so that the lowest market caps come first`,
  ];
});
