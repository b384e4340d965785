import type { ApplyResult } from '../../src/core/act/report.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { isPending, markerOf } from '../../src/core/model/marker.ts';
import type { LiveState, LiveTask } from '../../src/core/model/resource.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
} from '../../src/core/ports/transport.ts';
import type { Change, StoredTask } from '../../src/sandbox/records.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { liveState, uuid } from '../support/builders.ts';
import { virtualClock } from '../support/world.ts';
import { configOf, FIELDS, type Kind, type Line, noteOf, type Ref, stateOf, valuesOf } from './history.ts';
import { type Gone, type Memory, nameOf } from './memory.ts';
import { afterPlan, afterRun, onRun, type RunFacts } from './promises.ts';
import { Runner } from './runner.ts';
import type { BaseName, Deed, Step, Strike } from './steps.ts';

type Run = Extract<Step, { type: 'run' }>;

export interface RunEnd {
  readonly plan: Plan | undefined;
  /** Undefined if the process died. */
  readonly report: ApplyResult | undefined;
  /** The requests that it sent and that change something. */
  readonly writes: number;
}

/** The history before and after it was rewritten: `at` and `to` are heads with equal trees. */
export interface Histories {
  readonly lines: readonly Line[];
  readonly rewrite?: { readonly at: number; readonly to: number };
}

/** The service, the branch, and the memory of who did what. */
export class World {
  readonly kind: Kind;
  readonly histories: Histories;
  readonly violations: string[] = [];
  /** Gaps that DESIGN tells, by how often they showed. */
  readonly gaps = new Map<string, number>();
  readonly memories = new Map<string, Memory>();
  readonly gone = new Map<string, Gone>();
  /** What happened, for the message of a failure. */
  readonly story: string[] = [];
  head: Ref = { line: 0, at: 0 };
  /** The last commit that was applied whole. */
  whole: Ref | undefined;
  /** A person changed something. */
  edited = false;
  readonly sandbox: Sandbox;
  readonly #clock = virtualClock();
  readonly #token: string;
  readonly #late: { readonly facts: RunFacts; readonly request: HttpRequest; after: number }[] = [];
  #actor: RunFacts | 'person' = 'person';
  #ids = 0x9000;
  readonly #records = new Map<string, StoredTask>();

