import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectFiles } from '../../cmd/run.ts';
import { git, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** The repository has no project file. One that somebody left in a folder above is not its: who reads that shows the canary. */
export const repository: HostileRepository = {
  name: 'project-file-above',
  build({ folder, canary, elsewhere }) {
    const desk = join(folder, 'desk');
    mkdirSync(desk);
    git(desk, 'init', '--quiet', '--initial-branch=main');
    write(desk, { 'README.md': 'Nothing yet.\n' });
    write(folder, {
      ...projectFiles(),
      'tradeform.yaml': `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { base_url: ${elsewhere}, ${canary}: 1 }\n`,
    });
    return { project: 'desk' };
  },
};
