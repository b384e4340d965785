import { writeProjectFile } from '../../command/write-file.ts';
import { CommandFailure, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { diskTree } from '../../project/disk.ts';
import type { FileTree } from '../../project/tree.ts';
import { type ExportPlace, pathOf } from './place.ts';

/**
 * Writes the files below the project directory, each whole or not at all. Fails (exit 3) before the first where one would
 * go over something that is no manifest of the project, or out of the directory.
 */
export async function writeFiles(place: ExportPlace, files: ReadonlyMap<string, string>): Promise<void> {
  const tree = diskTree(place.projectDir);
  const refused = [...files.keys()].flatMap((file) => problemOf(file, tree, place));
  if (refused.length > 0) throw new CommandFailure(3, refused);
  for (const [file, text] of files) await writeProjectFile({ path: pathOf(place, file), text, name: file });
}

function problemOf(file: string, tree: FileTree, { existing }: ExportPlace): readonly Diagnostic[] {
  const refuse = (message: string): readonly Diagnostic[] => [
    {
      severity: 'error',
      code: 'file-not-manifest',
      message: `${file} ${message}; nothing is written`,
      hint: 'Remove or rename it, or use another folder for --out.',
      location: { file, line: 1, column: 1 },
    },
  ];
  const parts = file.split('/');
  for (let length = 1; length < parts.length; length += 1) {
    const folder = parts.slice(0, length).join('/');
    const standing = tree.find(folder);
    if (standing.type === 'outside') return refuse(`would be outside the project: ${folder} is a link`);
    if (standing.type === 'broken' && !standing.missing)
      return refuse(`cannot be reached: ${standing.problem}`);
    if (standing.type === 'file' || standing.type === 'other')
      return refuse(`cannot be created: ${folder} is not a folder`);
  }
  const standing = tree.find(file);
  if (standing.type === 'broken')
    return standing.missing ? [] : refuse(`cannot be reached: ${standing.problem}`);
  if (standing.type === 'outside') return refuse('is a link that leads outside the project');
  if (standing.type !== 'file') return refuse('is not a regular file');
  return existing?.sources.has(file) === true ? [] : refuse('exists and is not a manifest of this project');
}
