import type { Clock } from '../../ports/clock.ts';

interface Waiting {
  readonly at: number;
  readonly wake: () => void;
}

/** Time that passes only where everybody waits for it: a rehearsal of an hour takes no longer than its computing. */
export class VirtualTime implements Clock {
  #now: number;
  #waiting: Waiting[] = [];

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true });
      const at = this.#now + Math.max(0, ms);
      let place = this.#waiting.length;
      while (place > 0 && (this.#waiting[place - 1]?.at ?? 0) > at) place -= 1;
      this.#waiting.splice(place, 0, { at, wake: resolve });
    });
  }

  /** Lets time pass until the promise has ended. Throws where nothing remains that could end it. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let ended = false;
    const note = () => {
      ended = true;
    };
    promise.then(note, note);
    for (;;) {
      // Every promise that can end without time passing has ended by then.
      await new Promise((resolve) => setImmediate(resolve));
      if (ended) return promise;
      const next = this.#waiting.shift();
      if (next === undefined) throw new Error('the rehearsal waits for something that never comes');
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}
