import { count } from '../../model/named.ts';
import { fieldWords, placeText } from '../differences.ts';
import { viewText } from '../text-layout.ts';
import { inert } from '../untrusted.ts';
import {
  briefFields,
  type ChangeRow,
  type ChangeTable,
  type Column,
  type Section as Listed,
  type NamedList,
  type Row,
  subjectParts,
  THESE,
  together,
  type UnitView,
  type View,
} from '../view.ts';
import { codes, htmlCode, linkTo, markdownCode, markdownFence, markdownText } from './escape.ts';
import {
  byteLength,
  type Fitted,
  type FittedSection,
  fitDocument,
  type MarkdownDocument,
  type SectionForm,
  wholeDocument,
} from './fit.ts';
import { hiddenChanges, hiddenHeader } from './header.ts';
import { diffFence, rankedForms } from './ranked.ts';

/** A view as Markdown that looks the same on GitHub and GitLab. */
export function viewMarkdown(view: View): string {
  return harmless(wholeDocument(documentOf(view)));
}

/** The same in at most `maxBytes`. If the parts that must not be cut are too large, it does not fit. */
export function viewMarkdownWithin(view: View, maxBytes: number): Fitted {
  const fitted = fitDocument(documentOf(view, maxBytes / LIST_SHARE), maxBytes);
  const last = 'text' in fitted ? fitted : fitDocument(documentOf(view, 0), maxBytes);
  return 'text' in last ? { text: harmless(last.text) } : last;
}

/** Joining texts may have formed a runner's command. */
function harmless(text: string): string {
  return text.split('\n').map(inert).join('\n');
}

/**
 * The list of changes takes at most this part of a document, and at most this many bytes, because text for people comes first.
 */
const LIST_SHARE = 4;
const LIST_BYTES = 16_000;

function documentOf(view: View, room = LIST_BYTES): MarkdownDocument {
  const { parts, approves, named = [], footer = [], source = [], seeAll = '' } = view;
  const units = (view.units ?? []).filter(({ quiet }) => !quiet);
  const list = approves === undefined ? '' : hiddenChanges(approves.changes, approves.order);
  const listed = list.length <= Math.min(room, LIST_BYTES);
  const said = [...footer, ...source].join(' · ');
  const foot = [markdownText(said), ...(listed ? [] : [NOT_LISTED])].join('\n\n');
  const tables = parts.filter((part): part is ChangeTable => 'changes' in part);
  const own = tables.find(({ former }) => !former);
  const { fields } = view;
  return {
    head: headOf(view, listed ? list : ''),
    seeAll: markdownText(seeAll),
    sections: [
      ...(tables.length > 0 ? [] : [namedSection(named)]),
      ...parts.flatMap((part) => {
        if (!('changes' in part)) return [listSection(part, fields !== undefined)];
        return [
          ...(part === tables[0] ? [namedSection(named)] : []),
          part === own ? ownSection(part, view.files) : formerSection(part, view.files),
        ];
      }),
      ...(fields === undefined ? [] : [fieldsSection(fields)]),
      ...(units.length === 0 ? [] : [unitsSection(units)]),
      { least: foot, forms: [] },
    ],
  };
}

const NOT_LISTED =
  'The plan has more changes than this comment can list. If one of them is no longer needed when the plan is applied, nothing is applied.';

/** Title, verdict and limits of the document. What happens comes first, the account and the host in small print. */
function headOf(view: View, list: string): string {
  const { command, heading = '', subject, digest = null, verdict, money, facts = [], notes = [] } = view;
  const { headline = verdict } = view;
  const { project, environment } = subject;
  const [names, place] = subjectParts(subject, markdownCode);
  const about = `${heading.charAt(0).toLowerCase()}${heading.slice(1)} ${names}`.trim();
  const said = headline === verdict ? facts : [verdict, ...facts];
  const counts = [...(money === undefined ? [] : [`**${markdownText(money)}**`]), ...said.map(markdownText)];
  const hidden = hiddenHeader(command.replaceAll(' ', ''), { project, environment, digest });
  return [
    [
      hidden,
      ...(list === '' ? [] : [list]),
      `## ${markdownText(headline.replace(/\.$/, ''))}${about === '' ? '' : ` — ${about}`}`,
    ].join('\n'),
    ...(counts.length === 0 ? [] : [counts.join(' · ')]),
    ...notes.map(markdownText),
    ...(place === '' ? [] : [`<sub>${place}</sub>`]),
  ].join('\n\n');
}

