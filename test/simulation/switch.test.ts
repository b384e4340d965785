import { expect, test } from 'vitest';
import { walk } from './switch-walk.ts';

/** `SWITCH_WALKS=5000` walks longer; `SWITCH_SEED=17` one alone. */
const FIRST = Number(process.env.SWITCH_SEED ?? 1);
const WALKS = process.env.SWITCH_SEED === undefined ? Number(process.env.SWITCH_WALKS ?? 150) : 1;

test(
  'the switch keeps its promises, whatever people, applies and crashes do',
  async () => {
    const counts = new Map<string, number>();
    for (let seed = FIRST; seed < FIRST + WALKS; seed += 1) {
      const { problems, lines, counts: of } = await walk(seed);
      expect(problems, lines.join('\n')).toEqual([]);
      for (const [name, times] of of) counts.set(name, (counts.get(name) ?? 0) + times);
    }
    if (WALKS === 1) return;
    // What never happened was not shown.
    for (const name of ['pauses', 'resumed', 'stopped by a person'])
      expect(counts.get(name) ?? 0, name).toBeGreaterThan(WALKS / 5);
    expect(counts.get('frozen') ?? 0, 'an apply on a frozen account').toBeGreaterThan(WALKS / 30);
    expect(counts.get('pauses within a resume') ?? 0).toBeGreaterThan(WALKS / 30);
  },
  Math.max(300_000, WALKS * 1_000),
);
