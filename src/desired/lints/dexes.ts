import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { CONFIG } from '../rules/rule.ts';
import { activeSets } from './buy-sets.ts';
import { type ConfigLint, configField, type LintReport } from './lint.ts';

/** The list of DEXes of a config or of buy parameters. Empty if there is none. */
export function dexesOf(value: Json | undefined): readonly string[] {
  const dexes = isObject(value) ? value.selected_dexes : undefined;
  return Array.isArray(dexes) ? dexes.filter((dex) => typeof dex === 'string') : [];
}

/** `dex_source`; its default is `global`. */
export function isGlobal({ dex_source: source = 'global' }: JsonObject): boolean {
  return source === 'global';
}

/** The account's list of DEXes overrides the manifest's, and cannot be seen here (HAZARDS 15). */
export const dexSourceGlobal: ConfigLint = {
  code: 'dex-source-global',
  of: ['sniperConfig', 'copyTradeConfig'],
  check({ manifest, config }, report) {
    if (!isGlobal(config)) return;
    const written = config.dex_source === undefined ? ', which is the default' : '';
    report(
      manifest,
      [...CONFIG, 'dex_source'],
      `dex_source is global${written}: the account’s own list decides where this task trades, and selected_dexes counts only where that list is unavailable`,
      'write dex_source: config, so that selected_dexes always counts',
    );
  },
};

/**
 * A tier's `selected_dexes` narrows the selection of the task: a DEX that the task leaves out never reaches the tier. For the
 * universal parameters the interface documents no narrowing.
 */
export const dexesNarrowing: ConfigLint = {
  code: 'dexes-narrowing',
  of: ['copyTradeConfig'],
  check({ manifest, config }, report) {
    for (const { path, values } of activeSets(config)) {
      const named = dexesOf(values);
      if (named.length === 0) continue;
      const selected = isGlobal(config) ? undefined : dexesOf(config);
      if (path.at(-1) === 'buy_config_universal') checkUniversal(manifest, path, { selected, named }, report);
      else checkTier(manifest, path, { selected, named }, report);
    }
  },
};

interface Lists {
  /** The selection of the task. Undefined if the account's list overrides it. */
  readonly selected: readonly string[] | undefined;
  readonly named: readonly string[];
}

function checkTier(manifest: Manifest, tier: Path, { selected, named }: Lists, report: LintReport): void {
  const without = named.filter((dex) => selected?.includes(dex) === false);
  const [first] = without;
  if (first === undefined) return;
  const all = without.length === named.length ? ', so the tier is never used' : '';
  report(
    manifest,
    [...tier, 'selected_dexes', named.indexOf(first)],
    `${configField(tier)} names ${without.join(', ')}, which is not in selected_dexes of the task${all}`,
    `add ${without.join(', ')} to selected_dexes of the task, or remove it here`,
  );
}

function checkUniversal(manifest: Manifest, set: Path, { selected, named }: Lists, report: LintReport): void {
  const same = selected?.length === named.length && named.every((dex) => selected.includes(dex));
  if (same) return;
  report(
    manifest,
    [...set, 'selected_dexes'],
    `buy_config_universal.selected_dexes is ${named.join(', ')}; narrowing by such a list is documented only for tiers`,
    'write these DEXes into selected_dexes of the task, and remove the list here',
  );
}
