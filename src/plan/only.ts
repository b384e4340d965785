import type { Left } from '../model/generated/plan.ts';

/** `pending`: what git changed. `change`: what differs between the base and the manifests. */
export type OnlyMode = 'pending' | 'change';

/** The part that `--only` leaves out of a plan. */
export interface Only {
  readonly mode: OnlyMode;
  /** Addresses at which nothing is done. */
  readonly exclude: ReadonlySet<string>;
  /** Tasks that are not started although the project file resumes stopped tasks. */
  readonly stay: ReadonlySet<string>;
  /** Tasks that keep their version, because a difference that git made is left. */
  readonly undecided: ReadonlySet<string>;
  /** Tasks whose number is renewed, because the base has another version of them (DESIGN 3, "The version", rule 3). */
  readonly renewed: ReadonlySet<string>;
  readonly left: readonly Left[];
  /** The number of a newer commit that was applied already, by the marker of a task. */
  readonly newer: number | undefined;
}
