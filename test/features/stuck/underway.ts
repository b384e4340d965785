import { SYSTEM_CLOCK } from '../../../src/core/command/clock.ts';
import { WALLETS } from '../../manifest/samples.ts';
import type { Desk } from './desk.ts';
import { ALPHA, BETA, dearer, type Walks, WHALE } from './walk.ts';

/** The service keeps the key of a task that is gone, and takes ten minutes to say so. */
async function keysTaken(desk: Desk): Promise<void> {
  await desk.applied(ALPHA);
  desk.remove(desk.task('alpha').id);
  desk.manifests(dearer(ALPHA));
  desk.before(({ method }) => {
    if (method === 'POST') void SYSTEM_CLOCK.sleep(10 * 60_000);
  });
  await desk.run('tradeform apply');
  desk.calm();
}

/** Plans that moved, and applies that did not come to their end. */
export const UNDERWAY: Walks = {
  'Not the approved plan': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(dearer(ALPHA));
        await desk.run('tradeform plan --out approved.plan');
        const { digest } = await desk.plan();
        desk.edit('alpha', { merge: { buy_amount: '0.7' } });
        await desk.run(`tradeform apply --expect ${digest}`);
        await desk.take(`tradeform apply approved.plan --expect ${digest}`, 4);
        const now = (await desk.plan()).digest;
        await desk.take(`tradeform apply --expect ${now}`);
      },
      ends: ['core/alpha runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(dearer(ALPHA));
        await desk.run('tradeform plan --out evening.plan');
        desk.edit('alpha', { merge: { buy_amount: '0.7' } });
        await desk.run('tradeform apply evening.plan');
        await desk.take('tradeform plan --out evening.plan');
        await desk.take('tradeform apply evening.plan');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'Apply interrupted': [
    {
      // Ctrl-C once: the task in hand is finished.
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        desk.manifests(dearer(ALPHA), dearer(BETA));
        const soft = new AbortController();
        const stop = { soft: soft.signal, hard: new AbortController().signal };
        desk.before(({ path }) => path.endsWith('/resume') && soft.abort());
        const { code } = await desk.run('tradeform apply --concurrency 1', { stop });
        if (code !== 130) throw new Error(`interrupted with ${code}`);
        desk.calm();
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/beta runs'],
    },
    {
      // Ctrl-C twice, as a killed process: a task is left paused.
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(dearer(ALPHA));
        const abort = new AbortController();
        desk.sandbox.faults.add({ path: '/resume$', fault: { type: 'hang' } });
        desk.before(({ path }) => path.endsWith('/resume') && abort.abort());
        await desk.run('tradeform apply', { stop: { soft: abort.signal, hard: abort.signal } });
        desk.calm();
        if (desk.task('alpha').is_active) throw new Error('it was started all the same');
        await desk.run('tradeform plan');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'Replacement interrupted': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(ALPHA.replace(WALLETS[0], WALLETS[2]));
        const abort = new AbortController();
        desk.before(({ method }) => method === 'DELETE' && abort.abort());
        desk.sandbox.faults.add({ method: 'DELETE', fault: { type: 'hang' } });
        await desk.run('tradeform apply', { stop: { soft: abort.signal, hard: abort.signal } });
        desk.calm();
        if (desk.tasks().length !== 2) throw new Error('not in the middle of it');
        await desk.run('tradeform resume sniper/alpha');
        await desk.run('tradeform plan');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'Somebody else was at it': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(dearer(ALPHA));
        let once = false;
        desk.before(({ path }) => {
          if (once || !path.endsWith('/pause')) return;
          once = true;
          desk.edit('alpha', { merge: { buy_amount: '0.9' } });
        });
        await desk.run('tradeform apply');
        desk.calm();
        await desk.take('tradeform plan');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'Not known whether done': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(dearer(ALPHA));
        const lost = { type: 'drop', when: 'after-commit' } as const;
        desk.sandbox.faults.add({ path: '/pause$', fault: lost });
        desk.sandbox.faults.add({ method: 'GET', path: '/configs/', times: 0, fault: { type: 'drop' } });
        await desk.run('tradeform apply');
        desk.calm();
        await desk.take('tradeform plan');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'Keys taken': [
    {
      async go(desk) {
        await keysTaken(desk);
        await SYSTEM_CLOCK.sleep(24 * 3_600_000);
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
    {
      async go(desk) {
        await keysTaken(desk);
        desk.write('name: alpha-again', 'metadata');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha-again runs'],
    },
  ],

  'Token refused in mid-apply': [
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        desk.manifests(dearer(ALPHA), dearer(BETA));
        let token: string | undefined;
        desk.before(({ path }) => {
          if (path.endsWith('/pause')) token ??= desk.sandbox.rotate('svc_live_5a4d0b0c');
        });
        await desk.run('tradeform apply --concurrency 1');
        desk.calm();
        desk.use(token ?? '');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/beta runs'],
    },
  ],

  'Nobody answers': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(dearer(ALPHA));
        desk.sandbox.faults.add({ times: 0, fault: { type: 'drop' } });
        await desk.run('tradeform apply');
        await desk.take('tradeform doctor', 1);
        desk.calm();
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'Asked to slow down': [
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        desk.manifests(dearer(ALPHA), dearer(BETA));
        const fault = { type: 'error', code: 'rate_limit_exceeded', retry_after: 60 } as const;
        desk.sandbox.faults.add({ times: 0, fault });
        await desk.run('tradeform apply');
        desk.calm();
        await desk.take('tradeform apply --concurrency 1');
      },
      ends: ['core/alpha runs', 'core/beta runs'],
    },
  ],

  'Stored differently': [
    {
      before: { seed: { choices: { optional_echo: 'filled' }, accounts: [{}] } },
      async go(desk) {
        desk.manifests(WHALE);
        await desk.run('tradeform apply');
        await desk.take('tradeform export --out . copy-trade/whale');
        await desk.take('tradeform apply');
      },
      ends: ['core/whale paused'],
    },
  ],
};
