import type { Left } from '../../model/generated/plan.ts';
import { count } from '../layout.ts';
import { LEFT_TITLE, LEFT_WAYS, runsWords } from '../left-text.ts';
import { listSection } from './blocks.ts';
import { markdownCode, markdownText } from './escape.ts';
import type { Section } from './fit.ts';
import { valuesText } from './plan-tables.ts';

/** What `--only` leaves, with the two ways out. */
export function leftSection({
  left = [],
}: {
  readonly left?: readonly Left[] | undefined;
}): readonly Section[] {
  if (left.length === 0) return [];
  return [
    ...listSection(LEFT_TITLE, left.map(leftItem), {
      weight: 74,
      name: (number) => count(number, 'address that is left', 'addresses that are left'),
    }),
    { forms: [{ weight: 73, head: markdownText(LEFT_WAYS) }] },
  ];
}

function leftItem(item: Left): string {
  const { address, text, fields } = item;
  return [
    `${markdownCode(address)}${runsWords(item)}${text === null ? '' : `: ${markdownText(text)}`}`,
    ...fields.map((field) => `${markdownCode(field.path)}${valuesText(field)} (${markdownText(field.text)})`),
  ].join('\n  - ');
}
