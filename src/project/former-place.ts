import type { Git } from './git.ts';
import { commits, filesOfCommit, typesAndHashes } from './git-commands.ts';

/** Where a project lay before its folder was moved. */
export interface FormerPlace {
  /** Full hash of the last commit that has it there. */
  readonly commit: string;
  /** The folder, from the top of the repository; empty for the top. */
  readonly inside: string;
}

/** No line break may come into what git reads line by line. */
const UNFIT = /\p{Cc}/u;

/**
 * How many of these commits, newest first on the line of first parents, have the project in `inside`, and where it lay before
 * them: in the one folder that is gone since, and whose project file has the same content. `before` is undefined where it did not exist, or nobody can tell.
 */
export function formerPlace(
  git: Git,
  line: readonly string[],
  inside: string,
  projectFile: string,
): { readonly count: number; readonly before: FormerPlace | undefined } {
  const all = { count: line.length, before: undefined };
  const at = join(inside, projectFile);
  const asked = git.ask(typesAndHashes, line.map((hash) => `${hash}:${at}\n`).join(''));
  if (!asked.ok) return all;
  const blobs = asked.stdout
    .toString('utf8')
    .split('\n')
    .map((text) => /^blob (\S+)$/.exec(text)?.[1]);
  const gone = line.findIndex((_, index) => blobs[index] === undefined);
  const count = gone < 0 ? line.length : gone;
  const [first, blob] = [line[count - 1], blobs[count - 1]];
  if (first === undefined || blob === undefined) return all;
  const [, parent] = textOf(git.ask(commits(['--first-parent', '--max-count=2', first]))).matchAll(
    /^commit ([0-9a-f]{40,64})$/gm,
  );
  const commit = parent?.[1];
  if (commit === undefined) return all;
  const places = textOf(git.ask(filesOfCommit(commit, '')))
    .split('\0')
    .flatMap((entry) => {
      const [, hash, path = ''] = /^\S+ blob (\S+)\t(.*)$/s.exec(entry) ?? [];
      const named = path === projectFile || path.endsWith(`/${projectFile}`);
      return hash === blob && named && !UNFIT.test(path)
        ? [path.slice(0, -projectFile.length).replace(/\/$/, '')]
        : [];
    });
  // What stands there still was copied, not moved.
  const stands = textOf(
    git.ask(typesAndHashes, places.map((place) => `${first}:${join(place, projectFile)}\n`).join('')),
  );
  const types = stands.split('\n');
  const [only, second] = places.filter((_, index) => types[index]?.startsWith('blob ') !== true);
  if (only === undefined || second !== undefined) return all;
  return { count, before: { commit, inside: only } };
}

function join(inside: string, file: string): string {
  return inside === '' ? file : `${inside}/${file}`;
}

function textOf(answer: ReturnType<Git['ask']>): string {
  return answer.ok ? answer.stdout.toString('utf8') : '';
}
