import { expect, it } from 'vitest';
import { KINDS, startService } from './service.ts';

/** Interface, "Label resource" and "Labels". */
const label = (name: string, sort_order = 0) => ({ body: { name, sort_order } });

it('are created, read, patched and deleted without ETag and If-Match', async () => {
  const service = startService();
  const made = await service.ask('POST', '/labels', label('high', 3));
  expect([made.status, made.headers.etag]).toEqual([201, undefined]);
  expect(made.data).toEqual({ id: made.data.id, name: 'high', sort_order: 3, transfer_snipe_count: 0 });
  const path = `/labels/${made.data.id}`;
  const read = await service.ask('GET', path);
  expect([read.status, read.headers.etag, read.data]).toEqual([200, undefined, made.data]);
  const patched = await service.ask('PATCH', path, { body: { name: 'low' } });
  expect([patched.status, patched.data]).toEqual([200, { ...made.data, name: 'low' }]);
  expect((await service.ask('PATCH', path, { body: { sort_order: -2 } })).data.sort_order).toBe(-2);
  expect((await service.ask('DELETE', path)).status).toBe(204);
  expect((await service.ask('DELETE', path)).code).toBe('not_found');
  expect((await service.ask('PATCH', path, { body: { name: 'x' } })).code).toBe('not_found');
});

it('are listed completely, by sort_order and then created_at, without next_cursor', async () => {
  const service = startService();
  for (const [name, order] of [
    ['c', 2],
    ['a', 1],
    ['d', 2],
    ['b', 1],
  ] as const) {
    service.pass(1000);
    await service.ask('POST', '/labels', label(name, order));
  }
  const reply = await service.ask('GET', '/labels');
  expect(reply.data.items.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'c', 'd']);
  expect(reply.data).not.toHaveProperty('next_cursor');
});

it('have unique names per account', async () => {
  const service = startService({ seed: { accounts: [{}, {}] } });
  await service.ask('POST', '/labels', label('a'));
  expect((await service.ask('POST', '/labels', label(' a '))).code).toBe('label_name_exists');
  const { id } = (await service.ask('POST', '/labels', label('b'))).data;
  expect((await service.ask('PATCH', `/labels/${id}`, { body: { name: 'a' } })).code).toBe(
    'label_name_exists',
  );
  expect((await service.ask('PATCH', `/labels/${id}`, { body: { name: 'b', sort_order: 9 } })).status).toBe(
    200,
  );
  const other = service.sandbox.tokens()[1]?.token ?? '';
  expect((await service.ask('POST', '/labels', { ...label('a'), token: other })).status).toBe(201);
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { body: { name: 'z' } } : {};
    expect((await service.ask(method, `/labels/${id}`, { ...body, token: other })).code).toBe('not_found');
  }
});

it('are limited to 20', async () => {
  const service = startService();
  for (let n = 0; n < 20; n += 1)
    expect((await service.ask('POST', '/labels', label(`l${n}`))).status).toBe(201);
  expect((await service.ask('POST', '/labels', label('one more'))).code).toBe('quota_exceeded');
});

it('count their transfer-snipe tasks, and detach from every kind when deleted', async () => {
  const service = startService();
  const { id } = (await service.ask('POST', '/labels', label('a'))).data;
  for (const kind of KINDS) await service.make(kind, 1, { risk_label_id: id }, true);
  await service.make('transfer-snipe', 2, { risk_label_id: id });
  const other = (await service.ask('POST', '/labels', { body: { name: 'b', sort_order: 1 } })).data.id;
  const kept = await service.make('sniper', 3, { risk_label_id: other });
  expect((await service.ask('GET', `/labels/${id}`)).data.transfer_snipe_count).toBe(2);
  await service.ask('DELETE', `/labels/${id}`);
  expect(await service.get('sniper', kept.id)).toEqual(kept);
  for (const task of service.sandbox.state.tasks.values()) {
    if (task.id === kept.id) continue;
    expect(await service.get(task.collection, task.id)).toMatchObject({
      risk_label_id: null,
      version: task.version,
    });
  }
});
