import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { Masking } from '../../src/render/masking/masking.ts';
import { visible } from '../../src/render/untrusted.ts';

/** What the step prints and hands on. The GitHub token is in none of it. */
export interface Log {
  /** One line of text; workflow commands in it do nothing. */
  say(text: string): void;
  /** A line of the program: the annotations it makes itself pass. */
  pass(line: string, annotations: boolean): void;
  annotate(level: 'notice' | 'warning' | 'error', text: string): void;
  output(name: string, value: string): void;
}

/** The commands that a line of tradeform's stderr may be: they only show something. */
const ANNOTATION = /^::(?:error|warning|notice)(?: |::)/;

export function openLog(
  write: (text: string) => void,
  env: Readonly<Record<string, string | undefined>>,
  masking: Masking,
): Log {
  const clean = (text: string) => masking.text(text);
  return {
    say: (text) => write(`${inert(clean(text))}\n`),
    pass: (line, annotations) =>
      write(`${annotations && ANNOTATION.test(line) ? clean(line) : inert(clean(line))}\n`),
    annotate: (level, text) => write(`::${level} title=tradeform::${escapeData(clean(visible(text)))}\n`),
    output(name, value) {
      const file = env.GITHUB_OUTPUT;
      if (file === undefined || file === '') return;
      // A delimiter that nobody can guess: a value cannot end itself and begin another output.
      const delimiter = `end-${randomBytes(16).toString('hex')}`;
      appendFileSync(file, `${name}<<${delimiter}\n${clean(value)}\n${delimiter}\n`);
    },
  };
}

/** The runner takes `::` at the beginning of a line and `##[` anywhere for a command. */
function inert(line: string): string {
  return line.replace(/^(\s*):(?=:)/, '$1: ').replaceAll('##[', '## [');
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
