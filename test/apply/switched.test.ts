import { expect, test } from 'vitest';
import { pauseAll } from '../commands/operator/switching.ts';
import { desiredState, desiredTask, sniperConfig, uuid, wallet } from '../support/builders.ts';
import { createStage } from './stage.ts';

/** An apply is at work when the operator's switch comes: what that has marked keeps its mark. */
test.each([true, false])(
  'buy_once %s: the rest of the change reaches the task, and the mark stays',
  async (once) => {
    for (let at = 0; at < 5; at += 1) {
      const id = uuid(1);
      const task = {
        kind: 'sniper' as const,
        id,
        remark: 'Note [git:core/alpha@0]',
        target_wallet: wallet(1),
      };
      const config = sniperConfig({ buy_once: once });
      const stage = createStage({ tasks: [{ ...task, config, is_active: true, version: 5 }] });
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
