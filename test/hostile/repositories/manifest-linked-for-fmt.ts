import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commit, honestRepository, link } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** A manifest that `fmt` would write anew is a link to a file of the user's outside. */
export const repository: HostileRepository = {
  name: 'manifest-linked-for-fmt',
  attacksWrites: true,
  build({ folder, outside }) {
    honestRepository(folder);
    renameSync(join(folder, 'manifests/alpha.yaml'), join(outside, 'alpha.yaml'));
    link(folder, 'manifests/alpha.yaml', `${outside}/alpha.yaml`);
    link(folder, 'manifests/in', outside);
    writeFileSync(join(outside, 'beta.yaml'), 'kind:   Label\n');
    commit(folder);
    return {};
  },
};
