import type { CompileResult } from '../../desired/compile.ts';
import type { ReadResult } from '../../manifest/read.ts';
import type { Source } from '../../manifest/source.ts';
import type { FilesRead, ManifestFiles } from './manifest-files.ts';

export type Read = (source: Source) => ReadResult;

export interface CompileWork {
  readonly files: ManifestFiles;
  /** The name of the project file, the environment, on disk or not: what is kept of one is not replaced by another. */
  readonly variant: readonly string[];
  /** All else that the result rests on: the text of the project file, and whether every manifest file was found. */
  readonly rest: readonly string[];
  compile(files: FilesRead, read: Read): CompileResult;
  /** After `compile`: true where it asked for something else, such as a variable of the process or a table. */
  askedElsewhere(): boolean;
}

/** What was compiled, and the files it was compiled from. */
export interface Compiled extends CompileResult {
  readonly read: FilesRead;
}

export type Compiler = (work: CompileWork) => Promise<Compiled>;

/** File by file. */
export function compileAll({ files, compile }: CompileWork, read: Read): Compiled {
  const all = files.readAll();
  return { ...compile(all, read), read: all };
}
