import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/core/service/http/client.ts';
import { AdaptiveLimiter } from '../../../src/core/service/limits/limiter.ts';
import { partsOf } from '../../../src/core/service/view/collections.ts';
import { READ_LIMITS, readLive } from '../../../src/core/service/view/read.ts';
import { refusal, virtualClock } from '../http/fakes.ts';
import { read } from './reading.ts';
import { FakeService } from './service.ts';

const KINDS = ['sniper', 'copy-trade', 'transfer-snipe'] as const;
/** Accounts in these tests are large from here on. */
const limits = { inParts: 100 };

/** An account at rest: so many labels, and of each kind so many tasks with each of them and with none, three of four active. */
function account(labels: number, each: number, kinds: readonly (typeof KINDS)[number][] = ['sniper']) {
  const service = new FakeService();
  const ids = Array.from({ length: labels }, () => service.add('label'));
  for (const kind of kinds) {
    for (const risk_label_id of [...ids, null]) {
      for (let index = 0; index < each; index += 1) {
        service.add(kind, 1, { risk_label_id, is_active: index % 4 > 0 });
      }
    }
  }
  service.now += 60_000;
  return { service, labels: ids };
}

/** Queries of the pages that were asked for, first pages only, `limit` left out. */
const firstPages = (service: FakeService, path = '/sniper/configs') =>
  service.requests
    .filter((asked) => asked.startsWith(`${path}?`) && !asked.includes('cursor='))
    .map((asked) => asked.slice(path.length + '?limit=100'.length).replace(/^&/, ''));

const PROVEN = 'as many tasks as the quota counts, before and after, and no changes in between';

describe('the parts of a kind', () => {
  const filters = (labels: readonly string[], pages: number) =>
    partsOf('sniper', labels, pages).map(({ filter }) => Object.values(filter).join(' '));

  it('are as fine as the number of pages requires', () => {
    const both = ['a active', 'a paused', 'b active', 'b paused', 'unlabeled active', 'unlabeled paused'];
    expect(filters(['a', 'b'], 6)).toEqual(both);
    expect(filters(['a', 'b'], 5)).toEqual(['a', 'b', 'unlabeled']);
    expect(filters(['a', 'b'], 2)).toEqual(['active', 'paused']);
    expect(filters(['a', 'b'], 1)).toEqual([]);
  });

  it('are by status alone without labels', () => {
    expect(filters([], 100)).toEqual(['active', 'paused']);
  });
});

describe('a large account', () => {
  it('is read in parts, and proven like any other', async () => {
    const { service, labels } = account(2, 150);
    const { live, diagnostics, waits, reasons } = await read(service, { limits });
    expect({ diagnostics, waits, reasons }).toEqual({ diagnostics: [], waits: [], reasons: [] });
    expect(live).toMatchObject({ complete: true, proof: PROVEN });
    expect(live?.tasks.map(({ id }) => id)).toEqual(service.ids('sniper'));
    expect(firstPages(service)).toEqual(['', ...[...labels, 'unlabeled'].map((id) => `label_id=${id}`)]);
    // Each part has two pages, and the first page was read before the parts were known.
    expect(service.count('/sniper/configs')).toBe(1 + 3 * 2);
    expect(service.count('/me')).toBe(2);
    expect(service.requests.at(-1)).toBe('/me');
  });

  it('has parts only for kinds with more than one page', async () => {
    const { service } = account(1, 30, ['copy-trade', 'transfer-snipe']);
    service.add('sniper', 250);
    service.now += 60_000;
    const { live } = await read(service, { limits });
    expect(live?.tasks).toHaveLength(370);
    expect(service.count('/copy-trade/configs')).toBe(1);
    expect(service.count('/transfer-snipe/configs')).toBe(1);
    expect(firstPages(service)).toHaveLength(1 + 4);
  });

  it('begins above 2,000 tasks, or above 6,000 with few parts: below, pages are read one after the other', async () => {
    expect(READ_LIMITS.inParts).toBe(2_001);
    for (const [labels, tasks, parts] of [
      [0, 300, 2],
      [0, 299, 0],
      [7, 800, 8],
      [7, 799, 8],
      [6, 297, 0],
    ] as const) {
      const { service } = account(labels, Math.ceil(tasks / (labels + 1)));
      for (const id of service.ids('sniper').slice(tasks)) service.remove('sniper', id);
      const { live } = await read(service, { limits });
      expect(live).toMatchObject({ complete: true, proof: PROVEN });
      expect(firstPages(service)).toHaveLength(1 + parts);
      // In one traversal no page is read twice.
      if (parts === 0) expect(service.count('/sniper/configs')).toBe(3);
    }
  });

  it.each<[string, (service: FakeService) => void]>([
    ['a family account', (service) => void Object.assign(service, { me: { family_role: 'member' } })],
    ['no Date', (service) => void Object.assign(service, { dateHeader: false })],
    [
      'a kind out of sight',
      (service) => void Object.assign(service, { scopes: ['sniper:read', 'copytrade:read'] }),
    ],
  ])('that the quota cannot prove is read without parts: %s', async (_name, prepare) => {
    const { service } = account(2, 150);
    prepare(service);
    const { live } = await read(service, { limits });
    expect(live).toMatchObject({ complete: true, proof: expect.stringContaining('two readings agree') });
    expect(firstPages(service)).toEqual(['', '']);
  });

  it('reports its progress by the sum of the parts', async () => {
    const { service } = account(2, 150);
    const { events } = await read(service, { limits });
    const told = events.flatMap((event) =>
      event.type === 'read' && event.collection === 'sniper' ? [event] : [],
    );
    expect(told.filter(({ done }) => done).map(({ items }) => items)).toEqual([450]);
    expect(told.at(-1)?.done).toBe(true);
    const counts = told.map(({ items }) => items);
    expect(counts).toEqual([...counts].sort((left, right) => left - right));
  });
});

