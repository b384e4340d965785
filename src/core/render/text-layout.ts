import { stripVTControlCharacters } from 'node:util';
import type { Field } from '../model/generated/plan.ts';
import { count } from '../model/named.ts';
import { differenceOf, fieldWords, placeText, type WalletNames, walletLines } from './differences.ts';
import { cells, clip, hang, type Paint, padEnd, painter, type Tone, wrap } from './layout.ts';
import { inert, visible } from './untrusted.ts';
import { quoted } from './value-text.ts';
import {
  briefFields,
  type Cell,
  type ChangeRow,
  type ChangeTable,
  type Column,
  itemsIn,
  type Row,
  requestLines,
  type Section,
  subjectText,
  THESE,
  together,
  type UnitView,
  type View,
} from './view.ts';

export interface TextOptions {
  readonly columns: number;
  readonly color: boolean;
  /** Also show fields, reasons and requests. */
  readonly verbose?: boolean;
}

interface Layout {
  readonly columns: number;
  readonly paint: Paint;
  readonly verbose: boolean;
  readonly names: WalletNames | undefined;
  /** Raw text in lines: `first` before the first of them, and as many spaces before the others. */
  readonly say: (first: string, text: string, tone?: Tone) => string[];
}

/** Wider lines are hard to read, and narrower ones have no room for an address. */
const WIDEST = 140;
const NARROWEST = 40;

/** A view for a terminal or a log. Ends with a newline. Of a fleet, the worst account comes last, where it is seen first. */
export function viewText(view: View, options: TextOptions): string {
  const layout = layoutOf(view, options);
  const units = (view.units ?? []).filter(({ quiet }) => !quiet || layout.verbose);
  return [...units.toReversed().map((unit) => unitText(unit, options)), ownText(view, layout)].join('\n');
}

/** Without details, because one of many accounts needs its room. */
function unitText({ name, place, view }: UnitView, options: TextOptions): string {
  const title = `── ${visible(name)} (${visible(place)}) ──`;
  return `${painter(options.color)('title', title)}\n${viewText(view, { ...options, verbose: false })}`;
}

function ownText(view: View, layout: Layout): string {
  const { parts, verdict, tone, money, facts = [], footer = [], source = [], bare } = view;
  const { verbose, say } = layout;
  const blocks = parts.map((part) =>
    'changes' in part ? tableLines(part, layout) : sectionLines(part, layout),
  );
  if (bare) {
    const result = say('', money === undefined ? verdict : `${verdict} ${money}`, tone);
    return joined([[...result, ...(facts.length === 0 ? [] : say('', facts.join(' · ')))], ...blocks]);
  }
  const tables = parts.filter((part): part is ChangeTable => 'changes' in part);
  const wallets = tables.some((table) => isBrief(table, layout)) ? 'whole wallets and ' : '';
  const details = verbose || tables.length === 0 ? [] : [`${wallets}details with -v`];
  const more = [...source, ...details].join(' · ');
  const last = [...footer.slice(-1), more].filter((text) => text !== '').join(' · ');
  const foot = cells(last) > layout.columns ? [...footer, more] : [...footer.slice(0, -1), last];
  return joined([
    headLines(view, layout),
    ...blocks,
    foot.flatMap((text) => (text === '' ? [] : say('', text, 'dim'))),
  ]);
}

function layoutOf(
  { detailed, names }: View,
  { columns: asked, color, verbose = false }: TextOptions,
): Layout {
  const columns = Math.min(WIDEST, Math.max(NARROWEST, asked));
  const paint = painter(color);
  const say: Layout['say'] = (first, text, tone) =>
    hang(first, visible(text), columns).map((line) => (tone === undefined ? line : paint(tone, line)));
  return { columns, paint, verbose: verbose || detailed === true, names, say };
}

/** Blocks with an empty line between them. Escapes commands that only arose when texts were joined. */
function joined(blocks: readonly (readonly string[])[]): string {
  const text = blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => inert(line.trimEnd())).join('\n'))
    .join('\n\n');
  return `${text}\n`;
}

/** The line with a text at the right edge. Undefined if there is no room. Both may be painted. */
function withEnd(line: string, end: string, columns: number): string | undefined {
  const gap = columns - shownCells(line) - shownCells(end);
  return gap < 2 ? undefined : `${line}${' '.repeat(gap)}${end}`;
}

