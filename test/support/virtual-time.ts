import type { Clock } from '../../src/core/ports/clock.ts';

/** Time that passes only while everything waits for it. A run of an hour takes only its computing time. */
export class VirtualTime implements Clock {
  #now: number;
  #waiting: { readonly at: number; readonly wake: () => void }[] = [];

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

  /** Lets time pass until the promise settles. Throws if nothing is left that could settle it. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let ended = false;
    const note = () => {
      ended = true;
    };
    promise.then(note, note);
    for (;;) {
      // By then, every promise that can settle without time passing has settled.
      await new Promise((resolve) => setImmediate(resolve));
      if (ended) return promise;
      const next = this.#waiting.shift();
      if (next === undefined) throw new Error('a run waits for something that never comes');
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}
