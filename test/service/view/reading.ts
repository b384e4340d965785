import type { ProgressEvent } from '../../../src/core/ports/output.ts';
import { createApi } from '../../../src/core/service/http/client.ts';
import { type ReadOptions, readLive } from '../../../src/core/service/view/read.ts';
import type { FakeService } from './service.ts';

/** Reads a fake service whose clock moves only by the reader's own waits and by what its hooks do. */
export async function read(service: FakeService, options: Partial<ReadOptions> = {}) {
  const waits: number[] = [];
  const events: ProgressEvent[] = [];
  const clock = {
    now: () => service.now,
    sleep: async (ms: number) => {
      waits.push(ms);
      service.now += ms;
    },
  };
  const transport = {
    send: async (request: Parameters<FakeService['handle']>[0]) => service.handle(request),
    close: async () => undefined,
  };
  const api = createApi({ transport, token: 'svc_live_0a1b2c3d.x', clock, random: () => 0, userAgent: 't' });
  const progress = { emit: (event: ProgressEvent) => void events.push(event) };
  const result = await readLive({ api, clock, needed: new Set(), progress, ...options });
  /** Why it read again. */
  const reasons = events.flatMap((event) => (event.type === 'read-again' ? [event.reason] : []));
  return { ...result, waits, events, reasons };
}
