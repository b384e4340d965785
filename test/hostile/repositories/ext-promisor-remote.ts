import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { git, honestRepository, payload, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** A partial clone whose missing objects would be fetched from a remote that is a command, or from another host. */
export const repository: HostileRepository = {
  name: 'ext-promisor-remote',
  build(place) {
    const { folder, elsewhere } = place;
    honestRepository(folder);
    const blob = git(folder, 'rev-parse', 'main:manifests/alpha.yaml');
    write(folder, { 'fetch.sh': payload(place) });
    git(folder, 'config', 'core.repositoryFormatVersion', '1');
    git(folder, 'config', 'extensions.partialClone', 'origin');
    git(folder, 'config', 'remote.origin.url', `ext::sh ${folder}/fetch.sh`);
    git(folder, 'config', 'remote.origin.promisor', 'true');
    git(folder, 'config', 'remote.origin.partialCloneFilter', 'blob:none');
    git(folder, 'config', 'remote.other.url', `${elsewhere}/other.git`);
    git(folder, 'config', 'remote.other.promisor', 'true');
    git(folder, 'config', 'protocol.ext.allow', 'always');
    git(folder, 'config', 'protocol.allow', 'always');
    rmSync(join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    return {};
  },
};
