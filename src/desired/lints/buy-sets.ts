import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { CONFIG } from '../rules/rule.ts';

const UNIVERSAL: Path = [...CONFIG, 'buy_config_universal'];
const TIERS: Path = [...CONFIG, 'buy_config_tiers'];

export function tierPaths(manifest: Manifest): readonly Path[] {
  return (manifest.list(...TIERS) ?? []).map((_, index) => [...TIERS, index]);
}

/** Where the buy parameters stand that `buy_config_mode` puts in effect. */
export function activeSets(manifest: Manifest): readonly Path[] {
  const mode = manifest.text(...CONFIG, 'buy_config_mode');
  if (mode === 'universal') return [UNIVERSAL];
  return mode === 'tiered' ? tierPaths(manifest) : [];
}

/** The same with those of the other mode. */
export function allSets(manifest: Manifest): readonly Path[] {
  return [UNIVERSAL, ...tierPaths(manifest)];
}