/** Of more names the first stay visible, the dearest. */
const MOST_IN_LINE = 12;

/** Only for a shortened document. Otherwise the table shows the names, and earlier changes are collapsed. */
function namedSection(lists: readonly NamedList[]): FittedSection {
  const write = (some: readonly NamedList[]) =>
    some
      .map(({ title, names, former }) => {
        const number = names.length + former.length;
        const said = [
          ...(names.length === 0 ? [] : [codes(names)]),
          ...(former.length === 0 ? [] : [`already pending or drifted: ${codes(former)}`]),
        ].join('; ');
        return number <= MOST_IN_LINE
          ? `- **${title} (${number}):** ${said}`
          : `- **${title} (${number}):** ${codes([...names, ...former].slice(0, MOST_IN_LINE))}\n\n${folded('All', said)}\n`;
      })
      .join('\n')
      .trim();
  const former = lists.filter((list) => list.former.length > 0);
  return { least: write(lists), forms: [{ weight: 0, whole: true, head: write(former) }] };
}

/** Below what trades without git, and above the sentences about the other tasks. */
const FIELD_WEIGHTS = { money: 94, names: 0, other: 45, paper: 35 };

/** Item by item if there is room for everything, else field by field, the most expensive first. */
function fieldsSection({ title, subjects }: NonNullable<View['fields']>): FittedSection {
  const many = subjects.length;
  return {
    name: `the fields of ${count(many, 'item')}`,
    forms: [
      ...rankedForms(subjects, {
        heading: `### ${title}, the most expensive first (${many})`,
        also: 'the ends of long values',
        weights: FIELD_WEIGHTS,
      }),
      {
        weight: 34,
        head: [
          `### ${title} (${many})`,
          ...subjects.map(({ name, fields }) =>
            folded(`${htmlCode(name)}: ${count(fields.length, 'field')}`, diffFence(fields)),
          ),
        ].join('\n\n'),
      },
    ],
  };
}

/** The maximum of lines for an account, so that one account leaves room for others. */
const MOST_LINES = 120;
const UNIT_COLUMNS = 100;

/** What a terminal shows of each account, the worst first. */
function unitsSection(units: readonly UnitView[]): FittedSection {
  const items = units.map(({ name, place, view }) => {
    const lines = viewText(view, { columns: UNIT_COLUMNS, color: false }).trimEnd().split('\n');
    const left = lines.length - MOST_LINES;
    const shown = left > 0 ? [...lines.slice(0, MOST_LINES), `… and ${count(left, 'more line')}`] : lines;
    const body = markdownFence('text', shown).join('\n');
    return `${folded(`${htmlCode(name)}: ${htmlCode(place)}`, body)}\n`;
  });
  const details = (left: number) => `details of ${count(left, 'account')}`;
  return {
    name: details(items.length),
    forms: [
      {
        weight: 1,
        items,
        rest: (left) => `… and ${details(left)}`,
        misses: (left) => (left === 0 ? undefined : details(left)),
      },
    ],
  };
}

/** UTF-8 bytes for rows that must not be cut, however little room there is: a quarter of a comment. */
const NEVER_CUT = 16_384;
/** Characters of a change that a row has room for, if all of it is too long. */
const MOST_SAID = 300;

