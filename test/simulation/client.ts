import { plannedResources } from '../../src/core/act/predict.ts';
import type { ApplyResult } from '../../src/core/act/report.ts';
import type { DesiredState, DesiredTask } from '../../src/core/desired/state.ts';
import type { Diagnostic } from '../../src/core/diagnostics/diagnostic.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { type Collection, KINDS } from '../../src/core/model/kind.ts';
import { isTask, type LiveState, type LiveTask } from '../../src/core/model/resource.ts';
import { isRefused, makePlan } from '../../src/core/plan/plan.ts';
import { createsOrDeletes } from '../../src/core/plan/refusals.ts';
import { judgeApproval } from '../../src/core/plan/review/approval.ts';
import { listedIn, orderOf } from '../../src/core/plan/review/digest.ts';
import type { Api } from '../../src/core/ports/api.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { ProgressEvent } from '../../src/core/ports/output.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../src/core/ports/transport.ts';
import { createApi } from '../../src/core/service/http/client.ts';
import { AdaptiveLimiter } from '../../src/core/service/limits/limiter.ts';
import { confirmLive } from '../../src/core/service/view/confirm.ts';
import { readLive } from '../../src/core/service/view/read.ts';
import { readInput } from '../support/builders.ts';
import { applyWith } from '../support/world.ts';
import type { Way } from './case.ts';
import type { Dice } from './random.ts';
import type { Timeline, Waiter } from './timeline.ts';

/** How requests leave a client; answers come back through the promise. */
export type Send = (client: Client, request: HttpRequest) => Promise<HttpResponse>;

export interface ClientOptions {
  readonly name: string;
  readonly desired: DesiredState;
  readonly takeOver: readonly string[];
  readonly token: string;
  readonly concurrency: number;
  readonly timeline: Timeline;
  readonly dice: Dice;
  readonly send: Send;
  readonly onFailure: Way['onFailure'];
  /** Told of each chain as it begins. */
  readonly begins: (client: Client, plan: Plan, address: string) => void;
  /** Requests of this client are struck by disturbances and counted. */
  readonly watched: boolean;
}

export type RunEnd =
  | { readonly type: 'applied'; readonly plan: Plan; readonly report: ApplyResult }
  /** `plan --out`: nothing has been sent yet. */
  | { readonly type: 'saved'; readonly plan: Plan }
  /** The plan must not be applied. */
  | { readonly type: 'refused'; readonly plan: Plan }
  /** Something else would be done now than the saved plan says. */
  | { readonly type: 'stale' }
  | { readonly type: 'unreadable'; readonly diagnostics: readonly Diagnostic[] }
  | { readonly type: 'crashed' };

const ALL_KINDS: ReadonlySet<Collection> = new Set(KINDS.map(({ collection }) => collection));

/** How a report says that a task was left paused because of `--on-failure hold`. */
export const SAID_HELD = 'as --on-failure hold requires';

/** Sees a plan, and what it was made from, before anything is sent. */
export type Planned = (plan: Plan, live: LiveState) => void;

/** One process that runs tradeform: reads, plans, applies; and may die. */
export class Client implements Waiter {
  readonly name: string;
  readonly watched: boolean;
  readonly token: string;
  readonly onFailure: Way['onFailure'];
  readonly events: ProgressEvent[] = [];
  /** `<id> <version>` of everything that its answers have shown: what a write must carry. */
  readonly shown = new Set<string>();
  writes = 0;
  /** The tasks that its plan is about, as it saw them. */
  readonly saw = new Map<string, LiveTask>();
  /** Tasks that its plan adopts or takes over. */
  readonly adopts = new Set<string>();
  /** Some of its changes did not come to their end. */
  unfinished = false;
  /** The service does not accept its token any more. */
  cutOff = false;
  /** Addresses whose chain an earlier run of its saved plan has carried out in part. */
  readonly continued = new Set<string>();
  /** Paths of what the service refused a patch for: it does not pass its schema. */
  readonly refused = new Set<string>();
  /** Collections of which it was shown a list from the past. */
  readonly misled = new Set<string>();
  /** Paths of writes whose answers it did not get to see. */
  readonly unclear = new Set<string>();
  readonly sleeps = true;
  dead = false;
  frozen = false;
  readonly crashed: Promise<void>;
  private crash: () => void = () => undefined;
  private readonly begins: ClientOptions['begins'];
  private readonly desired: DesiredState;
  private readonly takeOver: readonly string[];
  private readonly tasks: ReadonlyMap<string, DesiredTask>;
  private readonly clock: Clock;
  private readonly api: Api;
  private readonly limiter: AdaptiveLimiter;

