/** A revision that a command line names, or its commit. */
const REVISION = '(?:[0-9a-f]{40,64}|HEAD|main|change)(?:\\^\\{commit\\}|\\^2)?';
const HASH = '[0-9a-f]{40,64}';
const PATH = '[^\\0]*';

/** All that git is ever started with. Whoever adds to it: no content of a repository may become an option or a revision. */
const COMMANDS: readonly string[] = [
  `rev-parse --verify --quiet (?:--end-of-options )?${REVISION}`,
  `rev-parse --verify --quiet (?:--end-of-options )?${HASH}:${PATH}`,
  'rev-parse --is-shallow-repository --show-prefix',
  'status --porcelain --untracked-files=normal -- \\.',
  `merge-base ${REVISION} ${REVISION}`,
  `ls-tree -r -z --full-tree ${HASH}`,
  'cat-file --batch(?:-check(?:=%\\(objecttype\\) %\\(objectname\\))?)?',
  `cat-file -t ${HASH}:${PATH}`,
  'diff-tree --stdin -r -z --raw --no-renames',
  `rev-list --encoding=UTF-8 --format=%H %cI %s (?:--(?:first-parent|full-history) )?--max-count=\\d+ ${HASH}(?: \\^${HASH})?(?: -- \\.)?`,
  'for-each-ref --format=%\\(refname:short\\)',
  'remote get-url origin',
  // Of the user and the system alone, and only where a project file is another user's.
  'config --(?:system|global) --includes --type=path -z --get-all safe\\.directory',
];

/** Options before the command. What a `-c` sets names no program, no file and no place. */
const OPTIONS =
  /^(?:-c [a-zA-Z0-9.*_-]+=(?:|false|true|explicit|never|none|0) |--no-(?:replace-objects|optional-locks|pager) |--literal-pathspecs )*/;

export function allowedGit(args: readonly string[]): boolean {
  const line = args.join(' ').replace(OPTIONS, '');
  return COMMANDS.some((pattern) => new RegExp(`^(?:${pattern})$`, 's').test(line));
}
