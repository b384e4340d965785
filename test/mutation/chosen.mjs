import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * Which of `parts` parts a mutant is in, from 1: by what it is, so that the parts of one tree are disjoint, each of them
 * is a fair sample of the whole, and all of them together are the whole.
 */
export function partOf(name, parts) {
  return (createHash('sha256').update(name).digest().readUInt32BE(0) % parts) + 1;
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

/** Stryker asks a checker before it runs a mutant; what that refuses is in no score. */
class Chosen {
  async init() {
    const { MUTATED_PART, MUTATED_AGAIN } = process.env;
    this.part = MUTATED_PART === '' ? undefined : parsePart(MUTATED_PART);
    this.again =
      MUTATED_AGAIN === '' ? undefined : new Set(missedIn(JSON.parse(readFileSync(MUTATED_AGAIN, 'utf8'))));
  }

  async check(mutants) {
    return Object.fromEntries(
      mutants.map((mutant) => {
        const name = nameOf(mutant.fileName.slice(process.cwd().length + 1), mutant, 0);
        const { part, again } = this;
        const in_ =
          (part === undefined || partOf(name, part.parts) === part.part) &&
          (again === undefined || again.has(name));
        return [mutant.id, in_ ? { status: 'passed' } : { status: 'compileError', reason: 'not chosen' }];
      }),
    );
  }
}

export const strykerPlugins = [{ kind: 'Checker', name: 'chosen', injectableClass: Chosen }];
