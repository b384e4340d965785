import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Io } from '../../../src/core/command/io.ts';
import type { RunLog } from '../../../src/core/model/generated/log.ts';
import type { Seed } from '../../../src/core/model/generated/sandbox.ts';
import { runApplyFleet, runPlanOut } from '../../../src/kit/fleet/apply.ts';
import { runReading } from '../../../src/kit/fleet/commands.ts';
import { type FleetSwitchOptions, runPauseFleet, runResumeFleet } from '../../../src/kit/fleet/switch.ts';
import { runLog } from '../../../src/kit/log/log.ts';
import { projectFiles } from '../../cmd/run.ts';
import { copyTradeConfig, sniperConfig, walletOf } from '../../support/builders.ts';
import type { Result } from '../in-memory.ts';
import { canary, type FleetRun, openFleetRun, reportOf, unitOf } from './fleet-run.ts';

let fleet: FleetRun;

const QUIET = { output: 'json', quiet: true } as const;
const pause = (options: FleetSwitchOptions = {}) =>
  fleet.run((io) => runPauseFleet({ ...QUIET, all: true, ...options }, io));
const resume = (options: FleetSwitchOptions, more: Partial<Io> = {}) =>
  fleet.run((io) => runResumeFleet({ ...QUIET, all: true, ...options }, io), more);

/** Accounts whose task runs. */
function running(): readonly string[] {
  return [...fleet.sandbox.state.tasks.values()]
    .flatMap(({ account, is_active }) => (is_active ? [account] : []))
    .sort();
}

async function open(many: number): Promise<void> {
  fleet = await openFleetRun(many);
  await fleet.run((io) => runApplyFleet(undefined, { ...QUIET, autoApprove: true, firstApply: true }, io));
  expect(running()).toHaveLength(many);
}

it('pause --all: every account is off and stays off, the report says so for each, and resume reverts it', async () => {
  await open(3);
  const report = reportOf(await pause());
  expect(report).toMatchObject({
    exit_code: 0,
    command: 'pause',
    stakes: { before: '0.6045', after: '0', stops: 3 },
    summary: { units: 3, ok: 3 },
  });
  expect(running()).toEqual([]);
  await fleet.run((io) => runApplyFleet(undefined, { ...QUIET, autoApprove: true }, io));
  expect(running()).toEqual([]);
  const no = await resume({});
  expect([no.code, no.diagnostics[0]?.code, running()]).toEqual([4, 'not-approved', []]);
  const asked: string[] = [];
  const people = { stdinIsTTY: true, stderrIsTTY: true };
  const ask = async (question: string) => {
    asked.push(question);
    return 'yes';
  };
  const yes = await resume({}, { ...people, ask });
  expect([yes.code, asked.length, running().length]).toEqual([0, 1, 3]);
});

it('continues after every failure, also if another unit comes first, and never says that all is off then', async () => {
  await open(4);
  const token = (number: number) => canary(number).slice(0, 17);
  fleet.sandbox.faults.add(
    { token: token(1), method: 'POST', times: 0, fault: { type: 'error', code: 'insufficient_scope' } },
    { token: token(2), times: 0, fault: { type: 'error', code: 'invalid_api_token' } },
  );
  fleet.write('accounts/acc-3/tradeform.yaml', 'this is: [no project\n');
  const report = reportOf(await pause({ failFast: true, accountsAtOnce: 1 }));
  const results = Object.fromEntries(report.units.map(({ name, result }) => [name, result]));
  // Which tasks are meant is not known of acc-3: the fleet file does not say its name either.
  expect(results).toEqual({ 'acc-1': 'failed', 'acc-2': 'failed', 'acc-3': 'invalid', 'acc-4': 'ok' });
  expect([report.exit_code, running()]).toEqual([3, ['account-1', 'account-2', 'account-3']]);
  // The sum does not look like that of a fleet that is off.
  const { stdout } = await pause({ output: 'text' });
  expect(stdout).toContain('NOT COMPLETE: acc-3, acc-1, acc-2; 0.1015 SOL switched; no changes\n');
  const all = reportOf(await pause({ select: ['acc-3'], includeUnmanaged: true }));
  expect(unitOf(all, 'acc-3').exit_code).toBe(3);
});

