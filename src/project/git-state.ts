import { type Diagnostic, warning } from '../diagnostics/diagnostic.ts';
import { openGit } from './git.ts';
import { commitOf } from './git-commands.ts';
import { differsFrom } from './working-tree.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface GitState {
  /** null without git, outside a repository, before the first commit, or if git is refused. */
  readonly commit: string | null;
  /** Files below the project directory differ from the commit, or are untracked. */
  readonly dirty: boolean;
}

/** Commit and cleanliness of the project directory, from the `git` program. Never fails. */
export async function readGit(projectDir: string, env: Environment): Promise<GitState> {
  const opened = openGit(projectDir, env);
  if (!('git' in opened)) return { commit: null, dirty: false };
  const answer = await opened.git.askSoon(commitOf('HEAD'));
  const hash = answer.ok ? answer.stdout.toString('latin1').trim() : '';
  const commit = /^[0-9a-f]{40,64}$/.test(hash) ? hash : null;
  return { commit, dirty: await differsFrom(commit, opened.git) };
}

/** The warning that there is a repository but git could not be asked. Otherwise empty. */
export function gitRefusal(projectDir: string, env: Environment): readonly Diagnostic[] {
  const opened = openGit(projectDir, env);
  if ('git' in opened || opened.reason !== 'refused') return [];
  const { problem: message, hint } = opened;
  return [warning('git-refused', message, hint)];
}
