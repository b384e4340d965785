import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tradeform as builtProgram, startSandbox } from '../cmd/run.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

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

/** A line of tradeform with words, in quotes perhaps, after variables and before a file or a program for its output. */
const PLAIN =
  /^((?:\w+=[\w.-]+ )*)tradeform((?: +(?:[\w./:=@,-]+|'[^']*'|"[^"$`\\]*"|"\$\w+"))+) *(?:> *([\w./-]+)|\| (.+))?$/;

/**
 * Runs a command of a page to its end. A shell and processes of their own are only for what {@link PLAIN} leaves to them: each start
 * of the built program costs far more than its run in this process.
 */
export async function commandLine(text: string, cwd: string, env: Record<string, string>): Promise<Ended> {
  const [, variables = '', words = '', file, piped] = PLAIN.exec(text) ?? [];
  if (words === '') return inShell(text, cwd, env);
  const set = [...variables.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value]) => [name, value]);
  const args = (words.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) =>
    word.startsWith('"$') ? (env[word.slice(2, -1)] ?? '') : word.replace(/^(['"])(.*)\1$/, '$2'),
  );
  const done = await tradeform(args, cwd, { ...env, ...Object.fromEntries(set) });
  if (file !== undefined) writeFileSync(resolve(cwd, file), done.stdout);
  if (piped !== undefined) return inShell(piped, cwd, env, done.stdout);
  return file === undefined ? done : { ...done, stdout: '' };
}

function inShell(text: string, cwd: string, env: Record<string, string>, input?: string): Promise<Ended> {
  const program = `tradeform() { "${process.execPath}" "${join(ROOT, 'dist/tradeform.cjs')}" "$@"; }\n`;
  const child = spawn('bash', ['-c', `set -e\n${program}${text}`], {
    cwd,
    env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // A command may end before it has read its input (EPIPE): its output and exit code say what came of it.
  child.stdin?.on('error', () => undefined).end(input);
  return ended(child);
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

/** `tradeform sandbox` in this process, with one empty account or the one of a seed file. */
export async function serve(cwd: string, seed?: string): Promise<Served> {
  const { baseUrl, token, stop } = await startSandbox([], seed === undefined ? undefined : join(cwd, seed));
  return {
    env: { TRADEFORM_BASE_URL: baseUrl, TRADEFORM_TOKEN: token },
    async requests() {
      const answer = await fetch(new URL('/_sandbox/log', baseUrl));
      return ((await answer.json()) as { entries: { method: string; path: string }[] }).entries;
    },
    stop,
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
