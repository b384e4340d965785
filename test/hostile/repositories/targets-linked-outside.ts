import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { commit, honestRepository, link } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

const REPORTS = ['markdown', 'json', 'html', 'sarif', 'github', 'gitlab'];

/** Whatever a command writes is a link to a place outside already. */
export const repository: HostileRepository = {
  name: 'targets-linked-outside',
  attacksWrites: true,
  build({ folder, outside }) {
    honestRepository(folder);
    rmSync(join(folder, 'manifests'), { recursive: true });
    for (const name of ['manifests', '.github', 'new', '.vscode', 'policies']) link(folder, name, outside);
    for (const format of REPORTS) link(folder, `report.${format}`, `${outside}/report`);
    for (const name of ['saved.plan', '.gitignore', 'project.yaml', 'labels.yaml', 'unmanaged.yaml']) {
      rmSync(join(folder, name), { force: true });
      link(folder, name, `${outside}/${name}`);
    }
    commit(folder);
    return {};
  },
};
