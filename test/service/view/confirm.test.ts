import { expect, it } from 'vitest';
import type { HttpRequest } from '../../../src/core/ports/transport.ts';
import { createApi } from '../../../src/core/service/http/client.ts';
import { confirmLive } from '../../../src/core/service/view/confirm.ts';
import { readLive } from '../../../src/core/service/view/read.ts';
import fc from '../../properties.ts';
import { Vacuous } from '../../support/property.ts';
import { runs } from '../../support/sample.ts';
import { FakeService } from './service.ts';

async function read(service: FakeService, inParts = 2_001) {
  const transport = {
    send: async (request: HttpRequest) => service.handle(request),
    close: async () => undefined,
  };
  const clock = {
    now: () => service.now,
    sleep: async (ms: number) => {
      service.now += ms;
    },
  };
  const api = createApi({ transport, token: 'svc_live_0a1b2c3d.x', clock, random: () => 0, userAgent: 't' });
  const options = { api, clock, limits: { inParts } };
  const { live } = await readLive({ ...options, needed: new Set() });
  const confirm = async () => (live === undefined ? undefined : (await confirmLive(live, options)).live);
  return { live, confirm };
}

function account(snipers: number, over: Partial<FakeService> = {}): FakeService {
  const service = Object.assign(new FakeService(), over);
  for (let left = snipers; left > 0; left -= 1) {
    service.now += 7;
    service.add('sniper');
  }
  service.now += 600_000;
  return service;
}

const idsOf = (live: { tasks: readonly { id: string }[] } | undefined) => live?.tasks.map(({ id }) => id);

it('a task that moves to a page that was already read, beside one that comes and one that goes, is missed once and not twice', async () => {
  // `updated_at` lags `Date` by a minute, so that neither the new task nor the moved one shows by its time.
  const service = account(250, { newestFirst: true, dateAhead: 60_000 });
  const [owned = ''] = service.ids('sniper');
  let made = '';
  service.before = ({ path }) => {
    if (made === '' && path === '/sniper/configs?limit=100') made = service.add('sniper');
    if (path.includes('cursor=') && service.count('/sniper/configs') === 2) {
      service.touch('sniper', owned);
      service.remove('sniper', service.ids('sniper')[249] ?? '');
    }
  };
  const { live, confirm } = await read(service);
  expect(live).toMatchObject({ complete: true, confirmed: false });
  expect(idsOf(live)).not.toContain(owned);
  const confirmed = await confirm();
  expect(confirmed).toMatchObject({ complete: true, confirmed: true });
  expect(idsOf(confirmed)).toEqual(service.ids('sniper'));
});

it('an account whose kinds fit on one page each, and one that two readings agreed on, need no more', async () => {
  expect((await read(account(100))).live).toMatchObject({ complete: true, confirmed: true });
  expect((await read(account(250, { dateHeader: false }))).live).toMatchObject({
    complete: true,
    confirmed: true,
  });
  expect((await read(account(250))).live).toMatchObject({ complete: true, confirmed: false });
});

it('costs one reading of the tasks and nothing else, in parts if the account is large', async () => {
  for (const inParts of [2_001, 100]) {
    const service = account(350);
    const { confirm } = await read(service, inParts);
    const before = service.requests.length;
    expect(await confirm()).toMatchObject({ confirmed: true });
    const asked = service.requests.slice(before);
    expect(asked.every((path) => path.includes('/configs?'))).toBe(true);
    expect(asked.length).toBeLessThanOrEqual(4 + 2 + (inParts === 100 ? 2 : 0));
  }
});

it('lists that never stand still are not called complete', async () => {
  const service = account(250, { positional: true });
  let made = 0;
  const { confirm } = await read(service);
  service.before = ({ path }) => {
    if (!path.startsWith('/sniper/configs')) return;
    made += 1;
    service.remove('sniper', service.ids('sniper')[made % 20] ?? '');
    service.add('sniper');
  };
  expect(await confirm()).toMatchObject({
    complete: false,
    confirmed: false,
    proof: expect.stringContaining('not proven complete'),
  });
});

const happening = fc.record({
  at: fc.nat(24),
  what: fc.constantFrom('touch', 'add', 'remove', 'replace'),
  which: fc.nat(),
  later: fc.constantFrom(0, 10, 1_000),
});

it('whatever the clocks say and whoever writes in the meantime, a confirmed view misses no task that existed all along', async () => {
  const tally = { runs: 0, confirmed: 0 };
  const world = fc.record({
    newestFirst: fc.boolean(),
    positional: fc.boolean(),
    dateAhead: fc.constantFrom(-60_000, 0, 900, 60_000),
    snipers: fc.integer({ min: 101, max: 220 }),
    inParts: fc.boolean(),
  });
  const vacuous = new Vacuous();
  await fc.assert(
    fc.asyncProperty(
      world,
      fc.array(happening, { maxLength: 8 }),
      async ({ snipers, inParts, ...over }, happenings) => {
        const service = account(snipers, over);
        const always = new Set(service.ids('sniper'));
        service.before = (_request, index) => {
          for (const { what, which, later } of happenings.filter(({ at }) => at === index)) {
            service.now += later;
            const ids = service.ids('sniper');
            const id = ids[which % ids.length] ?? '';
            if (what === 'touch') service.touch('sniper', id);
            if (what === 'remove' || what === 'replace') service.remove('sniper', id);
            if (what === 'add' || what === 'replace') service.add('sniper');
            for (const known of [...always]) if (!service.ids('sniper').includes(known)) always.delete(known);
          }
        };
        const { live, confirm } = await read(service, inParts ? 30 : 2_001);
        tally.runs += 1;
        if (live === undefined) return vacuous.add();
        const missing = (found: { tasks: readonly { id: string }[] }) => {
          const seen = new Set(idsOf(found));
          return [...always].filter((id) => !seen.has(id));
        };
        const view = live.confirmed || !live.complete ? live : await confirm();
        if (view === undefined || !view.confirmed) return vacuous.add();
        tally.confirmed += 1;
        expect(missing(view)).toEqual([]);
      },
    ),
    { numRuns: runs(150) },
  );
  vacuous.expectAtMost(0.2, runs(150));
  expect(tally.confirmed).toBeGreaterThan(tally.runs / 2);
});
