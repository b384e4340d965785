import type { Manifest } from '../manifest/manifest.ts';

/**
 * The stage between reading and the rules: what manifests take from each other (`extends`, presets, wallet books,
 * variables, patches of the environment) is put in here, so that every later stage sees complete manifests. Nothing of
 * that exists yet: manifests stand for themselves.
 */
export function compose(manifests: readonly Manifest[]): readonly Manifest[] {
  return manifests;
}
