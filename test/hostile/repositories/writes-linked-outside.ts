import { commit, honestRepository, link } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** Where commands write, by the names that recipes have for it, there are links that lead out, and into .git. */
export const repository: HostileRepository = {
  name: 'writes-linked-outside',
  attacksWrites: true,
  build({ folder, outside }) {
    honestRepository(folder);
    link(folder, 'report.json', `${outside}/report.json`);
    link(folder, 'report.markdown', '.git/hooks/post-checkout');
    link(folder, 'saved.plan', `${outside}/saved.plan`);
    link(folder, '.github', outside);
    link(folder, 'new', outside);
    link(folder, 'manifests/away', outside);
    commit(folder);
  },
};