it('needs only the fleet file if that has project_name; a project file supplies neither host nor name then', async () => {
  await open(2);
  fleet.write(
    'fleet.yaml',
    `apiVersion: tradeform/v1
kind: Fleet
metadata: { name: desk }
spec:
  base_url: ${fleet.baseUrl}
  units:
    - { project: accounts/acc-1, token_env: TRADEFORM_TOKEN_ACC_1, project_name: core }
    - { project: accounts/acc-2, token_env: TRADEFORM_TOKEN_ACC_2, project_name: core }
    - { project: nowhere/*, token_env: TRADEFORM_X }
`,
  );
  // A folder above has a project file; it is none of theirs.
  fleet.write(
    'tradeform.yaml',
    'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: other }\nspec: { account: { login_username: stranger } }\n',
  );
  rmSync(join(fleet.path, 'accounts/acc-1'), { recursive: true });
  fleet.write(
    'accounts/acc-2/tradeform.yaml',
    'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: other }\nspec: { base_url: "https://evil.example/v1" }\n',
  );
  const result = await pause();
  // Accounts that this pattern stood for may still trade.
  const report = reportOf(result);
  expect([result.code, running(), report.summary.ok]).toEqual([3, [], 2]);
  expect(report.diagnostics?.map(({ code }) => code)).toEqual(['no-project-file']);
  expect(result.stderr).toContain('no folder with a tradeform.yaml matches nowhere/*');
});

it('an unreadable folder of a pattern does not count as empty: all else is refused, pause continues and never says that all is off', async () => {
  await open(2);
  symlinkSync('nowhere', join(fleet.path, 'unmounted'));
  fleet.write(
    'fleet.yaml',
    `apiVersion: tradeform/v1
kind: Fleet
metadata: { name: desk }
spec:
  base_url: ${fleet.baseUrl}
  units:
    - { project: accounts/*, token_env: "TRADEFORM_TOKEN_{NAME}" }
    - { project: unmounted/*, token_env: "TRADEFORM_TOKEN_{NAME}" }
`,
  );
  fleet.sandbox.clearLog();
  const refused = await fleet.run((io) => runReading('plan', QUIET, io));
  expect([refused.code, refused.stdout, fleet.sandbox.log]).toEqual([3, '', []]);
  expect(refused.diagnostics).toMatchObject([{ code: 'file-unreadable', location: { line: 8 } }]);
  const report = reportOf(await pause());
  expect([report.exit_code, report.summary.ok, running()]).toEqual([3, 2, []]);
  expect(report.diagnostics?.map(({ code }) => code)).toEqual(['file-unreadable']);
});

it('a unit without a host stops no other, and the report is made', async () => {
  await open(2);
  const unit = (number: number, host: string) =>
    `{ project: accounts/acc-${number}, token_env: TRADEFORM_TOKEN_ACC_${number}, project_name: core, account: { login_username: whales-${number} }${host} }`;
  const units = [unit(1, ''), unit(2, `, base_url: "${fleet.baseUrl}"`)];
  fleet.write(
    'fleet.yaml',
    `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: { units: [${units}] }\n`,
  );
  const report = reportOf(
    await fleet.run((io) => runPauseFleet({ ...QUIET, all: true }, io), {
      env: { XDG_STATE_HOME: fleet.path },
    }),
  );
  expect([report.exit_code, running(), unitOf(report, 'acc-1').exit_code]).toEqual([3, ['account-1'], 3]);
});

