import { describe, expect, test } from 'vitest';
import type { ApplyResult } from '../../src/core/act/report.ts';
import { parseRemark } from '../../src/core/model/marker.ts';
import { desiredState, desiredTask, sniperConfig, wallet } from '../support/builders.ts';
import { planAndCarryOut, rightBefore } from './ending.ts';
import { ID, NEW, type Scenario, scenario, TASK } from './scenarios.ts';
import { createStage, heal, type Meddler, type Stage } from './stage.ts';

/** Another apply of the same manifests is at work between two requests of this one, and finishes a moment later. */

function only(stage: Stage) {
  const [task] = stage.sandbox.state.tasks.values();
  if (task === undefined) throw new Error('no task');
  return task;
}

async function applyWith(stage: Stage, { desired }: Scenario, meddler: Meddler): Promise<ApplyResult> {
  const report = await stage.apply(await stage.plan(desired), meddler);
  if (report === 'crashed') throw new Error('crashed');
  return report;
}

/** As the other apply leaves it: the new config, running, nothing pending. */
function finish(stage: Stage): void {
  const { id, remark } = only(stage);
  const marker = parseRemark(remark);
  if (marker.type !== 'marked') throw new Error('no marker');
  stage.edit(id, { merge: { buy_amount: '0.75' } });
  stage.edit(id, { is_active: true });
}

const BY_ANOTHER = 'Another apply carried it out.';
const BUY_ONCE = scenario('config of a running buy_once');

test('waits for a buy_once task that another apply paused, and does not hold it', async () => {
  const stage = createStage(BUY_ONCE.seed);
  const report = await applyWith(stage, BUY_ONCE, (index) => {
    if (index === 0) stage.edit(only(stage).id, { is_active: false });
    if (index === 2) finish(stage);
    return undefined;
  });
  expect(report.changes.map(({ status, text }) => [status, text])).toEqual([['done', BY_ANOTHER]]);
  expect(stage.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
});

test('a buy_once task that nobody starts again stays paused, and is changed', async () => {
  const stage = createStage(BUY_ONCE.seed);
  const report = await applyWith(stage, BUY_ONCE, (index) => {
    if (index === 0) stage.edit(only(stage).id, { is_active: false });
    return undefined;
  });
  expect(report.changes.map(({ status }) => status)).toEqual(['held']);
  expect(only(stage)).toMatchObject({ is_active: false, config: { buy_amount: '0.75' } });
});

test('a buy_once task seen between the pause and the start of another apply ends as the other apply leaves it', async () => {
  const stage = createStage(BUY_ONCE.seed);
  stage.edit(only(stage).id, { is_active: false });
  const report = await applyWith(stage, BUY_ONCE, (index) => {
    if (index === 0) finish(stage);
    return undefined;
  });
  expect(report.changes.map(({ status, text }) => [status, text])).toEqual([['done', BY_ANOTHER]]);
  expect(only(stage)).toMatchObject({ is_active: true, config: { buy_amount: '0.75' } });
});

test('waits for the last patch of another apply, which removes a used mark', async () => {
  const manual = scenario('config of a task whose switch is manual');
  const stage = createStage(manual.seed);
  const spent = 'Note hands [git:core/hands@6]';
  const report = await applyWith(stage, manual, (index) => {
    if (index === 0) {
      stage.edit(only(stage).id, { remark: spent });
      finish(stage);
    }
    if (index === 3) stage.edit(only(stage).id, { remark: 'Note hands [git:core/hands]' });
    return undefined;
  });
  expect(report.changes.map(({ status, text }) => [status, text])).toEqual([['done', BY_ANOTHER]]);
});

test('waits for a replacement without room that another apply deleted and has not created yet', async () => {
  const replace = scenario('replace a running task without room');
  const stage = createStage(replace.seed);
  const plan = await stage.plan(replace.desired);
  const other = createStage(replace.seed);
  await other.apply(plan);
  const end = only(other);
  const { id, account } = only(stage);
  const report = (await stage.apply(plan, (index) => {
    // The other apply is between its deletion and its creation.
    if (index === 0) stage.sandbox.apply([{ type: 'task-removed', id }]);
    if (index === 4) stage.sandbox.apply([{ type: 'task', record: { ...end, account } }]);
    return undefined;
  })) as ApplyResult;
  expect(report.changes.map(({ status, text }) => [status, text])).toEqual([['done', BY_ANOTHER]]);
});

describe('another apply', () => {
  const running = (over: object = {}) => ({ tasks: [{ ...TASK, ...over }] });
  const CHANGED = desiredState([desiredTask('a', { config: NEW })]);
  const REPLACED = desiredState([desiredTask('a', { target_wallet: wallet(2) })]);
  const ONCE = sniperConfig({ buy_once: true });
  const ONCE_CHANGED = desiredState([desiredTask('a', { config: { ...ONCE, buy_amount: '0.75' } })]);
  const MARK = 'Another apply is working on the task, and wrote to it before its mark.';

  test('that wrote its mark: this one waits, and accepts its result', async () => {
    const stage = createStage(running());
    const end = await planAndCarryOut(stage, CHANGED, (index) => {
      if (index === 0) stage.edit(ID, { remark: 'Note [git:core/a@7]' });
      if (index === 5) {
        stage.edit(ID, { config: NEW });
        stage.edit(ID, { is_active: true });
      }
      return undefined;
    });
    expect(end).toMatchObject({ status: 'done', text: BY_ANOTHER });
    expect(end.sent).toEqual(['PATCH', 'GET', 'GET', 'GET', 'GET', 'GET']);
  });

  test.each([
    ['@7', 'its mark'],
    ['@6', 'a mark that a note has overtaken'],
  ])('that died after %s, %s: six looks, nothing written, and not called done', async (mark) => {
    const stage = createStage(running());
    const end = await planAndCarryOut(stage, CHANGED, (index) => {
      if (index === 0) stage.edit(ID, { config: NEW, remark: `Note [git:core/a${mark}]` });
      return undefined;
    });
    expect(end).toMatchObject({ status: 'failed', text: MARK });
    expect(end.sent.slice(2)).toEqual(['GET', 'GET', 'GET', 'GET', 'GET', 'GET']);
    expect(stage.task(ID)?.version).toBe(6);
  });

  test('that died between patch and start of a buy_once task: its mark stays, and the next apply starts it', async () => {
    const stage = createStage(running({ config: ONCE }));
    const end = await planAndCarryOut(
      stage,
      ONCE_CHANGED,
      rightBefore(/GET/, () => {
        stage.edit(ID, { is_active: false });
        stage.edit(ID, { remark: 'Note [git:core/a@7]', merge: { buy_amount: '0.75' } });
      }),
    );
    expect(end.text).toBe('Another apply is working on the task, and wrote to it before its pause.');
    expect(new Set(end.sent)).toEqual(new Set(['GET']));
    await heal(stage, ONCE_CHANGED);
    expect(stage.task(ID)).toMatchObject({ is_active: true, config: { buy_amount: '0.75' } });
  });

  test('that completes a replacement after this one created the new task: reported step by step', async () => {
    const stage = createStage(running());
    const plan = await stage.plan(REPLACED);
    const end = await planAndCarryOut(stage, REPLACED, async (index) => {
      if (index === 1) await stage.apply(plan);
      return undefined;
    });
    expect(end).toMatchObject({
      status: 'done',
      operations: ['create done', 'mark already', 'pause already', 'delete already', 'resume already'],
    });
    expect(stage.owned('a')).toMatchObject([{ is_active: true, target_wallet: wallet(2) }]);
  });
});
