import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFiles } from '../../cmd/run.ts';
import { commit, git, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';
import { bareRepositoryIn, filterSettings, touch } from '../traps.ts';

/** `.git` in the project's folder is a file that leads to a folder beside it, whose files are committed. */
export const repository: HostileRepository = {
  name: 'git-file-into-project',
  build(place) {
    const { folder } = place;
    const desk = join(folder, 'desk');
    git(folder, 'init', '--quiet', '--initial-branch=main');
    write(desk, projectFiles());
    commit(folder);
    git(folder, 'checkout', '--quiet', '-b', 'change');
    bareRepositoryIn(desk, `[core]\n\tbare = false\n${filterSettings(place)}`);
    renameSync(join(desk, '.git'), join(folder, 'assets'));
    write(desk, { '.gitattributes': '*.yaml filter=x\n' });
    commit(folder, 'two');
    touch(desk);
    writeFileSync(join(desk, '.git'), 'gitdir: ../assets\n');
    return { project: 'desk' };
  },
};
