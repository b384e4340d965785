import type { Diagnostic, Texts } from '../diagnostics/diagnostic.ts';
import { lineStarts } from '../manifest/source.ts';
import { byKey } from '../model/by-key.ts';
import { count, named } from '../model/named.ts';
import { cells, hang, type Paint } from './layout.ts';
import { starTokens, visible } from './untrusted.ts';

interface DiagnosticsView {
  /** Texts of the files, by their name in locations. Without its text, a file is shown without the source line. */
  readonly sources: Texts;
  readonly paint: Paint;
  readonly width: number;
}

const TONE = { error: 'error', warning: 'warn', info: 'dim' } as const;
const SEVERITIES = ['error', 'warning', 'info'] as const;
const LEFT_OUT = '…';
/** The minimum of cells for a source line, even on a narrow terminal. */
const LEAST_ROOM = 10;
/** The share of the room beside the mark that the text after it gets, if there is too little for both sides. */
const AFTER_SHARE = 0.3;

/**
 * Each diagnostic with its place, the line of the file and a caret below. Of many equal diagnostics, only the first few are
 * shown. The summary line at the end counts all.
 */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], view: DiagnosticsView): string {
  if (diagnostics.length === 0) return '';
  const { paint, width } = view;
  const blocks = foldAlike(diagnostics).map(({ diagnostic, left }) =>
    [
      renderDiagnostic(diagnostic, view),
      ...hang('', visible(leftText(left)), width).flatMap((line) => (line === '' ? [] : paint('dim', line))),
    ].join('\n'),
  );
  return `${blocks.join('\n\n')}\n\n${severityCounts(diagnostics, paint)}\n`;
}

/** `2 errors, 1 warning`. */
export function severityCounts(diagnostics: readonly Diagnostic[], paint: Paint): string {
  const parts = SEVERITIES.flatMap((severity) => {
    const { length } = diagnostics.filter((item) => item.severity === severity);
    const word = severity === 'info' ? 'note' : severity;
    return length === 0 ? [] : [paint(TONE[severity], count(length, word))];
  });
  return parts.join(', ');
}

export function renderDiagnostic(diagnostic: Diagnostic, view: DiagnosticsView): string {
  const { paint, width } = view;
  const { severity, code, message, hint, address, location } = diagnostic;
  const tone = TONE[severity];
  // A document that others wrote may hold any code.
  const head = visible(`${severity === 'info' ? 'note' : severity}[${code}]: `);
  const [first = '', ...rest] = hang(head, visible(message), width);
  const lines = [
    paint(tone, head) + paint('strong', first.slice(head.length)),
    ...rest.map((line) => paint('strong', line)),
  ];
  const gutter = location === undefined ? 0 : String(location.line).length;
  const margin = ' '.repeat(gutter);
  if (location !== undefined) {
    const place = visible(`${location.file}:${location.line}:${location.column}`);
    const who = address === undefined ? '' : visible(address);
    const arrow = `${margin}${paint('dim', '-->')} `;
    // The place is never broken, so that it can be copied. If it leaves no room, the address goes below it.
    const fits = cells(`${margin}--> ${place}  ${who}`) <= width;
    lines.push(`${arrow}${place}${who === '' || !fits ? '' : `  ${paint('dim', who)}`}`);
    if (who !== '' && !fits) lines.push(`${margin}    ${paint('dim', who)}`);
    lines.push(...sourceLines(diagnostic, view));
  } else if (address !== undefined && !message.startsWith(address)) {
    lines.push(paint('dim', visible(address)));
  }
  if (hint !== undefined)
    lines.push(...hang(`${margin}  hint: `, visible(hint), width).map((line) => paint('dim', line)));
  return lines.join('\n');
}

/** The line of the place and a caret line below it. */
function sourceLines(
  { severity, location, length = 1 }: Diagnostic,
  { sources, paint, width }: DiagnosticsView,
): string[] {
  if (location === undefined) return [];
  const line = lineOf(sources, location.file, location.line);
  if (line === undefined) return [];
  const number = String(location.line);
  const from = Math.min(location.column - 1, line.length);
  const to = Math.max(from, Math.min(from + length, line.length));
  const shown = frame(starTokens(line), from, to, width - number.length - 3);
  const bar = paint('dim', '|');
  const underline = '^'.repeat(Math.max(1, shown.marked));
  return [
    `${paint('dim', number)} ${bar} ${shown.text}`.trimEnd(),
    `${' '.repeat(number.length)} ${bar} ${' '.repeat(shown.before)}${paint(TONE[severity], underline)}`,
  ];
}

