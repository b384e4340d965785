import { describe, expect, test } from 'vitest';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import { replacesTag } from '../../../src/core/model/marker.ts';
import type { LiveTask } from '../../../src/core/model/resource.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { changeOf, steps } from '../../support/plans.ts';

/** `--take-over desk`: what a manifest means among the tasks of project desk. */

function planOf(
  desired: readonly DesiredTask[],
  live: readonly LiveTask[],
  takeOver: readonly string[] = ['desk'],
): Plan {
  return makePlan(planInput(desiredState(desired), liveState(live), { takeOver }));
}

const theirs = (index: number, mark: string, over: Partial<LiveTask> = {}) =>
  liveTask(index, { remark: `Note [git:desk/${mark}]`, ...over });

describe('a stopped task', () => {
  test.each(['a@!', 'a@0!'])('with the form %s keeps it: the switch may start it later', (mark) => {
    const made = planOf([desiredTask('a')], [theirs(1, mark, { is_active: false })]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({ actions: ['take-over'], held: true });
    expect(made.operations[0]?.body?.remark).toMatchObject({
      mark: mark.includes('0!') ? 'kept-off' : 'off',
    });
  });

  test('whose start was interrupted is held, and that is said', () => {
    const made = planOf([desiredTask('a')], [theirs(1, 'a@5', { is_active: false, version: 5 })]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({ actions: ['take-over'], held: true });
    expect(made.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'interrupted-start', address: 'sniper/a' }),
    );
  });
});

