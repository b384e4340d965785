import type { Report } from './table.mjs';

export interface Score {
  /** Globs of the files that were changed. */
  readonly mutated: string;
  /** `quick` of `--quick`, which other tests can only raise. */
  readonly tests: 'all' | 'quick';
  /** Which sample of the mutants, as 1/8; 1/1 is all of them. */
  readonly part: string;
  readonly date: string;
  readonly commit: string;
  readonly noticed: number;
  readonly of: number;
  /** Percent; null where there was nothing to change. */
  readonly score: number | null;
}

export function scoreOf(report: Report): Pick<Score, 'noticed' | 'of' | 'score'>;
export function recorded(scores: readonly Score[], score: Score): readonly Score[];
