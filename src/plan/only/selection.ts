import type { Left } from '../../model/generated/plan.ts';

/** `pending`: what git changed. `change`: what differs between the base and the manifests. */
export type OnlyMode = 'pending' | 'change';

/** The part that `--only` leaves out of a plan. */
export interface Only {
  readonly mode: OnlyMode;
  /** Addresses at which nothing is done. */
  readonly exclude: ReadonlySet<string>;
  /** Tasks that are not started although the project file resumes stopped tasks. */
  readonly stay: ReadonlySet<string>;
  readonly left: readonly Left[];
}
