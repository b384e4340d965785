import { writeFileSync } from 'node:fs';
import type { StartTradeform } from '../../cmd/github-action/run.ts';
import { type Ran, tradeform } from '../cmd/run.ts';

type Write = (text: string) => void;

/** Nobody sends a signal to what runs in the process of the test. What is not kept goes to the log. */
function childOf(ran: Promise<Ran>, keep: boolean, write: Write): ReturnType<StartTradeform> {
  const ended = ran.then(({ code, stdout, stderr }) => {
    write(keep ? stderr : stdout + stderr);
    return code ?? 1;
  });
  return { stdout: ran.then(({ stdout }) => (keep ? stdout : '')), ended, kill: () => undefined };
}

/** The built tradeform in this process. */
export function startHere(write: Write): StartTradeform {
  return (args, { cwd, env, keep }) =>
    childOf(tradeform(args, { cwd, env: env as Record<string, string> }), keep, write);
}

export interface Answer {
  readonly code?: number;
  readonly stdout?: string;
  /** For the file of `--report json=`. */
  readonly json?: object;
}

export interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The command of a line: `plan`, `comment plan`. */
export function nameOf([command = '', ...args]: readonly string[]): string {
  const what = args.find((word) => /^(?:plan|reviewed|result|drift)$/.test(word));
  return command === 'comment' ? `comment ${what}` : command;
}

/** Stands in for tradeform: answers each command as it was told, a comment with nothing, and notes what it was called with, in order. */
export function standIn(
  answers: Readonly<Record<string, Answer>>,
  calls: Call[],
  write: Write,
): StartTradeform {
  return (args, { env, keep }) => {
    calls.push({ args, env: env as Record<string, string> });
    const name = nameOf(args);
    const { code = 0, stdout = '', json } = answers[name] ?? (/^comment/.test(name) ? {} : { code: 99 });
    for (const [index, word] of args.entries()) {
      const [format, file = ''] = args[index - 1] === '--report' ? word.split('=') : [];
      if (format === 'json' && json !== undefined) writeFileSync(file, JSON.stringify(json));
    }
    return childOf(Promise.resolve({ code, stdout, stderr: '' }), keep, write);
  };
}