describe('falls back to one traversal', () => {
  /** Reads, and checks that it came to a proven whole in one traversal a kind. */
  const fallsBack = async (service: FakeService) => {
    const result = await read(service, { limits });
    expect(result.diagnostics).toEqual([]);
    expect(result.live).toMatchObject({ complete: true, proof: PROVEN });
    expect(result.live?.tasks.map(({ id }) => id)).toEqual(service.ids('sniper'));
    return result;
  };

  it('if a label is deleted while its part is read: 404', async () => {
    const { service, labels } = account(2, 450);
    service.before = ({ path }) => {
      if (path.includes(`label_id=${labels[1]}`)) service.remove('label', labels[1] ?? '');
    };
    const { reasons } = await fallsBack(service);
    expect(reasons).toEqual([
      'reading sniper: not_found: said not_found (request req-9); now without parallel parts',
    ]);
    // Nobody reads a part on that is not wanted any more, and the traversal goes on from the page that is known already.
    const pages = (part: string) => service.requests.filter((path) => path.includes(part)).length;
    expect(pages(`label_id=${labels[0]}`)).toBeLessThan(5);
    expect(pages('label_id=unlabeled')).toBeLessThan(5);
    expect(firstPages(service).filter((query) => query === '')).toHaveLength(1);
  });

  it.each(['label_id', 'status'])('at the first answer if the service ignores %s', async (ignored) => {
    const { service } = account(2, 250, ['sniper']);
    service.filters = ['label_id', 'status'].filter((name) => name !== ignored);
    const { reasons } = await fallsBack(service);
    expect(reasons).toEqual([
      'reading sniper: the answer cannot be read: an item that the filter should exclude (request r); now without parallel parts',
    ]);
    // Nobody reads on once one has noticed.
    expect(service.requests.filter((path) => /(label_id|status)=.*cursor=/.test(path)).length).toBeLessThan(
      2,
    );
  });

  it('if the service refuses a filter', async () => {
    const { service } = account(2, 150);
    service.instead = ({ path }) =>
      path.includes('label_id=unlabeled') ? refusal(400, 'validation_error') : undefined;
    expect((await fallsBack(service)).reasons).toHaveLength(1);
  });

  it('if the cursor of a part is refused repeatedly', async () => {
    const { service } = account(2, 150);
    service.instead = ({ path }) =>
      /label_id=.*cursor=/.test(path) ? refusal(400, 'invalid_request') : undefined;
    expect((await fallsBack(service)).reasons.at(-1)).toContain('now without parallel parts');
  });

  it('if a task has a label that is missing from the list of labels', async () => {
    const { service } = account(2, 150);
    const hidden = service.add('sniper', 1, {
      risk_label_id: 'ffffffff-0000-4000-8000-000000000000',
      updated_at: '2026-11-21T11:00:00Z',
    });
    const { live, reasons, waits } = await fallsBack(service);
    expect(live?.tasks.map(({ id }) => id)).toContain(hidden);
    expect(reasons).toEqual([
      'the service counts 451 tasks, but its lists contain 450; now without parallel parts',
    ]);
    expect(waits).toEqual([1_200]);
    expect(firstPages(service).filter((query) => query === '')).toHaveLength(2);
  });

  it('but not for a request that would fail without a filter as well', async () => {
    const { service } = account(2, 150);
    service.instead = ({ path }) =>
      path.includes('label_id=') ? refusal(401, 'invalid_api_token') : undefined;
    const { live, diagnostics } = await read(service, { limits });
    expect(live).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toEqual(['service-error']);
    expect(service.requests.filter((path) => path.includes('cursor='))).toEqual([]);
  });
});

