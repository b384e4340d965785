import type { Change, Plan } from '../../model/generated/plan.ts';
import { BEFORE, isSwitchedBefore } from '../base-text.ts';
import { folded, names } from './blocks.ts';
import { markdownCode, markdownText } from './escape.ts';
import type { Section } from './fit.ts';

/**
 * Who is deleted, replaced, started and stopped, and what is at stake: the part that is never shortened away. Where room is
 * short, each address is named once; otherwise under everything that happens to it.
 */
export function namesSection(plan: Plan): Section {
  const changes = plan.changes.filter(({ blocked }) => blocked === null);
  const blocks = (categories: readonly Category[]) =>
    stacked([
      ...categories.flatMap(({ title, is }) => nameBlock(title, changes.filter(is))),
      ...strayBlock(plan),
      stakeLine(plan),
    ]);
  return { least: blocks(ONCE), forms: [{ weight: 15, head: blocks(EACH) }] };
}

/** List items follow one another; what is collapsed stands apart. */
function stacked(blocks: readonly string[]): string {
  return blocks.reduce((text, block) => {
    if (text === '') return block;
    const isList = block.startsWith('-') && !text.endsWith('>');
    return `${text}${isList ? '\n' : '\n\n'}${block}`;
  }, '');
}

interface Category {
  readonly title: string;
  readonly is: (change: Change) => boolean;
}

const deletes = ({ action }: Change) => action === 'delete';
const replaces = ({ action }: Change) => action === 'replace';
const starts = ({ starts_trading }: Change) => starts_trading;
const stops = ({ stops_trading }: Change) => stops_trading;

const EACH: readonly Category[] = [
  { title: 'Starts trading', is: starts },
  { title: 'Stops trading', is: stops },
  { title: 'Deletes', is: deletes },
  { title: 'Replaces', is: replaces },
];

/** Every change is in one of these at most. */
const ONCE: readonly Category[] = [
  { title: 'Deletes and stops trading', is: (change) => deletes(change) && stops(change) },
  { title: 'Deletes', is: (change) => deletes(change) && !stops(change) },
  { title: 'Replaces and stops trading', is: (change) => replaces(change) && stops(change) },
  { title: 'Replaces and starts trading', is: (change) => replaces(change) && starts(change) },
  { title: 'Replaces', is: (change) => replaces(change) && !stops(change) && !starts(change) },
  { title: 'Stops trading', is: (change) => !isWeighty(change) && stops(change) },
  { title: 'Starts trading', is: (change) => !isWeighty(change) && starts(change) },
];

/** What a reviewer looks at before all else. */
export function isWeighty(change: Change): boolean {
  return deletes(change) || replaces(change);
}

/** Deletions and replacements go by the change, starts and stops by the field that says so. */
function isBefore(change: Change): boolean {
  return isWeighty(change) ? change.provenance === 'before' : isSwitchedBefore(change);
}

/** `- **Deletes (2):** a; already pending or drifted: b`. */
function nameBlock(title: string, changes: readonly Change[]): string[] {
  const of = (before: boolean) =>
    changes.filter((change) => isBefore(change) === before).map(({ address }) => address);
  const [own, former] = [of(false), of(true)];
  return namedBlock(title, changes.length, [
    ...(own.length === 0 ? [] : [names(own, markdownCode)]),
    ...(former.length === 0 ? [] : [`${BEFORE.toLowerCase()}: ${names(former, markdownCode)}`]),
  ]);
}

/** More names than this are collapsed: the headline stays one. */
const MOST_IN_LINE = 12;

function namedBlock(title: string, number: number, texts: readonly string[]): string[] {
  if (number === 0) return [];
  return number <= MOST_IN_LINE
    ? [`- **${title} (${number}):** ${texts.join('; ')}`]
    : [folded(`<b>${title} (${number})</b>`, texts.join('; '))];
}

function strayBlock({ observations }: Plan): string[] {
  const strays = observations.filter((item) => item.running && item.class !== 'foreign');
  const ids = strays.map(({ id }) => id);
  return namedBlock('Runs without git', ids.length, [names(ids, markdownCode)]);
}

function stakeLine({ exposure }: Plan): string {
  const { before, after, running_before, running_after } = exposure;
  const sol = before === after ? 'unchanged, ' : '';
  return `- **At stake per trigger:** ${sol}${arrow(before, after)} SOL, ${running_before} → ${running_after} running`;
}

/** `0.5 → 0.75`, or one amount where it stays: amounts as long as a commit's hash are code. */
export function arrow(before: string, after: string): string {
  if (before === after) return markdownText(after);
  return `${markdownText(before)} → ${markdownText(after)}`;
}
