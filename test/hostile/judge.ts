import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ROOT } from '../examples/program.ts';
import { allowedGit } from './git-arguments.ts';
import { CANARIES, type Lab } from './lab.ts';
import { type Event, type GitStart, MOST_CPU, type Observation } from './observe.ts';

/** The user's own settings of git, below the home folder. */
const SETTINGS = ['.gitconfig', '.config/git/config'];
/** Of the package, and what loads it. */
const OWN = [
  ...['dist', 'docs', 'schemas', 'cmd/completion'].map((folder) => join(ROOT, folder)),
  join(import.meta.dirname, 'lines.mjs'),
];
/** DESIGN 1. */
const EXIT_CODES = [0, 1, 2, 3, 4, 130];

/** What a run did that no run may do, a line each; `origin` is the one to which requests may go. */
export function complaints(lab: Lab, seen: Observation, origin: string): readonly string[] {
  return [
    ...endOf(seen),
    ...seen.events.flatMap((event) => eventComplaint(lab, event, origin) ?? []),
    ...seen.git.flatMap((start) => gitComplaints(start)),
    ...leaks('stdout', seen.stdout),
    ...leaks('stderr', seen.stderr),
    ...traces(seen),
    ...written(lab, seen).flatMap((file) => leaks(file, readFileSync(file, 'utf8'))),
  ];
}

function endOf({ code, signal, events }: Observation): readonly string[] {
  if (code === null) return [`it was ended by ${signal}`];
  if (!EXIT_CODES.includes(code)) return [`it ended with ${code}`];
  const ends = events.flatMap((event) => (event.event === 'end' ? [event.cpu] : []));
  if (ends.length === 0) return ['the observer did not hear of its end'];
  return ends.filter((cpu) => cpu > MOST_CPU).map((cpu) => `it took ${cpu} seconds of processor time`);
}

function eventComplaint(lab: Lab, event: Event, origin: string): string | undefined {
  switch (event.event) {
    case 'read':
      return isReadable(lab, event.path) ? undefined : `${event.call} read ${event.path}`;
    case 'write':
      return isWritable(lab, event.path) ? undefined : `${event.call} wrote ${event.path}`;
    case 'start':
      return isGit(lab, event.file) ? undefined : `it started ${event.file} ${event.args.join(' ')}`;
    case 'connect':
      return event.to === origin ? undefined : `it connected to ${event.to}`;
    case 'lookup':
      return `it looked up ${event.name}`;
    case 'thread':
      return `it started the thread ${event.file}`;
    case 'end':
      return undefined;
  }
}

function isReadable(lab: Lab, path: string): boolean {
  const folders = [lab.repository, journalIn(lab), ...OWN];
  return (
    folders.some((folder) => isIn(folder, path)) ||
    SETTINGS.some((name) => path === join(lab.home, name)) ||
    path === '/etc/gitconfig'
  );
}

function isWritable(lab: Lab, path: string): boolean {
  return isIn(lab.repository, path) || isIn(journalIn(lab), path) || isIn(path, journalIn(lab));
}

function journalIn({ home }: Lab): string {
  return join(home, '.local/state/tradeform/journal');
}

/** By its name, or by the path of the first one in PATH that is not the project's. */
function isGit(lab: Lab, file: string): boolean {
  return file === 'git' || (isIn(join(lab.root, 'runs'), file) && basename(file) === 'git');
}

function gitComplaints({ args, environment, children }: GitStart): readonly string[] {
  return [
    ...(allowedGit(args) ? [] : [`it started git ${args.join(' ')}, which is not in git-arguments.ts`]),
    ...children.map((child) => `git started ${child}`),
    ...leaks('the environment of git', environment),
  ];
}

function leaks(where: string, text: string): readonly string[] {
  return CANARIES.filter((canary) => text.includes(canary.text)).map(
    ({ name }) => `${where} has the canary ${name}`,
  );
}

function traces({ stdout, stderr }: Observation): readonly string[] {
  const text = `${stdout}\n${stderr}`;
  const found =
    /^\s+at .+:\d+:\d+\)?$/m.exec(text) ??
    /error\[internal\].*/.exec(text) ??
    /"code": ?"internal".*/.exec(text);
  return found === null ? [] : [`it printed ${found[0]}`];
}

/** Files that are there after the run. */
function written(lab: Lab, { events }: Observation): readonly string[] {
  const paths = events.flatMap((event) => (event.event === 'write' ? [event.path] : []));
  // A file that is replaced is written under another name first.
  const moved = paths.flatMap((path) => [path, dirname(path)]).filter((path) => isIn(lab.repository, path));
  return [...new Set(moved)].filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

function isIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
