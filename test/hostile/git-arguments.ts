/** A revision that a command line names, or its commit. */
const REVISION =
  '(?:[0-9a-f]{40,64}|HEAD(?:~1)?|(?:refs/heads/)?(?:main|change))(?:\\^\\{commit\\}|\\^2\\^\\{commit\\})?';
const HASH = '[0-9a-f]{40,64}';
const PATH = '[^\\0]*';

/** All that git is ever started with. Whoever adds to it: no content of a repository may become an option or a revision. */
const COMMANDS: readonly string[] = [
  `rev-parse --verify --quiet ${REVISION}`,
  'rev-parse --is-shallow-repository(?: --verify --quiet HEAD\\^\\{commit\\})?',
  'rev-parse --disambiguate=[0-9a-f]{4,39}',
  `merge-base ${REVISION} ${REVISION}`,
  `ls-tree -r -z --full-tree ${HASH}(?: -- ${PATH})?`,
  'cat-file --batch(?:-check(?:=%\\(objecttype\\) %\\(objectname\\))?)?',
  `cat-file -t ${HASH}:${PATH}`,
  'diff-tree --stdin -r -z --raw --no-renames --no-ext-diff --no-textconv --ignore-submodules=none',
  `rev-list --encoding=UTF-8 --format=%H %T %cI (?:%an%x09)?%s (?:--(?:first-parent|full-history) )?--max-count=\\d+ (?:${HASH}\\.\\.)?${HASH}(?: -- ${PATH})?`,
  `rev-list --first-parent (?:--max-count=\\d+ )?${HASH}`,
  `rev-list --count ${HASH}`,
  `rev-list --parents ${HASH}`,
  `rev-list --objects --missing=print --all -- ${PATH}`,
  'for-each-ref --format=%\\(refname:short\\)',
  'for-each-ref --format=%\\(refname\\)(?: refs/[^ ]+)+',
  `ls-files -v -z --stage --debug -- ${PATH}`,
  'config --get remote\\.origin\\.url',
  'config --null --type=path --get-all safe\\.directory',
];

/** Options before the command. What a `-c` sets names no program and no place; no hook lies below `/dev/null`. */
const OPTIONS =
  /^(?:-c [a-zA-Z0-9.*_-]+=(?:|false|true|explicit|never|none|0|\/dev\/null) |--no-(?:replace-objects|optional-locks|pager) |--literal-pathspecs )*/;

export function allowedGit(args: readonly string[]): boolean {
  const line = args.join(' ').replace(OPTIONS, '');
  return COMMANDS.some((pattern) => new RegExp(`^(?:${pattern})$`, 's').test(line));
}
