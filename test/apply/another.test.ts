import { expect, test } from 'vitest';
import type { ApplyReport } from '../../src/model/generated/report.ts';
import { parseRemark } from '../../src/model/marker.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { createStage, type Meddler, type Stage } from './stage.ts';

/** Another apply of the same manifests is at work between two requests of this one, and finishes a moment later. */

function scenario(name: string): Scenario {
  const found = SCENARIOS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no scenario ${name}`);
  return found;
}

function only(stage: Stage) {
  const [task] = stage.sandbox.state.tasks.values();
  if (task === undefined) throw new Error('no task');
  return task;
}

async function applyWith(stage: Stage, { desired }: Scenario, meddler: Meddler): Promise<ApplyReport> {
  const report = await stage.apply(await stage.plan(desired), meddler);
  if (report === 'crashed') throw new Error('crashed');
  return report;
}

/** As the other apply leaves it: the new config, running, nothing pending. */
function finish(stage: Stage): void {
  const { id, remark } = only(stage);
  const marker = parseRemark(remark);
  if (marker.type !== 'marked') throw new Error('no marker');
  stage.sandbox.editStored(id, { merge: { buy_amount: '0.75' } });
  stage.sandbox.editStored(id, { is_active: true });
}

const BY_ANOTHER = 'Another apply has carried it out.';
const BUY_ONCE = scenario('change the config of a running buy_once task');

test('a buy_once task that another apply has paused is waited for, and not held', async () => {
  const stage = createStage(BUY_ONCE.seed);
  const report = await applyWith(stage, BUY_ONCE, (index) => {
    if (index === 0) stage.sandbox.editStored(only(stage).id, { is_active: false });
    if (index === 2) finish(stage);
    return undefined;
  });
  expect(report.changes.map(({ status, text }) => [status, text])).toEqual([['done', BY_ANOTHER]]);
  expect(stage.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
});

test('a buy_once task that nobody starts again stays paused, and the change reaches it', async () => {
  const stage = createStage(BUY_ONCE.seed);
  const report = await applyWith(stage, BUY_ONCE, (index) => {
    if (index === 0) stage.sandbox.editStored(only(stage).id, { is_active: false });
    return undefined;
  });
  expect(report.changes.map(({ status }) => status)).toEqual(['held']);
  expect(only(stage)).toMatchObject({ is_active: false, config: { buy_amount: '0.75' } });
});

test('a buy_once task that was seen between the pause and the start of another apply ends as that one leaves it', async () => {
  const stage = createStage(BUY_ONCE.seed);
  stage.sandbox.editStored(only(stage).id, { is_active: false });
  const report = await applyWith(stage, BUY_ONCE, (index) => {
    if (index === 0) finish(stage);
    return undefined;
  });
  expect(report.changes.map(({ status, text }) => [status, text])).toEqual([['done', BY_ANOTHER]]);
  expect(only(stage)).toMatchObject({ is_active: true, config: { buy_amount: '0.75' } });
});

test('the last patch of another apply, which takes a spent mark away, is waited for', async () => {
  const manual = scenario('let the switch alone while the config changes');
  const stage = createStage(manual.seed);
  const spent = 'Note [git:core/a@6]';
  const report = await applyWith(stage, manual, (index) => {
    if (index === 0) {
      stage.sandbox.editStored(only(stage).id, { remark: spent });
      finish(stage);
    }
    if (index === 3) stage.sandbox.editStored(only(stage).id, { remark: 'Note [git:core/a]' });
    return undefined;
  });
  expect(report.changes.map(({ status, text }) => [status, text])).toEqual([['done', BY_ANOTHER]]);
});

test('a replacement without room, deleted and not yet created by another apply, is waited for', async () => {
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
  })) as ApplyReport;
  expect(report.changes.map(({ status, text }) => [status, text])).toEqual([['done', BY_ANOTHER]]);
});
