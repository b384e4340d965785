import { describe, expect, test } from 'vitest';
import type { FaultRule, SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import { desiredState, desiredTask, sniperConfig, wallet } from '../support/builders.ts';
import { planAndCarryOut, rightBefore } from './ending.ts';
import { ID, NEW, TASK } from './scenarios.ts';
import { createStage, heal, type Meddler, type Stage } from './stage.ts';

/** Somebody was at the task first: what this run then writes, and what it says. */

const CHANGED = desiredState([desiredTask('a', { config: NEW })]);
const REPLACED = desiredState([desiredTask('a', { target_wallet: wallet(2) })]);
const THEIRS = sniperConfig({ buy_amount: '9' });

const running = (over: object = {}): SeedAccount => ({ tasks: [{ ...TASK, ...over }] });
const marks = (stage: Stage) => stage.owned('a').map(({ remark }) => /@[\d!]+/.exec(remark)?.[0]);

describe('before the first request: nothing is written afterwards, and the report says only that', () => {
  test.each([
    ['stopped it', { is_active: false }, 'it was stopped', 1],
    ['wrote another config', { config: THEIRS }, 'config.buy_amount changed', 1],
    ['wrote another marker', { remark: 'Note [git:core/a@!]' }, 'remark changed', 1],
    [
      'brought the change, with no marker',
      { config: NEW, remark: 'Note' },
      'remark, config.buy_amount changed',
      1,
    ],
    // All but the mark is as planned: that may be another apply before its last patch.
    [
      'brought the change, with @!',
      { config: NEW, remark: 'Note [git:core/a@!]' },
      'remark, config.buy_amount changed',
      3,
    ],
  ])('somebody %s', async (_what, edit, what, looks) => {
    const stage = createStage(running());
    const end = await planAndCarryOut(stage, CHANGED, (index) => {
      if (index === 0) stage.edit(ID, edit);
      return undefined;
    });
    const text = `Somebody else changed the task before its mark: ${what}.`;
    expect(end).toMatchObject({ status: 'failed', text, change: { error: { code: 'moved', status: null } } });
    // The mark, the reading after its refusal, and the looks for another apply.
    expect(end.sent).toEqual(['PATCH', 'GET', ...Array.from({ length: looks }, () => 'GET')]);
    expect(end.operations).toEqual([
      'mark failed',
      'pause not-started',
      'patch not-started',
      'resume not-started',
    ]);
    expect(stage.task(ID)).toMatchObject({ version: 6, ...edit });
  });

  test('somebody deleted it', async () => {
    const stage = createStage(running());
    const end = await planAndCarryOut(
      stage,
      CHANGED,
      rightBefore(/PATCH/, () => {
        stage.sandbox.apply([{ type: 'task-removed', id: ID }]);
      }),
    );
    expect(end).toMatchObject({
      status: 'failed',
      text: 'Somebody deleted it in the meantime.',
      change: { error: { code: 'gone' } },
    });
  });

  test('a task that git wants paused is not reported as done while it runs', async () => {
    const stage = createStage(running());
    const end = await planAndCarryOut(
      stage,
      desiredState([desiredTask('a', { state: 'paused' })]),
      rightBefore(/pause$/, () => {
        stage.edit(ID, { remark: 'Note [git:core/a]' });
      }),
    );
    expect(end).toMatchObject({
      status: 'failed',
      text: 'Somebody else changed the task before its pause: remark changed.',
    });
    expect(stage.task(ID)).toMatchObject({ is_active: true, version: 6 });
  });
});

describe('somebody stopped the task and removed its marker', () => {
  test.each(['Mine', 'Note [git:desk/a@0]', 'Note [git:core/b@0]'])(
    'to %s: nothing is written over',
    async (remark) => {
      const stage = createStage(running());
      const end = await planAndCarryOut(
        stage,
        CHANGED,
        rightBefore(/pause$/, () => {
          stage.edit(ID, { is_active: false, remark });
        }),
      );
      expect(end).toMatchObject({
        status: 'failed',
        operations: expect.arrayContaining(['patch not-started']),
      });
      expect(end.sent.filter((request) => request === 'PATCH')).toHaveLength(1);
      expect(stage.task(ID)).toMatchObject({ remark, config: TASK.config, is_active: false, version: 7 });
    },
  );

  test('before its replacement marked it: the new task is held', async () => {
    for (const remark of ['Mine', 'Note [git:desk/a@6]']) {
      const stage = createStage(running());
      const end = await planAndCarryOut(
        stage,
        REPLACED,
        rightBefore(/PATCH/, () => {
          stage.edit(ID, { is_active: false, remark });
        }),
      );
      expect(end.text).toBe(
        'Somebody else changed the task before its mark: it was stopped, remark changed.',
      );
      expect(marks(stage)).toEqual(['@0']);
    }
  });
});

test('another config in the running task stops its replacement, which the next apply completes', async () => {
  const stage = createStage(running());
  const end = await planAndCarryOut(
    stage,
    REPLACED,
    rightBefore(/PATCH/, () => {
      stage.edit(ID, { config: THEIRS });
    }),
  );
  expect(end.text).toBe('Somebody else changed the task before its mark: config.buy_amount changed.');
  expect(marks(stage).sort()).toEqual(['@0', '@1']);
  await heal(stage, REPLACED);
  expect(stage.owned('a')).toMatchObject([{ is_active: true, target_wallet: wallet(2) }]);
});

test('a held replacement whose former task somebody starts is reported as that, not as a bug', async () => {
  const stage = createStage(running({ is_active: false, remark: 'Note [git:core/a@3]' }));
  const end = await planAndCarryOut(
    stage,
    REPLACED,
    rightBefore(/DELETE/, () => {
      stage.edit(ID, { is_active: true });
    }),
  );
  expect(end.text).toBe('Somebody else changed the task before its deletion: it was started.');
  expect(stage.task(ID)?.is_active).toBe(true);
});

describe('a note of somebody else stays', () => {
  const note = (stage: Stage, text: string) => {
    const { remark = '' } = stage.task(ID) ?? {};
    stage.edit(ID, { remark: remark.replace(/^\w+/, text) });
  };

  test.each([
    ['before the mark', 0, 'its mark', ''],
    ['before the pause', 1, 'its pause', ''],
    ['after the pause', 2, 'its patch', ' It runs again with its former config.'],
  ])('one %s: the change stops, and the task runs as before', async (_when, at, what, then) => {
    const stage = createStage(running());
    const end = await planAndCarryOut(stage, CHANGED, (index) => {
      if (index === at) note(stage, 'Memo');
      return undefined;
    });
    expect(end).toMatchObject({
      status: 'failed',
      text: `Somebody else changed the task before ${what}: remark changed.${then}`,
    });
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: TASK.config });
    expect(stage.task(ID)?.remark).toMatch(/^Memo /);
  });

  test('a second note after the pause leaves it paused', async () => {
    const stage = createStage(running());
    const end = await planAndCarryOut(stage, CHANGED, (index) => {
      if (index === 2 || index === 4) note(stage, `Memo${index}`);
      return undefined;
    });
    expect(end.status).toBe('failed');
    expect(end.report.left_paused).toHaveLength(1);
    expect(end.sent).not.toContain('POST resume');
    expect(stage.task(ID)).toMatchObject({ is_active: false, config: TASK.config });
  });

  test('a change while the mark is renewed is reported for the step that would follow', async () => {
    const stage = createStage(running());
    const end = await planAndCarryOut(stage, CHANGED, (index) => {
      if (index === 3) note(stage, 'Memo');
      // The mark of the start is written once more.
      if (index === 5) stage.edit(ID, { is_active: true });
      return undefined;
    });
    expect(end.sent.slice(0, 6)).toEqual(['PATCH', 'POST pause', 'PATCH', 'POST resume', 'GET', 'PATCH']);
    expect(end.text).toContain('Somebody else changed the task before its start: it was started');
    expect(end.operations).toEqual(['mark done', 'pause done', 'patch done', 'resume failed']);
  });
});

