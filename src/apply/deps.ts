import type { LiveResource } from '../model/resource.ts';
import type { Api } from '../ports/api.ts';
import type { Clock } from '../ports/clock.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Progress } from '../ports/output.ts';

/** What carrying out a plan needs from outside; nothing else is read: no environment, no randomness, no other clock. */
export interface ApplyDeps {
  readonly api: Api;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Chains at work at once: a fixed number, or the limiter that the API client shrinks when the service throttles. */
  readonly concurrency: number | Limiter;
  /** What becomes of a task that this run paused and whose change then failed (DESIGN 7). */
  readonly onFailure: 'restore' | 'hold';
  /** First and second Ctrl-C: start nothing new; stop at once. */
  readonly stop: { readonly soft: AbortSignal; readonly hard: AbortSignal };
  readonly toolVersion: string;
  /** Ids that the view showed: a create that answers one of them replayed something else. Ids in the plan are known anyway. */
  readonly knownIds?: ReadonlySet<string>;
  /** When the reading of the view began, in milliseconds since the epoch; now, where it is not said. */
  readonly viewedAt?: number;
  /** Of a saved plan: where an earlier run of it left each chain (`checkFresh`). */
  readonly positions?: ReadonlyMap<string, Position>;
}

/** How far the chain of one address has been carried out already, and what is there now. */
export interface Position {
  /** Operations done, from the first. */
  readonly done: number;
  /** By id; what the plan creates also by its placeholder `{<address>}`. */
  readonly resources: ReadonlyMap<string, LiveResource>;
}
