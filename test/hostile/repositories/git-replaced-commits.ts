import { commit, git, honestRepository, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** `refs/replace` and grafts put other commits in place of what `--base` means. Who reads those shows the canary. */
export const repository: HostileRepository = {
  name: 'git-replaced-commits',
  build({ folder, canary }) {
    honestRepository(folder);
    const [main, change] = [git(folder, 'rev-parse', 'main'), git(folder, 'rev-parse', 'change')];
    git(folder, 'checkout', '--quiet', '--orphan', 'other');
    write(folder, { 'manifests/alpha.yaml': `${canary}: [\n`, 'tradeform.yaml': `${canary}: [\n` });
    commit(folder, `of ${canary}`);
    const other = git(folder, 'rev-parse', 'HEAD');
    git(folder, 'checkout', '--quiet', '--force', 'change');
    git(folder, 'branch', '--quiet', '-D', 'other');
    git(folder, 'replace', main, other);
    write(folder, { '.git/info/grafts': `${change} ${other}\n` });
    return {};
  },
};
