import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { ActionFailure } from './failure.ts';
import type { ActionRun, StartTradeform } from './run.ts';

interface Ended {
  readonly code: number;
  /** Empty unless it is kept. */
  readonly stdout: string;
}

interface How {
  /** The child gets the token of the service. */
  readonly service: boolean;
  /** `stdout`: it is returned and not shown. `all`: stderr is not shown either. Otherwise both go to the log. */
  readonly keep?: 'stdout' | 'all';
}

/** The program as a process in a group of its own. */
export function processOf(program: string): StartTradeform {
  return (args, cwd, env) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    return {
      stdout: child.stdout,
      stderr: child.stderr,
      ended: new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve(code ?? 1));
      }),
      kill: (signal) => void child.kill(signal),
    };
  };
}

/**
 * Runs tradeform to its end. The runner’s signals are passed on one by one, so that the first ends an apply softly and the second
 * at once.
 */
export async function runTradeform(
  run: ActionRun,
  command: string,
  args: readonly string[],
  { service, keep }: How,
): Promise<Ended> {
  const { log, cwd, start } = run;
  const child = start([...words(run, command), ...args], cwd, childEnv(run, service));
  let signalled = 0;
  const pass = () => {
    signalled += 1;
    child.kill(signalled === 1 ? 'SIGINT' : 'SIGTERM');
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, pass);
  let stdout = '';
  const read = [
    keep === undefined
      ? lines(child.stdout, (line) => log.pass(line, false))
      : whole(child.stdout, (text) => {
          stdout += text;
        }),
    keep === 'all'
      ? whole(child.stderr, () => undefined)
      : lines(child.stderr, (line) => log.pass(line, true)),
  ];
  try {
    const code = await child.ended;
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

/** Variables of the runner, and those meant only for this program. */
const OURS = /^(?:INPUT_|ACTIONS_)|^GITHUB_(?:TOKEN|OUTPUT|ENV|PATH|STATE)$/;
const SERVICE_TOKEN = /^TRADEFORM_TOKEN(?:_\w+)?$/;

/**
 * The environment of tradeform: without the GitHub token under any name, and with the tokens of the service only for commands that
 * need them.
 */
function childEnv({ env, secrets, inputs }: ActionRun, service: boolean): NodeJS.ProcessEnv {
  const passed = Object.entries(env).filter(
    ([name, value]) =>
      !OURS.test(name) &&
      (!SERVICE_TOKEN.test(name) || (service && value !== '')) &&
      !secrets.some((secret) => value?.includes(secret)),
  );
  return { ...Object.fromEntries(passed), ...(service ? inputs.tokens : {}) };
}

/** The command with the options that it takes. */
function words({ inputs }: ActionRun, command: string): readonly string[] {
  const { fleet, project, environment, baseUrl, redactWallets } = inputs;
  return [
    ...(fleet === undefined ? [command] : ['fleet', command, '--fleet', fleet]),
    ...(project === undefined ? [] : ['--project', project]),
    ...(environment === undefined ? [] : ['--environment', environment]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(redactWallets ? ['--redact-wallets'] : []),
  ];
}
