import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isStranger, userOf } from './door/owner.ts';
import { isTrusted } from './door/trusted.ts';
import { type GitAnswer, type GitCommand, gitFolder } from './git-commands.ts';
import type { RepositoryPlace } from './repository.ts';

/** Starts git in the top folder and leaves it to search for the repository by itself. */
type Search = (command: GitCommand) => GitAnswer;

/**
 * Says who owns a repository that is not the user's; undefined where it may be used. Whoever owns `.git` says what a revision
 * is. As git does it: the owners of `.git`, of what it leads to and of the folder that has it; a folder that the user trusts
 * (`isTrusted`) may be anybody's.
 */
export function strangerOf(
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