describe('a mark of this run', () => {
  const stopAfterLostMark =
    (stage: Stage): Meddler =>
    (index) => {
      if (index === 1) stage.edit(ID, { is_active: false });
      return index === 0 ? 'lost-after' : undefined;
    };

  test('that was rolled back after a stop is not mentioned', async () => {
    const stage = createStage(running());
    const { text } = await planAndCarryOut(stage, CHANGED, stopAfterLostMark(stage));
    expect(text).toBe('Somebody else changed the task before its mark: it was stopped, remark changed.');
    expect(marks(stage)).toEqual(['@0']);
  });

  test('that could not be rolled back is mentioned', async () => {
    const stage = createStage(running());
    stage.sandbox.faults.add({
      method: 'PATCH',
      skip: 1,
      times: 0,
      fault: { type: 'error', code: 'validation_error' },
    });
    const { text } = await planAndCarryOut(stage, CHANGED, stopAfterLostMark(stage));
    expect(text).toContain(
      'The mark of a pending start could not be rolled back: the next apply may start it.',
    );
    expect(marks(stage)).toEqual(['@7']);
  });

  test('stays if the start of a paused task is refused: the next apply starts it', async () => {
    const stage = createStage(running({ is_active: false, remark: 'Note [git:core/a]' }));
    const refused: FaultRule = { path: 'resume$', fault: { type: 'error', code: 'validation_error' } };
    stage.sandbox.faults.add(refused);
    const end = await planAndCarryOut(stage, desiredState([desiredTask('a')]));
    expect(end).toMatchObject({ status: 'failed', sent: ['PATCH', 'POST resume', 'GET'] });
    expect(marks(stage)).toEqual(['@6']);
    await heal(stage, desiredState([desiredTask('a')]));
    expect(stage.task(ID)?.is_active).toBe(true);
  });
});

