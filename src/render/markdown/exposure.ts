import { signedDifference } from '../../model/decimal.ts';
import type { Plan } from '../../model/generated/plan.ts';
import { isTelling, MOST_NAMED, moversOf } from '../exposure-lines.ts';
import { folded, row, tableHead } from './blocks.ts';
import { markdownCode, markdownText } from './escape.ts';
import type { Section } from './fit.ts';
import { arrow } from './plan-names.ts';

/** What moves the sum at stake, by task and by label, and what the sum does not hold. Nothing where nothing moves. */
export function exposureSection({ exposure, changes }: Plan): readonly Section[] {
  const { labels, left_out, before, after } = exposure;
  const movers = moversOf(changes);
  if (before === after && movers.length === 0) return [];
  const more = movers.length - MOST_NAMED;
  const moving = movers
    .slice(0, MOST_NAMED)
    .map(
      ({ address, exposure: own }) =>
        `${markdownCode(address)} ${markdownText(signedDifference(own.before, own.after))}`,
    );
  const parts = [
    ...(moving.length === 0
      ? []
      : [`Changes most: ${moving.join(', ')}${more > 0 ? `, and ${more} more` : ''}`]),
    ...(isTelling(labels)
      ? [
          [
            tableHead(['Label', 'At stake (SOL)', 'Running']),
            ...labels.map((label) =>
              row([
                label.label === null ? 'no label' : markdownCode(label.label),
                arrow(label.before, label.after),
                `${label.running_before} → ${label.running_after}`,
              ]),
            ),
          ].join('\n'),
        ]
      : []),
    ...(left_out.length === 0
      ? []
      : [folded('Not in these sums', left_out.map(({ text }) => `- ${markdownText(text)}`).join('\n'))]),
  ];
  if (parts.length === 0) return [];
  return [{ name: 'the exposure by task and label', forms: [{ weight: 58, head: parts.join('\n\n') }] }];
}
