import type { Field } from '../../model/generated/plan.ts';
import { SECRET } from '../../model/secret.ts';
import { isUnordered } from '../../model/shape.ts';
import { originText } from '../field-lines.ts';
import { type ListLine, listDiff } from '../list-diff.ts';
import { visible } from '../untrusted.ts';
import { pairText, valueText } from '../value-text.ts';
import { markdownFence } from './escape.ts';

/**
 * A fenced block in which every line begins with - or +, in the first column: that is what forges colour, and no line of
 * somebody's text can end the fence. Empty where there are no fields.
 */
export function diffFence(fields: readonly Field[]): string[] {
  const lines = fields.flatMap((field) => diffLines(field));
  return lines.length === 0 ? [] : markdownFence('diff', lines);
}

/** The lines of one field, which go into such a block. `lead` stands before its path: `sniper/a `. */
export function diffLines(field: Field, lead = ''): string[] {
  const path = `${lead}${visible(field.path)}`;
  const place = originText(field);
  const at = place === '' ? '' : `  # ${place}`;
  const { before, after } = field;
  if (field.sensitive) {
    return sides(path, hidden(before), hidden(after), '', at);
  }
  if (field.legacy === true) {
    const was = before === undefined ? undefined : valueText(before);
    const note = after === undefined ? '  # legacy, will be dropped' : '  # legacy snapshot, will be written';
    return sides(path, was, after === undefined ? undefined : valueText(after), note, note);
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const lines = listLines(path, before, after, at, isUnordered(field.path));
    if (lines.length > 0) return lines;
  }
  if (isLong(before) || isLong(after)) return textLines(path, before, after, at);
  if (before === undefined) return sides(path, undefined, valueText(after), '', at);
  if (after === undefined) return sides(path, valueText(before), undefined, '', at);
  const pair = pairText(before, after);
  return sides(path, pair.before, pair.after, '', at);
}

function hidden(value: unknown): string | undefined {
  return value === undefined ? undefined : SECRET;
}

function sides(
  path: string,
  before: string | undefined,
  after: string | undefined,
  beforeNote: string,
  afterNote: string,
): string[] {
  return [
    ...(before === undefined ? [] : [`- ${path}: ${before}${beforeNote}`]),
    ...(after === undefined ? [] : [`+ ${path}: ${after}${afterNote}`]),
  ];
}

/** Items that went and came, with their places in the list before and after; lists without an order have no places. */
function listLines(
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
  at: string,
  unordered: boolean,
): string[] {
  const lines = listDiff(before.map(valueText), after.map(valueText), { unordered });
  return signed(lines, at, (index) => (unordered ? `${path}[]` : `${path}[${index}]`));
}

function textLines(path: string, before: unknown, after: unknown, at: string): string[] {
  return signed(listDiff(rows(before), rows(after)), at, (index) => `${path}, line ${index + 1}`);
}

function signed(lines: readonly ListLine[], at: string, name: (index: number) => string): string[] {
  const index = { '-': 0, '+': 0 };
  const written = lines.flatMap((line) => {
    if (line.sign === 'same') {
      index['-'] += line.count;
      index['+'] += line.count;
      return [];
    }
    const own = index[line.sign];
    index[line.sign] += 1;
    return [`${line.sign} ${name(own)}: ${line.text}`];
  });
  // The place of the field stands once.
  const added = written.findIndex((line) => line.startsWith('+'));
  const last = added < 0 ? written.length - 1 : added;
  return written.map((line, position) => (position === last ? `${line}${at}` : line));
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\n');
}

function rows(value: unknown): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? value.split('\n').map(visible) : [valueText(value)];
}
