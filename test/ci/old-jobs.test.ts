import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Desk, openDesk, SECRETS } from './desk.ts';
import type { JobResult } from './runner.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/**
 * Jobs that the host starts again, starts late or never, through the workflow file of examples/ci/github and the built
 * program: what they find is a branch that moved on, and a record of what was applied whole.
 */
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  for (const name of ['dawn', 'dusk', 'noon']) desk.sniper(name, '0.1');
  desk.repository.commit();
  succeeded(await desk.run('apply.yml', 'workflow_dispatch', { expect: 'none', only: 'all' }));
});

function succeeded(result: JobResult | undefined): void {
  expect(result?.code, result?.log).toBe(0);
}

let branches = 0;

/** A change that was planned on its pull request and merged. Its commit on main, whose job has not run. */
async function merged(write: () => void): Promise<string> {
  branches += 1;
  const branch = `change-${branches}`;
  write();
  for (const result of await desk.push(branch, { validated: true })) succeeded(result);
  return desk.merge(branch);
}

/** A merge whose job did all of it. */
async function applied(write: () => void): Promise<string> {
  const commit = await merged(write);
  succeeded(await desk.run('apply.yml', 'push'));
  return commit;
}

function remove(name: string): void {
  rmSync(join(desk.repository.path, `manifests/${name}.yaml`));
}

/** The service refuses every write of this job. */
async function failing(commit: string): Promise<void> {
  const fault = { type: 'error', code: 'invalid_api_token' } as const;
  for (const method of ['POST', 'PATCH', 'DELETE']) desk.sandbox.faults.add({ method, times: 0, fault });
  const failed = await desk.run('apply.yml', 'push', {}, commit);
  desk.sandbox.faults.clear();
  expect(failed.code, failed.log).toBe(1);
}

const tasks = () =>
  [...desk.sandbox.state.tasks.values()].map(({ id, version }) => `${id} ${version}`).sort();
const named = (name: string) =>
  [...desk.sandbox.state.tasks.values()].filter(({ remark }) => new RegExp(`core/${name}\\b`).test(remark));
const comments = () => desk.github.comments.map(({ body }) => body);

/** The old job is run again: it does nothing, says so, and asks for nothing. */
async function isSuperseded(commit: string): Promise<void> {
  const before = { tasks: tasks(), comments: comments(), asked: desk.sandbox.log.length };
  const head = desk.repository.git('rev-parse', 'main').slice(0, 12);
  const again = await desk.run('apply.yml', 'push', {}, commit);
  expect(again.code, again.log).toBe(5);
  const said = again.log.replace(/\s+/g, ' ');
  expect(said).toContain(
    `${commit.slice(0, 12)} is superseded by ${head}, the head of main; nothing was done`,
  );
  expect(again.log).not.toMatch(/again|by hand/);
  expect({ tasks: tasks(), comments: comments(), asked: desk.sandbox.log.length }).toEqual(before);
}

describe('an old job that is run again after a newer merge', () => {
  it('green, and the newer one removed its task', async () => {
    const created = await applied(() => desk.sniper('eve', '0.1'));
    await applied(() => remove('eve'));
    await isSuperseded(created);
    expect(named('eve')).toEqual([]);
  });

  it('failed, to remove a task, and the newer one brought the task back', async () => {
    const removed = await merged(() => remove('noon'));
    await failing(removed);
    await applied(() => desk.sniper('noon', '0.1'));
    const { id } = desk.live('noon');
    await isSuperseded(removed);
    expect(named('noon')).toMatchObject([{ id, is_active: true }]);
  });

  it('waited, and a newer one is merged: the newer one does the work of both', async () => {
    const waiting = await merged(() => desk.sniper('fern', '0.1'));
    await merged(() => desk.sniper('dawn', '0.2'));
    await isSuperseded(waiting);
    expect(named('fern')).toEqual([]);
    succeeded(await desk.run('apply.yml', 'push'));
    expect(desk.live('fern').is_active).toBe(true);
    expect(desk.live('dawn').config.buy_amount).toBe('0.2');
  });
});

it('what a dropped and a failed run left is made up by the next, as it was reviewed; each pull request is told', async () => {
  await merged(() => desk.sniper('gale', '0.1'));
  const failed = await merged(() => desk.sniper('dawn', '0.3'));
  await failing(failed);
  const [dropped, next] = [branches + 5, branches + 7];
  await applied(() => desk.sniper('dusk', '0.3'));
  expect(desk.live('gale').is_active).toBe(true);
  for (const name of ['dawn', 'dusk']) expect(desk.live(name).config.buy_amount, name).toBe('0.3');
  for (let pull = dropped; pull <= next; pull += 1) {
    const told = desk.github.comments.filter(
      (one) => one.pull === pull && one.body.includes('tradeform:apply '),
    );
    expect(told.map(({ body }) => /## Applied: 3 done/.test(body))).toEqual([true]);
  }
});

it('after a rollback, what it deleted is not taken for deleted by somebody: the next merge offers it, and asks', async () => {
  const created = await applied(() => desk.sniper('iris', '0.1'));
  const [before = ''] = desk.repository.git('rev-parse', `${created}^1`).split('\n');
  const back = { expect: 'none', rollback: before };
  succeeded(await desk.run('apply.yml', 'workflow_dispatch', back));
  expect(named('iris')).toEqual([]);
  // Its own job does not bring it back.
  const again = await desk.run('apply.yml', 'push');
  succeeded(again);
  expect(again.log.replace(/\s+/g, ' ')).toContain(`was rolled back to ${before.slice(0, 12)}`);
  expect(named('iris')).toEqual([]);
  await merged(() => desk.sniper('dusk', '0.6'));
  const asked = await desk.run('apply.yml', 'push');
  expect(asked.code, asked.log).toBe(4);
  expect(asked.log).toMatch(/sniper\/iris would now also be created/);
  const digest = asked.document?.digest ?? '';
  succeeded(await desk.run('apply.yml', 'workflow_dispatch', { expect: digest }));
  expect([desk.live('iris').is_active, desk.live('dusk').config.buy_amount]).toEqual([true, '0.6']);
});

describe('the newest job that is run again', () => {
  it('after it failed has the same base: what the merge adds is created; after it succeeded it does nothing', async () => {
    const commit = await merged(() => desk.sniper('hail', '0.1'));
    await failing(commit);
    const again = await desk.run('apply.yml', 'push');
    succeeded(again);
    const { id } = desk.live('hail');
    desk.sandbox.editStored(id, { is_active: false });
    const headers = {
      authorization: `Bearer ${SECRETS.TRADEFORM_TOKEN}`,
      'if-match': `"v${desk.live('hail').version}"`,
    };
    await fetch(`${desk.baseUrl}/sniper/configs/${id}`, { method: 'DELETE', headers });
    expect(named('hail')).toEqual([]);
    const third = await desk.run('apply.yml', 'push');
    succeeded(third);
    expect(third.log).toContain('was applied whole before');
    succeeded(await desk.run('apply.yml', 'workflow_dispatch', { expect: 'none' }));
    expect(named('hail'), 'what is applied creates a task once').toEqual([]);
  });
});
