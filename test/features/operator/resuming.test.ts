import { describe, expect, test } from 'vitest';
import { Requests } from '../../../src/core/act/requests.ts';
import { type SwitchOutcome, switchOn } from '../../../src/core/act/switch-on.ts';
import type { DesiredState } from '../../../src/core/desired/state.ts';
import type { SeedTask } from '../../../src/core/model/generated/sandbox.ts';
import { knownTask } from '../../../src/core/plan/identity/known-task.ts';
import type { Choices } from '../../../src/sandbox/choices.ts';
import { ID, TASK } from '../../act/scenarios.ts';
import { type Blow, createStage, heal, type Meddler, type Stage } from '../../act/stage.ts';
import { desiredState, desiredTask, sniperConfig, uuid } from '../../support/builders.ts';

const LABEL = uuid(0x41);
const ONCE = sniperConfig({ buy_once: true });

function stageOf(over: Partial<SeedTask> = {}, choices: Partial<Choices> = {}): Stage {
  const paused = { ...TASK, is_active: false, remark: 'Note [git:core/a@!]', ...over };
  return createStage({ tasks: [paused] }, choices);
}

/** `tradeform resume sniper/a`, once it is approved. */
async function resume(stage: Stage, meddler?: Meddler): Promise<SwitchOutcome | 'crashed'> {
  const live = await stage.read();
  const task = live.tasks.find(({ id }) => id === ID);
  if (task === undefined) throw new Error('the task is gone');
  const { marker, owner } = knownTask(task, { project: 'core' });
  const { signal } = new AbortController();
  return stage.run(
    ({ api, clock }) =>
      switchOn(task, owner === 'owned' ? marker : undefined, new Requests(api, clock, signal)),
    meddler,
  );
}

function wanted(config = sniperConfig()): DesiredState {
  return desiredState([desiredTask('a', { config })]);
}

const BLOWS: readonly Blow[] = ['lost-before', 'lost-after', 'crash-before', 'crash-after'];
const MARKS = ['@!', '@0', '@3', '@5', '@6', ''];

describe.each(MARKS)('a task with the mark "%s"', (mark) => {
  const remark = `Note [git:core/a${mark}]`;

  test('runs, and the plan is empty if git wants it active', async () => {
    const stage = stageOf({ remark });
    expect(await resume(stage)).toMatchObject({ type: 'done' });
    expect(stage.task(ID)?.is_active).toBe(true);
    const plan = await stage.plan(
      mark === '' ? desiredState([desiredTask('a', { state: 'manual' })]) : wanted(),
    );
    expect(plan.operations).toEqual([]);
  });

  test('whatever happens to a request, it runs in the end: an apply finishes what was begun', async () => {
    for (const blow of BLOWS) {
      for (let at = 0; at < 6; at += 1) {
        const stage = stageOf({ remark });
        const end = await resume(stage, (index) => (index === at ? blow : undefined));
        const where = `${blow} at ${at}: ${stage.task(ID)?.remark} v${stage.task(ID)?.version}`;
        if (end !== 'crashed') expect(end, where).toMatchObject({ type: 'done' });
        else if (stage.task(ID)?.remark !== remark) await heal(stage, wanted());
        else await resume(stage);
        expect(stage.task(ID)?.is_active, where).toBe(true);
      }
    }
  });
});

describe('buy_once', () => {
  const CHOICES: readonly Partial<Choices>[] = [{}, { fire_version: 'same' }, { version_step: 2 }];

  test('at most one start for one request: it fires at any moment, and answers are lost', async () => {
    for (const choices of CHOICES) {
      for (const blow of [undefined, ...BLOWS]) {
        for (let at = 0; at < 5; at += 1) {
          const stage = stageOf({ config: ONCE }, choices);
          let starts = 0;
          let ran = false;
          const fire = () => {
            const runs = stage.task(ID)?.is_active === true;
            if (runs && !ran) starts += 1;
            ran = runs;
            if (runs) {
              stage.sandbox.fire(ID);
              ran = false;
            }
          };
          await resume(stage, (index) => {
            fire();
            return index === at ? blow : undefined;
          });
          fire();
          const plan = await stage.plan(wanted(ONCE));
          await stage.apply(plan, () => {
            fire();
            return undefined;
          });
          fire();
          await heal(stage, wanted(ONCE));
          fire();
          expect(starts, `${blow} at ${at} ${JSON.stringify(choices)}`).toBeLessThanOrEqual(1);
        }
      }
    }
  });
});

