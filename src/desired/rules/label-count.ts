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
