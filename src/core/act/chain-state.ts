import type { Change, Operation } from '../model/generated/plan.ts';
import type { ChangeResult } from '../model/generated/report.ts';
import { given } from '../model/given.ts';
import type { JsonObject } from '../model/json.ts';
import { isTask, type LiveResource } from '../model/resource.ts';
import { isBlockedByFreeze } from '../plan/stakes/frozen.ts';
import type { Chain } from './chains.ts';
import type { ReportedError } from './outcome.ts';
import { plannedResources } from './predict.ts';
import type { Owner } from './render-body.ts';
import { Requests } from './requests.ts';
import type { Run } from './run.ts';
import type { Turn } from './scheduler.ts';
import { TrackedTask } from './tracked-task.ts';

type ReportedOperation = ChangeResult['operations'][number];
export type OperationStatus = ReportedOperation['status'];

export interface ChainOutcome {
  readonly id: string | null;
  readonly status: 'done' | 'failed' | 'skipped' | 'unknown' | 'held' | 'blocked';
  readonly text: string;
  readonly error?: ReportedError;
  /** `at_ms`: since the epoch; the report counts from its beginning. */
  readonly operations: readonly ReportedOperation[];
  readonly requestIds: readonly string[];
  readonly pausedMs: number | null;
  /** The part of the pause that `settle` asks for. */
  readonly settledMs: number;
  readonly former: JsonObject | null;
  /** A task of the change runs, as last seen. */
  readonly runs: boolean;
  /** It is done, and the task stays paused although git wants it running. */
  readonly held?: true;
  /** Set if a task that ran is left paused although git wants it running. */
  readonly leftPaused?: { readonly id: string | null; readonly text: string };
}

export class ChainState {
  readonly requests: Requests;
  readonly owner: Owner;
  readonly resources: ChainResources;
  place: number;
  /** What is to be reported of each operation, by id; those that the chain has not reached are missing. */
  private readonly operations = new Map<string, Partial<ReportedOperation>>();
  /** Notes for people that are part of the outcome. */
  readonly notes: string[] = [];
  /** When the task that ran was paused by this run, in milliseconds since the epoch. */
  private pausedAt: number | undefined;
  private pausedMs: number | null = null;
  private settledMs = 0;
  /** The last known state of the deleted resource. */
  former: LiveResource | undefined;
  private createdId: string | undefined;
  /** Id of the resource with the name that the chain should create, whoever created it. */
  foundId: string | undefined;
  /** Until it is known whether the start that cleans up was carried out. */
  restarting: Operation | undefined;

  constructor(
    readonly chain: Chain,
    readonly run: Run,
    { aside }: Turn,
  ) {
    const { change } = chain;
    const { deps, plan } = run;
    this.requests = new Requests(deps.api, deps.clock, deps.stop.hard, () => this.standsStill(), aside);
    this.requests.starts = isBlockedByFreeze(change) ? run.freeze : undefined;
    const { project, previous_project: previousProject } = plan;
    this.owner = { project, name: change.name, ...given({ previousProject }) };
    this.resources = new ChainResources(change);
    this.place = 0;
  }

  get operation(): Operation | undefined {
    return this.chain.operations[this.place];
  }

  get task(): TrackedTask | undefined {
    return this.operation && this.resources.task(this.operation.subject);
  }

  get startsLater(): boolean {
    return this.chain.operations.slice(this.place).some(({ verb }) => verb === 'resume');
  }

  get starts(): boolean {
    return this.chain.operations.some(({ verb }) => verb === 'resume');
  }

  /** At least one operation of the chain was carried out, by this run. */
  get begun(): boolean {
    return [...this.operations.values()].some(({ status }) => status === 'done');
  }

  /** A task that ran and should run afterwards is paused by this run. */
  private standsStill(): boolean {
    if (!this.starts) return false;
    if (this.chain.change.actions.includes('finish')) return true;
    return this.resources.tasks().some(({ pausedByUs, known }) => pausedByUs && !known.is_active);
  }

  /** The first status of an operation is kept. */
  conclude({ id }: Operation, status: OperationStatus): void {
    this.operations.set(id, { status, ...this.operations.get(id) });
  }

  timed({ id }: Operation, at: number): void {
    const took = this.requests.clock.now() - at;
    this.operations.set(id, { ...this.operations.get(id), at_ms: at, took_ms: took });
  }

  created(id: string): void {
    this.createdId = id;
    this.foundId = id;
    this.run.created.set(this.chain.change.address, id);
  }

  paused(): void {
    this.pausedAt = this.requests.clock.now();
  }

  /** Adds milliseconds of the pause that `settle` asked for. */
  settled(ms: number): void {
    if (this.pausedAt !== undefined) this.settledMs += ms;
  }

  resumed(): void {
    if (this.pausedAt !== undefined) this.pausedMs = this.requests.clock.now() - this.pausedAt;
    this.pausedAt = undefined;
  }

  outcome(
    status: ChainOutcome['status'],
    texts: readonly string[],
    rest: Pick<ChainOutcome, 'error' | 'leftPaused' | 'held'> = {},
  ): ChainOutcome {
    const { chain } = this;
    return {
      id: this.createdId ?? chain.change.id,
      status,
      text: [...texts, ...this.notes].filter((text) => text !== '').join(' '),
      ...rest,
      operations: chain.operations.map(({ id, verb }) => ({
        id,
        verb,
        status: 'not-started',
        ...this.operations.get(id),
      })),
      requestIds: this.requests.requestIds,
      pausedMs: this.pausedMs,
      settledMs: this.settledMs,
      former: this.former === undefined ? null : (this.former as unknown as JsonObject),
      runs: this.resources.tasks().some(({ gone, known }) => !gone && known.is_active),
    };
  }
}

/** The resources that a chain works on, by id; a created resource also by its placeholder. */
class ChainResources {
  private readonly tracked = new Map<string, TrackedTask>();
  private readonly others = new Map<string, LiveResource>();

  constructor(change: Change) {
    for (const former of plannedResources(change)) this.put(former.id, former, former);
  }

  task(key: string): TrackedTask | undefined {
    return this.tracked.get(key);
  }

  other(key: string): LiveResource | undefined {
    return this.others.get(key);
  }

  tasks(): readonly TrackedTask[] {
    return [...new Set(this.tracked.values())];
  }

  /** `former`: its state in the plan; none of a resource that the chain created. */
  put(key: string, present: LiveResource, former?: LiveResource): void {
    if (!isTask(present)) {
      this.others.set(key, present);
      return;
    }
    const task = new TrackedTask(present, former !== undefined && isTask(former) ? former : undefined);
    this.tracked.set(key, task);
    this.tracked.set(present.id, task);
  }
}
