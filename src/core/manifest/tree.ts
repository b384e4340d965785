import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Source } from './source.ts';

export type FileResult = { readonly source: Source } | { readonly diagnostic: Diagnostic };

/** The type of a directory entry. Links are not followed here. */
export interface FolderEntry {
  readonly name: string;
  readonly type: 'file' | 'folder' | 'link' | 'other';
}

/** The target of a path, with every link followed. */
export type Standing =
  /** `real` is the same for one file, however it is reached. */
  | { readonly type: 'file' | 'folder' | 'other'; readonly real: string }
  /**
   * Not part of the project, usually because a link leads out of it. `folder` if the target is a folder. `why` is the reason to
   * report.
   */
  | { readonly type: 'outside'; readonly folder: boolean; readonly why: string }
  | { readonly type: 'broken'; readonly missing: boolean; readonly problem: string };

/**
 * The files of a project directory, on disk or in a commit. Paths are relative to the project directory, with forward slashes.
 * The empty path is the directory itself.
 */
export interface FileTree {
  find(path: string): Standing;
  /** Throws if the folder cannot be listed. The message says why. */
  list(folder: string): readonly FolderEntry[];
  /** The text of a regular file. Links are followed as long as they lead to a file of the project. */
  read(file: string): FileResult;
  /** Announces which files will be read. In a commit, reading many at once costs no more than reading one. */
  prepare(files: readonly string[]): void;
}
