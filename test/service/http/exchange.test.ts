import type { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { exchange } from '../../../src/core/service/http/exchange.ts';

it('a request that was given up while it waited for a connection is not sent', async () => {
  const handlers: Dispatcher.DispatchHandler[] = [];
  const pool = {
    dispatch: (_request: unknown, handler: Dispatcher.DispatchHandler) => handlers.push(handler) > 0,
  };
  const late = exchange(
    pool,
    { method: 'GET', path: '/v1/me' },
    { headersTimeout: 1_000, totalTimeout: 1, maxBody: 1_000, slowest: { bytes: 1, ms: 1_000 } },
  );
  await expect(late).rejects.toMatchObject({
    outcome: 'lost',
    detail: 'the answer took too long: more than 0.001 s',
  });
  const aborted: unknown[] = [];
  handlers[0]?.onRequestStart?.(
    {
      aborted: false,
      paused: false,
      reason: null,
      abort: (reason) => void aborted.push(reason),
      pause: () => undefined,
      resume: () => undefined,
    },
    {},
  );
  expect(aborted).toHaveLength(1);
});
