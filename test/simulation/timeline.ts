import type { Clock } from '../../src/core/ports/clock.ts';

/** Whoever waits for something: a client that died waits for nothing any more. */
export interface Waiter {
  readonly dead: boolean;
  /** Held back while somebody else acts. */
  readonly frozen: boolean;
  /** It runs on a machine that may sleep; what is on its way on the network does not. */
  readonly sleeps: boolean;
}

interface Event {
  readonly at: number;
  readonly order: number;
  /** Undefined for what happens to nobody in particular. */
  readonly waiter: Waiter | undefined;
  readonly happen: () => void;
}

/**
 * Virtual time: everything that takes time is an event in one queue. Between two events every promise that can settle
 * has settled, so that a run depends on nothing but its inputs.
 */
export class Timeline {
  now: number;
  private events: Event[] = [];
  private order = 0;
  private awake = 0;

  constructor(start = Date.parse('2026-06-01T12:00:00Z')) {
    this.now = start;
  }

  after(ms: number, waiter: Waiter | undefined, happen: () => void): void {
    const earliest = waiter?.sleeps === true ? this.awake : 0;
    const event = { at: Math.max(earliest, this.now + ms), order: this.order, waiter, happen };
    this.order += 1;
    let place = this.events.length;
    while (place > 0 && (this.events[place - 1]?.at ?? 0) > event.at) place -= 1;
    this.events.splice(place, 0, event);
  }

  clockOf(waiter: Waiter): Clock {
    return {
      now: () => this.now,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve(), { once: true });
          this.after(ms, waiter, resolve);
        }),
    };
  }

  /** Lets time pass until the promise has settled. Throws where nothing is left that could settle it. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const note = () => {
      settled = true;
    };
    promise.then(note, note);
    for (let steps = 0; ; steps += 1) {
      await quiet();
      if (settled) return promise;
      if (steps > MOST_EVENTS) throw new Error('the run does not come to an end');
      if (!this.step()) throw new Error('the run waits for something that never comes');
    }
  }

  get asleep(): boolean {
    return this.awake > this.now;
  }

  /** The machines of all clients sleep; what they wait for finds them awake again afterwards. */
  sleep(ms: number): void {
    this.awake = this.now + ms;
    const waiting = this.events.filter(({ waiter }) => waiter?.sleeps === true);
    this.events = this.events.filter(({ waiter }) => waiter?.sleeps !== true);
    for (const { at, waiter, happen } of waiting) this.after(at - this.now, waiter, happen);
  }

  /** Forgets what the dead wait for, and all else that is still to come. */
  clear(): void {
    this.events = [];
  }

  private step(): boolean {
    const place = this.events.findIndex(({ waiter }) => waiter?.frozen !== true);
    const event = this.events[place];
    if (event === undefined) return false;
    this.events.splice(place, 1);
    this.now = Math.max(this.now, event.at);
    if (event.waiter?.dead !== true) event.happen();
    return true;
  }
}

const MOST_EVENTS = 20_000;

/** Every promise that can settle without time passing has settled. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
