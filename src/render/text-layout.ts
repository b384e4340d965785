import { stripVTControlCharacters } from 'node:util';
import type { Field } from '../model/generated/plan.ts';
import { differenceOf, placeText, sidesText } from './differences.ts';
import { fieldWords, type WalletNames, walletLines } from './field-words.ts';
import { cells, clip, count, hang, padEnd, wrap } from './layout.ts';
import { briefFields, requestLines, together } from './sections.ts';
import { type Paint, painter, type Tone } from './style.ts';
import { subjectText } from './subject.ts';
import { inert, visible } from './untrusted.ts';
import { quoted } from './value-text.ts';
import { type ChangeRow, type ChangeTable, type Row, type Section, THESE, type View } from './view.ts';

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
}

/** Wider lines are hard to read, and narrower ones have no room for an address. */
const WIDEST = 140;
const NARROWEST = 40;

/** A view for a terminal or a log. Ends with a newline. */
export function viewText(view: View, options: TextOptions): string {
  const layout = layoutOf(options, view.names);
  const { columns, paint, verbose } = layout;
  const { parts, verdict, tone, notes = [], footer = [], end } = view;
  const blocks = parts.map((part) =>
    'changes' in part ? tableLines(part, layout) : sectionLines(part, layout),
  );
  if (end !== undefined) {
    const said = hang('', visible(verdict), columns).map((line) => paint(tone, line));
    const head = end === 'titled' ? headLines({ ...view, verdict: '', notes: [] }, layout) : [];
    return joined([head, ...blocks, [...said, ...notes.flatMap((text) => hang('', visible(text), columns))]]);
  }
  const more = !verbose && parts.some((part) => 'changes' in part) ? ' · details with -v' : '';
  const foot = footer.flatMap((text) => hang('', visible(text + more), columns));
  return joined([headLines(view, layout), ...blocks, foot.map((line) => paint('dim', line))]);
}

function layoutOf({ columns, color, verbose = false }: TextOptions, names?: WalletNames): Layout {
  return {
    columns: Math.min(WIDEST, Math.max(NARROWEST, columns)),
    paint: painter(color),
    verbose,
    names,
  };
}

/** Blocks with an empty line between them. Escapes commands that only arose when texts were joined. */
function joined(blocks: readonly (readonly string[])[]): string {
  const text = blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => inert(line.trimEnd())).join('\n'))
    .join('\n\n');
  return `${text}\n`;
}

/** The head of a view, for callers with their own layout of the rest. */
export function viewHead(head: Head, options: TextOptions): string[] {
  return headLines(head, { ...layoutOf(options), columns: options.columns });
}

type Head = Pick<View, 'heading' | 'subject' | 'money' | 'verdict' | 'tone' | 'facts' | 'notes'>;

/** Left and right on one line if there is room, else one below the other. */
function headLines(
  { heading = '', subject, money = '', verdict, tone, facts = [], notes = [] }: Head,
  layout: Layout,
): string[] {
  const { columns, paint } = layout;
  const title = `${heading} ${subjectText(subject, visible)}`.trimStart();
  const gap = columns - cells(title) - cells(money);
  const first =
    gap >= 2
      ? [`${paint('title', title)}${' '.repeat(gap)}${paint('strong', money)}`]
      : [
          ...hang('', title, columns).map((line) => paint('title', line)),
          ...hang('  ', money, columns).map((line) => paint('strong', line)),
        ];
  const say = (text: string) => hang('  ', visible(text), columns);
  return [
    ...first,
    ...(verdict === '' ? [] : say(verdict).map((line) => paint(tone, line))),
    ...(facts.length === 0 ? [] : say(facts.join(' · '))),
    ...notes.flatMap(say).map((line) => paint('warn', line)),
  ];
}

const WIDEST_NAME = 28;
const WIDEST_NAMED = 52;

