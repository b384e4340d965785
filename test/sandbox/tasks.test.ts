import { describe, expect, it } from 'vitest';
import { configFor } from '../support/builders.ts';
import { KINDS, START, startService, taskBody } from './service.ts';

/** Interface, "Task resources", "Endpoints", "States and transitions". */
describe.each(KINDS)('%s tasks', (kind) => {
  const path = `/${kind}/configs`;

  it('is created paused at version 1, with ETag and X-Request-Id', async () => {
    const service = startService();
    const body = taskBody(kind);
    const reply = await service.ask('POST', path, { body });
    expect(reply.status).toBe(201);
    expect(reply.headers).toMatchObject({
      etag: '"v1"',
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': reply.body.meta.request_id,
      date: new Date(START).toUTCString(),
    });
    expect(reply.body.meta).toMatchObject({ persistence: 'committed', propagation: 'eventual' });
    const { id, ...rest } = reply.data;
    expect(rest).toEqual({
      ...body,
      is_active: false,
      risk_label_id: null,
      version: 1,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
    });
    const read = await service.ask('GET', `${path}/${id}`);
    expect([read.status, read.headers.etag, read.data]).toEqual([200, '"v1"', reply.data]);
    expect(Object.hasOwn(read.data, 'linked_wallets')).toBe(kind === 'copy-trade');
  });

  it('resumes, pauses and deletes with the latest version', async () => {
    const service = startService();
    const { id } = await service.make(kind);
    service.pass(1000);
    const resumed = await service.ask('POST', `${path}/${id}/resume`, { ifMatch: 1 });
    expect([resumed.status, resumed.headers.etag, resumed.data.is_active, resumed.data.version]).toEqual([
      200,
      '"v2"',
      true,
      2,
    ]);
    expect(resumed.data.updated_at).toBe('2026-03-01T12:00:01.000Z');
    const paused = await service.ask('POST', `${path}/${id}/pause`, { ifMatch: 2 });
    expect([paused.status, paused.headers.etag, paused.data.is_active]).toEqual([200, '"v3"', false]);
    const deleted = await service.ask('DELETE', `${path}/${id}`, { ifMatch: 3 });
    expect([deleted.status, deleted.body, deleted.headers.etag]).toEqual([204, undefined, undefined]);
    expect(deleted.headers['x-request-id']).toBeDefined();
    expect((await service.ask('GET', `${path}/${id}`)).code).toBe('not_found');
    expect((await service.ask('DELETE', `${path}/${id}`, { ifMatch: 3 })).code).toBe('not_found');
  });

  it('changes remark and label of an active task', async () => {
    const service = startService();
    const label = (await service.ask('POST', '/labels', { body: { name: 'a', sort_order: 1 } })).data;
    const task = await service.make(kind, 1, {}, true);
    const reply = await service.ask('PATCH', `${path}/${task.id}`, {
      body: { remark: ' new ', risk_label_id: label.id },
      ifMatch: 2,
    });
    expect(reply.data).toEqual({ ...task, remark: 'new', risk_label_id: label.id, version: 3 });
    expect(reply.headers.etag).toBe('"v3"');
    const off = await service.ask('PATCH', `${path}/${task.id}`, {
      body: { risk_label_id: null },
      ifMatch: 3,
    });
    expect(off.data.risk_label_id).toBeNull();
  });

  it('is not found in another collection, by another account, or under another id', async () => {
    const service = startService({ seed: { accounts: [{ id: 'a' }, { id: 'b' }] } });
    const other = service.sandbox.tokens()[1]?.token ?? '';
    const { id } = await service.make(kind);
    for (const elsewhere of KINDS.filter((name) => name !== kind)) {
      expect((await service.ask('GET', `/${elsewhere}/configs/${id}`)).code).toBe('not_found');
    }
    for (const [method, suffix, body] of [
      ['GET', ''],
      ['PATCH', '', { remark: 'x' }],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
    ] as const) {
      const ask = { token: other, ifMatch: 1, ...(body === undefined ? {} : { body }) };
      const reply = await service.ask(method, `${path}/${id}${suffix}`, ask);
      expect([method, reply.status, reply.code]).toEqual([method, 404, 'not_found']);
      const missing = await service.ask(method, `${path}/00000000-0000-4000-8000-ffffffffffff${suffix}`, {
        ...ask,
      });
      expect(missing.body.error).toEqual(reply.body.error);
    }
  });

  it('refuses a foreign or missing label with not_found', async () => {
    const service = startService({
      seed: { accounts: [{ id: 'a' }, { id: 'b', labels: [{ name: 'theirs' }] }] },
    });
    const [foreign = ''] = service.sandbox.state.labels.keys();
    for (const risk_label_id of [foreign, '00000000-0000-4000-8000-ffffffffffff']) {
      const reply = await service.ask('POST', path, { body: taskBody(kind, 1, { risk_label_id }) });
      expect([reply.status, reply.code]).toEqual([404, 'not_found']);
    }
    const { id } = await service.make(kind, 1, { risk_label_id: null });
    const patched = await service.ask('PATCH', `${path}/${id}`, {
      body: { risk_label_id: foreign },
      ifMatch: 1,
    });
    expect(patched.code).toBe('not_found');
    const malformed = await service.ask('PATCH', `${path}/${id}`, {
      body: { risk_label_id: 'high' },
      ifMatch: 1,
    });
    expect(malformed.fields).toEqual([{ path: 'risk_label_id', reason: 'invalid_uuid' }]);
  });

  it('does not resume a legacy snapshot, and says where it fails', async () => {
    const service = startService();
    const task = await service.make(kind, 1, {}, true);
    service.sandbox.editStored(task.id, { merge: { old_field: 1, dex_source: 'auto' } });
    const paused = await service.ask('POST', `${path}/${task.id}/pause`, { ifMatch: 3 });
    expect(paused.data.config).toMatchObject({ old_field: 1 });
    const resumed = await service.ask('POST', `${path}/${task.id}/resume`, { ifMatch: 4 });
    expect(resumed.code).toBe('validation_error');
    expect(resumed.fields).toEqual([
      { path: 'config.old_field', reason: 'unknown_property' },
      { path: 'config.dex_source', reason: 'invalid_enum_value' },
    ]);
    expect((await service.get(kind, task.id)).is_active).toBe(false);
    await service.ask('PATCH', `${path}/${task.id}`, { body: { config: configFor(kind) }, ifMatch: 4 });
    expect((await service.ask('POST', `${path}/${task.id}/resume`, { ifMatch: 5 })).data.is_active).toBe(
      true,
    );
  });

  it('is deactivated by its first trade with buy_once, and only then', async () => {
    const service = startService();
    const once = await service.make(kind, 1, { config: configFor(kind, { buy_once: true }) }, true);
    const often = await service.make(kind, 2, {}, true);
    expect(service.sandbox.fire(once.id)).toEqual({ traded: true, deactivated: true });
    expect(service.sandbox.fire(often.id)).toEqual({ traded: true, deactivated: false });
    expect(service.sandbox.fire(once.id)).toEqual({ traded: false, deactivated: false });
    expect(await service.get(kind, once.id)).toMatchObject({ is_active: false, version: 3 });
    expect(await service.get(kind, often.id)).toEqual(often);
  });
});
