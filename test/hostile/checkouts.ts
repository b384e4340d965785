import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFiles } from '../cmd/run.ts';
import { commit, git, link, write } from './building.ts';
import type { HostileRepository } from './repository.ts';

/** The manifest of a task that runs. */
export function manifestOf(name: string): string {
  const text = projectFiles()['manifests/alpha.yaml'] ?? '';
  return text
    .replace('name: alpha', `name: ${name}`)
    .replace('  label: high-risk\n', '')
    .replace('config:\n', name === 'alpha' ? 'config:\n' : 'config:\n    buy_once: true\n');
}

/** A repository with a task in each of two folders, committed on `main`. */
export function twoDesks(folder: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  const { 'tradeform.yaml': project = '' } = projectFiles();
  write(folder, {
    'tradeform.yaml': project,
    'manifests/desk-a/alpha.yaml': manifestOf('alpha'),
    'manifests/desk-b/beta.yaml': manifestOf('beta'),
  });
  commit(folder);
}

const SUBMODULE = 'manifests/desk-b';
const BETA = `${SUBMODULE}/beta.yaml`;

/** A checkout without the manifest of beta, about which `git status` says nothing. */
export interface PartialCheckout {
  readonly name: string;
  /** Hides the manifest in a repository with {@link twoDesks}. */
  hide(folder: string): void;
  /** What the error says besides the code. */
  readonly says: readonly (string | RegExp)[];
}

/** Moves the manifests of a desk into a submodule, which stays checked out. */
export function moveIntoSubmodule(folder: string): void {
  const library = join(folder, '.git/library');
  mkdirSync(library);
  git(library, 'init', '--quiet', '--initial-branch=main');
  write(library, { 'beta.yaml': readFileSync(join(folder, BETA), 'utf8') });
  commit(library);
  git(folder, 'rm', '--quiet', '-r', SUBMODULE);
  git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, SUBMODULE);
  commit(folder, 'into a submodule');
}

