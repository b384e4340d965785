import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { type Diagnostic, problem, problemIn } from '../diagnostics/diagnostic.ts';
import { byKey } from '../model/by-key.ts';
import { named } from '../model/named.ts';
import { idOf } from './blobs.ts';
import type { CommitTree } from './commit-tree.ts';
import { discover } from './discover.ts';
import type { Git } from './git.ts';
import {
  commitOf,
  type GitAnswer,
  type IndexEntry,
  indexEntries,
  indexedFiles,
  MODES,
} from './git-commands.ts';
import type { Environment } from './git-program.ts';
import type { Checkout } from './project.ts';
import { openRepository, type ProjectDir, type Repository, writtenAt } from './revision.ts';

const CODE = 'checkout-incomplete';

type Request = Parameters<Checkout['lacks']>[0];

/**
 * Starts to read the index of the repository, if the project directory is in one that git may read. A removal is what git says:
 * `git status` is clean about all that `lacks` reports, and its tasks would be deleted.
 */
export function openCheckout(place: ProjectDir, env: Environment): Checkout {
  const opened = openRepository(place, env);
  if ('diagnostic' in opened) return { lacks: async () => [] };
  const { repository } = opened;
  const { git } = repository;
  const { written, files } = repository.index();
  return {
    begun: repository.head(),
    async lacks(request) {
      const index = new Index(git, written === undefined || writtenAt(git) !== written);
      const cut = interrupted(git);
      const why = index.add('', await files);
      if (why !== undefined) return [notRead(why)];
      const head = cut !== undefined || index.hides ? await repository.head() : undefined;
      if (head === undefined) return [];
      return cut === undefined ? comparison(repository, head, index, request) : [notRead(cut)];
    },
  };
}

/**
 * Files of the project directory, and of submodules that a commit has, in which git does not see changes: they are marked
 * skip-worktree or assume-unchanged. Undefined if git cannot list them.
 */
export function unwatchedFiles(
  { git }: Pick<Repository, 'git'>,
  submodules: Iterable<string>,
): ((file: string) => boolean) | undefined {
  const index = new Index(git);
  if (index.add('', git.ask(indexedFiles(git.place.inside))) !== undefined) return undefined;
  for (const path of submodules) index.enter(path);
  return (file) => index.isUnwatched(file);
}

/** Why the files here are no decision of anybody: git writes the index once it has written them. */
function interrupted({ place }: Git): string | undefined {
  const index = lstatSync(join(place.gitDir, 'index'), { throwIfNoEntry: false });
  return index === undefined ? 'git did not finish its checkout' : undefined;
}

type Cause = 'skip-worktree' | 'assume-unchanged' | 'unmerged' | 'link' | 'unfinished';

const WORDS: Readonly<Record<Cause, { readonly why: string; readonly hint: string }>> = {
  'skip-worktree': {
    why: 'marked skip-worktree, as in a sparse checkout',
    hint: 'check out all manifests: git sparse-checkout disable, or git update-index --no-skip-worktree FILE and git restore FILE',
  },
  'assume-unchanged': {
    why: 'marked assume-unchanged, so that git does not see that they are gone',
    hint: 'git update-index --no-assume-unchanged FILE, and git restore FILE',
  },
  unmerged: { why: 'in a merge that is not finished', hint: 'finish the merge, or git merge --abort' },
  unfinished: {
    why: 'git writes its files now, or was killed while it did',
    hint: 'wait for git; if none runs, delete .git/index.lock, and look at git status',
  },
  link: {
    why: 'behind a symbolic link that was checked out as a plain file',
    hint: 'git config core.symlinks true, remove the file, and git restore it; or move the manifests',
  },
};

interface Tracked {
  readonly mode: string;
  readonly hash: string;
  readonly cause: Cause | undefined;
  readonly unwatched: boolean;
}

/** The index of a repository, with those of its submodules. Paths are relative to the project directory. */
class Index {
  readonly #entries = new Map<string, Tracked>();
  #hides = false;
  readonly #unfinished: boolean;

  constructor(
    private readonly git: Git,
    unfinished = false,
  ) {
    this.#unfinished = unfinished;
  }

  /** Whether a file can be missing here without a change that git sees. Without this, no commit needs to be read. */
  get hides(): boolean {
    return this.#hides || this.#unfinished;
  }

  /** Adds what `indexedFiles` listed, below a folder. Returns why it cannot. */
  add(prefix: string, answer: GitAnswer): string | undefined {
    if (!answer.ok) return answer.problem;
    const { inside } = this.git.place;
    const above = prefix === '' && inside !== '' ? inside.length + 1 : 0;
    for (const listed of indexEntries(answer.text)) {
      const { letter, mode, hash } = listed;
      const path = prefix + listed.path.slice(above);
      const cause = this.#causeOf(path, listed);
      const unwatched = letter !== letter.toUpperCase() || letter === 'S';
      this.#entries.set(path, { mode, hash, cause, unwatched });
      if (cause !== undefined || mode === MODES.submodule) this.#hides = true;
    }
    return undefined;
  }

