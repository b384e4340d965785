import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { commit, git, honestRepository, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';
import { filterSettings, touch } from '../traps.ts';

/** A submodule in the project has a filter of its own: git enters it to tell whether it has changed. */
export const repository: HostileRepository = {
  name: 'submodule-with-filters',
  build(place) {
    const { folder } = place;
    honestRepository(folder);
    const library = join(folder, 'library');
    mkdirSync(library);
    git(library, 'init', '--quiet', '--initial-branch=main');
    write(library, { '.gitattributes': '* filter=x\n', 'notes.txt': 'notes\n' });
    commit(library);
    git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', './library', 'library');
    git(folder, 'submodule', '--quiet', 'absorbgitdirs');
    commit(folder, 'three');
    appendFileSync(join(folder, '.git/modules/library/config'), filterSettings(place));
    touch(library);
    return {};
  },
};
