import { commit, honestRepository, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';
import { filterSettings, touch } from '../traps.ts';

/** The filter is the user's own, as for large files; that it runs over the manifests is chosen by a committed file. */
export const repository: HostileRepository = {
  name: 'users-filter-chosen',
  build(place) {
    const { folder, home } = place;
    write(home, { '.gitconfig': filterSettings(place) });
    honestRepository(folder);
    write(folder, { '.gitattributes': '*.yaml filter=x diff=x\n' });
    commit(folder);
    touch(folder);
    return {};
  },
};
