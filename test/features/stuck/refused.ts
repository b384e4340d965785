import { label, PROJECT, sniper } from '../../manifest/samples.ts';
import { ALPHA, BETA, dearer, type Walks } from './walk.ts';

/** Plans that are refused as a whole. */
export const REFUSED: Walks = {
  'View not proven': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        const busy = desk.clone('alpha', { remark: 'By hand' });
        desk.manifests(ALPHA, BETA);
        desk.before(({ path }) => {
          if (!path.includes('/configs?')) return;
          desk.sandbox.advance(2_000);
          desk.sandbox.editStored(busy, {});
        });
        await desk.run('tradeform apply');
        desk.calm();
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/beta runs', 'unmanaged runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA);
        const busy = desk.clone('alpha', { remark: 'By hand' });
        desk.manifests(dearer(ALPHA), BETA);
        desk.before(({ path }) => {
          if (!path.includes('/configs?')) return;
          desk.sandbox.advance(2_000);
          desk.sandbox.editStored(busy, {});
        });
        await desk.run('tradeform plan');
        await desk.take('tradeform apply --exclude sniper/beta');
        if (desk.task('alpha').config.buy_amount !== '0.6') throw new Error('the update did not go first');
        desk.calm();
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'core/beta runs', 'unmanaged runs'],
    },
  ],

  'Scope missing': [
    {
      before: { seed: { accounts: [{ tokens: [{}, { scopes: ['copytrade:read'] }] }] } },
      async go(desk) {
        await desk.applied(ALPHA);
        desk.projectFile('');
        const [whole, narrow] = desk.sandbox.tokens();
        desk.use(narrow?.token ?? '');
        await desk.run('tradeform plan');
        desk.use(whole?.token ?? '');
        await desk.take('tradeform doctor');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
    {
      before: { seed: { accounts: [{ tokens: [{}, { scopes: ['sniper:read'] }] }] } },
      async go(desk) {
        await desk.applied(ALPHA);
        desk.projectFile('');
        desk.manifests(dearer(ALPHA));
        const [whole, narrow] = desk.sandbox.tokens();
        desk.use(narrow?.token ?? '');
        await desk.run('tradeform apply');
        desk.use(whole?.token ?? '');
        await desk.take('tradeform doctor');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  Guardrail: [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.projectFile('  guardrails: { max_buy_amount: 0.5 }\n');
        desk.manifests(dearer(ALPHA));
        await desk.run('tradeform apply');
        const { digest } = await desk.plan();
        await desk.take(`tradeform apply --override max_buy_amount=${digest}`);
      },
      ends: ['core/alpha runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA.replace('0.5', '2'));
        desk.projectFile('');
        desk.manifests(ALPHA.replace('0.5', '11'));
        await desk.run('tradeform plan');
        desk.writeProject('guardrails: { max_buy_amount: 12 }');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'First apply': [
    {
      before: { seed: { accounts: [{ login_username: 'whales' }] } },
      async go(desk) {
        desk.projectFile('');
        desk.manifests(ALPHA);
        await desk.run('tradeform apply --auto-approve');
        await desk.take('tradeform doctor');
        desk.writeProject('account: { login_username: whales }');
        await desk.take('tradeform apply --auto-approve');
      },
      ends: ['core/alpha runs'],
    },
    {
      async go(desk) {
        desk.projectFile('');
        desk.manifests(ALPHA);
        await desk.run('tradeform apply --auto-approve');
        await desk.take('tradeform doctor');
        await desk.take('tradeform apply --auto-approve --first-apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'Wrong account': [
    {
      before: { seed: { accounts: [{}, {}] } },
      async go(desk) {
        desk.manifests(ALPHA);
        const [right, wrong] = desk.sandbox.tokens();
        desk.use(wrong?.token ?? '');
        await desk.run('tradeform apply');
        desk.use(right?.token ?? '');
        await desk.take('tradeform doctor');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],

  'Manifests gone': [
    {
      async go(desk) {
        await desk.applied(ALPHA, label('calm'));
        desk.manifests(label('calm'));
        await desk.run('tradeform apply');
        desk.manifests(ALPHA, label('calm'));
        await desk.take('tradeform plan');
      },
      ends: ['core/alpha runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA, label('calm'));
        desk.manifests(label('calm'));
        await desk.run('tradeform apply');
        await desk.take('tradeform apply --allow-empty');
      },
      ends: [],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests();
        await desk.run('tradeform apply');
        desk.manifests(label('calm'));
        await desk.take('tradeform apply --allow-empty');
      },
      ends: [],
    },
    {
      async go(desk) {
        const names = ['a', 'b', 'c', 'd', 'e', 'f'];
        await desk.applied(...names.map((name) => sniper({ name })), label('calm'));
        desk.manifests(label('calm'));
        const { text } = await desk.run('tradeform apply');
        const [override] = /--override max_deletes=[0-9a-f]+/.exec(text) ?? [];
        await desk.take(`tradeform apply --allow-empty ${override}`);
      },
      ends: [],
    },
  ],

  'Another repository’s name': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(BETA);
        await desk.run('tradeform apply');
        desk.projectFile(undefined, PROJECT.replace('core', 'desk'));
        desk.done.push('name: desk');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs', 'desk/beta runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(BETA);
        await desk.run('tradeform apply');
        await desk.take('tradeform apply --allow-empty');
      },
      ends: ['core/beta runs'],
    },
    {
      async go(desk) {
        await desk.applied(ALPHA);
        desk.manifests(BETA);
        await desk.run('tradeform apply');
        await desk.take('tradeform apply --exclude sniper/alpha');
        await desk.take('tradeform apply');
      },
      ends: ['core/beta runs'],
    },
  ],

  'Base without the project': [
    {
      async go(desk) {
        await desk.applied(ALPHA);
        const { project } = desk;
        const text = project.read('tradeform.yaml');
        project.erase('tradeform.yaml');
        for (const folder of ['one', 'two']) project.write(`${folder}/tradeform.yaml`, text);
        project.commit();
        project.write('tradeform.yaml', text);
        for (const folder of ['one', 'two']) project.erase(`${folder}/tradeform.yaml`);
        desk.manifests(dearer(ALPHA));
        project.commit();
        await desk.run('tradeform apply --auto-approve --only pending --base HEAD~1');
        await desk.take('tradeform plan');
        await desk.take('tradeform apply');
      },
      ends: ['core/alpha runs'],
    },
  ],
};
