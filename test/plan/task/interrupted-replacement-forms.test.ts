import { expect, test } from 'vitest';
import { armedOf } from '../../../src/core/model/marker.ts';
import { createStage } from '../../act/stage.ts';
import { desiredState, desiredTask, seedTask, sniperConfig, uuid, wallet } from '../../support/builders.ts';

/** A replacement that was left part-way, both of its tasks off: the new one takes the former one's form (DESIGN 3, "The switch"). */

const settle = { update: 0, replace: 0 };

async function finished(former: string, next: string, over: { stoppedTasks?: 'hold' | 'resume' } = {}) {
  const config = sniperConfig();
  const stage = createStage({
    tasks: [
      seedTask(1, { remark: `Note [git:core/alpha${former}]`, is_active: false, version: 7 }),
      seedTask(2, { remark: `Note [git:core/alpha${next}~0001]`, is_active: false, version: 3 }),
    ],
  });
  const wanted = desiredTask('alpha', { target_wallet: wallet(2), config });
  const desired = desiredState([wanted], [], { settle, ...over });
  await stage.apply(await stage.plan(desired));
  await stage.apply(await stage.plan(desired));
  const [only, more] = stage.owned('alpha');
  expect(more).toBeUndefined();
  expect(only).toMatchObject({ id: uuid(2), is_active: false });
  return only && armedOf(only);
}

test.each([
  ['@!', '@0', 'off'],
  ['@!', '@0!', 'off'],
  ['@!', '@!', 'off'],
  ['@!', '@3', 'off'],
  ['@0!', '@!', 'kept-off'],
  ['@0!', '@0', 'kept-off'],
  ['@0!', '@3', 'kept-off'],
  ['@-', '@!', 'held'],
  ['@0', '@!', 'kept-off'],
])('the former %s, the new one %s', async (former, next, expected) => {
  expect(await finished(former, next)).toEqual(expected);
});

test.each([
  ['@!', '@0', 'off'],
  ['@0!', '@2', 'kept-off'],
  ['@-', '@3', 'held'],
])('the former %s, the new one %s, under stopped_tasks: resume', async (former, next, expected) => {
  expect(await finished(former, next, { stoppedTasks: 'resume' })).toEqual(expected);
});
