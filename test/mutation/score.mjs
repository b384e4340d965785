import { createHash } from 'node:crypto';
import { MISSED, NOTICED } from './table.mjs';

/** What tells one text of a file from another. */
const textOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** The score of each file of a report: how many mutants some test noticed, of how many that could be run. */
export function scoresOf({ files }, tests) {
  return Object.fromEntries(
    Object.entries(files).map(([path, { source, mutants }]) => {
      const count = (statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
      const noticed = count(NOTICED);
      return [path, { text: textOf(source), tests, noticed, of: noticed + count(MISSED) }];
    }),
  );
}

/** The scores that are kept, and a sentence for each file whose share has fallen: its earlier score stays. */
export function recorded(scores, found) {
  const share = ({ noticed, of }) => (of === 0 ? 1 : noticed / of);
  const isFallen = ([path, score]) =>
    scores[path]?.tests === score.tests && share(score) < share(scores[path]);
  const entries = Object.entries(found);
  return {
    kept: Object.fromEntries(entries.filter((entry) => !isFallen(entry))),
    fallen: entries.filter(isFallen).map(([path, { noticed, of }]) => {
      const was = scores[path];
      return `${path}: ${noticed} of ${of} mutants were noticed, ${was.noticed} of ${was.of} before`;
    }),
  };
}

/** Files whose text has no score with these tests come first. */
export function stalestFirst(files, scores, tests) {
  const isScored = ({ path, text }) => scores[path]?.text === textOf(text) && scores[path].tests === tests;
  return [...files.filter((file) => !isScored(file)), ...files.filter(isScored)];
}
