import { describe, expect, it } from 'vitest';
import { configFor } from '../support/builders.ts';
import { startService } from './service.ts';

/** Interface, "Template resources" and "Templates". */
describe.each(['sniper', 'copy-trade'] as const)('%s templates', (kind) => {
  const path = `/${kind}/templates`;
  const body = (name = 'base') => ({ name, config: configFor(kind) });

  it('are created, read, patched and deleted', async () => {
    const service = startService();
    const made = await service.ask('POST', path, { body: body() });
    expect([made.status, made.headers.etag, made.headers['x-request-id'] === undefined]).toEqual([
      201,
      '"v1"',
      false,
    ]);
    const { id } = made.data;
    expect(made.data).toEqual({
      ...body(),
      id,
      version: 1,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
    });
    expect((await service.ask('GET', `${path}/${id}`)).headers.etag).toBe('"v1"');
    const renamed = await service.ask('PATCH', `${path}/${id}`, { body: { name: ' other ' }, ifMatch: 1 });
    expect([renamed.status, renamed.headers.etag, renamed.data.name]).toEqual([200, '"v2"', 'other']);
    const config = configFor(kind, { dex_source: 'global' });
    expect(
      (await service.ask('PATCH', `${path}/${id}`, { body: { config }, ifMatch: 2 })).data.config,
    ).toEqual(config);
    const deleted = await service.ask('DELETE', `${path}/${id}`, { ifMatch: 3 });
    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    expect((await service.ask('GET', `${path}/${id}`)).code).toBe('not_found');
  });

  it('have unique names within their kind and account', async () => {
    const service = startService({ seed: { accounts: [{}, {}] } });
    await service.ask('POST', path, { body: body('a') });
    expect((await service.ask('POST', path, { body: body('a') })).code).toBe('template_name_exists');
    const { id } = (await service.ask('POST', path, { body: body('b') })).data;
    const clash = await service.ask('PATCH', `${path}/${id}`, { body: { name: 'a' }, ifMatch: 1 });
    expect(clash.code).toBe('template_name_exists');
    expect((await service.ask('PATCH', `${path}/${id}`, { body: { name: 'b' }, ifMatch: 1 })).status).toBe(
      200,
    );
    const other = service.sandbox.tokens()[1]?.token ?? '';
    expect((await service.ask('POST', path, { body: body('a'), token: other })).status).toBe(201);
    expect((await service.ask('GET', `${path}/${id}`, { token: other })).code).toBe('not_found');
  });

  it('never touch tasks: not when changed, not when deleted', async () => {
    const config = configFor(kind);
    const service = startService({
      seed: {
        accounts: [
          {
            templates: [{ kind, name: 't', config }],
            tasks: [{ kind, target_wallet: '1'.repeat(32), template: 't', is_active: true, config }],
          },
        ],
      },
    });
    const [task] = [...service.sandbox.state.tasks.values()];
    const [id = ''] = service.sandbox.state.templates.keys();
    const before = await service.get(kind, task?.id ?? '');
    await service.ask('PATCH', `${path}/${id}`, {
      body: { config: configFor(kind, { dex_source: 'global' }) },
      ifMatch: 1,
    });
    expect(await service.get(kind, before.id)).toEqual(before);
    await service.ask('DELETE', `${path}/${id}`, { ifMatch: 2 });
    expect(await service.get(kind, before.id)).toEqual(before);
    expect(service.sandbox.state.tasks.get(before.id)?.template_id).toBeNull();
    expect(before).not.toHaveProperty('template_id');
  });

  it('do not use the task quota and have no pause, resume, status or label filter', async () => {
    const service = startService({ seed: { accounts: [{ quota: { max: 0 } }] } });
    const made = await service.ask('POST', path, { body: body() });
    expect(made.status).toBe(201);
    expect((await service.ask('POST', `${path}/${made.data.id}/resume`, { ifMatch: 1 })).code).toBe(
      'not_found',
    );
    const listed = await service.ask('GET', `${path}?status=active&label_id=x`);
    expect(listed.data.items).toHaveLength(1);
  });
});

it('sniper and copy-trade templates are limited to 1,000 together', async () => {
  const templates = Array.from({ length: 999 }, (_, n) => ({
    kind: 'sniper' as const,
    name: `t${n}`,
    config: configFor('sniper'),
  }));
  const service = startService({ seed: { accounts: [{ templates }] } });
  const create = (name: string) =>
    service.ask('POST', '/copy-trade/templates', { body: { name, config: configFor('copy-trade') } });
  expect((await create('last')).status).toBe(201);
  expect((await create('more')).code).toBe('quota_exceeded');
});

it('transfer-snipe has no templates', async () => {
  const service = startService();
  const reply = await service.ask('POST', '/transfer-snipe/templates', {
    body: { name: 'a', config: configFor('transfer-snipe') },
  });
  expect(reply.code).toBe('not_found');
});
