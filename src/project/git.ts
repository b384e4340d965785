import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isStranger, userOf } from './door/owner.ts';
import { isTrusted } from './door/trusted.ts';
import { type GitAnswer, type GitCommand, gitFolder } from './git-commands.ts';
import { findGit } from './git-program.ts';
import { starter } from './git-start.ts';
import { findRepository, type RepositoryPlace } from './repository.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** git, for the one repository that a folder lies in. */
export interface Git {
  readonly place: RepositoryPlace;
  /** Asks and waits; `input` goes to stdin. */
  ask(command: GitCommand, input?: string): GitAnswer;
  /** The same without waiting. */
  askSoon(command: GitCommand): Promise<GitAnswer>;
}

/** Why git is not asked. */
export interface GitUnavailable {
  /** `refused`: there is a repository or a program, and it must not be used. */
  readonly reason: 'no-repository' | 'no-program' | 'refused';
  readonly problem: string;
  readonly hint: string;
}

/**
 * git for the repository of a folder. The repository is the one that we found (`findRepository`), and is handed to git in
 * GIT_DIR and GIT_WORK_TREE. git's own search, with ceilings around it, would have checked the owner for us; but in versions
 * before 2.38 it takes a folder that looks like a bare repository, which files of a commit can do, and core.worktree would
 * still move the working tree. The check of the owner, which git skips then, is made here.
 */
export function openGit(folder: string, env: Environment): { readonly git: Git } | GitUnavailable {
  const found = findRepository(folder);
  if (found.type === 'none') return NO_REPOSITORY;
  if (found.type === 'refused')
    return refused(found.problem, 'clone the repository again, or repair its .git');
  const { place } = found;
  const program = findGit(place.top, env);
  if (!('file' in program)) return noProgram(program.passedOver);
  const start = starter(program, env);
  const stranger = strangerOf(place, env, (command) =>
    start.wait(command, { cwd: place.top, variables: {} }),
  );
  if (stranger !== undefined) {
    return refused(stranger, `if you trust it: git config --global --add safe.directory ${place.top}`);
  }
  const here = { cwd: place.top, variables: { GIT_DIR: place.gitDir, GIT_WORK_TREE: place.top } };
  return {
    git: {
      place,
      ask: (command, input) => start.wait(command, { ...here, input }),
      askSoon: (command) => start.soon(command, here),
    },
  };
}

const NO_REPOSITORY: GitUnavailable = {
  reason: 'no-repository',
  problem: 'the project is not in a git repository',
  hint: 'git revisions need a repository; run tradeform in a checkout',
};

function refused(problem: string, hint: string): GitUnavailable {
  return { reason: 'refused', problem: `git is not used: ${problem}`, hint };
}

function noProgram(passedOver: string | undefined): GitUnavailable {
  const hint = 'install git, or add its folder to PATH';
  if (passedOver === undefined) return { reason: 'no-program', problem: 'git cannot be run', hint };
  return refused(
    `PATH has no git but ${passedOver}; tradeform runs no program from the repository or by a relative path`,
    hint,
  );
}

/** Starts git in the top folder and leaves it to search for the repository by itself. */
type Search = (command: GitCommand) => GitAnswer;

/**
 * Says who owns a repository that is not the user's; undefined where it may be used. Whoever owns `.git` says what a revision
 * is. As git does it: the owners of `.git`, of what it leads to and of the folder that has it; a folder that the user trusts
 * (`isTrusted`) may be anybody's.
 */
function strangerOf(
  place: RepositoryPlace,
  env: Readonly<Record<string, string | undefined>>,
  search: Search,
): string | undefined {
  const user = userOf(env, () => '');
  if (user === undefined) return strangerOnWindows(place, search);
  const paths = [place.top, join(place.top, '.git'), place.gitDir];
  const path = paths.find((each) => isStranger(lstatSync(each).uid, user));
  if (path === undefined || isTrusted(place.top, env)) return undefined;
  return `${path} belongs to another user (uid ${lstatSync(path).uid})`;
}

/** Node cannot tell the owner there: git is left to search for itself, and says whom it does not trust. */
function strangerOnWindows({ top }: RepositoryPlace, search: Search): string | undefined {
  const answer = search(gitFolder);
  if (answer.ok || !/dubious ownership|unsafe repository/.test(answer.problem)) return undefined;
  return `${top} belongs to another user`;
}