/** A list under a heading, cut from its end if there is no room. */
function listSection(section: Listed, fieldsElsewhere: boolean): FittedSection {
  if (section.columns !== undefined) return gridSection(section, section.columns);
  const { title, aside = '', number: all, ways = [], weight, unit = THESE, shown, namesFirst } = section;
  const rows = together(section.rows);
  const sizes = rows.map(({ size = 1 }) => size);
  const number = (left: number) => sizes.slice(sizes.length - left).reduce((sum, size) => sum + size, 0);
  const name = (left: number) => count(number(left), unit[0], unit[1]);
  const moreOf = (left: number) => `- … and ${count(number(left), `more ${unit[0]}`, `more ${unit[1]}`)}`;
  const items = rows.map((row) => listItem(fieldsElsewhere ? { ...row, fields: [] } : row));
  const named = (some: readonly Row[]) => codes(some.flatMap(({ names }) => names));
  const foot = ways.length === 0 ? [] : [`\n${ways.map(markdownText).join(' ')}`];
  const text = `${title} (${all ?? number(rows.length)})${aside}`;
  const isFolded = shown === 'quiet' || shown === 'collapsed';
  const form: SectionForm = {
    weight: weight ?? 0,
    head: isFolded ? `<details><summary>${htmlWords(text)}</summary>\n` : `### ${markdownText(text)}\n`,
    items,
    ...(foot.length === 0 && !isFolded
      ? {}
      : { foot: [...foot, ...(isFolded ? ['\n</details>'] : [])].join('\n') }),
    rest: (left) =>
      namesFirst ? `- And ${number(left)} more: ${named(rows.slice(rows.length - left))}` : moreOf(left),
    misses: (left) => (left === 0 ? undefined : name(left)),
  };
  if (weight !== undefined && namesFirst) {
    const { head = '' } = form;
    const brief = { head, items: rows.map((row) => `- ${named([row])}`) };
    return {
      name: name(rows.length),
      forms: [
        { ...form, ...brief, weight: weight + 0.6, rest: moreOf },
        { weight: weight + 0.5, head: `${head}\n${named(rows)}` },
        { ...form, misses: () => undefined },
      ],
    };
  }
  if (weight !== undefined) return { name: name(rows.length), forms: [form] };
  const most = fitting(items);
  const left = items.length - most;
  return {
    least: [form.head, ...items.slice(0, most), ...(left === 0 ? [] : [moreOf(left)])].join('\n'),
    ...(left === 0 ? {} : { name: name(left) }),
    // All or nothing: what the plan would do to tasks gets its room first.
    forms: left === 0 ? [] : [{ weight: 100, head: [form.head, ...items].join('\n') }],
  };
}

/** A table, with a column for what is below its rows. */
function gridSection(
  { title, rows, weight = 0, unit = THESE, shown }: Listed,
  titles: readonly Column[],
): FittedSection {
  const isTold = rows.some(({ below = [] }) => below.length > 0);
  const heads = [...titles.map((column) => column.title), ...(isTold ? ['why'] : [])];
  const name = (left: number) => count(left, unit[0], unit[1]);
  return {
    name: name(rows.length),
    forms: [
      {
        weight,
        head: `${shown === 'quiet' ? `<details><summary>${title} (${rows.length})</summary>` : `### ${title} (${rows.length})`}\n\n${tableHead(heads)}`,
        ...(shown === 'quiet' ? { foot: '\n</details>' } : {}),
        items: rows.map(({ cells: [first, ...others] = [], below = [] }) =>
          row([
            markdownCode(first?.text ?? ''),
            ...others.map(({ text }) => markdownText(text)),
            ...(isTold ? [below.map(markdownText).join(' ')] : []),
          ]),
        ),
        rest: (left) => row([`… and ${left} more`, ...heads.slice(1).map(() => '')]),
        misses: (left) => (left === 0 ? undefined : name(left)),
      },
    ],
  };
}

function fitting(items: readonly string[]): number {
  let used = 0;
  const over = items.findIndex((item) => {
    used += byteLength(item) + 1;
    return used > NEVER_CUT;
  });
  return over < 0 ? items.length : over;
}

/** In HTML: tradeform's own words stay words, and anything else becomes code as well. */
function htmlWords(text: string): string {
  return markdownText(text) === text ? text : htmlCode(text);
}

