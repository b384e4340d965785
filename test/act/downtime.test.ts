import { describe, expect, test } from 'vitest';
import {
  bucket,
  type Mood,
  type Ordeal,
  type OrdealOptions,
  ordeal,
  perWindow,
  slowAtTimes,
} from './busy-service.ts';

const LATENCY = 50;
const RUN = { tasks: 100, latency: LATENCY, concurrency: 16 };

/** The mean over a few runs: where a throttle strikes is chance. */
async function meanPaused(mood: () => Mood, options: OrdealOptions): Promise<number> {
  let sum = 0;
  const seeds = [1, 2, 3];
  for (const seed of seeds) {
    const { paused, report } = await ordeal(mood(), { ...options, seed });
    expect(report.outcome).toBe('done');
    sum += paused / options.tasks;
  }
  return sum / seeds.length;
}

/** From the answer to the pause to the answer to the resume, by the service's log. */
function pausedByLog({ sandbox }: Ordeal): ReadonlyMap<string, number> {
  const since = new Map<string, number>();
  const times = new Map<string, number>();
  for (const { at, path, status } of sandbox.log) {
    const [, id = '', verb] = /([^/]+)\/(pause|resume)$/.exec(path) ?? [];
    if (status !== 200 || verb === undefined) continue;
    if (verb === 'pause') since.set(id, at);
    else times.set(id, at - (since.get(id) ?? Number.NaN));
  }
  return times;
}

describe('how long tasks are paused while their configs are changed', () => {
  test('is two round trips, for any number of tasks and slots', async () => {
    for (const concurrency of [1, 3, 16]) {
      const { report, longest } = await ordeal({}, { ...RUN, concurrency });
      expect(report.changes.map(({ paused_ms }) => paused_ms)).toEqual(Array(RUN.tasks).fill(2 * LATENCY));
      expect(longest).toBe(2 * LATENCY);
    }
  });

  /**
   * Milliseconds on average. The third is what it was when every chain in hand went on as before after a throttle; what it is
   * now is about two thirds of the second. At 60 requests a minute, the labels are read again while a task is paused.
   */
  const MOODS: [string, () => Mood, number, number][] = [
    ['60 requests a minute', () => perWindow(60, 60_000), 5_000, 17_900],
    ['20 requests a second, 40 at first', () => bucket(20, 40), 480, 780],
    ['50 requests a second, 10 at first', () => bucket(50, 10), 360, 810],
    [
      'at most 4 requests in flight',
      () => ({ throttles: (_, flying) => (flying > 4 ? 1 : undefined) }),
      420,
      2_350,
    ],
    [
      'one of 33 throttled',
      () => ({ throttles: (_, _flying, random) => (random() < 0.03 ? 2 : undefined) }),
      550,
      1_130,
    ],
    ['20 requests a second, and slow at times', () => slowAtTimes(bucket(20, 40)), 690, 835],
  ];
  test.each(MOODS)('is short where the service allows %s', async (_name, mood, most) => {
    expect(await meanPaused(mood, RUN)).toBeLessThan(most);
  });

  test('depends only on the slow answers if nothing else delays it', async () => {
    const { paused } = await ordeal(slowAtTimes({}), RUN);
    // An answer takes 1.95 round trips on average.
    expect(paused / RUN.tasks / LATENCY).toBeLessThan(2 * 1.95 * 1.15);
  });
});

describe('in the report', () => {
  test.each<[string, () => Mood]>([
    ['at peace', () => ({})],
    ['throttled', () => bucket(20, 40)],
  ])('agrees with the log of the service: %s', async (_name, mood) => {
    const run = await ordeal(mood(), { ...RUN, tasks: 40 });
    const byId = new Map(run.report.changes.map(({ id, paused_ms }) => [id, paused_ms]));
    expect(byId).toEqual(pausedByLog(run));
    expect([...byId.values()].reduce<number>((sum, ms) => sum + (ms ?? 0), 0)).toBe(run.paused);
  });

  test('shows the wait of settle separately', async () => {
    // After five seconds, the labels are read again.
    const { report } = await ordeal({}, { ...RUN, tasks: 1, settle: 5_000 });
    expect(report.changes[0]).toMatchObject({ paused_ms: 5_000 + 3 * LATENCY, settle_ms: 5_000 });
  });
});
