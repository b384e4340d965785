import type { Plan } from '../../src/model/generated/plan.ts';
import type { LiveState } from '../../src/model/resource.ts';
import type { HttpRequest, HttpResponse } from '../../src/ports/transport.ts';
import type { Change, StoredTask } from '../../src/sandbox/records.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { commit, emptyState } from '../../src/sandbox/state.ts';
import { uuid } from '../support/builders.ts';
import { type Base, START } from './base.ts';
import { Client, type RunEnd } from './client.ts';
import { INVARIANTS, type Invariant } from './invariants.ts';
import { type ActionKind, type Disturbance, type FaultKind, isFault } from './kinds.ts';
import { type Actor, Ledger, markOf } from './ledger.ts';
import {
  failed,
  isList,
  isWrite,
  LOST,
  outdated,
  subjectOf,
  throttled,
  truncated,
  UNSENT,
  unavailable,
  webPage,
} from './network.ts';
import { DEEDS, type Deed } from './people.ts';
import { type Dice, dice } from './random.ts';
import { Timeline } from './timeline.ts';
import { Trace } from './trace.ts';

export interface CaseOptions {
  readonly base: Base;
  readonly disturbances: readonly Disturbance[];
  readonly seed: number;
  readonly concurrency: number;
  /** Keeps the trace as text. */
  readonly keep?: boolean;
}

export interface Violation {
  readonly invariant: string;
  readonly text: string;
}

/** A request of a watched run as it arrived. */
export interface Seen {
  readonly method: string;
  readonly path: string;
}

/** A disturbance that had something to strike, and the request that it struck. */
export interface Strike extends Disturbance {
  readonly path: string;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly fired: readonly Strike[];
  /** Known gaps that showed, by name. */
  readonly gaps: ReadonlyMap<string, number>;
  readonly checks: ReadonlyMap<string, number>;
  readonly hash: number;
  readonly requests: readonly Seen[];
  readonly lines: readonly string[];
}

/** A request that arrives when so many others have. */
interface Letter {
  readonly client: Client;
  readonly request: HttpRequest;
  after: number;
}

const MOST_RUNS = 3;
const HOUR = 3_600_000;

/** One case: a world, watched runs with disturbances, then an undisturbed run and a second plan. */
export class Simulation {
  readonly base: Base;
  readonly sandbox: Sandbox;
  readonly ledger: Ledger;
  readonly timeline = new Timeline(START);
  readonly trace: Trace;
  readonly violations: Violation[] = [];
  readonly gaps = new Map<string, number>();
  readonly checks = new Map<string, number>();
  readonly clients: Client[] = [];
  /** Set once an undisturbed run has been made: its end, and the plan after it. */
  healed: { readonly end: RunEnd; readonly second: Plan | undefined } | undefined;
  readonly fired: Strike[] = [];
  readonly requests: Seen[] = [];
  private readonly options: CaseOptions;
  private readonly dice: Dice;
  private readonly pending: Disturbance[];
  private readonly late: Letter[] = [];
  private readonly others: Promise<unknown>[] = [];
  private actor: Actor = { type: 'person' };
  private readonly names = new Map<string, string>();
  private ids: number;
  private commits = 0;

  constructor(options: CaseOptions) {
    const { base } = options;
    this.options = options;
    this.base = base;
    this.trace = new Trace(options.keep === true);
    this.dice = dice(options.seed);
    this.pending = [...options.disturbances];
    this.ids = base.firstId;
    const state = emptyState();
    commit(state, base.changes);
    this.ledger = new Ledger(state.tasks.values());
    for (const { id, name } of [...state.labels.values(), ...state.templates.values()])
      this.names.set(id, name);
    this.sandbox = createSandbox({
      clock: this.timeline.clockOf({ dead: false, frozen: false, sleeps: false }),
      newId: this.newId,
      choices: base.choices,
      state,
      store: {
        append: (changes) => this.committed(changes),
        flushed: () => Promise.resolve(),
        close: () => Promise.resolve(),
      },
    });
  }

  get commitCount(): number {
    return this.commits;
  }

  async run(): Promise<Verdict> {
    const { desired } = this.base.spec;
    for (let run = 1; run <= MOST_RUNS; run += 1) {
      await this.watched(`run ${run}`, desired);
      if (this.pending.length === 0) break;
    }
    await this.settle();
    await this.heal();
    return this.verdict();
  }

  /** All that is still on its way arrives or is forgotten. */
  private async settle(): Promise<void> {
    await this.timeline.until(Promise.all(this.others));
    await this.deliverAll();
    this.timeline.clear();
    this.timeline.now += 10_000;
  }