function tableLines({ title, changes }: ChangeTable, layout: Layout): string[] {
  const { columns, paint } = layout;
  const widest = Math.min(WIDEST_NAME, Math.floor(columns / 2));
  const names = changes.map(({ name }) => cells(visible(name))).filter((width) => width <= widest);
  const widths = {
    name: Math.max(0, ...names),
    stake: Math.max(0, ...changes.map(({ stake = '' }) => cells(stake))),
  };
  const many = changes.reduce((sum, { details }) => sum + details.subjects.length, 0);
  return [
    ...(title !== '' ? [paint('title', `${title} (${many})`)] : []),
    ...changes.flatMap((row) => changeLines(row, widths, layout)),
  ];
}

/** Sign, address, remark and changed fields, with SOL per trigger at the right edge. */
function changeLines(
  row: ChangeRow,
  widths: { readonly name: number; readonly stake: number },
  layout: Layout,
): string[] {
  const { columns, paint, verbose } = layout;
  const { sign, tone, name, members, remark, what, warnings, stake = '', place, wallets } = row;
  const shown = visible(name);
  const indent = 2 + widths.name + 2;
  const over = Math.max(0, cells(shown) - widths.name);
  // If there is no room for a stake column, the stake is part of the text.
  const narrow = columns - indent - widths.stake - 2 < NARROWEST_TEXT;
  const kept = narrow || stake === '' ? 0 : cells(stake) + 2;
  const room = columns - indent;
  // A long address takes the necessary room from the first line, or its own line.
  const alone = over > 0 && room - over - kept < NARROWEST_TEXT;
  const firstRoom = room - kept - (alone ? 0 : over);
  const where = members.length > 0 && place !== undefined ? placeText(place) : '';
  const said = [where, unbroken(visible(what)), narrow && stake !== '' ? `${stake} SOL` : '']
    .filter((part) => part !== '')
    .join('  ');
  const left = firstRoom - cells(said) - (said === '' ? 0 : 2);
  const note = quoted(clip(visible(remark), Math.max(LEAST_REMARK, left - 2)));
  // One line of changes says more than two lines with a cut remark. Tasks that start, stop, are created or deleted keep the
  // remark.
  const isKept = row.weighty || verbose || left < 0 || cells(note) <= left;
  const called = remark === '' || !isKept ? '' : note;
  const text = [called, said].filter((part) => part !== '').join('  ');
  const lines = wrap(text, room, firstRoom).map((line) => line.replaceAll(GLUE, ' '));
  const warned = warnings.map((warning) => `! ${warning}`).join(', ');
  const end = lines.at(-1) ?? '';
  const fits = warned === '' || cells(end) + 2 + cells(warned) <= (lines.length === 1 ? firstRoom : room);
  const [first = '', ...rest] = [
    ...lines.slice(0, -1),
    ...(warned === '' || !fits ? [end] : [`${end}  ${paint('warn', warned)}`]),
    ...(fits ? [] : hang('', warned, room).map((line) => paint('warn', line))),
  ];
  const head = `${paint(tone, sign)} ${paint('strong', padEnd(shown, widths.name))}  `;
  const used = indent + (alone ? 0 : over) + cells(stripVTControlCharacters(first));
  const money =
    stake === '' || narrow ? '' : `${' '.repeat(Math.max(2, columns - used - cells(stake)))}${stake}`;
  return [
    ...(alone ? [head.trimEnd()] : []),
    `${alone ? ' '.repeat(indent) : head}${first}${money}`,
    ...rest.map((more) => ' '.repeat(indent) + more),
    ...wallets.map((wallet) => `    ${visible(wallet)}`),
    ...memberLines(row, layout),
    ...(verbose ? detailLines(row, layout) : []),
  ];
}

/** `visible` escapes this character in text of others, so every one comes from tradeform. */
const GLUE = '\u00a0';

/** An amount with its unit, its factor and the former amount, as one word. */
function unbroken(text: string): string {
  return text.replace(
    /(?<=\d) (?=(?:SOL|%|×\S+)(?:[ ,]|$)|→ \d)|(?<=SOL) (?=×\d)|(?<=amount|tip|slippage|up to) (?=\d)|(?<=no) (?=auto-sell)|(?<=\d →) (?=\d)/g,
    GLUE,
  );
}

const LEAST_REMARK = 12;
const NARROWEST_TEXT = 24;

