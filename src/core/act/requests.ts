import type { Collection } from '../model/kind.ts';
import { kindOf } from '../model/kind.ts';
import { type LiveResource, versionOf } from '../model/resource.ts';
import type { Api, Outcome, ReadOutcome, Veto, WriteRequest } from '../ports/api.ts';
import type { Clock } from '../ports/clock.ts';
import { backoff } from '../service/limits/backoff.ts';
import { answeredResource } from '../service/resources/resource.ts';

/** Thrown within a chain after the second Ctrl-C: no further request is started. Only the chain's own loop catches it. */
export class Interrupted extends Error {
  constructor(
    /** A write was in flight, and its result is unknown. */
    readonly inFlight: boolean,
  ) {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

export type Aside = <Result>(work: () => Promise<Result>) => Promise<Result>;

export type Look =
  | { readonly type: 'found'; readonly resource: LiveResource }
  | { readonly type: 'gone'; readonly outcome: Outcome }
  | { readonly type: 'unreadable'; readonly outcome: Outcome };

/** Milliseconds. */
const WAIT = { first: 500, most: 8_000 };

/**
 * The requests of one chain: collects their ids, and stops at once on the second Ctrl-C. Requests are urgent while a
 * task is paused; a `look` always is, because it resolves a doubt.
 */
export class Requests {
  readonly requestIds: string[] = [];
  /** Milliseconds spent in `aside` while others worked. */
  idle = 0;
  /** What may forbid a start until it is sent. */
  starts: Veto | undefined;

  constructor(
    private readonly api: Api,
    readonly clock: Clock,
    private readonly hard: AbortSignal,
    readonly standsStill: () => boolean = () => false,

    /** Waits for other chains without the slot of this chain. */
    readonly aside: Aside = (work) => work(),
  ) {}

  get(path: string, urgent = this.standsStill()): Promise<ReadOutcome> {
    return this.unlessStopped(() => this.api.get(path, urgent), false);
  }

  write(request: WriteRequest): Promise<Outcome> {
    const urgent = this.standsStill();
    const veto = request.path.endsWith('/resume') ? this.starts : request.veto;
    return this.unlessStopped(() => this.api.write({ ...request, urgent, veto }), true);
  }

  async sleep(ms: number): Promise<void> {
    this.check();
    await this.clock.sleep(ms, this.hard);
    this.check();
  }

  /** One resource as it is now (GET single). A reading that cannot be used is `unreadable`, never `gone`. */
  async look(collection: Collection, id: string): Promise<Look> {
    const outcome = await this.get(`${kindOf(collection).path}/${id}`, true);
    if (outcome.type === 'ok') {
      const resource = answeredResource(collection, outcome);
      if (resource !== undefined && resource.id === id) return { type: 'found', resource };
      return { type: 'unreadable', outcome };
    }
    const gone = outcome.type === 'error' && outcome.code === 'not_found';
    return { type: gone ? 'gone' : 'unreadable', outcome };
  }

  /** Like `look`, but repeated a few times if the reading is older than a version that an answer has shown. */
  async lookSince(known: LiveResource): Promise<Look> {
    for (let attempt = 1; ; attempt += 1) {
      const look = await this.look(known.collection, known.id);
      if (look.type !== 'found') return look;
      if ((versionOf(look.resource) ?? 0) >= (versionOf(known) ?? 0)) return look;
      if (attempt === 4) {
        const detail = 'the service keeps returning an older version than before';
        return { type: 'unreadable', outcome: { type: 'lost', detail, requestId: undefined } };
      }
      await this.backOff(attempt);
    }
  }

  backOff(attempt: number): Promise<void> {
    return this.sleep(backoff(attempt, WAIT));
  }

  private check(): void {
    if (this.hard.aborted) throw new Interrupted(false);
  }

  private async unlessStopped<Came extends Outcome>(
    send: () => Promise<Came>,
    writes: boolean,
  ): Promise<Came> {
    const outcome = await unlessStopped(this.hard, send, writes);
    if (outcome.requestId !== undefined) this.requestIds.push(outcome.requestId);
    return outcome;
  }
}

/**
 * The result of `work`. Rejects at once when the signal aborts; does not begin if it already has. `inFlight`: the work
 * left behind is a write.
 * @throws Interrupted
 */
export function unlessStopped<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
  inFlight: boolean,
): Promise<Result> {
  if (signal.aborted) return Promise.reject(new Interrupted(false));
  const waiting = waitingFor(signal);
  return new Promise<Result>((resolve, reject) => {
    const stop = () => reject(new Interrupted(inFlight));
    waiting.add(stop);
    work().then(
      (result) => {
        waiting.delete(stop);
        resolve(result);
      },
      (error: unknown) => {
        waiting.delete(stop);
        reject(error);
      },
    );
  });
}

const WAITING = new WeakMap<AbortSignal, Set<() => void>>();

/** The callbacks for an abort of the signal. A signal gets only one listener, because adding listeners is slow. */
function waitingFor(signal: AbortSignal): Set<() => void> {
  const known = WAITING.get(signal);
  if (known !== undefined) return known;
  const waiting = new Set<() => void>();
  WAITING.set(signal, waiting);
  const stopAll = () => {
    for (const stop of waiting) stop();
  };
  signal.addEventListener('abort', stopAll, { once: true });
  return waiting;
}
