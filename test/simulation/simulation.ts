import type { DesiredState } from '../../src/core/desired/state.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { LiveState } from '../../src/core/model/resource.ts';
import { type Base, START } from './base.ts';
import type { CaseOptions, EventName, Strike, Verdict, Violation } from './case.ts';
import { Client, type RunEnd } from './client.ts';
import { INVARIANTS, type Invariant } from './invariants.ts';
import type { Ledger } from './ledger.ts';
import { Network } from './network.ts';
import { Others } from './others.ts';
import { type Dice, dice } from './random.ts';
import { Timeline } from './timeline.ts';
import { Trace } from './trace.ts';
import { World } from './world.ts';

const MOST_RUNS = 3;

type Problems = string | readonly string[] | undefined;

/** One case: a world, watched runs with disturbances, then an undisturbed run and a second plan. */
export class Simulation {
  readonly base: Base;
  /** Set once an undisturbed run has been made: its end, and the plan after it. */
  healed: { readonly end: RunEnd; readonly second: Plan | undefined } | undefined;
  /** The clients of the watched runs. */
  readonly watched: Client[] = [];
  /** How they ended. */
  readonly ends: RunEnd[] = [];
  private readonly options: CaseOptions;
  private readonly timeline = new Timeline(START);
  private readonly trace: Trace;
  private readonly dice: Dice;
  private readonly world: World;
  private readonly network: Network;
  private readonly others: Others;
  /** The saved plan that is still to be applied, or once more. */
  private file: Plan | undefined;
  private clients = 0;
  private readonly violations: Violation[] = [];
  private readonly events = new Map<EventName, number>();
  private readonly gaps = new Map<string, number>();
  private readonly checks = new Map<string, number>();

  constructor(options: CaseOptions) {
    const { base, disturbances } = options;
    const { timeline } = this;
    this.options = options;
    this.base = base;
    const trace = new Trace(options.keep === true);
    this.trace = trace;
    this.dice = dice(options.seed);
    const world = new World({
      base,
      timeline,
      trace,
      watch: {
        commit: (fact) => this.judge(({ onCommit }) => onCommit && (() => onCommit(fact, this))),
        named: (fact) => this.judge(({ onNamed }) => onNamed && (() => onNamed(fact))),
      },
    });
    this.world = world;
    this.network = new Network({
      world,
      timeline,
      trace,
      dice: this.dice,
      disturbances,
      sending: (client, request) =>
        this.judge(({ onRequest }) => onRequest && (() => onRequest(client, request, this))),
      act: (...deed) => this.others.act(...deed),
    });
    this.others = new Others({
      world,
      timeline,
      trace,
      network: this.network,
      runner: (revision) => this.otherRunner(revision),
    });
  }

  get ledger(): Ledger {
    return this.world.ledger;
  }

  get token(): string {
    return this.world.token;
  }

  get fired(): readonly Strike[] {
    return this.network.fired;
  }

  async run(): Promise<Verdict> {
    for (let run = 1; run <= MOST_RUNS; run += 1) {
      await this.watch(`run ${run}`);
      if (this.network.pending.length === 0 && this.file === undefined) break;
    }
    await this.settle();
    await this.heal();
    return this.verdict();
  }

  private async watch(name: string): Promise<void> {
    const { saved } = this.options.way;
    const end = saved ? await this.bySavedPlan(name) : await this.apply(this.client(name, true));
    this.trace.note(`${name} ends: ${end.type}`);
    this.timeline.now += 5_000;
  }

  /** Plans and applies as two processes; a plan that an earlier run has not brought to its end is applied once more. */
  private async bySavedPlan(name: string): Promise<RunEnd> {
    const again = this.file !== undefined;
    if (!again) {
      const planner = this.client(`${name}, plan`, true);
      const end = await this.ending(planner, planner.save(this.planning(planner)));
      // What stands in a file.
      if (end.type !== 'saved') return end;
      this.file = JSON.parse(JSON.stringify(end.plan)) as Plan;
    }
    const client = this.client(`${name}, apply`, true);
    const end = await this.ending(client, this.applyFile(client));
    const left = end.type === 'crashed' || client.unfinished;
    if (again || !left) this.file = undefined;
    return end;
  }

  private async applyFile(client: Client): Promise<RunEnd> {
    const plan = this.file;
    if (plan === undefined) throw new Error('no plan is saved');
    const end = await client.applySaved(plan, this.planning(client), (continued) => {
      this.happened('saved-applied', 1);
      this.happened('saved-continued', continued);
    });
    if (end.type === 'stale') this.happened('saved-stale', 1);
    return end;
  }

