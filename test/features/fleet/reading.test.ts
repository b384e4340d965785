import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Io } from '../../../src/core/command/io.ts';
import { runDrift } from '../../../src/core/features/drift/drift.ts';
import { runPlan } from '../../../src/core/features/plan.ts';
import { runStatus } from '../../../src/core/features/status/status.ts';
import { FORMATS } from '../../../src/core/render/format.ts';
import { runApplyFleet } from '../../../src/kit/fleet/apply.ts';
import { type FleetCommandOptions, runReading } from '../../../src/kit/fleet/commands.ts';
import { runInitFleet } from '../../../src/kit/fleet/init.ts';
import { projectFiles } from '../../cmd/run.ts';
import { strangers } from '../../render/markdown/reading.ts';
import { commitAll, gitIn, initRepository } from '../../support/repository.ts';
import { runInMemory } from '../in-memory.ts';
import { canary, type FleetRun, openFleetRun, reportOf, unitOf } from './fleet-run.ts';

let fleet: FleetRun;

type Reading = Parameters<typeof runReading>[0];
const run = (command: Reading, options: FleetCommandOptions = {}, more: Partial<Io> = {}) =>
  fleet.run((io) => runReading(command, { output: 'json', quiet: true, ...options }, io), more);
const prefix = (number: number) => canary(number).slice(0, 17);

