import { madeOnce } from '../model/by-key.ts';
import { Blobs } from './blobs.ts';
import type { Git } from './git.ts';
import { filesOfTree, type TreeEntry, treeEntries } from './git-commands.ts';

/** The files of a commit of a submodule, or why they cannot be listed: the end of a sentence about its folder. */
type SubmoduleFiles =
  | { readonly entries: readonly TreeEntry[]; readonly blobs: Blobs }
  | { readonly problem: string };

/** Looks a submodule up by its path from the top of the repository, and the full hash of a commit. */
export type Submodules = (path: string, commit: string) => SubmoduleFiles;

/**
 * The submodules of a repository that are checked out, whatever commit is asked for. A commit of the repository names a commit
 * of each submodule, so that what it says of their files is as certain as of its own.
 */
export function submodulesOf(git: Git): Submodules {
  const opened = new Map<string, { readonly git: Git; readonly blobs: Blobs } | undefined>();
  const listed = new Map<string, SubmoduleFiles>();
  const open = (path: string) => {
    if (!opened.has(path)) {
      const there = git.submodule(path);
      opened.set(path, there && { git: there, blobs: new Blobs(there) });
    }
    return opened.get(path);
  };
  return (path, commit) => madeOnce(listed, `${commit} ${path}`, () => filesIn(open(path), commit));
}

function filesIn(
  submodule: { readonly git: Git; readonly blobs: Blobs } | undefined,
  commit: string,
): SubmoduleFiles {
  if (submodule === undefined) return { problem: 'it is a submodule that is not checked out' };
  const answer = submodule.git.ask(filesOfTree(commit));
  if (answer.ok) return { entries: treeEntries(answer.text), blobs: submodule.blobs };
  return { problem: `it is a submodule that was not fetched to its commit ${commit.slice(0, 7)}` };
}
