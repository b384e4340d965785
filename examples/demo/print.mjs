import { styleText } from 'node:util';

const OUT = process.stdout;
/** The same decision as in tradeform: a terminal that supports colour gets it, unless NO_COLOR is set. */
export const COLOR = OUT.isTTY === true && process.env.TERM !== 'dumb' && !process.env.NO_COLOR;
const WIDTH = 80;

function paint(look, text) {
  return COLOR ? styleText(look, text, { validateStream: false }) : text;
}

function say(text = '') {
  OUT.write(`${text}\n`);
}

export function chapter(number, title) {
  const head = `── ${number} ── ${title} `;
  say(paint(['bold', 'cyan'], head.padEnd(WIDTH, '─')));
  say();
}

/** A paragraph of the story. */
export function tell(text) {
  for (const line of wrapped(text, WIDTH)) say(line);
  say();
}

function wrapped(text, width) {
  const lines = [''];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const line = lines.at(-1);
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

function item(sign, text) {
  for (const [index, line] of wrapped(text, WIDTH - 2).entries()) say(`${index === 0 ? sign : ' '} ${line}`);
}

export function command(text) {
  say(`${paint('dim', '$')} ${paint('bold', text)}`);
}

/** An event that no command of tradeform causes. */
export function events(...texts) {
  for (const text of texts) item(paint('yellow', '•'), text);
  say();
}

/** A check of the demo itself. */
export function passed(...texts) {
  for (const text of texts) item(paint('green', '✓'), text);
  say();
}

const seen = new Set();

/**
 * Prints the output of a command part by part (blank lines separate the parts). Longer parts that were shown before are not
 * repeated. A line in brackets says what was left out.
 */
export function output(text, { whole = false } = {}) {
  let repeated = 0;
  const flush = () => {
    if (repeated > 0) say(paint('dim', `[… ${repeated === 1 ? 'a part' : `${repeated} parts`} as before]\n`));
    repeated = 0;
  };
  for (const part of parts(text)) {
    if (!whole && seen.has(part) && part.split('\n').length > 2) {
      repeated += 1;
      continue;
    }
    flush();
    seen.add(part);
    say(`${part}\n`);
  }
  flush();
}

/** Only the first parts, if the story is about something else. */
export function beginning(text, count) {
  const all = parts(text);
  for (const part of all.slice(0, count)) say(`${part}\n`);
  if (all.length > count) leftOut(`${all.length - count} more parts of this plan`);
}

export function leftOut(what) {
  say(paint('dim', `[… ${what}]\n`));
}

/** The stdout of an apply: the plan, then the report. */
export function planAndReport(text) {
  const all = parts(text);
  const end = all.findIndex((part) => plain(part).startsWith('Digest '));
  const cut = end < 0 ? all.length - 1 : end + 1;
  return { plan: all.slice(0, cut).join('\n\n'), report: all.slice(cut).join('\n\n') };
}

function parts(text) {
  return text
    .trimEnd()
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '');
}

function plain(text) {
  return text.replace(/\x1b\[[0-9;]*m/g, '');
}
