import type { Outcome } from '../model/generated/report.ts';

/** The exit code (DESIGN 1) of a command by what its report says in the end. */
export const CODE_OF_OUTCOME = {
  done: 0,
  incomplete: 1,
  interrupted: 130,
  refused: 4,
  begun: 1,
} as const satisfies Record<Outcome, number>;

/** From the best to the worst. */
const WORSE: readonly number[] = [0, 2, 5, 4, 1, 3, 130];

/** The exit code of a command that did several things, each with a code of its own. 0 if it did nothing. */
export function worstCode<Code extends number>(codes: readonly Code[]): Code | 0 {
  return codes.reduce<Code | 0>((worst, code) => (compareCodes(code, worst) > 0 ? code : worst), 0);
}

/** Positive if `a` is worse than `b`. */
export function compareCodes(a: number, b: number): number {
  return WORSE.indexOf(a) - WORSE.indexOf(b);
}