function shownCells(painted: string): number {
  return cells(stripVTControlCharacters(painted));
}

/** Left and right on one line if there is room, else one below the other. */
function headLines(
  { heading = '', subject, money = '', verdict, tone, facts = [], notes = [] }: View,
  { columns, paint, say }: Layout,
): string[] {
  const title = `${heading} ${subjectText(subject, visible)}`.trimStart();
  const first = withEnd(paint('title', title), paint('strong', money), columns);
  // Of a plan without changes, this is all.
  const second = withEnd(paint(tone, `  ${visible(verdict)}`), paint('strong', money), columns);
  const isBeside = first === undefined && second !== undefined && facts.length === 0 && verdict !== '';
  return [
    ...(title + money === ''
      ? []
      : first !== undefined
        ? [first]
        : [...say('', title, 'title'), ...(isBeside ? [] : say('  ', money, 'strong'))]),
    ...(isBeside ? [second] : verdict === '' ? [] : say('  ', verdict, tone)),
    ...(facts.length === 0 ? [] : say('  ', facts.join(' · '))),
    ...notes.flatMap((note) => say('  ', note, 'warn')),
  ];
}

const WIDEST_NAME = 28;
const WIDEST_NAMED = 52;

/** Of more new tasks than this, each has one line with its target in short, unless details are requested. */
const MOST_NEW = 8;

const isNew = ({ action }: ChangeRow) => action.startsWith('create');

function isBrief({ changes }: ChangeTable, { verbose }: Layout): boolean {
  return !verbose && changes.filter(isNew).length > MOST_NEW;
}

function tableLines(table: ChangeTable, layout: Layout): string[] {
  const { title, changes } = table;
  const widest = Math.min(WIDEST_NAME, Math.floor(layout.columns / 2));
  const names = changes.map(({ name }) => cells(visible(name))).filter((width) => width <= widest);
  const width = Math.max(0, ...names);
  const stakes = Math.max(0, ...changes.map(({ stake = '' }) => cells(stake)));
  const many = changes.reduce((sum, { details }) => sum + details.subjects.length, 0);
  return [
    ...(title === '' ? [] : [layout.paint('title', `${title} (${many})`)]),
    ...changes.flatMap((row) => {
      const brief = isNew(row) && isBrief(table, layout);
      return changeLines(row, { name: width, stake: stakes, brief }, layout);
    }),
  ];
}

/** Sign, address, remark and changed fields, with SOL at stake at the right edge. */
function changeLines(
  row: ChangeRow,
  widths: { readonly name: number; readonly stake: number; readonly brief: boolean },
  layout: Layout,
): string[] {
  const { columns, paint, verbose } = layout;
  const { sign, tone, stake = '', wallets } = row;
  const name = visible(row.name);
  const indent = 2 + widths.name + 2;
  const room = columns - indent;
  const over = Math.max(0, cells(name) - widths.name);
  // If there is no room for a stake column, the stake is part of the text.
  const money = stake !== '' && room - widths.stake - 2 >= NARROWEST_TEXT ? stake : '';
  const kept = money === '' ? 0 : cells(money) + 2;
  // A long address takes the necessary room from the first line, or its own line.
  const alone = over > 0 && room - over - kept < NARROWEST_TEXT;
  const rooms = { first: room - kept - (alone ? 0 : over), rest: room };
  const what = widths.brief ? fitting(row, rooms.first) : row.what;
  const text = changeText({ ...row, what }, money === '' ? stake : '', rooms.first, verbose);
  const head = `${paint(tone, sign)} ${paint('strong', padEnd(name, widths.name))}  `;
  const [first = '', ...rest] = warnedLines(text, row.warnings, rooms, paint);
  const line = (alone ? ' '.repeat(indent) : head) + first;
  return [
    ...(alone ? [head.trimEnd()] : []),
    money === '' ? line : (withEnd(line, money, columns) ?? `${line}  ${money}`),
    ...rest.map((more) => ' '.repeat(indent) + more),
    ...(widths.brief ? [] : wallets).map((wallet) => `    ${visible(wallet)}`),
    ...memberLines(row, layout),
    ...(verbose ? detailLines(row, layout) : []),
  ];
}

