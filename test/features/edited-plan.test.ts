import { beforeEach, expect, test } from 'vitest';
import type { Operation, Plan } from '../../src/model/generated/plan.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { planIntegrity, withDigests } from '../../src/plan/review/digest.ts';
import { wallet } from '../support/builders.ts';
import { openProject, type ProjectRun } from './project-run.ts';

/** A plan file whose operations do something else than its changes say. Checksum, and where it says so the digest, are computed anew. */

let project: ProjectRun;
let stranger: string;
let label: string;

/** `alpha` and `once` run and get another amount, `beta` is replaced, `gamma` starts. A task of somebody else is paused. */
beforeEach(async () => {
  const named = (name: string) =>
    `apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: ${name} }\nspec: {}\n`;
  project = await openProject({ tasks: ['stranger'] });
  project.settings('settle: { replace: 1s }');
  project.write('manifests/labels.yaml', `${named('cold')}---\n${named('hot')}`);
  project.task('alpha', { wallet: wallet(2), spec: '  label: cold\n' });
  project.task('beta', { wallet: wallet(3) });
  project.task('once', { wallet: wallet(4), config: '    buy_once: true\n' });
  await project.applied();
  stranger = project.live('stranger').id;
  label = [...project.sandbox.state.labels.values()].find(({ name }) => name === 'hot')?.id ?? '';
  project.edit('stranger', { remark: 'By hand', is_active: false, merge: { buy_amount: '9' } });
  project.erase('manifests/stranger.yaml');
  project.task('gamma', { wallet: wallet(1) });
  project.task('alpha', { wallet: wallet(2), amount: '0.75', spec: '  label: hot\n' });
  project.task('beta', { wallet: wallet(6) });
  project.task('once', { wallet: wallet(4), amount: '0.75', config: '    buy_once: true\n' });
  expect((await project.plan({ out: 'saved.json' })).code).toBe(0);
});

function saved(): Plan {
  return JSON.parse(project.read('saved.json')) as Plan;
}

/** Applies the edited file. Nothing may be sent but reads. */
async function refused(edit: (plan: Plan) => void, anew = false): Promise<string> {
  const plan = saved();
  edit(plan);
  const last = anew ? withDigests(plan) : plan;
  project.write('edited.json', JSON.stringify({ ...last, integrity: planIntegrity(last) }));
  const { code, diagnostics, sent } = await project.applying({}, 'edited.json');
  expect([3, 4]).toContain(code);
  expect(sent).toEqual([]);
  return diagnostics.map(({ message }) => message).join('\n');
}

const at = (plan: Plan, address: string, verb: Operation['verb']): Operation => {
  const found = plan.operations.find((one) => one.address === address && one.verb === verb);
  if (found === undefined) throw new Error(`no ${verb} of ${address}`);
  return found;
};

/** The objects of a body, for an edit. */
type Written = Record<string, Json> & { config: Record<string, Json> };