describe('a task that moves between parts', () => {
  /** Right before the first page of that part is read, something happens to a task; once. */
  const rightBefore = (service: FakeService, part: string, happens: () => void) => {
    let done = false;
    service.before = ({ path }) => {
      if (done || !path.includes(part) || path.includes('cursor=')) return;
      done = true;
      happens();
    };
  };
  const move = (service: FakeService, id: string, risk_label_id: string | null, touched: boolean) => {
    service.alter('sniper', id, { risk_label_id });
    if (touched) service.touch('sniper', id);
  };
  /** With the label of that number: the first is on the second page of its part, which is newest first, and the last on the first. */
  const first = (service: FakeService, label: number) => service.ids('sniper')[label * 150] ?? '';
  const last = (service: FakeService, label: number) => service.ids('sniper')[label * 150 + 149] ?? '';

  it.each([true, false])('and is in no part is found again (its time changes: %s)', async (touched) => {
    const { service, labels } = account(2, 150);
    const id = first(service, 1);
    rightBefore(service, `label_id=${labels[1]}`, () => move(service, id, labels[0] ?? '', touched));
    const { live, reasons } = await read(service, { limits });
    expect(reasons).toEqual([
      'the service counts 450 tasks, but its lists contain 449; now without parallel parts',
    ]);
    expect(live).toMatchObject({ complete: true });
    expect(live?.tasks.find((task) => task.id === id)).toMatchObject({ risk_label_id: labels[0] });
  });

  it.each([true, false])('and is in two parts is no proof (its time changes: %s)', async (touched) => {
    const { service, labels } = account(2, 150);
    const id = last(service, 0);
    rightBefore(service, `label_id=${labels[1]}`, () => move(service, id, labels[1] ?? '', touched));
    const { live, reasons, waits } = await read(service, { limits });
    expect(reasons).toEqual([
      'tasks moved between parts that were read in parallel; now without parallel parts',
    ]);
    expect(waits).toEqual([1_200]);
    expect(live).toMatchObject({ complete: true });
    expect(live?.tasks.find((task) => task.id === id)).toMatchObject({ risk_label_id: labels[1] });
  });

  it('after the first page was read has the state of the part', async () => {
    const { service } = account(2, 150);
    const id = last(service, 2);
    rightBefore(service, 'label_id=', () => service.alter('sniper', id, { is_active: false, version: 2 }));
    expect(service.tasks('sniper').find((task) => task.id === id)).toMatchObject({ is_active: true });
    const { live, reasons } = await read(service, { limits });
    expect(reasons).toEqual([]);
    expect(live?.tasks.find((task) => task.id === id)).toMatchObject({ is_active: false, version: 2 });
  });

  it('and whose place in the count a new task takes is not lost', async () => {
    const { service, labels } = account(2, 150);
    const id = first(service, 1);
    rightBefore(service, `label_id=${labels[1]}`, () => {
      service.now += 5_000;
      move(service, id, labels[0] ?? '', true);
      service.remove('sniper', last(service, 0));
      service.add('sniper', 1, { risk_label_id: labels[1] ?? null });
    });
    const { live, reasons } = await read(service, { limits });
    expect(reasons).toEqual(['tasks changed while they were read; now without parallel parts']);
    expect(live?.tasks.map((task) => task.id)).toEqual(service.ids('sniper'));
  });
});

describe('the time', () => {
  /** Milliseconds that a reading takes at 20 ms an answer, with a reader that has as many slots as the program gives it. */
  const timed = async (service: FakeService, inParts: number) => {
    const clock = virtualClock(service.now);
    const transport = {
      send: async (request: Parameters<FakeService['handle']>[0]) => {
        await clock.sleep(20);
        return service.handle(request);
      },
      close: async () => undefined,
    };
    const limiter = new AdaptiveLimiter({ most: 8, mostPages: 32, clock, random: () => 0 });
    const api = createApi({
      transport,
      token: 'svc_live_0a1b2c3d.x',
      clock,
      random: () => 0,
      userAgent: 't',
      limiter,
    });
    const begun = clock.now();
    const { live } = await readLive({
      api,
      clock,
      needed: new Set(),
      limiter: limiter.pages,
      limits: { inParts },
    });
    expect(live).toMatchObject({ complete: true, proof: PROVEN });
    return clock.now() - begun;
  };

  it('10,000 tasks under 20 labels take less than a quarter of one traversal for each kind', async () => {
    const { service } = account(20, 160, KINDS);
    const inOne = await timed(service, Number.POSITIVE_INFINITY);
    const inParts = await timed(service, READ_LIMITS.inParts);
    expect(inOne).toBe(20 * (2 + 34));
    expect(inParts / inOne).toBeLessThan(0.25);
  });

  it('if labels do not spread them, no more than a traversal and the first page', async () => {
    const service = new FakeService();
    for (let label = 0; label < 20; label += 1) service.add('label');
    for (const kind of KINDS) service.add(kind, 3_400);
    service.now += 60_000;
    const inOne = await timed(service, Number.POSITIVE_INFINITY);
    expect(await timed(service, READ_LIMITS.inParts)).toBeLessThanOrEqual(inOne * 1.2);
  });
});
