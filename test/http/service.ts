import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import type { HttpResponse } from '../../src/core/ports/transport.ts';
import type { Delivery } from '../../src/sandbox/faults.ts';
import type { SandboxRequest } from '../../src/sandbox/request.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { CANARY } from '../cmd/run.ts';
import { afterwards } from '../support/cleanup.ts';

/** What a test makes of a request: nothing, no answer at all, or another answer. */
export type Twist = 'hang' | 'drop' | HttpResponse | undefined;

/** Called around every request of the interface; `index` counts from 0. */
export interface Hooks {
  readonly before?: (index: number, request: SandboxRequest) => Twist | Promise<Twist>;
  /** The request is carried out; the answer is not sent yet. */
  readonly after?: (index: number, request: SandboxRequest) => Twist | Promise<Twist>;
}

/** The sandbox over real HTTP in this process. One port serves one account after another, each with a state of its own. */
export interface Service {
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  /** A request past the HTTP server, hooks included. */
  deliver(request: SandboxRequest): Promise<Delivery>;
  /** Forgets everything and begins with this account, whose token is the canary. */
  reset(account: SeedAccount, options?: SandboxOptions): void;
  hooks: Hooks;
  /** Requests of the interface since the last reset. */
  readonly requests: number;
  /** Writes among them that were carried out. */
  readonly writes: number;
  /** Starts that took effect, by task, since the last reset: what costs money when it happens twice. */
  readonly starts: ReadonlyMap<string, number>;
  /** Resolves when nobody is connected any more, and what was sent is carried out: for after a client was killed. */
  quiet(): Promise<void>;
}

export async function startService(): Promise<Service> {
  const world = new World();
  // The server keeps one sandbox for its life; ours changes from case to case.
  const current = new Proxy({} as Sandbox, {
    get: (_target, name) => {
      if (name === 'deliver') return (request: SandboxRequest) => world.deliver(request);
      const value: unknown = Reflect.get(world.sandbox, name);
      return typeof value === 'function' ? value.bind(world.sandbox) : value;
    },
  });
  const server = await startServer(current, 0);
  world.serveAt(server.baseUrl, server.port);
  afterwards(() => server.close());
  return world;
}

class World implements Service {
  sandbox: Sandbox = createSandbox();
  hooks: Hooks = {};
  requests = 0;
  writes = 0;
  starts = new Map<string, number>();
  baseUrl = '';
  readonly #connected = new Set<Socket>();
  #inHand = 0;
  #settled: (() => void)[] = [];

  serveAt(baseUrl: string, port: number): void {
    this.baseUrl = baseUrl;
    const onSocket = (message: unknown) => {
      const { socket } = message as { readonly socket: Socket };
      if (socket.localPort !== port) return;
      this.#connected.add(socket);
      socket.once('close', () => {
        this.#connected.delete(socket);
        this.#settle();
      });
    };
    subscribe('net.server.socket', onSocket);
    afterwards(() => unsubscribe('net.server.socket', onSocket));
  }

  quiet(): Promise<void> {
    return new Promise((resolve) => {
      this.#settled.push(resolve);
      this.#settle();
    });
  }

  #settle(): void {
    if (this.#connected.size > 0 || this.#inHand > 0) return;
    for (const resolve of this.#settled.splice(0)) resolve();
  }

  get env(): Readonly<Record<string, string>> {
    return { TRADEFORM_BASE_URL: this.baseUrl, TRADEFORM_TOKEN: CANARY };
  }

  reset(account: SeedAccount, options: SandboxOptions = {}): void {
    const seed = { accounts: [{ login_username: 'whales', tokens: [{ token: CANARY }], ...account }] };
    this.sandbox = createSandbox({ ...options, seed });
    this.hooks = {};
    this.requests = 0;
    this.writes = 0;
    this.starts = new Map();
  }

  async deliver(request: SandboxRequest): Promise<Delivery> {
    this.#inHand += 1;
    try {
      return await this.#carryOut(request);
    } finally {
      this.#inHand -= 1;
      this.#settle();
    }
  }

  async #carryOut(request: SandboxRequest): Promise<Delivery> {
    // A request of a process that was killed belongs to the case it was started in.
    const { sandbox, hooks } = this;
    const index = this.requests;
    this.requests += 1;
    const early = await hooks.before?.(index, request);
    if (early !== undefined) return undelivered(early, false);
    const id = /\/configs\/([^/?]+)\/resume$/.exec(request.path)?.[1];
    const ran = id === undefined ? undefined : sandbox.state.tasks.get(id)?.is_active;
    const delivery = await sandbox.deliver(request);
    if (id !== undefined && ran === false && sandbox.state.tasks.get(id)?.is_active === true) {
      this.starts.set(id, (this.starts.get(id) ?? 0) + 1);
    }
    if (request.method !== 'GET' && (delivery.type !== 'answer' || delivery.response.status < 300))
      this.writes += 1;
    const late = await this.hooks.after?.(index, request);
    return late === undefined ? delivery : undelivered(late, true);
  }
}

function undelivered(twist: 'hang' | 'drop' | HttpResponse, committed: boolean): Delivery {
  if (typeof twist === 'object') return { type: 'answer', response: twist };
  return { type: twist === 'hang' ? 'hung' : 'dropped', committed };
}