/** As many names as fit on a line, but all names of tasks that start, stop, are created or deleted. */
function memberLines({ members, weighty, aside }: ChangeRow, { columns, paint, verbose }: Layout): string[] {
  if (members.length === 0) return [];
  const names = members.map(visible);
  const end = aside === '' ? '' : ` (${aside})`;
  const lines = hang('    ', `${names.join(', ')}${end}`, columns);
  if (weighty || verbose || lines.length === 1) return lines.map((line) => paint('dim', line));
  const some: string[] = [];
  for (const name of names) {
    if (cells([...some, name].join(', ')) > columns - MORE - cells(end)) break;
    some.push(name);
  }
  return [paint('dim', `    ${some.join(', ')} … and ${names.length - some.length} more${end}`)];
}

/** Room for the indent and for ` … and 5000 more`. */
const MORE = 22;

function detailLines({ details }: ChangeRow, { columns, paint }: Layout): string[] {
  const say = (text: string) => hang('    ', visible(text), columns).map((line) => paint('dim', line));
  return [
    ...details.why.flatMap(say),
    ...details.fields.flatMap(({ title, fields }) => [
      ...(title === undefined ? [] : say(title)),
      ...fieldLines(fields, columns, paint),
    ]),
    ...(details.requests === '' ? [] : say(`requests: ${details.requests}`)),
    '',
  ];
}

function sectionLines(section: Section, layout: Layout): string[] {
  const { title, aside = '', tone, ways = [], shown: kind, brief, unit = THESE } = section;
  const { columns, paint, verbose } = layout;
  const rows = section.merges && !verbose ? together(section.rows) : section.rows;
  if (kind === 'markdown' || (kind === 'quiet' && !verbose)) return [];
  const { number = rows.reduce((sum, { size = 1 }) => sum + size, 0) } = section;
  const isBrief = brief !== undefined && !verbose;
  const { most = rows.length } = section;
  const more = isBrief ? 0 : rows.length - most;
  const shown = rows.slice(0, most);
  // A column for the values, if there are any.
  const named = shown.map(({ names, value }) =>
    value === undefined ? 0 : cells(names.map(visible).join(', ')),
  );
  const width = Math.min(WIDEST_NAMED, Math.max(0, ...named));
  // A diagnostic already names its severity.
  const head = rows.some(({ code }) => code !== undefined)
    ? []
    : hang('', `${visible(title)} (${number})${visible(aside)}`, columns);
  return [
    ...head.map((line) => paint(tone, line)),
    ...(isBrief ? packed('  ', brief, columns) : shown.flatMap((row) => rowLines(row, layout, width))),
    ...(more > 0 ? [`  … and ${count(more, `more ${unit[0]}`, `more ${unit[1]}`)}`] : []),
    ...(isBrief ? [] : ways).flatMap((text) =>
      hang('  ', visible(text), columns).map((line) => paint('dim', line)),
    ),
  ];
}

/** The differences in a few words, with wallets in full. */
function briefLines(fields: readonly Field[], { columns, names }: Layout): string[] {
  if (fields.length === 0) return [];
  return [
    ...hang('      ', visible(fieldWords(fields)), columns),
    ...walletLines(fields, names).map((wallet) => `      ${visible(wallet)}`),
  ];
}

/** Items separated by commas. No item is broken if a line can hold it. */
function packed(indent: string, items: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const [index, item] of items.entries()) {
    const text = `${visible(item)}${index < items.length - 1 ? ',' : ''}`;
    const last = lines.at(-1);
    if (last !== undefined && cells(`${last} ${text}`) <= columns)
      lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(...hang(indent, text, columns));
  }
  return lines;
}

