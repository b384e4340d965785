import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tradeform as builtProgram } from '../cmd/run.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const { bin } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { bin: { tradeform: string } };
const PROGRAM = `${ROOT}${bin.tradeform}`;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built program to its end, in this process; settings of whoever runs the tests do not reach it. */
export function tradeform(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Ended> {
  return builtProgram(args, { cwd, env });
}

/** Runs Node to its end. */
export function run(args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Ended> {
  return ended(start(args, cwd, env));
}

export interface Served {
  readonly env: Record<string, string>;
  /** Requests that the service got, oldest first. */
  requests(): Promise<readonly { readonly method: string; readonly path: string }[]>;
  stop(): Promise<void>;
}

/** `tradeform sandbox` as a process of its own, with one empty account or the one of a seed file. */
export async function serve(cwd: string, seed?: string): Promise<Served> {
  const seeded = seed === undefined ? [] : ['--seed', seed];
  const child = start([PROGRAM, 'sandbox', '--port', '0', '-o', 'json', '--quiet', ...seeded], cwd, {});
  const line = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (chunk) => {
      printed += String(chunk);
      if (printed.endsWith('\n')) resolve(printed);
    });
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
  const { base_url, token } = JSON.parse(line) as { base_url: string; token: string };
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    env: { TRADEFORM_BASE_URL: base_url, TRADEFORM_TOKEN: token },
    async requests() {
      const answer = await fetch(new URL('/_sandbox/log', base_url));
      return ((await answer.json()) as { entries: { method: string; path: string }[] }).entries;
    },
    async stop() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

function start(args: readonly string[], cwd: string, env: Record<string, string>): ChildProcess {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(TRADEFORM_(?!CACHE$)|CLICOLOR|NO_COLOR$)/.test(name),
  );
  return spawn(process.execPath, args, {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
