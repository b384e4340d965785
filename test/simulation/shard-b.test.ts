import { expect, test } from 'vitest';
import { CI_BUDGET, FEWEST, playShard, SHARDS, told } from './budget.ts';

test.runIf(SHARDS > 1)(
  'the other half of the simulation: every invariant holds in every case',
  {
    timeout: 600_000,
  },
  async () => {
    const tally = await playShard(CI_BUDGET, 1);
    process.stdout.write(`\n${tally.report('simulation, shard b')}\n`);
    expect(told(tally)).toBe('');
    expect(tally.silent).toEqual([]);
    expect(tally.cases).toBeGreaterThanOrEqual(FEWEST);
  },
);
