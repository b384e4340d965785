import type { ApplyResult } from '../../src/core/act/report.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../src/core/ports/transport.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { dice } from '../simulation/random.ts';
import { desiredState, desiredTask, seedTask, sniperConfig, wallet } from '../support/builders.ts';
import { createSandboxTransport } from '../support/sandbox-transport.ts';
import { writeVersions } from '../support/versions.ts';
import { VirtualTime } from '../support/virtual-time.ts';
import { createRunner } from '../support/world.ts';

/** A service that throttles and is slow; one of these is made for a run. */
export interface Mood {
  /** Seconds for `Retry-After` where the service throttles a request that arrives now. */
  readonly throttles?: (now: number, inFlight: number, random: () => number) => number | undefined;
  /** How many times as long as usual an answer takes. */
  readonly slowness?: (random: () => number) => number;
}

/** So many requests in each window of so many milliseconds. */
export function perWindow(most: number, ms: number): Mood {
  let window = -1;
  let count = 0;
  return {
    throttles: (now) => {
      const present = Math.floor(now / ms);
      if (present !== window) count = 0;
      window = present;
      count += 1;
      return count > most ? Math.ceil(((present + 1) * ms - now) / 1_000) : undefined;
    },
  };
}

/** A bucket of `most` requests, filled up with `rate` a second. */
export function bucket(rate: number, most: number): Mood {
  let left = most;
  let filled = 0;
  return {
    throttles: (now) => {
      left = Math.min(most, left + (filled === 0 ? 0 : ((now - filled) / 1_000) * rate));
      filled = now;
      if (left < 1) return 1;
      left -= 1;
      return undefined;
    },
  };
}

export function slowAtTimes(mood: Mood): Mood {
  return { ...mood, slowness: (random) => (random() < 0.05 ? 20 : 1) };
}

export interface Ordeal {
  readonly report: ApplyResult;
  readonly sandbox: Sandbox;
  /** As the service saw it, of all tasks: milliseconds from a pause that took effect to the resume. */
  readonly paused: number;
  /** Of one task, at most. */
  readonly longest: number;
  readonly requests: number;
  readonly throttled: number;
  /** Milliseconds from the first request of the apply to its end. */
  readonly took: number;
}

export interface OrdealOptions {
  readonly tasks: number;
  /** Milliseconds of a round trip. */
  readonly latency: number;
  readonly concurrency: number;
  readonly seed?: number;
  /** `settle.update`. */
  readonly settle?: number;
}

const THROTTLED = '{"error":{"code":"rate_limit_exceeded","message":"Too many requests."},"request_id":"r"}';

/** Changes the config of so many running tasks, in virtual time, with the real reader, planner, client and executor. */
export async function ordeal(mood: Mood, options: OrdealOptions): Promise<Ordeal> {
  const { tasks, latency, concurrency, seed = 1, settle = 0 } = options;
  const names = Array.from({ length: tasks }, (_, index) => `t-${index}`);
  const time = new VirtualTime(Date.parse('2026-06-01T12:00:00Z'));
  const account = {
    quota: { max: tasks },
    tasks: names.map((name, index) =>
      seedTask(index + 1, { remark: `Note [git:core/${name}@0]`, target_wallet: wallet(0) }),
    ),
  };
  const sandbox = createSandbox({ clock: time, seed: { accounts: [account] } });
  const random = dice(seed).next;
  const service = new BusyService(sandbox, mood, { time, latency, random });
  const token = sandbox.tokens()[0]?.token ?? '';
  const runner = createRunner({ transport: service, token, clock: time, random, most: concurrency });
  const config = sniperConfig({ buy_amount: '0.75' });
  const tasksOfPlan = names.map((name) => desiredTask(name, { config }));
  const desired = desiredState(tasksOfPlan, [], { settle: { update: settle, replace: 0 } });
  writeVersions(sandbox, desired);
  const straight = createSandboxTransport(sandbox);
  const reader = createRunner({ transport: straight, token, clock: time, random, most: concurrency });
  const plan = await time.until(reader.plan(desired));
  sandbox.clearLog();
  const begun = time.now();
  const report = await time.until(runner.apply(plan));
  const { paused, longest, requests, throttled } = service;
  return { report, sandbox, paused, longest, requests, throttled, took: time.now() - begun };
}

interface Conditions {
  readonly time: VirtualTime;
  readonly latency: number;
  readonly random: () => number;
}

class BusyService implements Transport {
  paused = 0;
  longest = 0;
  requests = 0;
  throttled = 0;
  readonly #inner: Transport;
  readonly #mood: Mood;
  readonly #conditions: Conditions;
  readonly #pausedAt = new Map<string, number>();
  #inFlight = 0;

  constructor(sandbox: Sandbox, mood: Mood, conditions: Conditions) {
    this.#inner = createSandboxTransport(sandbox);
    this.#mood = mood;
    this.#conditions = conditions;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { time, latency, random } = this.#conditions;
    const way = (latency * (this.#mood.slowness?.(random) ?? 1)) / 2;
    this.#inFlight += 1;
    this.requests += 1;
    await time.sleep(way);
    const wait = this.#mood.throttles?.(time.now(), this.#inFlight, random);
    if (wait !== undefined) this.throttled += 1;
    const answer = wait === undefined ? await this.#inner.send(request) : throttled(wait);
    if (answer.status === 200) this.#watch(request.path);
    await time.sleep(way);
    this.#inFlight -= 1;
    return answer;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #watch(path: string): void {
    const [, task = '', verb] = /([^/]+)\/(pause|resume)$/.exec(path) ?? [];
    const now = this.#conditions.time.now();
    if (verb === 'pause') this.#pausedAt.set(task, now);
    if (verb !== 'resume') return;
    const stood = now - (this.#pausedAt.get(task) ?? now);
    this.paused += stood;
    this.longest = Math.max(this.longest, stood);
  }
}

function throttled(wait: number): HttpResponse {
  const headers = { 'content-type': 'application/json', 'retry-after': String(wait) };
  return { status: 429, headers, body: THROTTLED };
}
