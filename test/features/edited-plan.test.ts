import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Operation, Plan } from '../../src/model/generated/plan.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { planIntegrity, withDigests } from '../../src/plan/review/digest.ts';
import { PROJECT, sniper, WALLETS } from '../manifest/samples.ts';
import { wallet } from '../support/builders.ts';
import { openProject, type ProjectRun } from './project-run.ts';

/** A plan file whose operations do something else than its changes say. Checksum, and where it says so the digest, are computed anew. */

let project: ProjectRun;
let stranger: string;

/** `alpha` runs and gets another amount, `beta` is replaced, `gamma` starts. A task of somebody else is paused. */
beforeEach(async () => {
  project = await openProject();
  project.write(
    'tradeform.yaml',
    `${PROJECT}spec: { account: { token_prefix: svc_live_5a4d0b0c }, settle: { replace: 1s }, manifests: ["tasks/*.yaml"] }\n`,
  );
  const state = (name: string, wallet: string | undefined, more: object = {}) =>
    project.write(
      `tasks/${name}.yaml`,
      sniper({ name, ...(wallet === undefined ? {} : { wallet }), ...more }),
    );
  state('alpha', WALLETS[0]);
  state('beta', WALLETS[1]);
  state('stranger', WALLETS[2], { amount: '9' });
  expect(await project.apply(undefined, { autoApprove: true })).toMatchObject({ code: 0 });
  const theirs = [...project.sandbox.state.tasks.values()].find(({ remark }) => remark.includes('/stranger'));
  stranger = theirs?.id ?? '';
  project.sandbox.editStored(stranger, { remark: 'By hand', is_active: false });
  project.write('tasks/stranger.yaml', sniper({ name: 'gamma', wallet: wallet(1) }));
  state('alpha', WALLETS[0], { amount: '0.75' });
  state('beta', wallet(2));
  expect((await project.plan({ out: 'saved.json' })).code).toBe(0);
});
afterEach(() => project.remove());

function saved(): Plan {
  return JSON.parse(readFileSync(join(project.path, 'saved.json'), 'utf8')) as Plan;
}

/** Applies the edited file. Nothing may be sent but reads. */
async function refused(edit: (plan: Plan) => void, anew = false): Promise<string> {
  const plan = saved();
  edit(plan);
  const last = anew ? withDigests(plan) : plan;
  project.write('edited.json', JSON.stringify({ ...last, integrity: planIntegrity(last) }));
  project.sandbox.clearLog();
  const { code, diagnostics } = await project.apply('edited.json');
  expect([3, 4]).toContain(code);
  expect(project.sandbox.log.filter(({ method }) => method !== 'GET')).toEqual([]);
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
  'asks for a start at the next apply': (plan) => {
    (at(plan, 'sniper/alpha', 'patch').body?.remark as { rearm: string }).rearm = 'z';
  },
};
/** The planner could have made these, from other manifests: only the digest tells. */
const PLAUSIBLE: Readonly<Record<string, (plan: Plan) => void>> = {
  'does not wait after the pause': (plan) => {
    delete at(plan, 'sniper/beta', 'pause').settle_ms;
  },
  'waits for something else': (plan) => {
    at(plan, 'sniper/gamma', 'create').needs.push('sniper/alpha#1');
  },
};

test.each(Object.entries({ ...EDITS, ...PLAUSIBLE }))(
  'with the approved digest, a plan that %s is refused',
  async (_name, edit) => {
    expect(await refused(edit)).toMatch(/was changed after it was saved|differs from the plan/);
  },
);

const { 'asks for a start at the next apply': _, ...OPEN } = EDITS;
test.each(Object.entries(OPEN))(
  'with a digest computed anew, a plan that %s is refused',
  async (_name, edit) => {
    expect(await refused(edit, true)).toMatch(/was changed after it was saved: |differs from the plan/);
  },
);

/** `alpha` as somebody left it, and the plan that is saved then. */
async function planAfter(edit: (remark: string) => object): Promise<void> {
  const task = [...project.sandbox.state.tasks.values()].find(({ remark }) => remark.includes('/alpha'));
  project.sandbox.editStored(task?.id ?? '', edit(task?.remark ?? ''));
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
  expect(await refused(edit, true)).toContain('its mark asks for a start');
});

test('a patch that drops the mark of the switch is refused', async () => {
  await planAfter((remark) => ({ is_active: false, remark: remark.replace(/@[^.\]]*/, '@!') }));
  expect(patchMark(saved()).mark).toBe('off');
  const edit = (plan: Plan) => {
    patchMark(plan).mark = 'none';
  };
  expect(await refused(edit, true)).toContain('it takes away the mark of the switch');
});

test('a label that is removed and not shown is refused', async () => {
  const edit = (plan: Plan) => {
    const change = plan.changes.find(({ address }) => address === 'sniper/alpha');
    if (change?.former) change.former.risk_label_id = '0d0d0d0d-0000-4000-8000-000000000001';
    (at(plan, 'sniper/alpha', 'patch').body as Written).risk_label_id = null;
  };
  expect(await refused(edit, true)).toContain('its label is not that of the change');
});

test('the plan itself is carried out', async () => {
  expect(await project.apply('saved.json')).toMatchObject({ code: 0 });
  expect(project.sandbox.state.tasks.get(stranger)).toMatchObject({ remark: 'By hand', is_active: false });
});
