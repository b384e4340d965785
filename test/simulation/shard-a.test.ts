import { expect, test } from 'vitest';
import { CI_BUDGET, EVERY, playShard, told } from './budget.ts';

test('half of the simulation: every invariant holds in every case that is played', {
  timeout: 600_000,
}, async () => {
  const tally = await playShard(CI_BUDGET, 0, { every: EVERY });
  process.stdout.write(`\n${tally.report('simulation, shard a')}\n`);
  expect(told(tally)).toBe('');
  expect(tally.silent).toEqual([]);
  expect(tally.cases).toBeGreaterThanOrEqual(10_000 / EVERY);
});
