import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/model/json.ts';
import type { Limiter } from '../../../src/core/ports/limiter.ts';
import { json, refusal } from '../http/fakes.ts';
import { read } from '../view/reading.ts';
import { FakeService } from '../view/service.ts';

const page = (items: Json[], next_cursor: Json) =>
  json(200, { data: { items, next_cursor }, meta: { request_id: 'req-9' } });

function account(snipers = 0): FakeService {
  const service = new FakeService();
  service.add('sniper', snipers);
  service.now += 60_000;
  return service;
}

/** Every page of the tasks is this one. */
function always(reply: ReturnType<typeof page>): FakeService {
  const service = account();
  service.instead = ({ path }) => (path.startsWith('/sniper/configs') ? reply : undefined);
  return service;
}

it('many pages are no loop, as long as each adds something', async () => {
  const service = account(1_250);
  const { live } = await read(service);
  expect(live?.tasks).toHaveLength(1_250);
  expect(live?.complete).toBe(true);
  expect(service.count('/sniper/configs')).toBe(13);
});

it('an earlier state on a later page does not replace the present one', async () => {
  const service = account(150);
  service.positional = true;
  const shown = service.ids('sniper')[149] ?? '';
  service.touch('sniper', shown);
  service.now += 60_000;
  service.before = ({ path }) => {
    // A node that lags behind answers the second page: the item is there again, as it was.
    if (path.includes('cursor='))
      service.alter('sniper', shown, { version: 1, updated_at: '2026-11-21T11:00:00Z' });
  };
  const { live } = await read(service, { limits: { passes: 1 } });
  expect(live?.tasks.find(({ id }) => id === shown)).toMatchObject({ version: 2 });
});

it('of two states with one version the one that was read later counts', async () => {
  const service = account(150);
  service.positional = true;
  const shown = service.ids('sniper')[149] ?? '';
  service.before = ({ path }) => {
    // The service stops it meanwhile and counts no version for that; a later page shows it again.
    if (path.includes('cursor=')) {
      service.alter('sniper', shown, { is_active: true, updated_at: '2026-11-21T11:00:00Z' });
    }
  };
  const { live } = await read(service, { limits: { passes: 1 } });
  expect(live?.tasks.find(({ id }) => id === shown)).toMatchObject({ version: 1, is_active: true });
});

describe('a first page that is refused', () => {
  it.each(['invalid_request', 'not_found', 'something_new'])(
    'with %s is not asked for again',
    async (code) => {
      const service = account(5);
      service.instead = ({ path }) => (path.startsWith('/sniper/configs') ? refusal(400, code) : undefined);
      const { live, reasons } = await read(service);
      expect(live).toBeUndefined();
      expect(service.count('/sniper/configs')).toBe(1);
      expect(reasons).toEqual([]);
    },
  );
});

describe('a cursor', () => {
  it.each<[string, Json]>([
    ['is empty', ''],
    ['is a number', 7],
    ['is too long', 'c'.repeat(2_049)],
    ['is an object', {}],
  ])('that %s makes the answer unreadable, at once', async (_name, cursor) => {
    const service = always(page([], cursor));
    const { live, diagnostics } = await read(service);
    expect(live).toBeUndefined();
    expect(service.count('/sniper/configs')).toBe(1);
    expect(diagnostics[0]?.message).toBe(
      'reading sniper: the answer cannot be read: next_cursor is not of the documented form (request req-9)',
    );
  });

  it('of the maximum length is used', async () => {
    const longest = 'c'.repeat(2_048);
    const service = account();
    service.instead = ({ path }) =>
      path.startsWith('/sniper/configs') ? page([], path.includes(longest) ? null : longest) : undefined;
    expect((await read(service)).live).toBeDefined();
    expect(service.count('/sniper/configs')).toBe(2);
  });

  it('that repeats is called a loop at once; an endless one, after ten pages without anything new', async () => {
    const circle = always(page([], 'again'));
    const first = await read(circle);
    expect(first.diagnostics[0]?.message).toContain('the cursors form a loop');
    expect(first.reasons).toHaveLength(3);
    expect(circle.count('/sniper/configs')).toBe(3 * 2);
    const endless = account();
    let asked = 0;
    endless.instead = ({ path }) =>
      path.startsWith('/sniper/configs') ? page([], `c${asked++}`) : undefined;
    const second = await read(endless);
    expect(second.diagnostics[0]?.message).toContain('page after page without a new item');
    expect(asked).toBe(3 * 10);
  });
});

