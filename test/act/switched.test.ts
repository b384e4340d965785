import { expect, test } from 'vitest';
import { Requests } from '../../src/core/act/requests.ts';
import { switchOn } from '../../src/core/act/switch-on.ts';
import { armedOf } from '../../src/core/model/marker.ts';
import { pauseAll } from '../features/operator/switching.ts';
import { desiredState, desiredTask, seedTask, sniperConfig, uuid, wallet } from '../support/builders.ts';
import { createStage } from './stage.ts';

/** An apply is at work when the operator's switch comes: what that has marked keeps its mark. */
test.each([true, false])(
  'buy_once %s: the rest of the change reaches the task, and the mark stays',
  async (once) => {
    for (let at = 0; at < 5; at += 1) {
      const id = uuid(1);
      const config = sniperConfig({ buy_once: once });
      const stage = createStage({ tasks: [seedTask(1, { remark: 'Note [git:core/alpha@0]', config })] });
      const wanted = desiredTask('alpha', {
        target_wallet: wallet(1),
        config: sniperConfig({ buy_once: once, buy_amount: '0.7' }),
      });
      const desired = desiredState([wanted], [], { stoppedTasks: 'resume' });
      const policy = { project: 'core', stoppedTasks: 'resume' } as const;
      let marked: string | undefined;
      await stage.apply(await stage.plan(desired), async (index) => {
        if (index !== at) return undefined;
        await pauseAll(stage, { policy });
        marked = stage.task(id)?.remark;
        return undefined;
      });
      if (marked === undefined) break;
      // Between pause and patch a buy_once task of an apply looks like one that has fired: the safe side.
      expect(marked, `at ${at}`).toMatch(once && at > 1 ? /@0?!\]$/ : /@!\]$/);
      expect(stage.task(id), `at ${at}`).toMatchObject({ is_active: false, remark: marked });
      await stage.apply(await stage.plan(desired));
      expect(stage.task(id), `at ${at}`).toMatchObject({
        is_active: false,
        remark: marked,
        config: { buy_amount: '0.7' },
      });
    }
  },
);

/** `resume` fails, and its own mark stands: the former form comes back, unless two writes of others may hide a start and a stop. */
test.each([
  ['@!', 0, /@!\]$/],
  ['@!', 2, /@0\]$/],
  ['@0!', 1, /@0!\]$/],
  ['@0!', 2, /@0\]$/],
  ['@-', 0, /@-\]$/],
  ['@3', 0, /@0\]$/],
] as const)('%s, and %i writes of others', async (mark, writes, expected) => {
  const id = uuid(1);
  const remark = `Note [git:core/alpha${mark}]`;
  const stage = createStage({ tasks: [seedTask(1, { remark, is_active: false })] });
  const [found] = (await stage.read()).tasks;
  if (found === undefined) throw new Error('no task');
  const owner = { project: 'core', name: 'alpha', armed: armedOf(found) };
  stage.sandbox.faults.add({
    path: '/resume$',
    times: 0,
    fault: { type: 'error', code: 'validation_error' },
  });
  let met = 0;
  const end = await stage.run(
    ({ api, clock }) => switchOn(found, owner, new Requests(api, clock, new AbortController().signal)),
    (_index, { path }) => {
      if (!path.endsWith('/resume') || met > 0) return undefined;
      for (; met < writes; met += 1) stage.edit(id, { merge: { dev_min_amount: `0.${met + 1}` } });
      met += 1;
      return undefined;
    },
  );
  expect(end).toMatchObject({ type: 'failed' });
  expect(stage.task(id)).toMatchObject({ is_active: false, remark: expect.stringMatching(expected) });
});
