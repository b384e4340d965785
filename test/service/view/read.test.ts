import { describe, expect, it } from 'vitest';
import type { Collection } from '../../../src/core/model/kind.ts';
import fc from '../../properties.ts';
import { Vacuous } from '../../support/property.ts';
import { runs } from '../../support/sample.ts';
import { json, ok, refusal } from '../http/fakes.ts';
import { read } from './reading.ts';
import { ALL_SCOPES, FakeService } from './service.ts';

/** An account at rest: all was written a minute ago. */
function account(counts: Partial<Record<Collection, number>> = {}): FakeService {
  const service = new FakeService();
  for (const [collection, count] of Object.entries(counts)) service.add(collection as Collection, count);
  service.now += 60_000;
  return service;
}

const codes = (result: { diagnostics: readonly { severity: string; code: string }[] }) =>
  result.diagnostics.map(({ severity, code }) => `${severity} ${code}`);

describe('a quiet account', () => {
  it('is read with one request for each page, and two for the account', async () => {
    const service = account({
      sniper: 250,
      'copy-trade': 100,
      'transfer-snipe': 0,
      'sniper-template': 3,
      label: 20,
    });
    const { live, diagnostics, waits } = await read(service);
    expect(diagnostics).toEqual([]);
    expect(live).toMatchObject({
      complete: true,
      account: { login_username: 'whales', quota: { used: 350 } },
    });
    expect(live?.tasks).toHaveLength(350);
    expect(live?.templates).toHaveLength(3);
    expect(live?.labels).toHaveLength(20);
    expect(live?.visible.size).toBe(6);
    expect(waits).toEqual([]);
    expect(service.requests[0]).toBe('/me');
    expect(service.requests.at(-1)).toBe('/me');
    expect(
      Object.fromEntries(
        [
          '/me',
          '/sniper/configs',
          '/copy-trade/configs',
          '/transfer-snipe/configs',
          '/sniper/templates',
          '/copy-trade/templates',
          '/labels',
        ].map((path) => [path, service.count(path)]),
      ),
    ).toEqual({
      '/me': 2,
      '/sniper/configs': 3,
      '/copy-trade/configs': 1,
      '/transfer-snipe/configs': 1,
      '/sniper/templates': 1,
      '/copy-trade/templates': 1,
      '/labels': 1,
    });
  });

  it('is asked with limit=100 and unchanged cursors; labels without parameters', async () => {
    const service = account({ sniper: 150 });
    const cursor = 'a+b/c=&d e%2F?#ü';
    let asked: string | null = null;
    service.instead = ({ path }) => {
      const url = new URL(path, 'http://x');
      if (url.pathname !== '/sniper/configs') return undefined;
      expect(url.searchParams.get('limit')).toBe('100');
      if (!url.searchParams.has('cursor'))
        return json(
          200,
          { data: { items: [], next_cursor: cursor } },
          { date: 'Sat, 21 Nov 2026 12:00:00 GMT' },
        );
      asked = url.searchParams.get('cursor');
      return json(200, { data: { items: [], next_cursor: null } });
    };
    await read(service);
    expect(asked).toBe(cursor);
    expect(service.requests).toContain('/labels');
  });

  it.each([undefined, 50])(
    'keeps of each item what it is told to keep (in parts from %s)',
    async (inParts) => {
      const service = account({ sniper: 150 });
      service.add('label', 1);
      service.now += 60_000;
      const config = { shared: true };
      const { live } = await read(service, {
        compact: (item) => ('target_wallet' in item ? { ...item, config } : item),
        ...(inParts === undefined ? {} : { limits: { inParts } }),
      });
      expect(live?.complete).toBe(true);
      expect(live?.tasks).toHaveLength(150);
      for (const task of live?.tasks ?? []) expect(task.config).toBe(config);
      expect(live?.labels).toHaveLength(1);
    },
  );

  it('gives items only in the documented form, absent label and sort_order as null, config untouched', async () => {
    const service = account();
    const config = { legacy: { deep: [1, 'x', null] }, amount: '0.10' };
    service.add('copy-trade', 1, { risk_label_id: null, secret_extra: 'x', config });
    service.add('label', 1, { sort_order: null, transfer_snipe_count: 4 });
    const bare = service.add('sniper', 1);
    service.now += 60_000;
    service.instead = ({ path }) => {
      if (!path.startsWith('/sniper/configs')) return undefined;
      const item = {
        id: bare,
        remark: 'r',
        target_wallet: 'w',
        is_active: true,
        version: 4,
        created_at: '2026-11-21T12:00:00Z',
        updated_at: '2026-11-21T11:00:00+00:00',
        config: {},
      };
      return json(
        200,
        { data: { items: [item], next_cursor: null } },
        { date: 'Sat, 21 Nov 2026 12:01:00 GMT' },
      );
    };
    const { live } = await read(service);
    const [copy, sniper] = live?.tasks ?? [];
    expect(copy).toMatchObject({ collection: 'copy-trade', linked_wallets: [], config });
    expect(copy).not.toHaveProperty('secret_extra');
    expect(sniper).toEqual({
      collection: 'sniper',
      id: bare,
      remark: 'r',
      target_wallet: 'w',
      is_active: true,
      risk_label_id: null,
      version: 4,
      created_at: '2026-11-21T12:00:00Z',
      updated_at: '2026-11-21T11:00:00+00:00',
      config: {},
    });
    expect(live?.labels[0]).toMatchObject({ collection: 'label', sort_order: null });
    expect(live?.labels[0]).not.toHaveProperty('transfer_snipe_count');
    expect(live?.complete).toBe(true);
  });

  it('may be changed in the same second if every list has one page', async () => {
    const service = account({ sniper: 90 });
    service.touch('sniper', service.ids('sniper')[4] ?? '');
    const { live, waits } = await read(service);
    expect(live?.complete).toBe(true);
    expect(waits).toEqual([]);
  });

  it('is read once more, a second later, if it was just changed and has several pages', async () => {
    const service = account({ sniper: 190 });
    service.touch('sniper', service.ids('sniper')[4] ?? '');
    const { live, waits } = await read(service);
    expect(live?.complete).toBe(true);
    expect(waits).toEqual([1_200]);
    expect(service.count('/sniper/configs')).toBe(4);
    expect(service.count('/copy-trade/templates')).toBe(1);
  });
});

