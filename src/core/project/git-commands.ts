/**
 * Every command that git is ever started with, after `GIT_OPTIONS`. All of them only read. None compares working files with
 * blobs: `status`, `diff-files`, `ls-files --modified` and `add` run the filters that .gitattributes and the configuration
 * name.
 */
export type GitCommand = readonly string[] & { readonly [made]: true };

declare const made: unique symbol;

/** The output of git, or one line that says why it failed. `text` is the output as UTF-8. */
export type GitAnswer =
  | { readonly ok: true; readonly stdout: Buffer; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Options before every command. They stop everything that git could start by itself because of the repository's configuration:
 * a file system monitor, hooks, a pager, a transport. The commands below need none of it. An empty fsmonitor is off in every
 * version; before 2.36, `false` was the name of a program.
 */
export const GIT_OPTIONS: readonly string[] = [
  '--no-pager',
  ...[
    'core.fsmonitor=',
    'core.hooksPath=/dev/null',
    'protocol.allow=never',
    'safe.bareRepository=explicit',
  ].flatMap((setting) => ['-c', setting]),
];

function command(...args: readonly string[]): GitCommand {
  return args as GitCommand;
}

/** The full hash of the commit that a revision names. The name must not begin with `-`. */
export const commitOf = (revision: string) =>
  command('rev-parse', '--verify', '--quiet', `${revision}^{commit}`);

/** `true` or `false`. */
export const shallowness = command('rev-parse', '--is-shallow-repository');

/** The same, then the full hash of HEAD. */
export const shallownessAndHead = command(...shallowness, '--verify', '--quiet', 'HEAD^{commit}');

/** Hashes of all objects with this prefix, one on each line. */
export const objectsWithPrefix = (prefix: string) => command('rev-parse', `--disambiguate=${prefix}`);

export const mergeBase = (one: string, other: string) => command('merge-base', one, other);

/** The type of the object at a path of a commit: `blob`, `tree` or `commit`. */
export const typeAt = (commit: string, path: string) => command('cat-file', '-t', `${commit}:${path}`);

/** `TYPE HASH` or `NAME missing` for each name on stdin. */
export const typesAndHashes = command('cat-file', '--batch-check=%(objecttype) %(objectname)');

/** `HASH TYPE SIZE` or `HASH missing` for each hash on stdin. */
export const sizes = command('cat-file', '--batch-check');

/** The same line, the content and a line feed for each hash on stdin. */
export const contents = command('cat-file', '--batch');

export const MODES = { link: '120000', submodule: '160000', none: '000000' };

/** A file, a link or a submodule in a commit. */
export interface TreeEntry {
  readonly mode: string;
  readonly hash: string;
  readonly path: string;
}

/** What `filesOfTree` and `filesOfCommit` list. */
export function treeEntries(listing: string): readonly TreeEntry[] {
  return listing.split('\0').flatMap((line) => {
    const [, mode = '', hash = '', path] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return path === undefined ? [] : [{ mode, hash, path }];
  });
}

/** `MODE TYPE HASH\tPATH\0` for each file of a tree. Paths are relative to the tree. */
export const filesOfTree = (tree: string) => command('ls-tree', '-r', '-z', '--full-tree', tree);

/** The same for everything below a path in a commit. Paths are relative to the top. */
export const filesOfCommit = (commit: string, path: string) =>
  command('ls-tree', '-r', '-z', '--full-tree', commit, ...(path === '' ? [] : ['--', path]));

/** For each line `TREE TREE` on stdin: that line, then `:MODE MODE HASH HASH LETTER\0PATH\0` for each file that differs. */
export const differences = command(
  ...['diff-tree', '--stdin', '-r', '-z', '--raw', '--no-renames', '--no-ext-diff', '--no-textconv'],
  '--ignore-submodules=none', // whatever .gitmodules says
);

/** For each commit `commit HASH`, then `HASH TREE DATE SUBJECT` with the commit date; `told`: in place of the subject. */
export const commits = (which: readonly string[], path?: string, told = '%s') =>
  command(
    ...['rev-list', '--encoding=UTF-8', `--format=%H %T %cI ${told}`, ...which],
    ...(path === undefined ? [] : ['--', path === '' ? '.' : path]),
  );

/** The full hashes of the first-parent line that ends at a commit, newest first, one on each line, at most so many. */
export const firstParents = (commit: string, most: number) =>
  command('rev-list', '--first-parent', `--max-count=${most}`, commit);

/** How many commits there are up to a commit, whatever the way to them. */
export const commitCount = (commit: string) => command('rev-list', '--count', commit);

/** These commits, one on each line, and the parents of each. */
export const ancestry = (commit: string) => command('rev-list', '--parents', commit);

/** Among the objects of all commits below a path, one on each line: `?HASH` for each that this clone left out. */
export const objects = (path: string) =>
  command('rev-list', '--objects', '--missing=print', '--all', '--', path === '' ? '.' : path);

/** Short names of branches and tags, one on each line. */
export const refNames = command('for-each-ref', '--format=%(refname:short)');

/** Full names of the refs that match the patterns, one on each line. */
export const refsMatching = (patterns: readonly string[]) =>
  command('for-each-ref', '--format=%(refname)', ...patterns);

/**
 * For each file of the index below a path, `LETTER MODE HASH STAGE\tPATH\0` and the file data that the index stored. The letter is
 * `S` for a file that is marked skip-worktree, and a small one for a file that is marked assume-unchanged.
 */
export const indexedFiles = (path: string) =>
  command('ls-files', '-v', '-z', '--stage', '--debug', '--', path === '' ? '.' : path);

export interface IndexEntry extends TreeEntry {
  readonly letter: string;
  readonly stage: string;
  readonly data: string;
}

/** What `indexedFiles` lists. The data of a file comes before the next file. */
export function indexEntries(listing: string): readonly IndexEntry[] {
  const parts = listing.split('\0');
  return parts.flatMap((part, at) => {
    const entry = /(?:^|\n)(\S) (\d{6}) ([0-9a-f]+) ([0-3])\t(.+)$/s.exec(part);
    const [, letter = '', mode = '', hash = '', stage = '', path] = entry ?? [];
    return path === undefined ? [] : [{ letter, mode, hash, stage, path, data: parts[at + 1] ?? '' }];
  });
}

export const originUrl = command('config', '--get', 'remote.origin.url');

/** `PATH\0` for each folder that the user or the system trusts, whoever owns it. */
export const safeFolders = command('config', '--null', '--type=path', '--get-all', 'safe.directory');

/** Fails if git refuses the owner of the repository. Used only on Windows. */
export const gitFolder = command('rev-parse', '--git-dir');
