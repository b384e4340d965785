/** Lines of one round: as many mutants, for which Stryker needs two gigabytes. */
const ROUND = 2_000;

/** The paths of files, in lists of at most {@link ROUND} lines each, or of one file. */
export function inRounds(files) {
  const rounds = [];
  let room = 0;
  for (const { path, lines } of files) {
    if (lines > room) {
      rounds.push([]);
      room = ROUND;
    }
    rounds.at(-1).push(path);
    room -= lines;
  }
  return rounds;
}

/** Whether a path is one of a pattern: `*` is anything within a name, `**` anything. */
export function matcher(pattern) {
  const parts = pattern.split(/(\*+)/).map((text, index) => (index % 2 === 0 ? escaped(text) : wild(text)));
  const regexp = new RegExp(`^${parts.join('')}$`);
  return (path) => regexp.test(path);
}

const escaped = (text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
const wild = (stars) => (stars === '*' ? '[^/]*' : '.*');

/** The reports of several rounds as one. */
export function together(reports) {
  return { ...reports[0], files: Object.assign({}, ...reports.map(({ files }) => files)) };
}

/** What `git diff --unified=0 --no-prefix` says: path → the lines that are new, as Stryker takes them, `src/a.ts:3-5`. */
export function changedLines(diff) {
  const found = new Map();
  let path = '';
  for (const line of diff.split('\n')) {
    path = /^\+\+\+ (.*\.ts)$/.exec(line)?.[1] ?? path;
    const [, first, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (first === undefined || count === '0') continue;
    found.set(path, [...(found.get(path) ?? []), `${path}:${first}-${Number(first) + Number(count) - 1}`]);
  }
  return found;
}
