import type { Manifest } from '../../manifest/manifest.ts';
import { LIMITS } from '../../model/kind.ts';
import { ofFamily, type ReportAt, type Rule, where } from './rule.ts';

/** The name on the service: `spec.name`, else `metadata.name`. It identifies templates and labels. */
export function shownName(manifest: Manifest): string | undefined {
  return manifest.get('spec', 'name') === undefined ? manifest.name : manifest.text('spec', 'name');
}

/**
 * Names on the service are short, and unique among the labels and among the templates of a kind. The interface does not say
 * whether the service counts UTF-16 units or code points. Names must fit by the larger count, like remarks.
 */
export const shownNames: Rule = {
  name: 'shown-names',
  check(input, report) {
    const first = new Map<string, Manifest>();
    for (const manifest of ofFamily(input, 'template', 'label')) {
      const name = shownName(manifest);
      if (name === undefined) continue;
      const most = manifest.kindName === 'Label' ? LIMITS.labelName : LIMITS.templateName;
      if (name.length > most)
        report(manifest, ['spec', 'name'], {
          code: 'out-of-range',
          message: `spec.name has ${name.length} characters; at most ${most} are allowed`,
          hint: 'characters beyond the first 65,536 of Unicode, such as emoji, count as two',
        });
      const key = `${manifest.kindName} ${name}`;
      const other = first.get(key);
      if (other === undefined) {
        first.set(key, manifest);
        continue;
      }
      // Another rule reports two manifests with one address.
      if (other.address === manifest.address) continue;
      const path = manifest.get('spec', 'name') === undefined ? ['metadata', 'name'] : ['spec', 'name'];
      report(manifest, path, {
        code: 'duplicate-name',
        message: `two manifests of kind ${manifest.kindName} have the name ${JSON.stringify(name)} on the service`,
        hint: `the other one is at ${where(other, ['metadata', 'name'])}`,
      });
    }
  },
};

const PATH = ['metadata', 'previous_name'];

/** `previous_name` names what is to be renamed, so nothing may still have that name, and only one manifest may claim it. */
export const previousNames: Rule = {
  name: 'previous-names',
  check({ manifests }, report) {
    const holders = new Map<string, Manifest>();
    for (const manifest of manifests) {
      const name = manifest.kind?.family === 'task' ? manifest.name : shownName(manifest);
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
