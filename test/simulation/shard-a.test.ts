import { expect, test } from 'vitest';
import { CI_BUDGET, FEWEST, playShard, told } from './budget.ts';

test('the simulation: every invariant holds in every case', {
  timeout: 600_000,
}, async () => {
  const tally = await playShard(CI_BUDGET, 0);
  process.stdout.write(`\n${tally.report('simulation, shard a')}\n`);
  expect(told(tally)).toBe('');
  expect(tally.silent).toEqual([]);
  expect(tally.cases).toBeGreaterThanOrEqual(FEWEST);
});
