import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PlanCommandOptions } from '../../src/core/features/plan.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { PROJECT } from '../manifest/samples.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { gitIn } from '../support/repository.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const PIN = 'account: { token_prefix: svc_live_5a4d0b0c }';
const ENV = { AMOUNT: '4.6543219', NOTE: 'Quiet harbour' };
let project: ProjectRun;

/** Three running tasks, applied from main; the working tree is on a branch of it. */
beforeEach(async () => {
  project = await openProject({ env: ENV, tasks: ['alpha', 'beta', 'gamma'] });
  project.git('checkout', '-q', '-b', 'branch');
});

async function against(base: string, options: PlanCommandOptions = {}) {
  const result = await project.plan({ base, output: 'json', detailedExitcode: true, ...options });
  const plan = (result.stdout === '' ? undefined : JSON.parse(result.stdout)) as Plan;
  return { ...result, plan };
}

/** `sniper/alpha both: config.buy_amount this-change, …`. */
function marks(plan: Plan): readonly string[] {
  return plan.changes.map(({ address, provenance, fields }) =>
    [`${address} ${provenance}`, ...fields.map((field) => `${field.path} ${field.provenance}`)].join(', '),
  );
}

test('a change of the branch, drift beside it and drift on the same task are distinguished', async () => {
  project.task('alpha', { amount: '0.75' });
  project.edit('alpha', { merge: { buy_once: true } });
  project.edit('beta', { merge: { buy_amount: '9' } });
  const before = project.sandbox.log.length;
  const { code, plan, stderr } = await against('main');
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
  expect(marks(plan)).toEqual([
    'sniper/alpha both, config.buy_amount this-change, config.buy_once before',
    'sniper/beta before, config.buy_amount before',
  ]);
  const commitOfMain = project.git('rev-parse', 'main');
  expect(plan.base).toMatchObject({ revision: 'main', commit: commitOfMain, settled: [] });
  // The live state is read once for both, and only read.
  const requests = project.sandbox.log.slice(before);
  expect(requests.every(({ method }) => method === 'GET')).toBe(true);
  const alone = await project.plan({ output: 'json' });
  expect(project.sandbox.log.length - before).toBe(2 * requests.length);
  // What would be done is the same, and so is the digest.
  expect(JSON.parse(alone.stdout)).toMatchObject({ digest: plan.digest });
  expect(plan.base?.digest).not.toBe(plan.digest);
});

test('drift alone fails no check with --base; without it drift does', async () => {
  project.edit('beta', { merge: { buy_amount: '9' } });
  const { code, plan } = await against('main');
  expect(code).toBe(0);
  expect(plan.base?.digest).toBe(plan.digest);
  expect(await project.plan({ detailedExitcode: true })).toMatchObject({ code: 2 });
});

