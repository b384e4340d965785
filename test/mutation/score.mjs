import { MISSED } from './chosen.mjs';

const NOTICED = ['Killed', 'Timeout'];

/** How many mutants of a report some test noticed, of how many that could be run, and the share in percent. */
export function scoreOf({ files }) {
  const mutants = Object.values(files).flatMap((file) => file.mutants);
  const count = (statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const [noticed, of] = [count(NOTICED), count(NOTICED) + count(MISSED)];
  return { noticed, of, score: of === 0 ? null : Number(((100 * noticed) / of).toFixed(1)) };
}

/** The recorded scores with this one in the place of an earlier score of the same mutants and tests. */
export function recorded(scores, score) {
  const isSame = (one) => ['mutated', 'tests', 'part'].every((key) => one[key] === score[key]);
  return [...scores.filter((one) => !isSame(one)), score].sort((one, other) =>
    one.mutated.localeCompare(other.mutated),
  );
}
