import { describe, expect, test } from 'vitest';
import type { ApplyReport } from '../../src/model/generated/report.ts';
import type { StoredEdit } from '../../src/sandbox/sandbox.ts';
import { copyTradeConfig, desiredState, desiredTask, sniperConfig } from '../support/builders.ts';
import { ID, NEW, SCENARIOS, type Scenario, TASK } from './scenarios.ts';
import { createStage, heal, type Stage } from './stage.ts';
import { startsOf } from './starts.ts';

/** What people do in the web application right before one request of the apply. */
interface Act {
  readonly name: string;
  /** Undefined where it cannot be done now. */
  readonly edits: (stage: Stage) => readonly StoredEdit[] | undefined;
}

function remarkOf(stage: Stage): string {
  return stage.task(ID)?.remark ?? '';
}

function otherConfig(stage: Stage) {
  const task = stage.task(ID);
  if (task === undefined || task.is_active) return undefined;
  const config =
    task.config.buy_config_mode === undefined
      ? sniperConfig({ buy_amount: '3' })
      : copyTradeConfig({ max_trade_amount: '3' });
  return [{ config }];
}

const STOP: Act = {
  name: 'stops the task',
  edits: (stage) => (stage.task(ID)?.is_active === true ? [{ is_active: false }] : undefined),
};
const START_AND_STOP: Act = {
  name: 'starts the paused task and stops it',
  edits: (stage) =>
    stage.task(ID)?.is_active === false ? [{ is_active: true }, { is_active: false }] : undefined,
};
const NOTE: Act = {
  name: 'writes a note',
  edits: (stage) => [{ remark: remarkOf(stage).replace('Note', 'Memo').replace('Mine', 'Memo') }],
};
const START: Act = {
  name: 'starts the paused task',
  edits: (stage) => (stage.task(ID)?.is_active === false ? [{ is_active: true }] : undefined),
};
const CONFIG: Act = { name: 'writes another config', edits: otherConfig };
const SWITCH_OFF: Act = {
  name: 'switches it off with tradeform pause',
  edits: (stage) => {
    if (stage.task(ID)?.is_active !== true) return undefined;
    return [{ is_active: false }, { remark: 'Note [git:core/a@!]' }];
  },
};

async function play(scenario: Scenario, act: Act, at: number) {
  const stage = createStage(scenario.seed);
  const plan = await stage.plan(scenario.desired, { allowEmpty: true });
  let acted = false;
  let startsBefore = 0;
  const report = (await stage.apply(plan, (index) => {
    const edits = index === at && stage.task(ID) !== undefined ? act.edits(stage) : undefined;
    if (edits === undefined) return undefined;
    for (const edit of edits) stage.edit(ID, edit);
    acted = true;
    startsBefore = startsOf(stage);
    return undefined;
  })) as ApplyReport;
  return { stage, report, acted, startsBefore, requests: stage.requests.length };
}

const EXISTING = SCENARIOS.filter(({ seed }) => seed.tasks !== undefined);

async function everywhere(
  scenario: Scenario,
  act: Act,
  check: (played: Awaited<ReturnType<typeof play>>, label: string) => Promise<void> | void,
) {
  let length = 20;
  let acted = 0;
  for (let at = 0; at < length; at += 1) {
    const played = await play(scenario, act, at);
    length = Math.max(played.requests, at + 1) === at + 1 ? at + 1 : length;
    if (!played.acted) continue;
    acted += 1;
    const at_ = `${act.name} before request ${at} (${played.stage.requests[at]?.method} ${played.stage.requests[at]?.path})`;
    await check(
      played,
      `${at_}: ${JSON.stringify(played.report.changes.map(({ status, text }) => [status, text]))}`,
    );
  }
  return acted;
}

describe.each(EXISTING)('$name', (scenario) => {
  test.each([STOP, START_AND_STOP, SWITCH_OFF])('a person $name: it stays stopped', async (act) => {
    await everywhere(scenario, act, async ({ stage, report, startsBefore }, label) => {
      await heal(stage, scenario.desired);
      const owned = stage.owned('a');
      if (scenario.runs === undefined) return;
      if (act === START_AND_STOP && !scenario.ran) return;
      expect(
        owned.map(({ is_active }) => is_active),
        label,
      ).toEqual([false]);
      expect(startsOf(stage), label).toBe(startsBefore);
      // Where this run was not going to touch the switch, it left nothing paused.
      const switches = report.changes.some(({ operations }) =>
        operations.some(({ verb }) => verb === 'resume'),
      );
      if (scenario.runs && switches)
        expect(
          report.left_paused.map(({ address }) => address),
          label,
        ).toHaveLength(1);
    });
  });

  test('a person writes a note: the task ends as git wants it', async () => {
    await everywhere(scenario, NOTE, async ({ stage }, label) => {
      await heal(stage, scenario.desired);
      if (scenario.buyOnce === true) return;
      expect(
        stage.owned('a').map(({ is_active }) => is_active),
        label,
      ).toEqual(scenario.runs === undefined ? [] : [scenario.runs]);
    });
  });

  test('a person starts the paused task: nothing stops it for good', async () => {
    await everywhere(scenario, START, async ({ stage }, label) => {
      await heal(stage, scenario.desired);
      expect(
        stage.owned('a').map(({ is_active }) => is_active),
        label,
      ).toEqual(scenario.runs === undefined ? [] : [scenario.runs || scenario.held === true]);
    });
  });

  test('a person writes another config into the paused task: the task is not started with it', async () => {
    await everywhere(scenario, CONFIG, async ({ stage, startsBefore }, label) => {
      const [task] = stage.owned('a');
      if (task?.is_active === true) expect(startsOf(stage), label).toBe(startsBefore);
    });
  });
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