describe('somebody else', () => {
  test('stops it directly after its start: it is not started again', async () => {
    const stage = stageOf();
    await resume(stage, (index) => {
      if (index === 2) throw new Error('no third request is needed');
      return undefined;
    });
    stage.sandbox.editStored(ID, { is_active: false });
    await heal(stage, wanted());
    expect(stage.task(ID)?.is_active).toBe(false);
  });

  test('edits it between mark and start: the mark is removed, or the start continues over a note', async () => {
    for (const edit of [
      { config: sniperConfig({ buy_amount: '9' }) },
      { remark: 'Note [git:core/a@0]' },
      {},
    ]) {
      const stage = stageOf();
      const end = await resume(stage, (_index, { path }) => {
        if (path.endsWith('/resume') && stage.task(ID)?.version === 6) stage.sandbox.editStored(ID, edit);
        return undefined;
      });
      expect(end, JSON.stringify(edit)).toMatchObject({ type: 'failed', failure: { kind: 'moved' } });
      await heal(stage, wanted(), 4);
      expect(stage.task(ID)?.is_active, JSON.stringify(edit)).toBe(false);
    }
  });

  test('writes a note between mark and start: it is started, and the note stays', async () => {
    const stage = stageOf();
    await resume(stage, (_index, { path }) => {
      if (path.endsWith('/resume') && stage.task(ID)?.version === 6)
        stage.sandbox.editStored(ID, { remark: 'Memo [git:core/a@6]' });
      return undefined;
    });
    expect(stage.task(ID)).toMatchObject({ is_active: true });
    expect(stage.task(ID)?.remark).toContain('Memo');
  });

  test('writes a note to a buy_once task between mark and start: it may have fired, and is not started', async () => {
    const stage = stageOf({ config: ONCE });
    const end = await resume(stage, (_index, { path }) => {
      if (path.endsWith('/resume') && stage.task(ID)?.version === 6)
        stage.sandbox.editStored(ID, { remark: 'Memo [git:core/a@6]' });
      return undefined;
    });
    expect(end).toMatchObject({ type: 'failed', failure: { kind: 'moved' } });
    await heal(stage, wanted(ONCE));
    expect(stage.task(ID)?.is_active).toBe(false);
  });

  test('a task that is not owned gets only a resume, also if its note changes in the meantime', async () => {
    const stage = stageOf({ remark: 'Mine' });
    await resume(stage);
    expect(stage.requests.map(({ method }) => method)).toEqual(['POST']);
    expect(stage.task(ID)).toMatchObject({ is_active: true, remark: 'Mine' });
    for (const edit of [{ remark: 'Mine too' }, { risk_label_id: LABEL }]) {
      const paused = { ...TASK, is_active: false, remark: 'Mine' };
      const other = createStage({ tasks: [paused], labels: [{ name: 'x', id: LABEL }] });
      const end = await resume(other, (index) => {
        if (index === 0) other.sandbox.editStored(ID, edit);
        return undefined;
      });
      expect(end).toMatchObject({ type: 'failed' });
      expect(other.task(ID)).toMatchObject({ is_active: false, ...edit });
      expect(other.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
    }
  });
});

test('a start that the service refuses leaves the task held as before, not pending', async () => {
  const legacy = { ...sniperConfig(), relay_mode: { tip_amount: '9999', priority_fee: '0', slippage: '1' } };
  for (const [before, after] of [
    ['@!', '@!'],
    ['@0', '@0'],
  ]) {
    const stage = stageOf({ config: legacy, remark: `Note [git:core/a${before}]` });
    expect(await resume(stage)).toMatchObject({
      type: 'failed',
      failure: { error: { code: 'validation_error' } },
    });
    expect(stage.task(ID)).toMatchObject({ is_active: false, remark: `Note [git:core/a${after}]` });
  }
});

describe('a start that others prevent', () => {
  type Edit = Parameters<Stage['edit']>[1];
  const raise: Edit = { config: sniperConfig({ buy_amount: '9' }) };
  const note: Edit = { remark: 'Memo [git:core/a@6]' };

  /** `edits`: what others write right before the first request of the start, and right before the second. */
  test.each<[string, readonly (readonly Edit[])[], string]>([
    ['one write: the switch stopped it as before', [[raise]], '@!'],
    ['a start and a stop: the stop is theirs', [[{ is_active: true }, { is_active: false }]], '@0'],
    ['a note, and one more write: they may hide a start and a stop', [[note], [raise]], '@0'],
  ])('%s', async (_name, edits, mark) => {
    const stage = stageOf();
    let starts = 0;
    const end = await resume(stage, (_index, { path }) => {
      if (!path.endsWith('/resume')) return undefined;
      for (const edit of edits[starts] ?? []) stage.edit(ID, edit);
      starts += 1;
      return undefined;
    });
    expect(end).toMatchObject({ type: 'failed', failure: { kind: 'moved' } });
    expect(stage.task(ID)?.is_active).toBe(false);
    expect(stage.task(ID)?.remark).toMatch(new RegExp(`\\[git:core/a${mark}\\]$`));
  });
});
