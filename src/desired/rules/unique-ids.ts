import type { Manifest } from '../../manifest/manifest.ts';
import { type Rule, where } from './rule.ts';

/** `metadata.id` names one resource, so no two manifests may name it. */
export const uniqueIds: Rule = {
  name: 'unique-ids',
  check({ manifests }, report) {
    const first = new Map<string, Manifest>();
    for (const manifest of manifests) {
      const id = manifest.text('metadata', 'id')?.toLowerCase();
      if (id === undefined) continue;
      const other = first.get(id);
      if (other === undefined) {
        first.set(id, manifest);
        continue;
      }
      report(manifest, ['metadata', 'id'], {
        code: 'duplicate-id',
        message: `two manifests have the id ${id}`,
        hint: `the other one is at ${where(other, ['metadata', 'id'])}`,
      });
    }
  },
};
