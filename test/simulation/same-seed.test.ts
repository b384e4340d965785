import { expect, test } from 'vitest';
import { FULL } from '../support/sample.ts';
import { CI_BUDGET, playShard } from './budget.ts';

test('equal seeds, equal runs: two runs give the same hash over every request, answer and action', {
  timeout: 300_000,
}, async () => {
  const budget = { ...CI_BUDGET, swarmSeeds: CI_BUDGET.swarmSeeds.slice(0, FULL ? 400 : 10) };
  const oneIn = () => (FULL ? 40 : 600);
  const first = await playShard(budget, 0, oneIn);
  const second = await playShard(budget, 0, oneIn);
  expect(first.cases).toBeGreaterThan(FULL ? 200 : 30);
  expect(second.hash).toBe(first.hash);
  expect([...second.fired]).toEqual([...first.fired]);
});
