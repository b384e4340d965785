import { describe, expect, it } from 'vitest';
import { configFor } from '../support/builders.ts';
import { KINDS, startService, taskBody } from './service.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Interface, "Headers used by endpoints", `Idempotency-Key`. */
describe.each([
  ...KINDS.map((kind) => [`/${kind}/configs`, taskBody(kind), taskBody(kind, 2)] as const),
  [
    '/sniper/templates',
    { name: 'a', config: configFor('sniper') },
    { name: 'b', config: configFor('sniper') },
  ],
  ['/labels', { name: 'a', sort_order: 1 }, { name: 'b', sort_order: 1 }],
] as const)('create at %s', (path, body, other) => {
  const key = 'a-key.of_8:OK';

  it('answers the original body to the same key and body, and makes one resource', async () => {
    const service = startService();
    const first = await service.ask('POST', path, { body, key });
    service.pass(DAY - 1);
    const again = await service.ask('POST', path, { raw: JSON.stringify(body, null, 2), key });
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.etag).toBe(first.headers.etag);
    expect(again.headers.date).not.toBe(first.headers.date);
    const listed = await service.ask('GET', path);
    expect(listed.data.items).toHaveLength(1);
  });

  it('forgets after 24 hours', async () => {
    const service = startService();
    const first = await service.ask('POST', path, { body, key });
    service.pass(DAY);
    const reply = await service.ask('POST', path, { body: other, key });
    expect(reply.status).toBe(201);
    expect(reply.data.id).not.toBe(first.data.id);
  });
});

describe('the memory of keys', () => {
  const key = 'the-same-key';

  it('replays a resource that was deleted since', async () => {
    const service = startService();
    const first = await service.ask('POST', '/sniper/configs', { body: taskBody('sniper'), key });
    await service.ask('DELETE', `/sniper/configs/${first.data.id}`, { ifMatch: 1 });
    const again = await service.ask('POST', '/sniper/configs', { body: taskBody('sniper'), key });
    expect([again.status, again.data.id]).toEqual([201, first.data.id]);
    expect((await service.ask('GET', `/sniper/configs/${first.data.id}`)).code).toBe('not_found');
  });

  it('belongs to the account', async () => {
    const service = startService({ seed: { accounts: [{ tokens: [{}, {}] }, {}] } });
    const [, same = '', other = ''] = service.sandbox.tokens().map(({ token }) => token);
    const first = await service.ask('POST', '/sniper/configs', { body: taskBody('sniper'), key });
    expect(
      (await service.ask('POST', '/sniper/configs', { body: taskBody('sniper'), key, token: same })).data.id,
    ).toBe(first.data.id);
    expect(
      (await service.ask('POST', '/sniper/configs', { body: taskBody('sniper'), key, token: other })).data.id,
    ).not.toBe(first.data.id);
  });

  it('forgets refused creates', async () => {
    const service = startService({ seed: { accounts: [{ quota: { max: 1 } }] } });
    const { id } = await service.make('sniper');
    expect((await service.ask('POST', '/sniper/configs', { body: taskBody('sniper', 2), key })).code).toBe(
      'quota_exceeded',
    );
    await service.ask('DELETE', `/sniper/configs/${id}`, { ifMatch: 1 });
    expect((await service.ask('POST', '/sniper/configs', { body: taskBody('sniper', 3), key })).status).toBe(
      201,
    );
  });

  it('does not grow for ever', async () => {
    const service = startService();
    for (const n of [1, 2, 3]) {
      await service.make('sniper', n);
      service.pass(DAY / 2);
    }
    expect(service.sandbox.state.replays.size).toBe(2);
  });

  it('gives two equal simultaneous requests one resource', async () => {
    const service = startService();
    const replies = await Promise.all(
      [1, 2].map(() => service.ask('POST', '/sniper/configs', { body: taskBody('sniper'), key })),
    );
    expect(replies[0]?.data.id).toBe(replies[1]?.data.id);
    expect(service.sandbox.state.tasks.size).toBe(1);
  });
});