it('while the document is made, signals are handled: none ends the command without it', async () => {
  await open(2);
  let hearers = 0;
  const never = new AbortController().signal;
  const hear = () => {
    hearers += 1;
    return () => {
      hearers -= 1;
    };
  };
  for (const command of [
    (io: Io) => runPauseFleet({ ...QUIET, all: true }, io),
    (io: Io) => runResumeFleet({ ...QUIET, all: true, autoApprove: true }, io),
    (io: Io) => runReading('plan', QUIET, io),
    (io: Io) => runReading('drift', QUIET, io),
    (io: Io) => runPlanOut('plans', QUIET, io),
  ]) {
    const heard: number[] = [];
    const { code } = await fleet.run((io) => {
      const stdout = () => heard.push(hearers);
      return command({ ...io, stdout, stop: { soft: never, hard: never, hear } });
    });
    expect([code, heard.length, heard.includes(0), hearers]).toEqual([0, 1, false, 0]);
  }
});

it('two projects of one account: each resume ends its own freeze, and that of the account on request', async () => {
  fleet = await openFleetRun(2);
  const unit = (project: string, number: number) =>
    `{ name: ${project.replace('/', '-')}, project: ${project}, token_env: TRADEFORM_TOKEN_ACC_${number} }`;
  const units = [unit('accounts/acc-1', 1), unit('accounts/acc-2', 2), unit('own/acc-1', 1)];
  fleet.write(
    'fleet.yaml',
    `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: { base_url: "${fleet.baseUrl}", units: [${units}] }\n`,
  );
  for (const [name, text] of Object.entries(projectFiles()))
    fleet.write(
      `own/acc-1/${name}`,
      text
        .replace('name: core', 'name: own')
        .replace('state: active', 'state: active\n  lifecycle: { adopt: never }'),
    );
  // One after the other: both have the same label.
  const first = { ...QUIET, autoApprove: true, firstApply: true, accountsAtOnce: 1 } as const;
  await fleet.run((io) => runApplyFleet(undefined, first, io));
  const all = ['account-1', 'account-1', 'account-2'];
  const freezes = () =>
    [...fleet.sandbox.state.labels.values()].flatMap(({ account, name }) =>
      name.startsWith('freeze') ? [`${account} ${name}`] : [],
    );
  expect(running()).toEqual(all);
  const seen = reportOf(await fleet.run((io) => runReading('status', QUIET, io)));
  expect([seen.stakes.before, seen.stakes.outside]).toEqual(['0.8045', []]);
  // One after the other: what the other project of the token still runs then, the same command pauses.
  const off = reportOf(await pause({ freeze: true, accountsAtOnce: 1 }));
  expect([off.exit_code, off.stakes.outside, running()]).toEqual([0, [], []]);
  const chosen = { autoApprove: true, select: ['own-acc-1', 'accounts-acc-2'] };
  expect([(await resume(chosen)).code, running()]).toEqual([0, ['account-1', 'account-2']]);
  expect(freezes()).toEqual(['account-1 freeze pause core']);
  // A label of somebody stands for both.
  const headers = { authorization: `Bearer ${canary(1)}`, 'content-type': 'application/json' };
  const labels = `${fleet.baseUrl}/labels`;
  const body = JSON.stringify({ name: 'freeze', sort_order: 0 });
  const made = await fetch(labels, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': 'a-label-of-a-person' },
    body,
  });
  const { data } = (await made.json()) as { data: { id: string } };
  expect((await resume({ autoApprove: true })).code).toBe(4);
  await fetch(`${labels}/${data.id}`, { method: 'DELETE', headers });
  expect([(await resume({ autoApprove: true })).code, running(), freezes()]).toEqual([0, all, []]);
  // Both units set the label of the account, and end it.
  expect((await pause({ freeze: true, includeUnmanaged: true })).code).toBe(0);
  expect(freezes().sort()).toEqual(['account-1 freeze pause', 'account-2 freeze pause']);
  expect((await resume({ autoApprove: true })).code).toBe(4);
  const account = await resume({ autoApprove: true, includeUnmanaged: true });
  expect([account.code, freezes()]).toEqual([0, []]);
});

