import { describe, expect, test } from 'vitest';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import type { FaultRule } from '../../src/core/model/generated/sandbox.ts';
import {
  copyTradeConfig,
  desiredState,
  desiredTask,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';
import type { Over } from '../support/world.ts';
import { ID, NEW, TASK } from './scenarios.ts';
import { createStage, heal, type Meddler, type Stage } from './stage.ts';

/** What is left, and what is said, when a chain does not come to its end. */

const CHANGED = desiredState([desiredTask('a', { config: NEW })]);
const REPLACED = desiredState([desiredTask('a', { target_wallet: wallet(2) })]);
const STANDS = 'The mark of a pending start could not be rolled back';

const refuse = (method: string, path: string, more: Partial<FaultRule> = {}): FaultRule => ({
  method,
  path,
  ...more,
  fault: { type: 'error', code: 'validation_error' },
});
/** From the third patch on every patch of the task: after mark and change, that is what takes a mark back. */
const noSettling = (skip: number) => refuse('PATCH', ID, { skip, times: 0 });

async function run(
  stage: Stage,
  desired: DesiredState = CHANGED,
  meddler?: Meddler,
  over?: Over,
): Promise<ApplyReport['changes'][number] & { readonly left: ApplyReport['left_paused'] }> {
  const plan = await stage.plan(desired, { allowEmpty: true });
  const report = (await stage.apply(plan, meddler, over)) as ApplyReport;
  const change = report.changes.at(-1);
  if (change === undefined) throw new Error('nothing was planned');
  return { ...change, left: report.left_paused };
}

/** Somebody stops the task right before this run's pause, and may do more. */
const stopBeforePause =
  (stage: Stage, more: Parameters<Stage['sandbox']['editStored']>[1] = {}): Meddler =>
  (_, { path }) => {
    if (path.endsWith(`${ID}/pause`)) stage.edit(ID, { is_active: false, ...more });
    return undefined;
  };

const statuses = ({ operations }: ApplyReport['changes'][number]) =>
  operations.map(({ verb, status }) => `${verb} ${status}`);

describe('somebody stopped the task first', () => {
  test('the rest of the change is applied to the paused task', async () => {
    const stage = createStage({ tasks: [TASK] });
    const change = await run(stage, CHANGED, stopBeforePause(stage));
    expect(change).toMatchObject({ status: 'held' });
    expect(change.text).toContain('The rest of the change was applied; the task is held.');
    expect(statuses(change)).toEqual(['mark done', 'pause failed', 'patch done', 'resume not-started']);
    expect(change.left).toMatchObject([{ id: ID }]);
    expect(stage.task(ID)).toMatchObject({ is_active: false, config: NEW, remark: 'Note [git:core/a@0]' });
    expect((await stage.plan(CHANGED)).operations).toEqual([]);
  });

  test('if the rest is refused, the task is held, and the next apply applies it', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refuse('PATCH', ID, { skip: 1 }));
    const change = await run(stage, CHANGED, stopBeforePause(stage));
    expect(change.status).toBe('failed');
    expect(change.text).toContain('It is held; the next apply completes the rest of the change.');
    expect(stage.task(ID)).toMatchObject({ is_active: false, config: TASK.config, remark: TASK.remark });
    await heal(stage, CHANGED);
    expect(stage.task(ID)).toMatchObject({ is_active: false, config: NEW });
  });

  test('and wrote another config: it is not overwritten unseen', async () => {
    const stage = createStage({ tasks: [TASK] });
    const theirs = sniperConfig({ buy_amount: '9' });
    const change = await run(stage, CHANGED, stopBeforePause(stage, { config: theirs }));
    expect(change.status).toBe('failed');
    expect(stage.task(ID)).toMatchObject({ is_active: false, config: theirs, remark: TASK.remark });
  });

  test('in a replacement: the new task is held, too, and the next apply completes it', async () => {
    const stage = createStage({ tasks: [TASK] });
    const change = await run(stage, REPLACED, stopBeforePause(stage));
    expect(change.text).toContain(
      'It is held; the next apply completes the replacement and does not start it.',
    );
    expect(stage.owned('a').map(({ is_active, remark }) => [is_active, /@\d/.exec(remark)?.[0]])).toEqual([
      [false, '@0'],
      [false, '@0'],
    ]);
    await heal(stage, REPLACED);
    expect(stage.owned('a')).toMatchObject([{ is_active: false, target_wallet: wallet(2) }]);
  });

  test('and the mark cannot be rolled back: reported, because the next apply may start it', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(noSettling(1));
    // A pause without a version of its own leaves the mark above the version.
    const change = await run(stage, CHANGED, stopBeforePause(stage, { bump: false }));
    expect(change.text).toContain(STANDS);
  });

  test('in a replacement, and the mark of the new task cannot be rolled back', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add({ ...refuse('PATCH', 'configs', { times: 0 }), path: `configs/(?!${ID})` });
    const change = await run(stage, REPLACED, stopBeforePause(stage));
    expect(change.text).toContain(STANDS);
  });
});

