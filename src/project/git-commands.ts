/**
 * Every command that git is ever started with, after the options of `GIT_OPTIONS`. All only read, and none looks at what a
 * working file would be as a blob: `status`, `diff-files`, `ls-files --modified` and `add` run the filters that
 * .gitattributes and the configuration name.
 */
export type GitCommand = readonly string[] & { readonly [made]: true };

declare const made: unique symbol;

/** What git printed, or one line of why it did not. */
export type GitAnswer =
  | { readonly ok: true; readonly stdout: Buffer }
  | { readonly ok: false; readonly problem: string };

/**
 * Before every command. Nothing that the repository's configuration can name is of use to the commands below; these options
 * close what git could start of itself: a file system monitor, hooks, a pager, a transport. An empty fsmonitor is off in every
 * version; `false` was the name of a program before 2.36.
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

/** The full hash of the commit that a revision names. The name does not begin with `-`. */
export const commitOf = (revision: string) =>
  command('rev-parse', '--verify', '--quiet', `${revision}^{commit}`);

/** The full hash of a folder in a commit; `path` is empty for the top. */
export const folderOf = (commit: string, path: string) =>
  command('rev-parse', '--verify', '--quiet', `${commit}:${path}`);

/** `true` or `false`. */
export const isShallow = command('rev-parse', '--is-shallow-repository');

/** Hashes of all objects whose hash begins so, one a line. */
export const objectsWithPrefix = (prefix: string) => command('rev-parse', `--disambiguate=${prefix}`);

export const mergeBase = (one: string, other: string) => command('merge-base', one, other);

/** `blob`, `tree` or `commit`: what stands at a path of a commit. */
export const typeAt = (commit: string, path: string) => command('cat-file', '-t', `${commit}:${path}`);

/** For each name on stdin `TYPE HASH`, or `NAME missing`. */
export const typesAndHashes = command('cat-file', '--batch-check=%(objecttype) %(objectname)');

/** For each hash on stdin `HASH TYPE SIZE`, or `HASH missing`. */
export const sizes = command('cat-file', '--batch-check');

/** For each hash on stdin the same line, the content and a line feed. */
export const contents = command('cat-file', '--batch');

/** `MODE TYPE HASH\tPATH\0` for each file of a tree, paths from that tree. */
export const filesOfTree = (tree: string) => command('ls-tree', '-r', '-z', '--full-tree', tree);

/** The same for what a commit has below a path, paths from the top. */
export const filesOfCommit = (commit: string, path: string) =>
  command('ls-tree', '-r', '-z', '--full-tree', commit, ...(path === '' ? [] : ['--', path]));

/** For each line `TREE TREE` on stdin that line, then `:MODE MODE HASH HASH LETTER\0PATH\0` for each file that differs. */
export const differences = command(
  ...['diff-tree', '--stdin', '-r', '-z', '--raw', '--no-renames', '--no-ext-diff', '--no-textconv'],
);

/** For each commit `commit HASH`, then `HASH DATE DATE SUBJECT`: when it came into this history, when it was written. */
export const commits = (which: readonly string[], path?: string) =>
  command(
    ...['rev-list', '--encoding=UTF-8', '--format=%H %cI %aI %s', ...which],
    ...(path === undefined ? [] : ['--', path === '' ? '.' : path]),
  );

/** Short names of branches and tags, one a line. */
export const refNames = command('for-each-ref', '--format=%(refname:short)');

/** Full names of the refs that patterns match, one a line. */
export const refsMatching = (patterns: readonly string[]) =>
  command('for-each-ref', '--format=%(refname)', ...patterns);

/** `MODE HASH STAGE\tPATH\0`, and what the index noted of the file on disk, for each file of the index below a path. */
export const filesOfIndex = (path: string) =>
  command('ls-files', '-z', '--stage', '--debug', '--', path === '' ? '.' : path);

/** `PATH\0` for each file or folder below a path that is neither in the index nor ignored. */
export const untracked = (path: string) =>
  command(
    ...['ls-files', '-z', '--others', '--exclude-standard', '--directory', '--no-empty-directory'],
    ...['--', path === '' ? '.' : path],
  );

export const originUrl = command('config', '--get', 'remote.origin.url');

/** `PATH\0` for each folder that the user or the system trusts, whoever owns it. */
export const safeFolders = command('config', '--null', '--type=path', '--get-all', 'safe.directory');

/** Fails where git itself refuses the owner of the repository; asked on Windows alone. */
export const gitFolder = command('rev-parse', '--git-dir');
