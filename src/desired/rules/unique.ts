import type { Manifest, Problem } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { type Rule, where } from './rule.ts';

interface Unique {
  readonly name: string;
  readonly path: Path;
  readonly code: Problem['code'];
  /** "manifests have the id". */
  readonly what: string;
  /** A value of the manifest that no other manifest may have. Undefined if the manifest has none that counts. */
  of(manifest: Manifest): string | undefined;
}

function unique({ name, path, code, what, of }: Unique): Rule {
  return {
    name,
    check({ manifests }, report) {
      const first = new Map<string, Manifest>();
      for (const manifest of manifests) {
        const value = of(manifest);
        if (value === undefined) continue;
        const other = first.get(value);
        const hint = other && `the other one is at ${where(other, path)}`;
        if (hint === undefined) first.set(value, manifest);
        else report(manifest, path, { code, message: `two ${what} ${value}`, hint });
      }
    },
  };
}

/** Names are unique within a kind. */
export const uniqueNames = unique({
  name: 'unique-names',
  path: ['metadata', 'name'],
  code: 'duplicate-name',
  what: 'manifests have the address',
  of: ({ address }) => address,
});

/** An id names one resource, so only one manifest may name it. */
export const uniqueIds = unique({
  name: 'unique-ids',
  path: ['metadata', 'id'],
  code: 'duplicate-id',
  what: 'manifests have the id',
  of: (manifest) => manifest.text('metadata', 'id')?.toLowerCase(),
});

/** One copy-trade task for each target: the service answers `target_already_exists` to a second one. */
export const uniqueTargets = unique({
  name: 'unique-targets',
  path: ['spec', 'target_wallet'],
  code: 'duplicate-target',
  what: 'copy-trade tasks have the target wallet',
  of: (manifest) =>
    manifest.kind?.family === 'task' && manifest.kind.uniqueTarget
      ? manifest.text('spec', 'target_wallet')
      : undefined,
});
