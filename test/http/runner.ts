import { setTimeout as wait } from 'node:timers/promises';
import { SYSTEM_CLOCK } from '../../src/core/command/clock.ts';
import { createHttpTransport, type HttpLimits } from '../../src/core/service/http/transport.ts';
import { CANARY } from '../cmd/run.ts';
import { createRunner, type Runner } from '../support/world.ts';

/** What `tradeform apply` does, in this process and over HTTP. `delay`: milliseconds before each request. */
export function createHttpRunner(
  baseUrl: string,
  delay: () => number,
  { limits = {}, concurrency = 8 }: { limits?: Partial<HttpLimits>; concurrency?: number } = {},
): Runner & { close(): Promise<void> } {
  const http = createHttpTransport({ baseUrl, concurrency, limits });
  const close = () => http.close();
  const send: typeof http.send = async (request) => {
    const ms = delay();
    if (ms > 0) await wait(ms);
    return http.send(request);
  };
  const parts = { token: CANARY, clock: SYSTEM_CLOCK, random: Math.random, most: concurrency };
  return { ...createRunner({ ...parts, transport: { send, close } }), close };
}
