import { byKey } from '../../model/by-key.ts';
import { addDecimals } from '../../model/decimal.ts';
import type { Change, Field } from '../../model/generated/plan.ts';
import { SECRET } from '../../model/secret.ts';
import { count } from '../layout.ts';
import { pairText, valueText } from '../value-text.ts';
import { actionWords, REASONS } from '../words.ts';
import { names, row, tableHead } from './blocks.ts';
import { markdownCode, markdownText } from './escape.ts';
import type { Form, Section } from './fit.ts';
import { fieldsOf, type Group } from './groups.ts';
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

/** Every other change; equal ones share a row. Where there is no room for all rows, the addresses without one are named. */
export function changesTable(title: string, groups: readonly Group[]): readonly Section[] {
  const changes = groups.flatMap((group) => group.changes);
  if (changes.length === 0) return [];
  const heading = `### ${title} (${changes.length})\n`;
  const named = changes.map(({ address }) => markdownCode(address));
  const few = merged(groups);
  // What is named behind a table that was cut.
  const later = few.map((_group, index) => few.slice(index).flatMap((group) => group.changes));
  const short: Form = {
    weight: 80,
    head: heading,
    items: named.map((name) => `- ${name}`),
    rest: (left) => `- … and ${left} more`,
    misses: (left) =>
      `what ${count(changes.length, 'change')} would do${left === 0 ? '' : `, ${left} of them not even named`}`,
  };
  const head = `${heading}\n${tableHead(['Address', 'Action', 'What', 'At stake (SOL)'])}`;
  const full: Form = { weight: 40, head, items: groups.map(groupRow) };
  const table: Form = {
    weight: 70,
    head,
    items: few.map(groupRow),
    rest: (left) => {
      const rest = later[few.length - left] ?? [];
      return `\nAnd ${count(rest.length, 'more')}: ${names(
        rest.map(({ address }) => address),
        markdownCode,
      )}`;
    },
    misses: (left) =>
      left === 0 ? undefined : `table rows of ${later[few.length - left]?.length ?? 0} changes`,
  };
  return [
    {
      name: count(changes.length, 'change'),
      forms: [short, table, ...(few.length === groups.length ? [] : [full])],
    },
  ];
}

/** Starts and stops for one reason in one group: all of them are named before the tables, and what they do is the reason. */
function merged(groups: readonly Group[]): readonly Group[] {
  const kinds = byKey(groups, ({ first }) => {
    const trades = first.starts_trading || first.stops_trading;
    return trades && !saysFields(first) ? JSON.stringify([first.actions, first.reason, first.held]) : first;
  });
  return [...kinds.values()].flatMap((same) => {
    const changes = same.flatMap((group) => group.changes);
    return changes.slice(0, 1).map((first) => ({ first, changes }));
  });
}

/** Addresses that a row of many names. */
const NAMED = 3;

function groupRow(group: Group): string {
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

function valuesText({ before, after, sensitive }: Field): string {
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
