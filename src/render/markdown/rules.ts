import type { Plan, RuleChange } from '../../model/generated/plan.ts';
import { placeText } from '../field-lines.ts';
import { count } from '../layout.ts';
import { ruleSides, rulesTitle } from '../rules-text.ts';
import { markdownCode, markdownText } from './escape.ts';
import { byteLength, type Section } from './fit.ts';

/** UTF-8 bytes that these take however little room there is; a quarter of what a comment holds. */
const ROOM = 16_384;

/** What the project file decides otherwise than at the base. It stands first, and is cut only where it would fill a comment. */
export function rulesSection(plan: Plan): readonly Section[] {
  const { rules_changed: changes = [] } = plan;
  if (changes.length === 0) return [];
  const head = `### ${markdownText(rulesTitle(plan))}\n`;
  const items = changes.map(ruleItem);
  const most = fitting(items);
  if (most === items.length) return [{ least: [head, ...items].join('\n'), forms: [] }];
  const left = count(items.length - most, 'more changed rule');
  return [
    {
      least: [head, ...items.slice(0, most), `- … and ${left}`].join('\n'),
      name: left,
      forms: [{ weight: 100, head, items }],
    },
  ];
}

/** How many items from the beginning there is room for. */
function fitting(items: readonly string[]): number {
  let used = 0;
  const over = items.findIndex((item) => {
    used += byteLength(item) + 1;
    return used > ROOM;
  });
  return over < 0 ? items.length : over;
}

function ruleItem(change: RuleChange): string {
  const { rule, effect, location } = change;
  const sides = ruleSides(change).map((side) =>
    side.name === 'value'
      ? `${markdownCode(side.before)} → ${markdownCode(side.after)}`
      : `${side.name} ${markdownCode(side.text)}`,
  );
  const word = effect === 'loosened' ? '**loosened**' : effect;
  const place = location === undefined ? '' : ` (${markdownCode(placeText(location))})`;
  return `- ${markdownCode(rule)} ${word}: ${sides.join('; ')}${place}`;
}
