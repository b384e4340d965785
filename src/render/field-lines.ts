import type { Field } from '../model/generated/plan.ts';
import { SECRET } from '../model/secret.ts';
import { isUnordered } from '../model/shape.ts';
import { cells, count, hang } from './layout.ts';
import { type ListLine, listDiff } from './list-diff.ts';
import type { Paint, Tone } from './style.ts';
import { visible } from './untrusted.ts';
import { ABSENT, pairText, valueText } from './value-text.ts';

const INDENT = '    ';
const DEEP = '        ';

interface Side {
  readonly before: unknown;
  readonly after: unknown;
}

/** The differences of one change: each field before → after, with the manifest's place; unchanged parts are hidden. */
export function fieldLines(fields: readonly Field[], columns: number, paint: Paint): string[] {
  return fields.flatMap((field) => oneField(field, columns, paint));
}

function oneField(field: Field, columns: number, paint: Paint): string[] {
  const { before, after }: Side = { before: field.before, after: field.after };
  const place = originText(field);
  const name = visible(field.path);
  if (field.sensitive) return short(name, secretPair(field), place, columns, paint);
  const list = Array.isArray(before) && Array.isArray(after) ? { before, after } : undefined;
  if (list !== undefined) return listLines(name, list, place, columns, paint);
  if (isLongText(before) || isLongText(after))
    return textLines(name, { before, after }, place, columns, paint);
  const pair = pairText(before, after);
  if (field.legacy === true) return short(name, { ...pair, note: legacyNote(after) }, place, columns, paint);
  return short(name, pair, place, columns, paint);
}

interface Pair {
  readonly before: string;
  readonly after: string;
  readonly note?: string;
}

function secretPair(field: Field): Pair {
  const has = (side: unknown) => (side === undefined ? ABSENT : SECRET);
  return { before: has(field.before), after: has(field.after), note: '(values are secret)' };
}

function legacyNote(after: unknown): string {
  return after === undefined ? '(legacy, will be dropped)' : '(legacy snapshot, will be written)';
}

/** `~ config.buy_amount: 0.5 → 0.75   file:line`, on one line where it fits. */
function short(
  name: string,
  { before, after, note }: Pair,
  place: string,
  columns: number,
  paint: Paint,
): string[] {
  const sign = before === ABSENT ? '+' : after === ABSENT ? '-' : '~';
  const tone: Tone = sign === '+' ? 'add' : sign === '-' ? 'remove' : 'change';
  const values = sign === '+' ? after : sign === '-' ? before : `${before} → ${after}`;
  const tail = note === undefined ? '' : ` ${note}`;
  const head = `${INDENT}${sign} ${name}: `;
  const room = columns - cells(head) - cells(values) - cells(tail);
  const start = `${INDENT}${paint(tone, sign)} ${name}: `;
  if (room >= 0) {
    const colored =
      sign === '~' ? `${paint('remove', before)} → ${paint('add', after)}` : paint(tone, values);
    return withPlace(`${start}${colored}${paint('dim', tail)}`, columns - room, place, columns, paint);
  }
  const sides: [Tone, string, string][] = [
    ['remove', '- ', before],
    ['add', '+ ', after],
  ];
  return [
    ...withPlace(
      `${start.trimEnd()}${paint('dim', tail)}`,
      cells(head) - 1 + cells(tail),
      place,
      columns,
      paint,
    ),
    ...sides
      .filter(([, , text]) => text !== ABSENT)
      .flatMap(([side, mark, text]) => hang(DEEP + mark, text, columns).map((line) => paint(side, line))),
  ];
}

function listLines(
  name: string,
  { before, after }: { before: readonly unknown[]; after: readonly unknown[] },
  place: string,
  columns: number,
  paint: Paint,
): string[] {
  const lines = listDiff(before.map(valueText), after.map(valueText), { unordered: isUnordered(name) });
  return diffBlock(name, lines, 'item', place, columns, paint);
}

function textLines(
  name: string,
  { before, after }: Side,
  place: string,
  columns: number,
  paint: Paint,
): string[] {
  const lines = listDiff(rows(before), rows(after));
  return diffBlock(name, lines, 'line', place, columns, paint);
}

function diffBlock(
  name: string,
  lines: readonly ListLine[],
  unit: string,
  place: string,
  columns: number,
  paint: Paint,
): string[] {
  const head = `${INDENT}~ ${name}:`;
  return [
    ...withPlace(`${INDENT}${paint('change', '~')} ${name}:`, cells(head), place, columns, paint),
    ...lines.flatMap((line) =>
      line.sign === 'same'
        ? [paint('dim', `${DEEP}  … ${count(line.count, `unchanged ${unit}`)}`)]
        : hang(`${DEEP}${line.sign} `, line.text, columns).map((text) =>
            paint(line.sign === '+' ? 'add' : 'remove', text),
          ),
    ),
  ];
}

function isLongText(value: unknown): value is string {
  return typeof value === 'string' && value.includes('\n');
}

function rows(value: unknown): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? value.split('\n').map(visible) : [valueText(value)];
}

/** The place stands at the right edge of the line, or below it where there is no room. */
export function withPlace(
  line: string,
  width: number,
  place: string,
  columns: number,
  paint: Paint,
): string[] {
  if (place === '') return [line];
  const gap = columns - width - cells(place);
  if (gap >= 2) return [`${line}${' '.repeat(gap)}${paint('dim', place)}`];
  // Never broken, however long: terminals and editors open `file:line` by a click.
  return [line, paint('dim', `${DEEP}at ${place}`)];
}

export function originText(field: Field): string {
  return field.origin === undefined ? '' : placeText(field.origin);
}

/** `manifests/dawn.yaml:12`. */
export function placeText({ file, line }: NonNullable<Field['origin']>): string {
  return `${visible(file)}:${line}`;
}

/**
 * All fields of something that is created or deleted whole: one line a group of the config, no places (the block has one).
 */
export function wholeLines(
  fields: readonly Field[],
  sign: '+' | '-',
  columns: number,
  paint: Paint,
): string[] {
  const groups = new Map<string, string[]>();
  for (const field of fields) {
    const { group, key } = split(field.path);
    const text = field.sensitive ? SECRET : valueText(sign === '+' ? field.after : field.before);
    const parts = groups.get(group) ?? [];
    parts.push(key === '' ? text : `${visible(key)} ${text}`);
    groups.set(group, parts);
  }
  const tone: Tone = sign === '+' ? 'add' : 'remove';
  return [...groups].flatMap(([group, parts]) =>
    hang(`${INDENT}${sign} ${visible(group)}: `, parts.join(', '), columns).map((line, index) =>
      index === 0 ? line.replace(sign, paint(tone, sign)) : line,
    ),
  );
}

/** `config.relay_mode.tip_amount` → group `config.relay_mode`, key `tip_amount`; a field of the top has no group. */
function split(path: string): { group: string; key: string } {
  const segments = path.split('.');
  if (segments.length < 3) return { group: path, key: '' };
  return { group: segments.slice(0, 2).join('.'), key: segments.slice(2).join('.') };
}
