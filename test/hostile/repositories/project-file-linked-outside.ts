import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { commit, honestRepository, link } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** The project file is a link to a file outside, which reads as YAML: whoever reads it shows a line of it. */
export const repository: HostileRepository = {
  name: 'project-file-linked-outside',
  build({ folder, outside }) {
    honestRepository(folder);
    rmSync(join(folder, 'tradeform.yaml'));
    link(folder, 'tradeform.yaml', `${outside}/secret`);
    commit(folder);
  },
};
