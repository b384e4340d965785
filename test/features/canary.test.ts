import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApplyOptions } from '../../src/features/apply.ts';
import type { Plan } from '../../src/model/generated/plan.ts';
import type { PlanningOptions } from '../../src/planning/planning.ts';
import { label, sniper } from '../manifest/samples.ts';
import { wallet } from '../sandbox/service.ts';
import { openProject, type ProjectRun } from './project-run.ts';

/** `--canary`: a part of the changed tasks first, with a digest and guardrails of its own, and no state. */

let project: ProjectRun;
afterEach(() => project.remove());

const NAMES = Array.from({ length: 10 }, (_item, index) => `task-${index}`);
const AUTO = { autoApprove: true, firstApply: true } as const;

function task(name: string, amount: string, target: number, spec = ''): void {
  project.write(
    `manifests/${name}.yaml`,
    sniper({ name, amount, spec, wallet: JSON.stringify(wallet(target)) }),
  );
}

function tasks(amount: string, spec = ''): void {
  for (const [index, name] of NAMES.entries()) task(name, amount, index + 1, spec);
}

/** Ten running tasks that buy 0.5; then git wants 0.6. */
async function open(): Promise<void> {
  project = await openProject();
  for (const name of ['alpha', 'label']) rmSync(join(project.path, `manifests/${name}.yaml`));
  project.write(
    'tradeform.yaml',
    'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { settle: { update: 0s, replace: 0s }, guardrails: { max_changes: 5 } }\n',
  );
  tasks('0.5');
  for (const _half of [1, 2]) {
    const r = await project.apply(undefined, { ...AUTO, canary: '5' });
    if (r.code !== 0) throw new Error(JSON.stringify(r));
  }
  expect(amounts()).toEqual(Array(10).fill('0.5'));
  tasks('0.6');
}

async function plan(options: PlanningOptions = {}): Promise<Plan> {
  const { stdout, diagnostics } = await project.plan({ ...options, output: 'json' });
  if (stdout === '') throw new Error(JSON.stringify(diagnostics));
  return JSON.parse(stdout) as Plan;
}

async function apply(options: ApplyOptions = {}): Promise<number> {
  return (await project.apply(undefined, { ...AUTO, output: 'json', ...options })).code;
}

function amounts(): readonly unknown[] {
  return [...project.sandbox.state.tasks.values()].map(({ config }) => config.buy_amount).sort();
}

/** Whom the running tasks follow. */
function followed(): readonly string[] {
  return [...project.sandbox.state.tasks.values()]
    .flatMap(({ is_active, target_wallet }) => (is_active ? [target_wallet] : []))
    .sort();
}

function changed({ changes }: Plan): readonly string[] {
  return changes.filter(({ operations }) => operations.length > 0).map(({ address }) => address);
}