const tokens = (...numbers: number[]) => ({ tokens: numbers.map((number) => ({ token: canary(number) })) });

/** The projects core and own of one account, each with its own token, or both with one. */
async function openTwo(
  order: readonly number[],
  account: NonNullable<Seed['accounts']>[number] = tokens(1, 2),
): Promise<void> {
  fleet = await openFleetRun(2, { accounts: [account, tokens(3)] });
  for (const [name, text] of Object.entries(projectFiles())) {
    const own = text.replace('name: core', 'name: own').replace('spec:', 'spec:\n  stopped_tasks: resume');
    const apart = text.replace('state: active', 'state: active\n  lifecycle: { adopt: never }');
    fleet.write(`accounts/acc-2/${name}`, name === 'tradeform.yaml' ? own : apart);
  }
  const tokenOf = (number: number) => Math.min(number, account.tokens?.length ?? number);
  const units = order.map(
    (number) =>
      `{ name: acc-${number}, project: accounts/acc-${number}, token_env: TRADEFORM_TOKEN_ACC_${tokenOf(number)} }`,
  );
  fleet.write(
    'fleet.yaml',
    `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: { base_url: "${fleet.baseUrl}", units: [${units}] }\n`,
  );
  await applyTwo();
}

const applyTwo = () =>
  fleet.run((io) =>
    runApplyFleet(undefined, { ...QUIET, autoApprove: true, firstApply: true, accountsAtOnce: 1 }, io),
  );

