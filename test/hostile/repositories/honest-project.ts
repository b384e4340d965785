import { honestRepository } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** Nothing in it is hostile: what every command does where it works. */
export const repository: HostileRepository = {
  name: 'honest-project',
  build({ folder }) {
    honestRepository(folder);
  },
};
