import { type Diagnostic, warning } from '../diagnostics/diagnostic.ts';
import { type Git, openGit } from './git.ts';
import { commits, firstParentCount, shallowness } from './git-commands.ts';
import { differsFrom } from './working-tree.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface GitState {
  /** null without git, outside a repository, before the first commit, or if git is refused. */
  readonly commit: string | null;
  /** Files below the project directory differ from the commit, or are untracked. */
  readonly dirty: boolean;
  /** How many commits the first-parent line has up to `commit`; undefined in a shallow clone, and where git does not say. */
  readonly number: number | undefined;
  /** The date of the commit, in milliseconds since the epoch: for a warning, and for nothing else. */
  readonly date?: number;
}

/** Commit and cleanliness of the project directory, from the `git` program. Never fails. */
export async function readGit(projectDir: string, env: Environment): Promise<GitState> {
  const opened = openGit(projectDir, env);
  if (!('git' in opened)) return { commit: null, dirty: false, number: undefined };
  const { git } = opened;
  const answer = await git.askSoon(commits(['--max-count=1', 'HEAD']));
  const text = answer.ok ? answer.stdout.toString('latin1') : '';
  const [, commit = null, date = ''] = /^([0-9a-f]{40,64}) [0-9a-f]+ (\S+)/m.exec(text) ?? [];
  const [number, dirty] = await Promise.all([
    commit === null ? undefined : numberOf(commit, git),
    differsFrom(commit, git),
  ]);
  return { commit, dirty, number, ...(Number.isNaN(Date.parse(date)) ? {} : { date: Date.parse(date) }) };
}

/** Commits of a shallow clone cannot be counted. */
async function numberOf(commit: string, git: Git): Promise<number | undefined> {
  const [shallow, counted] = await Promise.all([
    git.askSoon(shallowness),
    git.askSoon(firstParentCount(commit)),
  ]);
  if (!shallow.ok || shallow.stdout.toString('latin1').trim() !== 'false') return undefined;
  const number = counted.ok ? Number.parseInt(counted.stdout.toString('latin1'), 10) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The warning that there is a repository but git could not be asked. Otherwise empty. */
export function gitRefusal(projectDir: string, env: Environment): readonly Diagnostic[] {
  const opened = openGit(projectDir, env);
  if ('git' in opened || opened.reason !== 'refused') return [];
  const { problem: message, hint } = opened;
  return [warning('git-refused', message, hint)];
}
