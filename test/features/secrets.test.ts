import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { Io } from '../../src/core/command/io.ts';
import { runApply } from '../../src/core/features/apply.ts';
import { runDrift } from '../../src/core/features/drift/drift.ts';
import { runPlan } from '../../src/core/features/plan.ts';
import { runStatus } from '../../src/core/features/status/status.ts';
import { copyTrade, PROJECT, sniper, WALLETS } from '../manifest/samples.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { expectNoTrace } from '../support/traces.ts';
import { openProject, type ProjectRun } from './project-run.ts';

/** Values of the environment, none of which may be seen, nor a part of one. */
const ENV = {
  AMOUNT: '7.6543219',
  TIP: '0.00871937',
  TARGET: 'BRSpBrs5en3aQxiXznUyNwj8XejFfwV5ACUz77nycEqT',
  LINKED: '9n4nbM75f5Ui33ZbPYXn59EwSgE8CGsHtAeTH5YFeJ9E',
  NOTE: 'Quiet harbour',
};
/** Of sums too: the amounts and the tip have digits that no other value here has. */
const TRACES = [...Object.values(ENV), '65432', '871937', 'harbour'];

let project: ProjectRun;
beforeEach(async () => {
  project = await openProject({ env: ENV });
  project.write('tradeform.yaml', `${PROJECT}spec:\n  account: { token_prefix: svc_live_5a4d0b0c }\n`);
  write('0.0011');
});

function write(fee: string): void {
  project.write(
    'manifests/alpha.yaml',
    sniper({ amount: '${env.AMOUNT}', spec: '  remark: ${env.NOTE}\n' })
      .replace('tip_amount: 0.001', 'tip_amount: "${env.TIP}"')
      .replace('priority_fee: 0.0001', `priority_fee: ${fee}`),
  );
  project.write(
    'manifests/whale.yaml',
    copyTrade({ wallet: '${env.TARGET}', spec: '  linked_wallets: ["${env.LINKED}"]\n' }),
  );
}

function expectNothing(
  name: string,
  { stdout, stderr, diagnostics }: Awaited<ReturnType<ProjectRun['plan']>>,
): void {
  expectNoTrace(stdout, TRACES, `${name}: stdout`);
  expectNoTrace(stderr, TRACES, `${name}: stderr`);
  expectNoTrace(JSON.stringify(diagnostics), TRACES, `${name}: a diagnostic`);
}

it('the environment’s values are in no output, and on the service', async () => {
  const formats = ['text', 'json', 'markdown'] as const;
  const seen = async (name: string) => {
    expectNothing(`${name}: validate`, await project.validate({ output: 'json' }));
    for (const output of formats) {
      const result = await project.plan({ output });
      expectNothing(`${name}: plan -o ${output}`, result);
      expect(result.stdout.length, JSON.stringify(result.diagnostics)).toBeGreaterThan(100);
    }
  };
  await seen('before the first apply');
  expectNothing('apply', await project.apply(undefined, { autoApprove: true, output: 'json' }));
  const tasks = project.tasks();
  expect(tasks.map(({ target_wallet }) => target_wallet)).toContain(ENV.TARGET);
  expect(tasks.find(({ collection }) => collection === 'sniper')?.config.buy_amount).toBe(ENV.AMOUNT);

  // Another field changes: the whole config goes into the body.
  write('0.0012');
  await seen('a change beside them');
  const changed = await project.apply(undefined, { autoApprove: true });
  expect(changed.code).toBe(0);
  expectNothing('apply as text', changed);
  expectNothing('an empty plan', await project.plan());
});

it('a changed secret is a change that shows only the field', async () => {
  project.write('manifests/alpha.yaml', sniper({ amount: '7.6543218' }));
  await project.apply(undefined, { autoApprove: true });
  write('0.0011');
  for (const output of ['text', 'json', 'markdown'] as const) {
    const { stdout } = await project.plan({ output });
    expect(stdout).toContain(output === 'text' ? 'amount (secret)' : 'config.buy_amount');
    expect(stdout).toContain('(secret)');
    // What it was before would be what it is again after a step back.
    expectNoTrace(stdout, ['65432']);
  }
});

it('a guardrail names the field, and no value', async () => {
  project.write(
    'tradeform.yaml',
    `${PROJECT}spec:\n  guardrails: { max_buy_amount: 1, max_exposure: 2, max_task_exposure: 1, max_tip: 0.0001 }\n`,
  );
  const refused = await project.plan();
  expect(refused.code).toBe(4);
  expect(refused.stderr + JSON.stringify(refused.diagnostics)).toContain('config.buy_amount');
  expectNothing('a refusal', refused);
});

