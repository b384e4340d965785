import { describe, expect, test } from 'vitest';
import type { DesiredState, DesiredTask } from '../../src/core/desired/state.ts';
import { TASK_KINDS, type TaskCollection } from '../../src/core/model/kind.ts';
import { configFor, desiredLabel, desiredState, desiredTask, seedTask, wallet } from '../support/builders.ts';
import { createWorld, type World } from '../support/world.ts';

/** Requests that changed something, without ids: `PATCH`, `POST pause`, `POST`, `DELETE`. A key used today is refused, not carried out. */
function writes(world: World): readonly string[] {
  return world.sandbox.log
    .filter(({ method, status }) => method !== 'GET' && status !== null && status < 400)
    .map(({ method, path }) => `${method} ${/\/(pause|resume)$/.exec(path)?.[1] ?? ''}`.trim());
}

/** Applies, and checks that everything was done and that a second plan is empty. Returns the writes. */
async function converge(world: World, desired: DesiredState, status = 'done'): Promise<readonly string[]> {
  world.sandbox.clearLog();
  const report = await world.apply(await world.plan(desired, { allowEmpty: true }));
  const sent = writes(world);
  expect(report.changes.map((change) => change.status)).toEqual(report.changes.map(() => status));
  const second = await world.plan(desired, { allowEmpty: true });
  expect(second.operations).toEqual([]);
  expect(writes(world)).toEqual(sent);
  return sent;
}

function only(world: World) {
  const tasks = [...world.sandbox.state.tasks.values()];
  expect(tasks).toHaveLength(1);
  return tasks[0]!;
}

function task(collection: TaskCollection, over: Partial<DesiredTask> = {}): DesiredTask {
  return desiredTask('a', { collection, ...over });
}

function edited(collection: TaskCollection) {
  const config = configFor(collection);
  return collection === 'copy-trade'
    ? { ...config, min_trade_amount: '0.75' }
    : { ...config, buy_amount: '0.75' };
}

describe.each(TASK_KINDS.map(({ collection }) => collection))('%s', (collection) => {
  test('create, update, relabel, stop, start and delete converge', async () => {
    const world = createWorld({});
    expect(await converge(world, desiredState([task(collection)]))).toEqual(['POST', 'POST resume']);
    expect(only(world)).toMatchObject({
      is_active: true,
      version: 2,
      remark: expect.stringMatching(/^Note \[git:core\/a@1\.\w{8}\]$/),
    });

    const changed = task(collection, { config: edited(collection) });
    expect(await converge(world, desiredState([changed]))).toEqual([
      'PATCH',
      'POST pause',
      'PATCH',
      'POST resume',
    ]);
    expect(only(world)).toMatchObject({
      is_active: true,
      version: 6,
      remark: expect.stringMatching(/^Note \[git:core\/a@5\.\w{8}\]$/),
      config: edited(collection),
    });

    const relabelled = { ...changed, label: 'high', note: 'Another note' };
    expect(await converge(world, desiredState([relabelled], [desiredLabel('high')]))).toEqual([
      'POST',
      'PATCH',
    ]);
    expect(only(world)).toMatchObject({
      is_active: true,
      remark: expect.stringMatching(/^Another note \[git:core\/a@0\.\w{8}\]$/),
    });

    const stopped = { ...relabelled, state: 'paused' as const };
    expect(await converge(world, desiredState([stopped], [desiredLabel('high')]))).toEqual([
      'POST pause',
      'PATCH',
    ]);
    expect(only(world)).toMatchObject({
      is_active: false,
      remark: expect.stringMatching(/^Another note \[git:core\/a\.\w{8}\]$/),
    });

    expect(await converge(world, desiredState([relabelled], [desiredLabel('high')]))).toEqual([
      'PATCH',
      'POST resume',
    ]);
    expect(only(world).is_active).toBe(true);

    expect(await converge(world, desiredState([], [desiredLabel('high')]))).toEqual(['POST pause', 'DELETE']);
    expect(world.sandbox.state.tasks.size).toBe(0);
  });

  test('buy_once: read, pause, patch, resume', async () => {
    const world = createWorld({});
    const once = { ...configFor(collection), buy_once: true };
    await converge(world, desiredState([task(collection, { config: once })]));
    const changed = desiredState([task(collection, { config: { ...edited(collection), buy_once: true } })]);
    expect(await converge(world, changed)).toEqual(['POST pause', 'PATCH', 'POST resume']);
    const chain = world.sandbox.log.map(({ method, path }) => `${method} ${path}`);
    const pause = chain.findIndex((line) => line.endsWith('/pause'));
    expect(chain[pause - 1]).toBe(`GET ${chain[pause]?.slice('POST '.length, -'/pause'.length)}`);
  });

  test('a person pauses it: every later apply leaves it paused, a new rearm starts it', async () => {
    const world = createWorld({});
    await converge(world, desiredState([task(collection)]));
    world.sandbox.editStored(only(world).id, { is_active: false });
    expect(await converge(world, desiredState([task(collection)]), 'held')).toEqual([]);
    world.sandbox.clearLog();
    const changed = desiredState([task(collection, { config: edited(collection) })]);
    await world.apply(await world.plan(changed));
    expect(writes(world)).toEqual(['PATCH']);
    expect(only(world)).toMatchObject({ is_active: false, config: edited(collection) });
    const rearmed = desiredState([task(collection, { config: edited(collection), rearm: 'b' })]);
    expect(await converge(world, rearmed)).toEqual(['PATCH', 'POST resume']);
    expect(only(world).is_active).toBe(true);
  });

  test('a buy_once task that has fired is held, whether the service raises its version or not', async () => {
    for (const fire_version of ['bumped', 'same'] as const) {
      const world = createWorld({}, { fire_version });
      const once = desiredState([task(collection, { config: { ...configFor(collection), buy_once: true } })]);
      await converge(world, once);
      expect(world.sandbox.fire(only(world).id).deactivated).toBe(true);
      expect(await converge(world, once, 'held')).toEqual([]);
      expect(only(world).is_active).toBe(false);
    }
  });
});

describe('reading', () => {
  test('a plan sends GET requests only, each page once, and none for single items', async () => {
    const then = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
    const tasks = Array.from({ length: 250 }, (_, index) =>
      seedTask(index + 1, { remark: `n [git:core/t${index}@0]`, target_wallet: wallet(index), ...then }),
    );
    const world = createWorld({ tasks, quota: { max: 300 } });
    const plan = await world.plan(desiredState([], [], { pruneTasks: 'never' }));
    expect(plan.observations).toHaveLength(250);
    const paths = world.sandbox.log.map(({ method, path }) => `${method} ${path.split(/[?]/)[0]}`);
    const count = (path: string) => paths.filter((line) => line === `GET ${path}`).length;
    expect(paths.every((line) => line.startsWith('GET '))).toBe(true);
    expect(count('/sniper/configs')).toBe(3);
    expect(count('/me')).toBe(2);
    expect(paths).toHaveLength(2 + 3 + 1 + 1 + 2 + 1);
  });
});
