import { expect, test } from 'vitest';
import { makePlan } from '../../src/plan/plan.ts';
import {
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  sniperConfig,
} from '../support/builders.ts';

test('what stops comes first, then what an interrupted apply has left paused, then changes, then starts', () => {
  const config = sniperConfig({ buy_amount: '0.75' });
  const desired = desiredState([
    desiredTask('a', { config }),
    desiredTask('b', { state: 'paused' }),
    desiredTask('c'),
    desiredTask('d'),
  ]);
  const live = liveState([
    liveTask(1, { remark: 'Note [git:core/a@0]' }),
    liveTask(2, { remark: 'Note [git:core/b@0]' }),
    liveTask(3, { remark: 'Note [git:core/c]', is_active: false }),
    liveTask(4, { remark: 'Note [git:core/d@5]', is_active: false }),
  ]);
  const plan = makePlan(planInput(desired, live));
  expect(plan.changes.map(({ actions }) => actions[0])).toEqual(['update', 'stop', 'start', 'finish']);
  expect([...new Set(plan.operations.map(({ address }) => address))]).toEqual([
    'sniper/b',
    'sniper/d',
    'sniper/a',
    'sniper/c',
  ]);
});