function rowLines(row: Row, layout: Layout, width: number): string[] {
  const { columns, paint, verbose } = layout;
  const {
    sign,
    tone,
    code,
    names,
    beside = '',
    text,
    value,
    places = [],
    below = [],
    next = [],
    fields = [],
  } = row;
  const named = names.map(visible).join(', ');
  const who = value === undefined ? `${named}${visible(beside)}` : visible(value);
  const where = code === undefined && places.length > 0 ? `, ${places.join(', ')}` : '';
  const said = [who, visible(text)].filter((part) => part !== '').join(': ') + where;
  const label = code === undefined ? '' : `${code[0]}[${visible(code[1])}]: `;
  const mark = sign ?? '';
  const first = code === undefined ? `  ${mark}${mark === '' ? '' : ' '}` : label;
  const lead = value === undefined ? first : `${first}${padEnd(named, width)}  `;
  const marked = code === undefined ? mark : label;
  const colour = tone ?? (code?.[0] === 'error' ? 'error' : code?.[0] === 'warning' ? 'warn' : undefined);
  const deep = code === undefined ? '      ' : '  ';
  const under = (arrow: string, line: string) =>
    hang(deep + arrow, visible(line), columns).map((each) => paint('dim', each));
  return [
    ...hang(code === undefined ? lead : '', code === undefined ? said : first + said, columns, 1 / 2).map(
      (line, index) =>
        index === 0 && marked !== '' && colour !== undefined
          ? line.replace(marked, () => paint(colour, marked))
          : line,
    ),
    // Never broken, because terminals and editors open `file:line` with a click.
    ...(code === undefined || places.length === 0 ? [] : [paint('dim', `${deep}at ${places.join(', ')}`)]),
    ...[...below, ...requestLines(row)].flatMap((line) => under('', line)),
    ...(verbose ? fieldLines(fields, columns, paint) : briefLines(briefFields(row), layout)),
    ...next.flatMap((line) => under('→ ', line)),
  ];
}

const TONES: Readonly<Record<'+' | '-' | '~', Tone>> = { '+': 'add', '-': 'remove', '~': 'change' };
const DEEP = '        ';

/** The differences for a terminal: each field as before → after, with its place in the manifest. Unchanged parts are counted. */
function fieldLines(fields: readonly Field[], columns: number, paint: Paint): string[] {
  return fields.flatMap((field) => oneField(field, columns, paint));
}

function oneField(field: Field, columns: number, paint: Paint): string[] {
  const difference = differenceOf(field);
  const { path, before, after, note, place, list } = difference;
  const sign = list !== undefined ? '~' : before === undefined ? '+' : after === undefined ? '-' : '~';
  const tail = note === '' ? '' : ` (${note})`;
  const head = `    ${sign} ${path}:`;
  const painted = `    ${paint(TONES[sign], sign)} ${path}:`;
  const headLines = () => withPlace(painted + paint('dim', tail), cells(head + tail), place, columns, paint);
  if (list !== undefined) {
    return [
      ...headLines(),
      ...list.lines.flatMap((line) =>
        line.sign === 'same'
          ? [
              paint(
                'dim',
                `${DEEP}  … ${count(line.count, `unchanged ${list.unit === 'line' ? 'line' : 'item'}`)}`,
              ),
            ]
          : side(line.sign, line.text, columns, paint),
      ),
    ];
  }
  const values = sign === '~' ? sidesText(difference) : (after ?? before ?? '');
  const width = cells(`${head} ${values}${tail}`);
  if (width <= columns) {
    const colored =
      sign === '~'
        ? `${paint('remove', before ?? '')} → ${paint('add', after ?? '')}`
        : paint(TONES[sign], values);
    return withPlace(`${painted} ${colored}${paint('dim', tail)}`, width, place, columns, paint);
  }
  return [
    ...headLines(),
    ...(before === undefined ? [] : side('-', before, columns, paint)),
    ...(after === undefined ? [] : side('+', after, columns, paint)),
  ];
}

function side(sign: '+' | '-', text: string, columns: number, paint: Paint): string[] {
  return hang(`${DEEP}${sign} `, text, columns).map((line) => paint(TONES[sign], line));
}

/** The place is at the right edge of the line, or below it if there is no room. */
function withPlace(line: string, width: number, place: string, columns: number, paint: Paint): string[] {
  if (place === '') return [line];
  const gap = columns - width - cells(place);
  if (gap >= 2) return [`${line}${' '.repeat(gap)}${paint('dim', place)}`];
  // Never broken, because terminals and editors open `file:line` with a click.
  return [line, paint('dim', `${DEEP}at ${place}`)];
}
