import { sniper, WALLETS } from '../../manifest/samples.ts';
import type { Desk } from './desk.ts';
import { ALPHA, BETA, dearer, room, type Walks } from './walk.ts';

const MOVED = sniper({ wallet: WALLETS[2], spec: '  remark: Early\n' });
const KEEPS = '  lifecycle: { ignore_changes: [config.selected_dexes, remark] }\n';

/** Somebody stopped the task, and the manifest has another target: it has to be replaced. */
async function heldAndMoved(desk: Desk): Promise<void> {
  await desk.applied(ALPHA);
  desk.edit('alpha', { is_active: false });
  desk.manifests(MOVED);
}

/** Places, lengths, and values that the service does not take. */
export const NO_ROOM: Walks = {
  'No room to replace a held task': [
    {
      before: room(1),
      async go(desk) {
        await heldAndMoved(desk);
        await desk.run('tradeform plan');
        await desk.take('tradeform apply --resume-stopped sniper/alpha');
      },
      ends: ['core/alpha runs'],
    },
    {
      before: room(1),
      async go(desk) {
        await heldAndMoved(desk);
        await desk.run('tradeform plan');
        desk.write('state: paused');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha paused'],
    },
    {
      before: room(2),
      async go(desk) {
        await heldAndMoved(desk);
        const other = desk.clone('alpha', { remark: 'By hand' });
        await desk.run('tradeform plan');
        // Somebody deletes it in the web application.
        desk.remove(other);
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha held'],
    },
  ],

  'Quota full': [
    {
      before: room(2),
      async go(desk) {
        await desk.applied(ALPHA);
        const other = desk.clone('alpha', { remark: 'By hand' });
        desk.manifests(ALPHA, BETA);
        await desk.run('tradeform apply');
        desk.remove(other);
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/beta runs'],
    },
    {
      before: room(2),
      async go(desk) {
        const gamma = sniper({ name: 'gamma' });
        await desk.applied(ALPHA, gamma);
        desk.manifests(ALPHA, BETA, gamma);
        await desk.run('tradeform apply');
        // One manifest less.
        desk.manifests(BETA, gamma);
        await desk.take('tradeform apply');
      },
      ends: ['core/beta runs', 'core/gamma runs'],
    },
  ],

  'No room for a label': [
    {
      before: {
        seed: {
          accounts: [{ labels: Array.from({ length: 20 }, (_, index) => ({ name: `Used-${index}` })) }],
        },
      },
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(ALPHA, 'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: calm }\n');
        await desk.run('tradeform plan');
        desk.add(
          'resources: ["label/Used-7"]',
          'apiVersion: tradeform/v1\nkind: Removal\nmetadata: { name: unused }\nspec:\n  resources: ["label/Used-7"]\n',
        );
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'No room for the marker': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(sniper({ spec: `  remark: ${'Early and long '.repeat(4)}\n` }));
        await desk.run('tradeform plan');
        desk.write('remark: Shorter');
        await desk.take('tradeform validate -v');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
    {
      async go(desk) {
        await desk.applied(sniper({ spec: `${KEEPS}  remark: Early\n` }));
        desk.edit('alpha', { remark: `${'Long '.repeat(9)}[git:core/alpha@0]`, merge: { buy_amount: '7' } });
        await desk.run('tradeform plan');
        desk.write('lifecycle: { ignore_changes: [config.selected_dexes] }');
        desk.write('remark: Shorter');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'A kept value that is no longer valid': [
    {
      async go(desk) {
        const manifest = sniper({ spec: KEEPS });
        await desk.applied(manifest);
        desk.edit('alpha', { merge: { selected_dexes: ['gone-dex'] } });
        desk.manifests(dearer(manifest));
        await desk.run('tradeform plan');
        desk.write('lifecycle: { ignore_changes: [remark] }');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],
};
