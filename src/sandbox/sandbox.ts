import { randomUUID } from 'node:crypto';
import type { Edit, Fault, FaultRule, Seed } from '../model/generated/sandbox.ts';
import type { Clock } from '../ports/clock.ts';
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from '../ports/transport.ts';
import { type Choices, makeChoices } from './choices.ts';
import { type Delivery, Faults, faultDelivery, spoil } from './faults.ts';
import { handle } from './handle.ts';
import { type LogEntry, logEntry, RequestLog } from './log.ts';
import type { Change, StoredTask, StoredToken } from './records.ts';
import { notFound } from './refusal.ts';
import type { SandboxEnv, SandboxRequest } from './request.ts';
import { seedChanges } from './seed.ts';
import { commit, emptyState, type SandboxState } from './state.ts';

export interface SandboxOptions {
  /** Overrides the choices of the seed. */
  readonly choices?: Partial<Choices>;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: random UUIDs. */
  readonly newId?: () => string;
  /** Used if the state is empty. Default: one account with one token of all scopes. */
  readonly seed?: Seed;
  /** A state that the store has loaded. Default: an empty one. */
  readonly state?: SandboxState;
  readonly store?: Store;
  readonly faults?: readonly FaultRule[];
  /** Milliseconds to wait before each request is handled. */
  readonly latency?: number;
}

/** The embedded service in process. The HTTP server and the transport port use it. */
export interface Sandbox {
  readonly state: SandboxState;
  readonly choices: Choices;
  readonly faults: Faults;
  /** Requests to the interface, without control endpoints. Oldest first. */
  readonly log: readonly LogEntry[];
  clearLog(): void;
  /** Delivers a request: faults, latency, the service, durability. Rejects only if the store fails. */
  deliver(request: SandboxRequest): Promise<Delivery>;
  /** A request without faults and latency, for tests. */
  request(request: SandboxRequest): Promise<HttpResponse>;
  /** `svc_live_<id>.<secret>` of every token, in the order of creation. */
  tokens(): readonly { readonly account: string; readonly token: string }[];
  fire(id: string): Fired;
  editStored(id: string, edit: StoredEdit): void;
  /** Returns the new token. The former one becomes invalid at once. */
  rotate(prefix: string): string;
  /** Applies any changes, for example to load the live view of a rehearsal. */
  apply(changes: readonly Change[]): void;
  /** Moves the sandbox's clock forward relative to the given one. */
  advance(milliseconds: number): void;
  now(): number;
  flushed(): Promise<void>;
  close(): Promise<void>;
}

const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return new EmbeddedService(options);
}

class EmbeddedService implements Sandbox {
  readonly state: SandboxState;
  readonly choices: Choices;
  readonly faults = new Faults();
  readonly #log = new RequestLog();
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #store: Store;
  readonly #latency: number;
  readonly #lastAnswers = new Map<string, HttpResponse>();
  #later: { request: SandboxRequest; after: number }[] = [];
  #ahead = 0;

