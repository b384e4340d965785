import { expect, it } from 'vitest';
import { KINDS, startService } from './service.ts';

/** Interface, "Label resource" and "Labels". */
const label = (name: string, sort_order = 0) => ({ body: { name, sort_order } });

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
