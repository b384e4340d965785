import type { Manifest } from '../../manifest/manifest.ts';
import { type Rule, tasks, where } from './rule.ts';

/** One copy-trade task a target: the service answers `target_already_exists` to a second one. */
export const uniqueTargets: Rule = {
  name: 'unique-targets',
  check(input, report) {
    const first = new Map<string, Manifest>();
    for (const { manifest, kind } of tasks(input)) {
      const target = manifest.text('spec', 'target_wallet');
      if (!kind.uniqueTarget || target === undefined) continue;
      const other = first.get(target);
      if (other === undefined) {
        first.set(target, manifest);
        continue;
      }
      report(manifest, ['spec', 'target_wallet'], {
        code: 'duplicate-target',
        message: `two copy-trade tasks have the target wallet ${target}`,
        hint: `the other one is ${where(other, ['spec', 'target_wallet'])}`,
      });
    }
  },
};
