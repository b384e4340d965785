import { renameBeta, twoDesks } from '../checkouts.ts';
import type { HostileRepository } from '../repository.ts';

/** No pattern matches a manifest since it was renamed. */
export const repository: HostileRepository = {
  name: 'names-in-another-case',
  build({ folder }) {
    twoDesks(folder);
    renameBeta(folder, 'manifests/desk-b/beta.YAML');
    return {};
  },
};
