import type { Git } from './git.ts';
import { type GitCommand, objectsWithPrefix, refsMatching } from './git-commands.ts';

export interface OtherMeaning {
  readonly problem: string;
  readonly hint: string;
}

/** The name that a revision begins with: `main` of `main~3` and `main@{yesterday}`. */
const NAME = /^[^~^@:*?[\\ ]+/;
const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const SHORT_HASH = /^[0-9a-f]{4,39}$/;

/**
 * What else a name may mean; undefined where it means one thing. git takes a tag before a branch, a branch here before one of
 * a remote, and both before a short hash, and says so in a warning alone. Whoever may push a tag or a branch of any name
 * would choose what `--base main` compares with. A tag is held against the branches of the remotes as well: a clone that has
 * no branch `main` of its own would take the tag.
 */
export function otherMeaning(git: Git, revision: string): OtherMeaning | undefined {
  const [name = ''] = NAME.exec(revision) ?? [];
  if (name === '' || name === 'HEAD' || name.startsWith('refs/') || HASH.test(name)) return undefined;
  // The order in which git tries them.
  const named = [name, `tags/${name}`, `heads/${name}`, `remotes/${name}`, `remotes/${name}/HEAD`].map(
    (rest) => `refs/${rest}`,
  );
  const found = lines(git, refsMatching([...named, `refs/remotes/*/${name}`]));
  const refs = found.filter((ref) => named.includes(ref));
  const tag = refs.find((ref) => ref.startsWith('refs/tags/'));
  const remote =
    tag === undefined ? [] : found.filter((ref) => ref === `refs/remotes/${ref.split('/')[2]}/${name}`);
  const meanings = [...new Set([...refs, ...remote])];
  if (meanings.length > 1) {
    return {
      problem: `it may be ${meanings.join(' or ')}`,
      hint: `write in full which one is meant: ${meanings.at(-1)}`,
    };
  }
  const [ref] = meanings;
  if (ref === undefined || !SHORT_HASH.test(name)) return undefined;
  if (lines(git, objectsWithPrefix(name)).length === 0) return undefined;
  return { problem: `it may be ${ref} or the beginning of a hash`, hint: `write ${ref}, or all of the hash` };
}

function lines(git: Git, command: GitCommand): readonly string[] {
  const answer = git.ask(command);
  if (!answer.ok) return [];
  return answer.stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}
