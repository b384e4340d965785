import { type ChildProcessByStdio, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
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

/** A command line of the built tradeform. */
export interface Words {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Names the folder of its logs; no other run in this lab has it. */
  readonly id: string;
  /** Stop it with SIGTERM once it has printed something. */
  readonly serves: boolean;
}

export interface Run extends Words {
  /** The program, a path. */
  readonly program: string;
  /** Seconds of processor time, after which the system ends it. */
  readonly mostCpu?: number;
}

const OBSERVER = join(import.meta.dirname, 'observer.cjs');
const LINES = join(import.meta.dirname, 'lines.mjs');
/** Seconds; no command needs a tenth of it on an honest project. */
export const MOST_CPU = 20;
/** Milliseconds: whatever waits so long waits for ever. */
const MOST_TIME = 120_000;

/** Runs the program in the project of a lab under the observer, until it ends or is ended. */
export async function observe(lab: Lab, run: Run): Promise<Observation> {
  const { program, args, env, id, serves, mostCpu = MOST_CPU } = run;
  const { log, gitLog, path } = placeFor(lab, id);
  const surroundings = { cwd: lab.project, log, mostCpu, env: { ...lab.env, PATH: path, ...env } };
  const child = startObserved([program, ...args], surroundings);
  const limit = setTimeout(() => child.kill('SIGKILL'), MOST_TIME);
  child.stdin.end();
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      if (serves) child.kill('SIGTERM');
    });
  }
  const [code, signal] = await endOf(child);
  clearTimeout(limit);
  return { code, signal, ...output, events: eventsIn(log), git: gitStarts(gitLog) };
}

/** The built tradeform under the observer in a process that runs one command line after the other, in any lab. */
export interface ObservedLines {
  run(lab: Lab, words: Words): Promise<Observation>;
  close(): void;
}

/** `program` is what the executable loads. A line that its process does not survive is the last one in it. */
export function observedLines(program: string): ObservedLines {
  let opened: { readonly child: Child; readonly log: string; read: number } | undefined;
  const open = (lab: Lab) => {
    const log = join(mkdtempSync(join(tmpdir(), 'tradeform-observed-')), 'events');
    // In the project, and with its secrets: some of what the program does is done when it is loaded.
    const { project: cwd, env } = lab;
    const child = startObserved([LINES, program], { cwd, log, mostCpu: 50 * MOST_CPU, env });
    opened = { child, log, read: 0 };
    return opened;
  };
  return {
    async run(lab, { id, args, env, serves }) {
      const process = opened ?? open(lab);
      const { child, log } = process;
      const { gitLog, path } = placeFor(lab, id);
      const limit = setTimeout(() => child.kill('SIGKILL'), MOST_TIME);
      let [stdout, stderr] = ['', ''];
      const take = (text: string) => {
        stderr += text;
      };
      child.stderr.on('data', take);
      const answered = new Promise<Ended>((resolve) => {
        child.stdout.on('data', (text: string) => {
          stdout += text;
          const [before = '', answer = ''] = stdout.split('\0');
          if (!answer.endsWith('\n')) return;
          const said = JSON.parse(answer) as Said;
          resolve({ signal: null, ...said, stdout: `${before}${said.stdout}` });
        });
      });
      const died = endOf(child).then(([code, signal]) => {
        opened = undefined;
        return { code, signal, stdout, stderr: '' };
      });
      const line = { args, serves, cwd: lab.project, env: { ...lab.env, PATH: path, ...env } };
      child.stdin.write(`${JSON.stringify(line)}\n`);
      const ended = await Promise.race([answered, died]);
      clearTimeout(limit);
      child.removeAllListeners();
      child.stdout.removeAllListeners('data');
      child.stderr.off('data', take);
      const events = eventsIn(log).slice(process.read);
      process.read += events.length;
      return { ...ended, stderr: `${ended.stderr}${stderr}`, events, git: gitStarts(gitLog) };
    },
    close: () => opened?.child.kill('SIGKILL'),
  };
}

type Said = Pick<Observation, 'code' | 'stdout' | 'stderr'>;
type Ended = Said & Pick<Observation, 'signal'>;
type Child = ChildProcessByStdio<Writable, Readable, Readable>;

interface Place {
  readonly log: string;
  readonly gitLog: string;
  readonly path: string;
}

function placeFor(lab: Lab, id: string): Place {
  const folder = join(lab.root, 'runs', id);
  const gitLog = join(folder, 'git');
  mkdirSync(gitLog, { recursive: true });
  return {
    log: join(folder, 'events'),
    gitLog,
    path: pathWith(putWrapper(join(folder, 'bin'), gitLog), lab),
  };
}

interface Surroundings {
  readonly cwd: string;
  /** Where the observer writes its events. */
  readonly log: string;
  readonly mostCpu: number;
  readonly env: Readonly<Record<string, string>>;
}

function startObserved(words: readonly string[], { cwd, log, mostCpu, env }: Surroundings): Child {
  const sink = openSync(log, 'a', 0o600);
  const line = `ulimit -t ${mostCpu}; exec "$@"`;
  const child = spawn('/bin/sh', ['-c', line, 'sh', process.execPath, '--require', OBSERVER, ...words], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe', sink],
  }) as Child;
  closeSync(sink);
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  child.stdin.on('error', () => undefined);
  return child;
}

async function endOf(child: Child): Promise<readonly [number | null, NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...ended) => resolve(ended));
  });
}

function eventsIn(log: string): readonly Event[] {
  return linesOf(log).map((text) => JSON.parse(text) as Event);
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
