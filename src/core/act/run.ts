import { idsOfChange } from '../model/change.ts';
import type { Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import type { LiveLabel } from '../model/resource.ts';
import type { Api } from '../ports/api.ts';
import type { Clock } from '../ports/clock.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Progress } from '../ports/output.ts';
import { buildChains, type Chain } from './chains.ts';
import { Readings } from './find-owners.ts';
import { Freeze } from './freeze.ts';
import { Requests } from './requests.ts';
import { Scheduler } from './scheduler.ts';

/** The dependencies of an apply. It uses nothing else from outside: no environment, no randomness, no other clock. */
export interface ApplyDeps {
  readonly api: Api;
  readonly clock: Clock;
  readonly progress: Progress;
  /** How many chains run in parallel: the API client reduces it when the service throttles. */
  readonly limiter: Limiter;
  /** What to do with a task that this run paused if its change fails (DESIGN 7). */
  readonly onFailure: 'restore' | 'hold';
  /** First and second Ctrl-C: start nothing new; stop at once. */
  readonly stop: { readonly soft: AbortSignal; readonly hard: AbortSignal };
  readonly toolVersion: string;
  /**
   * Ids that the view showed: a create that returns one of them is a replay of another create. Ids in the plan are known anyway.
   */
  readonly knownIds: ReadonlySet<string>;
  /** False: the token could not read labels when the view was read, so no freeze can be seen. */
  readonly seesLabels: boolean;
  /** Which labels freeze what the plan is for. */
  readonly freezes: (label: Pick<LiveLabel, 'name'>) => boolean;
  /** When the reading of the view began, in milliseconds since the epoch: later creates are not in it. */
  readonly viewedAt: number;
}

export class Run {
  readonly chains: readonly Chain[];
  readonly scheduler: Scheduler;
  readonly readings: Readings;
  readonly freeze: Freeze;
  readonly created = new Map<string, string>();
  /** Ids that are in use: no create may return one of them. */
  readonly known: ReadonlySet<string>;
  readonly diagnostics: PlanDiagnostic[] = [];
  /** Kinds of which no config is written any more, because the service does not store it as sent, and the fields. */
  readonly altered = new Map<string, readonly string[]>();

  /** @throws Error if the operations of the plan contradict each other. */
  constructor(
    readonly plan: Plan,
    readonly deps: ApplyDeps,
  ) {
    const { stop, limiter } = deps;
    this.chains = buildChains(plan);
    this.scheduler = new Scheduler(this.chains, limiter, stop);
    const reading = { inHand: false, restarts: false, raises: false, index: Number.POSITIVE_INFINITY };
    this.readings = new Readings(() => this.scheduler.slots.acquire(reading));
    this.freeze = new Freeze(
      new Requests(deps.api, deps.clock, stop.hard, () => true),
      deps.seesLabels,
      deps.freezes,
    );
    this.known = new Set([
      ...plan.changes.flatMap(idsOfChange),
      ...plan.observations.map(({ id }) => id),
      ...deps.knownIds,
    ]);
  }
}