/** Remark, place and fields. A remark is whole or absent, and takes no line of its own without details. */
function changeText(
  { members, remark, what, place }: ChangeRow,
  stake: string,
  room: number,
  verbose: boolean,
): string {
  const where = members.length > 0 && place !== undefined ? placeText(place) : '';
  const said = spaced([where, unbroken(visible(what)), stake === '' ? '' : `${stake} SOL`]);
  const left = room - cells(said) - (said === '' ? 0 : 2);
  const note = quoted(visible(remark));
  return spaced([remark === '' || (!verbose && cells(note) > left) ? '' : note, said]);
}

/** The target in short behind whether it starts, and the first of the other facts that fit. That a task does not sell is never left out. */
function fitting({ what, wallets }: ChangeRow, room: number): string {
  const facts = what.split(', ');
  const target = wallets.flatMap((line) => TARGET.exec(line)?.slice(1) ?? []);
  const place = facts[1] === 'paused' ? 2 : 1;
  facts.splice(place, 0, ...target.map(shortTarget));
  // The target and how much it buys.
  const least = target.length === 0 ? 1 : place + 2;
  const last = () => facts.findLastIndex((fact, place) => place >= least && fact !== 'no auto-sell');
  while (last() > 0 && cells(visible(facts.join(', '))) > room) facts.splice(last(), 1);
  return facts.join(', ');
}

const TARGET = /^→ (\S+)/;

/** Twelve characters: nobody can make another wallet that has them, as one can make one with the first and last four. */
function shortTarget(address: string): string {
  return address.length < 20 ? address : `${address.slice(0, 6)}…${address.slice(-6)}`;
}

function spaced(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('  ');
}

/** The text in lines, with the warnings behind it or below. */
function warnedLines(
  text: string,
  warnings: readonly string[],
  { first, rest }: Readonly<Record<'first' | 'rest', number>>,
  paint: Paint,
): string[] {
  const lines = wrap(text, rest, first).map((line) => line.replaceAll(GLUE, ' '));
  if (warnings.length === 0) return lines;
  const warned = warnings.map((warning) => `! ${warning}`).join(', ');
  const end = lines.pop() ?? '';
  const fits = cells(end) + 2 + cells(warned) <= (lines.length === 0 ? first : rest);
  return fits
    ? [...lines, `${end}  ${paint('warn', warned)}`]
    : [...lines, end, ...hang('', warned, rest).map((line) => paint('warn', line))];
}

/** `visible` escapes this character in text of others, so every one comes from tradeform. */
const GLUE = '\u00a0';

/** An amount with its unit, its factor and the former amount, as one word. */
function unbroken(text: string): string {
  return text.replace(
    /(?<=\d) (?=(?:SOL|%|×\S+)(?:[ ,]|$)|→ \d)|(?<=SOL) (?=[×-]\d)|(?<=amount|tip|slippage|up to) (?=\d)|(?<=no) (?=auto-sell)|(?<=\d →) (?=\d)/g,
    GLUE,
  );
}

const NARROWEST_TEXT = 24;

/** As many names as fit on a line, but all names of tasks that start, stop, are created or deleted. */
function memberLines({ members, weighty }: ChangeRow, { columns, paint, verbose, say }: Layout): string[] {
  if (members.length === 0) return [];
  const names = members.map(visible);
  const lines = say('    ', names.join(', '), 'dim');
  if (weighty || verbose || lines.length === 1) return lines;
  const some: string[] = [];
  for (const name of names) {
    if (cells([...some, name].join(', ')) > columns - MORE) break;
    some.push(name);
  }
  return [paint('dim', `    ${some.join(', ')} … and ${names.length - some.length} more`)];
}

/** Room for the indent and for ` … and 5000 more`. */
const MORE = 22;

function detailLines({ details: { why, fields, requests } }: ChangeRow, layout: Layout): string[] {
  const dim = (text: string) => layout.say('    ', text, 'dim');
  return [
    ...why.flatMap(dim),
    ...fields.flatMap((part) => [
      ...(part.title === undefined ? [] : dim(part.title)),
      ...part.fields.flatMap((field) => fieldLines(field, layout)),
    ]),
    ...(requests === '' ? [] : dim(`requests: ${requests}`)),
    '',
  ];
}