const EDITS: Readonly<Record<string, (plan: Plan) => void>> = {
  'creates a task with another amount': (plan) => {
    (at(plan, 'sniper/gamma', 'create').body as Written).config.buy_amount = '50';
  },
  'creates a task with another wallet': (plan) => {
    (at(plan, 'sniper/gamma', 'create').body as Written).target_wallet = wallet(5);
  },
  'creates a task with another note': (plan) => {
    ((at(plan, 'sniper/gamma', 'create').body as Written).remark as JsonObject & { note: Json }).note =
      'Other';
  },
  'replaces a task by one with another amount': (plan) => {
    (at(plan, 'sniper/beta', 'create').body as Written).config.buy_amount = '50';
  },
  'replaces a task by one with another wallet': (plan) => {
    (at(plan, 'sniper/beta', 'create').body as Written).target_wallet = wallet(5);
  },
  'shows another value from before': (plan) => {
    const field = plan.changes
      .flatMap(({ fields }) => fields)
      .find(({ path }) => path === 'config.buy_amount');
    if (field !== undefined) field.before = '0.74';
  },
  'starts a task for a moment': (plan) => {
    const change = plan.changes.find(({ address }) => address === 'sniper/gamma');
    const resume = at(plan, 'sniper/gamma', 'resume');
    if (change !== undefined) change.starts_trading = false;
    plan.operations.push({ ...resume, id: 'sniper/gamma#3', verb: 'pause', body: null });
    change?.operations.push('sniper/gamma#3');
  },
  'sends something else after a refusal': (plan) => {
    const patch = at(plan, 'sniper/alpha', 'patch');
    patch.body_if_refused = { ...patch.body, target_wallet: wallet(5) };
  },
  'starts an unmanaged task': (plan) => {
    at(plan, 'sniper/alpha', 'resume').subject = stranger;
  },
  'deletes an unmanaged task as "replaced"': (plan) => {
    at(plan, 'sniper/beta', 'delete').subject = stranger;
  },
  'writes the marker of the project to an unmanaged task': (plan) => {
    const mark = structuredClone(at(plan, 'sniper/alpha', 'mark'));
    const change = plan.changes.find(({ address }) => address === 'sniper/alpha');
    const chain = plan.operations.filter(({ address }) => address === 'sniper/alpha');
    const id = `sniper/alpha#${chain.length + 1}`;
    plan.operations.splice(plan.operations.indexOf(chain.at(-1) as Operation) + 1, 0, {
      ...mark,
      id,
      subject: stranger,
    });
    change?.operations.push(id);
  },
  'does all of it at a change that says nothing is done': (plan) => {
    const [change] = plan.changes;
    if (change === undefined) return;
    const subject = stranger;
    const address = 'sniper/extra';
    plan.changes.push({
      ...change,
      address,
      name: 'extra',
      action: 'none',
      actions: ['none'],
      operations: [`${address}#1`],
    });
    plan.operations.push({ id: `${address}#1`, address, subject, verb: 'resume', body: null, needs: [] });
  },
  'writes another amount': (plan) => {
    (at(plan, 'sniper/alpha', 'patch').body?.config as { buy_amount: string }).buy_amount = '9';
  },
  'does not write the amount': (plan) => {
    delete at(plan, 'sniper/alpha', 'patch').body?.config;
  },
  'shows another former config, which a failure would bring back': (plan) => {
    const former = plan.changes.find(({ address }) => address === 'sniper/alpha')?.former;
    (former?.config as { sol_slippage_mode: boolean }).sol_slippage_mode = true;
  },
  'does not wait after the pause': (plan) => {
    delete at(plan, 'sniper/beta', 'pause').settle_ms;
  },
  'waits for none of its replacements': (plan) => {
    plan.settle.replace = 0;
    for (const operation of plan.operations) delete operation.settle_ms;
  },
  'does not read a task first that may have fired': (plan) => {
    delete at(plan, 'sniper/once', 'pause').read_first;
  },
  'sets a label that it does not show': (plan) => {
    (at(plan, 'sniper/gamma', 'create').body as Written).risk_label_id = label;
  },
  'replaces a task by one with another label': (plan) => {
    (at(plan, 'sniper/beta', 'create').body as Written).risk_label_id = label;
  },
  'has operations that wait for each other': (plan) => {
    at(plan, 'sniper/gamma', 'create').needs.push('sniper/alpha#4');
    at(plan, 'sniper/alpha', 'mark').needs.push('sniper/gamma#1');
  },
  'says that less is at stake afterwards': (plan) => {
    plan.exposure.after = plan.exposure.before;
  },
  'says that less is at stake in one kind': (plan) => {
    const [kind] = plan.exposure.kinds;
    if (kind !== undefined) kind.after = kind.before;
  },
  'says of a change that less is at stake': (plan) => {
    for (const { exposure } of plan.changes) exposure.after = exposure.before;
  },
  'says that nothing starts': (plan) => {
    plan.summary.start = 0;
  },
  'does not say that a running task is deleted': (plan) => {
    plan.diagnostics = plan.diagnostics.filter(({ code }) => code !== 'delete-running');
  },
  'hides a value that is not secret': (plan) => {
    for (const { fields } of plan.changes) for (const one of fields) one.sensitive = true;
  },
  'shows a field that it does not write': (plan) => {
    const change = plan.changes.find(({ address }) => address === 'sniper/alpha');
    change?.fields.push({ path: 'remark', before: 'a', after: 'b', sensitive: false });
  },
  'says that another label was there': (plan) => {
    const change = plan.changes.find(({ address }) => address === 'sniper/alpha');
    const field = change?.fields.find(({ path }) => path === 'label');
    if (field === undefined) throw new Error('no label');
    field.before = 'frozen';
  },
};
/** Only the digests tell: the planner could have made the first two, from other manifests. */
const PLAUSIBLE: Readonly<Record<string, (plan: Plan) => void>> = {
  'asks for a start at the next apply': (plan) => {
    (at(plan, 'sniper/alpha', 'patch').body?.remark as { rearm: string }).rearm = 'z';
  },
  'has the digest of another change': (plan) => {
    for (const change of plan.changes) if (change.digest !== undefined) change.digest = '0'.repeat(32);
  },
  'waits for something else': (plan) => {
    at(plan, 'sniper/gamma', 'create').needs.push('sniper/alpha#1');
  },
};

