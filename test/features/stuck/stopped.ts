import { sniper } from '../../manifest/samples.ts';
import { ALPHA, BETA, dearer, type Walks } from './walk.ts';

/** Tasks that git wants running and that do not run, and the switch that did not get through. */
export const STOPPED: Walks = {
  Held: [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.edit('alpha', { is_active: false });
        await desk.run('tradeform plan');
        desk.write('rearm: b');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
    {
      async go(desk) {
        await desk.applied(sniper({ config: '    buy_once: true\n' }));
        desk.sandbox.fire(desk.task('alpha').id);
        await desk.run('tradeform plan');
        await desk.take('tradeform apply --resume-stopped sniper/alpha');
      },
      ends: ['core/alpha runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.edit('alpha', { is_active: false });
        await desk.run('tradeform apply');
        await desk.take('tradeform resume sniper/alpha');
      },
      ends: ['core/alpha runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.edit('alpha', { is_active: false });
        await desk.run('tradeform plan');
        desk.write('state: paused');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha paused'],
    },
  ],

  'Held by the switch': [
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        desk.edit('beta', { is_active: false });
        await desk.run('tradeform pause --all');
        await desk.run('tradeform apply');
        await desk.take('tradeform resume --all');
      },
      // Somebody else stopped the other one.
      ends: ['core/alpha runs', 'core/beta held'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        await desk.run('tradeform pause sniper/alpha sniper/beta');
        await desk.take('tradeform resume sniper/beta');
      },
      ends: ['core/alpha held', 'core/beta runs'],
    },
  ],

  'Pause killed before its marks': [
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        const abort = new AbortController();
        desk.sandbox.faults.add({ method: 'PATCH', times: 0, fault: { type: 'hang' } });
        desk.before(({ method }) => method === 'PATCH' && abort.abort());
        await desk.run('tradeform pause --all', { stop: { soft: abort.signal, hard: abort.signal } });
        desk.calm();
        if (desk.tasks().some((task) => task.is_active || task.remark.includes('@!')))
          throw new Error('not between the pauses and their marks');
        await desk.run('tradeform apply');
        await desk.run('tradeform resume --all');
        await desk.take('tradeform resume --all --held');
      },
      ends: ['core/alpha runs', 'core/beta runs'],
    },
  ],

  'Not marked': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.sandbox.faults.add({
          method: 'PATCH',
          times: 0,
          fault: { type: 'error', code: 'internal_error' },
        });
        await desk.run('tradeform pause sniper/alpha');
        desk.calm();
        await desk.take('tradeform pause sniper/alpha');
        await desk.take('tradeform resume sniper/alpha');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'Not all paused': [
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        desk.sandbox.faults.add({
          path: '/pause$',
          times: 0,
          fault: { type: 'error', code: 'internal_error' },
        });
        await desk.run('tradeform pause --all');
        desk.calm();
        await desk.take('tradeform pause --all');
      },
      ends: ['core/alpha held', 'core/beta held'],
    },
  ],

  'Stopped in mid-apply, may start': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(dearer(ALPHA));
        desk.before(({ path }) => {
          if (!path.endsWith('/pause')) return;
          desk.edit('alpha', { is_active: false });
          const fault = { type: 'error', code: 'validation_error' } as const;
          desk.sandbox.faults.add({ method: 'PATCH', times: 0, fault });
        });
        await desk.run('tradeform apply');
        desk.calm();
        await desk.takeAsTold('tradeform pause sniper/alpha');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha held'],
    },
  ],

  'Left paused, start pending': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        // A config that the service would not start again: the former one cannot be put back.
        desk.edit('alpha', { merge: { former_field: '1' } });
        desk.manifests(dearer(ALPHA));
        const fault = { type: 'error', code: 'validation_error' } as const;
        desk.sandbox.faults.add({ method: 'PATCH', skip: 1, fault });
        await desk.run('tradeform apply');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'Left paused, held': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(dearer(ALPHA));
        const fault = { type: 'error', code: 'validation_error' } as const;
        desk.sandbox.faults.add({ method: 'PATCH', skip: 1, fault });
        await desk.run('tradeform apply --on-failure hold');
        await desk.take('tradeform apply --resume-stopped sniper/alpha');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'Start refused': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.edit('alpha', { merge: { former_field: '1' }, is_active: false });
        await desk.run('tradeform resume sniper/alpha');
        await desk.takeAsTold('tradeform apply --resume-stopped sniper/alpha');
      },
      ends: ['core/alpha runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        desk.edit('alpha', { merge: { former_field: '1' } });
        await desk.run('tradeform pause --all');
        await desk.run('tradeform resume --all');
        await desk.takeAsTold('tradeform apply --resume-stopped sniper/alpha');
      },
      ends: ['core/alpha runs', 'core/beta runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        desk.edit('alpha', { merge: { former_field: '1' }, is_active: false });
        await desk.run('tradeform plan');
        await desk.takeAsTold('tradeform apply --resume-stopped sniper/alpha');
      },
      ends: ['core/alpha runs', 'core/beta runs'],
    },
    {
      // No manifest names it, and git keeps it.
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        desk.projectFile('  prune: { tasks: never }\n');
        desk.edit('alpha', { merge: { former_field: '1' } });
        desk.manifests(BETA);
        await desk.run('tradeform pause --all');
        await desk.run('tradeform resume --all');
        await desk.takeAsTold('tradeform export --out . sniper/alpha');
        await desk.takeAsTold('tradeform apply --resume-stopped sniper/alpha');
      },
      ends: ['core/alpha runs', 'core/beta runs'],
    },
  ],

  'Note or label refused': [
    {
      before: { seed: { choices: { remark_patch_revalidates: 'always' }, accounts: [{}] } },
      async go(desk) {
        await desk.applied(ALPHA);
        desk.edit('alpha', { merge: { former_field: '1' } });
        desk.manifests(sniper({ spec: '  remark: Another note\n' }));
        await desk.run('tradeform apply');
        // Its remark cannot be written as long as the legacy config stands.
        await desk.takeAsTold('tradeform pause sniper/alpha', 1);
        await desk.takeAsTold('tradeform apply --resume-stopped sniper/alpha');
      },
      ends: ['core/alpha runs'],
    },
  ],
};
