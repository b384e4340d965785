import { describe, expect, it } from 'vitest';
import { refusal } from '../http/fakes.ts';
import { read } from './reading.ts';
import { FakeService } from './service.ts';

const readings = (service: FakeService) => service.count('/sniper/configs');

/** Ten tasks at rest in a family account: nothing proves them but two readings that agree. */
function family(): FakeService {
  const service = new FakeService();
  service.me = { family_role: 'primary' };
  service.add('sniper', 10);
  service.now += 60_000;
  return service;
}

/** Something happens right before this reading of the tasks, and never again. */
function meanwhile(service: FakeService, reading: number, happens: (id: string) => void): void {
  service.before = ({ path }) => {
    if (!path.startsWith('/sniper/configs') || readings(service) !== reading) return;
    happens(service.ids('sniper')[4] ?? '');
  };
}

describe('two readings do not agree', () => {
  it.each<[string, (service: FakeService, id: string) => void]>([
    ['where a task is gone', (service, id) => service.remove('sniper', id)],
    ['where a task has come', (service) => service.add('sniper')],
    [
      'where the switch of a task moved without a new version',
      (service, id) => service.alter('sniper', id, { is_active: true }),
    ],
    [
      'where a task was written to without a new version',
      (service, id) => service.alter('sniper', id, { updated_at: '2026-11-21T12:00:59Z' }),
    ],
  ])('%s', async (_name, happens) => {
    const service = family();
    meanwhile(service, 2, (id) => happens(service, id));
    const { live } = await read(service);
    expect(readings(service)).toBe(3);
    expect(live?.complete).toBe(true);
    expect(live?.tasks.map(({ id }) => id)).toEqual(service.ids('sniper'));
  });

  it('but agree if nothing happened', async () => {
    const service = family();
    await read(service);
    expect(readings(service)).toBe(2);
  });
});

it('an empty account is proven by its quota: no second reading', async () => {
  const service = new FakeService();
  const { live } = await read(service);
  expect(readings(service)).toBe(1);
  expect(live).toMatchObject({ complete: true, proof: expect.stringContaining('the quota counts') });
});

it('says how the count moved when it reads again', async () => {
  const service = new FakeService();
  service.add('sniper', 10);
  service.now += 60_000;
  let done = false;
  service.before = ({ path }, index) => {
    if (done || index === 0 || path !== '/me') return;
    done = true;
    service.add('sniper');
  };
  const { reasons } = await read(service);
  expect(reasons).toEqual(['the service counts first 10, then 11 tasks, but its lists contain 10']);
});

it('names each remaining doubt once', async () => {
  const service = new FakeService();
  service.add('sniper', 10);
  service.now += 60_000;
  service.usedOffset = 3;
  const { reasons, diagnostics } = await read(service);
  expect(reasons).toEqual(Array(2).fill('the service counts 13 tasks, but its lists contain 10'));
  expect(diagnostics.map(({ message }) => message)).toEqual([
    'the service counts 13 tasks, but its lists contain 10, repeatedly; three agreeing readings are used',
  ]);
});

it('reads again if a task disappeared during the reading, although the lists agree with the count afterwards', async () => {
  const service = new FakeService();
  service.add('sniper', 10);
  service.now += 60_000;
  meanwhile(service, 1, (id) => service.remove('sniper', id));
  const { reasons } = await read(service);
  expect(reasons).toEqual(['the service counts first 10, then 9 tasks, but its lists contain 9']);
});

it('waits longer each time, and before any reading after a change', async () => {
  const service = new FakeService();
  service.add('sniper', 10);
  // Several pages of templates are a doubt of their own, which asks for no wait.
  service.add('sniper-template', 150);
  service.now += 60_000;
  service.before = ({ path }) => {
    service.now += 1_000;
    if (path.startsWith('/sniper/configs')) service.touch('sniper', service.ids('sniper')[0] ?? '');
  };
  const { waits, live } = await read(service);
  expect(waits).toEqual([1_200, 2_400, 3_600]);
  expect(live?.complete).toBe(false);
  expect(live?.proof).toBe('not proven complete: tasks changed while they were read');
});

it('an account that cannot be read again after the wait is no view', async () => {
  const service = new FakeService();
  service.add('sniper', 10);
  service.usedOffset = 1;
  service.instead = ({ path }) =>
    path === '/me' && service.count('/me') === 3 ? refusal(401, 'invalid_api_token') : undefined;
  const { live, diagnostics } = await read(service);
  expect(live).toBeUndefined();
  expect(diagnostics.map(({ code }) => code)).toEqual(['service-error']);
});
