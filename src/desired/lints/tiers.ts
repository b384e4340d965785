import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import { CONFIG, configs } from '../rules/rule.ts';
import { tierPaths } from './buy-sets.ts';
import { dexesAt, isGlobal } from './dexes.ts';
import type { Lint } from './lint.ts';

/** A tier that is in effect. The bounds are compared as they are written: their unit is not shown (HAZARDS 16). */
export interface Tier {
  /** Counts from 1, as people do. */
  readonly number: number;
  readonly path: Path;
  /** `""`: from below everything. */
  readonly min: string;
  /** `""`: up to above everything. */
  readonly max: string;
  /** Empty: all DEXes. */
  readonly dexes: readonly string[];
}

const TIERS = new WeakMap<Manifest, readonly Tier[]>();

/** The tiers of tiered mode, in their order; none in universal mode. A tier without readable bounds is left out. */
export function activeTiers(manifest: Manifest): readonly Tier[] {
  const tiers = TIERS.get(manifest) ?? findTiers(manifest);
  TIERS.set(manifest, tiers);
  return tiers;
}

function findTiers(manifest: Manifest): readonly Tier[] {
  if (manifest.text(...CONFIG, 'buy_config_mode') !== 'tiered') return [];
  return tierPaths(manifest).flatMap((path, index) => {
    const min = bound(manifest.text(...path, 'market_cap_min'));
    const max = bound(manifest.text(...path, 'market_cap_max'));
    if (min === undefined || max === undefined) return [];
    return [{ number: index + 1, path, min, max, dexes: dexesAt(manifest, path) }];
  });
}

function bound(text: string | undefined): string | undefined {
  return text === '' || (text !== undefined && isDecimal(text)) ? text : undefined;
}

/** Every DEX that the task may buy on, as far as the manifest tells. */
export function dexesInUse(manifest: Manifest, tiers: readonly Tier[]): readonly string[] {
  const selected = dexesAt(manifest, CONFIG);
  return isGlobal(manifest) ? [...new Set([...selected, ...tiers.flatMap(({ dexes }) => dexes)])] : selected;
}

export function usedOn({ dexes }: Tier, dex: string): boolean {
  return dexes.length === 0 || dexes.includes(dex);
}

/** True where one purchase may fall to both, as far as DEXes go. */
function shareDex(left: Tier, right: Tier): boolean {
  return left.dexes.length === 0 || right.dexes.length === 0 || left.dexes.some((dex) => usedOn(right, dex));
}

/** A lint of the lower bound of each tier; `problemOf` also gets the tiers before it that share a DEX with it. */
export function tierLint(
  code: Lint['code'],
  problemOf: (tier: Tier, before: readonly Tier[]) => readonly [message: string, hint: string] | undefined,
): Lint {
  return {
    code,
    check(input, report) {
      for (const { manifest } of configs(input, 'copyTradeConfig')) {
        const tiers = activeTiers(manifest);
        for (const [index, tier] of tiers.entries()) {
          const problem = problemOf(
            tier,
            tiers.slice(0, index).filter((other) => shareDex(tier, other)),
          );
          if (problem !== undefined) report(manifest, [...tier.path, 'market_cap_min'], ...problem);
        }
      }
    },
  };
}

/** By lower bound, the open one first. */
export function compareMin(left: Tier, right: Tier): number {
  if (left.min === '' || right.min === '') return Number(left.min !== '') - Number(right.min !== '');
  return compareDecimals(left.min, right.min);
}

/** By upper bound, the open one last. */
export function compareMax(left: Tier, right: Tier): number {
  if (left.max === '' || right.max === '') return Number(left.max === '') - Number(right.max === '');
  return compareDecimals(left.max, right.max);
}

/** `from 100 to 200`, `up to 200`, `from 100`, `all market caps`. */
export function rangeWords(min: string, max: string): string {
  if (min === '') return max === '' ? 'all market caps' : `up to ${max}`;
  return max === '' ? `from ${min}` : `from ${min} to ${max}`;
}

export function tierWords({ number, min, max }: Tier): string {
  return `tier ${number} (${rangeWords(min, max)})`;
}
