import type { Manifest } from '../../manifest/manifest.ts';
import { type ReportAt, type Rule, where } from './rule.ts';
import { shownName } from './shown-names.ts';

const PATH = ['metadata', 'previous_name'];

/** `previous_name` names what is to be renamed, so nothing may still have that name, and only one manifest may claim it. */
export const previousNames: Rule = {
  name: 'previous-names',
  check({ manifests }, report) {
    const holders = new Map<string, Manifest>();
    for (const manifest of manifests) {
      const name = identity(manifest);
      if (name !== undefined) holders.set(`${manifest.kindName} ${name}`, manifest);
    }
    const claims = new Map<string, Manifest>();
    for (const manifest of manifests) {
      const previous = manifest.text(...PATH);
      if (previous === undefined) continue;
      const key = `${manifest.kindName} ${previous}`;
      checkOne(manifest, previous, holders.get(key), claims.get(key), report);
      if (!claims.has(key)) claims.set(key, manifest);
    }
  },
};

/** The name that `previous_name` is compared with: the task's own name, or the name on the service of a template or label. */
function identity(manifest: Manifest): string | undefined {
  return manifest.kind?.family === 'task' ? manifest.name : shownName(manifest);
}

function checkOne(
  manifest: Manifest,
  previous: string,
  holder: Manifest | undefined,
  claim: Manifest | undefined,
  report: ReportAt,
): void {
  const name = JSON.stringify(previous);
  if (holder === manifest) {
    report(manifest, PATH, {
      code: 'previous-name-taken',
      message: `previous_name ${name} is the current name of the manifest`,
      hint: 'remove previous_name',
    });
  } else if (holder !== undefined) {
    report(manifest, PATH, {
      code: 'previous-name-taken',
      message: `previous_name ${name} names a manifest that still exists`,
      hint: `it is at ${where(holder, ['metadata', 'name'])}`,
    });
  } else if (claim !== undefined) {
    report(manifest, PATH, {
      code: 'previous-name-taken',
      message: `two manifests have the previous_name ${name}`,
      hint: `the other one is at ${where(claim, PATH)}`,
    });
  }
}
