import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runApply } from '../../src/core/features/apply.ts';
import { runRelease } from '../../src/core/features/switch/release.ts';
import { sniper, WALLETS } from '../manifest/samples.ts';
import type { Result } from './in-memory.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const GHOST = 'c10e0000-0000-4000-8000-000000000666';
const AUTO = { autoApprove: true } as const;
const SET = `apiVersion: tradeform/v1
kind: TaskSet
metadata: { name: many }
spec:
  for: sniper
  rows:
ROWS  task:
    spec:
      state: active
      target_wallet: ${WALLETS[2]}
${sniper().slice(sniper().indexOf('  config:')).replace(/^/gm, '    ').trimEnd()}
`;

let project: ProjectRun;

/** Two running tasks, committed and applied. */
beforeEach(async () => {
  project = await openProject({ tasks: ['alpha', 'beta'] });
});

const names = () => project.tasks().map(({ remark }) => remark.match(/\/(\w+)/)?.[1]);

/** A task of somebody's own that runs, with our marker in its remark. */
function haunt(name = 'ghost', owner = 'core'): void {
  const own = project.live('alpha');
  project.sandbox.apply([
    { type: 'task', record: { ...own, id: GHOST, remark: `Mine [git:${owner}/${name}@0]`, is_active: true } },
  ]);
}

const ghost = () => project.sandbox.state.tasks.get(GHOST);

/** A person at a terminal who says yes. */
function atTerminal() {
  return project.run((io) =>
    runApply(
      undefined,
      {},
      { ...io, stdinIsTTY: true, stderrIsTTY: true, ask: () => Promise.resolve('yes') },
    ),
  );
}