describe('the patch is refused after the pause', () => {
  const refused = refuse('PATCH', ID, { skip: 1 });

  test('and so is the restart: the task is left paused with its start pending, and the next apply starts it', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refused, refuse('POST', 'resume$'));
    const change = await run(stage);
    expect(change.text).toMatch(/could not be started again with its former config: The start was refused/);
    expect(change.text).toContain('It stays paused; the next apply starts it.');
    expect(change.left).toMatchObject([{ id: ID }]);
    await heal(stage, CHANGED);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: NEW });
  });

  test('a task that was deleted before the restart is reported as deleted', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(refused);
    const change = await run(stage, CHANGED, (_, { path }) => {
      if (path.endsWith('/resume')) stage.sandbox.apply([{ type: 'task-removed', id: ID }]);
      return undefined;
    });
    expect(change.text).toContain('Somebody deleted it in the meantime.');
  });

  test('a task without a marker before runs again, too, and is adopted by that', async () => {
    const once = sniperConfig({ buy_once: true });
    const stage = createStage({ tasks: [{ ...TASK, remark: 'Mine', config: once }] });
    const desired = desiredState([desiredTask('a', { id: ID, config: { ...once, buy_amount: '0.75' } })]);
    stage.sandbox.faults.add(refuse('PATCH', ID));
    const change = await run(stage, desired);
    expect(change.text).toContain('It runs again with its former config.');
    expect(change.text).not.toContain('bug');
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: once, remark: 'Note [git:core/a@7]' });
  });

  const ONCE = sniperConfig({ buy_once: true });
  const ONCE_CHANGED = desiredState([desiredTask('a', { config: { ...ONCE, buy_amount: '0.75' } })]);
  const writes = (stage: Stage) =>
    stage.requests.flatMap(({ method, path }) =>
      method === 'GET' ? [] : [`${method} ${path.endsWith(ID) ? '' : path.split('/').at(-1)}`.trim()],
    );

  test('and so is the mark of the restart: nothing is started without it', async () => {
    const stage = createStage({ tasks: [{ ...TASK, config: ONCE }] });
    stage.sandbox.faults.add(noSettling(0));
    const change = await run(stage, ONCE_CHANGED);
    expect(writes(stage)).toEqual(['POST pause', 'PATCH', 'PATCH']);
    expect(change.text).toContain(
      'could not be started again with its former config: The change was refused',
    );
    expect(stage.task(ID)).toMatchObject({ is_active: false, remark: TASK.remark });
  });

  test('hold, and there is no mark: nothing more is written', async () => {
    const stage = createStage({ tasks: [{ ...TASK, config: ONCE }] });
    stage.sandbox.faults.add(refuse('PATCH', ID));
    await run(stage, ONCE_CHANGED, undefined, { onFailure: 'hold' });
    expect(writes(stage)).toEqual(['POST pause', 'PATCH']);
    expect(stage.task(ID)).toMatchObject({ is_active: false, version: 6 });
  });

  test('hold, and the mark cannot be rolled back', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(noSettling(1));
    const change = await run(stage, CHANGED, undefined, { onFailure: 'hold' });
    expect(change.text).toContain(STANDS);
    expect(stage.task(ID)?.remark).toBe('Note [git:core/a@7]');
  });
});

test('a copy-trade task gets its former config and linked wallets back if the service stored other values', async () => {
  const config = copyTradeConfig();
  const stage = createStage(
    { tasks: [{ ...TASK, kind: 'copy-trade', config, linked_wallets: [wallet(3)] }] },
    { optional_echo: 'filled' },
  );
  const desired = desiredState([
    desiredTask('a', {
      collection: 'copy-trade',
      linked_wallets: [wallet(4)],
      config: copyTradeConfig({ min_trade_amount: '0.1' }),
    }),
  ]);
  const change = await run(stage, desired);
  expect(change.status).toBe('failed');
  expect(stage.task(ID)).toMatchObject({ linked_wallets: [wallet(3)], config: { min_trade_amount: '' } });
});