  constructor(options: SandboxOptions) {
    this.state = options.state ?? emptyState();
    this.choices = makeChoices({ ...options.seed?.choices, ...options.choices });
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#newId = options.newId ?? randomUUID;
    this.#store = options.store ?? MEMORY_STORE;
    this.#latency = options.latency ?? 0;
    this.faults.add(...(options.faults ?? []));
    if (this.state.accounts.size === 0) {
      this.apply(seedChanges(options.seed ?? { accounts: [{}] }, { now: this.now(), newId: this.#newId }));
    }
  }

  get log(): readonly LogEntry[] {
    return this.#log.entries;
  }

  clearLog(): void {
    this.#log.clear();
  }

  now(): number {
    return this.#clock.now() + this.#ahead;
  }

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  tokens(): readonly { readonly account: string; readonly token: string }[] {
    return [...this.state.tokens.values()].map((token) => ({
      account: token.account,
      token: tokenText(token),
    }));
  }

  fire(id: string): Fired {
    const { fired, changes } = fireTask(this.state, id, { now: this.now(), choices: this.choices });
    this.apply(changes);
    return fired;
  }

  editStored(id: string, edit: StoredEdit): void {
    this.apply(editTask(this.state, id, edit, { now: this.now() }));
  }

  rotate(prefix: string): string {
    const [change, ...more] = rotateToken(this.state, prefix, this.#newId().replaceAll('-', ''));
    if (change?.type !== 'token') throw new Error('a rotation changes one token');
    this.apply([change, ...more]);
    return tokenText(change.record);
  }

  apply(changes: readonly Change[]): void {
    commit(this.state, changes);
    this.#store.append(changes);
  }

  async request(request: SandboxRequest): Promise<HttpResponse> {
    const response = this.#serve(request);
    await this.#store.flushed();
    return response;
  }

  async deliver(request: SandboxRequest): Promise<Delivery> {
    if (this.#latency > 0) await this.#clock.sleep(this.#latency);
    this.#deliverLate();
    const { method, path, headers } = request;
    const struck = this.faults.take(method, path, this.now(), headers.authorization);
    for (const fault of struck) if (fault.type === 'delay') await this.#clock.sleep(fault.ms);
    const delivery = this.#strike(request, struck);
    this.#log.add(
      logEntry(
        request,
        delivery,
        struck.map((fault) => fault.type),
        this.now(),
      ),
    );
    await this.#store.flushed();
    return delivery;
  }

  flushed(): Promise<void> {
    return this.#store.flushed();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #env(): SandboxEnv {
    return { now: this.now(), newId: this.#newId, choices: this.choices };
  }

  #serve(request: SandboxRequest): HttpResponse {
    const { response, changes } = handle(this.state, request, this.#env());
    this.apply(changes);
    return response;
  }

  #strike(request: SandboxRequest, struck: readonly Fault[]): Delivery {
    const at = (moment: 'before' | 'after-commit') => {
      for (const fault of struck) {
        const delivery = faultDelivery(fault, moment, this.#newId(), this.#env());
        if (delivery !== undefined) return delivery;
      }
      return undefined;
    };
    const key = `${request.path}\n${request.headers.authorization ?? ''}`;
    const stale = struck.some(({ type }) => type === 'stale') ? this.#lastAnswers.get(key) : undefined;
    const before = stale === undefined ? at('before') : ({ type: 'answer', response: stale } as const);
    if (before !== undefined) return before;
    const first = this.#serve(request);
    if (request.method === 'GET' && this.faults.keepsAnswers()) this.#lastAnswers.set(key, first);
    const after = at('after-commit');
    if (after !== undefined) return after;
    return spoil(this.#repeat(request, struck, first), struck);
  }

  #repeat(request: SandboxRequest, struck: readonly Fault[], first: HttpResponse): HttpResponse {
    const twice = struck.find((fault) => fault.type === 'duplicate');
    if (twice === undefined) return first;
    if (twice.after !== undefined && twice.after > 0) {
      this.#later.push({ request, after: twice.after });
      return first;
    }
    const second = this.#serve(request);
    return twice.answer === 'first' ? first : second;
  }

  #deliverLate(): void {
    const waiting = this.#later.map((late) => ({ ...late, after: late.after - 1 }));
    this.#later = waiting.filter(({ after }) => after > 0);
    for (const { request, after } of waiting) if (after <= 0) this.#serve(request);
  }
}

function tokenText(token: StoredToken): string {
  return `svc_live_${token.id}.${token.secret}`;
}

/** The destination of committed changes. Answers wait for {@link Store.flushed}. */
export interface Store {
  /** Takes the changes of one request, which are stored together or not at all. */
  append(changes: readonly Change[]): void;
  /** Resolves when everything appended so far is durable. Rejects if it cannot be stored. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

/** Stores nothing: the state lives as long as the process. */
const MEMORY_STORE: Store = {
  append: () => undefined,
  flushed: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/**
 * Events outside the interface: trades, the web application, other people. Each door reads the state and returns the changes.
 * An unknown id throws `not_found`.
 */

interface Fired {
  /** False for a paused task, which does not trade. */
  readonly traded: boolean;
  /** True if `buy_once` switched the task off. */
  readonly deactivated: boolean;
}

/** Triggers a trade. With `buy_once` it is the first one, and it deactivates the task. */
function fireTask(
  state: SandboxState,
  id: string,
  env: { readonly now: number; readonly choices: Choices },
): { readonly fired: Fired; readonly changes: readonly Change[] } {
  const task = taskOf(state, id);
  const deactivated = task.is_active && task.config.buy_once === true;
  const fields: Partial<StoredTask> = {
    is_active: false,
    ...(env.choices.fire_version === 'bumped' ? { version: task.version + env.choices.version_step } : {}),
    ...(env.choices.fire_updated_at === 'touched' ? { updated_at: env.now } : {}),
  };
  return {
    fired: { traded: task.is_active, deactivated },
    changes: deactivated ? [{ type: 'task-fields', id, fields }] : [],
  };
}

export type StoredEdit = Omit<Edit, 'id'>;

/** Changes what is stored without any check: legacy snapshots, manual edits, another client. */
function editTask(
  state: SandboxState,
  id: string,
  edit: StoredEdit,
  env: { readonly now: number },
): readonly Change[] {
  const task = taskOf(state, id);
  const { config, merge, bump, ...plain } = edit;
  const merged = Object.entries({ ...(config ?? task.config), ...merge }).filter(
    ([key]) => merge?.[key] !== null,
  );
  const fields: Partial<StoredTask> = {
    ...plain,
    config: Object.fromEntries(merged),
    ...(bump === false ? {} : { version: task.version + 1, updated_at: env.now }),
  };
  return [{ type: 'task-fields', id, fields }];
}

/** Rotation: the former secret becomes invalid at once, and `token_version` increases (interface, "Authentication"). */
function rotateToken(state: SandboxState, prefix: string, secret: string): readonly Change[] {
  const token = state.tokens.get(prefix.replace(/^svc_live_/, '').slice(0, 8));
  if (token === undefined) throw notFound('The token');
  return [{ type: 'token', record: { ...token, secret, version: token.version + 1 } }];
}

function taskOf(state: SandboxState, id: string): StoredTask {
  const task = state.tasks.get(id);
  if (task === undefined) throw notFound('The task');
  return task;
}

/**
 * The transport port on a sandbox in process, including faults. Requests without an `Authorization` header carry `token`, by
 * default the first one. A `hang` fault never ends, like a network without timeouts.
 */
export function createSandboxTransport(
  sandbox: Sandbox,
  token: string | undefined = sandbox.tokens()[0]?.token,
): Transport {
  return {
    async send(request: HttpRequest): Promise<HttpResponse> {
      const named = Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization');
      const authorization = named || token === undefined ? {} : { authorization: `Bearer ${token}` };
      const type = request.body === undefined ? {} : { 'content-type': 'application/json' };
      const delivery = await sandbox.deliver({
        ...request,
        headers: { ...type, ...authorization, ...request.headers },
      });
      switch (delivery.type) {
        case 'dropped':
          throw new TransportError('lost', 'the connection was reset');
        case 'hung':
          return new Promise<never>(() => undefined);
        case 'answer':
          if (delivery.breaksAfter !== undefined) throw new TransportError('lost', 'the answer ended early');
          return delivery.response;
      }
    },
    close: () => Promise.resolve(),
  };
}
