import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from 'vitest';
import { runApply } from '../../src/core/features/apply.ts';
import { runDrift } from '../../src/core/features/drift/drift.ts';
import { type PlanCommandOptions, runPlan } from '../../src/core/features/plan.ts';
import { runDoctor } from '../../src/kit/doctor/doctor.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openProject, type ProjectRun } from './project-run.ts';

const PENDING = { only: 'pending' } as const;

let project: ProjectRun;

beforeEach(async () => {
  project = await openProject({ tasks: ['aa', 'bb'] });
});

/** What a job has of the repository; what the clone left out cannot be had. */
function clone(...how: readonly string[]) {
  const cwd = temporaryFolder('clone');
  for (const name of ['allowFilter', 'allowAnySHA1InWant'])
    project.git('config', `uploadpack.${name}`, 'true');
  execFileSync('git', ['clone', '-q', ...how, `file://${project.path}`, cwd], { stdio: 'pipe' });
  const plan = (options: PlanCommandOptions = PENDING) => project.run((io) => runPlan(options, io), { cwd });
  const apply = () =>
    project.run((io) => runApply(undefined, { ...PENDING, autoApprove: true }, io), { cwd });
  const drift = () => project.run((io) => runDrift({ output: 'json' }, io), { cwd });
  const doctor = async () => {
    const { stdout } = await project.run((io) => runDoctor({ output: 'json' }, io), { cwd });
    const { checks } = JSON.parse(stdout) as { checks: readonly { name: string; status: string }[] };
    return checks.find(({ name }) => name === 'history');
  };
  return { cwd, plan, apply, drift, doctor };
}

async function refuses(run: Promise<Awaited<ReturnType<ProjectRun['plan']>>>, message: RegExp, hint: RegExp) {
  project.sandbox.clearLog();
  const { code, diagnostics } = await run;
  expect(diagnostics).toMatchObject([
    { code: 'only-refused', message: expect.stringMatching(message), hint: expect.stringMatching(hint) },
  ]);
  expect([code, project.written()]).toEqual([4, []]);
}

describe.each([
  ['--filter=blob:none', 1],
  ['--filter=blob:limit=1', 1],
  ['--filter=tree:0', 0],
] as const)('a clone with %s', (filter, read) => {
  beforeEach(() => {
    project.task('aa', { amount: '0.1' });
    project.write(
      'manifests/bb.yaml',
      project.read('manifests/bb.yaml').replace('state: active', 'state: paused'),
    );
    project.commit('stop bb');
  });

  it('leaves nothing without a word, and names the remedy, with which everything is applied', async () => {
    const { cwd, plan, apply, drift, doctor } = clone(filter);
    const message =
      read === 0
        ? /git cannot list the earlier commits/
        : /last to sniper\/aa, sniper\/bb is unknown: an earlier commit cannot be read.*: manifests\/aa\.yaml:1: /;
    await refuses(plan(), message, /git fetch --refetch --no-filter/);
    await refuses(apply(), message, /git fetch --refetch --no-filter/);
    const plain = (await plan({})).stdout.replace(/\s+/g, ' ');
    expect(plain).toMatch(/Values from the environment differ.* Here, .*--refetch --no-filter/);
    const drifted = await drift();
    expect([drifted.code, drifted.stdout]).toEqual([2, expect.stringContaining('--refetch --no-filter')]);
    expect(await doctor()).toMatchObject({ status: 'warn', remedy: expect.stringContaining('--no-filter') });
    execFileSync('git', ['fetch', '-q', '--refetch', '--no-filter'], { cwd, stdio: 'pipe' });
    expect(await doctor()).toBeUndefined();
    expect((await apply()).code).toBe(0);
    expect([project.live('aa').config.buy_amount, project.live('bb').is_active]).toEqual(['0.1', false]);
  });

  it('says so of a base', async () => {
    await refuses(
      clone(filter).plan({ ...PENDING, base: 'HEAD~1' }),
      /HEAD~1/,
      /git fetch --refetch --no-filter/,
    );
  });
});

it('a template whose former value was left out is nobody’s edit', async () => {
  const template = (amount: string) =>
    project.write(
      'manifests/base.yaml',
      project
        .read('manifests/aa.yaml')
        .replace('SniperTask', 'SniperTemplate')
        .replace(/name: aa/, 'name: base')
        .replace(/^ {2}(?:state|target_wallet|remark):.*\n/gm, '')
        .replace(/buy_amount: .*/, `buy_amount: "${amount}"`),
    );
  template('0.3');
  project.commit();
  await project.applied();
  template('0.2');
  project.commit();
  await refuses(
    clone('--filter=blob:none').plan(),
    /last to sniper-template\/base is unknown/,
    /--no-filter/,
  );
});

it('one task that a commit lacks here does not hide the others of that commit', async () => {
  project.write('former.txt', project.read('manifests/aa.yaml'));
  project.task('aa', { amount: '0.1' });
  project.task('bb', { amount: '0.2' });
  project.commit();
  const { plan, apply } = clone('--filter=blob:none');
  await refuses(plan(), /last to sniper\/bb is unknown/, /--no-filter/);
  const planned = await plan({ ...PENDING, target: ['sniper/aa'], output: 'json' });
  expect([planned.code, JSON.parse(planned.stdout).summary.update]).toEqual([0, 1]);
  await refuses(apply(), /last to sniper\/bb is unknown/, /--no-filter/);
});

it('a commit that does not compile here names its file, and what was applied from it is not nothing to do', async () => {
  project.write(
    'tradeform.yaml',
    project
      .read('tradeform.yaml')
      .replace(/spec: \{ (.*) \}/, 'spec: { environments: { production: { $1 } } }'),
  );
  project.task('aa', { amount: '0.1' });
  project.commit();
  const { plan } = clone();
  await refuses(
    plan({ ...PENDING, environment: 'production' }),
    /last to sniper\/aa is unknown: an earlier commit cannot be read .*tradeform\.yaml:\d+: .*production/,
    /.+/,
  );
});

it('a commit with a variable that is not set here is read, and so are its tasks', async () => {
  project.task('aa', { amount: '${env.AMOUNT}' });
  project.task('bb', { amount: '0.7' });
  project.commit();
  const env = { ...project.env, AMOUNT: '0.9' };
  expect(await project.run((io) => runApply(undefined, { autoApprove: true }, io), { env })).toMatchObject({
    code: 0,
  });
  project.task('aa', { amount: '0.1' });
  project.task('bb', { amount: '0.2' });
  project.commit();
  expect(await clone().apply()).toMatchObject({ code: 0 });
  // Nobody can tell who changed a value of the environment.
  expect([project.live('aa').config.buy_amount, project.live('bb').config.buy_amount]).toEqual([
    '0.9',
    '0.2',
  ]);
});
