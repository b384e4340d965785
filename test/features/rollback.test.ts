import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApplyOptions } from '../../src/features/apply.ts';
import { runRollback } from '../../src/features/rollback.ts';
import { PROJECT, sniper, WALLETS } from '../manifest/samples.ts';
import { commitAll, gitIn, initRepository } from '../support/repository.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const PIN = 'spec: { account: { token_prefix: svc_live_5a4d0b0c } }\n';

let project: ProjectRun;
let git: ReturnType<typeof gitIn>;

beforeEach(async () => {
  project = await openProject();
  git = gitIn(project.path);
  initRepository(project.path);
  for (const name of readdirSync(join(project.path, 'manifests')))
    rmSync(join(project.path, 'manifests', name));
  project.write('tradeform.yaml', PROJECT + PIN);
  project.write('manifests/tasks.yaml', sniper({ name: 'alpha', wallet: WALLETS[0], amount: '0.5' }));
  commit();
  expect(await project.apply(undefined, { autoApprove: true, quiet: true })).toMatchObject({ code: 0 });
  project.write('manifests/tasks.yaml', sniper({ name: 'alpha', wallet: WALLETS[0], amount: '0.75' }));
  commit();
  expect(await project.apply(undefined, { autoApprove: true, quiet: true })).toMatchObject({ code: 0 });
});
afterEach(() => project.remove());

function commit(): void {
  commitAll(git);
}

function amount(): unknown {
  const task = [...project.sandbox.state.tasks.values()].find(({ remark }) => remark.includes('/alpha@'));
  return task?.config.buy_amount;
}

function rollback(revision: string, options: ApplyOptions = {}) {
  return project.run((io) => runRollback(revision, { autoApprove: true, ...options }, io));
}

describe('rollback', () => {
  it('applies the manifests of a revision, and says that git still wants the others', async () => {
    expect(amount()).toBe('0.75');
    const { code, stdout, stderr } = await rollback('HEAD~1', { output: 'json' });
    expect([code, amount()]).toEqual([0, '0.5']);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'done', changes: [{ address: 'sniper/alpha' }] });
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'revert the commits since HEAD~1, or the next apply undoes the rollback',
    );
    // The working tree is as it was, and a second rollback has nothing to do.
    expect(git('status', '--porcelain')).toBe('');
    expect(JSON.parse((await rollback('HEAD~1', { output: 'json' })).stdout)).toMatchObject({ changes: [] });
    expect((await project.plan({ detailedExitcode: true, quiet: true })).code).toBe(2);
  });

  it('to the current state does not mention a revert; to HEAD with local edits, it says that the edit stays', async () => {
    expect((await rollback('HEAD')).stderr).not.toContain('The manifests here are unchanged');
    project.write('manifests/tasks.yaml', sniper({ name: 'alpha', wallet: WALLETS[0], amount: '0.25' }));
    const { code, stderr } = await rollback('HEAD');
    expect([code, amount()]).toEqual([0, '0.75']);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'revert the uncommitted changes, or the next apply undoes the rollback',
    );
    project.write('manifests/tasks.yaml', sniper({ name: 'alpha', wallet: WALLETS[0], amount: '0.5' }));
    expect((await rollback('HEAD~1')).stderr).not.toContain('The manifests here are unchanged');
  });

  it('works if the current manifests are broken', async () => {
    project.write('manifests/tasks.yaml', 'kind: [');
    expect([(await rollback('HEAD~1')).code, amount()]).toEqual([0, '0.5']);
  });

  it('keeps the current account pin and guardrails', async () => {
    project.write('tradeform.yaml', `${PROJECT}spec: { account: { token_prefix: svc_live_ffffffff } }\n`);
    expect(await rollback('HEAD~1')).toMatchObject({ code: 4, diagnostics: [{ code: 'account-mismatch' }] });
    project.write('tradeform.yaml', `${PROJECT}${PIN.replace('} }', '}, guardrails: { max_changes: 0 } }')}`);
    const { code, diagnostics } = await rollback('HEAD~1');
    expect([code, diagnostics.map((one) => one.code)]).toEqual([4, ['guardrail-max-changes']]);
    expect(amount()).toBe('0.75');
  });

  it.each([
    ['a revision that is none', 'nowhere', 'revision-unknown'],
    ['an option in its place', '--hard', 'invalid-option'],
  ])('refuses %s', async (_case, revision, name) => {
    const { code, diagnostics } = await rollback(revision);
    expect([code, diagnostics.map((one) => one.code)]).toEqual([3, [name]]);
  });

  it('asks like apply, and suggests no saved plan: `plan --out` would save one of the current manifests', async () => {
    const { code, diagnostics } = await rollback('HEAD~1', { autoApprove: false });
    expect([code, amount()]).toEqual([4, '0.75']);
    expect(diagnostics).toMatchObject([{ code: 'not-approved', hint: 'Use --auto-approve.' }]);
  });
});
