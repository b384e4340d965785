import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { ActionFailure } from './failure.ts';
import type { Log } from './log.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Child {
  /** Arguments of `process.execPath`: the program and its own. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Env;
  /** `log`: what it prints goes to the log; `keep`: stdout is returned and nothing is shown. */
  readonly output: 'log' | 'keep';
}

interface Ended {
  readonly code: number;
  /** Empty with `log`. */
  readonly stdout: string;
}

/**
 * Runs a program of Node to its end. It has a process group of its own: the runner’s signals are passed on one by one, so
 * that the first ends an apply softly and the second at once.
 */
export async function runChild({ args, cwd, env, output }: Child, log: Log): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  let signalled = 0;
  const pass = () => {
    signalled += 1;
    child.kill(signalled === 1 ? 'SIGINT' : 'SIGTERM');
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, pass);
  let stdout = '';
  const read = [
    output === 'log'
      ? lines(child.stdout, (line) => log.pass(line, false))
      : whole(child.stdout, (text) => {
          stdout += text;
        }),
    output === 'log'
      ? lines(child.stderr, (line) => log.pass(line, true))
      : whole(child.stderr, () => undefined),
  ];
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (ended) => resolve(ended ?? 1));
    });
    await Promise.all(read);
    return { code, stdout };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new ActionFailure(1, `tradeform could not be started in ${cwd}: ${code}`);
  } finally {
    for (const name of signals) process.off(name, pass);
  }
}

function lines(stream: Readable, take: (line: string) => void): Promise<void> {
  return new Promise((resolve) => {
    const reader = createInterface({ input: stream, crlfDelay: Infinity });
    reader.on('line', take);
    reader.once('close', resolve);
  });
}

function whole(stream: Readable, take: (text: string) => void): Promise<void> {
  return new Promise((resolve) => {
    stream.setEncoding('utf8');
    stream.on('data', take);
    stream.once('close', resolve);
  });
}

/** Of the runner, and for this program alone. */
const OURS = /^(?:INPUT_|ACTIONS_)|^GITHUB_(?:TOKEN|OUTPUT|ENV|PATH|STATE)$/;
const SERVICE_TOKEN = /^TRADEFORM_TOKEN(?:_\w+)?$/;

/** The environment of tradeform: without the GitHub token under any name, and with the service's only where it is needed. */
export function childEnv(
  env: Env,
  { secrets, service }: { secrets: readonly string[]; service: boolean },
): Env {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        !OURS.test(name) &&
        (service ? value !== '' || !SERVICE_TOKEN.test(name) : !SERVICE_TOKEN.test(name)) &&
        !secrets.some((secret) => value?.includes(secret)),
    ),
  );
}
