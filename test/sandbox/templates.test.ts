import { describe, expect, it } from 'vitest';
import { configFor } from '../support/builders.ts';
import { startService } from './service.ts';

/** Interface, "Template resources" and "Templates". */
describe.each(['sniper', 'copy-trade'] as const)('%s templates', (kind) => {
  const path = `/${kind}/templates`;
  const body = (name = 'base') => ({ name, config: configFor(kind) });

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
