import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { commit, honestRepository, link, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** Pipes that nobody writes, devices without an end, links in a circle, folders with the names of files. */
export const repository: HostileRepository = {
  name: 'files-that-are-none',
  build({ folder }) {
    honestRepository(folder);
    link(folder, 'manifests/zero.yaml', '/dev/zero');
    link(folder, 'manifests/tty.yaml', '/dev/tty');
    link(folder, 'manifests/round', '.');
    link(folder, 'manifests/a.yaml', 'b.yaml');
    link(folder, 'manifests/b.yaml', 'a.yaml');
    write(folder, { 'manifests/folder.yaml/keep': '' });
    commit(folder);
    execFileSync('mkfifo', [join(folder, 'manifests/pipe.yaml'), join(folder, 'report.json')]);
    return {};
  },
};