describe('a task with our marker that git never named', () => {
  beforeEach(() => haunt());

  it('is not touched by an apply that nobody approves: the rest is done, and the message says how to continue', async () => {
    const before = structuredClone(ghost());
    project.task('alpha', { amount: '0.4' });
    project.commit();
    const { code, stdout } = await project.apply(undefined, AUTO);
    expect(code, stdout).toBe(1);
    expect(ghost()).toEqual(before);
    expect(project.live('alpha').config.buy_amount).toBe('0.4');
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain('sniper/ghost: It carries the marker of this project');
    expect(text).toContain('It runs, with 0.5022 SOL at stake; it is left alone');
    expect(text).toContain('To keep it: `tradeform export --out . sniper/ghost`, then commit.');
    expect(text).toContain('Blocked (1)');
    expect(text).toContain('1 blocked');
  });

  it('does not trade beside a new task with its target and config: nobody said that both shall buy', async () => {
    project.task('renamed', { wallet: WALLETS[0] });
    project.commit();
    const before = structuredClone(ghost());
    const { code, diagnostics } = await project.apply(undefined, AUTO);
    expect([code, diagnostics.map((one) => one.code)]).toEqual([4, ['looks-like-rename']]);
    expect(diagnostics[0]?.message).toContain('It keeps trading, because nobody approves this plan');
    expect([ghost(), names().includes('renamed')]).toEqual([before, false]);
    expect((await atTerminal()).code).toBe(0);
    expect([ghost(), project.live('renamed').is_active]).toEqual([undefined, true]);
  });

  it('does not trade beside a new task either, if a task that git did name looks the same', async () => {
    project.erase('manifests/alpha.yaml');
    project.task('renamed', { wallet: WALLETS[0] });
    project.commit();
    const { code, diagnostics } = await project.apply(undefined, AUTO);
    expect([code, diagnostics.map((one) => one.code)]).toEqual([4, ['looks-like-rename']]);
    expect(diagnostics[0]?.message).toContain('sniper/ghost');
    expect([ghost()?.is_active, project.live('alpha').is_active, names().includes('renamed')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('holds up no apply that leaves the new task out', async () => {
    project.task('renamed', { wallet: WALLETS[0] });
    project.task('alpha', { amount: '0.4' });
    project.commit();
    const { code, diagnostics } = await project.apply(undefined, { ...AUTO, target: ['sniper/alpha'] });
    expect([code, diagnostics.map((one) => one.code)]).toEqual([0, []]);
    expect([project.live('alpha').config.buy_amount, names().includes('renamed')]).toEqual(['0.4', false]);
  });

  it('is not paused either, if prune pauses', async () => {
    project.settings('prune: { tasks: pause }');
    project.commit();
    expect(await project.apply(undefined, AUTO)).toMatchObject({ code: 1 });
    expect(ghost()?.is_active).toBe(true);
  });

  it('is reported by plan, which says what an apply without an approval would leave', async () => {
    const plan = await project.planned();
    expect(plan.changes.find(({ address }) => address === 'sniper/ghost')).toMatchObject({
      action: 'delete',
      blocked: null,
    });
    const [warning] = plan.diagnostics.filter(({ code }) => code === 'never-named');
    expect(warning).toMatchObject({ severity: 'warning', address: 'sniper/ghost' });
    expect(warning?.message).toContain(
      'this plan deletes it, and so does the merge of a reviewed plan. An apply with --auto-approve alone leaves it.',
    );
  });

  it('is deleted with an approval: on a terminal, by the digest, as a saved plan', async () => {
    const { digest } = await project.planned();
    expect(await project.apply(undefined, { ...AUTO, expect: [digest] })).toMatchObject({ code: 0 });
    expect(ghost()).toBeUndefined();
    haunt();
    await project.plan({ out: 'saved.plan' });
    expect(await project.apply('saved.plan', AUTO)).toMatchObject({ code: 0 });
    expect(ghost()).toBeUndefined();
    haunt();
    const { code, stdout } = await atTerminal();
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('warning[never-named]');
    expect(ghost()).toBeUndefined();
  });

  it('stays untouched after it is released', async () => {
    expect(await project.run((io) => runRelease({ ...AUTO, id: [GHOST] }, io))).toMatchObject({
      code: 0,
    });
    expect(await project.apply(undefined, AUTO)).toMatchObject({ code: 0 });
    expect(ghost()).toMatchObject({ remark: 'Mine', is_active: true });
  });

  it('is not deleted because git once named it for another kind, or for another project', async () => {
    haunt('beta2');
    project.task('beta2', { kind: 'TransferSnipeTask' });
    project.commit();
    project.erase('manifests/beta2.yaml');
    project.commit();
    expect(await project.apply(undefined, AUTO)).toMatchObject({ code: 1 });
    expect(ghost()).toBeDefined();
    project.settings('', 'name: other');
    project.task('beta2');
    project.commit();
    project.erase('manifests/beta2.yaml');
    project.settings();
    project.commit();
    expect(await project.apply(undefined, AUTO)).toMatchObject({ code: 1 });
    expect(ghost()).toBeDefined();
  });
});

describe('a task that git named', () => {
  it.each<[string, () => void]>([
    ['the commit before', () => undefined],
    [
      'on a branch that was merged',
      () => {
        project.git('checkout', '-q', '-b', 'side', 'HEAD~1');
        project.task('gamma');
        project.commit();
        project.git('checkout', '-q', 'main');
        project.git('merge', '-q', '--no-edit', 'side');
        project.erase('manifests/gamma.yaml');
        project.commit();
        haunt('gamma');
      },
    ],
  ])('%s is deleted without a question', async (_when, then) => {
    project.erase('manifests/beta.yaml');
    project.commit();
    then();
    const { code, stdout } = await project.apply(undefined, AUTO);
    expect(code, stdout).toBe(0);
    expect(stdout).not.toContain('never-named');
    expect(project.tasks().map(({ remark }) => remark)).toEqual([expect.stringContaining('/alpha@')]);
  });

  it('that only the working tree no longer names is deleted', async () => {
    project.erase('manifests/beta.yaml');
    expect(await project.apply(undefined, AUTO)).toMatchObject({ code: 0 });
    expect(names()).not.toContain('beta');
  });

  it('in a row of a TaskSet is deleted', async () => {
    const rows = (...names: readonly string[]) => names.map((name) => `    - { name: ${name} }\n`).join('');
    project.write('manifests/set.yaml', SET.replace('ROWS', rows('one', 'two')));
    project.commit();
    expect(await project.apply(undefined, AUTO)).toMatchObject({ code: 0 });
    expect(names().find((name) => name?.includes('two'))).toBeDefined();
    project.write('manifests/set.yaml', SET.replace('ROWS', rows('one')));
    project.commit();
    expect(await project.apply(undefined, AUTO)).toMatchObject({ code: 0 });
    expect(names().find((name) => name?.includes('two'))).toBeUndefined();
  });

  it('under the project’s former name is deleted', async () => {
    project.task('gamma');
    project.commit();
    project.erase('manifests/gamma.yaml');
    project.settings('', 'name: harbor, previous_name: core');
    project.commit();
    expect(await project.apply(undefined, AUTO)).toMatchObject({ code: 0 });
    haunt('gamma', 'harbor');
    expect(await project.apply(undefined, AUTO)).toMatchObject({ code: 0 });
    expect(ghost()).toBeUndefined();
  });
});

describe('if the history cannot be read to its end', () => {
  beforeEach(() => {
    project.erase('manifests/beta.yaml');
    project.commit();
  });

  /** The same project, as `actions/checkout` has it. */
  function makeShallow(): void {
    const clone = join(project.path, 'clone');
    execFileSync('git', ['clone', '-q', '--depth', '1', `file://${project.path}`, clone], { stdio: 'pipe' });
    rmSync(join(project.path, '.git'), { recursive: true });
    execFileSync('mv', [join(clone, '.git'), project.path]);
    rmSync(clone, { recursive: true });
  }

  it('in a shallow clone nothing is deleted without an approval, and the message says fetch-depth: 0', async () => {
    makeShallow();
    const { code, stdout } = await project.apply(undefined, AUTO);
    expect(code, stdout).toBe(1);
    expect(names()).toContain('beta');
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /commit names it, as far as the history can be read \(this clone is shallow\)\..*fetch-depth: 0/,
    );
  });

  it('in a shallow clone what was approved by its digest is deleted', async () => {
    const { digest } = await project.planned();
    makeShallow();
    expect(await project.apply(undefined, { ...AUTO, expect: [digest] })).toMatchObject({ code: 0 });
    expect(names()).not.toContain('beta');
  });

  it('without git nothing is deleted without an approval', async () => {
    rmSync(join(project.path, '.git'), { recursive: true });
    const { code, stdout } = await project.apply(undefined, AUTO);
    expect(code, stdout).toBe(1);
    expect(names()).toContain('beta');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('run `git log` in the project directory');
  });
});

describe('two repositories with one project name', () => {
  /** The tasks of this repository are those of another one, whose copy this is: with the history of that one, or without. */
  beforeEach(() => {
    project.erase('manifests/alpha.yaml');
    project.erase('manifests/beta.yaml');
    project.task('gamma');
    project.commit();
  });

  it.each<[string, () => Promise<Result>]>([
    ['plan', () => project.plan()],
    ['an apply that nobody approves', () => project.apply(undefined, { ...AUTO, firstApply: true })],
    ['an apply on a terminal', atTerminal],
    [
      'an apply by the digest',
      async () => project.apply(undefined, { ...AUTO, expect: [(await project.planned()).digest] }),
    ],
    [
      'an apply without the history',
      () => {
        rmSync(join(project.path, '.git'), { recursive: true });
        return project.apply(undefined, AUTO);
      },
    ],
    [
      'an apply that pauses what has no manifest',
      () => {
        project.settings('prune: { tasks: pause }');
        return project.apply(undefined, AUTO);
      },
    ],
  ])('%s is refused completely, and the message says how to continue', async (_how, run) => {
    const before = structuredClone(project.tasks());
    const { code, stdout, stderr, diagnostics } = await run();
    expect(code, stdout).toBe(4);
    expect(project.tasks()).toEqual(before);
    const told = diagnostics.map(({ code: of, message, hint }) => `${of}: ${message} ${hint}`);
    const text = [stderr, ...told]
      .join(' ')
      .replaceAll(/\s+/g, ' ')
      .replace('error[all-owned-gone]', 'all-owned-gone');
    expect(text).toContain(
      'all-owned-gone: 2 tasks carry the marker of project core, but none of them is in these manifests; another repository may use the name.',
    );
    for (const way of ['metadata.name', '--exclude ADDRESS', '--allow-empty', 'previous_name'])
      expect(text).toContain(way);
  });

  it("the project's own tasks are deleted after a confirmation, and an interrupted apply continues", async () => {
    project.sandbox.faults.add({
      method: 'DELETE',
      path: '.',
      skip: 1,
      times: 1,
      fault: { type: 'error', code: 'validation_error' },
    });
    project.sandbox.faults.add({
      method: 'POST',
      path: '/sniper/configs$',
      times: 1,
      fault: { type: 'error', code: 'validation_error' },
    });
    const meant = { ...AUTO, allowEmpty: true };
    expect(await project.apply(undefined, meant)).toMatchObject({ code: 1 });
    expect(names()).toHaveLength(1);
    expect(await project.apply(undefined, AUTO)).toMatchObject({ code: 4 });
    expect(await project.apply(undefined, meant)).toMatchObject({ code: 0 });
    expect(names()).toEqual(['gamma']);
    expect(await project.plan({ detailedExitcode: true })).toMatchObject({ code: 0 });
  });

  it('once a task of these manifests exists, the others are deleted according to git’s history', async () => {
    const excluded = { ...AUTO, exclude: ['sniper/alpha', 'sniper/beta'] };
    expect(await project.apply(undefined, excluded)).toMatchObject({ code: 0 });
    expect(names()).toEqual(['alpha', 'beta', 'gamma']);
    expect(await project.apply(undefined, AUTO)).toMatchObject({ code: 0 });
    expect(names()).toEqual(['gamma']);
  });
});