  constructor(options: ClientOptions) {
    const { timeline, dice, send, token, desired } = options;
    this.name = options.name;
    this.watched = options.watched;
    this.token = token;
    this.onFailure = options.onFailure;
    this.begins = options.begins;
    this.desired = desired;
    this.takeOver = options.takeOver;
    this.tasks = new Map(desired.tasks.map((task) => [task.address, task]));
    this.crashed = new Promise((resolve) => {
      this.crash = resolve;
    });
    this.clock = timeline.clockOf(this);
    this.limiter = new AdaptiveLimiter({
      most: options.concurrency,
      clock: this.clock,
      random: dice.next,
    });
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

  /** What it has now seen of versions, and of its token. */
  learn({ method, path }: HttpRequest, { body, status }: HttpResponse): void {
    if (body.includes('invalid_api_token')) this.cutOff = true;
    if (method === 'PATCH' && body.includes('"validation_error"')) this.refused.add(path);
    if (status >= 300 || body === '') return;
    if (method === 'GET' && path === '/me') return;
    let data: unknown;
    try {
      data = (JSON.parse(body) as { data?: unknown }).data;
    } catch {
      return;
    }
    const items = (data as { items?: unknown[] } | null)?.items ?? [data];
    for (const item of items as ({ id?: string; version?: number } | null)[]) {
      if (typeof item?.id !== 'string' || typeof item.version !== 'number') continue;
      this.shown.add(`${item.id} ${item.version}`);
    }
  }

  async read(
    needed = ALL_KINDS,
  ): Promise<{ live: LiveState | undefined; diagnostics: readonly Diagnostic[] }> {
    const progress = { emit: (event: ProgressEvent) => void this.events.push(event) };
    const { api, clock, limiter } = this;
    const { live, diagnostics } = await readLive({ api, clock, needed, limiter, progress });
    return { live, diagnostics };
  }

  plan(live: LiveState, diagnostics: readonly Diagnostic[]): Plan {
    const input = readInput(this.desired, live, { allowEmpty: true, takeOver: this.takeOver });
    return makePlan({ ...input, diagnostics });
  }

  /** The plan on a view that a create or a delete may rest on, as `reconcile` makes it. */
  private async planned(): Promise<
    { live: LiveState; plan: Plan } | Extract<RunEnd, { type: 'unreadable' }>
  > {
    const { live: seen, diagnostics } = await this.read();
    if (seen === undefined) return { type: 'unreadable', diagnostics };
    const first = this.plan(seen, diagnostics);
    if (!createsOrDeletes(first)) return { live: seen, plan: first };
    const confirmed = await this.confirmed(seen);
    if ('type' in confirmed) return confirmed;
    return { live: confirmed, plan: this.plan(confirmed, diagnostics) };
  }

  private async confirmed(live: LiveState): Promise<LiveState | Extract<RunEnd, { type: 'unreadable' }>> {
    if (live.confirmed || !live.complete) return live;
    const progress = { emit: (event: ProgressEvent) => void this.events.push(event) };
    const { api, clock, limiter } = this;
    const result = await confirmLive(live, { api, clock, limiter, progress });
    return result.live ?? { type: 'unreadable', diagnostics: 'failure' in result ? [result.failure] : [] };
  }

  private async apply(plan: Plan, live: LiveState): Promise<RunEnd> {
    for (const { id, actions } of plan.changes)
      if (id !== null && (actions.includes('adopt') || actions.includes('take-over'))) this.adopts.add(id);
    for (const change of plan.changes)
      for (const seen of plannedResources(change)) if (isTask(seen)) this.saw.set(seen.id, seen);
    const { api, clock, onFailure, limiter: concurrency } = this;
    const progress = {
      emit: (event: ProgressEvent) => {
        if (event.type === 'chain-start') this.begins(this, plan, event.address);
        this.events.push(event);
      },
    };
    const knownIds = new Set([...live.tasks, ...live.templates, ...live.labels].map(({ id }) => id));
    const { readAt: viewedAt } = live;
    const report = await applyWith(
      { api, clock, progress, concurrency, onFailure, knownIds, viewedAt },
      plan,
    );
    return { type: 'applied', plan, report };
  }

  /** `tradeform plan --out FILE`. */
  async save(planned: Planned): Promise<RunEnd> {
    const made = await this.planned();
    if ('type' in made) return made;
    const { live, plan } = made;
    planned(plan, live);
    // A refused plan is not written.
    return { type: isRefused(plan) ? 'refused' : 'saved', plan };
  }

  /** `tradeform apply FILE`. `opened` is told of the changes that an earlier run has begun. */
  async applySaved(approved: Plan, planned: Planned, opened: (continued: number) => void): Promise<RunEnd> {
    const made = await this.planned();
    if ('type' in made) return made;
    const { live, plan } = made;
    const { digest } = approved;
    const approval = { digest, changes: listedIn(approved), order: orderOf(approved) };
    const { moved, strange } = judgeApproval(plan, [approval], live);
    if (moved.length + strange.length > 0) return { type: 'stale' };
    planned(plan, live);
    if (isRefused(plan)) return { type: 'refused', plan };
    const was = new Set(approval.changes.map(({ digest: of }) => of));
    for (const { address, digest: of } of plan.changes)
      if (of !== undefined && !was.has(of)) this.continued.add(address);
    opened(this.continued.size);
    return this.apply(plan, live);
  }

  /** `tradeform apply`. */
  async run(planned: Planned): Promise<RunEnd> {
    const made = await this.planned();
    if ('type' in made) return made;
    const { live, plan } = made;
    planned(plan, live);
    return isRefused(plan) ? { type: 'refused', plan } : this.apply(plan, live);
  }
}
