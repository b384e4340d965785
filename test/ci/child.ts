import { readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { StartedTradeform, StartTradeform } from '../../cmd/github-action/run.ts';
import { type Ran, tradeform } from '../cmd/run.ts';

/** Nobody sends a signal to what runs in the process of the test. */
function childOf(ran: Promise<Ran>): StartedTradeform {
  const stream = (name: 'stdout' | 'stderr') =>
    Readable.from(
      (async function* () {
        yield Buffer.from((await ran)[name]);
      })(),
      { objectMode: false },
    );
  return {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    ended: ran.then(({ code }) => code ?? 1),
    kill: () => undefined,
  };
}

/** The built tradeform in this process. */
export const startHere: StartTradeform = (args, cwd, env) =>
  childOf(tradeform(args, { cwd, env: env as Record<string, string> }));

export interface Answer {
  readonly code?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** For the files of `--report`. */
  readonly json?: object;
  readonly markdown?: string;
}

export interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the files of `--expect-changes` held. */
  readonly files: readonly string[];
}

/** Stands in for tradeform: answers each command as it was told, and notes what it was called with, in order. */
export function standIn(answers: Readonly<Record<string, Answer>>, calls: Call[]): StartTradeform {
  return (args, _cwd, env) => {
    const after = (option: string) => args.filter((_, index) => args[index - 1] === option);
    const files = after('--expect-changes').map((file) => readFileSync(file, 'utf8'));
    calls.push({ args, env: env as Record<string, string>, files });
    const { code = 0, stdout = '', stderr = '', json, markdown } = answers[args[0] ?? ''] ?? { code: 99 };
    for (const [format, file = ''] of after('--report').map((report) => report.split('='))) {
      if (format === 'json' && json !== undefined) writeFileSync(file, JSON.stringify(json));
      if (format === 'markdown' && markdown !== undefined) writeFileSync(file, markdown);
    }
    return childOf(Promise.resolve({ code, stdout, stderr }));
  };
}
