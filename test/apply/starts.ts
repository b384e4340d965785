import { expect } from 'vitest';
import type { Scenario } from './scenarios.ts';
import type { Stage } from './stage.ts';

/** Starts that the service carried out since the stage was made; of a `buy_once` task each may be a purchase. */
export function startsOf({ sandbox }: Stage): number {
  return sandbox.log.filter(({ path, status }) => path.endsWith('/resume') && status === 200).length;
}

/**
 * A task is started once at most where git wants it running, and never where git does not, whatever befell the applies.
 * For `buy_once` this holds where nothing else can be said: whether the task runs at the end depends on what was lost.
 */
export function expectStartsAsked({ name, runs }: Scenario, stage: Stage, label: string): void {
  expect(startsOf(stage), `${name}, ${label}: starts`).toBeLessThanOrEqual(runs === true ? 1 : 0);
}