describe('labels', () => {
  const labels = (data: Json) => {
    const service = account();
    service.instead = ({ path }) => (path === '/labels' ? json(200, { data }) : undefined);
    return read(service);
  };
  const high = { id: '00000001-0000-4000-8000-000000000000', name: 'high', sort_order: 3 };

  it('come on one page, whether it says so or not', async () => {
    for (const data of [{ items: [high] }, { items: [high], next_cursor: null }]) {
      expect((await labels(data)).live?.labels).toEqual([{ collection: 'label', ...high }]);
    }
  });

  it('with a further page are not understood: their list is never cut short', async () => {
    const { live, diagnostics } = await labels({ items: [high], next_cursor: 'more' });
    expect(live).toBeUndefined();
    expect(diagnostics[0]?.message).toContain('next_cursor');
  });
});

it('takes a slot for each page, and releases it, after a failure too', async () => {
  const service = account(250);
  let [taken, given] = [0, 0];
  const limiter: Limiter = {
    limit: 1,
    acquire: async () => {
      taken += 1;
      return () => {
        given += 1;
      };
    },
  };
  expect((await read(service, { limiter })).live?.tasks).toHaveLength(250);
  // All but the two requests for the account are pages.
  expect([taken, given]).toEqual([service.requests.length - 2, service.requests.length - 2]);
  service.instead = ({ path }) => (path === '/labels' ? refusal(403, 'ip_not_allowed') : undefined);
  expect((await read(service, { limiter })).live).toBeUndefined();
  expect(given).toBe(taken);
});

it('reports its progress', async () => {
  const { events } = await read(account(150));
  expect(events.filter((event) => event.type === 'read' && event.collection === 'sniper')).toEqual([
    { type: 'read', collection: 'sniper', items: 100, done: false },
    { type: 'read', collection: 'sniper', items: 150, done: true },
  ]);
});

describe('the message of a failure', () => {
  const refused = async (code: string, status = 403) => {
    const service = account();
    service.instead = ({ path }) => (path.startsWith('/sniper/configs') ? refusal(status, code) : undefined);
    return (await read(service)).diagnostics[0];
  };

  it('has a hint if there is something to do', async () => {
    expect((await refused('ip_not_allowed'))?.hint).toContain('allowlist');
    expect(await refused('something_new')).not.toHaveProperty('hint');
  });

  it('names the request, if the service did', async () => {
    const service = account();
    service.instead = ({ path }) =>
      path.startsWith('/sniper/configs')
        ? json(403, { error: { code: 'ip_not_allowed', message: 'no' }, meta: { request_id: 'req-5' } })
        : undefined;
    expect((await read(service)).diagnostics[0]?.message).toMatch(/\(request req-5\)$/);
    service.instead = ({ path }) =>
      path.startsWith('/sniper/configs')
        ? json(403, { error: { code: 'ip_not_allowed', message: 'no' } })
        : undefined;
    expect((await read(service)).diagnostics[0]?.message).not.toContain('request');
    const unnamed = always(json(200, { data: { items: [], next_cursor: 7 } }));
    expect((await read(unnamed)).diagnostics[0]?.message).not.toContain('request');
  });

  it('names the odd item and field', async () => {
    const item = {
      id: '00000001-0000-4000-8000-000000000000',
      remark: '',
      target_wallet: 'w',
      is_active: false,
      version: 'one',
      created_at: '2026-11-21T12:00:00Z',
      updated_at: '2026-11-21T12:00:00Z',
      config: {},
    };
    const { diagnostics } = await read(always(page([item], null)));
    expect(diagnostics[0]?.message).toContain(`item ${item.id}: version `);
    const { version: _gone, ...short } = item;
    const lacking = await read(always(page([short], null)));
    expect(lacking.diagnostics[0]?.message).toContain(`item ${item.id}: must have`);
    const long = await read(always(page([{ ...item, id: 'i'.repeat(10_000) }], null)));
    expect(long.diagnostics[0]?.message.length).toBeLessThan(250);
    const nameless = await read(always(page([{ ...item, id: 5 }], null)));
    expect(nameless.diagnostics[0]?.message).toContain('an item without id: id ');
  });
});
