import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/core/diagnostics/diagnostic.ts';
import { runApply } from '../../src/core/features/apply.ts';
import { bySignal } from '../../src/core/ports/stop.ts';
import { openProject, type ProjectRun } from '../features/project-run.ts';
import { label } from '../manifest/samples.ts';
import { startTradeform, tradeform } from './run.ts';

/** What a script that reads documents and exit codes relies on. */

let project: ProjectRun;
beforeEach(async () => {
  project = await openProject({ tasks: ['alpha'] });
});

const envOf = (more: Record<string, string> = {}) => ({
  TRADEFORM_BASE_URL: project.baseUrl,
  TRADEFORM_TOKEN: project.sandbox.tokens()[0]?.token ?? '',
  ...more,
});
const run = (args: readonly string[], more?: Record<string, string>) =>
  tradeform(args, { cwd: project.path, env: envOf(more) });
const errorsIn = (stdout: string) =>
  (JSON.parse(stdout) as { diagnostics: readonly Diagnostic[] }).diagnostics.map(({ code, error }) => [
    code,
    error,
  ]);

it('a refused token and a failure of the service differ by the code that the service gave', async () => {
  const refused = await run(['plan', '-o', 'json'], { TRADEFORM_TOKEN: 'svc_live_0ca9a21e.not-a-token' });
  expect(refused.code).toBe(1);
  expect(errorsIn(refused.stdout)).toEqual([['service-error', { code: 'invalid_api_token', status: 401 }]]);
  project.sandbox.faults.add({ path: '/me', times: 0, fault: { type: 'error', code: 'insufficient_scope' } });
  const scope = await run(['plan', '-o', 'json']);
  expect(errorsIn(scope.stdout)).toEqual([['service-error', { code: 'insufficient_scope', status: 403 }]]);
});

const slow = (ms: number) =>
  project.sandbox.faults.add({ method: 'GET', path: 'configs', times: 0, fault: { type: 'delay', ms } });

it('a run that ends at its deadline says so by a code', async () => {
  slow(3_000);
  const late = await run(['plan', '--deadline', '1s', '-o', 'json']);
  expect(late.code).toBe(130);
  expect(errorsIn(late.stdout)).toEqual([['interrupted', { code: 'deadline', status: null }]]);
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('a run that %s ends says so by a code', async (name) => {
  slow(3_000);
  project.sandbox.clearLog();
  const words = ['apply', '--auto-approve', '-o', 'json'];
  const started = startTradeform(words, { cwd: project.path, env: envOf() });
  await expect.poll(() => project.sandbox.log.length, { timeout: 20_000, interval: 10 }).toBeGreaterThan(0);
  started.signal(name);
  const { code, stdout } = await started.ended;
  expect(code).toBe(130);
  expect(errorsIn(stdout)).toEqual([['interrupted', { code: name, status: null }]]);
});

it('the report of an apply that was stopped before its first request says by what', async () => {
  project.write('manifests/slow.yaml', label('slow'));
  project.task('alpha', { spec: '  label: slow\n' });
  project.commit();
  const soft = new AbortController();
  // The plan is shown, and nothing is begun.
  const stderr = (text: string) =>
    text.includes('label/slow') ? soft.abort(bySignal('SIGTERM')) : undefined;
  const stop = { soft: soft.signal, hard: new AbortController().signal };
  const options = { autoApprove: true, output: 'json' };
  project.sandbox.clearLog();
  const { code, stdout } = await project.run((io) => runApply(undefined, options, io), { stop, stderr });
  expect([code, JSON.parse(stdout).outcome, project.written()]).toEqual([130, 'interrupted', []]);
  expect(errorsIn(stdout)).toEqual([['interrupted', { code: 'SIGTERM', status: null }]]);
});

it.each(['--report=json=none/report.json', '--metrics=none/apply.prom'])(
  '%s in a missing folder is refused before anything is sent',
  async (option) => {
    project.sandbox.clearLog();
    const { code, stderr } = await run(['apply', '--auto-approve', option]);
    expect([code, project.sandbox.log]).toEqual([3, []]);
    expect(stderr.replace(/\s+/g, ' ')).toContain('is not writable: there is no such file or folder');
    mkdirSync(join(project.path, 'none'));
    expect((await run(['apply', '--auto-approve', option])).code).toBe(0);
  },
);

it('a journal where no folder can be made ends the run, which sends nothing', async () => {
  project.task('alpha', { amount: '0.75' });
  project.sandbox.clearLog();
  const { code, stderr } = await run([
    ...['apply', '--auto-approve', '--require-journal', '--journal', '/proc/nope/deep'],
  ]);
  expect([code, project.written()]).toEqual([4, []]);
  expect(stderr).toContain('the journal in /proc/nope/deep could not be written');
});

it('a heartbeat at the root of a host that refuses connections says so', async () => {
  const { code, stderr } = await run(['plan', '--heartbeat', 'http://127.0.0.1:9/']);
  expect(code).toBe(0);
  expect(stderr.replace(/\s+/g, ' ')).toContain('did not reach 127.0.0.1:9: the connection was refused');
});

it('an approved plan can come through a pipe', async () => {
  project.task('alpha', { amount: '0.75' });
  project.commit();
  const { stdout } = await run(['plan', '-o', 'json']);
  const pipe = join(project.path, 'approved');
  execFileSync('mkfifo', [pipe]);
  const [{ code, stderr }] = await Promise.all([
    run(['apply', 'approved', '-q', '-o', 'json']),
    writeFile(pipe, stdout),
  ]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  expect(project.live('alpha').config).toMatchObject({ buy_amount: '0.75' });
});

it('with -q and a format for machines, an apply that nobody is asked about leaves stderr empty', async () => {
  project.task('alpha', { amount: '0.75' });
  project.commit();
  const { code, stderr } = await run(['apply', '--auto-approve', '-q', '-o', 'json']);
  expect([code, stderr]).toEqual([0, '']);
});

it('an interrupted start has the same name in text and JSON', async () => {
  const { version, remark } = project.live('alpha');
  project.edit('alpha', { is_active: false, remark: remark.replace(/@\d+/, `@${version + 1}`) });
  const { summary } = JSON.parse((await run(['plan', '-o', 'json'])).stdout);
  expect(summary).toMatchObject({ start: 0, finish: 1 });
  expect((await run(['plan'])).stdout).toContain('1 to start (interrupted before)');
});

it('a word too many for log show does not suggest another command', async () => {
  const { code, stderr } = await run(['log', 'show', 'latest', 'journal']);
  expect([code, stderr]).toEqual([3, expect.not.stringContaining('Did you mean')]);
});
