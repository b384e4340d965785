import type { Client, Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { Connections } from '../../src/api/connections.ts';
import { exchange } from '../../src/api/exchange.ts';

const LIMITS = { totalTimeout: 60_000, maxBody: 1_000 };
const REQUEST = { method: 'GET', path: '/v1/me' } as const;

/** A client of the library that keeps what it is asked for; the test answers. */
function fakeClient() {
  const handlers: Dispatcher.DispatchHandler[] = [];
  const aborted: unknown[] = [];
  const client = {
    on: () => client,
    destroy: async () => undefined,
    dispatch: (_request: unknown, handler: Dispatcher.DispatchHandler) => handlers.push(handler),
  };
  const controller: Dispatcher.DispatchController = {
    aborted: false,
    paused: false,
    reason: null,
    abort: (reason) => void aborted.push(reason),
    pause: () => undefined,
    resume: () => undefined,
  };
  const answer = (index: number) => {
    handlers[index]?.onRequestStart?.(controller, {});
    handlers[index]?.onResponseStart?.(controller, 200, {});
    handlers[index]?.onResponseData?.(controller, Buffer.from('{}'));
    handlers[index]?.onResponseEnd?.(controller, {});
  };
  return { client: client as unknown as Client, handlers, aborted, controller, answer };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const opened = (connections: Connections) => exchange(connections, REQUEST, LIMITS);

it('who is answered over a connection that was kept open goes on in the same turn, over the same', async () => {
  const fakes = [fakeClient(), fakeClient()];
  let open = 0;
  const [first, second] = fakes;
  const connections = new Connections(2, () => (fakes[open++] ?? fakeClient()).client);
  const events: string[] = [];
  const chain = async () => {
    await opened(connections);
    events.push('answered once');
    await opened(connections);
    events.push('answered twice');
    void opened(connections);
  };
  const done = chain();
  first?.answer(0);
  await Promise.resolve().then(() => undefined);
  // The service may close it now, whatever it said.
  expect(events).toEqual([]);
  await turn();
  expect(events).toEqual(['answered once']);
  setImmediate(() => events.push('the next turn'));
  first?.answer(1);
  await done;
  expect(events).toEqual(['answered once', 'answered twice']);
  expect(first?.handlers).toHaveLength(3);
  expect(second?.handlers).toHaveLength(0);
});

it('what was given up while it was being connected is not sent, and the connection is for others then', async () => {
  const { client, handlers, aborted, controller, answer } = fakeClient();
  const connections = new Connections(1, () => client);
  const late = exchange(connections, REQUEST, { ...LIMITS, totalTimeout: 1 });
  await expect(late).rejects.toMatchObject({ outcome: 'lost', detail: 'the answer took too long' });
  handlers[0]?.onRequestStart?.(controller, {});
  expect(aborted).toHaveLength(1);
  const other = opened(connections);
  handlers[0]?.onResponseError?.(controller, new Error('aborted'));
  await turn();
  answer(1);
  expect(await other).toEqual({ status: 200, headers: {}, body: '{}' });
});

it('what was given up while it waited for a connection takes none', async () => {
  const { client, handlers, answer } = fakeClient();
  const connections = new Connections(1, () => client);
  const first = opened(connections);
  const late = exchange(connections, REQUEST, { ...LIMITS, totalTimeout: 1 });
  await expect(late).rejects.toMatchObject({ outcome: 'lost', detail: 'the answer took too long' });
  answer(0);
  await first;
  const other = opened(connections);
  expect(handlers).toHaveLength(2);
  answer(1);
  await other;
});
