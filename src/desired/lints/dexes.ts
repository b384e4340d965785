import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { CONFIG } from '../rules/rule.ts';

/** The list of DEXes at a path; empty where there is none. */
export function dexesAt(manifest: Manifest, path: Path): readonly string[] {
  return (manifest.list(...path, 'selected_dexes') ?? []).filter((dex) => typeof dex === 'string');
}

/** `dex_source`; its default is `global`. */
export function isGlobal(manifest: Manifest): boolean {
  return (manifest.get(...CONFIG, 'dex_source') ?? 'global') === 'global';
}
