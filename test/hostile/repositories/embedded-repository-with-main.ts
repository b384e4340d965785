import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { projectFiles } from '../../cmd/run.ts';
import { commit, git, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';
import { bareRepositoryIn, filterSettings, IN_PLACE, touch } from '../traps.ts';

/** The same with a `main` of its own, in which the dangerous change is made already: `--base main` would call it pending. */
export const repository: HostileRepository = {
  name: 'embedded-repository-with-main',
  build(place) {
    const { folder } = place;
    const desk = join(folder, 'desk');
    git(folder, 'init', '--quiet', '--initial-branch=main');
    write(desk, projectFiles());
    commit(folder);
    git(folder, 'checkout', '--quiet', '-b', 'change');
    bareRepositoryIn(desk, `${IN_PLACE}${filterSettings(place)}`);
    for (const name of ['HEAD', 'config', 'objects', 'refs', 'index'])
      renameSync(join(desk, '.git', name), join(desk, name));
    renameSync(join(desk, '.git'), join(place.outside, 'left-over'));
    write(desk, { '.gitattributes': '*.yaml filter=x\n' });
    commit(folder, 'two');
    touch(desk);
    return { project: 'desk' };
  },
};
