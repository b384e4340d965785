import { byKey } from '../../model/by-key.ts';
import type { Field } from '../../model/generated/plan.ts';
import { jsonEqual } from '../../model/json.ts';
import { count } from '../../model/named.ts';
import {
  COST_GROUPS,
  type Cost,
  type CostGroup,
  costGroupOf,
  costOf,
  fieldRank,
} from '../../plan/stakes/cost.ts';
import { type CostCounts, costCounts, differenceOf, withCost } from '../differences.ts';
import { visible } from '../untrusted.ts';
import type { Subject } from '../view.ts';
import { BEFORE } from '../words.ts';
import { markdownFence } from './escape.ts';
import type { SectionForm } from './fit.ts';

/**
 * Differences without room for all of them: field by field, the most expensive first, so that nothing that is cut is more
 * expensive than what is shown. A difference that many subjects share appears once.
 */

interface Frame {
  readonly heading: string;
  /** A table of all subjects, after the fields that can cost money. `begin`: its first rows, before all else, without `unseen` others. Absent if they are shown elsewhere. */
  readonly table?: Required<Pick<SectionForm, 'head' | 'items' | 'rest'>> & {
    readonly begin: string;
    readonly unseen: number;
  };
  /** What else a reader misses: `reasons and requests`. */
  readonly also: string;
  readonly weights: Readonly<Record<CostGroup | 'names', number>>;
}

/**
 * From the shortest form to the longest. Each is cut from its end, and gets room only after the whole previous form. One function,
 * because each form also says what all others hide.
 */
export function rankedForms(subjects: readonly Subject[], frame: Frame): readonly SectionForm[] {
  const { heading, table, also, weights } = frame;
  const entries = entriesOf(subjects);
  const [open = '', , close = ''] = markdownFence('diff', [entries.map(({ text }) => text).join('\n')]);
  // With a table, the reader opens the fields below it. Without a table there is nothing else.
  const [unfold, refold] = table
    ? [
        [`<details><summary>${FIELDS}</summary>`, ''],
        ['', '</details>'],
      ]
    : [[], []];
  const fence = (shown: readonly RankedEntry[]) => [...unfold, open, ...textsOf(shown)].join('\n');
  const end = (hidden: readonly RankedEntry[]) =>
    [...moreLines(countsOf(hidden)), close, ...refold].join('\n');
  const missed = (hidden: CostCounts = {}, unnamed: number) => {
    const counts = costCounts(hidden);
    return [
      ...(counts === '' ? [] : [`differences (${counts})`]),
      ...(unnamed === 0 ? [] : [count(unnamed, 'row')]),
      also,
    ].join(', ');
  };
  const [money = [], ...others] = COST_GROUPS.map((group) =>
    entries.filter((entry) => entry.group === group),
  );
  const unseen = countsOf(others.flat());
  const names = table && {
    weight: weights.names,
    ...table,
    head: `${heading}\n\n${table.head}`,
    ...(money.length === 0 ? {} : { foot: `\n${fence(money)}\n${end(others.flat())}` }),
    misses: (left: number) => missed(unseen, left),
  };
  const groups = [money, ...others];
  const differences = groups.map((items, at): readonly SectionForm[] => {
    const hidden = groups.slice(at + 1).flat();
    const above = !table ? [] : at === 0 ? [table.begin, ''] : [table.head, ...table.items, ''];
    if (items.length === 0) return [];
    const [tails, all] = [tailsOf(items), tailsOf([...items, ...hidden])];
    return [
      {
        weight: weights[COST_GROUPS[at] ?? 'paper'],
        head: [`${heading}\n`, ...above, fence(groups.slice(0, at).flat())].join('\n'),
        items: textsOf(items),
        rest: (left) => moreLines(tails[left]).join('\n'),
        foot: end(hidden),
        misses: (left) => missed(all[left + hidden.length], at > 0 || !table ? 0 : table.unseen),
      },
    ];
  });
  const [first = [], ...more] = differences;
  if (!table || !names) return differences.flat();
  const least = {
    weight: FIRST,
    head: `${heading}\n\n${table.begin}`,
    misses: () => missed(countsOf(entries), table.unseen),
  };
  return [least, ...first, names, ...more.flat()];
}

/** Before everything that can be cut. */
const FIRST = 96;
const FIELDS = 'Fields, the most expensive first';

interface RankedEntry {
  readonly group: CostGroup;
  readonly cost: Cost;
  readonly text: string;
  /** The number of subjects that the row represents. */
  readonly many: number;
}

interface RankedPlace {
  readonly subject: Subject;
  readonly field: Field;
  readonly rank: number;
}