function listItem(row: Row): string {
  const { code, names, beside = '', text, value, places = [], below = [], next = [] } = row;
  const who = `${codes(names)}${beside === '' ? '' : ` ${markdownText(beside.trim())}`}`;
  const said = [
    ...(code === undefined ? [] : [markdownCode(code[1])]),
    ...(who === '' ? [] : [who.trim()]),
    ...[value ?? '', text].flatMap((part) => (part === '' ? [] : [markdownText(part)])),
  ].join(': ');
  const where = places.length === 0 ? '' : ` (${codes(places)})`;
  const under = [
    ...briefFields(row).map((field) => markdownText(fieldWords([field]))),
    ...below.map(markdownText),
    ...next.map((line) => `→ ${markdownText(line)}`),
  ];
  return [`- ${said}${where}`, ...under].join('\n  - ');
}

const TABLE = tableHead(['Action', 'Task', 'What changes', 'SOL at stake'], [':--', ':--', ':--', '--:']);

/** A row of the table. `files`: the URL on a forge that the links to the manifests begin with. */
function changeRow(change: ChangeRow, files?: string): string {
  const { sign, action, name, members, weighty, warnings, stake = '', place, what, remark } = change;
  const shown = weighty ? members : members.slice(0, MOST_MEMBERS);
  const more = members.length - shown.length;
  const linked = (text: string) => linkTo(markdownCode(text), place, files);
  const where = members.length > 0 && place !== undefined ? `, ${linked(placeText(place))}` : '';
  const who =
    members.length === 0
      ? `${linked(name)}${remark === '' ? '' : ` — ${markdownText(remark)}`}`
      : `${markdownText(name)}: ${codes(shown)}${more > 0 ? ` and ${more} more` : ''}${where}`;
  const said = [
    markdownText(what),
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
function ownSection({ title, changes }: ChangeTable, files: string | undefined): FittedSection {
  const subjects = changes.flatMap(({ details }) => details.subjects);
  const many = subjects.length;
  const titled = title === '' ? [] : [`### ${title} (${many})`];
  const details = folded('All fields, reasons and requests', changes.flatMap(detailParts).join('\n\n'));
  // A remark may be a change of its own, and costs nothing.
  const rows = changes.map((change) => changeRow({ ...change, what: change.dear, remark: '' }));
  const more = (left: number) => row(['', '', `… and ${count(left, 'more row')}`, '']);
  const first = changes.slice(0, MOST_IN_LINE).map((change, at) => {
    const text = rows[at] ?? '';
    if (byteLength(text) <= NEVER_CUT / MOST_IN_LINE) return text;
    const what = `${change.dear.slice(0, MOST_SAID)} …`;
    return changeRow({ ...change, what, remark: '', weighty: false, wallets: [] });
  });
  const unseen = rows.length - first.length;
  const begin = [TABLE, ...first, ...(unseen === 0 ? [] : [more(unseen)])].join('\n');
  const whole = (weight: number, links?: string) => {
    const table = [TABLE, ...changes.map((change) => changeRow(change, links))].join('\n');
    return { weight, head: [...titled, table, details].join('\n\n') };
  };
  return {
    name: `what ${count(many, 'change')} would do`,
    forms: [
      ...rankedForms(subjects, {
        heading: `### ${title === '' ? 'Changes' : title}, the most dangerous first (${many})`,
        table: { head: TABLE, items: rows, rest: more, begin, unseen },
        also: 'reasons, requests and the ends of long values',
        weights: { money: 79, names: 65, other: 56, paper: 50 },
      }),
      whole(49),
      // The links are less important than everything else.
      ...(files === undefined ? [] : [whole(15, files)]),
    ],
  };
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
function formerSection({ title, changes }: ChangeTable, files: string | undefined): FittedSection {
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

/** The parts of Markdown documents. All texts are Markdown already. */

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The first two lines of a table. */
function tableHead(titles: readonly string[], borders = titles.map(() => '---')): string {
  return `${row(titles)}\n${row(borders)}`;
}

/** `summary` is HTML, because Markdown is not parsed within the tag. Empty lines around the body make it Markdown. */
function folded(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}
