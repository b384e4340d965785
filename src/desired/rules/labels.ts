import { didYouMean } from '../../manifest/suggest.ts';
import { LIMITS } from '../../model/kind.ts';
import { ofFamily, type Rule } from './rule.ts';

/** At most 20 labels in an account (interface, "Limits"). */
export const labelCount: Rule = {
  name: 'label-count',
  check(input, report) {
    const labels = ofFamily(input, 'label');
    const [excess] = labels.slice(LIMITS.labels);
    if (excess === undefined) return;
    report(excess, ['metadata', 'name'], {
      code: 'too-many-labels',
      message: `${labels.length} labels; an account can have ${LIMITS.labels}`,
      hint: `remove ${labels.length - LIMITS.labels} of them`,
    });
  },
};

/** `spec.label` is the `metadata.name` of a Label. */
export const knownLabel: Rule = {
  name: 'known-label',
  check(input, report) {
    // An unreadable file may define the label.
    if (!input.whole) return;
    const labels = ofFamily(input, 'label');
    const names = new Set(labels.map(({ name }) => name).filter((name) => name !== undefined));
    if (names.size < labels.length && labels.some(({ name }) => name === undefined)) return;
    for (const manifest of ofFamily(input, 'task')) {
      const label = manifest.text('spec', 'label');
      if (label === undefined || names.has(label)) continue;
      const shown = labels.find((one) => one.name !== undefined && one.text('spec', 'name') === label);
      const hint =
        names.size === 0
          ? 'write a manifest of kind Label'
          : `the labels are ${[...names].sort().join(', ')}`;
      report(manifest, ['spec', 'label'], {
        code: 'unknown-label',
        message: `no manifest defines the label ${JSON.stringify(label)}`,
        hint:
          shown?.name === undefined
            ? (didYouMean(label, names) ?? hint)
            : `did you mean ${shown.name}? A task refers to a label by its metadata.name`,
      });
    }
  },
};
