import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Source } from '../manifest/source.ts';

export type FileResult = { readonly source: Source } | { readonly diagnostic: Diagnostic };

/** What a name in a folder is; links are not followed here. */
export interface FolderEntry {
  readonly name: string;
  readonly type: 'file' | 'folder' | 'link' | 'other';
}

/** What a path leads to once every link is followed. */
export type Standing =
  /** `real` is one text for one thing, however it is reached. */
  | { readonly type: 'file' | 'folder' | 'other'; readonly real: string }
  /** No part of the project: most often a link that leads out of it. `folder` where it leads to one, `why` is what is said of it. */
  | { readonly type: 'outside'; readonly folder: boolean; readonly why: string }
  | { readonly type: 'broken'; readonly missing: boolean; readonly problem: string };

/**
 * The files of a project directory: on disk, or as a commit has them. Paths are relative to the project directory, with
 * forward slashes; the empty path is the directory itself.
 */
export interface FileTree {
  find(path: string): Standing;
  /** Throws where the folder cannot be listed; the message says why. */
  list(folder: string): readonly FolderEntry[];
  /** The text of a regular file; links are followed as far as they lead to a file of the project. */
  read(file: string): FileResult;
  /** Says which files will be read: getting many at once costs a commit no more than one. */
  prepare(files: readonly string[]): void;
}