describe('a canary', () => {
  it('changes its part of the tasks; the next one changes others, and a plain apply all that are left', async () => {
    await open();
    const first = await plan({ canary: '25%' });
    expect([first.canary, changed(first).length]).toEqual([{ share: '25%', tasks: 3, of: 10 }, 3]);
    expect(await apply({ canary: '25%' })).toBe(0);
    expect(amounts().filter((amount) => amount === '0.6')).toHaveLength(3);
    const second = await plan({ canary: '3' });
    expect(second.canary).toEqual({ share: '3', tasks: 3, of: 7 });
    for (const address of changed(second)) expect(changed(first)).not.toContain(address);
    expect(await apply({ canary: '3' })).toBe(0);
    expect(await apply()).toBe(0);
    expect(amounts()).toEqual(Array(10).fill('0.6'));
    expect(changed(await plan())).toEqual([]);
    expect(changed(await plan({ canary: '1%' }))).toEqual([]);
  });

  it('has its own digest, by which the same tasks are changed and no others', async () => {
    await open();
    const [whole, part] = [await plan(), await plan({ canary: '20%' })];
    expect(part.digest).not.toBe(whole.digest);
    expect((await plan({ canary: '20%' })).digest).toBe(part.digest);
    expect(await apply({ canary: '30%', expectDigest: part.digest })).toBe(4);
    expect(await apply({ expectDigest: part.digest })).toBe(4);
    expect(amounts()).toEqual(Array(10).fill('0.5'));
    expect(await apply({ canary: '20%', autoApprove: false, expectDigest: part.digest })).toBe(0);
    expect(amounts().filter((amount) => amount === '0.6')).toHaveLength(2);
    for (const address of changed(part)) expect(changed(await plan())).not.toContain(address);
  });

  it('is saved and applied like any plan, and guardrails judge what it changes', async () => {
    await open();
    const whole = await project.plan();
    expect([whole.code, whole.stderr]).toEqual([4, expect.stringContaining('guardrail-max-changes')]);
    expect(await apply()).toBe(4);
    expect((await project.plan({ canary: '60%' })).code).toBe(4);
    expect((await project.plan({ canary: '50%', out: 'part.plan' })).code).toBe(0);
    expect((await project.apply('part.plan')).code).toBe(0);
    expect(amounts().filter((amount) => amount === '0.6')).toHaveLength(5);
  });

  it('says how many tasks it changes: at least one and at most all', async () => {
    await open();
    expect((await project.plan({ canary: '1%' })).stdout).toContain(
      'Canary: 1 of 10 changed tasks (--canary 1%); the next apply without it changes the others.',
    );
    expect((await plan({ canary: '99' })).canary).toMatchObject({ tasks: 10, of: 10 });
    expect((await plan({ canary: '50%', target: ['sniper/task-1', 'sniper/task-2'] })).canary).toMatchObject({
      tasks: 1,
      of: 2,
    });
  });

  it('takes the labels that its tasks need, and leaves those that none of them needs', async () => {
    await open();
    tasks('0.6', '  label: mine\n');
    project.write('manifests/labels.yaml', `${label('mine')}---\n${label('other')}`);
    const part = await plan({ canary: '1' });
    expect(changed(part)).toHaveLength(2);
    expect(changed(part)).toContain('label/mine');
    expect(await apply({ canary: '1' })).toBe(0);
    const next = await plan({ canary: '1' });
    expect([next.canary?.of, changed(next).length]).toEqual([9, 1]);
    // Where no task is changed there is nothing to try first.
    const only = await plan({ canary: '1', exclude: ['sniper/*'] });
    expect([only.canary?.of, changed(only)]).toEqual([0, ['label/other']]);
  });
});

describe('tasks that exchange wallets are changed together', () => {
  /** Applies one task after the other; every wallet is followed once, after each of them. */
  async function oneByOne(parts: readonly number[]): Promise<void> {
    const [before, sizes] = [followed(), [] as number[]];
    for (;;) {
      const { canary, digest } = await plan({ canary: '1' });
      if (canary === undefined || canary.of === 0) break;
      sizes.push(canary.tasks);
      expect(await apply({ canary: '1', expectDigest: digest })).toBe(0);
      expect(followed()).toEqual(before);
    }
    expect(sizes.sort()).toEqual(parts);
    expect(changed(await plan())).toEqual([]);
  }

  it('two that exchange their wallets, and a ring of three', async () => {
    await open();
    tasks('0.5');
    task('task-0', '0.5', 2);
    task('task-1', '0.5', 1);
    for (const [name, target] of [
      ['task-4', 6],
      ['task-5', 7],
      ['task-6', 5],
    ] as const)
      task(name, '0.5', target);
    task('task-8', '0.6', 9);
    await oneByOne([1, 2, 3]);
  });

  it('a deleted task, and one of another name in its place', async () => {
    await open();
    tasks('0.5');
    rmSync(join(project.path, 'manifests/task-2.yaml'));
    task('other', '0.5', 3);
    task('task-8', '0.6', 9);
    const part = await plan({ canary: '2' });
    expect([2, 3]).toContain(part.canary?.tasks);
    expect(changed(part).includes('sniper/other')).toBe(changed(part).includes('sniper/task-2'));
    await oneByOne([1, 2]);
  });
});

it.each(['0', '0%', '101%', '1.5%', '5 %', '-1', ''])('--canary %s is refused', async (canary) => {
  project = await openProject();
  const { code, diagnostics } = await project.plan({ canary });
  expect([code, diagnostics[0]?.code, project.sandbox.log]).toEqual([3, 'invalid-option', []]);
});

it('cannot be combined with an existing plan, nor with the list of all changes', async () => {
  project = await openProject();
  for (const options of [{ canary: '1', expectChanges: ['x'] }] as const)
    expect((await project.apply(undefined, options)).diagnostics[0]?.code).toBe('invalid-option');
  expect((await project.apply('x.plan', { canary: '1' })).diagnostics[0]?.message).toContain(
    '--canary cannot be combined with a plan file',
  );
});
