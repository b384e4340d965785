import { copyTrade, PROJECT, WALLETS } from '../../manifest/samples.ts';
import { ALPHA, BETA, type Walks, WHALE, withId } from './walk.ts';

const NOWHERE = '5e0c0000-0000-4000-8000-00000000dead';

/** Blocked: it is not certain which task is meant, or whose it is. */
export const WHOSE: Walks = {
  Clone: [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        const { id } = desk.task('alpha');
        const clone = desk.clone('alpha', { is_active: false });
        await desk.run('tradeform plan');
        desk.write(`id: ${id}`, 'metadata');
        await desk.take(`tradeform release --id ${clone}`);
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'unmanaged paused'],
    },
  ],

  'Never named': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.clone('alpha', { remark: 'Mine [git:core/ghost@0]' });
        await desk.run('tradeform apply --auto-approve');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.clone('alpha', { remark: 'Mine [git:core/ghost@0]' });
        await desk.run('tradeform apply --auto-approve');
        await desk.take('tradeform export --out . sniper/ghost');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/ghost runs'],
    },
  ],

  'Another has the name': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        const { id } = desk.task('alpha');
        const other = desk.clone('alpha', { remark: 'By hand' });
        desk.manifests(withId(ALPHA, other));
        await desk.run('tradeform plan');
        await desk.take(`tradeform release --id ${id}`);
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'unmanaged runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA);
        const other = desk.clone('alpha', { remark: 'By hand' });
        desk.manifests(withId(ALPHA, other));
        await desk.run('tradeform plan');
        desk.strike(`id: ${other}`);
      },
      ends: ['core/alpha runs', 'unmanaged runs'],
    },
  ],

  'Damaged marker': [
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        const { id } = desk.task('alpha');
        desk.edit('alpha', { remark: 'Early [git:core/al' });
        await desk.run('tradeform plan');
        desk.write(`id: ${id}`, 'metadata');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/beta runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        const { id } = desk.task('alpha');
        desk.edit('alpha', { remark: 'Theirs [git:' });
        await desk.run('tradeform plan');
        await desk.take(`tradeform release --id ${id}`);
        desk.write('lifecycle: { adopt: never }');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/beta runs', 'unmanaged runs'],
    },
  ],

  'Perhaps there already': [
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        const { id } = desk.task('alpha');
        desk.edit('alpha', { remark: 'Late', is_active: false });
        await desk.run('tradeform plan');
        desk.write(`id: ${id}`, 'metadata');
        await desk.take('tradeform apply');
      },
      // Adopting starts nothing.
      ends: ['core/alpha held', 'core/beta runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        desk.edit('alpha', { remark: 'Late' });
        await desk.run('tradeform plan');
        desk.write('lifecycle: { adopt: never }');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/beta runs', 'unmanaged runs'],
    },
  ],

  'Another project’s': [
    {
      async go(desk) {
        await desk.applied(ALPHA, WHALE);
        desk.edit('whale', { remark: 'Whale [git:desk/whale]' });
        await desk.run('tradeform plan');
        await desk.take('tradeform apply --take-over desk');
      },
      ends: ['core/alpha runs', 'core/whale paused'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA, WHALE);
        const { id } = desk.task('whale');
        desk.edit('whale', { remark: 'Whale [git:desk/moby]' });
        await desk.run('tradeform plan');
        desk.write(`id: ${id}`, 'metadata', 'whale');
        await desk.take('tradeform apply --take-over desk');
      },
      ends: ['core/alpha runs', 'core/whale paused'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA, BETA);
        desk.edit('alpha', { remark: 'Early [git:desk/alpha@0]' });
        await desk.run('tradeform plan');
        desk.write('lifecycle: { adopt: never }');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/beta runs', 'desk/alpha runs'],
    },
  ],

  'The project was renamed': [
    {
      async go(desk) {
        await desk.applied(ALPHA, WHALE);
        desk.projectFile(undefined, PROJECT.replace('core', 'desk'));
        await desk.run('tradeform plan');
        desk.writeProject('previous_name: core', 'metadata');
        await desk.take('tradeform apply');
      },
      ends: ['desk/alpha runs', 'desk/whale paused'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA, WHALE);
        desk.projectFile(undefined, PROJECT.replace('core', 'desk, previous_name: core'));
        desk.manifests(ALPHA, WHALE.replace('name: whale', 'name: moby'));
        await desk.run('tradeform plan');
        desk.write('previous_name: whale', 'metadata', 'moby');
        await desk.take('tradeform apply');
      },
      ends: ['desk/alpha runs', 'desk/moby paused'],
    },
  ],

  'Target taken': [
    {
      async go(desk) {
        const whale = copyTrade({ wallet: WALLETS[2], spec: '  lifecycle: { adopt: never }\n' });
        await desk.applied(ALPHA, WHALE);
        const { id } = desk.task('whale');
        desk.edit('whale', { remark: 'By hand', is_active: true });
        desk.manifests(ALPHA, whale.replace('state: paused', 'state: active'));
        await desk.run('tradeform plan');
        desk.write(`id: ${id}`, 'metadata', 'whale');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/whale runs'],
    },
    {
      async go(desk) {
        const whale = copyTrade({ wallet: WALLETS[2], spec: '  lifecycle: { adopt: never }\n' });
        await desk.applied(ALPHA, WHALE);
        const { id } = desk.task('whale');
        desk.edit('whale', { remark: 'By hand' });
        desk.manifests(ALPHA, whale);
        await desk.run('tradeform apply');
        desk.remove(id);
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/whale paused'],
    },
  ],

  'Wrong id': [
    {
      async go(desk) {
        await desk.applied(BETA);
        desk.manifests(BETA, withId(ALPHA, NOWHERE));
        await desk.run('tradeform plan');
        desk.strike(`id: ${NOWHERE}`);
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/beta runs'],
    },
    {
      async go(desk) {
        await desk.applied(BETA);
        const { id } = desk.task('beta');
        desk.manifests(BETA, withId(ALPHA, id));
        await desk.run('tradeform plan');
        desk.strike(`id: ${id}`);
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/beta runs'],
    },
  ],
};