function sectionLines(section: Section, layout: Layout): string[] {
  const { title, aside = '', tone, ways = [], shown: kind, unit = THESE, merges, number } = section;
  const { verbose, say } = layout;
  if (kind === 'markdown' || (kind === 'quiet' && !verbose)) return [];
  if (section.columns !== undefined) return gridLines(section, section.columns, layout);
  const rows = merges && !verbose ? together(section.rows) : section.rows;
  // A diagnostic already names its severity.
  const isTitled = rows.every(({ code }) => code === undefined);
  const head = isTitled ? say('', `${title} (${number ?? itemsIn(rows)})${aside}`, tone) : [];
  const { most = rows.length } = section;
  const shown = rows.slice(0, most);
  const more = itemsIn(rows.slice(most));
  // A column for the values, if there are any.
  const named = shown.map((row) => (row.value === undefined ? 0 : cells(namesOf(row))));
  const width = Math.min(WIDEST_NAMED, Math.max(0, ...named));
  return [
    ...head,
    ...shown.flatMap((row) => rowLines(row, layout, width)),
    ...(more > 0 ? [`  … and ${count(more, `more ${unit[0]}`, `more ${unit[1]}`)}`] : []),
    ...ways.flatMap((text) => say('  ', text, 'dim')),
  ];
}

/** A line for each row, and below it what is below the row: once, if rows one below the other have the same. */
function gridLines({ rows }: Section, titles: readonly Column[], { columns, paint, say }: Layout): string[] {
  const head = titles.map(({ title }) => ({ text: title.toUpperCase() }));
  const lines = rows.map(({ cells = [] }) => cells.map((cell) => ({ ...cell, text: visible(cell.text) })));
  const widths = columnWidths([head, ...lines], titles, columns);
  const below = sharedTexts(rows.map((row) => (row.below ?? []).join(' ')));
  return [
    paint('dim', gridLine(head, widths, painter(false)).trimEnd()),
    ...lines.flatMap((line, index) => [
      ...namedLine(line, widths, paint),
      ...(below[index] === '' ? [] : say('    ', below[index] ?? '', 'dim')),
    ]),
  ];
}

/** A text that several items one after the other have: only after the last, with their number. */
function sharedTexts(texts: readonly string[]): readonly string[] {
  let same = 0;
  return texts.map((text, index) => {
    same += 1;
    if (text !== '' && texts[index + 1] === text) return '';
    const shown = same > 1 && text !== '' ? `These ${same}: ${text}` : text;
    same = 0;
    return shown;
  });
}

const GAP = '  ';
const LEAST_NAME = 12;
const LEAST_CELL = 4;

/** Each column is as wide as its content. On a narrow terminal, first the last column and then the first gets less room. */
function columnWidths(
  lines: readonly (readonly Cell[])[],
  titles: readonly Column[],
  columns: number,
): readonly number[] {
  const natural = titles.map(({ most = Number.POSITIVE_INFINITY }, index) =>
    Math.min(most, Math.max(...lines.map((line) => cells(line[index]?.text ?? '')))),
  );
  const [name = 0, ...others] = natural;
  const fixed = others.slice(0, -1);
  const used = fixed.reduce((sum, width) => sum + width, GAP.length * (titles.length - 1));
  const room = Math.min(others.at(-1) ?? 0, columns - used - LEAST_NAME);
  const last = room < LEAST_CELL ? 0 : room;
  return [Math.min(name, Math.max(LEAST_NAME, columns - used - last)), ...fixed, last];
}

/** A name that does not fit gets its own line, and is never cut. */
function namedLine(line: readonly Cell[], widths: readonly number[], paint: Paint): string[] {
  const [name = { text: '' }, ...rest] = line;
  return cells(name.text) <= (widths[0] ?? 0)
    ? [gridLine(line, widths, paint)]
    : [name.text, gridLine([{ text: '' }, ...rest], widths, paint)];
}

function gridLine(line: readonly Cell[], widths: readonly number[], paint: Paint): string {
  return line
    .map(({ text, tone }, index) => {
      const width = widths[index] ?? 0;
      const shown = width === 0 ? '' : padEnd(clip(text, width), width);
      return tone === undefined ? shown : paint(tone, shown);
    })
    .join(GAP);
}

function namesOf({ names }: Row): string {
  return names.map(visible).join(', ');
}

