import { readManifests } from '../../manifest/read.ts';
import type { Compiler } from './compile-work.ts';
import { lengthOf } from './length.ts';

/** Characters. Below this, looking for what was read before costs more than reading. */
const MANY = 256 * 1024;

/**
 * Small projects are read file by file; large ones by several threads, those files alone that were not read before, and not
 * at all where an earlier run compiled the same. The result is the same.
 */
export function compilerFor(projectDir: string, env: Readonly<Record<string, string | undefined>>): Compiler {
  return async (work) => {
    if (lengthOf(work.sources) < MANY) return work.compile(readManifests);
    const { compileMany } = await import('./compile-many.ts');
    return compileMany(work, { projectDir, env });
  };
}
