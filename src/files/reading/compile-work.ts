import type { CompileResult } from '../../desired/compile.ts';
import type { ReadResult } from '../../manifest/read.ts';
import type { Source } from '../../manifest/source.ts';

export interface CompileWork {
  /** The manifest files. */
  readonly sources: readonly Source[];
  /** The name of the project file, the environment, on disk or not: what is kept of one is not replaced by another. */
  readonly variant: readonly string[];
  /** All else that the result rests on: the text of the project file, and whether every manifest file could be read. */
  readonly rest: readonly string[];
  compile(read: (source: Source) => ReadResult): CompileResult;
  /** After `compile`: true where it asked for something else, such as a variable of the process or a table. */
  askedElsewhere(): boolean;
}

export type Compiler = (work: CompileWork) => Promise<CompileResult>;