  /** Adds the files of a submodule. Returns why they are not those of the commit, as the end of a sentence. */
  enter(path: string, commit?: string): string | undefined {
    const { inside } = this.git.place;
    const submodule = this.git.submodule(inside === '' ? path : `${inside}/${path}`);
    if (submodule === undefined) return 'it is not checked out';
    const answer = submodule.ask(commitOf('HEAD'));
    const head = answer.ok ? answer.text.trim() : undefined;
    const wanted = [commit, this.#entries.get(path)?.hash];
    if (commit !== undefined && (head === undefined || !wanted.includes(head)))
      return 'it is checked out at another commit';
    const cut = interrupted(submodule);
    if (cut !== undefined) return cut;
    return this.add(`${path}/`, submodule.ask(indexedFiles('')));
  }

  has(path: string): boolean {
    return this.#entries.has(path);
  }

  isUnwatched(path: string): boolean {
    return this.#entries.get(path)?.unwatched === true;
  }

  /** Why the file at a path is missing although git sees no deletion. `real` is the path behind all links. */
  causeOf(real: string): Cause | undefined {
    const entry = this.#entries.get(real);
    const cause = entry?.cause ?? (entry && this.#unfinished ? 'unfinished' : undefined);
    if (cause !== undefined || this.#lookAt(real) === undefined) return cause;
    // The file is here, but a link to it is not.
    const links = [...this.#entries.values()].filter(({ mode }) => mode === MODES.link);
    return links.find((link) => link.cause !== undefined)?.cause;
  }

  #lookAt(path: string): Stats | undefined {
    const { top, inside } = this.git.place;
    return lstatSync(join(top, inside, path), { throwIfNoEntry: false });
  }

  #causeOf(path: string, { letter, mode, stage, hash }: IndexEntry): Cause | undefined {
    const marked = letter !== letter.toUpperCase();
    if (letter === 'H' && mode !== MODES.link) return undefined;
    const stat = this.#lookAt(path);
    if (stat !== undefined && mode !== MODES.link) return undefined;
    if (stat?.isSymbolicLink() === false) return 'link';
    const { top, inside } = this.git.place;
    const isAsCommitted = () => idOf(readlinkSync(join(top, inside, path), 'buffer'), hash) === hash;
    if (stat !== undefined && isAsCommitted()) return undefined;
    if (letter === 'S' || letter === 's') return 'skip-worktree';
    if (marked) return 'assume-unchanged';
    if (stat !== undefined) return undefined;
    return stage === '0' ? undefined : 'unmerged';
  }
}

/** What the commit has and the checkout lacks. Submodules count as the commit has them. */
function comparison(
  repository: Repository,
  head: string,
  index: Index,
  { patterns, projectFile, here }: Request,
): readonly Diagnostic[] {
  const found = repository.at('HEAD', head, projectFile);
  if ('diagnostic' in found) return [notRead(found.diagnostic.message)];
  const { tree } = found.revision;
  const { files, diagnostics } = discover(tree, patterns, projectFile);
  // A partial clone may lack a link, and what it leads to is unknown.
  const unknown = diagnostics.flatMap(({ code, location }) =>
    code === 'file-unreadable' && location !== undefined ? [location.file] : [],
  );
  return [...submodules(tree, index), ...missing(tree, index, [...files, ...unknown], new Set(here))];
}

function submodules(tree: CommitTree, index: Index): readonly Diagnostic[] {
  return [...tree.entered].flatMap(([path, commit]): readonly Diagnostic[] => {
    if (!index.has(path)) return [];
    const why = index.enter(path, commit);
    if (why === undefined) return [];
    const message = `the commit has manifests in the submodule ${path}, and ${why}`;
    return [problemIn(path, CODE, message, `git submodule update --init ${path}`)];
  });
}

/** At most so many names are in a message. */
const NAMES = 10;

function missing(
  tree: CommitTree,
  index: Index,
  files: readonly string[],
  here: ReadonlySet<string>,
): readonly Diagnostic[] {
  const byCause = byKey(files, (file) => {
    if (here.has(file)) return undefined;
    const standing = tree.find(file);
    return index.causeOf('real' in standing ? standing.real : file);
  });
  return [...byCause].flatMap(([cause, names]) => {
    if (cause === undefined) return [];
    const { why, hint } = WORDS[cause];
    const what = names.length === 1 ? 'a manifest file' : `${names.length} manifest files`;
    const message = `the commit has ${what} that this checkout lacks: ${named(names, NAMES)}; ${why}`;
    return [problemIn(names[0] ?? '', CODE, message, hint)];
  });
}

function notRead(why: string): Diagnostic {
  return problem(
    CODE,
    `git cannot say whether this checkout has all manifests of its commit: ${why}`,
    'run `git status` in the project directory; a partial clone may lack what it needs',
  );
}
