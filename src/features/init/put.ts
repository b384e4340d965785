import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeProjectFile } from '../../command/write-file.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import { repositoryPlace } from '../../project/project-root.ts';
import { readNamed } from '../../project/read-named.ts';
import { type CiProject, ciFiles } from './ci-files.ts';
import { IGNORED } from './files.ts';

/** Absolute paths. */
export interface Written {
  readonly made: readonly string[];
  readonly kept: readonly string[];
}

/** Files below a folder, by their paths with slashes; those that are there stay as they are. */
export async function putAll(folder: string, files: ReadonlyMap<string, string>): Promise<Written> {
  const made: string[] = [];
  const kept: string[] = [];
  for (const [file, text] of files) {
    const done = await put(folder, file, text);
    (done ? made : kept).push(join(folder, ...file.split('/')));
  }
  return { made, kept };
}

/** GitHub and GitLab look for them at the top of the repository alone. */
export async function putCi(
  folder: string,
  project: Omit<CiProject, 'folder'>,
): Promise<Written & { readonly inside: string }> {
  const { top, inside } = repositoryPlace(folder);
  return { ...(await putAll(top, ciFiles({ ...project, folder: inside }))), inside };
}

/** True where the file was made; a .gitignore that is there gets the lines that it lacks. */
async function put(folder: string, file: string, text: string): Promise<boolean> {
  const path = join(folder, ...file.split('/'));
  if (!existsSync(path)) {
    await writeProjectFile({ path, text, name: file });
    return true;
  }
  if (file !== '.gitignore') return false;
  const read = readNamed(path, file);
  if ('diagnostic' in read) throw new CommandFailure(3, [read.diagnostic]);
  const present = read.source.text;
  const lacking = IGNORED.filter((line) => !present.split(/\r?\n/).includes(line));
  if (lacking.length === 0) return false;
  const gap = present === '' || present.endsWith('\n') ? '' : '\n';
  const more = `${present}${gap}${lacking.join('\n')}\n`;
  await writeProjectFile({ path, text: more, name: file });
  return true;
}