it.each([
  ['one after the other', 1, [1, 2]],
  ['side by side, the other way round', 2, [2, 1]],
])(
  'pause --include-unmanaged, %s: each task is switched off by its own project',
  async (_how, accountsAtOnce, order) => {
    await openTwo(order);
    expect(running()).toEqual(['account-1', 'account-1']);
    expect((await pause({ includeUnmanaged: true, accountsAtOnce })).code).toBe(0);
    const remarks = [...fleet.sandbox.state.tasks.values()].map(({ remark }) => remark);
    expect(remarks.sort()).toEqual([
      expect.stringMatching(/\[git:core\/alpha@!/),
      expect.stringMatching(/\[git:own\/alpha@!/),
    ]);
    await applyTwo();
    expect(running()).toEqual([]);
    expect((await resume({ autoApprove: true, accountsAtOnce: 1 })).code).toBe(0);
    expect(running()).toEqual(['account-1', 'account-1']);
  },
);

const MANUAL = {
  target_wallet: walletOf('w'),
  config: sniperConfig(),
  remark: 'by hand',
  is_active: true,
  kind: 'sniper',
} as const;

it.each([
  ['its name', tokens(1, 2)],
  ['its token', { login_username: null, ...tokens(1) }],
])('a task that two units of an account see counts once in the sums, by %s', async (_by, account) => {
  await openTwo([1, 2], { ...account, tasks: [MANUAL] });
  const outside = [{ project: null, tasks: 1, sol: '0.5025', unreadable: 0 }];
  const status = reportOf(await fleet.run((io) => runReading('status', QUIET, io)));
  expect(status.stakes).toMatchObject({ before: '0.603', outside });
  for (const dryRun of [true, false]) {
    const { stakes } = reportOf(await pause({ includeUnmanaged: true, accountsAtOnce: 2, dryRun }));
    expect(stakes).toMatchObject({ before: '1.1055', after: '0', stops: 3, changes: 3, outside: [] });
  }
});

it('the sum has what trades outside git of every kind, also if the token of one unit of the account reads less', async () => {
  const copy = { ...MANUAL, kind: 'copy-trade', config: copyTradeConfig() } as const;
  const scopes = ['sniper:read', 'sniper:write'];
  const narrow = { ...tokens(1), tokens: [{ token: canary(1), scopes }, { token: canary(2) }] };
  await openTwo([1, 2], { ...narrow, tasks: [MANUAL, copy] });
  const { stakes, units } = reportOf(await fleet.run((io) => runReading('status', QUIET, io)));
  const seen = units.map((unit) => [unit.name, unit.stakes?.outside?.map(({ tasks }) => tasks)]);
  expect(Object.fromEntries(seen)).toEqual({ 'acc-1': [1], 'acc-2': [2] });
  expect(stakes.outside).toMatchObject([{ project: null, tasks: 2 }]);
});

it('a unit without a base_url is sent nothing, and says why once; the others are paused', async () => {
  await open(2);
  const [a, b] = [1, 2].map((n) => `project: accounts/acc-${n}, token_env: TRADEFORM_TOKEN_ACC_${n}`);
  fleet.write(
    'fleet.yaml',
    `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: { units: [{ ${a} }, { ${b}, base_url: "${fleet.baseUrl}" }] }\n`,
  );
  const report = reportOf(await pause());
  expect([report.exit_code, running()]).toEqual([3, ['account-1']]);
  expect(unitOf(report, 'acc-1').diagnostics.map(({ code }) => code)).toEqual(['base-url-missing']);
});

it('says at once which accounts are still at work, while one does not answer', async () => {
  await open(3);
  const lines: string[] = [];
  const token = canary(2).slice(0, 17);
  fleet.sandbox.faults.add({ token, times: 1, fault: { type: 'error', code: 'service_unavailable' } });
  const { code } = await fleet.run((io) =>
    runPauseFleet({ ...QUIET, quiet: false, all: true }, { ...io, stderr: (text) => lines.push(text) }),
  );
  expect(code).toBe(0);
  expect(lines.join('')).toMatch(/\(2 of 3; still at work: acc-2\)\nacc-2: ended with 0 \(3 of 3\)/);
});

it('what still trades after a pause is in its row and in the sum, once for an account', async () => {
  await open(2);
  const own = [...fleet.sandbox.state.tasks.values()].find(({ account }) => account === 'account-1');
  fleet.sandbox.editStored(own?.id ?? '', { remark: 'by hand' });
  const outside = [{ project: null, tasks: 1, sol: '0.1015', unreadable: 0 }];
  for (const [run, sol] of [
    [pause(), '0.2015'],
    [fleet.run((io) => runReading('status', QUIET, io)), '0'],
  ] as const) {
    const report = reportOf(await run);
    expect([report.stakes.before, report.stakes.outside]).toEqual([sol, outside]);
    expect(unitOf(report, 'acc-1').stakes?.outside).toEqual(outside);
  }
  const { stdout } = await pause({ output: 'text' });
  expect(stdout.replace(/\s+/g, ' ')).toMatch(/acc-1 failed 0 \+ 0\.1015 in 1 task outside git .* acc-2/);
  expect(stdout).toContain('0 SOL switched, and 1 task outside git trades 0.1015 SOL; no changes');
  expect(running()).toEqual(['account-1']);
  const applied = await fleet.run((io) => runApplyFleet(undefined, { ...QUIET, autoApprove: true }, io));
  expect(reportOf(applied).stakes.outside).toEqual(outside);
});

it('status counts what is held, and a dry run of resume names what would start', async () => {
  await open(2);
  await pause();
  const status = reportOf(await fleet.run((io) => runReading('status', QUIET, io)));
  expect([status.stakes.held, unitOf(status, 'acc-1').stakes?.held]).toEqual([2, 1]);
  const { stdout } = await fleet.run((io) => runReading('status', { ...QUIET, output: 'text' }, io));
  expect(stdout).toContain('1 held');
  const dry = reportOf(await resume({ dryRun: true }));
  expect([dry.stakes.starts, running()]).toEqual([2, []]);
});

it('a resume that is refused is listed with its reason, and adds nothing to the sums', async () => {
  await open(2);
  await pause();
  const file = 'accounts/acc-1/tradeform.yaml';
  fleet.write(file, `${projectFiles()['tradeform.yaml']}spec: { guardrails: { max_buy_amount: 0.01 } }\n`);
  const report = reportOf(await resume({ autoApprove: true }));
  expect(unitOf(report, 'acc-1')).toMatchObject({
    result: 'refused',
    stakes: { after: '0', starts: 0 },
    document: { outcome: 'refused', changes: [{ status: 'planned' }] },
  });
  expect([report.stakes.starts, running()]).toEqual([1, [expect.any(String)]]);
  const { stdout } = await resume({ dryRun: true, output: 'text' });
  expect(stdout).toMatch(/Would start trading \(1\)/);
  expect(stdout).toContain('Lower the value, or raise max_buy_amount');
});

it('one journal has the run of each account: of an apply and of a pause, in one folder', async () => {
  fleet = await openFleetRun(2);
  const record = { journal: 'journal', reason: 'exploit' } as const;
  const auto = { ...QUIET, autoApprove: true, firstApply: true } as const;
  await fleet.run((io) => runApplyFleet(undefined, { ...auto, ...record, requireJournal: true }, io));
  await pause(record);
  const { stdout } = await fleet.run((io) => runLog('journal', { output: 'json' }, io));
  const runs = (JSON.parse(stdout) as RunLog).runs.map(({ command, outcome, reason }) => [
    command,
    outcome,
    reason,
  ]);
  expect(runs).toEqual([
    ...[1, 2].map(() => ['pause', 'done', 'exploit']),
    ...[1, 2].map(() => ['apply', 'done', 'exploit']),
  ]);
  // A file in place of the folder: a pause goes on, and an apply that requires its record sends nothing.
  fleet.write('file', '');
  await resume({ autoApprove: true });
  expect((await pause({ journal: 'file' })).code).toBe(0);
  expect(running()).toEqual([]);
  const files = projectFiles({ buy: '0.09' });
  for (const [name, text] of Object.entries(files)) fleet.write(`accounts/acc-1/${name}`, text);
  fleet.sandbox.clearLog();
  const required = { ...auto, journal: 'file', requireJournal: true } as const;
  const refused = await fleet.run((io) => runApplyFleet(undefined, required, io));
  expect([refused.code, unitOf(reportOf(refused), 'acc-1').exit_code]).toEqual([4, 4]);
  expect(fleet.sandbox.log.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('a file in place of the folder is no project file; pause continues if the fleet file names the project', async () => {
  await open(2);
  const fleetOf = (first: string) =>
    fleet.write(
      'fleet.yaml',
      `apiVersion: tradeform/v1
kind: Fleet
metadata: { name: desk }
spec:
  base_url: ${fleet.baseUrl}
  units:
    - { name: acc-1, project: accounts/acc-1/tradeform.yaml, token_env: TRADEFORM_TOKEN_ACC_1${first} }
    - { project: accounts/acc-2, token_env: TRADEFORM_TOKEN_ACC_2 }
`,
    );
  fleetOf('');
  const said = async (run: Promise<Result>) => {
    const { diagnostics = [] } = unitOf(reportOf(await run), 'acc-1');
    return diagnostics.map(({ code, location }) => [code, location?.file]);
  };
  const missing = [['no-project-file', 'fleet.yaml']];
  expect(
    await said(fleet.run((io) => runApplyFleet(undefined, { ...QUIET, autoApprove: true }, io))),
  ).toEqual(missing);
  expect(await said(pause())).toEqual(missing);
  expect(running()).toEqual(['account-1']);
  expect(await said(resume({ autoApprove: true }))).toEqual(missing);
  const one = { ...QUIET, select: ['acc-1'] };
  expect(await said(fleet.run((io) => runPlanOut('plans', one, io)))).toEqual(missing);
  fleetOf(', project_name: core');
  expect((await pause()).code).toBe(0);
  expect(running()).toEqual([]);
});
