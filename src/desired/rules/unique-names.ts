import type { Manifest } from '../../manifest/manifest.ts';
import { type Rule, where } from './rule.ts';

/** `metadata.name` is unique per kind. */
export const uniqueNames: Rule = {
  name: 'unique-names',
  check({ manifests }, report) {
    const first = new Map<string, Manifest>();
    for (const manifest of manifests) {
      const { address } = manifest;
      if (address === undefined) continue;
      const other = first.get(address);
      if (other === undefined) {
        first.set(address, manifest);
        continue;
      }
      report(manifest, ['metadata', 'name'], {
        code: 'duplicate-name',
        message: `two manifests have the address ${address}`,
        hint: `the other one is ${where(other, ['metadata', 'name'])}`,
      });
    }
  },
};