describe('a failed reading is never empty', () => {
  const page = (data: unknown) => json(200, { data }, { date: 'Sat, 21 Nov 2026 12:01:00 GMT' });
  const item = {
    id: '00000001-0000-4000-8000-000000000000',
    remark: '',
    target_wallet: 'w',
    is_active: false,
    version: 1,
    created_at: '2026-11-21T12:00:00Z',
    updated_at: '2026-11-21T12:00:00Z',
    config: {},
  };
  it.each([
    ['a refusal', refusal(403, 'ip_not_allowed'), 'service-error'],
    ['an internal error that stays', refusal(500, 'internal_error'), 'service-error'],
    ['a web page', { status: 200, headers: {}, body: '<html>' }, 'service-unreachable'],
    ['no data at all', json(200, { meta: { request_id: 'r' } }), 'service-unreachable'],
    ['no items', page({ next_cursor: null }), 'service-unreachable'],
    ['items that are no list', page({ items: {}, next_cursor: null }), 'service-unreachable'],
    ['no next_cursor', page({ items: [] }), 'service-unreachable'],
    ['an empty cursor', page({ items: [], next_cursor: '' }), 'service-unreachable'],
    ['a cursor beyond 2048', page({ items: [], next_cursor: 'c'.repeat(2_049) }), 'service-unreachable'],
    ['a number for a cursor', page({ items: [], next_cursor: 7 }), 'service-unreachable'],
    ['an item that is not an object', page({ items: [null], next_cursor: null }), 'service-unreachable'],
    ...Object.keys(item).map((field) => {
      const { [field as keyof typeof item]: _gone, ...rest } = item;
      return [
        `an item without ${field}`,
        page({ items: [rest], next_cursor: null }),
        'service-unreachable',
      ] as const;
    }),
    [
      'an odd version',
      page({ items: [{ ...item, version: '1' }], next_cursor: null }),
      'service-unreachable',
    ],
    ['an odd id', page({ items: [{ ...item, id: '../../me' }], next_cursor: null }), 'service-unreachable'],
    [
      'an odd time',
      page({ items: [{ ...item, updated_at: 'yesterday' }], next_cursor: null }),
      'service-unreachable',
    ],
  ] as const)('%s', async (_name, reply, code) => {
    const service = account({ sniper: 5, 'copy-trade': 5 });
    service.instead = ({ path }) => (path.startsWith('/transfer-snipe') ? reply : undefined);
    const result = await read(service);
    expect(result.live).toBeUndefined();
    expect(result.account).toBeDefined();
    expect(codes(result)).toEqual([`error ${code}`]);
    expect(result.diagnostics[0]?.message).toContain('transfer-snipe');
  });

  it('names item, field and request', async () => {
    const service = account();
    const { version: _gone, ...rest } = item;
    service.instead = ({ path }) =>
      path.startsWith('/sniper/configs')
        ? json(200, { data: { items: [rest], next_cursor: null }, meta: { request_id: 'req-77' } })
        : undefined;
    const { diagnostics } = await read(service);
    expect(diagnostics[0]?.message).toMatch(/sniper.*00000001-0000.*version.*req-77/);
  });

  it.each([
    ['refused', refusal(401, 'invalid_api_token'), 'service-error'],
    ['a web page', { status: 200, headers: {}, body: '<html>' }, 'service-unreachable'],
    [
      'without scopes',
      json(200, { data: { token_prefix: 'p', quota: { max: 1, used: 0 } } }),
      'service-unreachable',
    ],
    ['without quota', json(200, { data: { token_prefix: 'p', scopes: [] } }), 'service-unreachable'],
  ])('an account that is %s: no list is requested', async (_name, reply, code) => {
    const service = account({ sniper: 5 });
    service.instead = ({ path }) => (path === '/me' ? reply : undefined);
    const result = await read(service);
    expect(result.live).toBeUndefined();
    expect(codes(result)).toEqual([`error ${code}`]);
    expect(service.requests.every((path) => path === '/me')).toBe(true);
  });

  it('an account that cannot be read again afterwards', async () => {
    const service = account({ sniper: 5 });
    service.instead = ({ path }, index) =>
      path === '/me' && index > 0 ? refusal(401, 'invalid_api_token') : undefined;
    const result = await read(service);
    expect(result.live).toBeUndefined();
    expect(codes(result)).toEqual(['error service-error']);
  });

  it('stops asking for pages after a failure', async () => {
    const service = account({ sniper: 2_000 });
    service.instead = ({ path }) => (path === '/labels' ? refusal(403, 'ip_not_allowed') : undefined);
    await read(service);
    expect(service.count('/sniper/configs')).toBeLessThan(5);
  });
});

