import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { Masking } from '../../src/render/masking/masking.ts';
import { visible } from '../../src/render/untrusted.ts';

/** The output of the step. It never contains the GitHub token. */
export interface Log {
  /** One line of text. Workflow commands in it have no effect. */
  say(text: string): void;
  /** A line of the program. Its own annotations are passed on. */
  pass(line: string, annotations: boolean): void;
  annotate(level: 'notice' | 'warning' | 'error', text: string): void;
  output(name: string, value: string): void;
}

/** The commands that may be in a line of tradeform's stderr: they only show something. */
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
      // Nobody can guess the delimiter, so a value cannot end itself and begin another output.
      const delimiter = `end-${randomBytes(16).toString('hex')}`;
      appendFileSync(file, `${name}<<${delimiter}\n${clean(value)}\n${delimiter}\n`);
    },
  };
}

/** The runner reads `::` at the start of a line and `##[` anywhere as a command. */
function inert(line: string): string {
  return line.replace(/^(\s*):(?=:)/, '$1: ').replaceAll('##[', '## [');
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
