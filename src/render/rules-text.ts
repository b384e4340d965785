import type { Plan, RuleChange } from '../model/generated/plan.ts';
import { sideText } from '../plan/rules/diagnostics.ts';
import { baseName } from './base-text.ts';
import { placeText } from './field-lines.ts';
import { count, hang } from './layout.ts';
import type { Paint } from './style.ts';
import { visible } from './untrusted.ts';

/** What the project file decides otherwise than at the base, in words that text and Markdown share. */

/** `Rules changed since main (1a2b3c4): 3, of which 1 loosened`. */
export function rulesTitle({ base, rules_changed: changes = [] }: Plan): string {
  const loosened = changes.filter(({ effect }) => effect === 'loosened').length;
  const since = base === undefined ? '' : ` since ${baseName(base)}`;
  return `Rules changed${since}: ${changes.length}${loosened === 0 ? '' : `, of which ${loosened} loosened`}`;
}

const MOST_ENTRIES = 8;

/** The two sides of a rule, ready to be shown and no longer than a few lines; of a list the entries that came and went. */
export function ruleSides({ before, after, added, removed }: RuleChange): readonly RuleSide[] {
  if (added === undefined && removed === undefined)
    return [{ name: 'value', before: shown(before), after: shown(after) }];
  return [
    ...(removed === undefined ? [] : [{ name: 'removed' as const, text: some(removed) }]),
    ...(added === undefined ? [] : [{ name: 'added' as const, text: some(added) }]),
  ];
}

type RuleSide =
  | { readonly name: 'value'; readonly before: string; readonly after: string }
  | { readonly name: 'removed' | 'added'; readonly text: string };

const LONGEST_LIST = 400;

function shown(text: string | null): string {
  return sideText(text === null ? null : visible(text));
}

function some(entries: readonly string[]): string {
  const more = entries.length - MOST_ENTRIES;
  const first = sideText(visible(entries.slice(0, MOST_ENTRIES).join(', ')), LONGEST_LIST);
  return more > 0 ? `${first} and ${more} more` : first;
}

const SIGNS = { loosened: '!', changed: '~', tightened: '·' } as const;

/** Rules that text shows; the document has all. */
const MOST_RULES = 100;

/** The block of a plan's text; nothing where no rule changed. */
export function rulesLines(plan: Plan, columns: number, paint: Paint): string[] {
  const { rules_changed: changes = [] } = plan;
  if (changes.length === 0) return [];
  const more = changes.length - MOST_RULES;
  return [
    paint('error', rulesTitle(plan)),
    ...changes.slice(0, MOST_RULES).flatMap((change) => {
      const { rule, effect, location } = change;
      const sides = ruleSides(change).map((side) =>
        side.name === 'value' ? `${side.before} → ${side.after}` : `${side.name} ${side.text}`,
      );
      const place = location === undefined ? '' : `, ${placeText(location)}`;
      const sign = `  ${SIGNS[effect]} `;
      return hang(sign, `${visible(rule)} ${effect}: ${sides.join('; ')}${place}`, columns).map((line) =>
        effect === 'loosened' ? paint('warn', line) : line,
      );
    }),
    ...(more > 0 ? [`  … and ${count(more, 'more changed rule')}`] : []),
  ];
}
