import { describe, expect, test } from 'vitest';
import type { DesiredState } from '../../../src/core/desired/state.ts';
import type { Address } from '../../../src/core/model/address.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { LiveLabel, LiveState, LiveTask, LiveTemplate } from '../../../src/core/model/resource.ts';
import type { PlanInput, PlanOptions } from '../../../src/core/plan/input.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  removal,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { changeOf, operationsOf } from '../../support/plans.ts';
import { limit } from '../guardrails/judging.ts';

const HIGH: LiveLabel = { collection: 'label', id: uuid(0x70), name: 'High risk', sort_order: 1 };
const SPARE: LiveLabel = { collection: 'label', id: uuid(0x71), name: 'Spare', sort_order: 2 };
const FILLERS = Array.from(
  { length: 18 },
  (_, index): LiveLabel => ({
    collection: 'label',
    id: uuid(0x80 + index),
    name: `f${index}`,
    sort_order: 0,
  }),
);

function template(collection: LiveTemplate['collection'], name: string): LiveTemplate {
  const at = '2026-01-01T00:00:00Z';
  return {
    collection,
    id: uuid(0x60),
    name,
    version: 3,
    created_at: at,
    updated_at: at,
    config: sniperConfig(),
  };
}

function owned(index: number, name: string, over: Partial<LiveTask> = {}): LiveTask {
  return liveTask(index, { remark: `Note [git:core/${name}@0]`, target_wallet: wallet(index), ...over });
}

function planOf(
  desired: DesiredState,
  live: LiveState,
  options: Partial<PlanOptions> = {},
  over: Partial<PlanInput> = {},
): Plan {
  return makePlan({ ...planInput(desired, live, { allowEmpty: true, ...options }), ...over });
}

const REMOVE_HIGH = { removals: [removal('label/High risk')] };

describe('a label that a Removal names', () => {
  const user = owned(1, 'a', { risk_label_id: HIGH.id });

  test('waits for the request with which an owned task stops using it', () => {
    for (const state of ['active', 'paused'] as const) {
      const desired = desiredTask('a', {
        target_wallet: wallet(1),
        config: sniperConfig({ buy_amount: '3' }),
        state,
      });
      const plan = planOf(desiredState([desired], [], REMOVE_HIGH), liveState([user], [HIGH]));
      const patch = operationsOf(plan, 'sniper/a').find(({ body }) => body?.risk_label_id === null);
      expect(operationsOf(plan, 'label/High risk')).toMatchObject([{ verb: 'delete', needs: [patch?.id] }]);
      expect(plan.diagnostics.filter(({ code }) => code === 'label-in-use')).toEqual([]);
    }
  });

  test('waits for the deletion, and the replacement, of a task that uses it', () => {
    const gone = planOf(desiredState([], [], REMOVE_HIGH), liveState([user], [HIGH]));
    expect(operationsOf(gone, 'label/High risk')[0]?.needs).toEqual(['sniper/a#2']);
    const moved = desiredTask('a', { target_wallet: wallet(2) });
    const replaced = planOf(desiredState([moved], [], REMOVE_HIGH), liveState([user], [HIGH]));
    const last = operationsOf(replaced, 'sniper/a').find(({ verb }) => verb === 'delete');
    expect(operationsOf(replaced, 'label/High risk')[0]?.needs).toEqual([last?.id]);
  });

  test('reports how many other tasks lose it, and which kinds cannot be read', () => {
    const live = liveState(
      [
        liveTask(1, { remark: 'Mine', risk_label_id: HIGH.id }),
        liveTask(2, { remark: 'x [git:other/a]', risk_label_id: HIGH.id }),
        owned(3, 'kept', { risk_label_id: HIGH.id }),
      ],
      [HIGH],
    );
    const plan = planOf(desiredState([], [], { ...REMOVE_HIGH, pruneTasks: 'never' }), {
      ...live,
      visible: new Set(['sniper', 'label']),
    });
    expect(plan.diagnostics).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        code: 'label-in-use',
        message:
          'label/High risk is deleted, and 2 tasks that are not of this project and 1 task of this project that otherwise stays unchanged (released, kept, or by ignore_changes) lose it. Other effects on the tasks, such as a new version, are not documented. tradeform cannot see whether copy-trade and transfer-snipe tasks use it.',
      }),
    );
  });

  test('stays if an owned task that uses it is blocked, or is not selected', () => {
    const twins = [user, owned(2, 'a', { risk_label_id: HIGH.id, target_wallet: wallet(1) })];
    const blocked = planOf(
      desiredState([desiredTask('a', { target_wallet: wallet(1) })], [], REMOVE_HIGH),
      liveState(twins, [HIGH]),
    );
    expect(changeOf(blocked, 'label/High risk')).toMatchObject({ reason: 'in-use', action: 'none' });
    const apart = planOf(
      desiredState([desiredTask('a', { target_wallet: wallet(1) })], [], REMOVE_HIGH),
      liveState([user], [HIGH]),
      { targets: ['label/*'] },
    );
    expect(changeOf(apart, 'label/High risk').blocked?.text).toContain('sniper/a uses the label');
  });

  test('a resource that is not on the service, or has another kind, is not a change', () => {
    const plan = planOf(
      desiredState([], [], { removals: [removal('label/high risk'), removal('sniper-template/High risk')] }),
      liveState([], [HIGH]),
    );
    expect(plan.changes).toEqual([]);
  });

  test('that a manifest claims by metadata.id, or that exists twice, is blocked', () => {
    const mine = desiredLabel('mine', { shownName: 'High risk', id: HIGH.id, sort_order: 1 });
    const claimed = planOf(desiredState([], [mine], REMOVE_HIGH), liveState([], [HIGH]));
    expect(changeOf(claimed, 'label/High risk').blocked?.text).toContain('label/mine');
    const two = liveState([], [HIGH, { ...SPARE, name: 'High risk' }]);
    const plan = planOf(desiredState([], [], REMOVE_HIGH), two);
    expect(changeOf(plan, 'label/High risk').blocked?.ids).toEqual([HIGH.id, SPARE.id]);
  });
});