export const PARTIAL_CHECKOUTS: readonly PartialCheckout[] = [
  {
    name: 'sparse-checkout',
    hide: (folder) => git(folder, 'sparse-checkout', 'set', 'manifests/desk-a'),
    says: [BETA, /sparse checkout/],
  },
  {
    name: 'sparse-checkout-of-links',
    // The manifests are elsewhere, and a folder of the patterns is a link to them.
    hide(folder) {
      mkdirSync(join(folder, 'shared'));
      renameSync(join(folder, 'manifests/desk-b'), join(folder, 'shared/desk-b'));
      write(folder, { 'shared/desk-b/notes.txt': 'notes' });
      link(folder, 'manifests/desk-b', '../shared/desk-b');
      commit(folder, 'links');
      git(folder, 'sparse-checkout', 'set', '--no-cone', '/*', '!/shared/desk-b/*.yaml');
    },
    says: [BETA, /sparse checkout/],
  },
  {
    name: 'links-as-plain-files',
    hide(folder) {
      mkdirSync(join(folder, 'shared'));
      renameSync(join(folder, 'manifests/desk-b'), join(folder, 'shared/desk-b'));
      link(folder, 'manifests/desk-b', '../shared/desk-b');
      commit(folder, 'links');
      git(folder, 'config', 'core.symlinks', 'false');
      rmSync(join(folder, 'manifests/desk-b'));
      git(folder, 'checkout', '--', 'manifests/desk-b');
    },
    says: [BETA, /symbolic link/],
  },
  {
    name: 'sparse-partial-clone-of-links',
    // The link is not here either, nor is the blob that says where it leads.
    hide(folder) {
      mkdirSync(join(folder, 'shared'));
      renameSync(join(folder, 'manifests/desk-b'), join(folder, 'shared/desk-b'));
      link(folder, 'manifests/desk-b', '../shared/desk-b');
      commit(folder, 'links');
      const blob = git(folder, 'rev-parse', 'HEAD:manifests/desk-b');
      git(folder, 'sparse-checkout', 'set', '--no-cone', '/*', '!/manifests/desk-b');
      rmSync(join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    },
    says: [/manifests\/desk-b/, /sparse checkout/],
  },
  {
    name: 'skip-worktree',
    hide(folder) {
      git(folder, 'update-index', '--skip-worktree', BETA);
      rmSync(join(folder, BETA));
    },
    says: [BETA, /skip-worktree/],
  },
  {
    name: 'assume-unchanged',
    hide(folder) {
      git(folder, 'update-index', '--assume-unchanged', BETA);
      rmSync(join(folder, BETA));
    },
    says: [BETA, /assume-unchanged/],
  },
  {
    name: 'submodule-not-fetched',
    hide(folder) {
      moveIntoSubmodule(folder);
      git(folder, 'submodule', 'deinit', '--force', '--quiet', '--all');
    },
    says: [SUBMODULE, /submodule/, /git submodule update --init/],
  },
  {
    name: 'submodule-at-another-commit',
    hide(folder) {
      moveIntoSubmodule(folder);
      const submodule = join(folder, SUBMODULE);
      git(submodule, 'rm', '--quiet', 'beta.yaml');
      write(submodule, { 'gamma.yaml': manifestOf('beta').replace('name: beta', 'name: gamma') });
      git(submodule, 'add', '--all');
      // What was fetched before: the commit that the repository names has beta, the one here does not.
      git(submodule, 'commit', '--quiet', '--message', 'former');
    },
    says: [SUBMODULE, /another commit/],
  },
  {
    name: 'sparse-checkout-in-submodule',
    hide(folder) {
      moveIntoSubmodule(folder);
      const submodule = join(folder, SUBMODULE);
      git(submodule, 'update-index', '--skip-worktree', 'beta.yaml');
      rmSync(join(submodule, 'beta.yaml'));
    },
    says: [BETA, /skip-worktree/],
  },
  {
    name: 'link-that-git-does-not-watch',
    hide(folder) {
      mkdirSync(join(folder, 'shared'));
      renameSync(join(folder, 'manifests/desk-b'), join(folder, 'shared/desk-b'));
      write(folder, { 'empty/notes.txt': 'notes' });
      link(folder, 'manifests/desk-b', '../shared/desk-b');
      commit(folder, 'links');
      git(folder, 'update-index', '--skip-worktree', 'manifests/desk-b');
      rmSync(join(folder, 'manifests/desk-b'));
      link(folder, 'manifests/desk-b', '../empty');
    },
    says: [BETA, /skip-worktree/],
  },
  {
    name: 'checkout-interrupted',
    // git writes the index last.
    hide(folder) {
      renameSync(join(folder, '.git/index'), join(folder, '.git/index.lock'));
      rmSync(join(folder, SUBMODULE), { recursive: true });
    },
    says: [/did not finish its checkout/],
  },
  {
    name: 'update-interrupted',
    // A `git pull` that moves a manifest, killed (or still at work) between its two files: only the lock says so.
    hide(folder) {
      write(folder, { '.git/index.lock': '' });
      rmSync(join(folder, BETA));
    },
    says: [BETA, /index\.lock/],
  },
  {
    name: 'checkout-of-a-submodule-interrupted',
    hide(folder) {
      moveIntoSubmodule(folder);
      const modules = join(folder, '.git/modules', SUBMODULE);
      renameSync(join(modules, 'index'), join(modules, 'index.lock'));
      rmSync(join(folder, BETA));
    },
    says: [SUBMODULE, /did not finish its checkout/],
  },
];

/** The pointer that Git LFS leaves where it did not fetch. */
export const POINTER =
  'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n';

/** Names that no default pattern matches, under which the manifest of beta was committed anew. */
export const OTHER_NAMES = [
  'manifests/desk-b/beta.YAML',
  'manifests/desk-b/beta.Yaml',
  'manifests/desk-b/beta.yml',
  'manifests/desk-b/beta.YML',
  'manifests/desk-b/beta.json',
  'Manifests/desk-b/beta.yaml',
  'manifests/desk-b/.beta.yaml',
  'manifests/desk-b/.beta.yml',
];

export function renameBeta(folder: string, name: string): void {
  const text = readFileSync(join(folder, BETA), 'utf8');
  rmSync(join(folder, 'manifests/desk-b'), { recursive: true });
  write(folder, { [name]: text });
  commit(folder, 'renamed');
}

/** A repository of the corpus, of this checkout. */
export function repositoryOf(name: string): HostileRepository {
  const checkout = PARTIAL_CHECKOUTS.find((one) => one.name === name);
  if (checkout === undefined) throw new Error(`no checkout is called ${name}`);
  return {
    name,
    build({ folder }) {
      twoDesks(folder);
      checkout.hide(folder);
      return {};
    },
  };
}

/** Replaces the manifest by its pointer. */
export function leavePointer(folder: string): void {
  writeFileSync(join(folder, BETA), POINTER);
  commit(folder, 'in LFS');
}
