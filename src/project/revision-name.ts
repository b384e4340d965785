import type { Git } from './git.ts';
import { objectsWithPrefix, refsMatching } from './git-commands.ts';

interface OtherMeaning {
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
  const answer = git.ask(refsMatching([...named, `refs/remotes/*/${name}`]));
  if (!answer.ok) return { problem: answer.problem, hint: 'run `git fsck` in the repository' };
  const found = answer.stdout.toString('utf8').split('\n');
  const refs = named.filter((ref) => found.includes(ref));
  const tag = `refs/tags/${name}`;
  const meanings =
    refs.length === 1 && refs[0] === tag ? [tag, ...found.filter((ref) => isOfRemote(ref, name))] : refs;
  if (meanings.length > 1) {
    const hint = `write in full which one is meant: ${meanings.find((ref) => ref !== tag)}`;
    return { problem: `it may be ${meanings.join(' or ')}`, hint };
  }
  const [ref] = meanings;
  if (ref === undefined || !SHORT_HASH.test(name)) return undefined;
  const objects = git.ask(objectsWithPrefix(name));
  if (objects.ok && objects.stdout.length === 0) return undefined;
  return { problem: `it may be ${ref} or the beginning of a hash`, hint: `write ${ref}, or all of the hash` };
}

function isOfRemote(ref: string, name: string): boolean {
  return ref === `refs/remotes/${ref.split('/')[2]}/${name}`;
}
