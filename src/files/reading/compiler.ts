import { readManifests } from '../../manifest/read.ts';
import { type Compiler, compileAll } from './compile-work.ts';

/**
 * Small projects are read file by file; large ones by several threads, those files alone that were not read before, and not
 * at all where an earlier run compiled the same. The result is the same.
 */
export function compilerFor(projectDir: string, env: Readonly<Record<string, string | undefined>>): Compiler {
  return async (work) => {
    if (!work.files.areMany()) return compileAll(work, readManifests);
    const { compileMany } = await import('./compile-many.ts');
    return compileMany(work, { projectDir, env });
  };
}
