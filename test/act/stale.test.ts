import { describe, expect, test } from 'vitest';
import { checkFresh } from '../../src/act/saved-plan.ts';
import type { DesiredState } from '../../src/desired/state.ts';
import type { SeedAccount } from '../../src/model/generated/sandbox.ts';
import type { JsonObject } from '../../src/model/json.ts';
import {
  desiredLabel,
  desiredState,
  desiredTask,
  removal,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';
import { NEW, TASK } from './scenarios.ts';
import { createStage, type Stage } from './stage.ts';

/** What a saved plan is told when somebody has been at the account since. */
async function told(
  seed: SeedAccount,
  desired: DesiredState,
  meanwhile: (stage: Stage) => void | Promise<void>,
): Promise<readonly string[]> {
  const stage = createStage(seed);
  const plan = await stage.plan(desired, { allowEmpty: true });
  expect(plan.operations.length).toBeGreaterThan(0);
  expect(checkFresh(plan, await stage.read()).stale).toEqual([]);
  await meanwhile(stage);
  return checkFresh(plan, await stage.read()).stale.map(({ address, text }) => `${address}: ${text}`);
}

/** A guarded write of somebody else; it must be carried out. */
async function write(
  stage: Stage,
  method: 'PATCH' | 'DELETE',
  path: string,
  ifMatch: number,
  body: JsonObject = {},
): Promise<void> {
  const request = method === 'PATCH' ? { method, path, ifMatch, body } : { method, path, ifMatch };
  expect((await stage.api().write(request)).type).toBe('ok');
}

const create = (remark: string) => ({ remark, target_wallet: wallet(2), config: sniperConfig() });

describe('labels', () => {
  const seed = { labels: [{ id: uuid(7), name: 'high', sort_order: 1 }] };
  const desired = desiredState([], [desiredLabel('high', { sort_order: 2 })]);

  test.each([
    ['another name', { name: 'higher', sort_order: 1 }],
    ['another order', { name: 'high', sort_order: 9 }],
  ])('%s', async (_name, body) => {
    expect(await told(seed, desired, (stage) => stage.outside('PATCH', `/labels/${uuid(7)}`, body))).toEqual([
      `label/high: The name or order of the label ${uuid(7)} differs from the plan.`,
    ]);
  });

  test('deleted', async () => {
    expect(await told(seed, desired, (stage) => stage.outside('DELETE', `/labels/${uuid(7)}`))).toEqual([
      `label/high: The label ${uuid(7)} was deleted in the meantime.`,
    ]);
  });

  test('a label to create exists with another sort_order; with the planned one it counts as created', async () => {
    const outside = (sort_order: number) => (stage: Stage) =>
      stage.outside('POST', '/labels', { name: 'high', sort_order }, 'somebody-else');
    expect(await told({}, desired, outside(2))).toEqual([]);
    expect(await told({}, desired, outside(3))).toEqual([
      expect.stringMatching(/^label\/high: .* now has this name and differs from the plan\.$/),
    ]);
  });
});

describe('templates', () => {
  const seed: SeedAccount = {
    templates: [{ kind: 'sniper', id: uuid(5), name: 'base', config: sniperConfig() }],
  };
  const desired = desiredState([], [], {
    templates: [
      {
        address: 'sniper-template/base',
        collection: 'sniper-template',
        name: 'base',
        shownName: 'base',
        config: NEW,
        origin: () => undefined,
      },
    ],
  });

  test('written to', async () => {
    const edit = (stage: Stage) =>
      write(stage, 'PATCH', `/sniper/templates/${uuid(5)}`, 1, { config: sniperConfig({ buy_amount: '9' }) });
    expect(await told(seed, desired, edit)).toEqual([
      `sniper-template/base: The template ${uuid(5)} was at version 1 and is now at 2.`,
    ]);
  });

  test('written exactly as the plan would: counts as done, and nothing is stale', async () => {
    const edit = (stage: Stage) => write(stage, 'PATCH', `/sniper/templates/${uuid(5)}`, 1, { config: NEW });
    expect(await told(seed, desired, edit)).toEqual([]);
  });

  test('deleted', async () => {
    const remove = (stage: Stage) => write(stage, 'DELETE', `/sniper/templates/${uuid(5)}`, 1);
    expect(await told(seed, desired, remove)).toEqual([
      `sniper-template/base: The template ${uuid(5)} was deleted in the meantime.`,
    ]);
  });
});

describe('tasks', () => {
  const paused = desiredState([desiredTask('a', { state: 'paused', config: NEW })]);
  const stopped = { tasks: [{ ...TASK, remark: 'Note [git:core/a]', is_active: false }] };

  test('one that git wants paused was started, with and without a new version', async () => {
    for (const bump of [true, false]) {
      const start = (stage: Stage) => stage.edit(uuid(1), { is_active: true, bump });
      expect(await told(stopped, paused, start)).toEqual([
        `sniper/a: The task ${uuid(1)} was at version 5 and is now at ${bump ? 6 : 5}: it was started.`,
      ]);
    }
  });

  test('another config, by the names of the fields and not their values', async () => {
    const edit = (stage: Stage) =>
      write(stage, 'PATCH', `/sniper/configs/${uuid(1)}`, 5, { config: sniperConfig({ buy_amount: '123' }) });
    const [text] = await told(stopped, paused, edit);
    expect(text).toContain('config.buy_amount');
    expect(text).not.toContain('123');
  });

  test('two tasks of the name exist where one should be created', async () => {
    const both = async (stage: Stage) => {
      for (const key of ['one', 'two'])
        await stage.outside('POST', '/sniper/configs', create('Note [git:core/a@1]'), `somebody-${key}`);
    };
    expect(await told({}, desiredState([desiredTask('a')]), both)).toEqual([
      'sniper/a: 2 resources now have this name.',
    ]);
  });

  test.each([
    ['another project’s task of the same name', 'Note [git:other/a@1]', 'sniper'],
    ['another task of the project', 'Note [git:core/b@1]', 'sniper'],
    ['an unmanaged one with this note', 'Note', 'sniper'],
    ['one of another kind', 'Note [git:core/a@1]', 'transfer-snipe'],
  ])('%s is none of its business', async (_name, remark, kind) => {
    const add = (stage: Stage) => stage.outside('POST', `/${kind}/configs`, create(remark), 'somebody-else');
    expect(await told({}, desiredState([desiredTask('a')]), add)).toEqual([]);
  });

  test('another label is named', async () => {
    const labels = [{ id: uuid(7), name: 'high', sort_order: 1 }];
    const changed = desiredState([desiredTask('a', { config: NEW })]);
    const relabel = (stage: Stage) =>
      write(stage, 'PATCH', `/sniper/configs/${uuid(1)}`, 5, { risk_label_id: uuid(7) });
    expect(
      await told(
        { labels, tasks: [{ ...TASK, is_active: false, remark: 'Note [git:core/a]' }] },
        changed,
        relabel,
      ),
    ).toEqual([`sniper/a: The task ${uuid(1)} was at version 5 and is now at 6: label.`]);
  });

  test('a task without operations may change: a held one, beside one that is changed', async () => {
    const held = { ...TASK, is_active: false, remark: 'Note [git:core/a@5]', version: 6 };
    const other = { ...TASK, id: uuid(2), remark: 'Note [git:core/b@0]' };
    const desired = desiredState([desiredTask('a'), desiredTask('b', { note: 'Other' })]);
    const note = (stage: Stage) => stage.edit(uuid(1), { remark: 'Memo [git:core/a@5]' });
    expect(await told({ tasks: [held, other] }, desired, note)).toEqual([]);
  });

  test('another target wallet is named', async () => {
    const retarget = (stage: Stage) => stage.edit(uuid(1), { target_wallet: wallet(3) });
    expect(
      await told({ tasks: [TASK] }, desiredState([desiredTask('a', { config: NEW })]), retarget),
    ).toEqual([`sniper/a: The task ${uuid(1)} was at version 5 and is now at 6: target_wallet.`]);
  });

  test('a task to release was deleted, with its label that should be deleted', async () => {
    const seed = { labels: [{ id: uuid(7), name: 'high' }], tasks: [{ ...TASK, label: 'high' }] };
    const removals = [removal('sniper/a'), removal('label/high')];
    const remove = async (stage: Stage) => {
      stage.sandbox.apply([{ type: 'task-removed', id: uuid(1) }]);
      await stage.outside('DELETE', `/labels/${uuid(7)}`);
    };
    expect(await told(seed, desiredState([], [], { removals }), remove)).toEqual([
      `sniper/a: The task ${uuid(1)} was deleted in the meantime.`,
    ]);
  });

  test('a task to delete got a note, or is already deleted', async () => {
    const gone = desiredState([]);
    const note = (stage: Stage) => stage.edit(uuid(1), { remark: 'Memo [git:core/a@0]' });
    expect(await told({ tasks: [TASK] }, gone, note)).toEqual([
      `sniper/a: The task ${uuid(1)} was at version 5 and is now at 6: remark.`,
    ]);
    const paused = { tasks: [{ ...TASK, is_active: false }] };
    const remove = (stage: Stage) => write(stage, 'DELETE', `/sniper/configs/${uuid(1)}`, 5);
    expect(await told(paused, gone, remove)).toEqual([]);
  });
});
