import { expect, test } from 'vitest';
import type { DesiredState, DesiredTask } from '../../../src/core/desired/state.ts';
import type { Collection } from '../../../src/core/model/kind.ts';
import type { LiveLabel, LiveTask, LiveTemplate } from '../../../src/core/model/resource.ts';
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

/** What a label that goes has to wait for, and what is said of it. */
const label = (index: number, name: string): LiveLabel => ({
  collection: 'label',
  id: uuid(index),
  name,
  sort_order: 0,
});
const OLD = label(50, 'Old');
const user = (over: Partial<LiveTask> = {}) =>
  liveTask(1, { remark: 'Note [git:core/a@0]', risk_label_id: OLD.id, ...over });

interface Given {
  readonly tasks?: readonly DesiredTask[];
  readonly desired?: Partial<DesiredState>;
  readonly live?: readonly LiveTask[];
  readonly labels?: readonly LiveLabel[];
  readonly templates?: readonly LiveTemplate[];
  readonly blind?: boolean;
}

function planOf({ tasks = [], desired = {}, live = [], labels = [OLD], templates = [], blind }: Given) {
  const seen = ['sniper', 'copy-trade', 'label', 'sniper-template'] as const;
  const visible = blind === true ? { visible: new Set<Collection>(seen) } : {};
  const wanted = desiredState(tasks, [], { removals: [removal('label/Old')], ...desired });
  return makePlan(planInput(wanted, liveState(live, labels, { templates, ...visible })));
}

const inUse = (plan: ReturnType<typeof planOf>) =>
  plan.diagnostics.filter(({ code }) => code === 'label-in-use').map(({ message }) => message);

test('if a kind cannot be read, only that is reported, for labels and for nothing else', () => {
  expect(inUse(planOf({ blind: true }))).toEqual([
    'label/Old is deleted. tradeform cannot see whether transfer-snipe tasks use it.',
  ]);
  const at = '2026-01-01T00:00:00Z';
  const template: LiveTemplate = {
    ...{ collection: 'sniper-template', id: uuid(60), name: 'Old', version: 1 },
    ...{ created_at: at, updated_at: at, config: sniperConfig() },
  };
  const removals = [removal('sniper-template/Old')];
  const plan = planOf({ blind: true, desired: { removals }, templates: [template] });
  expect(operationsOf(plan, 'sniper-template/Old')).toHaveLength(1);
  expect(inUse(plan)).toEqual([]);
});

test('that is blocked is not reported as deleted', () => {
  const theirs = liveTask(2, { remark: 'Hand', risk_label_id: OLD.id, target_wallet: wallet(1) });
  const plan = planOf({ live: [theirs], labels: [OLD, label(51, 'Old')] });
  expect(changeOf(plan, 'label/Old').reason).toBe('conflict');
  expect(inUse(plan)).toEqual([]);
});

test('a held task to which nothing is done loses the label, and the removal does not wait for it', () => {
  const held = desiredTask('a', { ignoreChanges: ['label'] });
  const plan = planOf({ tasks: [held], live: [user({ is_active: false })] });
  expect(changeOf(plan, 'sniper/a')).toMatchObject({ held: true, operations: [] });
  expect(operationsOf(plan, 'label/Old')[0]?.needs).toEqual([]);
  expect(inUse(plan)[0]).toContain('1 task of this project that otherwise stays unchanged');
});

test.each<[string, Partial<DesiredTask>]>([
  ['at once', {}],
  ['after its pause', { config: sniperConfig({ buy_amount: '3' }) }],
  ['at the end of its replacement', { target_wallet: wallet(2) }],
])('a task that lets go of it %s, for a label that needs its place, closes a circle', (_when, over) => {
  const fillers = Array.from({ length: 19 }, (_, index) => label(80 + index, `f${index}`));
  const plan = planOf({
    tasks: [desiredTask('a', { label: 'new', ...over })],
    desired: { labels: [desiredLabel('new')] },
    live: [user()],
    labels: [...fillers, OLD],
  });
  expect(plan.operations).toEqual([]);
  expect(changeOf(plan, 'label/new').blocked).toEqual({
    text: 'It waits for the removal of label/Old, but tasks lose that label only in this plan. Remove the label from the tasks in an earlier apply, or rename it with metadata.previous_name instead.',
    ids: [],
  });
  expect(changeOf(plan, 'sniper/a').blocked).toEqual({
    text: 'Its label new is not available; see label/new.',
    ids: [],
  });
  expect(changeOf(plan, 'label/Old').blocked?.ids).toEqual([uuid(1)]);
});
