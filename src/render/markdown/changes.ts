import { placeText } from '../differences.ts';
import { count } from '../layout.ts';
import type { ChangeRow, ChangeTable } from '../view.ts';
import { folded, row, tableHead } from './blocks.ts';
import { diffFence } from './diff.ts';
import { codes, linkTo, markdownCode, markdownText } from './escape.ts';
import type { FittedSection } from './fit.ts';
import { rankedForms } from './ranked.ts';

const TABLE = tableHead(['Action', 'Task', 'What changes', 'SOL per trigger'], [':--', ':--', ':--', '--:']);

/** A row of the table. `files`: the URL on a forge that the links to the manifests begin with. */
function changeRow(
  change: ChangeRow,
  files?: string,
  { what, remark }: Pick<ChangeRow, 'what' | 'remark'> = change,
): string {
  const { sign, action, name, members, weighty, warnings, stake = '', place, aside } = change;
  const shown = weighty ? members : members.slice(0, MOST_MEMBERS);
  const more = members.length - shown.length;
  const linked = (text: string) => linkTo(markdownCode(text), place, files);
  const where = members.length > 0 && place !== undefined ? `, ${linked(placeText(place))}` : '';
  const who =
    members.length === 0
      ? `${linked(name)}${remark === '' ? '' : ` — ${markdownText(remark)}`}`
      : `${markdownText(name)}: ${codes(shown)}${more > 0 ? ` and ${more} more` : ''}${where}`;
  const said = [
    markdownText([what, aside].filter((part) => part !== '').join(', ')),
    ...change.wallets.map((wallet) => markdownText(wallet.trim())),
    ...(warnings.length === 0 ? [] : [`⚠ **${warnings.map(markdownText).join(', ')}**`]),
  ];
  const [before, after] = stake.split(' → ');
  return row([
    `${weighty ? `${sign} ` : ''}${markdownText(action)}`,
    who,
    said.filter((part) => part !== '').join(' '),
    after === undefined
      ? markdownText(stake)
      : `${markdownText(before ?? '')}${GLUED_ARROW}**${markdownText(after)}**`,
  ]);
}

const MOST_MEMBERS = 3;
/** A narrow column must not break it. */
const GLUED_ARROW = '\u00a0→\u00a0';

/** What this change does: a table and the fields if there is room for everything, else field by field. */
export function ownSection({ title, changes }: ChangeTable, files: string | undefined): FittedSection {
  const subjects = changes.flatMap(({ details }) => details.subjects);
  const many = subjects.length;
  const titled = title === '' ? [] : [`### ${title} (${many})`];
  const details = folded('All fields, reasons and requests', changes.flatMap(detailParts).join('\n\n'));
  const whole = (weight: number, links?: string) => ({
    weight,
    head: [...titled, wholeTable(changes, links), details].join('\n\n'),
  });
  return {
    name: `what ${many === 1 ? '1 change' : `${many} changes`} would do`,
    forms: [
      ...rankedForms(subjects, {
        heading: `### ${title === '' ? 'Changes' : title}, starts and stops first (${many})`,
        table: {
          head: TABLE,
          // A remark may be a change of its own, and costs nothing.
          rows: changes.map((change) => changeRow(change, undefined, { what: change.dear, remark: '' })),
          rest: (left) => row(['', '', `… and ${count(left, 'more row')}`, '']),
        },
        also: 'reasons, requests and the ends of long values',
        weights: { money: 79, names: 65, other: 56, paper: 50 },
      }),
      whole(49),
      // The links are less important than everything else.
      ...(files === undefined ? [] : [whole(15, files)]),
    ],
  };
}

function wholeTable(changes: readonly ChangeRow[], files: string | undefined): string {
  return [TABLE, ...changes.map((change) => changeRow(change, files))].join('\n');
}

function detailParts({ name, members, action, details }: ChangeRow): string[] {
  const { why, fields, requests, subjects } = details;
  const who = members.length === 0 ? markdownCode(name) : codes(subjects.map((subject) => subject.name));
  return [
    `**${markdownText(action)}** ${who}: ${[...why, ...(requests === '' ? [] : [`Requests: ${requests}.`])].map(markdownText).join(' ')}`,
    ...fields.flatMap(({ title, fields: some }) => [
      ...(title === undefined ? [] : [markdownText(title)]),
      diffFence(some),
    ]),
  ].filter((part) => part !== '');
}

/** Collapsed, because it was already planned before this change. */
export function formerSection({ title, changes }: ChangeTable, files: string | undefined): FittedSection {
  const sizes = changes.map(({ details }) => details.subjects.length);
  const many = (left: number) => sizes.slice(sizes.length - left).reduce((sum, size) => sum + size, 0);
  const all = many(sizes.length);
  const name = (left: number) =>
    `${count(many(left), 'change')} that ${many(left) === 1 ? 'was' : 'were'} already pending or drifted`;
  const parts = changes.map(
    (change, index) =>
      `${index === 0 ? '' : '\n'}${TABLE}\n${changeRow(change, files)}\n\n${detailParts(change).join('\n\n')}`,
  );
  return {
    name: name(sizes.length),
    forms: [
      {
        weight: 25,
        head: `<details><summary>${title} (${all})</summary>\n`,
        items: parts,
        foot: '\n</details>',
        rest: (left) => `\n… and ${many(left)} more`,
        misses: (left) => (left === 0 ? undefined : name(left)),
      },
    ],
  };
}
