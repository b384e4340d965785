import { commit, honestRepository, link } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** A manifest is a link to a file outside, and a folder of manifests is one to the folder that holds it. */
export const repository: HostileRepository = {
  name: 'manifests-linked-outside',
  build({ folder, outside }) {
    honestRepository(folder);
    link(folder, 'manifests/secret.yaml', `${outside}/secret`);
    link(folder, 'manifests/more', outside);
    commit(folder);
  },
};