test('the text shows first this change, then what was there before, then what is settled', async () => {
  // beta stands after alpha in the plan, and is of this change. Of gamma only the marker is written.
  project.edit('alpha', { merge: { buy_amount: '9' } });
  project.task('beta', { amount: '0.75' });
  project.edit('beta', { merge: { buy_once: true } });
  project.edit('gamma', { merge: { buy_amount: '2' } });
  project.task('gamma', { amount: '2' });
  const { stdout } = await project.plan({ base: 'main', verbose: true });
  const comment = (await project.plan({ base: 'main', output: 'markdown' })).stdout;
  expect(comment).toMatch(/\n## \+0\.25 SOL at stake: 2 changes — [\s\S]* ×1\.5, pending before: `buy_once`/);
  expect(comment).toContain(
    '11.5066 → 3.2566 SOL at stake (-72%: +0.25 by this change, -8.5 pending before)',
  );
  const [header = '', body = ''] = stdout.split(/\n(?=This change \(2\)\n)/);
  expect(header).toContain('\n  3 to change · 0 to start · ');
  expect(body).toContain(`against main (${project.git('rev-parse', 'main').slice(0, 7)})`);
  expect(body.replace(/ +manifests\S+|at stake.*/g, '')).toMatch(
    /^This change \(2\)\n~ sniper\/beta .*\n[\s\S]*This change:\n {4}~ config\.buy_amount: 0\.5 → 0\.75\n {4}Already pending or drifted:\n {4}~ config\.buy_once: true → false .*\n[\s\S]*\n~ sniper\/gamma .*\n[\s\S]*requests: patch\n\n\nAlready pending or drifted \(1\)\n~ sniper\/alpha .*\n[\s\S]*\n\nSettled by this change \(1\)\n {2}= sniper\/gamma: config\.buy_amount stays as it is on the service\n/,
  );
});

test('a held task is no difference, and neither is one that was blocked before', async () => {
  project.edit('beta', { is_active: false });
  const task = project.live('alpha');
  // Somebody cloned alpha: two of one name.
  project.edit('gamma', { remark: task?.remark ?? '' });
  project.erase('manifests/gamma.yaml');
  project.commit();
  const { code, plan, stdout } = await against('HEAD');
  expect(plan.summary).toMatchObject({ held: 1, blocked: 1 });
  expect(code, stdout).toBe(0);
  expect(await project.plan({ detailedExitcode: true })).toMatchObject({ code: 2 });
  const text = await project.plan({ base: 'HEAD' });
  expect(text.stdout).toBe('core\n  This change does nothing.\n');
});

test('what the options exclude is left out of both plans', async () => {
  project.edit('alpha', { merge: { buy_amount: '9' } });
  project.edit('beta', { is_active: false });
  project.edit('gamma', { merge: { buy_amount: '9' } });
  const some = await against('main', { exclude: ['sniper/alpha'] });
  expect(marks(some.plan)).toEqual(['sniper/beta before', 'sniper/gamma before, config.buy_amount before']);
  expect(some.plan.base?.settled).toEqual([]);
  const one = await against('main', { target: ['sniper/beta'], resumeStopped: true });
  expect(marks(one.plan)).toEqual(['sniper/beta before, state before']);
  expect(one.plan.base?.settled).toEqual([]);
});

describe('the merge base', () => {
  test('main... leaves out what main got since', async () => {
    project.task('alpha', { amount: '0.75' });
    project.commit();
    project.git('checkout', '-q', 'main');
    project.task('beta', { amount: '0.6' });
    project.commit();
    project.git('checkout', '-q', 'branch');
    const start = project.git('merge-base', 'main', 'HEAD');
    const branched = await against('main...');
    expect(marks(branched.plan)).toEqual(['sniper/alpha this-change, config.buy_amount this-change']);
    expect(branched.plan.base).toMatchObject({ revision: 'main...', commit: start, settled: [] });
    // Of main itself: what it got since would be taken back.
    expect((await against('main')).plan.base?.settled).toEqual([
      { address: 'sniper/beta', actions: ['update'] },
    ]);
  });
});

describe('a base that cannot be planned', () => {
  async function unreadable(base: string, reason: RegExp): Promise<void> {
    project.task('alpha', { amount: '0.75' });
    project.edit('beta', { merge: { buy_amount: '9' } });
    const { code, plan, stdout } = await against(base);
    expect(code, stdout).toBe(2);
    expect(plan.base).toMatchObject({ revision: base, digest: null, settled: [] });
    expect(marks(plan)).toEqual([
      'sniper/alpha this-change, config.buy_amount this-change',
      'sniper/beta this-change, config.buy_amount this-change',
    ]);
    const found = plan.diagnostics.filter((item) => item.code === 'base-unreadable');
    expect(found).toMatchObject([{ severity: 'warning', message: expect.stringMatching(reason) }]);
    const { stdout: text } = await project.plan({ base });
    expect(text.replace(/\s+/g, ' ')).toContain(
      'cannot be planned: all changes are shown as part of this change.',
    );
    expect(text).toContain('warning[base-unreadable]');
  }

  test('does not compile', async () => {
    project.task('alpha', { amount: 'much' });
    project.task('beta', { amount: 'more' });
    project.commit();
    project.task('beta');
    await unreadable('HEAD', /branch|HEAD:manifests\/alpha\.yaml:\d+: .*\(and 1 more\)/s);
  });

  test('is older than the project', async () => {
    project.git('checkout', '-q', '--orphan', 'first');
    project.git('rm', '-rqf', '--cached', '.');
    project.write('README.md', 'nothing yet');
    project.git('add', 'README.md');
    project.git('commit', '-qm', 'first');
    await unreadable('first', /tradeform\.yaml does not exist at first/);
  });

  test('lacks the environment', async () => {
    const environments = `environments: { production: { ${PIN} } }`;
    project.write('tradeform.yaml', `${PROJECT}spec: { ${environments} }\n`);
    await unreadable('main', /production/);
  });

  test('has another project', async () => {
    project.settings('', 'name: other');
    project.commit();
    project.settings();
    await unreadable('HEAD', /project other/);
  });

  test('pins another account', async () => {
    project.write('tradeform.yaml', `${PROJECT}spec: { account: { login_username: minnows } }\n`);
    project.commit();
    project.settings();
    await unreadable('HEAD', /minnows/);
  });
});

describe('an unusable base ends with 3, and nothing is written', () => {
  async function refused(base: string, code: string, message: RegExp, run = project): Promise<void> {
    const before = run.sandbox.log.length;
    expect(await run.plan({ base, output: 'json' })).toMatchObject({
      code: 3,
      stdout: '',
      diagnostics: [{ code, message: expect.stringMatching(message) }],
    });
    expect(run.sandbox.log.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
  }

  test('an unknown revision', async () => {
    await refused('nope', 'revision-unknown', /no commit nope/);
    await refused('nope...', 'revision-unknown', /no commit nope in/);
    await refused('...', 'invalid-option', /not a git revision/);
    await refused('--all', 'invalid-option', /not a git revision/);
  });

  test('two histories', async () => {
    project.git('checkout', '-q', '--orphan', 'first');
    project.task('alpha', { amount: '0.75' });
    project.commit();
    await refused('main...', 'revision-unknown', /main and HEAD have no commit in common$/);
  });

  test('no repository', async () => {
    rmSync(join(project.path, '.git'), { recursive: true });
    await refused('main', 'no-repository', /git repository/);
  });

  test('a shallow clone without it', async () => {
    const first = project.git('rev-parse', 'HEAD');
    project.task('alpha', { amount: '0.75' });
    project.commit();
    project.git('checkout', '-q', 'main');
    project.commit();
    project.git('checkout', '-q', 'branch');
    const folder = temporaryFolder('shallow');
    gitIn(folder)('clone', '-q', '--depth', '1', '--no-single-branch', `file://${project.path}`, '.');
    const clone = await openProject({ folder, env: ENV });
    await refused(first, 'revision-unknown', /shallow/, clone);
    // The branch is there, its beginning is not.
    await refused('origin/main...', 'revision-unknown', /in common in this clone: it is shallow/, clone);
    expect(await clone.plan({ base: 'origin/main' })).toMatchObject({ code: 0 });
  });
});

describe('guardrails', () => {
  const guarded = (limits: string) => project.settings(`guardrails: { ${limits} }`);

  test('a refusal that the base has word for word fails no check, and nothing is saved', async () => {
    guarded('max_deletes: 0');
    project.erase('manifests/gamma.yaml');
    project.commit();
    project.task('alpha', { amount: '0.75' });
    const { code, plan, stderr } = await against('HEAD');
    expect(code).toBe(2);
    expect(plan.diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'guardrail-max-deletes', provenance: 'before' },
    ]);
    expect(stderr.replace(/\s+/g, ' ')).toContain('The base has the same problem, and is refused, too.');
    project.task('alpha');
    expect(await against('HEAD')).toMatchObject({ code: 0 });
    expect(await against('HEAD', { out: 'saved.json' })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('saved.json is not written'),
    });
    expect(readdirSync(project.path)).not.toContain('saved.json');
    expect(await project.plan()).toMatchObject({ code: 4 });
  });
});