/** After everything that this change does. */
const OF_BEFORE = 1_000;

function entriesOf(subjects: readonly Subject[]): readonly RankedEntry[] {
  const places = subjects.flatMap((subject) =>
    subject.fields.map(
      (field): RankedPlace => ({
        subject,
        field,
        rank: fieldRank(field.path, subject.running) + (field.provenance === 'before' ? OF_BEFORE : 0),
      }),
    ),
  );
  const ranked = places.sort((a, b) => a.rank - b.rank);
  return [...byKey(ranked, keyOf).values()].map((same) => {
    const [first] = same;
    const cost = costOf(first.field.path);
    const group = first.rank < OF_BEFORE ? costGroupOf(cost) : 'paper';
    return { group, cost, text: textOf(first, same), many: same.length };
  });
}

/** Secret values are never compared, because that would reveal whether they are equal. */
function keyOf(place: RankedPlace): unknown {
  const { path, before, after, sensitive, legacy } = place.field;
  if (sensitive) return place;
  return JSON.stringify([place.rank, path, before, after, legacy, before === undefined, after === undefined]);
}

/** The maximum of names before a difference. */
const NAMED = 3;
/** More lines of one long difference would leave no room for others. */
const LINES = 12;
const CHARACTERS = 240;

function textOf({ field, rank }: RankedPlace, same: readonly RankedPlace[]): string {
  const named = same.slice(0, NAMED).map(({ subject }) => visible(subject.name));
  const more = same.length - named.length;
  const who = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const { origin, ...rest } = field;
  const shared =
    origin !== undefined && same.every((other) => jsonEqual({ ...other.field.origin }, { ...origin }));
  const lines = diffLines(shared ? field : rest, `${who} `);
  const kept = lines.slice(0, LINES).map(clipped);
  const left = lines.length - kept.length;
  return [
    ...(rank < OF_BEFORE ? [] : [`  … ${BEFORE.toLowerCase()}:`]),
    ...kept,
    ...(left > 0 ? [`  … and ${count(left, 'more line')} of it`] : []),
  ].join('\n');
}

function clipped(line: string): string {
  const all = [...line];
  return all.length <= CHARACTERS ? line : `${all.slice(0, CHARACTERS).join('')}…`;
}

function textsOf(entries: readonly RankedEntry[]): readonly string[] {
  return entries.map(({ text }) => text);
}

/** How many differences of each class the last entries contain, by the number of entries. */
function tailsOf(entries: readonly RankedEntry[]): readonly CostCounts[] {
  const tails: CostCounts[] = [{}];
  for (const { cost, many } of entries.toReversed()) tails.push(withCost(tails.at(-1) ?? {}, cost, many));
  return tails;
}

function countsOf(entries: readonly RankedEntry[]): CostCounts {
  return tailsOf(entries).at(-1) ?? {};
}

/** The text in place of entries that are not shown. */
function moreLines(counts: CostCounts = {}): readonly string[] {
  const text = costCounts(counts);
  return text === '' ? [] : [`  … and more: ${text}`];
}

/**
 * A fenced block in which every line begins with - or + in the first column. Forges colour such lines, and no text of others
 * can end the fence. Empty without fields.
 */
export function diffFence(fields: readonly Field[]): string {
  const lines = fields.flatMap((field) => diffLines(field));
  return lines.length === 0 ? '' : markdownFence('diff', lines).join('\n');
}

/** The lines of one field for such a block. `lead` comes before its path: `sniper/a `. */
function diffLines(field: Field, lead = ''): string[] {
  const { path, before, after, note, place, list } = differenceOf(field);
  const name = `${lead}${path}`;
  const index = { '-': 0, '+': 0 };
  const lines =
    list === undefined
      ? [
          ...(before === undefined ? [] : [`- ${name}: ${before}`]),
          ...(after === undefined ? [] : [`+ ${name}: ${after}`]),
        ]
      : list.lines.flatMap((line) => {
          if (line.sign === 'same') {
            index['-'] += line.count;
            index['+'] += line.count;
            return [];
          }
          const at = index[line.sign];
          index[line.sign] += 1;
          // A set has no positions.
          const which = { member: '[]', item: `[${at}]`, line: `, line ${at + 1}` }[list.unit];
          return [`${line.sign} ${name}${which}: ${line.text}`];
        });
  // The note is about the value before, and the place about the value in git. Each appears once.
  const added = lines.findIndex((line) => line.startsWith('+'));
  const last = added < 0 ? lines.length - 1 : added;
  return lines.map((line, at) => {
    const tails = [at === 0 ? note : '', at === last ? place : ''].filter((tail) => tail !== '');
    return [line, ...tails].join('  # ');
  });
}
