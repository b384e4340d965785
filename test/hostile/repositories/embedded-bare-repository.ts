import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectFiles } from '../../cmd/run.ts';
import { commit, git, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';
import { filterSettings, IN_PLACE, touch } from '../traps.ts';

/**
 * Ordinary committed files make git take the project's folder for a bare repository, with a working tree and a filter. There
 * are no refs and no commits in it: what it needs is that somebody asks git for the status.
 */
export const repository: HostileRepository = {
  name: 'embedded-bare-repository',
  build(place) {
    const { folder } = place;
    const desk = join(folder, 'desk');
    write(desk, projectFiles());
    git(desk, 'init', '--quiet', '--initial-branch=main');
    git(desk, 'add', '--all');
    cpSync(join(desk, '.git/index'), join(desk, 'index'));
    rmSync(join(desk, '.git'), { recursive: true });
    git(folder, 'init', '--quiet', '--initial-branch=main');
    commit(folder);
    git(folder, 'checkout', '--quiet', '-b', 'change');
    write(desk, {
      ...projectFiles({ buy: '0.6' }),
      HEAD: 'ref: refs/heads/main\n',
      config: `${IN_PLACE}${filterSettings(place)}`,
      'objects/keep': '',
      'refs/keep': '',
      '.gitattributes': '*.yaml filter=x\n',
    });
    commit(folder, 'two');
    touch(desk);
    return { project: 'desk' };
  },
};