test('somebody takes the mark off a paused task before its patch, and the task cannot be read: no start is promised', async () => {
  const stage = createStage(running());
  const end = await planAndCarryOut(stage, CHANGED, (_, { method }) => {
    if (method !== 'PATCH' || stage.task(ID)?.is_active) return undefined;
    stage.edit(ID, { remark: 'Note [git:core/a@0]' });
    stage.sandbox.faults.add({ method: 'GET', times: 0, fault: { type: 'error', code: 'internal_error' } });
    return undefined;
  });
  expect(end).toMatchObject({
    status: 'unknown',
    text: expect.stringContaining(
      'It is unknown whether the change was carried out: the service answered version_conflict, and the resource could not be read',
    ),
  });
  const [left] = end.report.left_paused;
  expect(left?.id).toBe(ID);
  expect(left?.text).not.toContain('starts it');
  stage.sandbox.faults.clear();
  expect((await stage.plan(CHANGED, { allowEmpty: true })).operations.map(({ verb }) => verb)).not.toContain(
    'resume',
  );
});

test('a save without a visible change while an apply has paused the task may have been a stop: the task stays off', async () => {
  const stage = createStage({ tasks: [TASK] });
  const desired = desiredState([desiredTask('a', { config: NEW })]);
  // Mark, pause and patch are done.
  const report = await stage.apply(await stage.plan(desired), (index) => {
    if (index === 3) stage.edit(ID, {});
    return undefined;
  });
  expect(report).toMatchObject({ left_paused: [{ id: ID }] });
  expect(stage.task(ID)).toMatchObject({ is_active: false });
  expect((await stage.plan(desired)).changes).toMatchObject([{ held: true }]);
});