describe('places and names', () => {
  const both = { removals: [removal('label/High risk'), removal('label/Spare')] };
  const full = (tasks: readonly LiveTask[] = []) => liveState(tasks, [...FILLERS, HIGH, SPARE]);

  test('the 21st label waits for the removal that frees a place, of a label that no owned task uses', () => {
    const using = owned(1, 'a', { risk_label_id: HIGH.id });
    const plan = planOf(
      desiredState(
        [desiredTask('a', { target_wallet: wallet(1), label: 'new' })],
        [desiredLabel('new')],
        both,
      ),
      full([using]),
    );
    expect(operationsOf(plan, 'label/new')).toMatchObject([{ verb: 'create', needs: ['label/Spare#1'] }]);
    expect(operationsOf(plan, 'label/High risk')[0]?.needs).toEqual(['sniper/a#1']);
    expect(plan.summary).toMatchObject({ blocked: 0, delete: 2, create: 1 });
  });

  test('a cycle is blocked, with everything that waits for it', () => {
    const plan = planOf(
      desiredState(
        [desiredTask('a', { target_wallet: wallet(1), label: 'new' })],
        [desiredLabel('new')],
        REMOVE_HIGH,
      ),
      full([owned(1, 'a', { risk_label_id: HIGH.id })]),
    );
    expect(plan.operations).toEqual([]);
    expect(changeOf(plan, 'label/new').blocked?.text).toContain('previous_name');
    expect(changeOf(plan, 'sniper/a').blocked?.text).toContain('see label/new');
    expect(changeOf(plan, 'label/High risk').reason).toBe('in-use');
  });

  test('a create that waits for an excluded removal is blocked', () => {
    const plan = planOf(desiredState([], [desiredLabel('new')], both), full(), { targets: ['label/new'] });
    expect(changeOf(plan, 'label/new').blocked?.text).toContain('is not part of the plan');
  });

  test('a name is freed first, also of the other kind of template, and whatever its case', () => {
    const base = {
      address: 'copy-trade-template/base',
      collection: 'copy-trade-template',
      name: 'base',
      shownName: 'base',
      config: sniperConfig(),
      origin: () => undefined,
    } as const;
    const desired = desiredState([], [desiredLabel('spare')], {
      templates: [base],
      removals: [removal('label/Spare'), removal('sniper-template/Base')],
    });
    const plan = planOf(
      desired,
      liveState([], [SPARE], { templates: [template('sniper-template', 'Base')] }),
    );
    expect(operationsOf(plan, 'copy-trade-template/base')[0]?.needs).toEqual(['sniper-template/Base#1']);
    expect(operationsOf(plan, 'label/spare')[0]?.needs).toEqual(['label/Spare#1']);
    expect(operationsOf(plan, 'sniper-template/Base')).toMatchObject([{ verb: 'delete' }]);
  });
});