describe('a pause that is refused, and its mark', () => {
  const noPause = refuse('POST', 'pause$');

  test('that cannot be rolled back: the next apply does it', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(noPause, noSettling(1));
    const change = await run(stage);
    expect(change.text).toContain(
      'The mark that announced the pause could not be rolled back; the next apply does',
    );
    expect(change.left).toEqual([]);
    expect(stage.task(ID)).toMatchObject({ is_active: true, remark: 'Note [git:core/a@7]' });
  });

  test.each(['lost-before', 'lost-after'] as const)(
    'whose taking back is %s once is taken back',
    async (blow) => {
      const stage = createStage({ tasks: [TASK] });
      stage.sandbox.faults.add(noPause);
      let patches = 0;
      await run(stage, CHANGED, (_, { method }) => {
        patches += method === 'PATCH' ? 1 : 0;
        return method === 'PATCH' && patches === 2 ? blow : undefined;
      });
      expect(stage.task(ID)).toMatchObject({ is_active: true, remark: TASK.remark });
    },
  );

  test('is rolled back, and keeps a note that somebody writes at that moment', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(noPause);
    let patches = 0;
    await run(stage, CHANGED, (_, { method }) => {
      patches += method === 'PATCH' ? 1 : 0;
      if (method === 'PATCH' && patches === 2) stage.edit(ID, { remark: 'Memo [git:core/a@7]' });
      return undefined;
    });
    expect(stage.task(ID)).toMatchObject({ is_active: true, remark: 'Memo [git:core/a@0]' });
  });

  test.each(['@!', '@9'])('that somebody else has written over by %s is left alone', async (theirs) => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(noPause);
    let patches = 0;
    const change = await run(stage, CHANGED, (_, { method }) => {
      patches += method === 'PATCH' ? 1 : 0;
      if (method === 'PATCH' && patches === 2) stage.edit(ID, { remark: `Note [git:core/a${theirs}]` });
      return undefined;
    });
    expect(stage.task(ID)).toMatchObject({ is_active: true, remark: `Note [git:core/a${theirs}]` });
    expect(patches).toBe(2);
    expect(change.text).not.toContain('rolled back');
  });

  test('that cannot be reached five times is given up', async () => {
    const stage = createStage({ tasks: [TASK] });
    stage.sandbox.faults.add(noPause);
    let patches = 0;
    const change = await run(stage, CHANGED, (_, { method }) => {
      patches += method === 'PATCH' ? 1 : 0;
      return method === 'PATCH' && patches > 1 ? 'lost-before' : undefined;
    });
    expect(patches).toBe(6);
    expect(change.text).toContain('could not be rolled back');
  });
});

describe('a replacement without room, with only the new task left', () => {
  const seed = { tasks: [TASK], quota: { max: 1 } };
  const noStart = refuse('POST', 'resume$');

  test('restore: its start stays pending, and the next apply starts it', async () => {
    const stage = createStage(seed);
    stage.sandbox.faults.add(noStart);
    const change = await run(stage, REPLACED);
    const [heir] = stage.owned('a');
    expect(change.left).toMatchObject([
      {
        id: heir?.id,
        text: expect.stringContaining('the next apply whose change the service accepts starts it'),
      },
    ]);
    await heal(stage, REPLACED);
    expect(stage.owned('a')).toMatchObject([{ is_active: true, target_wallet: wallet(2) }]);
  });

  test('hold: it is held', async () => {
    const stage = createStage(seed);
    stage.sandbox.faults.add(noStart);
    const change = await run(stage, REPLACED, undefined, { onFailure: 'hold' });
    const [heir] = stage.owned('a');
    expect(heir).toMatchObject({ is_active: false, remark: 'Note [git:core/a@0]' });
    expect(change.left).toMatchObject([{ id: heir?.id, text: expect.stringContaining('--on-failure hold') }]);
    await heal(stage, REPLACED);
    expect(stage.owned('a')).toMatchObject([{ is_active: false }]);
  });
});

test('the second Ctrl-C after the pause: the task left paused is named, with its pending start', async () => {
  const stage = createStage({ tasks: [TASK] });
  const [soft, hard] = [new AbortController(), new AbortController()];
  const change = await run(
    stage,
    CHANGED,
    (index) => {
      if (index === 2) {
        soft.abort();
        hard.abort();
      }
      return undefined;
    },
    { stop: { soft: soft.signal, hard: hard.signal } },
  );
  expect(change.left).toMatchObject([{ id: ID, text: expect.stringContaining('the next apply starts it') }]);
});

test('a task that git wants paused, whose patch is refused after the pause, is neither started nor reported as left paused', async () => {
  const stage = createStage({ tasks: [TASK, { ...TASK, id: uuid(2), remark: 'by hand' }] });
  stage.sandbox.faults.add(refuse('PATCH', ID));
  const change = await run(stage, desiredState([desiredTask('a', { state: 'paused', config: NEW })]));
  expect(change.status).toBe('failed');
  expect(change.left).toEqual([]);
  expect(stage.task(ID)?.is_active).toBe(false);
});

test('if the project is renamed in the meantime, a stop of the former task reaches the mark of its successor', async () => {
  const heir = { ...TASK, id: uuid(2), target_wallet: wallet(2), is_active: false, version: 1 };
  const stage = createStage({
    tasks: [
      { ...TASK, remark: 'Note [git:was/a@0]' },
      { ...heir, remark: 'Note [git:was/a@1~0001]' },
    ],
  });
  const task = desiredTask('a', { target_wallet: wallet(2) });
  const plan = await stage.plan(desiredState([task], [], { previousProject: 'was' }));
  await stage.apply(plan, (_index, { path }) => {
    if (path.endsWith('/pause')) stage.edit(ID, { is_active: false });
    return undefined;
  });
  // Nothing of it is started, whatever becomes of the former one.
  expect(stage.task(uuid(2))).toMatchObject({ is_active: false, remark: 'Note [git:was/a@0~0001]' });
});
