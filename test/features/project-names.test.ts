import { beforeEach, describe, expect, test } from 'vitest';
import { runDrift } from '../../src/core/features/drift/drift.ts';
import { runRollback } from '../../src/core/features/rollback.ts';
import { runExport } from '../../src/kit/export/export.ts';
import { operate } from './operator/operate.ts';
import { openProject, type ProjectRun } from './project-run.ts';

let project: ProjectRun;

const YES = { autoApprove: true, quiet: true };
const named = (metadata: string) => project.settings('', metadata);

/** Two running tasks of project core, applied and committed. */
beforeEach(async () => {
  project = await openProject({ tasks: ['alpha', 'beta'] });
});

/** `core/alpha running 0.5`, by name. */
function tasks(): readonly string[] {
  return project
    .tasks()
    .map(({ remark, is_active, config }) => {
      const marker = /\[git:([a-z]+\/[a-z]+)/.exec(remark)?.[1];
      return `${marker} ${is_active ? 'running' : 'paused'} ${config.buy_amount}`;
    })
    .sort();
}

describe('a project that is renamed', () => {
  /** In one change: core becomes desk, and beta loses its manifest. */
  beforeEach(() => {
    named('name: desk, previous_name: core');
    project.erase('manifests/beta.yaml');
    project.commit();
  });

  test('is a plan of marker rewrites, and deletes nothing', async () => {
    const plan = await project.planned();
    expect(plan).toMatchObject({
      project: 'desk',
      previous_project: 'core',
      summary: { rename: 1, update: 0, delete: 0, stop: 0, foreign: 1 },
      changes: [{ address: 'sniper/alpha', fields: [{ path: 'project', before: 'core', after: 'desk' }] }],
      diagnostics: [{ code: 'project-rename-left' }],
    });
    for (const output of ['text', 'markdown']) {
      const { stdout } = await project.plan({ output });
      expect(stdout).toContain('The project was called');
      expect(stdout).toMatch(/the project was renamed, project .*core.* → .*desk/);
    }
    expect(await project.applying(YES)).toMatchObject({ code: 0, sent: ['PATCH'] });
    expect(tasks()).toEqual(['core/beta running 0.5', 'desk/alpha running 0.5']);
    expect(await project.plan({ detailedExitcode: true, quiet: true })).toMatchObject({ code: 0 });
  });

  test('a saved plan is applied; it approves nothing after a runner with the former name wrote', async () => {
    expect((await project.plan({ out: 'plan.json' })).code).toBe(0);
    expect((await project.apply('plan.json', { quiet: true })).code).toBe(0);
    expect(tasks()).toContain('desk/alpha running 0.5');
    project.task('beta');
    project.task('gamma');
    expect((await project.plan({ out: 'next.json' })).code).toBe(0);
    named('name: core');
    await project.apply(undefined, { ...YES, target: ['sniper/gamma'] });
    named('name: desk, previous_name: core');
    const { code, diagnostics } = await project.apply('next.json', { quiet: true });
    expect([code, diagnostics.map(({ code: of }) => of)]).toEqual([4, ['digest-differs']]);
    expect(tasks().filter((task) => task.includes('/gamma'))).toHaveLength(1);
  });

  test('--base distinguishes the rename from earlier differences', async () => {
    const plan = await project.planned({ base: 'HEAD~1' });
    expect(plan.changes).toMatchObject([{ address: 'sniper/alpha', provenance: 'this-change' }]);
    expect(plan.base).toMatchObject({ settled: [] });
    expect(plan.diagnostics.map(({ code }) => code)).not.toContain('base-unreadable');
    await project.apply(undefined, YES);
    expect((await project.planned({ base: 'HEAD~1' })).base?.settled).toMatchObject([
      { address: 'sniper/alpha', actions: ['rename'] },
    ]);
  });

  test('drift: pending, because an earlier commit names the task so', async () => {
    const { stdout } = await project.run((io) => runDrift({ output: 'json' }, io));
    expect(JSON.parse(stdout).items).toMatchObject([
      { address: 'sniper/alpha', class: 'pending' },
      { address: null, class: 'foreign', fails: false },
    ]);
  });

  test('pause --all, status and resume know its tasks under both names', async () => {
    const operator = operate(project);
    const { stdout } = await operator.status([], { output: 'json' });
    expect(JSON.parse(stdout).tasks).toMatchObject([
      { address: 'sniper/alpha', owner: 'owned', project: 'core', state: 'differs' },
      { address: 'sniper/beta', owner: 'owned', project: 'core', state: 'left-alone' },
    ]);
    expect((await operator.pause([], { all: true })).code).toBe(0);
    expect(tasks()).toEqual(['core/alpha paused 0.5', 'core/beta paused 0.5']);
    expect(project.tasks().every(({ remark }) => remark.includes('@!'))).toBe(true);
    // Held under its new name, and started by its new name.
    expect((await project.apply(undefined, YES)).code).toBe(0);
    expect(tasks()).toEqual(['core/beta paused 0.5', 'desk/alpha paused 0.5']);
    expect((await operator.resume([], { ...YES, all: true })).code).toBe(0);
    expect(tasks()).toEqual(['core/beta running 0.5', 'desk/alpha running 0.5']);
  });

  test('export treats what is left under the former name as the project’s own', async () => {
    const run = await project.run((io) => runExport([], { out: 'manifests' }, io));
    expect(run.code).toBe(0);
    expect((await project.planned()).summary).toMatchObject({ rename: 2, foreign: 0, adopt: 0 });
    await project.apply(undefined, YES);
    expect(tasks()).toEqual(['desk/alpha running 0.5', 'desk/beta running 0.5']);
    const printed = await project.run((io) => runExport(['sniper/beta'], {}, io));
    expect(printed.stdout).not.toContain('id:');
  });

  test('rollback restores the manifests, but not the name', async () => {
    project.task('alpha', { amount: '0.75' });
    project.commit();
    await project.apply(undefined, YES);
    expect(tasks()).toContain('desk/alpha running 0.75');
    const back = await project.run((io) => runRollback('HEAD~2', YES, io));
    expect([back.code, tasks()]).toEqual([0, ['desk/alpha running 0.5', 'desk/beta running 0.5']]);
    named('name: desk');
    const refused = await project.run((io) => runRollback('HEAD~2', YES, io));
    expect(refused).toMatchObject({ code: 3, diagnostics: [{ code: 'plan-elsewhere' }] });
    expect(refused.diagnostics[0]?.hint).toContain('metadata.previous_name: core');
  });

  test('a runner of the commit before creates nothing beside the renamed tasks', async () => {
    project.task('alpha', { amount: '0.75' });
    await project.apply(undefined, YES);
    project.git('checkout', '-q', 'HEAD~1', '--', '.');
    const plan = await project.planned();
    expect(plan.changes).toMatchObject([
      {
        address: 'sniper/alpha',
        reason: 'uncertain',
        blocked: { text: expect.stringContaining('previous_name: desk') },
      },
    ]);
    expect(plan.operations).toEqual([]);
    expect(await project.applying(YES)).toMatchObject({ code: 1, sent: [] });
  });
});

describe('--take-over', () => {
  beforeEach(() => {
    named('name: desk');
    project.erase('manifests/beta.yaml');
  });
  const TAKE = { takeOver: ['core'] };

  test('without it nothing is sent; with it the task is taken over, and the rest of that project stays', async () => {
    expect((await project.planned()).changes).toMatchObject([{ action: 'none', reason: 'uncertain' }]);
    const plan = await project.planned(TAKE);
    expect(plan).toMatchObject({ summary: { take_over: 1, foreign: 1 }, changes: [{ action: 'take-over' }] });
    const { stdout } = await project.plan({ ...TAKE, verbose: true });
    expect(stdout).toContain('1 to change (taken over)');
    expect(stdout).toContain('It is taken over from another project. Remove its manifest there.');
    expect(await project.applying({ ...YES, ...TAKE })).toMatchObject({ code: 0, sent: ['PATCH'] });
    expect(tasks()).toEqual(['core/beta running 0.5', 'desk/alpha running 0.5']);
    expect((await project.planned()).operations).toEqual([]);
  });

  test.each([
    ['desk', 'is this project itself'],
    ['Core', 'is not a valid project name'],
    ['former', 'is the former name of this project'],
  ])('%s is an error before anything is written', async (name, message) => {
    named('name: desk, previous_name: former');
    const before = project.sandbox.log.length;
    const { code, diagnostics } = await project.plan({ takeOver: [name] });
    expect([code, diagnostics.map((one) => one.message)]).toEqual([3, [`--take-over ${name} ${message}`]]);
    expect(project.sandbox.log.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