describe('cursors', () => {
  it('that the service forgets in the middle restart the traversal', async () => {
    for (const reply of [
      refusal(400, 'invalid_request'),
      refusal(404, 'not_found'),
      refusal(422, 'cursor_expired'),
    ]) {
      const service = account({ sniper: 350 });
      let failed = 0;
      service.instead = ({ path }) => (path.includes('cursor=') && failed++ === 1 ? reply : undefined);
      const { live, diagnostics } = await read(service);
      expect(diagnostics).toEqual([]);
      expect(live?.tasks).toHaveLength(350);
      expect(service.count('/sniper/configs')).toBe(3 + 4);
    }
  });

  it('that are always refused end with the refusal', async () => {
    const service = account({ sniper: 350 });
    service.instead = ({ path }) => (path.includes('cursor=') ? refusal(400, 'invalid_request') : undefined);
    const result = await read(service);
    expect(result.live).toBeUndefined();
    expect(codes(result)).toEqual(['error service-error']);
    expect(service.count('/sniper/configs')).toBe(6);
  });

  it('are not blamed for a lost credential', async () => {
    const service = account({ sniper: 350 });
    service.instead = ({ path }) =>
      path.includes('cursor=') ? refusal(401, 'invalid_api_token') : undefined;
    await read(service);
    expect(service.count('/sniper/configs')).toBe(2);
  });

  it('are not blamed for an error of the service with a new code', async () => {
    const service = account({ sniper: 350 });
    service.instead = ({ path }) => (path.includes('cursor=') ? refusal(500, 'brand_new') : undefined);
    const { live, diagnostics, reasons } = await read(service);
    expect(live).toBeUndefined();
    expect(diagnostics[0]?.message).toContain('brand_new');
    expect(reasons).toEqual([]);
  });
});

