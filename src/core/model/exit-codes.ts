import type { FleetReport } from './generated/fleet-report.ts';
import type { Outcome } from './generated/report.ts';

type ExitCode = FleetReport['exit_code'];

/** The exit code (DESIGN 1) of a command by what its report says in the end. */
export const CODE_OF_OUTCOME = {
  done: 0,
  incomplete: 1,
  interrupted: 130,
  refused: 4,
  begun: 1,
} as const satisfies Record<Outcome, ExitCode>;

/** How bad each of them is. */
const BADNESS: Readonly<Record<ExitCode, number>> = { 0: 0, 2: 1, 5: 2, 4: 3, 1: 4, 3: 5, 130: 6 };

/** The command did what it is for, whether it found differences or not. */
export function isGood(code: number | undefined): code is 0 | 2 {
  return code === 0 || code === 2;
}

/** The exit code of a command that did several things, each with a code of its own. 0 if it did nothing. */
export function worstCode(codes: readonly ExitCode[]): ExitCode {
  return codes.reduce((worst, code) => (compareCodes(code, worst) > 0 ? code : worst), 0);
}

/** Positive if `a` is worse than `b`. */
export function compareCodes(a: ExitCode, b: ExitCode): number {
  return BADNESS[a] - BADNESS[b];
}
