import { type ChildProcess, spawn } from 'node:child_process';
import { inject } from 'vitest';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  /** Resolves when the process is gone and its output is read. */
  readonly ended: Promise<Ended>;
  /** Resolves once stderr holds the text, or the process is gone. */
  heard(text: string): Promise<void>;
}

export interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: closed at once. */
  readonly stdin?: 'open' | 'closed';
}

const running = new Set<ChildProcess>();

/** The packed tradeform with nothing of our own environment but the path. */
export function start(args: readonly string[], { cwd, env = {}, stdin = 'closed' }: StartOptions): Started {
  const child = spawn(process.execPath, [inject('tradeform'), ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: [stdin === 'open' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal, ...output });
    });
  });
  const heard = (text: string): Promise<void> => {
    const said = new Promise<void>((resolve) => {
      const look = () => {
        if (output.stderr.includes(text)) resolve();
      };
      look();
      child.stderr?.on('data', look);
    });
    return Promise.race([said, ended.then(() => undefined)]);
  };
  return { child, ended, heard };
}

export function run(args: readonly string[], options: StartOptions): Promise<Ended> {
  return start(args, options).ended;
}

/** For the end of a test file: whatever a failed test has left running. */
export function killLeftovers(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** The one JSON document that stdout holds. */
export function json<T = Record<string, unknown>>({ stdout, stderr }: Pick<Ended, 'stdout' | 'stderr'>): T {
  try {
    return JSON.parse(stdout) as T;
  } catch {
    throw new Error(`stdout is not one JSON document: ${stdout.slice(0, 300)}\n${stderr.slice(0, 600)}`);
  }
}
