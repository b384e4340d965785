import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { driftKind } from '../../src/core/documents/drift.ts';
import type { ApplyOptions } from '../../src/core/features/apply.ts';
import { runDrift } from '../../src/core/features/drift/drift.ts';
import { runRollback } from '../../src/core/features/rollback.ts';
import type { DriftReport } from '../../src/core/model/generated/drift.ts';
import { PROJECT } from '../manifest/samples.ts';
import { openProject, type ProjectRun } from './project-run.ts';

let project: ProjectRun;

beforeEach(async () => {
  project = await openProject({ tasks: ['alpha'] });
  project.task('alpha', { amount: '0.75' });
  project.commit();
  await project.applied();
});

const amount = () => project.live('alpha').config.buy_amount;

function rollback(revision: string, options: ApplyOptions = {}) {
  return project.run((io) => runRollback(revision, { autoApprove: true, ...options }, io));
}

describe('rollback', () => {
  it('applies the manifests of a revision, and says that git still wants the others', async () => {
    expect(amount()).toBe('0.75');
    const { code, stdout } = await rollback('HEAD~1', { output: 'json' });
    expect([code, amount()]).toEqual([0, '0.5']);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'done',
      changes: [{ address: 'sniper/alpha' }],
      diagnostics: [
        {
          code: 'rollback-not-in-git',
          hint: 'To keep it: `git revert --no-edit -m 1 --first-parent HEAD~1..HEAD`, then `git push`.',
        },
      ],
    });
    // The working tree is as it was, and a second rollback has nothing to do.
    expect(project.git('status', '--porcelain')).toBe('');
    expect(JSON.parse((await rollback('HEAD~1', { output: 'json' })).stdout)).toMatchObject({ changes: [] });
    expect((await project.plan({ detailedExitcode: true, quiet: true })).code).toBe(2);
  });

  it('what takes it back says so in plan and drift, until git keeps it', async () => {
    await rollback('HEAD~1');
    // A commit that changes another part of the project.
    project.task('bravo', { amount: '0.1' });
    project.commit();
    const back = project.git('rev-parse', '--short=7', 'HEAD~2').trim();
    for (const only of [undefined, 'pending'] as const) {
      const { stdout } = await project.plan({ only, output: 'json' });
      const said = JSON.parse(stdout).diagnostics.filter(
        ({ code }: { code: string }) => code === 'undoes-rollback',
      );
      expect(said).toMatchObject([
        { address: 'sniper/alpha', hint: expect.stringContaining(`--first-parent ${back}..HEAD`) },
      ]);
    }
    const shown = (await project.plan({})).stdout;
    expect(shown.replace(/\s+/g, ' ')).toContain(`--first-parent ${back}..HEAD`);
    expect(shown).toMatch(/sniper\/alpha[^\n]*(?:\n +[^\n]*)*! takes a rollback back/);
    const drift = await project.run((io) => runDrift({ output: 'text' }, io));
    expect(drift.stdout.replace(/\s+/g, ' ')).toContain(
      `An apply takes the rollback back. To keep it: \`git revert --no-edit -m 1 --first-parent ${back}..HEAD\`, then \`git push\`.`,
    );
    const keep = `\`git revert --no-edit -m 1 --first-parent ${back}..HEAD\`, then \`git push\``;
    expect(drift.stdout.replace(/\s+/g, ' ')).toContain(`Keep the rollback: ${keep}.`);
    expect(drift.stdout).not.toContain('Carry out');
    const report = await project.run((io) => runDrift({ output: 'json' }, io));
    const noticed = await driftKind.notice?.(JSON.parse(report.stdout) as DriftReport);
    const ofAlpha = { text: expect.stringContaining('sniper/alpha'), way: `Keep the rollback: ${keep}.` };
    expect(noticed?.drift).toContainEqual(expect.objectContaining(ofAlpha));
    project.git('revert', '--no-edit', '-m', '1', '--first-parent', `${back}..HEAD~1`);
    expect((await project.plan({})).stdout).not.toContain('rollback');
  });

  it('to the current state does not mention a revert; to HEAD with local edits, it says that the edit stays', async () => {
    expect((await rollback('HEAD')).stdout).not.toContain('The manifests here are unchanged');
    project.task('alpha', { amount: '0.25' });
    const { code, stdout } = await rollback('HEAD');
    expect([code, amount()]).toEqual([0, '0.75']);
    expect(stdout.replace(/\s+/g, ' ')).toContain('To keep it: revert the uncommitted changes.');
    project.task('alpha');
    expect((await rollback('HEAD~1')).stdout).not.toContain('The manifests here are unchanged');
  });

  it('says before the plan that not everything comes back, where the id of a deleted task blocks', async () => {
    const { id } = project.live('alpha');
    project.task('bravo');
    project.write(
      'manifests/alpha.yaml',
      readFileSync(`${project.path}/manifests/alpha.yaml`, 'utf8').replace(
        'metadata:',
        `metadata:\n  id: ${id}`,
      ),
    );
    project.commit();
    await project.applied();
    project.erase('manifests/alpha.yaml');
    project.commit();
    expect((await project.apply(undefined, { autoApprove: true })).code).toBe(0);
    const { code, stderr } = await rollback('HEAD~1');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^This rollback does not bring everything back: 1 blocked\.\n/),
    ]);
  });

  it('works if the current manifests are broken', async () => {
    project.write('manifests/alpha.yaml', 'kind: [');
    expect([(await rollback('HEAD~1')).code, amount()]).toEqual([0, '0.5']);
  });

  it('keeps the current account pin and guardrails', async () => {
    project.write('tradeform.yaml', `${PROJECT}spec: { account: { token_prefix: svc_live_ffffffff } }\n`);
    expect(await rollback('HEAD~1')).toMatchObject({ code: 4, diagnostics: [{ code: 'account-mismatch' }] });
    project.settings('guardrails: { max_changes: 0 }');
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