  constructor(kind: Kind, histories: Histories) {
    this.kind = kind;
    this.histories = histories;
    this.sandbox = createSandbox({
      clock: this.#clock,
      newId: () => {
        this.#ids += 1;
        return uuid(this.#ids);
      },
      seed: { accounts: [{ login_username: 'whales', quota: { max: 20 } }] },
      store: {
        append: (changes) => this.#committed(changes),
        flushed: () => Promise.resolve(),
        close: () => Promise.resolve(),
      },
    });
    this.#token = this.sandbox.tokens()[0]?.token ?? '';
  }

  line({ line }: Ref): Line {
    return this.histories.lines[line] ?? [];
  }

  violation(promise: string, text: string): void {
    this.violations.push(`${promise}: ${text}`);
  }

  gap(name: string): void {
    this.gaps.set(name, (this.gaps.get(name) ?? 0) + 1);
  }

  get tasks(): readonly StoredTask[] {
    return [...this.sandbox.state.tasks.values()];
  }

  async step(step: Step): Promise<void> {
    for (const letter of this.#late) letter.after -= 1;
    await this.deliver((after) => after <= 0);
    await this.#clock.sleep(10_000);
    switch (step.type) {
      case 'merge':
        if (this.head.at < this.line(this.head).length - 1) {
          this.head = { ...this.head, at: this.head.at + 1 };
          this.story.push(`merge c${this.head.at + 1}`);
        }
        return;
      case 'rewrite': {
        const { rewrite } = this.histories;
        if (rewrite === undefined || this.head.line !== 0 || this.head.at !== rewrite.at) return;
        this.head = { line: 1, at: rewrite.to };
        this.whole = undefined;
        this.story.push('history rewritten');
        return;
      }
      case 'person':
        this.act(step.deed, step.pick);
        return;
      case 'run':
        await this.run(step);
    }
  }

  /** What is still on its way arrives. */
  async deliver(when: (after: number) => boolean = () => true): Promise<void> {
    for (const letter of this.#late.filter(({ after }) => when(after))) {
      this.#late.splice(this.#late.indexOf(letter), 1);
      this.story.push(`late ${letter.request.method} of ${letter.facts.name} arrives`);
      await this.#serve(letter.facts, letter.request);
    }
  }

  /** Lets a person act on one of the tasks. */
  act(deed: Deed, pick: number): void {
    const { tasks, sandbox } = this;
    const task = tasks[pick % Math.max(1, tasks.length)];
    if (task === undefined) return;
    const { id, remark } = task;
    this.edited = true;
    this.story.push(`person ${JSON.stringify(deed)} ${id.slice(0, 4)}`);
    const marker = remark.indexOf('[git:');
    switch (deed.type) {
      case 'as-in-git': {
        const line = this.line(this.head);
        const commit = line[Math.max(0, this.head.at - deed.back)] ?? [];
        const content = commit.find(({ name }) => name[0] === nameOf(task)?.[0]);
        if (content === undefined) return;
        this.act(
          { type: 'set', values: { amount: content.amount, tip: content.tip, note: content.note } },
          pick,
        );
        return;
      }
      case 'set': {
        const then = { ...valuesOf(task), ...deed.values };
        // As the service counts: a config changes only while the task is paused.
        const config = configOf(this.kind, then);
        const text = `${noteOf(then.note)} ${marker < 0 ? '' : remark.slice(marker)}`.trim();
        if (text !== remark) sandbox.editStored(id, { remark: text });
        if (deed.values.amount === undefined && deed.values.tip === undefined) return;
        if (task.is_active) sandbox.editStored(id, { is_active: false });
        sandbox.editStored(id, { config });
        if (task.is_active) sandbox.editStored(id, { is_active: true });
        return;
      }
      case 'stop':
        if (task.is_active) sandbox.editStored(id, { is_active: false });
        return;
      case 'start':
        if (!task.is_active) sandbox.editStored(id, { is_active: true });
        return;
      case 'delete':
        sandbox.apply([{ type: 'task-removed', id }]);
        return;
      case 'strip':
        if (marker > 0) sandbox.editStored(id, { remark: remark.slice(0, marker).trim() });
        return;
      case 'strip-version':
        sandbox.editStored(id, { remark: remark.replace(/\.[0-9A-Za-z]{8}/, '') });
        return;
      case 'damage':
        sandbox.editStored(id, { remark: remark.replace(/\]$/, ' x]') });
    }
  }

  async run(run: Run): Promise<RunEnd> {
    const facts = this.#factsOf(run);
    if (facts === undefined) return { plan: undefined, report: undefined, writes: 0 };
    const { ref, base, to } = facts;
    const past = this.line(ref)
      .slice(0, ref.at + 1)
      .map((commit) => stateOf(this.kind, commit));
    const state = (at: Ref | undefined) =>
      at === undefined ? undefined : stateOf(this.kind, this.line(at)[at.at] ?? []);
    const based = state(base);
    const carried = {
      past,
      way: run.way,
      base: based && base && { state: based, number: base.at + 1 },
      to: state(to) ?? state(ref),
    };
    let die: () => void = () => undefined;
    const died = new Promise<undefined>((resolve) => {
      die = () => resolve(undefined);
    });
    const transport = this.#network(facts, run.strikes, die);
    const runner = new Runner(carried, transport, this.#token, this.#clock);
    const planned = runner.plan(this.#view());
    const { plan } = planned;
    this.story.push(`${facts.name} plans ${plan.operations.map(({ verb }) => verb).join(' ')}`);
    facts.view = new Map(this.tasks.map((task) => [task.id, task]));
    afterPlan(this, facts, planned);
    const report = await Promise.race([runner.apply(planned), died]);
    const statuses = report?.changes.map(({ status }) => status) ?? [];
    this.story.push(`${facts.name} ${report === undefined ? 'died' : `ended ${statuses.join(' ')}`}`);
    if (report !== undefined) {
      const again = facts.disturbed ? undefined : runner.plan(this.#view()).plan;
      afterRun(this, facts, { plan, report, again });
    }
    return { plan, report, writes: facts.writes };
  }

  /** The service as a reading would show it. */
  #view(): LiveState {
    const dated = (time: number) => new Date(time).toISOString();
    const tasks = this.tasks.map(
      ({ account: _, template_id: __, created_at, updated_at, ...task }): LiveTask => ({
        ...task,
        created_at: dated(created_at),
        updated_at: dated(updated_at),
      }),
    );
    return liveState(tasks, [], { readAt: this.#clock.now() });
  }

  #factsOf({ way, behind, former, base: name, strikes }: Run): RunFacts | undefined {
    const { rewrite } = this.histories;
    const on =
      former === true && way !== 'rollback' && rewrite !== undefined && this.head.line === 1
        ? { line: 0, at: rewrite.at }
        : this.head;
    const at = Math.max(0, on.at - behind);
    // A rollback runs at the head, and names an earlier commit.
    const ref = way === 'rollback' ? this.head : { ...on, at };
    const base = this.#baseOf(name, ref);

    const to = way === 'rollback' ? { ...on, at } : undefined;
    const carried = to ?? ref;
    const where = `${ref.line === 1 ? 'r' : 'c'}${ref.at + 1}`;
    const by = base === undefined ? '' : ` base c${base.at + 1}`;
    this.#runs += 1;
    return {
      name: `run ${this.#runs} (${way} ${where}${to === undefined ? '' : ` to c${at + 1}`}${by})`,
      ...{ way, ref, base, to, commit: this.line(carried)[carried.at] ?? [], strikes },
      ...{ writes: 0, disturbed: false, view: new Map() },
    };
  }

  #runs = 0;

  #baseOf(name: BaseName, ref: Ref): Ref | undefined {
    if (name === 'previous') return ref.at === 0 ? undefined : { ...ref, at: ref.at - 1 };
    const { whole } = this;
    return name === 'whole' && whole?.line === ref.line && whole.at <= ref.at ? whole : undefined;
  }

  #network(facts: RunFacts, strikes: readonly Strike[], die: () => void): Transport {
    const never = () => new Promise<never>(() => undefined);
    let dead = false;
    const lost = () => new TransportError('lost', 'the connection was reset');
    const killed = () => {
      dead = true;
      die();
      return never();
    };
    return {
      close: () => Promise.resolve(),
      send: async (request) => {
        if (dead) return never();
        if (request.method === 'GET') return this.#serve(facts, request);
        const struck = strikes.filter(({ at }) => at === facts.writes);
        facts.writes += 1;
        if (struck.length > 0) facts.disturbed = true;
        for (const { deed } of struck) if (deed !== undefined) await this.step(deed);
        const [strike] = struck.filter(({ type }) => type !== 'meanwhile');
        if (strike !== undefined) this.story.push(`${facts.name} ${request.method}: ${strike.type}`);
        switch (strike?.type) {
          case 'before':
            return killed();
          case 'late':
            this.#late.push({ facts, request, after: 1 + (strike.at % 2) });
            return killed();
          case 'lost':
            throw lost();
          case 'after':
            await this.#serve(facts, request);
            return killed();
          case 'unheard':
            await this.#serve(facts, request);
            throw lost();
          default:
            return this.#serve(facts, request);
        }
      },
    };
  }

  async #serve(facts: RunFacts, request: HttpRequest): Promise<HttpResponse> {
    this.#actor = facts;
    try {
      return await this.sandbox.request(request);
    } finally {
      this.#actor = 'person';
    }
  }

  #committed(changes: readonly Change[]): void {
    const actor = this.#actor;
    for (const change of changes) {
      if (change.type !== 'task' && change.type !== 'task-fields' && change.type !== 'task-removed') continue;
      const id = change.type === 'task' ? change.record.id : change.id;
      const before = this.#records.get(id);
      const after = this.sandbox.state.tasks.get(id);
      if (after === undefined) this.#records.delete(id);
      else this.#records.set(id, after);
      if (actor === 'person') this.#byPerson(id, before, after);
      else onRun(this, actor, { id, before, after });
    }
  }

  #byPerson(id: string, before: StoredTask | undefined, after: StoredTask | undefined): void {
    const memory = this.memories.get(id);
    if (before === undefined || memory === undefined) return;
    if (after === undefined) {
      const name = nameOf(before);
      if (name !== undefined) this.gone.set(name, { by: 'person', ref: this.head });
      this.memories.delete(id);
      return;
    }
    const [was, is] = [valuesOf(before), valuesOf(after)];
    for (const field of FIELDS) if (was[field] !== is[field]) memory.edits.add(field);
    if (before.is_active && !after.is_active) {
      const wanted = this.line(this.head)[this.head.at]?.find(({ name }) => name === markerOf(after)?.name);
      memory.stopped = { ref: this.head, gap: isPending(after), wanted: wanted?.state ?? 'manual' };
    }
    if (!before.is_active && after.is_active) memory.stopped = undefined;
  }
}
