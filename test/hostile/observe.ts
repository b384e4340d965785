import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Lab } from './lab.ts';

/** What the observer writes. */
export type Event =
  | { readonly event: 'read' | 'write'; readonly call: string; readonly path: string }
  | { readonly event: 'start'; readonly file: string; readonly args: readonly string[]; readonly cwd: string }
  | { readonly event: 'connect'; readonly to: string }
  | { readonly event: 'lookup'; readonly name: string }
  | { readonly event: 'thread'; readonly file: string }
  | { readonly event: 'end'; readonly code: number; readonly cpu: number };

/** A start of git, as git's wrapper saw it. */
export interface GitStart {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly environment: string;
  /** Command lines of what git started itself. */
  readonly children: readonly string[];
}

export interface Observation {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly Event[];
  readonly git: readonly GitStart[];
}

export interface Run {
  /** The program, a path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Names the folder of its logs; no other run in this lab has it. */
  readonly id: string;
  /** Stop it with SIGTERM once it has printed something. */
  readonly serves: boolean;
  /** Seconds of processor time, after which the system ends it. */
  readonly mostCpu?: number;
}

const OBSERVER = join(import.meta.dirname, 'observer.cjs');
/** Seconds; no command needs a tenth of it on an honest project. */
const MOST_CPU = 20;
/** Milliseconds: whatever waits so long waits for ever. */
const MOST_TIME = 120_000;

/** Runs the program in the project of a lab under the observer, until it ends or is ended. */
export async function observe(
  lab: Lab,
  { program, args, env, id, serves, mostCpu = MOST_CPU }: Run,
): Promise<Observation> {
  const folder = join(lab.root, 'runs', id);
  const log = join(folder, 'events');
  const gitLog = join(folder, 'git');
  mkdirSync(gitLog, { recursive: true });
  const sink = openSync(log, 'a', 0o600);
  const line = `ulimit -t ${mostCpu}; exec "$@"`;
  const child = spawn(
    '/bin/sh',
    ['-c', line, 'sh', process.execPath, '--require', OBSERVER, program, ...args],
    {
      cwd: lab.project,
      env: { PATH: pathWith(putWrapper(join(folder, 'bin'), gitLog), lab), ...lab.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', sink],
      timeout: MOST_TIME,
      killSignal: 'SIGKILL',
    },
  );
  closeSync(sink);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      if (serves) child.kill('SIGTERM');
    });
  }
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...ended) => resolve(ended));
  });
  const events = linesOf(log).map((text) => JSON.parse(text) as Event);
  return { code, signal, ...output, events, git: gitStarts(gitLog) };
}

const REAL_GIT = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'git'))
  .find((file) => existsSync(file));

/** A `git` that writes down how it is started, and has git write down what it starts itself. */
function putWrapper(bin: string, log: string): string {
  if (REAL_GIT === undefined) throw new Error('there is no git in PATH');
  const script = `#!/bin/sh
log='${log}'/$$
{ printf '%s\\0' "$PWD" "$@"; } > "$log.start"
export -p > "$log.environment"
GIT_TRACE2_EVENT="$log.trace" exec '${REAL_GIT}' "$@"
`;
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  return bin;
}

/** As careless people have it: folders of the project come first. `npx` puts one of them there. */
function pathWith(bin: string, { project }: Lab): string {
  const first = ['.', 'node_modules/.bin', join(project, 'node_modules/.bin')];
  return [...first, bin, process.env.PATH ?? ''].join(delimiter);
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function gitStarts(folder: string): readonly GitStart[] {
  const starts = readdirSync(folder).filter((name) => name.endsWith('.start'));
  return starts.map((name) => {
    const log = join(folder, name.slice(0, -'.start'.length));
    const [cwd = '', ...args] = readFileSync(`${log}.start`, 'utf8').split('\0');
    return {
      cwd,
      args: args.slice(0, -1),
      environment: readFileSync(`${log}.environment`, 'utf8'),
      children: childrenIn(`${log}.trace`),
    };
  });
}

function childrenIn(trace: string): readonly string[] {
  if (!existsSync(trace)) return [];
  const events = linesOf(trace).map(
    (text) => JSON.parse(text) as { event: string; argv?: readonly string[] },
  );
  return events.flatMap(({ event, argv = [] }) =>
    event === 'child_start' || event === 'exec' ? [argv.join(' ')] : [],
  );
}
