import { commit, git, honestRepository, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

const ESCAPES = '\u001b[2J\u001b]0;x\u0007\u202e\r::set-output name=a::b';

/** Escapes, returns, workflow commands and shell words in names of files, branches, labels and fields. */
export const repository: HostileRepository = {
  name: 'names-with-control-characters',
  attacksWrites: true,
  build({ folder }) {
    honestRepository(folder);
    write(folder, {
      [`manifests/${ESCAPES}.yaml`]: 'kind: Nothing\n',
      'manifests/x$(touch ran).yaml': '\u001b[31mnot: [yaml\n',
      'manifests/label-2.yaml':
        "apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: two }\nspec: { name: 'x$(touch ran)`touch ran`<img src=x>@all', sort_order: 2 }\n",
      'manifests/fields.yaml': `apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: three }\nspec: { ${JSON.stringify(ESCAPES)}: 1, name: x }\n`,
    });
    commit(folder, `two ${ESCAPES}`);
    git(folder, 'branch', 'x$(touch${IFS}ran)');
    git(folder, 'branch', '--', 'y`touch${IFS}ran`');
    return {};
  },
};