  private async heal(): Promise<void> {
    const { desired } = this.base.spec;
    const client = this.client('undisturbed', desired, false);
    const end = await this.runClient(client);
    this.timeline.now += 10_000;
    this.healed = { end, second: await this.secondPlan(end) };
    for (const invariant of INVARIANTS) {
      if (invariant.atRest !== undefined) this.judge(invariant, invariant.atRest(this));
    }
  }

  /** A run that found nothing to do has made the plan already. */
  private async secondPlan(end: RunEnd): Promise<Plan | undefined> {
    if (end.type === 'applied' && end.plan.operations.length === 0) return end.plan;
    const client = this.client('second plan', this.base.spec.desired, false);
    const { live, diagnostics } = await this.timeline.until(client.read());
    return live === undefined ? undefined : client.plan(live, diagnostics);
  }

  private async watched(name: string, desired: Base['spec']['desired']): Promise<void> {
    const client = this.client(name, desired, true);
    const end = await this.runClient(client);
    this.trace.note(`${name} ends: ${end.type}`);
    this.timeline.now += 5_000;
  }

  private async runClient(client: Client): Promise<RunEnd> {
    const crashed = client.crashed.then((): RunEnd => ({ type: 'crashed' }));
    const end = await this.timeline.until(Promise.race([this.start(client), crashed]));
    this.ended(client, end);
    return end;
  }

  private start(client: Client): Promise<RunEnd> {
    const begun = this.commits;
    return client.run((plan, live) => this.planned(client, plan, live, begun));
  }

  private planned(client: Client, plan: Plan, live: LiveState, begun: number): void {
    this.trace.note(`${client.name} plans ${plan.operations.length} operations`, plan.digest);
    for (const invariant of INVARIANTS) {
      if (invariant.onPlan !== undefined)
        this.judge(invariant, invariant.onPlan(client, plan, live, this, begun));
    }
  }

  private ended(client: Client, end: RunEnd): void {
    const said = end.type === 'applied' ? end.report.changes.map(({ status }) => status).join(',') : '';
    this.trace.note(`${client.name} ${end.type}`, said);
    client.unfinished = /failed|unknown|skipped/.test(said);
    for (const invariant of INVARIANTS) {
      if (invariant.onEnd !== undefined) this.judge(invariant, invariant.onEnd(client, end, this));
    }
  }

  client(name: string, desired: Base['spec']['desired'], watched: boolean): Client {
    const client = new Client({
      name,
      desired,
      token: this.token,
      concurrency: this.options.concurrency,
      timeline: this.timeline,
      dice: this.dice,
      send: this.send,
      watched,
    });
    this.clients.push(client);
    return client;
  }

  get token(): string {
    const [first] = this.sandbox.tokens();
    if (first === undefined) throw new Error('no token');
    return first.token;
  }

  readonly newId = (): string => {
    this.ids += 1;
    return uuid(this.ids);
  };

  // --- the network