  /** All that is still on its way arrives or is forgotten. */
  private async settle(): Promise<void> {
    await this.timeline.until(Promise.all(this.others.running));
    await this.network.deliverAll();
    this.timeline.clear();
    this.timeline.now += 10_000;
  }

  private async heal(): Promise<void> {
    const end = await this.apply(this.client('undisturbed', false));
    this.timeline.now += 10_000;
    this.healed = { end, second: await this.secondPlan(end) };
    this.judge(({ atRest }) => atRest && (() => atRest(this)));
  }

  /** A run that found nothing to do has made the plan already. */
  private async secondPlan(end: RunEnd): Promise<Plan | undefined> {
    if (end.type === 'applied' && end.plan.operations.length === 0) return end.plan;
    const client = this.client('second plan', false);
    const { live, diagnostics } = await this.timeline.until(client.read());
    return live === undefined ? undefined : client.plan(live, diagnostics);
  }

  private apply(client: Client): Promise<RunEnd> {
    return this.ending(client, client.run(this.planning(client)));
  }

  private async otherRunner(revision: 'same' | 'other'): Promise<void> {
    const { desired, other } = this.base.spec;
    const client = this.client(`other ${this.clients}`, false, revision === 'same' ? desired : other);
    // Whoever has the same manifests may have been given the same file.
    const file = revision === 'same' && this.file !== undefined;
    this.ended(client, await (file ? this.applyFile(client) : client.run(this.planning(client))));
  }

  /** Lets time pass until a client's run has ended, be it by a crash. */
  private async ending(client: Client, running: Promise<RunEnd>): Promise<RunEnd> {
    const crashed = client.crashed.then((): RunEnd => ({ type: 'crashed' }));
    const end = await this.timeline.until(Promise.race([running, crashed]));
    this.ended(client, end);
    return end;
  }

  private planning(client: Client): (plan: Plan, live: LiveState) => void {
    const begun = this.world.commits;
    return (plan, live) => {
      this.trace.note(`${client.name} plans ${plan.operations.length} operations`, plan.digest);
      this.judge(({ onPlan }) => onPlan && (() => onPlan(client, plan, live, this, begun)));
    };
  }

  private ended(client: Client, end: RunEnd): void {
    const said = end.type === 'applied' ? end.report.changes.map(({ status }) => status).join(',') : '';
    this.trace.note(`${client.name} ${end.type}`, said);
    client.unfinished = /failed|unknown|skipped/.test(said);
    if (end.type === 'applied')
      this.happened('held-on-purpose', this.ledger.heldBy(client, end.report.left_paused));
    if (client.watched) this.ends.push(end);
    this.judge(({ onEnd }) => onEnd && (() => onEnd(client, end, this)));
  }

  private client(name: string, watched: boolean, desired: DesiredState = this.base.spec.desired): Client {
    this.clients += 1;
    const { timeline, dice: drawn, token, network } = this;
    const { concurrency, way } = this.options;
    const client = new Client({
      name,
      desired,
      takeOver: this.base.spec.takeOver ?? [],
      token,
      concurrency,
      timeline,
      dice: drawn,
      send: network.send,
      onFailure: way.onFailure,
      begins: (beginner, plan, address) =>
        this.judge(({ onBegin }) => onBegin && (() => onBegin(beginner, plan, address))),
      watched,
    });
    if (watched) this.watched.push(client);
    return client;
  }

  // --- judging

  private judge(check: (invariant: Invariant) => (() => Problems) | undefined): void {
    for (const invariant of INVARIANTS) {
      const judged = check(invariant);
      if (judged === undefined) continue;
      count(this.checks, invariant.name, 1);
      const problem = judged();
      const problems = typeof problem === 'string' ? [problem] : (problem ?? []);
      for (const text of problems) {
        this.violations.push({ invariant: invariant.name, text });
        this.trace.note(`VIOLATION ${invariant.name}: ${text}`);
      }
    }
  }

  /** A known gap explains what would else be a violation. */
  excuse(gap: string): undefined {
    count(this.gaps, gap, 1);
    return undefined;
  }

  private happened(event: EventName, times: number): void {
    if (times > 0) count(this.events, event, times);
  }

  /** Where the run itself broke: a promise that never settles, an exception. */
  broken(text: string): Verdict {
    this.violations.push({ invariant: 'ends', text });
    return this.verdict();
  }

  private verdict(): Verdict {
    const { violations, fired, events, gaps, checks, trace } = this;
    const { requests } = this.network;
    return { violations, fired, events, gaps, checks, hash: trace.hash, requests, lines: trace.lines };
  }
}

function count<K>(counts: Map<K, number>, key: K, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}
