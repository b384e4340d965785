import { findUnreadable } from './invisible.ts';
import type { Finding, Source } from './source.ts';

/** One cell of a table: its text without quotes, and its place. */
interface Cell {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** The rows of a CSV file below its header, each as long as the header. */
export interface Table {
  readonly columns: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
}

const COLUMN = /^[a-z][a-z0-9_-]{0,39}$/;

/**
 * Reads a text as RFC 4180 defines it: commas, and doubled quotes within quotes. Rows and columns without text are none.
 * Reports every problem and never throws.
 */
export function readCsv({ text }: Source, found: (finding: Finding) => void): Table | undefined {
  findUnreadable(text, found);
  const problem = beginning(text);
  if (problem !== undefined) {
    found({ code: 'csv-syntax', ...problem, start: 0, end: endOfLine(text) });
    return undefined;
  }
  const unclear: Finding[] = [];
  const lines = readLines(text, (finding) => unclear.push(finding)).filter((cells) => cells.some(hasText));
  unclear.forEach(found);
  const filled = new Set(lines.flatMap((cells) => [...cells.keys()].filter((at) => hasText(cells[at]))));
  const [columns = [], ...rows] = lines.map((cells) => cells.filter((_, at) => filled.has(at)));
  // Where a quote is wrong, nobody knows which text is in which cell.
  if (unclear.length > 0 || !checkColumns(columns, found)) return undefined;
  const whole = rows.filter((cells) => {
    const [first, ...others] = cells;
    const even = cells.length === columns.length;
    const named = columns[0]?.value === 'name' || !even || !others.some(hasText);
    const comment = named && first?.value.startsWith('#') === true;
    if (even && !comment) return true;
    const uneven = {
      message: `the row has ${cells.length} cells, the header has ${columns.length}`,
      hint: 'put a value that contains a comma in double quotes',
    };
    const { start = 0 } = first ?? {};
    found({ code: 'csv-syntax', ...(comment ? COMMENT : uneven), start, end: cells.at(-1)?.end ?? 0 });
    return false;
  });
  return { columns, rows: whole };
}

const COMMENT = { message: 'a table has no comments', hint: 'remove the line' };

function hasText(cell: Cell | undefined): boolean {
  return cell !== undefined && cell.value.trim() !== '';
}

function endOfLine(text: string): number {
  return /[\r\n]|$/.exec(text)?.index ?? 0;
}

/** What makes the first line no line of columns. The lines below it then say nothing of their own. */
function beginning(text: string): Pick<Finding, 'message' | 'hint'> | undefined {
  if (/^[\s,"]*$/.test(text))
    return { message: 'the table is empty', hint: 'the first line must name the columns' };
  const line = text.slice(0, endOfLine(text));
  if (line.startsWith('#')) return COMMENT;
  const hint = 'remove the line, and save the file with commas';
  if (/^"?sep=/i.test(line)) return { message: 'the first line names a separator, not the columns', hint };
  if (line.includes(',') || !/[;\t]/.test(line)) return undefined;
  const signs = line.includes(';') ? 'semicolons' : 'tabs';
  return { message: `the columns are separated by ${signs}`, hint: 'save the file with commas' };
}

function checkColumns(columns: readonly Cell[], found: (finding: Finding) => void): boolean {
  const seen = new Set<string>();
  let good = true;
  for (const { value, start, end } of columns) {
    const wrong = (message: string, hint: string) => {
      good = false;
      found({ code: 'csv-syntax', message, hint, start, end });
    };
    if (value === '') wrong('a column with values has no name', 'name the column in the first line');
    else if (!COLUMN.test(value))
      wrong(`${JSON.stringify(value)} is not a column name`, 'a small letter, then a-z, 0-9, _ and -');
    else if (seen.has(value)) wrong(`the column ${value} appears twice`, 'give each column its own name');
    seen.add(value);
  }
  return good;
}

/** The text in quotes, the closing quote, and the text behind it; or text without quotes. */
const CELL = /"([^"]*(?:""[^"]*)*)("?)([^,\r\n]*)|[^,\r\n]*/y;

function readLines(text: string, found: (finding: Finding) => void): Cell[][] {
  const lines: Cell[][] = [];
  for (let at = 0; at < text.length; at += 1) {
    const cells = [readCell(text, at, found)];
    while (text[CELL.lastIndex] === ',') cells.push(readCell(text, CELL.lastIndex + 1, found));
    at = CELL.lastIndex;
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    lines.push(cells);
  }
  return lines;
}

/** Leaves CELL.lastIndex at the end of the cell. */
function readCell(text: string, start: number, found: (finding: Finding) => void): Cell {
  CELL.lastIndex = start;
  const [all = '', quoted, closing, rest = ''] = CELL.exec(text) ?? [];
  const end = start + all.length - rest.length;
  const wrong = (message: string, hint: string, place = { start, end }) =>
    found({ code: 'csv-syntax', message, hint, ...place });
  if (quoted === undefined) {
    if (all.includes('"'))
      wrong(
        'a quote inside a value that has no quotes around it',
        'put the whole value in double quotes, and double each quote inside it',
      );
    return { value: all.trim(), start, end };
  }
  const open = { start, end: start + 1 };
  const behind = { start: end, end: end + rest.length };
  if (closing === '')
    wrong('a quoted value has no closing quote', 'write a double quote where it ends', open);
  if (rest.trim() !== '') wrong('text after a quoted value', 'write a comma after the closing quote', behind);
  return { value: quoted.replaceAll('""', '"'), start, end };
}