  private readonly send = (client: Client, request: HttpRequest): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      for (const invariant of INVARIANTS) {
        if (invariant.onRequest !== undefined)
          this.judge(invariant, invariant.onRequest(client, request, this));
      }
      // What has been sent arrives, even if its sender dies meanwhile.
      const envelope = {
        dead: false,
        sleeps: false,
        get frozen() {
          return client.frozen;
        },
      };
      const crashable = () => this.arrive(client, request);
      this.timeline.after(5 + this.dice.below(20), envelope, () => {
        crashable().then(
          (answer) =>
            this.timeline.after(5 + this.dice.below(20), client, () =>
              this.deliver(client, request, answer, resolve),
            ),
          (error: unknown) => {
            if (isWrite(request)) client.unclear.add(request.path);
            this.timeline.after(5 + this.dice.below(20), client, () => reject(error));
          },
        );
      });
    });

  private deliver(
    client: Client,
    request: HttpRequest,
    answer: HttpResponse,
    resolve: (answer: HttpResponse) => void,
  ): void {
    this.trace.note(`  ${client.name} ← ${answer.status}`, answer.body);
    remember(client, request, answer);
    resolve(answer);
  }

  private async arrive(client: Client, request: HttpRequest): Promise<HttpResponse> {
    await this.deliverLate();
    if (!client.watched) return this.serve(client, request);
    if (client.dead) return this.serve(client, request);
    const index = this.requests.length;
    this.requests.push({ method: request.method, path: request.path });
    const now = this.pending.filter(({ at }) => at === index);
    let fault: Disturbance | undefined;
    for (const disturbance of now) {
      this.pending.splice(this.pending.indexOf(disturbance), 1);
      if (isFault(disturbance.kind)) fault ??= disturbance;
      else await this.act(disturbance, disturbance.kind, client, request);
    }
    if (fault === undefined) return this.serve(client, request);
    return this.strike(fault, fault.kind as FaultKind, client, request);
  }

  private fire(disturbance: Disturbance, { path }: HttpRequest): void {
    this.fired.push({ ...disturbance, path });
    this.trace.note(`! ${disturbance.kind} (${disturbance.pick})`);
  }

  private async strike(
    fault: Disturbance,
    kind: FaultKind,
    client: Client,
    request: HttpRequest,
  ): Promise<HttpResponse> {
    const { pick } = fault;
    const writes = isWrite(request);
    if ((kind === 'late' || kind === 'twice' || kind === 'twice-later') && !writes)
      return this.serve(client, request);
    if (kind === 'stale') return this.stale(fault, client, request);
    this.fire(fault, request);
    switch (kind) {
      case 'crash-before':
        client.die();
        return new Promise(() => undefined);
      case 'crash-after':
        await this.serve(client, request);
        client.die();
        return new Promise(() => undefined);
      case 'lost-before':
        throw LOST();
      case 'lost-after':
        await this.serve(client, request);
        throw LOST();
      case 'unsent':
        throw UNSENT();
      case 'late':
        await this.post({ client, request, after: 1 + (pick % 4) });
        throw LOST();
      case 'twice': {
        const first = await this.serve(client, request);
        const second = await this.serve(client, request);
        return pick % 2 === 0 ? first : second;
      }
      case 'twice-later': {
        const answer = await this.serve(client, request);
        await this.post({ client, request, after: 1 + (pick % 4) });
        return answer;
      }
      case 'throttled':
        return throttled(pick);
      case 'unavailable':
        return unavailable(this.timeline.now, pick);
      case 'failed-before':
        if (writes) client.unclear.add(request.path);
        return failed();
      case 'failed-after':
        await this.serve(client, request);
        if (writes) client.unclear.add(request.path);
        return failed();
      case 'truncated':
        if (writes) client.unclear.add(request.path);
        return truncated(await this.serve(client, request));
      case 'html-before':
        if (writes) client.unclear.add(request.path);
        return webPage(request, 502);
      case 'html-after':
        await this.serve(client, request);
        if (writes) client.unclear.add(request.path);
        return webPage(request, pick % 2 === 0 ? 200 : 504);
    }
  }

  private async stale(fault: Disturbance, client: Client, request: HttpRequest): Promise<HttpResponse> {
    const answer = await this.serve(client, request);
    const older = isList(request) ? outdated(answer, fault.pick) : undefined;
    if (older !== undefined) this.fire(fault, request);
    return older ?? answer;
  }

  /** Nothing stays on its way for a day. */
  private async post(letter: Letter): Promise<void> {
    if (this.timeline.asleep) await this.serve(letter.client, letter.request);
    else this.late.push(letter);
  }

  private async deliverAll(): Promise<void> {
    for (const { client, request } of this.late.splice(0)) await this.serve(client, request);
  }

  private async deliverLate(): Promise<void> {
    for (const letter of this.late) letter.after -= 1;
    for (const letter of this.late.filter(({ after }) => after <= 0)) {
      this.late.splice(this.late.indexOf(letter), 1);
      await this.serve(letter.client, letter.request);
    }
  }

  /** The service carries the request out and answers. */
  private async serve(client: Client, request: HttpRequest): Promise<HttpResponse> {
    this.actor = { type: 'runner', client, request };
    const answering = this.sandbox.request(request);
    this.actor = { type: 'person' };
    const answer = await answering;
    const { headers, body = '' } = request;
    const condition = `${headers['if-match'] ?? ''}${headers['idempotency-key']?.slice(0, 8) ?? ''}`;
    this.trace.note(`${client.name} ${request.method} ${request.path} ${condition} → ${answer.status}`, body);
    return answer;
  }

  // --- other people

  private async act(
    disturbance: Disturbance,
    kind: ActionKind,
    client: Client,
    request: HttpRequest,
  ): Promise<void> {
    switch (kind) {
      case 'runner-same':
      case 'runner-same-mixed':
        this.fire(disturbance, request);
        return this.otherRunner(client, this.base.spec.desired, kind === 'runner-same');
      case 'runner-other':
      case 'runner-other-mixed':
        this.fire(disturbance, request);
        return this.otherRunner(client, this.base.spec.other, kind === 'runner-other');
      case 'rotate':
        this.fire(disturbance, request);
        this.sandbox.rotate(this.token.split('.')[0] ?? '');
        return;
      case 'day':
        this.fire(disturbance, request);
        await this.deliverAll();
        this.timeline.sleep(25 * HOUR);
        return;
      default:
        this.deed(disturbance, kind, request);
    }
  }

  private async otherRunner(client: Client, desired: Base['spec']['desired'], whole: boolean): Promise<void> {
    const other = this.client(`other ${this.clients.length}`, desired, false);
    const running = this.start(other).then((end) => this.ended(other, end));
    if (!whole) {
      this.others.push(running);
      return;
    }
    client.frozen = true;
    await running;
    client.frozen = false;
  }

  private deed(disturbance: Disturbance, kind: Deed, request: HttpRequest): void {
    const task = this.target(request, disturbance.pick);
    if (task === undefined) return;
    this.actor = { type: kind === 'fire' ? 'fire' : 'person' };
    const { sandbox, ledger, newId } = this;
    const pick = disturbance.pick;
    const done = DEEDS[kind](task, { sandbox, ledger, newId, pick });
    this.actor = { type: 'person' };
    if (!done) return;
    this.fire(disturbance, request);
    this.trace.note(`  ${kind} ${task.id}`);
  }

  /** The task that the request is about; of others the one that `pick` chooses, our own first. */
  private target(request: HttpRequest, pick: number): StoredTask | undefined {
    const { tasks } = this.sandbox.state;
    const subject = tasks.get(subjectOf(request) ?? '');
    if (subject !== undefined && pick < 2) return subject;
    const rank = ({ remark }: StoredTask) => (markOf(remark) === undefined ? 1 : 0);
    const all = [...tasks.values()].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
    return all[Math.floor(pick / 2) % Math.max(1, all.length)];
  }

  // --- judging

  private committed(changes: readonly Change[]): void {
    const { actor } = this;
    this.commits += 1;
    for (const change of changes) {
      if (change.type === 'label' || change.type === 'template') this.named(change.record);
      if (change.type === 'label-removed' || change.type === 'template-removed')
        this.named({ id: change.id });
      if (change.type !== 'task' && change.type !== 'task-fields' && change.type !== 'task-removed') continue;
      const id = change.type === 'task' ? change.record.id : change.id;
      const before = this.ledger.stories.get(id)?.record;
      const after = this.sandbox.state.tasks.get(id);
      const fact = { actor, id, before, after };
      for (const invariant of INVARIANTS) {
        if (invariant.onCommit !== undefined) this.judge(invariant, invariant.onCommit(fact, this));
      }
      this.ledger.take(fact, this.commits);
    }
  }

  /** A label or template is written, or removed where it has no name any more. */
  private named({ id, name }: { readonly id: string; readonly name?: string }): void {
    const before = this.names.get(id);
    const fact = { actor: this.actor, before, after: name };
    for (const invariant of INVARIANTS) {
      if (invariant.onNamed !== undefined) this.judge(invariant, invariant.onNamed(fact));
    }
    if (name === undefined) this.names.delete(id);
    else this.names.set(id, name);
  }

  private judge(invariant: Invariant, problem: string | readonly string[] | undefined): void {
    this.checks.set(invariant.name, (this.checks.get(invariant.name) ?? 0) + 1);
    const problems = problem === undefined ? [] : typeof problem === 'string' ? [problem] : problem;
    for (const text of problems) {
      this.violations.push({ invariant: invariant.name, text });
      this.trace.note(`VIOLATION ${invariant.name}: ${text}`);
    }
  }

  /** A known gap explains what would else be a violation. */
  excuse(gap: string): undefined {
    this.gaps.set(gap, (this.gaps.get(gap) ?? 0) + 1);
    return undefined;
  }

  /** Where the run itself broke: a promise that never settles, an exception. */
  broken(text: string): Verdict {
    this.violations.push({ invariant: 'ends', text });
    return this.verdict();
  }

  private verdict(): Verdict {
    const { violations, fired, gaps, checks, requests, trace } = this;
    return { violations, fired, gaps, checks, hash: trace.hash, requests, lines: trace.lines };
  }
}

/** What the client has now seen of versions. */
function remember(client: Client, { method, path }: HttpRequest, { body, status }: HttpResponse): void {
  if (body.includes('invalid_api_token')) client.cutOff = true;
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
    client.shown.add(`${item.id} ${item.version}`);
  }
}
