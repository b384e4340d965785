import type { Change, Plan } from '../../model/generated/plan.ts';
import { BEFORE, comparedText, settledText } from '../base-text.ts';
import type { OperationIndex } from '../chain-words.ts';
import { count } from '../layout.ts';
import { foldedSection } from './blocks.ts';
import { markdownCode, markdownText } from './escape.ts';
import type { Section } from './fit.ts';
import { groupsOf } from './groups.ts';
import { detailsOf } from './plan-details.ts';

/** Of a plan with a base: what was planned there already, and what is no longer planned here. */

/** `Compared with main (1a2b3c4): 2 of this change, 1 already pending or drifted.` */
export function basisLine(plan: Plan): string | undefined {
  const text = comparedText(plan);
  return text === undefined ? undefined : `${markdownText(text)}.`;
}

export function baseSections(
  plan: Plan,
  worked: readonly Change[],
  operations: OperationIndex,
): readonly Section[] {
  return [...settledSection(plan), ...formerSection(worked, operations)];
}

function settledSection({ base }: Plan): readonly Section[] {
  const items = (base?.settled ?? []).map(
    (item) => `${markdownCode(item.address)}: ${markdownText(settledText(item))}`,
  );
  return foldedSection('Settled by this change', items, {
    weight: 40,
    name: (number) => count(number, 'settled address', 'settled addresses'),
  });
}

/** A collapsed part of its own: the differences of each are collapsed once more within it. */
function formerSection(worked: readonly Change[], operations: OperationIndex): readonly Section[] {
  const former = worked.filter(({ provenance }) => provenance === 'before');
  const groups = groupsOf(former, operations);
  if (groups.length === 0) return [];
  const many = (left: number) => groups.slice(groups.length - left).flatMap(({ changes }) => changes).length;
  const name = (left: number) =>
    `${count(many(left), 'change')} that ${many(left) === 1 ? 'was' : 'were'} already pending or drifted`;
  return [
    {
      name: name(groups.length),
      forms: [
        {
          weight: 25,
          head: `<details><summary>${BEFORE} (${former.length})</summary>\n`,
          items: groups.map((group, index) => `${index === 0 ? '' : '\n'}${detailsOf(group, operations)}`),
          foot: '\n</details>',
          rest: (left) => `\n… and ${many(left)} more`,
          misses: (left) => (left === 0 ? undefined : name(left)),
        },
      ],
    },
  ];
}