it('no output and no journal has the former value of a field that git no longer takes from the environment', async () => {
  project.commit('values of the environment');
  await project.applied();
  project.erase('manifests/whale.yaml');
  project.write('manifests/alpha.yaml', sniper({ amount: '0.01' }));
  project.commit('without them');
  // Other values by now: what is live can be found in no variable.
  const rotated = { AMOUNT: '0.3', TIP: '0.003', TARGET: WALLETS[1], LINKED: WALLETS[2], NOTE: 'none' };
  const bare = { env: { ...project.env, ...rotated } };
  for (const output of ['text', 'json', 'markdown'] as const)
    expectNothing(`plan -o ${output}`, await project.run((io) => runPlan({ output }, io), bare));
  const options = { autoApprove: true, output: 'json', journal: 'journal' } as const;
  const applied = await project.run((io) => runApply(undefined, options, io), bare);
  expect(applied.code).toBe(0);
  expectNothing('apply', applied);
  const [file = ''] = readdirSync(join(project.path, 'journal'));
  expectNoTrace(project.read(`journal/${file}`), TRACES, 'the journal');
  expect(project.tasks()).toHaveLength(1);
});

it.each([
  ['a clone', []],
  ['a shallow clone', ['--depth=1']],
  ['a partial clone', ['--filter=blob:none']],
])('a job without the variables shows no former value: %s', async (_name, how) => {
  project.commit('values of the environment');
  await project.applied();
  const base = project.git('rev-parse', 'HEAD');
  project.write('manifests/alpha.yaml', sniper({ amount: '0.01', spec: '  remark: Loud harvest\n' }));
  project.write(
    'manifests/whale.yaml',
    copyTrade({ wallet: WALLETS[1], spec: `  linked_wallets: ["${WALLETS[2]}"]\n` }),
  );
  project.commit('constants');
  const cwd = temporaryFolder('clone');
  project.git('config', 'uploadpack.allowFilter', 'true');
  execFileSync('git', ['clone', '-q', ...how, `file://${project.path}`, cwd], { stdio: 'pipe' });
  const env = Object.fromEntries(Object.entries(project.env).filter(([name]) => !Object.hasOwn(ENV, name)));
  const run = (command: (io: Io) => Promise<number>) => project.run(command, { cwd, env });
  const html = join(cwd, 'plan.html');
  for (const output of ['text', 'json', 'markdown'] as const) {
    const given = [{}, { base: how.length === 0 ? base : 'HEAD' }, { only: 'pending' as const }];
    for (const more of given) {
      const { stdout, ...seen } = await run((io) =>
        runPlan({ output, report: [`html=${html}`], ...more }, io),
      );
      expectNothing(`plan -o ${output} ${JSON.stringify(more)}`, { stdout, ...seen });
    }
    expectNothing(`drift -o ${output}`, await run((io) => runDrift({ output }, io)));
    expectNothing(`status -o ${output}`, await run((io) => runStatus([], { output }, io)));
  }
  expectNoTrace(readFileSync(html, 'utf8'), TRACES, 'the page');
  const options = { autoApprove: true, output: 'json', journal: join(cwd, 'journal') } as const;
  const applied = await run((io) => runApply(undefined, options, io));
  expectNothing('apply', applied);
  const [file = ''] = readdirSync(join(cwd, 'journal'));
  expectNoTrace(readFileSync(join(cwd, 'journal', file), 'utf8'), TRACES, 'the journal');
  expect(project.live('alpha').config.buy_amount).toBe('0.01');
});

it('nor a value that the base takes from the environment, where the marker has no version', async () => {
  project.commit('values of the environment');
  await project.applied();
  project.edit('alpha', { remark: `${ENV.NOTE} [git:core/alpha@0]` });
  project.write('manifests/alpha.yaml', sniper({ amount: '0.01', spec: '  remark: Loud harvest\n' }));
  project.write('manifests/whale.yaml', copyTrade({ wallet: WALLETS[1] }));
  project.commit('constants');
  const env = Object.fromEntries(Object.entries(project.env).filter(([name]) => !Object.hasOwn(ENV, name)));
  for (const only of [undefined, 'pending'] as const) {
    const given = { base: 'HEAD~1', only, output: 'json' } as const;
    expectNothing(`plan --only ${only}`, await project.run((io) => runPlan(given, io), { env }));
  }
});

it('a lowering in place of a variable stays pending for a job without it, and nobody is said to have changed it', async () => {
  project.erase('manifests/whale.yaml');
  project.write('manifests/alpha.yaml', sniper({ amount: '${env.AMOUNT}', spec: '  remark: one\n' }));
  project.commit('a variable');
  await project.applied();
  project.write('manifests/alpha.yaml', sniper({ amount: '0.05', spec: '  remark: two\n' }));
  project.commit('a constant');
  const bare = { env: Object.fromEntries(Object.entries(project.env).filter(([name]) => name !== 'AMOUNT')) };
  const pending = { only: 'pending', autoApprove: true } as const;
  for (const remark of ['two', 'two']) {
    const { code, stdout } = await project.run((io) => runApply(undefined, pending, io), bare);
    expect([code, project.live('alpha').config.buy_amount]).toEqual([0, ENV.AMOUNT]);
    expect(project.live('alpha').remark).toContain(remark);
    expect(stdout).toContain('or came from it');
    expect(stdout).not.toContain('changed on the service since');
  }
  await project.run((io) => runApply(undefined, pending, io));
  expect(project.live('alpha').config.buy_amount).toBe('0.05');
});