/** Documents of two runs differ in when they were made. */
function timeless(text: string): unknown {
  return JSON.parse(text.replaceAll(/"created_at": "[^"]*"/g, '"created_at": ""'));
}

describe('a fleet run equals the single runs, one after the other', () => {
  it.each([
    ['plan', (io: Io) => runPlan({ output: 'json' }, io)],
    ['drift', (io: Io) => runDrift({ output: 'json' }, io)],
    ['status', (io: Io) => runStatus([], { output: 'json' }, io)],
  ] as const)('%s: same documents, same exit codes, summed up', async (command, single) => {
    fleet = await openFleetRun(3);
    fleet.write('accounts/acc-2/manifests/bad.yaml', 'kind: Nothing\n');
    const report = reportOf(await run(command));
    for (const number of [1, 2, 3]) {
      const alone = await runInMemory(
        {
          cwd: `${fleet.path}/accounts/acc-${number}`,
          env: { PATH: process.env.PATH, TRADEFORM_TOKEN: canary(number), TRADEFORM_BASE_URL: fleet.baseUrl },
        },
        single,
      );
      const unit = unitOf(report, `acc-${number}`);
      expect(unit.exit_code).toBe(alone.code);
      if (alone.stdout === '') expect(unit.diagnostics).toEqual(alone.diagnostics);
      else expect(timeless(JSON.stringify(unit.document, null, 2))).toEqual(timeless(alone.stdout));
    }
    expect(report.exit_code).toBe(3);
    expect(report.units[0]?.name).toBe('acc-2');
    expect('digest' in report).toBe(command !== 'status');
    const stakes = { plan: ['0', '0.403', 4], drift: ['0', '0.403', 4], status: ['0', '0', 2] }[command];
    expect([report.stakes.before, report.stakes.after, report.stakes.changes]).toEqual(stakes);
  });
});

it('a plan says what is blocked, in the row and in the section of the account', async () => {
  fleet = await openFleetRun(2);
  const id = 'metadata:\n  id: 00000000-0000-4000-8000-000000000009';
  fleet.write(
    'accounts/acc-1/manifests/alpha.yaml',
    projectFiles({})['manifests/alpha.yaml']?.replace('metadata:', id) ?? '',
  );
  const { stdout } = await run('plan', { output: 'text' });
  expect(stdout).toMatch(/^acc-1 +ok .* 1 change, 1 blocked$/m);
  expect(stdout).toMatch(/^── acc-1 /m);
  const status = reportOf(await run('status'));
  expect([status.stakes.blocked, unitOf(status, 'acc-1').stakes?.blocked]).toEqual([1, 1]);
});

it('what --only leaves is in the row, and opens the section; what drift finds, somebody did', async () => {
  fleet = await openFleetRun(1);
  const repository = `${fleet.path}/accounts`;
  initRepository(repository);
  commitAll(gitIn(repository));
  const auto = { output: 'json', quiet: true, autoApprove: true, firstApply: true } as const;
  await fleet.run((io) => runApplyFleet(undefined, auto, io));
  const [task] = fleet.sandbox.state.tasks.values();
  fleet.sandbox.editStored(task?.id ?? '', { config: { ...task?.config, buy_amount: '9' } });
  const only = await run('plan', { output: 'text', only: 'pending' });
  expect(only.stdout).toMatch(/^acc-1 .*no changes\n +1 left on the service$/m);
  expect(only.stdout).toContain('Left as they are on the service (1)');
  fleet.sandbox.editStored(task?.id ?? '', { is_active: false });
  const { stdout } = await run('drift', { output: 'text' });
  expect(stdout).toMatch(/^acc-1 .*\(1 stopped\)$/m);
});

describe('nothing of a unit reaches another', () => {
  it('each token is sent only for its own account, and appears in no output', async () => {
    fleet = await openFleetRun(3);
    for (const output of FORMATS) {
      fleet.sandbox.clearLog();
      const { stdout, stderr, diagnostics } = await run('plan', { output, verbose: true, quiet: false });
      expect(stdout).not.toBe('');
      for (const number of [1, 2, 3]) {
        expect(stdout + stderr + JSON.stringify(diagnostics)).not.toContain(`canary-of-${number}`);
      }
    }
    expect(new Set(fleet.sandbox.log.map(({ token_prefix: one, status }) => `${one} ${status}`))).toEqual(
      new Set([1, 2, 3].map((number) => `${prefix(number)} 200`)),
    );
  });

  it('a manifest cannot take the token of another unit, by its variable or by any that holds it', async () => {
    fleet = await openFleetRun(2);
    const spy = (name: string) =>
      `apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: ${name.toLowerCase().replaceAll('_', '-')} }\nspec: { name: "\${env.${name}}" }\n`;
    fleet.write('accounts/acc-1/manifests/spy.yaml', spy('TRADEFORM_TOKEN_ACC_2'));
    fleet.write('accounts/acc-2/manifests/spy.yaml', spy('COPY'));
    const result = await run('plan', {}, { env: { COPY: `x${canary(1)}` } });
    expect(
      reportOf(result).units.map(({ exit_code, diagnostics }) => [exit_code, diagnostics[0]?.code]),
    ).toEqual([
      [3, 'env-not-here'],
      [3, 'unknown-variable'],
    ]);
    expect(JSON.stringify(result)).not.toContain('canary-of');
    expect(fleet.sandbox.log).toEqual([]);
  });

  it('settings of one service in the environment have no effect', async () => {
    fleet = await openFleetRun(1);
    const env = {
      TRADEFORM_BASE_URL: 'https://evil.example/v1',
      TRADEFORM_TOKEN: canary(7),
      TRADEFORM_ENVIRONMENT: 'x',
    };
    expect((await run('plan', {}, { env })).code).toBe(0);
    expect(new Set(fleet.sandbox.log.map(({ token_prefix: one }) => one))).toEqual(new Set([prefix(1)]));
  });
});

describe('a failure in one unit does not stop the others', () => {
  it('bad manifest, refused token, errors of the service, hostile answers, wrong account', async () => {
    fleet = await openFleetRun(7, {
      accounts: [{}, {}, { tokens: [{ token: canary(33) }] }],
    });
    fleet.write('accounts/acc-2/manifests/bad.yaml', 'kind: Nothing\n');
    fleet.write(
      'accounts/acc-6/tradeform.yaml',
      'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { account: { login_username: other } }\n',
    );
    fleet.sandbox.faults.add(
      { token: prefix(4), times: 0, fault: { type: 'status', status: 501, body: 'no' } },
      { token: prefix(5), times: 0, fault: { type: 'html', status: 200 } },
    );
    const report = reportOf(await run('plan'));
    const ends = report.units.map(({ name, result, diagnostics }) => [
      name,
      result,
      diagnostics[0]?.code ?? null,
    ]);
    expect(ends).toEqual([
      ['acc-2', 'invalid', 'missing-field'],
      ['acc-3', 'failed', 'service-error'],
      ['acc-4', 'failed', 'service-unreachable'],
      ['acc-5', 'failed', 'service-unreachable'],
      ['acc-6', 'refused', 'account-mismatch'],
      ['acc-7', 'ok', null],
      ['acc-1', 'ok', null],
    ]);
    expect([report.exit_code, report.summary]).toEqual([
      3,
      { units: 7, ok: 2, differs: 0, refused: 1, failed: 3, invalid: 1, interrupted: 0, not_run: 0 },
    ]);
  });

  it('a unit that exceeds --timeout has failed, the others are unaffected', async () => {
    fleet = await openFleetRun(2);
    fleet.sandbox.faults.add({ token: prefix(1), times: 0, fault: { type: 'hang' } });
    const report = reportOf(await run('plan', { timeout: 100, select: ['acc-1'] }));
    expect(unitOf(report, 'acc-1')).toMatchObject({
      result: 'failed',
      exit_code: 1,
      diagnostics: [{ code: 'interrupted' }],
    });
    expect((await run('plan', { select: ['acc-2'] })).code).toBe(0);
  });

  it('--fail-fast starts no further unit, and those not started are failures', async () => {
    fleet = await openFleetRun(3);
    fleet.write('accounts/acc-1/manifests/bad.yaml', 'kind: Nothing\n');
    const report = reportOf(await run('plan', { failFast: true, accountsAtOnce: 1 }));
    expect(report.units.map(({ name, result, exit_code }) => [name, result, exit_code])).toEqual([
      ['acc-1', 'invalid', 3],
      ['acc-2', 'not-run', 1],
      ['acc-3', 'not-run', 1],
    ]);
    expect(fleet.sandbox.log).toEqual([]);
  });
});

it('an account that a label freezes is said to be so, also where nothing is wrong with it', async () => {
  fleet = await openFleetRun(2, { accounts: [{ labels: [{ name: 'freeze exploit' }] }, {}] });
  const { stdout } = await run('status', { output: 'text', quiet: false });
  expect(stdout.replace(/\s+/g, ' ').match(/A label freezes starts/g)).toHaveLength(1);
});

describe('choosing units', () => {
  it('--select and --tag must both match; a word that matches nothing is refused with the nearest', async () => {
    fleet = await openFleetRun(3, {
      units: '    - { project: accounts/acc-3, token_env: TRADEFORM_TOKEN_ACC_3, tags: [eu] }\n',
    });
    expect(reportOf(await run('plan', { select: ['acc-*'], tag: ['eu'] })).chosen).toEqual(['acc-3']);
    expect(new Set(fleet.sandbox.log.map(({ token_prefix: one }) => one))).toEqual(new Set([prefix(3)]));
    const { code, diagnostics } = await run('plan', { select: ['acc-1', 'acd-1'], tag: ['us'] });
    expect([code, diagnostics.map(({ message }) => message)]).toEqual([
      3,
      ['--select acd-1 matches no unit of the fleet', '--tag us matches no unit of the fleet'],
    ]);
    expect((await run('plan', { select: ['acc-1'], tag: ['eu'] })).code).toBe(3);
  });
});

describe('one comment', () => {
  it('has the worst first, nothing of others is Markdown in it, and it fits the room', async () => {
    fleet = await openFleetRun(12);
    fleet.write('accounts/acc-9/manifests/bad.yaml', 'kind: "![x](https://evil.example/x) @all"\n');
    const { stdout } = await run('plan', { output: 'markdown' });
    // Details are what the command prints for one account, in fences that no line of theirs can end.
    expect(strangers(stdout).filter((one) => !/^(?:a fence of text|in a diff: )/.test(one))).toEqual([]);
    expect(stdout.indexOf('`acc-9`')).toBeLessThan(stdout.indexOf('`acc-1`'));
    const small = await run('plan', { output: 'markdown', maxBytes: 4_000 });
    expect(Buffer.byteLength(small.stdout)).toBeLessThanOrEqual(4_000);
    expect(small.stdout).toContain('| `acc-9` | invalid |');
    expect(small.stdout).toContain('12 accounts: 1 invalid, 11 ok');
    expect(small.stdout).toMatch(/left out: details of \d+ accounts/);
  });
});

it('one cause is said once, with the names of its accounts and one setting for all of them', async () => {
  fleet = await openFleetRun(7);
  initRepository(fleet.path);
  const { code, stdout } = await run('plan', { output: 'text' });
  const text = stdout.replace(/\s+/g, ' ');
  expect([code, text.match(/only the fleet file/g)?.length]).toEqual([4, 1]);
  expect(text).toContain(
    'error[token-unconfirmed]: acc-1, acc-2, acc-3, acc-4, acc-5 and 2 more: the tokens from',
  );
  expect(text).toContain(`TRADEFORM_CONFIRMED_HOSTS="TRADEFORM_TOKEN_*=${new URL(fleet.baseUrl).origin}"`);
  expect(text).toMatch(/acc-7 refused These 7: token-unconfirmed/);
  // A pattern would let the token of one host go to another.
  fleet.write(
    'accounts/own/tradeform.yaml',
    'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: own }\n',
  );
  const units =
    '[{ project: accounts/acc-1, token_env: TRADEFORM_TOKEN_ACC_1 }, { project: accounts/acc-2, token_env: TRADEFORM_TOKEN_ACC_2 }, { project: accounts/own, base_url: "https://other.example/v1", token_env: TRADEFORM_TOKEN_ACC_3 }]';
  fleet.write(
    'fleet.yaml',
    `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: { base_url: "${fleet.baseUrl}", units: ${units} }\n`,
  );
  const other = await run('plan', { output: 'text' });
  expect(other.stdout).not.toContain('TRADEFORM_TOKEN_*=');
});

it('drift tells what somebody changed from what waits, and what an account had that cannot be read', async () => {
  const account = (number: number) => ({ tokens: [{ token: canary(number) }] });
  fleet = await openFleetRun(4, { accounts: [1, 2, 3, 4].map(account) });
  const listed = [1, 2, 3, 4].map(
    (number) => `{ project: accounts/acc-${number}, token_env: TRADEFORM_TOKEN_ACC_${number} }`,
  );
  fleet.write(
    'fleet.yaml',
    `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: { base_url: "${fleet.baseUrl}", units: [${listed.join(', ')}] }\n`,
  );
  fleet.write('.gitignore', 'state\n');
  initRepository(fleet.path);
  commitAll(gitIn(fleet.path));
  const env = {
    XDG_STATE_HOME: `${fleet.path}/state`,
    TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN_*=${new URL(fleet.baseUrl).origin}`,
  };
  const auto = { output: 'json', quiet: true, autoApprove: true, firstApply: true } as const;
  expect((await fleet.run((io) => runApplyFleet(undefined, auto, io), { env })).code).toBe(0);
  const edited = [...fleet.sandbox.state.tasks.values()].find(({ account: one }) => one === 'account-1');
  fleet.sandbox.editStored(edited?.id ?? '', { config: { ...edited?.config, buy_amount: '0.3' } });
  await run('drift', { report: ['html=state/page.html'] }, { env });
  const page = readFileSync(`${fleet.path}/state/page.html`, 'utf8').replace(/<[^>]+>|\s+/g, ' ');
  expect(page).toMatch(/Accounts +\(1\).* acc-1 .*changed: sniper\/alpha.*Nothing to do +\(3\)/);
  for (const [number, buy] of [
    [2, '0.25'],
    [3, '7'],
  ] as const) {
    const raised = projectFiles({ buy })['manifests/alpha.yaml'] ?? '';
    fleet.write(`accounts/acc-${number}/manifests/alpha.yaml`, raised);
  }
  commitAll(gitIn(fleet.path));
  const dead = { ...env, TRADEFORM_TOKEN_ACC_4: `${canary(4).split('.')[0]}.gone` };
  const report = reportOf(await run('drift', {}, { env: dead }));
  expect(report.units.map(({ name, stakes }) => [name, stakes?.changes, stakes?.pending])).toEqual([
    ['acc-4', undefined, undefined],
    ['acc-1', 1, 0],
    ['acc-3', 1, 1],
    ['acc-2', 1, 1],
  ]);
  expect(report.summary).toMatchObject({ failed: 1, differs: 3 });
  expect(report.stakes).toMatchObject({ changes: 3, pending: 2 });
  expect(unitOf(report, 'acc-4').last_known).toMatchObject({ sol: '0.4015' });
  const init = { output: 'json', quiet: true, fromLive: true } as const;
  const made = reportOf(await fleet.run((io) => runInitFleet(undefined, init, io), { env }));
  expect(made.units.filter((unit) => unit.last_known !== undefined)).toEqual([]);
  // Another token is of no account that is known, unless a file names the account.
  const other = { ...env, TRADEFORM_TOKEN_ACC_4: 'svc_live_ffffffff.gone' };
  const last = async () => unitOf(reportOf(await run('drift', {}, { env: other })), 'acc-4').last_known;
  expect(await last()).toBeUndefined();
  const pin = projectFiles()['tradeform.yaml'] ?? '';
  fleet.write('accounts/acc-4/tradeform.yaml', `${pin}spec: { account: { login_username: whales-4 } }\n`);
  expect(await last()).toMatchObject({ sol: '0.4015' });
  const { stdout } = await run('drift', { output: 'text' }, { env: dead });
  const text = stdout.replace(/\s+/g, ' ');
  expect(text).toMatch(/acc-4 failed last known 0\.4015, \d+[sm] ago token refused/);
  expect(text).toContain('4 accounts: 1 failed, 1 drifted, 2 pending');
  expect(text).toMatch(
    /acc-1 drifted [\d.]+ \([\d.]+ after apply\) 1 drifted changed: sniper\/alpha: amount 0\.1 → 0\.3 SOL ×3,/,
  );
  expect(text).toMatch(/acc-1 drifted .*acc-3 pending .* 1 pending pending: .*acc-2 pending/);
  // A raise of 23 times is more than the guardrails allow: no apply is advised.
  expect(text).toContain(
    'An apply of this is refused: max_factor; `tradeform plan -C accounts/acc-3` says why.',
  );
  expect(text.match(/Carry out: `tradeform apply -C accounts\/acc-\d --only pending`/g)).toHaveLength(1);
});
