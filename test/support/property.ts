import { expect } from 'vitest';

/**
 * Counts the cases of a property that showed nothing, since a plan was refused or a view was without proof: they `return
 * vacuous.add()` where they would return early. A property that is hardly ever tried holds as well, and must fail.
 */
export class Vacuous {
  #count = 0;

  add(): void {
    this.#count += 1;
  }

  /** Fails where more than this part of the runs, from 0 to 1, showed nothing. */
  expectAtMost(part: number, runs: number): void {
    expect(this.#count, `${this.#count} of ${runs} runs showed nothing`).toBeLessThanOrEqual(runs * part);
  }
}
