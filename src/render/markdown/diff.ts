import type { Field } from '../../model/generated/plan.ts';
import { differenceOf } from '../differences.ts';
import { markdownFence } from './escape.ts';

/**
 * A fenced block in which every line begins with - or + in the first column. Forges colour such lines, and no text of others
 * can end the fence. Empty without fields.
 */
export function diffFence(fields: readonly Field[]): string {
  const lines = fields.flatMap((field) => diffLines(field));
  return lines.length === 0 ? '' : markdownFence('diff', lines).join('\n');
}

/** The lines of one field for such a block. `lead` comes before its path: `sniper/a `. */
export function diffLines(field: Field, lead = ''): string[] {
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
  // The place of the field appears once.
  const added = lines.findIndex((line) => line.startsWith('+'));
  const last = added < 0 ? lines.length - 1 : added;
  const tail = note !== '' ? `  # ${note}` : place === '' ? '' : `  # ${place}`;
  return lines.map((line, position) => (position === last ? `${line}${tail}` : line));
}
