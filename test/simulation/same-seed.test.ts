import { expect, test } from 'vitest';
import { FULL } from '../support/sample.ts';
import { CI_BUDGET, playShard } from './budget.ts';

test('equal seeds, equal runs: two runs give the same hash over every request, answer and action', {
  timeout: 300_000,
}, async () => {
  const budget = { ...CI_BUDGET, swarmSeeds: CI_BUDGET.swarmSeeds.slice(0, FULL ? 400 : 200) };
  const first = await playShard(budget, 0, FULL ? 40 : 100);
  const second = await playShard(budget, 0, FULL ? 40 : 100);
  expect(first.cases).toBeGreaterThan(FULL ? 200 : 80);
  expect(second.hash).toBe(first.hash);
  expect([...second.fired]).toEqual([...first.fired]);
});
