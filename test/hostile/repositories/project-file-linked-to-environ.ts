import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { commit, honestRepository, link } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** The project file is the environment of whoever reads it, with the token in it. */
export const repository: HostileRepository = {
  name: 'project-file-linked-to-environ',
  build({ folder }) {
    honestRepository(folder);
    rmSync(join(folder, 'tradeform.yaml'));
    link(folder, 'tradeform.yaml', '/proc/self/environ');
    commit(folder);
  },
};