describe('scopes', () => {
  it('that are missing hide their collections, with a note', async () => {
    const service = account({ sniper: 3, 'transfer-snipe': 2 });
    service.scopes = ['sniper:read'];
    const result = await read(service, { needed: new Set(['sniper', 'label'] as const) });
    expect([...(result.live?.visible ?? [])].sort()).toEqual(['label', 'sniper', 'sniper-template']);
    expect(codes(result)).toEqual([
      'info kind-not-visible',
      'info kind-not-visible',
      'info kind-not-visible',
    ]);
    expect(service.count('/copy-trade/configs')).toBe(0);
    expect(result.live).toMatchObject({
      complete: true,
      proof: expect.stringMatching(/two readings agree.*cannot read/),
    });
    expect(service.count('/sniper/configs')).toBe(2);
    expect(service.count('/me')).toBe(1);
  });

  it('that the manifests need are errors, all at once, also if the manifests are known last', async () => {
    const service = account();
    service.scopes = ['transfersnipe:read', 'transfersnipe:write', 'sniper:write'];
    const needed = new Set(['sniper', 'label', 'transfer-snipe'] as const);
    const result = await read(service, { needed: Promise.resolve(needed) });
    expect(result.live).toBeUndefined();
    expect(
      result.diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    ).toEqual([expect.stringContaining('sniper'), expect.stringContaining('label')]);
    expect(service.requests.filter((path) => /^\/(?:sniper|labels)/.test(path))).toEqual([]);
  });

  it('labels need a sniper or a copy-trade scope', async () => {
    for (const [scope, seen] of [
      ['sniper:read', true],
      ['copytrade:read', true],
      ['transfersnipe:read', false],
    ] as const) {
      const service = account({ label: 2 });
      service.scopes = [scope];
      expect((await read(service)).live?.visible.has('label')).toBe(seen);
    }
  });

  it('if there are none, the account has nothing visible', async () => {
    const service = account({ sniper: 3 });
    service.scopes = [];
    const { live } = await read(service);
    expect(live?.visible.size).toBe(0);
    expect(service.requests).toEqual(['/me']);
  });
});

