import { createApi } from '../../src/api/client.ts';
import { type AdaptiveLimiter, createLimiter } from '../../src/api/limiter.ts';
import { applyPlan } from '../../src/apply/execute.ts';
import type { DesiredState, DesiredTask } from '../../src/desired/state.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { readLive } from '../../src/live/read.ts';
import type { Plan } from '../../src/model/generated/plan.ts';
import type { ApplyReport } from '../../src/model/generated/report.ts';
import { KINDS } from '../../src/model/kind.ts';
import type { LiveState } from '../../src/model/resource.ts';
import { isRefused, makePlan } from '../../src/plan/plan.ts';
import type { Api } from '../../src/ports/api.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { ProgressEvent } from '../../src/ports/output.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../src/ports/transport.ts';
import { planInput } from '../support/builders.ts';
import type { Dice } from './random.ts';
import type { Timeline, Waiter } from './timeline.ts';

/** How requests leave a client; answers come back through the promise. */
export type Send = (client: Client, request: HttpRequest) => Promise<HttpResponse>;

export interface ClientOptions {
  readonly name: string;
  readonly desired: DesiredState;
  readonly token: string;
  readonly concurrency: number;
  readonly timeline: Timeline;
  readonly dice: Dice;
  readonly send: Send;
  /** Requests of this client are struck by disturbances and counted. */
  readonly watched: boolean;
}

export type RunEnd =
  | { readonly type: 'applied'; readonly plan: Plan; readonly report: ApplyReport }
  /** The plan must not be applied. */
  | { readonly type: 'refused'; readonly plan: Plan }
  | { readonly type: 'unreadable'; readonly diagnostics: readonly Diagnostic[] }
  | { readonly type: 'crashed' };

const NEEDED = new Set(KINDS.map(({ collection }) => collection));

/** One process that runs tradeform: reads, plans, applies; and may die. */
export class Client implements Waiter {
  readonly name: string;
  readonly watched: boolean;
  readonly token: string;
  readonly events: ProgressEvent[] = [];
  /** `<id> <version>` of everything that its answers have shown: what a write must carry. */
  readonly shown = new Set<string>();
  writes = 0;
  /** Tasks that its plan adopts. */
  readonly adopts = new Set<string>();
  /** Some of its changes did not come to their end. */
  unfinished = false;
  /** The service does not accept its token any more. */
  cutOff = false;
  /** Paths of writes whose answers it did not get to see. */
  readonly unclear = new Set<string>();
  readonly sleeps = true;
  dead = false;
  frozen = false;
  readonly crashed: Promise<void>;
  private crash: () => void = () => undefined;
  private readonly desired: DesiredState;
  private readonly tasks: ReadonlyMap<string, DesiredTask>;
  private readonly clock: Clock;
  private readonly api: Api;
  private readonly limiter: AdaptiveLimiter;

  constructor(options: ClientOptions) {
    const { timeline, dice, send, token, desired } = options;
    this.name = options.name;
    this.watched = options.watched;
    this.token = token;
    this.desired = desired;
    this.tasks = new Map(desired.tasks.map((task) => [task.address, task]));
    this.crashed = new Promise((resolve) => {
      this.crash = resolve;
    });
    this.clock = timeline.clockOf(this);
    this.limiter = createLimiter(options.concurrency);
    const transport: Transport = {
      send: (request) => {
        if (this.dead) return new Promise(() => undefined);
        if (request.method !== 'GET') this.writes += 1;
        return send(this, request);
      },
      close: () => Promise.resolve(),
    };
    this.api = createApi({
      transport,
      token,
      clock: this.clock,
      random: dice.next,
      userAgent: 'simulation',
      progress: { emit: (event) => this.events.push(event) },
      limiter: this.limiter,
    });
  }

  get revision(): DesiredState {
    return this.desired;
  }

  wanted(address: string): DesiredTask | undefined {
    return this.tasks.get(address);
  }

  /** Nothing of this client runs afterwards, timers included. */
  die(): void {
    this.dead = true;
    this.crash();
  }

  async read(): Promise<{ live: LiveState | undefined; diagnostics: readonly Diagnostic[] }> {
    const progress = { emit: (event: ProgressEvent) => void this.events.push(event) };
    const { live, diagnostics } = await readLive({
      api: this.api,
      clock: this.clock,
      needed: NEEDED,
      limiter: this.limiter,
      progress,
    });
    return { live, diagnostics };
  }

  plan(live: LiveState, diagnostics: readonly Diagnostic[]): Plan {
    const input = planInput(this.desired, live, { allowEmpty: true });
    return makePlan({ ...input, diagnostics });
  }

  async apply(plan: Plan, live: LiveState): Promise<ApplyReport> {
    const { signal: never } = new AbortController();
    return applyPlan(plan, {
      api: this.api,
      clock: this.clock,
      progress: { emit: (event) => void this.events.push(event) },
      concurrency: this.limiter,
      onFailure: 'restore',
      stop: { soft: never, hard: never },
      toolVersion: '0.0.0',
      knownIds: new Set([...live.tasks, ...live.templates, ...live.labels].map(({ id }) => id)),
    });
  }

  /** What `tradeform apply` does. `planned` sees the plan before anything is sent. */
  async run(planned: (plan: Plan, live: LiveState) => void): Promise<RunEnd> {
    const { live, diagnostics } = await this.read();
    if (live === undefined) return { type: 'unreadable', diagnostics };
    const plan = this.plan(live, diagnostics);
    for (const { id, actions } of plan.changes)
      if (id !== null && actions.includes('adopt')) this.adopts.add(id);
    planned(plan, live);
    if (isRefused(plan)) return { type: 'refused', plan };
    return { type: 'applied', plan, report: await this.apply(plan, live) };
  }
}
