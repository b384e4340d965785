import { randomUUID } from 'node:crypto';
import type { Edit, Fault, FaultRule, Seed } from '../core/model/generated/sandbox.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { HttpResponse } from '../core/ports/transport.ts';
import { type Choices, makeChoices } from './choices.ts';
import { type Delivery, Faults, faultDelivery, spoil } from './faults.ts';
import { handle } from './handle.ts';
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

const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return new Sandbox(options);
}

/** The embedded service in process. The HTTP server and the transport port use it. */
export class Sandbox {
  readonly state: SandboxState;
  readonly choices: Choices;
  readonly faults = new Faults();
  #log: LogEntry[] = [];
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #store: Store | undefined;
  readonly #latency: number;
  readonly #lastAnswers = new Map<string, HttpResponse>();
  #later: { request: SandboxRequest; after: number }[] = [];
  #ahead = 0;

  constructor(options: SandboxOptions) {
    this.state = options.state ?? emptyState();
    this.choices = makeChoices({ ...options.seed?.choices, ...options.choices });
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#newId = options.newId ?? randomUUID;
    this.#store = options.store;
    this.#latency = options.latency ?? 0;
    this.faults.add(...(options.faults ?? []));
    if (this.state.accounts.size === 0) {
      this.apply(seedChanges(options.seed ?? { accounts: [{}] }, { now: this.now(), newId: this.#newId }));
    }
  }

  /** Requests to the interface, without control endpoints. Oldest first, and at most the last ones. */
  get log(): readonly LogEntry[] {
    return this.#log;
  }

  clearLog(): void {
    this.#log = [];
  }

  now(): number {
    return this.#clock.now() + this.#ahead;
  }

  /** Moves the sandbox's clock forward relative to the given one. */
  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  /** `svc_live_<id>.<secret>` of every token, in the order of creation. */
  tokens(): readonly { readonly account: string; readonly token: string }[] {
    return [...this.state.tokens.values()].map((token) => ({
      account: token.account,
      token: tokenText(token),
    }));
  }

  /** Triggers a trade. With `buy_once` it is the first one, and it deactivates the task. Throws `not_found` for an unknown id. */
  fire(id: string): Fired {
    const task = this.#task(id);
    const { fire_version, fire_updated_at, version_step } = this.choices;
    const deactivated = task.is_active && task.config.buy_once === true;
    const fields: Partial<StoredTask> = {
      is_active: false,
      ...(fire_version === 'bumped' ? { version: task.version + version_step } : {}),
      ...(fire_updated_at === 'touched' ? { updated_at: this.now() } : {}),
    };
    this.apply(deactivated ? [{ type: 'task-fields', id, fields }] : []);
    return { traded: task.is_active, deactivated };
  }

  /** Changes what is stored without any check: legacy snapshots, manual edits, another client. Throws `not_found`. */
  editStored(id: string, { config, merge, bump, ...plain }: StoredEdit): void {
    const task = this.#task(id);
    const merged = Object.entries({ ...(config ?? task.config), ...merge }).filter(
      ([key]) => merge?.[key] !== null,
    );
    const fields: Partial<StoredTask> = {
      ...plain,
      config: Object.fromEntries(merged),
      ...(bump === false ? {} : { version: task.version + 1, updated_at: this.now() }),
    };
    this.apply([{ type: 'task-fields', id, fields }]);
  }

  #task(id: string): StoredTask {
    const task = this.state.tasks.get(id);
    if (task === undefined) throw notFound('The task');
    return task;
  }

  /**
   * Returns the new token. The former secret becomes invalid at once, and `token_version` increases (interface,
   * "Authentication"). Throws `not_found`.
   */
  rotate(prefix: string): string {
    const token = this.state.tokens.get(prefix.replace(/^svc_live_/, '').slice(0, 8));
    if (token === undefined) throw notFound('The token');
    const record = { ...token, secret: this.#newId().replaceAll('-', ''), version: token.version + 1 };
    this.apply([{ type: 'token', record }]);
    return tokenText(record);
  }

  apply(changes: readonly Change[]): void {
    commit(this.state, changes);
    this.#store?.append(changes);
  }

  /** A request without faults and latency, for tests. */
  async request(request: SandboxRequest): Promise<HttpResponse> {
    const response = this.#serve(request);
    await this.flushed();
    return response;
  }

  /** Delivers a request: faults, latency, the service, durability. Rejects only if the store fails. */
  async deliver(request: SandboxRequest): Promise<Delivery> {
    if (this.#latency > 0) await this.#clock.sleep(this.#latency);
    this.#deliverLate();
    const { method, path, headers } = request;
    const struck = this.faults.take(method, path, this.now(), headers.authorization);
    for (const fault of struck) if (fault.type === 'delay') await this.#clock.sleep(fault.ms);
    const delivery = this.#strike(request, struck);
    const faults = struck.map((fault) => fault.type);
    this.#log.push(logEntry(request, delivery, faults, this.now()));
    if (this.#log.length > 2 * LONGEST_LOG) this.#log = this.#log.slice(-LONGEST_LOG);
    await this.flushed();
    return delivery;
  }

  async flushed(): Promise<void> {
    await this.#store?.flushed();
  }

  async close(): Promise<void> {
    await this.#store?.close();
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

/** The destination of committed changes; without one the state lives as long as the process. Answers wait for {@link Store.flushed}. */
export interface Store {
  /** Takes the changes of one request, which are stored together or not at all. */
  append(changes: readonly Change[]): void;
  /** Resolves when everything appended so far is durable. Rejects if it cannot be stored. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

interface Fired {
  /** False for a paused task, which does not trade. */
  readonly traded: boolean;
  /** True if `buy_once` switched the task off. */
  readonly deactivated: boolean;
}

export type StoredEdit = Omit<Edit, 'id'>;

/** One request and its result. Contains no secret. */
interface LogEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** `svc_live_…` of the credential, whether it was accepted or not. */
  readonly token_prefix: string | null;
  readonly if_match: string | null;
  readonly idempotency_key: string | null;
  /** null if no answer was sent. */
  readonly status: number | null;
  /** `error.code` of the answer. */
  readonly code: string | null;
  /** Types of the faults that struck. */
  readonly faults: readonly string[];
}

const LONGEST_LOG = 100_000;

function logEntry(
  request: SandboxRequest,
  delivery: Delivery,
  faults: readonly string[],
  at: number,
): LogEntry {
  const header = (name: string) =>
    Object.entries(request.headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const response = delivery.type === 'answer' ? delivery.response : undefined;
  return {
    at,
    method: request.method,
    path: request.path,
    token_prefix: /svc_live_[a-f0-9]{8}/.exec(header('authorization') ?? '')?.[0] ?? null,
    if_match: header('if-match') ?? null,
    idempotency_key: header('idempotency-key') ?? null,
    status: response?.status ?? null,
    code: (response && response.status >= 400 && /"code":"([a-z_]+)"/.exec(response.body)?.[1]) || null,
    faults,
  };
}