/** The starts of the lines of each text, cached because many diagnostics point into one file. */
const LINE_STARTS = new WeakMap<Texts, Map<string, readonly number[]>>();

function lineOf(sources: Texts, file: string, line: number): string | undefined {
  const text = sources.get(file);
  if (text === undefined) return undefined;
  const files = LINE_STARTS.get(sources) ?? new Map<string, readonly number[]>();
  LINE_STARTS.set(sources, files);
  const starts = files.get(file) ?? lineStarts(text);
  files.set(file, starts);
  const start = starts[line - 1];
  if (start === undefined) return undefined;
  return text.slice(start, starts[line] ?? text.length).replace(/\r?\n$/, '');
}

/**
 * The part of the line around the mark that fits the width, with invisible characters written out. Widths are in terminal cells.
 */
function frame(
  line: string,
  from: number,
  to: number,
  width: number,
): { text: string; before: number; marked: number } {
  let before = show(line.slice(0, from));
  let inside = show(line.slice(from, to));
  let after = show(line.slice(to));
  const room = Math.max(LEAST_ROOM, width);
  if (cells(before) + cells(inside) + cells(after) > room) {
    // The marked text is shown in full as long as a line can hold it. Only the text beside it is cut.
    inside = head(inside, room - Math.min(1, cells(before)) - Math.min(1, cells(after)));
    const rest = room - cells(inside);
    const kept = Math.min(cells(after), Math.max(1, Math.floor(rest * AFTER_SHARE)));
    before = tail(before, rest - kept);
    after = head(after, rest - cells(before));
  }
  return { text: before + inside + after, before: cells(before), marked: cells(inside) };
}

function show(text: string): string {
  return visible(text.replaceAll('\t', '  '));
}

/** The beginning, in at most `width` cells, with an ellipsis for the rest. */
function head(text: string, width: number): string {
  return cells(text) <= width ? text : taken([...text], width - 1).join('') + LEFT_OUT;
}

/** The end, in at most `width` cells, with an ellipsis for the rest. */
function tail(text: string, width: number): string {
  return cells(text) <= width
    ? text
    : LEFT_OUT +
        taken([...text].reverse(), width - 1)
          .reverse()
          .join('');
}

function taken(characters: readonly string[], width: number): string[] {
  let used = 0;
  const end = characters.findIndex((character) => {
    used += cells(character);
    return used > width;
  });
  return characters.slice(0, end < 0 ? characters.length : end);
}

/** One misspelt label can be wrong in a thousand tasks, and a reader needs only a few of the places. */
const MOST = 5;

/**
 * For people: of diagnostics that differ only in their place or address, the first few places and, with the last of these, those
 * left out. Machines get all of them.
 */
function foldAlike(diagnostics: readonly Diagnostic[]) {
  const shown = new Map<Diagnostic, readonly Diagnostic[]>();
  for (const alike of byKey(diagnostics, reasonOf).values()) {
    const places = byKey(alike, ({ location }) => JSON.stringify(location));
    const told = [...places.values()].flatMap(([first]) => first ?? []).slice(0, MOST);
    const left = alike.filter((one) => !told.includes(one));
    for (const one of told) shown.set(one, one === told.at(-1) ? left : []);
  }
  return diagnostics.flatMap((diagnostic) => {
    const left = shown.get(diagnostic);
    return left === undefined ? [] : [{ diagnostic, left }];
  });
}

/** What a diagnostic says, without the address and the places in lists that it says it of. */
function reasonOf({ severity, code, message, hint, address = '' }: Diagnostic): string {
  const said = message.startsWith(`${address}: `) ? message.slice(address.length) : message;
  return JSON.stringify([severity, code, said.replace(/\[\d+\]/g, '[]'), hint]);
}

/** `and 47 more of these: sniper/b, sniper/c …`. Empty if none is left. */
function leftText(left: readonly Diagnostic[]): string {
  if (left.length === 0) return '';
  const addresses = [...new Set(left.flatMap(({ address }) => address ?? []))];
  const names = addresses.length === 0 ? '' : `: ${named(addresses, MOST)}`;
  return `and ${left.length} more of these${names}; -o json names all`;
}