describe('a foreign task of the same kind and name', () => {
  test('that runs keeps running: its marker is rewritten, with @0 and the current rearm', () => {
    const made = planOf([desiredTask('a', { rearm: 'b' })], [theirs(1, 'a@7#c')]);
    expect(steps(made, 'sniper/a')).toEqual(['patch(settled)']);
    expect(made.operations[0]?.body?.remark).toMatchObject({ note: 'Note', rearm: 'b', replaces: null });
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      action: 'take-over',
      actions: ['take-over'],
      reason: 'taken-over',
      id: uuid(1),
      previous_address: null,
      starts_trading: false,
      stops_trading: false,
      fields: [{ path: 'project', before: 'desk', after: 'core' }],
    });
    expect(made.summary).toMatchObject({ take_over: 1, create: 0, foreign: 0 });
    expect(made.observations).toEqual([]);
  });

  test.each(['a', 'a@0', 'a@5', 'a@0#b'])('%s, paused: held, whatever its number says', (mark) => {
    const live = theirs(1, mark, { is_active: false });
    const made = planOf([desiredTask('a', { rearm: 'c' })], [live]);
    expect(steps(made, 'sniper/a')).toEqual(['patch(settled)']);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      action: 'take-over',
      held: true,
      starts_trading: false,
    });
  });

  test('gets the config, the label and the switch of the manifest, as an adopted one does', () => {
    const changed = planOf(
      [desiredTask('a', { config: sniperConfig({ buy_amount: '2' }) })],
      [theirs(1, 'a@1')],
    );
    expect(steps(changed, 'sniper/a')).toEqual(['mark(pending)', 'pause', 'patch(pending)', 'resume']);
    expect(changeOf(changed, 'sniper/a').actions).toEqual(['take-over', 'update']);
    const stopped = planOf([desiredTask('a', { state: 'paused' })], [theirs(1, 'a@1')]);
    expect(steps(stopped, 'sniper/a')).toEqual(['pause', 'patch(none)']);
    expect(changeOf(stopped, 'sniper/a').actions).toEqual(['take-over', 'stop']);
  });

  test('without the option, or with another project: blocked, with the way out', () => {
    for (const option of [[], ['other']]) {
      const made = planOf([desiredTask('a')], [theirs(1, 'a@1')], option);
      expect(changeOf(made, 'sniper/a')).toMatchObject({
        reason: 'uncertain',
        blocked: {
          text: expect.stringMatching(/previous_name: desk .*--take-over desk` takes.*adopt: never/),
        },
      });
      expect(made.operations).toEqual([]);
      expect(made.summary).not.toHaveProperty('take_over');
    }
  });

  test('with another target wallet: blocked', () => {
    const made = planOf([desiredTask('a', { target_wallet: wallet(3) })], [theirs(1, 'a@1')]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      reason: 'uncertain',
      blocked: { text: expect.stringContaining('a target cannot be changed'), ids: [uuid(1)] },
    });
    expect(made.operations).toEqual([]);
  });

  test('of another kind, or if the name has an owner: not taken over', () => {
    const transfer = theirs(1, 'a@1', { collection: 'transfer-snipe' });
    expect(steps(planOf([desiredTask('a')], [transfer]), 'sniper/a')).toEqual(['create(pending)', 'resume']);
    const owned = liveTask(2, { remark: 'Note [git:core/a@1]' });
    const made = planOf([desiredTask('a')], [theirs(1, 'a@1'), owned]);
    expect(made.operations).toEqual([]);
    expect(made.observations).toMatchObject([{ class: 'foreign', id: uuid(1) }]);
  });

  test('adopt: never leaves it alone; metadata.id takes it over anyway', () => {
    const never = desiredTask('a', { adopt: 'never' });
    expect(steps(planOf([never], [theirs(1, 'a@1')]), 'sniper/a')).toEqual(['create(pending)', 'resume']);
    const named = planOf([{ ...never, id: uuid(1) }], [theirs(1, 'a@1')]);
    expect(changeOf(named, 'sniper/a').action).toBe('take-over');
  });

  test('a task that no manifest describes is left alone', () => {
    const made = planOf([desiredTask('a')], [theirs(1, 'a@1'), theirs(2, 'b@1'), theirs(3, 'c@1')]);
    expect(made.operations).toHaveLength(1);
    expect(made.observations.map(({ class: kind, id }) => [kind, id])).toEqual([
      ['foreign', uuid(2)],
      ['foreign', uuid(3)],
    ]);
  });

  test('two of that name: blocked until metadata.id says which', () => {
    const both = [liveTask(2, { remark: 'Note [git:east/a@1]' }), theirs(1, 'a@1')];
    const made = planOf([desiredTask('a')], both, ['east', 'desk']);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      reason: 'conflict',
      blocked: { ids: [uuid(1), uuid(2)] },
    });
    const settled = planOf([desiredTask('a', { id: uuid(2) })], both, ['desk', 'east']);
    expect(changeOf(settled, 'sniper/a')).toMatchObject({ action: 'take-over', id: uuid(2) });
  });

  test('in the middle of a replacement there: blocked, by name and by id', () => {
    const next = { target_wallet: wallet(1), version: 1, is_active: false };
    const pair = [theirs(1, 'a@1'), theirs(2, `a@1~${replacesTag(uuid(1))}`, next)];
    for (const over of [{}, { id: uuid(1) }, { id: uuid(2), target_wallet: wallet(1) }]) {
      const made = planOf([desiredTask('a', over)], pair);
      expect(changeOf(made, 'sniper/a').blocked?.text).toContain('is replacing a');
      expect(made.operations).toEqual([]);
    }
  });
});

describe('a foreign task that metadata.id names', () => {
  const desired = desiredTask('a', { id: uuid(1) });

  test('is taken over under another name', () => {
    const made = planOf([desired], [theirs(1, 'q@1')]);
    expect(changeOf(made, 'sniper/a')).toMatchObject({
      action: 'take-over',
      fields: [
        { path: 'project', before: 'desk', after: 'core' },
        { path: 'name', before: 'q', after: 'a' },
      ],
    });
  });

  test('is blocked without the option, with the hint; and beside an owner of the name', () => {
    const blocked = changeOf(planOf([desired], [theirs(1, 'q@1')], []), 'sniper/a');
    expect(blocked).toMatchObject({
      reason: 'foreign',
      blocked: { text: expect.stringContaining('--take-over desk') },
    });
    const owned = liveTask(2, { remark: 'Note [git:core/a@1]' });
    expect(changeOf(planOf([desired], [theirs(1, 'q@1'), owned]), 'sniper/a').reason).toBe('conflict');
  });

  test('and that a second manifest names by its name: neither gets it', () => {
    const made = planOf([desired, desiredTask('q')], [theirs(1, 'q@1')]);
    expect(changeOf(made, 'sniper/a').blocked?.text).toContain('sniper/q claims the task');
    expect(made.operations).toEqual([]);
  });
});

describe('a blocked change names only the ways out that help', () => {
  const copy = { collection: 'copy-trade' } as const;
  const named = desiredTask('a', { id: uuid(1) });
  test.each([
    ['metadata.id', named, theirs(1, 'q@1'), 'takes the task over'],
    ['a held target, the same name', desiredTask('a', copy), theirs(1, 'a@1', copy), 'takes the task over'],
    ['a held target', desiredTask('a', copy), theirs(1, 'q@1', copy), 'with metadata.id takes the task over'],
    ['a likeness, the same name', desiredTask('a'), theirs(1, 'a@1'), 'takes the task over'],
    ['a likeness', desiredTask('a'), theirs(1, 'q@1'), 'with metadata.id takes the task over'],
  ])('%s', (_what, desired, live, way) => {
    const blocked = changeOf(planOf([desired], [live], []), desired.address).blocked?.text;
    expect(blocked).toContain(
      'remove this manifest; if desk is the former name of this project, set previous_name: desk',
    );
    expect(blocked).toContain(`--take-over desk\` ${way}`);
    const plain = planOf([desired], [live]).operations.length > 0;
    expect(plain).toBe(way === 'takes the task over');
    const withId = planOf([{ ...desired, id: uuid(1) }], [live]);
    expect(changeOf(withId, desired.address).action).toBe('take-over');
  });
});

test('the digest covers the former owner', () => {
  const digest = (project: string) =>
    planOf([desiredTask('a')], [liveTask(1, { remark: `Note [git:${project}/a@1]` })], ['desk', 'east'])
      .digest;
  expect(digest('desk')).not.toBe(digest('east'));
});

test('a project that owns nothing here is a warning, with a suggestion', () => {
  const made = planOf(
    [],
    [theirs(1, 'a@1'), liveTask(2, { remark: 'Hand', is_active: false })],
    ['dest', 'desk', 'elsewhere'],
  );
  expect(made.diagnostics).toEqual([
    {
      severity: 'warning',
      code: 'take-over-nothing',
      message: expect.stringContaining('--take-over dest:'),
      hint: 'did you mean desk?',
    },
    {
      severity: 'warning',
      code: 'take-over-nothing',
      message: expect.stringContaining('--take-over elsewhere:'),
    },
  ]);
});
