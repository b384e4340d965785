import type { Report } from './table.mjs';

export interface Score {
  /** The beginning of the hash of the file's text. */
  readonly text: string;
  /** `quick` of `--quick`, which other tests can only raise. */
  readonly tests: 'all' | 'quick';
  readonly noticed: number;
  readonly of: number;
}

/** By path. */
export type Scores = Readonly<Record<string, Score>>;

export function scoresOf(report: Report, tests: Score['tests']): Scores;
export function recorded(scores: Scores, found: Scores): { kept: Scores; fallen: readonly string[] };
export function stalestFirst<File extends { readonly path: string; readonly text: string }>(
  files: readonly File[],
  scores: Scores,
  tests: Score['tests'],
): readonly File[];
