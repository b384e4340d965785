import type { Clock } from '../../../src/core/ports/clock.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
} from '../../../src/core/ports/transport.ts';

export const CANARY = 'svc_live_0a1b2c3d.CANARYsecretCANARY';

export interface VirtualClock extends Clock {
  /** Lengths of all sleeps, in the order in which they began. */
  readonly sleeps: number[];
}

/** Time that stands still while work goes on and jumps to the next timer when nothing else is to be done. */
export function virtualClock(start = Date.parse('2026-11-21T12:00:00Z')): VirtualClock {
  let now = start;
  const timers: { at: number; resolve: () => void }[] = [];
  const sleeps: number[] = [];
  let pumping = false;
  const pump = () => {
    const next = timers.sort((left, right) => left.at - right.at).shift();
    if (next === undefined) {
      pumping = false;
      return;
    }
    now = Math.max(now, next.at);
    next.resolve();
    setImmediate(pump);
  };
  return {
    sleeps,
    now: () => now,
    sleep(ms) {
      sleeps.push(ms);
      return new Promise((resolve) => {
        timers.push({ at: now + ms, resolve });
        if (pumping) return;
        pumping = true;
        setImmediate(pump);
      });
    },
  };
}

export type Reply = HttpResponse | TransportError | Promise<HttpResponse>;

/** A transport that answers by a function and remembers what it was asked. */
export function fakeTransport(
  answer: (request: HttpRequest, index: number) => Reply,
): Transport & { requests: HttpRequest[] } {
  const requests: HttpRequest[] = [];
  return {
    requests,
    async send(request) {
      const index = requests.push(request) - 1;
      const reply = answer(request, index);
      if (reply instanceof TransportError) throw reply;
      return reply;
    },
    close: async () => undefined,
  };
}

/** Replies in turn; the last one again and again. */
export function inTurn(...replies: Reply[]): (request: HttpRequest, index: number) => Reply {
  return (_request, index) => replies[Math.min(index, replies.length - 1)] as Reply;
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

export function ok(data: unknown, headers: Record<string, string> = {}): HttpResponse {
  return json(200, { data, meta: { request_id: 'req-1' } }, headers);
}

export function refusal(status: number, code: string, headers: Record<string, string> = {}): HttpResponse {
  return json(status, { error: { code, message: `said ${code}` }, request_id: 'req-9' }, headers);
}