function rowLines(row: Row, layout: Layout, width: number): string[] {
  const { paint, verbose, say } = layout;
  const { code, places = [], below = [], next = [], fields = [] } = row;
  const deep = code === undefined ? '      ' : '  ';
  return [
    ...firstLines(row, layout, width),
    // Never broken, because terminals and editors open `file:line` with a click.
    ...(code === undefined || places.length === 0 ? [] : [paint('dim', `${deep}at ${places.join(', ')}`)]),
    ...[...below, ...requestLines(row)].flatMap((line) => say(deep, line, 'dim')),
    ...(verbose
      ? fields.flatMap((field) => fieldLines(field, layout))
      : briefLines(briefFields(row), layout)),
    ...next.flatMap((line) => say(`${deep}→ `, line, 'dim')),
  ];
}

/** Its sign, or the code of a diagnostic, in colour; the names, or in their column those of a row with a value; and the text. */
function firstLines(row: Row, { columns, paint }: Layout, width: number): string[] {
  const { sign = '', tone, code, beside = '', text, value, places = [] } = row;
  const who = value === undefined ? `${namesOf(row)}${visible(beside)}` : visible(value);
  const said = [who, visible(text)].filter((part) => part !== '').join(': ');
  if (code !== undefined) {
    const label = `${code[0]}[${visible(code[1])}]: `;
    const colour = tone ?? (code[0] === 'error' ? 'error' : code[0] === 'warning' ? 'warn' : undefined);
    return marked(hang('', label + said, columns, 1 / 2), label, colour, paint);
  }
  const first = `  ${sign}${sign === '' ? '' : ' '}`;
  const lead = value === undefined ? first : `${first}${padEnd(namesOf(row), width)}  `;
  const where = places.length > 0 ? `, ${places.join(', ')}` : '';
  return marked(hang(lead, said + where, columns, 1 / 2), sign, tone, paint);
}

function marked(
  [first = '', ...rest]: string[],
  mark: string,
  tone: Tone | undefined,
  paint: Paint,
): string[] {
  if (mark === '' || tone === undefined) return [first, ...rest];
  return [first.replace(mark, () => paint(tone, mark)), ...rest];
}

/** The differences in a few words, with wallets in full. */
function briefLines(fields: readonly Field[], { names, say }: Layout): string[] {
  if (fields.length === 0) return [];
  return [
    ...say('      ', fieldWords(fields)),
    ...walletLines(fields, names).map((wallet) => `      ${visible(wallet)}`),
  ];
}

const TONES = { '+': 'add', '-': 'remove', '~': 'change' } as const;
const DEEP = '        ';

/** A difference for a terminal: before → after, with its place in the manifest. Unchanged parts are counted. */
function fieldLines(field: Field, { columns, paint, say }: Layout): string[] {
  const difference = differenceOf(field);
  const { path, before, after, note, place, list } = difference;
  const sign = list !== undefined ? '~' : before === undefined ? '+' : after === undefined ? '-' : '~';
  const tail = note === '' ? '' : paint('dim', ` (${note})`);
  const head = `    ${paint(TONES[sign], sign)} ${path}:`;
  const side = (which: '+' | '-', text: string) => say(`${DEEP}${which} `, text, TONES[which]);
  // Never broken, because terminals and editors open `file:line` with a click.
  const placed = (line: string) =>
    place === ''
      ? [line]
      : [withEnd(line, paint('dim', place), columns) ?? [line, paint('dim', `${DEEP}at ${place}`)]].flat();
  if (list !== undefined) {
    const alike = list.unit === 'line' ? 'line' : 'item';
    return [
      ...placed(head + tail),
      ...list.lines.flatMap((line) =>
        line.sign === 'same'
          ? [paint('dim', `${DEEP}  … ${count(line.count, `unchanged ${alike}`)}`)]
          : side(line.sign, line.text),
      ),
    ];
  }
  const values =
    sign === '~'
      ? `${paint('remove', before ?? '')} → ${paint('add', after ?? '')}`
      : paint(TONES[sign], after ?? before ?? '');
  const line = `${head} ${values}${tail}`;
  if (shownCells(line) <= columns) return placed(line);
  return [
    ...placed(head + tail),
    ...(before === undefined ? [] : side('-', before)),
    ...(after === undefined ? [] : side('+', after)),
  ];
}
