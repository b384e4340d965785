import { byKey } from '../../model/by-key.ts';
import { addDecimals } from '../../model/decimal.ts';
import type { Change, Field } from '../../model/generated/plan.ts';
import { SECRET } from '../../model/secret.ts';
import { count } from '../layout.ts';
import { pairText, valueText } from '../value-text.ts';
import { actionWords, REASONS } from '../words.ts';
import { names, row, tableHead } from './blocks.ts';
import { markdownCode, markdownText } from './escape.ts';
import type { Section } from './fit.ts';
import { type ChangeGroup, fieldsOf } from './groups.ts';
import { arrow } from './plan-names.ts';

/** Deletions and replacements with their reasons, one by one; where room is short, those with one reason in one row. */
export function weightyTable(changes: readonly Change[]): readonly Section[] {
  if (changes.length === 0) return [];
  const head = `### Deletions and replacements (${changes.length})\n\n${tableHead(['Address', 'Action', 'Why', 'At stake (SOL)'])}`;
  const kinds = byKey(changes, ({ actions, reason }) => JSON.stringify([actions, reason]));
  return [
    {
      name: `the reasons of ${count(changes.length, 'deletion or replacement', 'deletions and replacements')}`,
      forms: [
        { weight: 85, head, items: [...kinds.values()].map(reasonRow) },
        { weight: 45, head, items: changes.map((change) => reasonRow([change])) },
      ],
    },
  ];
}

function reasonRow(changes: readonly Change[]): string {
  const [first] = changes;
  if (first === undefined) return '';
  return row([
    addressCell(changes),
    actionWords(first),
    markdownText(REASONS[first.reason]),
    stakeCell(changes),
  ]);
}

/** Every other change; equal ones share a row. */
export function changesTable(title: string, groups: readonly ChangeGroup[]): string {
  const many = groups.flatMap(({ changes }) => changes).length;
  const head = tableHead(['Address', 'Action', 'What', 'At stake (SOL)']);
  return [`### ${title} (${many})\n`, head, ...groups.map(groupRow)].join('\n');
}

/** Addresses that a row of many names. */
const NAMED = 3;

function groupRow(group: ChangeGroup): string {
  const { first, changes } = group;
  const held = first.held ? ' (held: it stays paused)' : '';
  return row([
    addressCell(changes),
    `${actionWords(first)}${held}`,
    whatCell(first, fieldsOf(group)),
    stakeCell(changes),
  ]);
}

function addressCell(changes: readonly Change[]): string {
  const more = changes.length - NAMED;
  const named = changes.slice(0, NAMED).map(({ address }) => address);
  return `${names(named, markdownCode)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Fields that are written out in a row. */
const MOST = 2;
/** Longer values are for the differences below. */
const LONGEST = 40;

function whatCell(change: Change, fields: readonly Field[]): string {
  const reason = markdownText(REASONS[change.reason]);
  // That a creation is one stands in the column beside it.
  if (change.reason === 'not-on-service') return 'new';
  if (!saysFields(change)) return reason;
  const said = fields.slice(0, MOST).map((field) => `${markdownCode(field.path)}${valuesText(field)}`);
  const more = fields.length - MOST;
  return `${said.join(', ')}${more > 0 ? ` and ${count(more, 'more field')}` : ''}`;
}

/** Whether the fields say more than the reason. */
function saysFields({ reason, fields }: Change): boolean {
  return reason === 'differs' && fields.length > 0;
}

/** `: 0.5 → 0.75`; nothing of values that are long. */
export function valuesText({
  before,
  after,
  sensitive,
}: Pick<Field, 'before' | 'after' | 'sensitive'>): string {
  if (sensitive) return ` ${SECRET}`;
  if (before === undefined) return plainValue(valueText(after), (text) => `: ${text} is new`);
  if (after === undefined) return ' is dropped';
  const pair = pairText(before, after);
  return plainValue(pair.before, (was) => plainValue(pair.after, (becomes) => `: ${was} → ${becomes}`));
}

/** Nothing of a value that is long. */
function plainValue(value: string, write: (text: string) => string): string {
  return value.length > LONGEST ? '' : write(markdownText(value));
}

/** Of several changes the sum. */
function stakeCell(changes: readonly Change[]): string {
  if (changes.some(({ exposure }) => exposure.secret === true)) return SECRET;
  const before = addDecimals(changes.map(({ exposure }) => exposure.before));
  const after = addDecimals(changes.map(({ exposure }) => exposure.after));
  return arrow(before, after);
}
