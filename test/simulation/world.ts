import type { Collection } from '../../src/core/model/kind.ts';
import type { HttpRequest, HttpResponse } from '../../src/core/ports/transport.ts';
import type { Change } from '../../src/sandbox/records.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { commit, emptyState } from '../../src/sandbox/state.ts';
import { uuid } from '../support/builders.ts';
import type { Base } from './base.ts';
import type { Client } from './client.ts';
import { Ledger } from './ledger.ts';
import type { Actor, Fact } from './story.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

/** A label or template before and after a write, by its name. */
export interface NamedFact {
  readonly actor: Actor;
  readonly collection: Collection;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Told of every commit before it becomes memory. */
export interface Watch {
  readonly commit: (fact: Fact) => void;
  readonly named: (fact: NamedFact) => void;
}

export interface WorldParts {
  readonly base: Base;
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly watch: Watch;
}

/** The service of a case, and the memory of who did what on it. */
export class World {
  readonly sandbox: Sandbox;
  readonly ledger: Ledger;
  commits = 0;
  private readonly watch: Watch;
  private readonly trace: Trace;
  private actor: Actor = { type: 'person' };
  /** Labels and templates by id. */
  private readonly names = new Map<string, { readonly collection: Collection; readonly name: string }>();
  private ids: number;

  constructor({ base, timeline, trace, watch }: WorldParts) {
    this.watch = watch;
    this.trace = trace;
    this.ids = base.firstId;
    const state = emptyState();
    commit(state, base.changes);
    this.ledger = new Ledger(state.tasks.values());
    for (const { id, name } of state.labels.values()) this.names.set(id, { collection: 'label', name });
    for (const { id, name, collection } of state.templates.values()) this.names.set(id, { collection, name });
    this.sandbox = createSandbox({
      clock: timeline.clockOf({ dead: false, frozen: false, sleeps: false }),
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

  readonly newId = (): string => {
    this.ids += 1;
    return uuid(this.ids);
  };

  get token(): string {
    const [first] = this.sandbox.tokens();
    if (first === undefined) throw new Error('no token');
    return first.token;
  }

  /** The service carries a request out and answers. */
  async serve(client: Client, request: HttpRequest): Promise<HttpResponse> {
    const answer = await this.by({ type: 'runner', client, request }, () => this.sandbox.request(request));
    const { headers, body = '' } = request;
    const condition = `${headers['if-match'] ?? ''}${headers['idempotency-key']?.slice(0, 8) ?? ''}`;
    this.trace.note(`${client.name} ${request.method} ${request.path} ${condition} → ${answer.status}`, body);
    return answer;
  }

  /** What is committed meanwhile was done by this actor. */
  by<T>(actor: Actor, act: () => T): T {
    this.actor = actor;
    try {
      return act();
    } finally {
      this.actor = { type: 'person' };
    }
  }

  private committed(changes: readonly Change[]): void {
    const { actor } = this;
    this.commits += 1;
    for (const change of changes) {
      if (change.type === 'label') this.named('label', change.record);
      if (change.type === 'template') this.named(change.record.collection, change.record);
      if (change.type === 'label-removed' || change.type === 'template-removed') this.unnamed(change.id);
      if (change.type !== 'task' && change.type !== 'task-fields' && change.type !== 'task-removed') continue;
      const id = change.type === 'task' ? change.record.id : change.id;
      const before = this.ledger.stories.get(id)?.record;
      const after = this.sandbox.state.tasks.get(id);
      const fact = { actor, id, before, after };
      this.watch.commit(fact);
      this.ledger.take(fact, this.commits);
    }
  }

  /** A label or template is written. */
  private named(collection: Collection, { id, name }: { readonly id: string; readonly name: string }): void {
    this.watch.named({ actor: this.actor, collection, before: this.names.get(id)?.name, after: name });
    this.names.set(id, { collection, name });
  }

  private unnamed(id: string): void {
    const { collection, name } = this.names.get(id) ?? {};
    if (collection === undefined) throw new Error(`nothing is known of ${id}`);
    this.watch.named({ actor: this.actor, collection, before: name, after: undefined });
    this.names.delete(id);
  }
}
