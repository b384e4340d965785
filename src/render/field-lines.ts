import type { Field } from '../model/generated/plan.ts';
import { differenceOf, sidesText } from './differences.ts';
import { cells, count, hang } from './layout.ts';
import type { Paint, Tone } from './style.ts';

const TONES: Readonly<Record<'+' | '-' | '~', Tone>> = { '+': 'add', '-': 'remove', '~': 'change' };
const DEEP = '        ';

/** The differences for a terminal: each field as before → after, with its place in the manifest. Unchanged parts are counted. */
export function fieldLines(fields: readonly Field[], columns: number, paint: Paint): string[] {
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
