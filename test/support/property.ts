import { expect } from 'vitest';

/**
 * Counts the cases of a property that showed nothing, because a plan was refused or a view lacked its proof. Such cases `return
 * vacuous.add()` instead of returning early. A property that is hardly ever tested must fail.
 */
export class Vacuous {
  #count = 0;

  add(): void {
    this.#count += 1;
  }

  /** Fails if more than this part of the runs, from 0 to 1, showed nothing. */
  expectAtMost(part: number, runs: number): void {
    expect(this.#count, `${this.#count} of ${runs} runs showed nothing`).toBeLessThanOrEqual(runs * part);
  }
}
