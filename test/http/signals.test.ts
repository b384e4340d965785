import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import { tradeform } from '../cmd/run.ts';
import { FULL, sampled } from '../support/sample.ts';
import { inPools } from './pool.ts';
import { json, killLeftovers, type Started, start } from './program.ts';
import { ACCOUNT, ONCE, ownedTasks, problemsOf, referenceRepository } from './reference.ts';
import { planOf } from './repository.ts';
import { type Service, startService, type Twist } from './service.ts';

const APPLY = ['apply', '--auto-approve', '-o', 'json', '--quiet'];
const READS = 8;
/** What it says when it has heard a signal. */
const STOPPING = 'Ctrl-C again stops at once';
/** Without the signal the answer would be waited for as long as the client does, half a minute. Milliseconds. */
const SOON = 15_000;

const repository = referenceRepository();
let services: readonly Service[];
let steps: readonly number[];

beforeAll(async () => {
  services = [await startService(), await startService()];
  const [service] = services;
  if (service === undefined) throw new Error('no service');
  service.reset(ACCOUNT);
  expect((await tradeform(APPLY, { cwd: repository.path, env: service.env })).code).toBe(0);
  steps = Array.from({ length: service.requests - READS }, (_, index) => READS + index);
  expect(steps.length).toBeGreaterThan(38);
});
afterAll(killLeftovers);

/** Runs the reference apply and calls `act` when its request number `at` is in the service's hands. */
async function interrupted(
  service: Service,
  at: number,
  act: (kill: (name: NodeJS.Signals) => void, heard: Started['heard']) => Promise<Twist>,
) {
  service.reset(ACCOUNT);
  const { child, ended, heard } = start(APPLY, { cwd: repository.path, env: service.env });
  service.hooks = {
    before: (index) => (index === at ? act((name) => void child.kill(name), heard) : undefined),
  };
  return ended;
}

function paused(service: Service): readonly string[] {
  const before = new Set((ACCOUNT.tasks ?? []).filter(({ is_active }) => is_active).map(({ id }) => id));
  const meant = ['sniper/stop', 'sniper/delete'];
  return [...ownedTasks(service.sandbox)].flatMap(([address, tasks]) =>
    tasks.some(({ id, is_active }) => before.has(id) && !is_active) && !meant.includes(address)
      ? [address]
      : [],
  );
}

async function once(service: Service, at: number, signal: NodeJS.Signals): Promise<void> {
  const ended = await interrupted(service, at, async (kill, heard) => {
    kill(signal);
    await heard(STOPPING);
    return undefined;
  });
  const label = `${signal} at request ${at}\n${ended.stderr}`;
  const { outcome, summary, changes, left_paused } = json<ApplyReport>(ended);
  expect(ended.code, label).toBe(outcome === 'interrupted' ? 130 : 0);
  expect(outcome === 'interrupted', label).toBe(summary.skipped > 0);
  // In hand means finished: nothing is half done, and nothing that ran stands still.
  expect(
    changes.filter(({ status }) => status !== 'done' && status !== 'skipped'),
    label,
  ).toEqual([]);
  const begun = changes.filter(({ status, operations }) =>
    operations.some((operation) => (operation.status === 'not-started') !== (status === 'skipped')),
  );
  expect(begun, label).toEqual([]);
  for (const { status, text } of changes)
    if (status === 'skipped') expect(text).toMatch(/^Not started: interrupted( by SIG(TERM|HUP))?\.$/);
  expect(left_paused, label).toEqual([]);
  expect(paused(service), label).toEqual([]);
}

async function twice(service: Service, at: number): Promise<void> {
  let asked = 0;
  const committed = at % 2 === 0;
  const ended = await interrupted(service, at, async (kill, heard) => {
    kill('SIGINT');
    // Two signals that meet before the first is handled are one to the process.
    await heard(STOPPING);
    kill('SIGINT');
    asked = performance.now();
    // Carried out or not, no answer ever comes: only the signal can end the wait.
    if (committed) service.hooks = { after: (index) => (index === at ? 'hang' : undefined) };
    return committed ? undefined : 'hang';
  });
  const label = `SIGINT twice at request ${at}, ${committed ? '' : 'not '}carried out\n${ended.stderr}`;
  expect(performance.now() - asked, `${label}: it took too long to stop`).toBeLessThan(SOON);
  const { outcome, changes, left_paused } = json<ApplyReport>(ended);
  expect({ code: ended.code, outcome }, label).toEqual({ code: 130, outcome: 'interrupted' });
  const open = changes.filter(({ status }) => status !== 'done');
  expect(open.length, label).toBeGreaterThan(0);
  for (const { text } of open) expect(text, label).toMatch(/interrupted/i);
  // What stands still, or may, is named.
  const mayRun = changes.filter(({ operations }) =>
    operations.some(({ verb, status }) => verb === 'resume' && status === 'unknown'),
  );
  const named = new Set([...left_paused, ...mayRun].map(({ address }) => address));
  for (const address of paused(service)) expect([...named], label).toContain(address);

  // What the next run makes of it is what it makes of a killed one, which kill.test.ts tries at every request.
  if (at % 4 !== 0) return;
  service.hooks = {};
  const stopped = service.sandbox.state.tasks.get(ONCE);
  const held = stopped?.is_active === false && stopped.config.buy_amount === '0.1' ? [ONCE] : [];
  const again = await tradeform(APPLY, { cwd: repository.path, env: service.env });
  expect(again.code, `${label}\n${again.stdout}${again.stderr}`).toBe(0);
  expect(problemsOf(service.sandbox, held), label).toEqual([]);
  expect(
    [...service.starts.values()].filter((times) => times > 1),
    label,
  ).toEqual([]);
  expect((await planOf(repository, service.sandbox)).operations, label).toEqual([]);
}

describe('Ctrl-C at every step of an apply', () => {
  it('once: work in progress is finished, the rest is not begun, exit 130', {
    timeout: 300_000,
  }, async () => {
    await inPools(sampled(steps, 10), services, (at, service) => once(service, at, 'SIGINT'));
  });

  it('SIGTERM and a closed terminal count as the first', { timeout: 60_000 }, async () => {
    // One of each in `npm test`.
    const some = steps.filter((_, index) => index % (FULL ? 9 : 27) === 4);
    await inPools(some, services, (at, service) => once(service, at, at % 2 === 0 ? 'SIGTERM' : 'SIGHUP'));
  });

  it('twice: it stops at once and says what is left; the next apply finishes', {
    timeout: 300_000,
  }, async () => {
    // The last steps have nothing after them that could be left.
    await inPools(sampled(steps.slice(0, -1), 10), services, (at, service) => twice(service, at));
  });

  it('while reading: nothing was changed', async () => {
    const [service] = services;
    if (service === undefined) throw new Error('no service');
    for (const at of FULL ? [0, 3, READS - 1] : [3]) {
      const ended = await interrupted(service, at, async (kill) => {
        kill('SIGINT');
        return 'hang';
      });
      expect(ended.code, `request ${at}`).toBe(130);
      expect(json(ended)).toMatchObject({ exit_code: 130, diagnostics: [{ code: 'interrupted' }] });
      expect(service.writes).toBe(0);
    }
  });
});
