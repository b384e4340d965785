import { leavePointer, twoDesks } from '../checkouts.ts';
import type { HostileRepository } from '../repository.ts';

/** A manifest is in Git LFS, and was not fetched. */
export const repository: HostileRepository = {
  name: 'lfs-pointers',
  build({ folder }) {
    twoDesks(folder);
    leavePointer(folder);
    return {};
  },
};
