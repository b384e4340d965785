import type { Location } from '../diagnostics/diagnostic.ts';
import type { FileResult, FileTree } from './tree.ts';

/** A file that another file of the project names. `from` is the place of that name. */
export function readInside(tree: FileTree, file: string, from: Location): FileResult {
  const standing = tree.find(file);
  if (standing.type === 'broken') {
    return {
      diagnostic: {
        severity: 'error',
        code: 'file-unreadable',
        message: `the file ${file} cannot be read: ${standing.problem}`,
        hint: 'the path is relative to the file that names it',
        location: from,
      },
    };
  }
  if (standing.type !== 'outside') return tree.read(file);
  return {
    diagnostic: {
      severity: 'error',
      code: 'file-outside-project',
      message: `the file ${file} ${standing.why}`,
      location: from,
    },
  };
}
