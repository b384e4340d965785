import type { Path } from '../../manifest/spans.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type BuySet, tiersIn } from './buy-sets.ts';
import { dexesOf, isGlobal } from './dexes.ts';
import type { ConfigLint } from './lint.ts';

/** An active tier. Bounds are compared as written, because their unit is not documented (HAZARDS 16). */
export interface Tier {
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
export function activeTiers(config: JsonObject): readonly Tier[] {
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
export function dexesInUse(config: JsonObject, tiers: readonly Tier[]): readonly string[] {
  const selected = dexesOf(config);
  return isGlobal(config) ? [...new Set([...selected, ...tiers.flatMap(({ dexes }) => dexes)])] : selected;
}

export function usedOn({ dexes }: Tier, dex: string): boolean {
  return dexes.length === 0 || dexes.includes(dex);
}

/** True if the DEXes allow one purchase to match both tiers. */
function shareDex(a: Tier, b: Tier): boolean {
  return a.dexes.length === 0 || b.dexes.length === 0 || a.dexes.some((dex) => usedOn(b, dex));
}

/** A lint about the lower bound of each tier. `problemOf` also receives the earlier tiers that share a DEX with it. */
export function tierLint(
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
export function compareMin(a: Tier, b: Tier): number {
  if (a.min === '' || b.min === '') return Number(a.min !== '') - Number(b.min !== '');
  return compareDecimals(a.min, b.min);
}

/** By upper bound, tiers without one last. */
export function compareMax(a: Tier, b: Tier): number {
  if (a.max === '' || b.max === '') return Number(a.max === '') - Number(b.max === '');
  return compareDecimals(a.max, b.max);
}

/** `from 100 to 200`, `up to 200`, `from 100`, `all market caps`. */
export function rangeWords(min: string, max: string): string {
  if (min === '') return max === '' ? 'all market caps' : `up to ${max}`;
  return max === '' ? `from ${min}` : `from ${min} to ${max}`;
}

export function tierWords({ number, min, max }: Tier): string {
  return `tier ${number} (${rangeWords(min, max)})`;
}