const REFUSED =
  /was changed after it was saved|does not have the name that the plan shows|the plan was made with settle/;

test.each(Object.entries({ ...EDITS, ...PLAUSIBLE }))(
  'with the approved digest, a plan that %s is refused',
  async (_name, edit) => {
    expect(await refused(edit)).toMatch(REFUSED);
  },
);

test.each(Object.entries(EDITS))(
  'with a digest computed anew, a plan that %s is refused',
  async (_name, edit) => {
    expect(await refused(edit, true)).toMatch(REFUSED);
  },
);

test('a plan that waits for less than the project asks for is refused', async () => {
  const edit = EDITS['waits for none of its replacements'] ?? (() => undefined);
  expect(await refused(edit, true)).toBe(
    'the plan was made with settle update 0 ms, replace 0 ms, not update 0 ms, replace 1000 ms',
  );
});

/** `alpha` as somebody left it, and the plan that is saved then. */
async function planAfter(edit: (remark: string) => object): Promise<void> {
  project.edit('alpha', edit(project.live('alpha').remark));
  expect((await project.plan({ out: 'saved.json' })).code).toBe(0);
}

function patchMark(plan: Plan): { mark: string } {
  return at(plan, 'sniper/alpha', 'patch').body?.remark as { mark: string };
}

test('a mark that asks for the start of a task that a person stopped is refused', async () => {
  await planAfter(() => ({ is_active: false }));
  expect(patchMark(saved()).mark).not.toBe('pending');
  const edit = (plan: Plan) => {
    patchMark(plan).mark = 'pending';
  };
  expect(await refused(edit, true)).toContain('tradeform plans something else');
});

test('a patch that drops the mark of the switch is refused', async () => {
  await planAfter((remark) => ({ is_active: false, remark: remark.replace(/@[^.\]]*/, '@!') }));
  expect(patchMark(saved()).mark).toBe('off');
  const edit = (plan: Plan) => {
    patchMark(plan).mark = 'none';
  };
  expect(await refused(edit, true)).toContain('tradeform plans something else');
});

test('a label that is removed and not shown is refused', async () => {
  const edit = (plan: Plan) => {
    const change = plan.changes.find(({ address }) => address === 'sniper/alpha');
    if (change?.former) change.former.risk_label_id = '0d0d0d0d-0000-4000-8000-000000000001';
    (at(plan, 'sniper/alpha', 'patch').body as Written).risk_label_id = null;
  };
  expect(await refused(edit, true)).toContain('tradeform plans something else');
});

test('the plan itself is carried out', async () => {
  expect(await project.apply('saved.json')).toMatchObject({ code: 0 });
  expect(project.sandbox.state.tasks.get(stranger)).toMatchObject({ remark: 'By hand', is_active: false });
});

test('a plan that is done creates nothing again, whatever its file calls the task that it created', async () => {
  expect((await project.apply('saved.json')).code).toBe(0);
  const plan = saved();
  const observation = {
    ...{ class: 'unmanaged' as const, kind: 'sniper' as const, id: project.live('gamma').id },
    ...{ remark: 'Other', running: false, text: 'It has no marker.' },
  };
  plan.observations = [...plan.observations, observation];
  plan.summary = { ...plan.summary, unmanaged: plan.summary.unmanaged + 1 };
  const last = withDigests(plan);
  expect(last.digest).toBe(saved().digest);
  project.write('edited.json', JSON.stringify({ ...last, integrity: planIntegrity(last) }));
  const before = project.tasks().length;
  const { sent } = await project.applying({}, 'edited.json');
  expect([sent, project.tasks().length]).toEqual([[], before]);
});