describe('the proof', () => {
  it('takes the highest version of an item that is seen twice', async () => {
    const service = account({ sniper: 150 });
    service.newestFirst = false;
    const [oldest = ''] = service.ids('sniper');
    service.before = ({ path }) => {
      if (path.includes('cursor=') && service.count('/sniper/configs') === 2) service.touch('sniper', oldest);
    };
    const { live } = await read(service, { limits: { passes: 1 } });
    expect(live?.tasks.filter(({ id }) => id === oldest)).toMatchObject([{ version: 2 }]);
    expect(live?.complete).toBe(false);
  });

  it('notices a creation that hides a skipped item', async () => {
    const service = account({ sniper: 150 });
    service.newestFirst = false;
    service.positional = true;
    let done = false;
    service.before = ({ path }) => {
      if (done || !path.includes('cursor=')) return;
      done = true;
      // A deletion in the part already read shifts the rest by one; a creation at the end makes up for it in the count.
      service.remove('sniper', service.ids('sniper')[3] ?? '');
      service.add('sniper');
    };
    const { live, waits } = await read(service);
    expect(waits.length).toBeGreaterThan(0);
    expect(live?.tasks.map(({ id }) => id)).toEqual(service.ids('sniper'));
    expect(live?.complete).toBe(true);
  });

  it('is replaced by agreement, with a warning, if the quota permanently disagrees', async () => {
    for (const offset of [-1, 4]) {
      const service = account({ sniper: 10 });
      service.usedOffset = offset;
      const result = await read(service);
      expect(result.live).toMatchObject({ complete: true });
      expect(codes(result)).toEqual(['warning view-incomplete']);
      expect(result.diagnostics[0]?.message).toContain(`${10 + offset}`);
      expect(service.count('/sniper/configs')).toBe(3);
    }
  });

  it('disagrees permanently only after three readings in a row, whatever was read before', async () => {
    const service = account({ sniper: 10 });
    service.dateHeader = false;
    service.before = ({ path }) => {
      if (!path.startsWith('/sniper/configs') || service.count('/sniper/configs') !== 2) return;
      service.remove('sniper', service.ids('sniper')[4] ?? '');
      service.usedOffset = 1;
    };
    const result = await read(service);
    expect(service.count('/sniper/configs')).toBe(4);
    expect(codes(result)).toEqual(['warning view-incomplete']);
  });

  it('and these readings agree with each other', async () => {
    const service = account({ sniper: 10, 'copy-trade': 3 });
    service.instead = ({ path }) => {
      const [list = ''] = path.split('?');
      // An old list of the one kind, then twice of the other.
      const old = list === '/sniper/configs' ? [1] : list === '/copy-trade/configs' ? [2, 3] : [];
      return old.includes(service.count(list)) ? ok({ items: [], next_cursor: null }) : undefined;
    };
    const { live, diagnostics } = await read(service);
    expect(diagnostics).toEqual([]);
    expect(live?.tasks).toHaveLength(13);
  });

  it.each([
    [
      'a family account',
      (service: FakeService) => {
        service.me = { family_role: 'member' };
      },
    ],
    [
      'a role to come',
      (service: FakeService) => {
        service.me = { family_role: 'cousin' };
      },
    ],
    [
      'an odd quota',
      (service: FakeService) => {
        service.me = { quota: { max: 5, used: -1 } };
      },
    ],
    [
      'no Date',
      (service: FakeService) => {
        service.dateHeader = false;
      },
    ],
  ])('is replaced by agreement for %s, without waiting', async (_name, prepare) => {
    const service = account({ sniper: 10, 'sniper-template': 5 });
    prepare(service);
    const { live, diagnostics, waits } = await read(service);
    expect(live).toMatchObject({ complete: true, proof: expect.stringMatching(/two readings agree/) });
    expect(diagnostics).toEqual([]);
    expect(waits).toEqual([]);
    expect(service.count('/sniper/configs')).toBe(2);
    expect(service.count('/sniper/templates')).toBe(1);
  });

  it('requires agreement in versions, not only in ids', async () => {
    const service = account({ sniper: 10 });
    service.me = { family_role: 'primary' };
    const [one = ''] = service.ids('sniper');
    service.before = ({ path }) => {
      if (path.startsWith('/sniper/configs')) service.touch('sniper', one);
    };
    const result = await read(service);
    expect(result.live).toMatchObject({
      complete: false,
      proof: expect.stringMatching(/not proven complete/),
    });
    expect(codes(result)).toEqual(['warning view-incomplete']);
    expect(service.count('/sniper/configs')).toBe(4);
  });

  it('accepts a clock of the service that lags behind its own records, once two readings agree', async () => {
    const service = account({ sniper: 10 });
    service.dateAhead = -3_600_000;
    const { live, waits } = await read(service);
    expect(live).toMatchObject({ complete: true, proof: expect.stringMatching(/two readings agree/) });
    expect(waits).toHaveLength(1);
  });

  it('of templates over several pages is a second reading of only these', async () => {
    const service = account({ 'sniper-template': 150, sniper: 150 });
    const { live, waits } = await read(service);
    expect(live?.templates).toHaveLength(150);
    expect(live?.complete).toBe(true);
    expect(waits).toEqual([]);
    expect(service.count('/sniper/templates')).toBe(4);
    expect(service.count('/sniper/configs')).toBe(2);
  });

  it('is never claimed for an account that keeps changing', async () => {
    const service = account({ sniper: 150 });
    service.before = ({ path }, index) => {
      service.now += 1_000;
      if (path.includes('/sniper/configs')) service.touch('sniper', service.ids('sniper')[index % 150] ?? '');
    };
    const result = await read(service);
    expect(result.live?.complete).toBe(false);
    expect(codes(result)).toEqual(['warning view-incomplete']);
  });
});

