import { describe, expect, it } from 'vitest';
import fc from '../properties.ts';
import { configFor, wallet } from '../support/builders.ts';
import { KINDS, startService, traverse } from './service.ts';

/** Interface, "List query parameters". */
describe.each(KINDS)('list of %s tasks', (kind) => {
  const path = `/${kind}/configs`;

  async function filled(count: number, options = {}) {
    const service = startService(options);
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      service.pass(n % 3 === 0 ? 0 : 10);
      ids.push((await service.make(kind, n)).id);
    }
    return { service, ids };
  }

  it('gives 20 on a page by default, at most 100', async () => {
    const { service } = await filled(101, { seed: { accounts: [{ quota: { max: 200 } }] } });
    expect((await service.ask('GET', path)).data.items).toHaveLength(20);
    expect((await service.ask('GET', `${path}?limit=100`)).data.items).toHaveLength(100);
  });

  it('filters by status, label and text, and binds the cursor to them and to the token', async () => {
    const service = startService({ seed: { accounts: [{ tokens: [{}, {}] }] } });
    const label = (await service.ask('POST', '/labels', { body: { name: 'a', sort_order: 1 } })).data.id;
    const a = await service.make(kind, 1, { remark: 'Alpha one', risk_label_id: label }, true);
    const b = await service.make(kind, 2, { remark: 'beta' });
    const c = await service.make(kind, 3, { remark: 'ALPHA two' });
    const ids = async (query: string) => (await traverse(service, `${path}?${query}`)).flat().sort();
    expect(await ids('status=active')).toEqual([a.id]);
    expect(await ids('status=paused')).toEqual([b.id, c.id].sort());
    expect(await ids(`label_id=${label}`)).toEqual([a.id]);
    expect(await ids('label_id=unlabeled')).toEqual([b.id, c.id].sort());
    expect(await ids('q=alpha')).toEqual([a.id, c.id].sort());
    expect(await ids(`q=${wallet(2)}`)).toEqual([b.id]);
    expect(await ids('q=alpha&status=paused&label_id=unlabeled')).toEqual([c.id]);
    const { next_cursor } = (await service.ask('GET', `${path}?limit=1&q=alpha`)).data;
    for (const query of [
      'limit=1',
      'limit=1&q=beta',
      'limit=1&q=alpha&status=paused',
      'limit=1&q=alpha&label_id=unlabeled',
    ]) {
      expect([query, (await service.ask('GET', `${path}?${query}&cursor=${next_cursor}`)).code]).toEqual([
        query,
        'invalid_request',
      ]);
    }
    const token = service.sandbox.tokens()[1]?.token ?? '';
    expect((await service.ask('GET', `${path}?limit=1&q=alpha&cursor=${next_cursor}`, { token })).code).toBe(
      'invalid_request',
    );
    expect(
      (await service.ask('GET', `${path}?limit=1&q=alpha&cursor=${next_cursor}`)).data.items,
    ).toHaveLength(1);
  });

  it('refuses a cursor that was tampered with', async () => {
    const { service } = await filled(3);
    const { next_cursor } = (await service.ask('GET', `${path}?limit=1`)).data;
    const [text, check] = next_cursor.split('.');
    const longer = Buffer.from(`${Buffer.from(text, 'base64url')} `).toString('base64url');
    for (const bad of [text, `${text}.`, `${longer}.${check}`, `${text}.${check}0`, `AAAA.${check}`]) {
      expect([bad, (await service.ask('GET', `${path}?limit=1&cursor=${bad}`)).code]).toEqual([
        bad,
        'invalid_request',
      ]);
    }
  });

  it('shows only the tasks of the account', async () => {
    const service = startService({ seed: { accounts: [{}, {}] } });
    await service.make(kind);
    const token = service.sandbox.tokens()[1]?.token ?? '';
    expect((await service.ask('GET', path, { token })).data.items).toEqual([]);
  });
});

describe('list of templates', () => {
  it('pages, searches names only, and binds the cursor to the search', async () => {
    const service = startService();
    for (const name of ['Slow', 'fast', 'fastest']) {
      service.pass(10);
      await service.ask('POST', '/sniper/templates', { body: { name, config: configFor('sniper') } });
    }
    await service.ask('POST', '/copy-trade/templates', {
      body: { name: 'fast', config: configFor('copy-trade') },
    });
    const names = async (query: string) =>
      (await service.ask('GET', `/sniper/templates?${query}`)).data.items.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names('')).toEqual(['fastest', 'fast', 'Slow']);
    expect(await names('q=FAST')).toEqual(['fastest', 'fast']);
    expect(await names('q=pump-fun')).toEqual([]);
    expect((await traverse(service, '/sniper/templates?limit=1')).flat()).toHaveLength(3);
    const { next_cursor } = (await service.ask('GET', '/sniper/templates?limit=1')).data;
    expect((await service.ask('GET', `/sniper/templates?limit=1&q=f&cursor=${next_cursor}`)).code).toBe(
      'invalid_request',
    );
    expect((await service.ask('GET', `/copy-trade/templates?limit=1&cursor=${next_cursor}`)).code).toBe(
      'invalid_request',
    );
  });
});

it('lists agree with a plain sort after any writes', async () => {
  const step = fc.record({
    at: fc.nat(5),
    what: fc.constantFrom('create', 'patch', 'delete', 'switch'),
    which: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.constantFrom('asc', 'desc'),
      fc.integer({ min: 1, max: 5 }),
      async (steps, list_order, limit) => {
        const service = startService({ choices: { list_order } });
        const { tasks } = service.sandbox.state;
        for (const [n, { at, what, which }] of steps.entries()) {
          service.pass(at);
          const task = [...tasks.values()][which % Math.max(1, tasks.size)];
          if (what === 'create' || task === undefined) await service.make('sniper', n);
          else if (what === 'patch')
            await service.ask('PATCH', `/sniper/configs/${task.id}`, {
              body: { remark: `r${n}` },
              ifMatch: task.version,
            });
          else if (what === 'delete')
            await service.ask('DELETE', `/sniper/configs/${task.id}`, { ifMatch: task.version });
          else
            await service.ask('POST', `/sniper/configs/${task.id}/${task.is_active ? 'pause' : 'resume'}`, {
              ifMatch: task.version,
            });
        }
        const expected = [...tasks.values()]
          .sort((a, b) => a.updated_at - b.updated_at || (a.id < b.id ? -1 : 1))
          .map(({ id }) => id);
        if (list_order === 'desc') expected.reverse();
        expect((await traverse(service, `/sniper/configs?limit=${limit}`)).flat()).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});
