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

/** Reads a text as RFC 4180 defines it: commas, and doubled quotes within quotes. Reports every problem and never throws. */
export function readCsv(source: Source, found: (finding: Finding) => void): Table | undefined {
  findUnreadable(source.text, found);
  const lines = readLines(source.text, found);
  const [columns, ...rows] = lines;
  if (columns === undefined) {
    found({
      code: 'csv-syntax',
      message: 'the table is empty',
      hint: 'the first line must name the columns',
      start: 0,
      end: 0,
    });
    return undefined;
  }
  if (!checkColumns(columns, found)) return undefined;
  const even = rows.filter((cells) => {
    if (cells.length === columns.length) return true;
    const [first] = cells;
    found({
      code: 'csv-syntax',
      message: `the row has ${cells.length} cells, the header has ${columns.length}`,
      hint: 'put a value that contains a comma in double quotes',
      start: first?.start ?? 0,
      end: cells.at(-1)?.end ?? 0,
    });
    return false;
  });
  return { columns, rows: even };
}

function checkColumns(columns: readonly Cell[], found: (finding: Finding) => void): boolean {
  const seen = new Set<string>();
  let good = true;
  for (const { value, start, end } of columns) {
    const wrong = (message: string, hint: string) => {
      good = false;
      found({ code: 'csv-syntax', message, hint, start, end });
    };
    if (columns.length === 1 && value.includes(';'))
      wrong('the columns are separated by semicolons', 'save the file with commas');
    else if (!COLUMN.test(value))
      wrong(`${JSON.stringify(value)} is not a column name`, 'a small letter, then a-z, 0-9, _ and -');
    else if (seen.has(value)) wrong(`the column ${value} appears twice`, 'give each column its own name');
    seen.add(value);
  }
  return good;
}

function readLines(text: string, found: (finding: Finding) => void): Cell[][] {
  const lines: Cell[][] = [];
  let at = 0;
  while (at < text.length) {
    const cells: Cell[] = [];
    for (;;) {
      const { cell, next } = readCell(text, at, found);
      cells.push(cell);
      at = next;
      if (text[at] !== ',') break;
      at += 1;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    at += 1;
    // An empty line is no row.
    if (cells.length > 1 || cells[0]?.start !== cells[0]?.end) lines.push(cells);
  }
  return lines;
}

function readCell(
  text: string,
  start: number,
  found: (finding: Finding) => void,
): { cell: Cell; next: number } {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && text[end] !== ',' && !isLineEnd(text, end)) end += 1;
    const value = text.slice(start, end);
    if (value.includes('"')) {
      found({
        code: 'csv-syntax',
        message: 'a quote inside a value that has no quotes around it',
        hint: 'put the whole value in double quotes, and double each quote inside it',
        start,
        end,
      });
    }
    return { cell: { value: value.trim(), start, end }, next: end };
  }
  let value = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) {
      found({ code: 'csv-syntax', message: 'a quoted value has no closing quote', start, end: start + 1 });
      return { cell: { value, start, end: text.length }, next: text.length };
    }
    value += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== '"') break;
    value += '"';
    at += 1;
  }
  let end = at;
  while (end < text.length && text[end] !== ',' && !isLineEnd(text, end)) end += 1;
  if (text.slice(at, end).trim() !== '') {
    found({
      code: 'csv-syntax',
      message: 'text after a quoted value',
      hint: 'write a comma after the closing quote',
      start: at,
      end,
    });
  }
  return { cell: { value, start, end: at }, next: end };
}

function isLineEnd(text: string, at: number): boolean {
  return text[at] === '\n' || (text[at] === '\r' && (text[at + 1] === '\n' || at + 1 === text.length));
}
