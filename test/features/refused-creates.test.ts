import { expect, it } from 'vitest';
import { sniper } from '../manifest/samples.ts';
import { sniperConfig, wallet } from '../support/builders.ts';
import { onRequest } from '../support/requests.ts';
import { openProject, type ProjectRun } from './project-run.ts';

/** What `apply` makes of a service that remembers: refusals for 24 hours, and what it answered a create. */

let project: ProjectRun;

const REMEMBERS = { idempotency_failures: 'replayed' } as const;

/** Somebody does something right before the next request of this kind. */
function rightBefore(method: string, path: string, act: () => void): void {
  const end = onRequest(project.sandbox, (request) => {
    if (request.method !== method || request.path !== path) return;
    end();
    act();
  });
}

const apply = () => project.apply(undefined, { autoApprove: true, firstApply: true });

const tasks = (part: string) => project.tasks().filter(({ remark }) => remark.includes(part));

async function nothingIsLeft(): Promise<void> {
  expect(await project.plan({ detailedExitcode: true })).toMatchObject({ code: 0 });
}

it('the last place was taken and is free again: the next apply creates the task, once', async () => {
  const theirs = {
    kind: 'sniper',
    remark: 'Theirs',
    target_wallet: wallet(9),
    config: sniperConfig(),
  } as const;
  project = await openProject({
    seed: { choices: REMEMBERS, accounts: [{ quota: { max: 2 }, tasks: [theirs] }] },
  });
  const { sandbox } = project;
  const [other] = tasks('Theirs');
  if (other === undefined) throw new Error('no task');
  const id = '00000000-0000-4000-8000-00000000abcd';
  rightBefore('POST', '/sniper/configs', () => sandbox.apply([{ type: 'task', record: { ...other, id } }]));
  const refused = await apply();
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain('No room for another task');
  sandbox.apply([{ type: 'task-removed', id }]);
  expect((await apply()).code).toBe(0);
  expect(tasks('core/alpha')).toMatchObject([{ is_active: true }]);
  await nothingIsLeft();
});

it('a label that is gone when it is written: the code and the requests are named', async () => {
  project = await openProject();
  const { sandbox } = project;
  expect((await apply()).code).toBe(0);
  const [label] = sandbox.state.labels.keys();
  project.write(
    'manifests/label.yaml',
    'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: high-risk }\nspec: { name: High risk, sort_order: 7 }\n',
  );
  rightBefore('PATCH', `/labels/${label}`, () => sandbox.apply([{ type: 'label-removed', id: label ?? '' }]));
  const { code, stdout } = await apply();
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /Somebody deleted the label in the meantime[\s\S]*not_found \(404\)[\s\S]*requests? \S+/,
  );
});

it('a task that is created, deleted and created within a second exists if the report says so', async () => {
  project = await openProject();
  const { sandbox } = project;
  project.write('manifests/alpha.yaml', sniper().replace('state: active', 'state: paused'));
  expect((await apply()).code).toBe(0);
  for (const { id } of tasks('core/alpha')) sandbox.apply([{ type: 'task-removed', id }]);
  expect((await apply()).code).toBe(0);
  expect(tasks('core/alpha')).toHaveLength(1);
  await nothingIsLeft();
});
