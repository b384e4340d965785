import { expect, it } from 'vitest';
import { connect, DEFAULT_CONCURRENCY } from '../../src/core/command/connection.ts';
import { Masking } from '../../src/core/render/masking/masking.ts';

const TO = {
  baseUrl: 'https://service.invalid/v1',
  token: 'svc_live_0a1b2c3d.x',
  tokenPrefix: 'svc_live_0a1b2c3d',
};

const NEVER = new AbortController().signal;

/** The most slots for pages that there ever are; how many answers are quick enough for one more is up to the machine. */
async function most(concurrency?: number): Promise<{ readonly first: number; readonly most: number }> {
  const { pages, limiter, close } = connect(TO, {
    concurrency,
    masking: new Masking(),
    stop: { soft: NEVER, hard: NEVER },
  });
  const first = pages.limit;
  let reached = first;
  for (let answers = 0; answers < 300; answers += 1) {
    (await pages.acquire())();
    reached = Math.max(reached, pages.limit);
  }
  expect(limiter.limit).toBe(concurrency ?? DEFAULT_CONCURRENCY);
  await close();
  return { first, most: reached };
}

it('--concurrency limits the pages that are read at the same time, as it limits everything', async () => {
  expect(await most(3)).toEqual({ first: 3, most: 3 });
  expect(await most(50)).toEqual({ first: 50, most: 50 });
});

it('without it reading begins with as many slots as writing, and may grow to 32', async () => {
  const { first, most: reached } = await most();
  expect(first).toBe(8);
  expect(reached).toBeLessThanOrEqual(32);
});
