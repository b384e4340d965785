import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runApply } from '../../src/core/features/apply.ts';
import { runRollback } from '../../src/core/features/rollback.ts';
import { MAX_HALF, markerOf } from '../../src/core/model/marker.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const JOB = { autoApprove: true, only: 'pending' } as const;

let project: ProjectRun;

beforeEach(async () => {
  project = await openProject({ tasks: ['aa'] });
});

/** Sets the amount, and commits. */
function commit(amount: string): string {
  project.task('aa', { amount });
  return project.commit();
}

/** Commits without a change. */
function fill(count: number): void {
  const one = 'commit refs/heads/main\ncommitter t <t@t> 1767225600 +0000\ndata 0\n';
  const input = `${one}from ${project.git('rev-parse', 'main')}\n${one.repeat(count - 1)}`;
  execFileSync('git', ['-c', 'pack.compression=0', 'fast-import', '--quiet'], { cwd: project.path, input });
}

it('after 50,000 commits an old job does not raise what a newer commit took back', async () => {
  fill(50_000);
  project.git('commit-graph', 'write', '--reachable');
  const base = project.git('rev-parse', 'main');
  const raised = commit('5');
  commit('0.5');
  await project.applied({ ...JOB, base: raised });
  expect(markerOf(project.live('aa'))?.version?.number).toBe(50_003);
  project.git('checkout', '-q', raised);
  const { code, sent } = await project.applying({ ...JOB, base });
  expect([code, sent, project.live('aa').config.buy_amount]).toEqual([0, [], '0.5']);
});

describe('above the largest number of a marker', () => {
  /** A git that counts this many commits. */
  const gitThatCounts = (number: number) => {
    const bin = temporaryFolder('bin');
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    const count = `case "$*" in *"rev-list --count "*) echo ${number}; exit;; esac`;
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${count}\nexec ${real} "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    return { env: { ...project.env, PATH: `${bin}:${project.env.PATH}` } };
  };
  const job = (number: number, options = {}) =>
    project.run((io) => runApply(undefined, { autoApprove: true, ...options }, io), gitThatCounts(number));

  it.each([
    ['--only pending', (number: number) => job(number, JOB)],
    [
      'rollback',
      (number: number) =>
        project.run((io) => runRollback('HEAD~1', { autoApprove: true }, io), gitThatCounts(number)),
    ],
  ])('%s is refused, and says what to do', async (_title, run) => {
    commit('0.1');
    project.sandbox.clearLog();
    const { code, diagnostics } = await run(MAX_HALF + 1);
    expect([code, diagnostics, project.written()]).toMatchObject([
      4,
      [{ code: 'history-too-long', hint: expect.stringContaining('without `--only`') }],
      [],
    ]);
    expect((await run(MAX_HALF)).code).toBe(0);
  });

  it('an apply of everything writes no number', async () => {
    commit('0.1');
    expect((await job(MAX_HALF + 1)).code).toBe(0);
    expect(markerOf(project.live('aa'))?.version?.number).toBe(0);
  });
});
