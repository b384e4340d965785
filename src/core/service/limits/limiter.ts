import type { Clock, Random } from '../../ports/clock.ts';
import type { Limiter } from '../../ports/limiter.ts';
import { createSemaphore, once, type Semaphore } from './semaphore.ts';

interface LimiterOptions {
  /** Slots for work: the maximum, and the number at the start. */
  readonly most: number;
  /** The most slots for pages of lists; if absent or not above `most`, they do not grow. */
  readonly mostPages?: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** A request that may be sent now. */
export interface LimiterPass {
  /** Tells that the service answered: after as many answers as there are slots, one slot is added. */
  answered(): void;
  /**
   * Tells that the service throttled the request: halves the slots, once for all requests that were in flight together,
   * and pauses everything for `ms` from now. True if that made the pause longer.
   */
  throttled(ms: number): boolean;
  /** Lets the next request start; a second call does nothing. */
  leave(): void;
}

interface Waiting {
  readonly urgent: boolean;
  readonly deadline: number;
  readonly resolve: (pass: LimiterPass | undefined) => void;
}

/** After a pause, non-urgent requests wait up to this many milliseconds more, because other programs were throttled too. */
const JITTER = 250;

/** An answer may take this many times as long as the fastest one before the service counts as busy. */
const SLOWER = 2;

/**
 * Limits what goes to the service at once, and when: concurrency, backing off and ramping up in one object.
 *
 * - Slots for work: additive increase, multiplicative decrease between 1 and `most`; all of them at the start.
 * - Slots for pages of lists, in addition to those for work, so that they do not delay work.
 * - Requests: none starts during a pause that the service asked for, and after a throttle there are never more in flight than
 *   slots for work. Waiting requests go in order: the urgent ones first, then in order of arrival.
 */
export class AdaptiveLimiter implements Limiter {
  readonly pages: Limiter;
  private readonly work: Semaphore;
  private readonly ceiling: number;
  private readonly clock: Clock;
  private readonly random: Random;
  private slots: number;
  private answers = 0;
  /** Increases with every reduction of the slots: requests that were in flight together have the same number. */
  private epoch = 0;
  /** The end of the last pause, and the requested length. */
  private until = 0;
  private asked = 0;
  private jitter = 0;
  private inFlight = 0;
  private waiting: Waiting[] = [];
  private admitting = false;

  constructor({ most, mostPages = most, clock, random }: LimiterOptions) {
    this.ceiling = Math.max(1, Math.floor(most));
    this.slots = this.ceiling;
    this.clock = clock;
    this.random = random;
    this.work = createSemaphore(() => this.slots);
    this.pages = this.ramp(Math.max(this.ceiling, mostPages));
  }

  get limit(): number {
    return this.slots;
  }

  /**
   * How many running tasks may be changed at once. After a pause it is one, and it doubles each time that the service
   * has allowed the same time without another pause: a task that is paused when the service throttles again stays
   * paused for about as long as before. If the service has a limit per minute, more tasks at a time would not finish
   * sooner.
   */
  get restarts(): number {
    const { asked, until, clock } = this;
    return asked === 0
      ? Number.POSITIVE_INFINITY
      : 2 ** Math.max(0, Math.floor((clock.now() - until) / asked));
  }

  acquire(): Promise<() => void> {
    return this.work.acquire();
  }

  /** Resolves when it is this request's turn; with undefined if that would not be before `deadline` (ms since the epoch). */
  pass(urgent: boolean, deadline: number): Promise<LimiterPass | undefined> {
    const now = this.clock.now();
    if (this.until > now && this.until > deadline) return Promise.resolve(undefined);
    const first = urgent ? !this.waiting.some((one) => one.urgent) : this.waiting.length === 0;
    if (first && this.opensAt(urgent) <= now && this.hasRoom()) return Promise.resolve(this.enter());
    return new Promise((resolve) => {
      this.waiting.push({ urgent, deadline, resolve });
      void this.admit();
    });
  }

  private enter(): LimiterPass {
    const { epoch } = this;
    this.inFlight += 1;
    return {
      answered: () => this.grow(),
      throttled: (ms) => {
        if (epoch === this.epoch) this.shrink();
        return this.pause(ms);
      },
      leave: once(() => {
        this.inFlight -= 1;
        if (this.waiting.length > 0) void this.admit();
      }),
    };
  }

  private hasRoom(): boolean {
    return this.epoch === 0 || this.inFlight < this.slots;
  }

  private opensAt(urgent: boolean): number {
    return urgent ? this.until : this.until + this.jitter;
  }

  private async admit(): Promise<void> {
    if (this.admitting) return;
    this.admitting = true;
    // A chain that continues after an answer asks for its next request before other requests are admitted.
    await this.clock.sleep(0);
    for (;;) {
      const next = this.waiting.find(({ urgent }) => urgent) ?? this.waiting[0];
      if (next === undefined || !this.hasRoom()) break;
      const now = this.clock.now();
      const opens = now < this.until ? this.until : this.opensAt(next.urgent);
      if (opens > now) {
        await this.clock.sleep(opens - now);
        continue;
      }
      this.waiting = this.waiting.filter((one) => one !== next);
      next.resolve(this.enter());
    }
    this.admitting = false;
  }

  private pause(ms: number): boolean {
    const until = this.clock.now() + ms;
    if (until <= this.until) return false;
    this.until = until;
    this.asked = ms;
    this.jitter = this.random() * Math.min(JITTER, ms);
    const late = this.waiting.filter(({ deadline }) => until > deadline);
    this.waiting = this.waiting.filter(({ deadline }) => until <= deadline);
    for (const { resolve } of late) resolve(undefined);
    return true;
  }

  private shrink(): void {
    this.epoch += 1;
    this.answers = 0;
    this.slots = Math.max(1, Math.floor(this.slots / 2));
  }

  private grow(): void {
    if (this.slots === this.ceiling) return;
    this.answers += 1;
    if (this.answers < this.slots) return;
    this.answers = 0;
    this.slots += 1;
    this.work.admit();
  }

  /**
   * Slots for pages start with as many as those for work and grow up to `most`: one more after each answer that took at most twice
   * as long as the fastest, and one less, down to the start, after each that took longer. So they double with every round trip
   * while more at a time is not slower, and settle when it is. After the first throttle there are as many as slots for work.
   */
  private ramp(most: number): Limiter {
    const start = this.slots;
    let grown = start;
    let fastest = Number.POSITIVE_INFINITY;
    const pages = createSemaphore(() => (this.epoch === 0 ? grown : this.slots));
    return {
      get limit() {
        return pages.limit;
      },
      acquire: async () => {
        const release = await pages.acquire();
        const begun = this.clock.now();
        return once(() => {
          const took = this.clock.now() - begun;
          fastest = Math.min(fastest, took);
          grown = Math.min(most, Math.max(start, grown + (took <= SLOWER * fastest ? 1 : -1)));
          release();
        });
      },
    };
  }
}