describe('a task that a Removal releases', () => {
  const RELEASE = { removals: [removal('sniper/a')] };

  test.each(['delete', 'pause', 'never'] as const)(
    'is not pruned (%s): one patch of the remark',
    (pruneTasks) => {
      const plan = planOf(desiredState([], [], { ...RELEASE, pruneTasks }), liveState([owned(1, 'a')]));
      expect(plan.operations).toMatchObject([{ verb: 'patch', body: { remark: 'Note' }, needs: [] }]);
      expect(changeOf(plan, 'sniper/a')).toMatchObject({
        action: 'release',
        reason: 'released',
        starts_trading: false,
        stops_trading: false,
        fields: [{ path: 'marker', before: 'core/a' }],
      });
      expect(plan.diagnostics).toContainEqual(
        expect.objectContaining({
          code: 'task-released',
          severity: 'warning',
          message: 'sniper/a is released: it keeps running unchanged, and is no longer managed from git.',
        }),
      );
    },
  );

  test('leaves the project’s exposure, and counts as unmanaged', () => {
    const plan = planOf(
      desiredState([], [], RELEASE),
      liveState([owned(1, 'a'), liveTask(2, { remark: 'x' })]),
    );
    expect(changeOf(plan, 'sniper/a').exposure.after).toBe(changeOf(plan, 'sniper/a').exposure.before);
    expect(plan.exposure).toMatchObject({ running_before: 1, running_after: 0, after: '0' });
    expect(plan.exposure.outside).toMatchObject([{ project: null, tasks: 2 }]);
  });

  test('left paused by an interrupted apply: reported', () => {
    const task = owned(1, 'a', { is_active: false, remark: 'Note [git:core/a@5]' });
    const plan = planOf(desiredState([], [], RELEASE), liveState([task]));
    expect(plan.diagnostics.find(({ code }) => code === 'task-released')?.message).toContain(
      'paused and unchanged (an apply was interrupted before it started the task)',
    );
  });

  test('two of one name, a replacement in progress, and a task that a manifest claims by id are blocked', () => {
    const two = [owned(1, 'a'), owned(2, 'a', { target_wallet: wallet(1) })];
    const twins = planOf(desiredState([], [], RELEASE), liveState(two));
    expect(twins.operations).toEqual([]);
    expect(changeOf(twins, 'sniper/a').blocked).toMatchObject({ ids: [uuid(1), uuid(2)] });
    expect(twins.exposure).toMatchObject({ running_before: 2, running_after: 2 });

    const successor = owned(2, 'a', {
      is_active: false,
      remark: `Note [git:core/a@1~${uuid(1).slice(0, 4)}]`,
    });
    const pair = planOf(desiredState([], [], RELEASE), liveState([owned(1, 'a'), successor]));
    expect(pair.operations).toEqual([]);
    expect(changeOf(pair, 'sniper/a')).toMatchObject({ reason: 'replacement-in-progress' });
    expect(changeOf(pair, 'sniper/a').blocked?.text).toContain(`tradeform release --id ${uuid(1)}`);

    const claims = desiredTask('b', { id: uuid(1), target_wallet: wallet(1) });
    const claimed = planOf(desiredState([claims], [], RELEASE), liveState([owned(1, 'a')]));
    expect(changeOf(claimed, 'sniper/a').blocked?.text).toContain('sniper/b');
    expect(claimed.exposure.running_before).toBe(1);
  });

  test('another project’s task of that name is not touched', () => {
    const plan = planOf(
      desiredState([], [], RELEASE),
      liveState([liveTask(1, { remark: 'Note [git:other/a@0]' })]),
    );
    expect(plan.changes).toEqual([]);
  });
});

describe('guardrails', () => {
  const desired = desiredState([], [], { removals: [removal('label/High risk'), removal('sniper/a')] });
  const live = liveState([owned(1, 'a')], [HIGH]);
  const judged = (limits: object) =>
    planOf(desired, live, {}, { guardrails: { limits, policies: [] } }).diagnostics.filter(
      ({ severity }) => severity === 'error',
    );

  test('max_deletes counts removals, and not releases', () => {
    expect(judged({ max_deletes: limit({ count: 0, percent: 0 }) })).toMatchObject([
      { message: 'The plan deletes 1 resource (label/High risk), but max_deletes allows 0.' },
    ]);
    expect(judged({ max_deletes: limit({ count: 1, percent: 0 }) })).toEqual([]);
  });

  test.each([
    ['label/High*', 'deletes label/High risk'],
    ['sniper/a', 'releases sniper/a'],
  ])('protect %s refuses what the Removal does there, at its place', (text, says) => {
    const location = { file: 'tradeform.yaml', line: 1, column: 1 };
    expect(judged({ protect: limit([{ text, location }]) })).toMatchObject([
      { message: expect.stringContaining(says), location: { file: 'manifests/removals.yaml', line: 6 } },
    ]);
  });
});

describe('a Removal that releases a missing task', () => {
  const night = owned(1, 'night');
  const planFor = (address: Address, over: Partial<DesiredState> = {}) =>
    planOf(desiredState([], [], { removals: [removal(address)], ...over }), liveState([night], []));

  test.each<Address>(['sniper/nigth', 'copy-trade/night'])(
    '%s: the slip of a pen deletes nothing',
    (address) => {
      const plan = planFor(address);
      expect(plan.operations).toEqual([]);
      const { blocked, exposure } = changeOf(plan, 'sniper/night');
      expect(exposure.after).toBe(exposure.before);
      expect(plan.exposure.after).toBe(plan.exposure.before);
      expect(blocked?.text).toContain(`releases ${address}, which does not exist on the service`);
    },
  );

  test('another name, and tasks that are kept anyway, are not a mistake', () => {
    expect(changeOf(planFor('sniper/whale'), 'sniper/night').action).toBe('delete');
    expect(planFor('sniper/nigth', { pruneTasks: 'never' }).changes).toEqual([]);
  });
});
