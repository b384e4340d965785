import { commit, git, honestRepository, link, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

const PROJECT = `apiVersion: tradeform/v1
kind: Project
metadata: { name: core }
spec:
  manifests: ["manifests/*.yaml", ".git/config", ".GIT/con*", "own/config"]
  guardrails:
    policies:
      - { name: own, file: .git/config, message: no }
`;
const SET = `apiVersion: tradeform/v1
kind: TaskSet
metadata: { name: set }
spec:
  for: sniper
  rows_from: ../.git/own.csv
  config: {}
`;

/** Manifests, a table and a policy lie in .git, where checkouts keep a credential. */
export const repository: HostileRepository = {
  name: 'reads-of-git-folder',
  build({ folder, canary }) {
    honestRepository(folder, { 'tradeform.yaml': PROJECT, 'manifests/set.yaml': SET });
    link(folder, 'own', '.git');
    commit(folder);
    git(folder, 'config', 'http.https://github.com/.extraheader', canary);
    write(folder, { '.git/own.csv': `a,"${canary}\n` });
  },
};
