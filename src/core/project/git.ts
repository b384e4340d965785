import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isStranger, userOf } from './door/owner.ts';
import { isTrusted } from './door/trusted.ts';
import { type GitAnswer, type GitCommand, gitFolder } from './git-commands.ts';
import { type Environment, findGit } from './git-program.ts';
import { starter } from './git-start.ts';
import { findRepository, type RepositoryPlace } from './repository.ts';

/** git for the repository of one folder. */
export interface Git {
  readonly place: RepositoryPlace;
  /** Asks and waits. `input` goes to stdin. */
  ask(command: GitCommand, input?: string): GitAnswer;
  /** Asks without blocking. */
  askSoon(command: GitCommand): Promise<GitAnswer>;
  /** git for the submodule at a path from the top. Undefined if it is not checked out, or must not be used. */
  submodule(path: string): Git | undefined;
}

interface GitUnavailable {
  /** `refused`: a repository or a program exists, but must not be used. */
  readonly reason: 'no-repository' | 'no-program' | 'refused';
  readonly problem: string;
  readonly hint: string;
}

/** What git says, trimmed. Undefined if it fails or cannot be asked. */
export function askGit(command: GitCommand, folder: string, env: Environment): string | undefined {
  const opened = openGit(folder, env);
  const answer = 'git' in opened ? opened.git.ask(command) : undefined;
  return answer?.ok === true ? answer.text.trim() : undefined;
}

/**
 * git for the repository of a folder. tradeform finds the repository itself (`findRepository`) and passes it to git in GIT_DIR
 * and GIT_WORK_TREE. git's own search with ceilings would check the owner. But before 2.38 it accepts a folder that looks like
 * a bare repository, which committed files can form, and core.worktree would still move the working tree. With GIT_DIR, git
 * skips the check of the owner, so tradeform makes this check.
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
      submodule(path) {
        const opened = openGit(join(place.top, path), env);
        return 'git' in opened && opened.git.place.top === join(place.top, path) ? opened.git : undefined;
      },
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

/** Starts git in the top folder and lets git find the repository. */
type Search = (command: GitCommand) => GitAnswer;

/**
 * Names the owner of a repository that is not the user's. Undefined if the repository may be used. Whoever owns `.git` decides
 * what a revision is. As in git, the owners of `.git`, of its target and of the folder with `.git` count. A folder that the
 * user trusts (`isTrusted`) may have any owner.
 */
function strangerOf(place: RepositoryPlace, env: Environment, search: Search): string | undefined {
  const user = userOf(env, () => '');
  if (user === undefined) return strangerOnWindows(place, search);
  const paths = [place.top, join(place.top, '.git'), place.gitDir];
  const path = paths.find((each) => isStranger(lstatSync(each).uid, user));
  if (path === undefined || isTrusted(place.top, env)) return undefined;
  return `${path} belongs to another user (uid ${lstatSync(path).uid})`;
}

/** Node cannot read the owner on Windows. git searches by itself and says whom it does not trust. */
function strangerOnWindows({ top }: RepositoryPlace, search: Search): string | undefined {
  const answer = search(gitFolder);
  if (answer.ok || !/dubious ownership|unsafe repository/.test(answer.problem)) return undefined;
  return `${top} belongs to another user`;
}
