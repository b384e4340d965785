import { beforeEach, expect, test } from 'vitest';
import type { Operation, Plan } from '../../src/core/model/generated/plan.ts';
import type { Json } from '../../src/core/model/json.ts';
import { wallet } from '../support/builders.ts';
import { openProject, type ProjectRun } from './project-run.ts';

/** A plan file that was edited approves nothing: its list of changes is not that of its digest. */

let project: ProjectRun;
let stranger: string;

/** `alpha` and `once` run and get another amount, `beta` is replaced, `gamma` starts. A task of somebody else is paused. */
beforeEach(async () => {
  project = await openProject({ tasks: ['stranger'] });
  project.settings('settle: { replace: 1s }');
  project.task('alpha', { wallet: wallet(2) });
  project.task('beta', { wallet: wallet(3) });
  project.task('once', { wallet: wallet(4), config: '    buy_once: true\n' });
  await project.applied();
  stranger = project.live('stranger').id;
  project.edit('stranger', { remark: 'By hand', is_active: false, merge: { buy_amount: '9' } });
  project.erase('manifests/stranger.yaml');
  project.task('gamma', { wallet: wallet(1) });
  project.task('alpha', { wallet: wallet(2), amount: '0.75' });
  project.task('beta', { wallet: wallet(6) });
  project.task('once', { wallet: wallet(4), amount: '0.75', config: '    buy_once: true\n' });
  expect((await project.plan({ out: 'saved.json' })).code).toBe(0);
});

function saved(): Plan {
  return JSON.parse(project.read('saved.json')) as Plan;
}

const at = (plan: Plan, address: string, verb: Operation['verb']): Operation => {
  const found = plan.operations.find((one) => one.address === address && one.verb === verb);
  if (found === undefined) throw new Error(`no ${verb} of ${address}`);
  return found;
};

/** The objects of a body, for an edit. */
type Written = Record<string, Json> & { config: Record<string, Json> };

const EDITS: Readonly<Record<string, (plan: Plan) => void>> = {
  'has another digest': (plan) => {
    plan.digest = '0'.repeat(64);
  },
  'approves less': (plan) => {
    plan.changes = plan.changes.filter(({ address }) => address !== 'sniper/gamma');
  },
  'was made for fewer addresses': (plan) => {
    plan.selection = { targets: ['sniper/alpha'], excludes: [] };
  },
  'creates a task with another amount': (plan) => {
    (at(plan, 'sniper/gamma', 'create').body as Written).config.buy_amount = '50';
  },
  'shows another value from before': (plan) => {
    const field = plan.changes
      .flatMap(({ fields }) => fields)
      .find(({ path }) => path === 'config.buy_amount');
    if (field !== undefined) field.before = '0.74';
  },
  'starts an unmanaged task': (plan) => {
    at(plan, 'sniper/alpha', 'resume').subject = stranger;
  },
  'does not write the amount': (plan) => {
    delete at(plan, 'sniper/alpha', 'patch').body?.config;
  },
};

test.each(Object.entries(EDITS))('a plan file that %s is refused', async (_name, edit) => {
  const plan = saved();
  edit(plan);
  project.write('edited.json', JSON.stringify(plan));
  expect(await project.applying({}, 'edited.json')).toMatchObject({
    code: 4,
    diagnostics: [{ code: 'digest-differs' }],
    sent: [],
  });
});

test('the plan itself is carried out', async () => {
  expect(await project.apply('saved.json')).toMatchObject({ code: 0 });
  expect(project.sandbox.state.tasks.get(stranger)).toMatchObject({ remark: 'By hand', is_active: false });
});