describe('paging under a moving list', () => {
  it('claims completeness only if it missed nothing', async () => {
    const write = fc.record({
      at: fc.integer({ min: 0, max: 40 }),
      what: fc.constantFrom('touch' as const, 'add' as const, 'remove' as const),
      collection: fc.constantFrom('sniper' as const, 'copy-trade' as const),
      which: fc.nat(),
      later: fc.constantFrom(0, 10, 400, 1_000, 5_000),
    });
    let complete = 0;
    let tried = 0;
    const vacuous = new Vacuous();
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { maxLength: 12 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 320 }),
        fc.integer({ min: 0, max: 130 }),
        async (writes, newestFirst, snipers, copies) => {
          const service = account({ sniper: snipers, 'copy-trade': copies });
          service.newestFirst = newestFirst;
          const moments: string[][] = [];
          const all = () => [...service.ids('sniper'), ...service.ids('copy-trade')].sort();
          service.before = (_request, index) => {
            moments.push(all());
            for (const one of writes.filter(({ at }) => at === index)) {
              service.now += one.later;
              const ids = service.ids(one.collection);
              const id = ids[one.which % Math.max(1, ids.length)] ?? '';
              if (one.what === 'touch') service.touch(one.collection, id);
              if (one.what === 'add') service.add(one.collection);
              if (one.what === 'remove') service.remove(one.collection, id);
              moments.push(all());
            }
          };
          const { live } = await read(service);
          tried += 1;
          if (live?.complete !== true) return vacuous.add();
          complete += 1;
          const seen = new Set(live.tasks.map(({ id }) => id));
          // Who was there all the time is seen, and who is seen was there at some time.
          const always = all().filter((id) => moments.every((ids) => ids.includes(id)));
          expect(always.filter((id) => !seen.has(id))).toEqual([]);
          const ever = new Set(moments.flat());
          expect([...seen].filter((id) => !ever.has(id))).toEqual([]);
        },
      ),
      { numRuns: Number(process.env.READ_RUNS ?? runs(300)) },
    );
    vacuous.expectAtMost(0.15, Number(process.env.READ_RUNS ?? runs(300)));
    expect(complete / tried).toBeGreaterThan(0.5);
  });
});

it('warns of a token that expires soon', async () => {
  for (const [expires_at, expected] of [
    [null, []],
    ['2026-12-21T12:00:00Z', []],
    ['2026-11-28T11:00:00Z', ['warning token-expiring']],
    ['2026-11-21T11:00:00Z', ['warning token-expiring']],
  ] as const) {
    const service = account();
    service.me = { expires_at };
    const result = await read(service);
    expect(codes(result)).toEqual(expected);
    expect(result.live?.complete).toBe(true);
  }
});

it('uses the clock of the service for that, and its own if the service tells no time', async () => {
  const service = account();
  service.me = { expires_at: '2026-12-21T12:00:00Z' };
  service.dateAhead = 28 * 86_400_000;
  expect((await read(service)).diagnostics[0]?.message).toContain('expires in 1 days');
  service.dateHeader = false;
  expect(codes(await read(service))).not.toContain('warning token-expiring');
  service.me = { expires_at: '2026-11-23T13:00:00Z' };
  expect((await read(service)).diagnostics[0]?.message).toContain('expires in 2 days');
});

it('ignores unknown scopes, roles and fields', async () => {
  const service = account({ sniper: 2 });
  service.me = { scopes: [...ALL_SCOPES, 'galaxy:read'], future: { x: 1 } };
  expect((await read(service)).live?.complete).toBe(true);
});
