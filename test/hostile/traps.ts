import { readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { projectFiles } from '../cmd/run.ts';
import { commit, git, gitValue, payload, write } from './building.ts';
import type { Place } from './repository.ts';

/** Settings of a filter that runs the payload whenever git wants to know what a file would be in a commit. */
export function filterSettings(place: Pick<Place, 'outside'>): string {
  const command = gitValue(payload(place));
  return `[filter "x"]\n\tclean = ${command}\n\tsmudge = ${command}\n\tprocess = ${command}\n`;
}

/** Settings of a repository whose working tree is the folder that holds its own files. */
export const IN_PLACE = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n';

/** All files of a folder have another time than the index noted: git has to look into them. */
export function touch(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes('.git')) continue;
    utimesSync(join(entry.parentPath, entry.name), 1_000_000_000, 1_000_000_000);
  }
}

/**
 * Puts files into a folder with which git takes it for a bare repository, with commits of its own: `main` has the project as
 * `buy` says. Ordinary files, each of which can be committed.
 */
export function bareRepositoryIn(folder: string, settings: string, buy = '0.6'): void {
  git(folder, 'init', '--quiet', '--initial-branch=main');
  write(folder, projectFiles({ buy }));
  commit(folder);
  git(folder, 'checkout', '--quiet', '-b', 'change');
  for (const name of ['hooks', 'logs', 'info', 'description', 'COMMIT_EDITMSG', 'branches'])
    rmSync(join(folder, '.git', name), { recursive: true, force: true });
  write(folder, { '.git/config': settings });
}
