import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Which of `parts` parts a mutant is in, by its name, from 1. The parts are disjoint, and all of them together are the whole. */
export function partOf(name, parts) {
  return (createHash('sha256').update(name).digest().readUInt32BE(0) % parts) + 1;
}

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

/** What `--part 3/8` says; undefined where that is no part. */
export function parsePart(text) {
  const [, part, parts] = /^([1-9][0-9]{0,3})\/([1-9][0-9]{0,3})$/.exec(text) ?? [];
  return part !== undefined && Number(part) <= Number(parts)
    ? { part: Number(part), parts: Number(parts) }
    : undefined;
}

/** What tells a mutant from all others of its tree. Stryker counts lines and columns from 1 in its report only. */
export function nameOf(file, { mutatorName, replacement, location: { start, end } }, first = 1) {
  const places = [start.line, start.column, end.line, end.column].map((at) => at + 1 - first);
  return [file, mutatorName, replacement, ...places].join(':');
}

/** What no test noticed, or none runs. */
export const MISSED = ['Survived', 'NoCoverage'];

/** The names of those that no test noticed. */
export function missedIn({ files }) {
  return Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants.filter(({ status }) => MISSED.includes(status)).map((mutant) => nameOf(file, mutant)),
  );
}

/** The earlier report, with what became of those that were tried again. */
export function merged(earlier, later) {
  const again = new Map(
    Object.entries(later.files).flatMap(([file, { mutants }]) =>
      mutants.map((mutant) => [nameOf(file, mutant), mutant]),
    ),
  );
  const files = Object.entries(earlier.files).map(([file, entry]) => {
    const mutants = entry.mutants.map((mutant) =>
      MISSED.includes(mutant.status) ? (again.get(nameOf(file, mutant)) ?? mutant) : mutant,
    );
    return [file, { ...entry, mutants }];
  });
  return { ...earlier, files: Object.fromEntries(files) };
}

/** Stryker asks a checker before it runs a mutant; what that refuses is in no score. Of a part, or of what was missed. */
class Chosen {
  async init() {
    const { MUTATED_AGAIN, MUTATED_PART } = process.env;
    this.again = MUTATED_AGAIN && new Set(missedIn(JSON.parse(readFileSync(MUTATED_AGAIN, 'utf8'))));
    this.part = parsePart(MUTATED_PART);
  }

  isChosen(name) {
    return partOf(name, this.part.parts) === this.part.part && (!this.again || this.again.has(name));
  }

  async check(mutants) {
    return Object.fromEntries(
      mutants.map((mutant) => {
        const name = nameOf(mutant.fileName.slice(process.cwd().length + 1), mutant, 0);
        const status = this.isChosen(name)
          ? { status: 'passed' }
          : { status: 'compileError', reason: 'not chosen' };
        return [mutant.id, status];
      }),
    );
  }
}

export const strykerPlugins = [{ kind: 'Checker', name: 'chosen', injectableClass: Chosen }];
