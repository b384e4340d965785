import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Io } from '../../../src/core/command/io.ts';
import { type FleetApplyOptions, runApplyFleet, runPlanOut } from '../../../src/kit/fleet/apply.ts';
import { runReading } from '../../../src/kit/fleet/commands.ts';
import { executable, projectFiles } from '../../cmd/run.ts';
import { commitAll, gitIn, initRepository } from '../../support/repository.ts';
import { isPlayed } from '../../support/sample.ts';
import { canary, type FleetRun, openFleetRun, reportOf, unitOf } from './fleet-run.ts';

const opened: FleetRun[] = [];
const open = async (...args: Parameters<typeof openFleetRun>): Promise<FleetRun> => {
  const fleet = await openFleetRun(...args);
  opened.push(fleet);
  return fleet;
};

const QUIET = { output: 'json', quiet: true, firstApply: true } as const;
const AUTO = { ...QUIET, autoApprove: true } as const;
const apply = (fleet: FleetRun, options: FleetApplyOptions = AUTO, more: Partial<Io> = {}, dir?: string) =>
  fleet.run((io) => runApplyFleet(dir, options, io), more);
const plan = (fleet: FleetRun) => fleet.run((io) => runReading('plan', QUIET, io));
const save = (fleet: FleetRun, dir = 'plans') => fleet.run((io) => runPlanOut(dir, QUIET, io));
const writes = (fleet: FleetRun) => fleet.sandbox.log.filter(({ method }) => method !== 'GET');

/** A second plan after every apply is empty. */
async function expectSettled(fleet: FleetRun): Promise<void> {
  const { code, stdout } = await plan(fleet);
  expect([code, JSON.parse(stdout).stakes.changes]).toEqual([0, 0]);
}

function projects(fleet: FleetRun, spec: string, ...numbers: readonly number[]): void {
  for (const number of numbers) {
    const text = `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: ${spec}\n`;
    fleet.write(`accounts/acc-${number}/tradeform.yaml`, text);
  }
}

/** `acc-1` first. */
function inTwoWaves(fleet: FleetRun): void {
  fleet.write(
    'fleet.yaml',
    `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: { base_url: "${fleet.baseUrl}", units: [{ project: accounts/*, token_env: "TRADEFORM_TOKEN_{NAME}" }], waves: [[acc-1], ["*"]] }\n`,
  );
}

describe('what a unit comes to is its own', () => {
  it('a failure in one unit does not stop the others', async () => {
    const fleet = await open(5);
    fleet.write('accounts/acc-1/manifests/bad.yaml', 'kind: Nothing\n');
    projects(fleet, '{ guardrails: { max_starts: 0 } }', 2);
    fleet.sandbox.faults.add(
      {
        token: canary(3).slice(0, 17),
        method: 'POST',
        times: 0,
        fault: { type: 'error', code: 'validation_error' },
      },
      {
        token: canary(4).slice(0, 17),
        method: 'POST',
        times: 0,
        fault: { type: 'error', code: 'insufficient_scope' },
      },
    );
    const report = reportOf(await apply(fleet));
    expect(report.units.map(({ name, result }) => [name, result])).toEqual([
      ['acc-1', 'invalid'],
      ['acc-3', 'failed'],
      ['acc-4', 'failed'],
      ['acc-2', 'refused'],
      ['acc-5', 'ok'],
    ]);
    expect(report.exit_code).toBe(3);
    // The sums are what was done, not what was planned.
    expect(report.stakes).toMatchObject({ before: '0', after: '0.5015', starts: 1, changes: 2 });
    expect(unitOf(report, 'acc-3').stakes).toEqual({
      before: '0',
      after: '0',
      starts: 0,
      stops: 0,
      changes: 0,
      outside: [],
    });
    const { stdout } = await apply(fleet, { ...AUTO, output: 'text' });
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /acc-3 failed 0 no changes label\/high-risk failed: .+ acc-4 failed/,
    );
    expect([1, 2, 3, 4, 5].map((number) => fleet.tasksOf(number).length)).toEqual([0, 0, 0, 0, 1]);
    expect(new Set(writes(fleet).map(({ token_prefix }) => token_prefix))).toEqual(
      new Set([3, 4, 5].map((number) => canary(number).slice(0, 17))),
    );
  });

  it('a first apply needs a pinned account or --first-apply, and a pin in the fleet file is one', async () => {
    const fleet = await open(2, {
      units:
        '    - { project: accounts/acc-2, token_env: TRADEFORM_TOKEN_ACC_2, account: { login_username: whales-2 } }\n',
    });
    const report = reportOf(await apply(fleet, { output: 'json', quiet: true, autoApprove: true }));
    expect(unitOf(report, 'acc-1')).toMatchObject({
      result: 'refused',
      diagnostics: [{ code: 'first-apply' }],
    });
    expect(unitOf(report, 'acc-2').result).toBe('ok');
  });

  it('two units that turn out to be one account are both refused', async () => {
    const tokens = [{ token: canary(1) }, { token: canary(2) }];
    const fleet = await open(2, { accounts: [{ tokens }, { tokens: [{ token: canary(9) }] }] });
    const { code, stdout } = await apply(fleet);
    expect([
      code,
      JSON.parse(stdout).units.map((one: { diagnostics: { code: string }[] }) => one.diagnostics[0]?.code),
    ]).toEqual([3, ['account-shared', 'account-shared']]);
    expect(writes(fleet)).toEqual([]);
  });
});

describe('approval', () => {
  it('asks once for all, and only "yes" is accepted', async () => {
    const fleet = await open(2);
    const asked: string[] = [];
    const people = (answer: string): Partial<Io> => ({
      stdinIsTTY: true,
      stderrIsTTY: true,
      ask: async (question) => {
        asked.push(question);
        return answer;
      },
    });
    const no = await apply(fleet, QUIET, people('y'));
    expect([no.code, no.diagnostics[0]?.code, writes(fleet)]).toEqual([4, 'not-approved', []]);
    const nobody = await apply(fleet, QUIET);
    expect([nobody.code, writes(fleet)]).toEqual([4, []]);
    expect((await apply(fleet, QUIET, people('yes'))).code).toBe(0);
    expect(asked).toEqual(Array(2).fill('Apply these 2 plans? Only "yes" is accepted: '));
    await expectSettled(fleet);
  });

  it('--expect takes the digest of fleet plan; with any other nothing is sent', async () => {
    const fleet = await open(2);
    const digest = reportOf(await plan(fleet)).digest ?? '';
    for (const [name, text] of Object.entries(projectFiles({ buy: '0.9' })))
      fleet.write(`accounts/acc-1/${name}`, text);
    for (const length of [12, 32, 63]) {
      const short = await apply(fleet, { ...QUIET, expect: digest.slice(0, length) });
      expect([short.code, short.diagnostics[0]?.code, writes(fleet)]).toEqual([3, 'invalid-option', []]);
      expect(short.diagnostics[0]?.hint).toMatch(
        /two plans with the same first digits can be found.*`tradeform fleet plan` ends with the digest/,
      );
    }
    const other = await apply(fleet, { ...QUIET, expect: digest });
    expect([other.code, other.diagnostics[0]?.code, writes(fleet)]).toEqual([4, 'digest-differs', []]);
    expect(other.diagnostics[0]?.message).toMatch(
      /^the plan of the fleet is not the approved one: its digest/,
    );
    const now = reportOf(await plan(fleet)).digest ?? '';
    expect((await apply(fleet, { ...QUIET, expect: now })).code).toBe(0);
    await expectSettled(fleet);
  });

  it('the digest of the newest plan does not make up for what an earlier one approved and is left', async () => {
    const fleet = await open(2);
    const folder = (number: number) => join(fleet.path, `accounts/acc-${number}`);
    const buys = (number: number, buy: string) => {
      for (const [name, text] of Object.entries(projectFiles({ buy })))
        fleet.write(`accounts/acc-${number}/${name}`, text);
      commitAll(gitIn(folder(number)), 'one');
    };
    for (const number of [1, 2]) initRepository(folder(number));
    buys(1, '0.5');
    buys(2, '0.5');
    await apply(fleet);
    buys(1, '0.1');
    const only = { ...QUIET, only: 'pending' } as const;
    const planned = async () => reportOf(await fleet.run((io) => runReading('plan', only, io))).digest ?? '';
    const earlier = [await planned()];
    buys(2, '0.3');
    const task = [...fleet.sandbox.state.tasks.values()].find(({ account }) => account === 'account-1');
    fleet.sandbox.editStored(task?.id ?? '', { merge: { buy_amount: '9' } });
    const expected = await planned();
    fleet.sandbox.clearLog();
    const refused = await apply(fleet, { ...only, expect: expected, earlier });
    expect([refused.code, refused.diagnostics[0]?.code, writes(fleet)]).toEqual([4, 'digest-differs', []]);
    expect(refused.diagnostics[0]?.message).toMatch(/acc-1: sniper\/alpha stays as it is on the service/);
    expect((await apply(fleet, { ...only, expect: expected })).code).toBe(0);
  });

  it('a unit that changed since it was approved is refused, the others are carried out', async () => {
    const fleet = await open(2);
    let changed = false;
    fleet.onRequest(({ method }) => {
      if (method === 'GET' || changed) return;
      changed = true;
      // acc-1 is at work: nobody planned acc-2 again yet.
      for (const [name, text] of Object.entries(projectFiles({ buy: '9' })))
        fleet.write(`accounts/acc-2/${name}`, text);
    });
    const { digest = '' } = reportOf(await plan(fleet));
    const report = reportOf(await apply(fleet, { ...QUIET, expect: digest, accountsAtOnce: 1 }));
    expect(unitOf(report, 'acc-1').result).toBe('ok');
    expect(unitOf(report, 'acc-2')).toMatchObject({
      result: 'refused',
      diagnostics: [{ code: 'digest-differs' }],
    });
    expect([fleet.tasksOf(1).length, fleet.tasksOf(2).length]).toEqual([1, 0]);
  });
});

describe('saved plans', () => {
  it('are for the units that were chosen then: the printed command works as it is', async () => {
    const fleet = await open(3);
    const chosen = { ...QUIET, quiet: false, select: ['acc-1', 'acc-3'] };
    const { stderr } = await fleet.run((io) => runPlanOut('some', chosen, io));
    const [, digest] = /digest (\w{64}); apply them with `tradeform fleet apply some`/.exec(stderr) ?? [];
    const report = reportOf(await apply(fleet, QUIET, {}, 'some'));
    expect(report).toMatchObject({ exit_code: 0, digest, chosen: ['acc-1', 'acc-3'], summary: { ok: 2 } });
    expect([1, 2, 3].map((number) => fleet.tasksOf(number).length)).toEqual([1, 0, 1]);
    // A unit that is named has no plan there.
    expect((await apply(fleet, { ...QUIET, select: ['acc-2'] }, {}, 'some')).code).toBe(3);
  });

  it('a refused unit is listed without a plan and counts as invalid; a changed file or index is refused', async () => {
    const fleet = await open(3);
    projects(fleet, '{ guardrails: { max_starts: 0 } }', 3);
    expect((await save(fleet)).code).toBe(4);
    const file = join(fleet.path, 'plans/acc-1.plan.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"0.1"', '"7"'));
    const report = reportOf(await apply(fleet, QUIET, {}, 'plans'));
    expect(
      report.units.map(({ name, result, diagnostics }) => [name, result, diagnostics[0]?.code ?? null]),
    ).toEqual([
      ['acc-1', 'invalid', 'plan-file-invalid'],
      ['acc-3', 'invalid', 'plan-file-invalid'],
      ['acc-2', 'ok', null],
    ]);
    const index = join(fleet.path, 'plans/fleet-plans.json');
    const listed = readFileSync(index, 'utf8');
    const { format, digest } = JSON.parse(listed);
    const units = [[null], [{ name: 7 }], [{ name: 'acc-1', digest: 7 }], [[]], 'acc-1'];
    const broken = units.map((one) => JSON.stringify({ format, digest, units: one }));
    for (const text of [listed.replace('acc-3', 'acc-4'), ...broken]) {
      writeFileSync(index, text);
      const changed = await apply(fleet, QUIET, {}, 'plans');
      expect([changed.code, changed.diagnostics[0]?.code]).toEqual([3, 'plan-file-invalid']);
    }
  });

  it('a forged plan of a later wave is refused before the first wave', async () => {
    const fleet = await open(2);
    inTwoWaves(fleet);
    await save(fleet);
    const file = join(fleet.path, 'plans/acc-2.plan.json');
    const plan = JSON.parse(readFileSync(file, 'utf8'));
    const operations = JSON.parse(JSON.stringify(plan.operations).replaceAll('"0.2"', '"7"'));
    expect(operations).not.toEqual(plan.operations);
    writeFileSync(file, JSON.stringify({ ...plan, operations }));
    const result = await apply(fleet, { ...QUIET }, {}, 'plans');
    expect(unitOf(reportOf(result), 'acc-2').diagnostics[0]?.code).toBe('plan-file-invalid');
    expect(writes(fleet)).toEqual([]);
  });

  it('a plan that replaces another one after it was read, during an earlier wave, changes nothing', async () => {
    const fleet = await open(2);
    inTwoWaves(fleet);
    await save(fleet, 'old');
    for (const [name, text] of Object.entries(projectFiles({ buy: '0.7' })))
      fleet.write(`accounts/acc-2/${name}`, text);
    await save(fleet);
    fleet.onRequest(({ method }) => {
      if (method !== 'GET')
        copyFileSync(join(fleet.path, 'old/acc-2.plan.json'), join(fleet.path, 'plans/acc-2.plan.json'));
    });
    const report = reportOf(await apply(fleet, QUIET, {}, 'plans'));
    expect(unitOf(report, 'acc-1').result).toBe('ok');
    expect(unitOf(report, 'acc-2').result).toBe('ok');
    expect(fleet.tasksOf(2)).toMatchObject([{ config: { buy_amount: '0.7' } }]);
  });

  it('plans of a unit that was removed from the fleet are refused, not left out', async () => {
    const fleet = await open(2);
    const { digest = '' } = reportOf(await save(fleet));
    rmSync(join(fleet.path, 'accounts/acc-2'), { recursive: true });
    const { code, diagnostics } = await apply(fleet, { ...QUIET, expect: digest }, {}, 'plans');
    expect([code, diagnostics[0]?.message]).toEqual([
      3,
      'plans has plans of units that the fleet does not have: acc-2',
    ]);
    expect(writes(fleet)).toEqual([]);
  });

  it('plans of two units cannot be exchanged, and a folder with other files is left alone', async () => {
    const fleet = await open(2);
    await save(fleet);
    const [one, two] = ['acc-1', 'acc-2'].map((name) => join(fleet.path, `plans/${name}.plan.json`));
    const text = readFileSync(one ?? '', 'utf8');
    writeFileSync(one ?? '', readFileSync(two ?? '', 'utf8'));
    writeFileSync(two ?? '', text);
    expect((await apply(fleet, QUIET, {}, 'plans')).code).toBe(3);
    expect(writes(fleet)).toEqual([]);
    const other = await save(fleet, 'accounts');
    expect([other.code, other.diagnostics[0]?.code]).toEqual([3, 'invalid-option']);
  });
});

describe('interrupted', () => {
  it('Ctrl-C: work in progress is finished, the rest is not run, and the next apply continues', async () => {
    const fleet = await open(3);
    const soft = new AbortController();
    const stop = { soft: soft.signal, hard: new AbortController().signal };
    fleet.onRequest(({ method }) => {
      if (method !== 'GET') soft.abort();
    });
    const { code, stdout } = await apply(fleet, { ...AUTO, accountsAtOnce: 1 }, { stop });
    expect(code).toBe(130);
    expect(
      JSON.parse(stdout).units.map((one: { name: string; result: string }) => [one.name, one.result]),
    ).toEqual([
      ['acc-1', 'interrupted'],
      ['acc-2', 'not-run'],
      ['acc-3', 'not-run'],
    ]);
    expect(fleet.tasksOf(2)).toEqual([]);
    expect((await apply(fleet)).code).toBe(0);
    await expectSettled(fleet);
  });

  it('stopped hard at any request, the next apply ends like one that was never stopped', async () => {
    const whole = await open(2);
    let requests = 0;
    whole.onRequest(() => {
      requests += 1;
    });
    await apply(whole);
    for (let at = 1; at <= requests; at += 1) {
      if (!isPlayed(at, 12)) continue;
      const fleet = await open(2);
      const [soft, hard] = [new AbortController(), new AbortController()];
      let seen = 0;
      fleet.onRequest(() => {
        seen += 1;
        if (seen !== at) return;
        soft.abort();
        hard.abort();
      });
      await apply(fleet, AUTO, { stop: { soft: soft.signal, hard: hard.signal } });
      expect((await apply(fleet)).code, `stopped at ${at}`).toBe(0);
      for (const number of [1, 2]) expect(fleet.tasksOf(number)).toEqual(whole.tasksOf(number));
      await expectSettled(fleet);
    }
  });
});

describe('waves', () => {
  const waves = inTwoWaves;
  const results = (report: ReturnType<typeof reportOf>) =>
    Object.fromEntries(report.units.map(({ name, result }) => [name, result]));

  it('the next wave begins after the one before is proven done and the gate agrees, which gets no token', async () => {
    const fleet = await open(3);
    waves(fleet);
    const order: string[] = [];
    fleet.onRequest(({ method, token }) => {
      if (method !== 'GET' && order.at(-1) !== token) order.push(token);
    });
    const gate = 'env > seen.txt';
    expect(
      (await apply(fleet, { ...AUTO, gate, soak: 1 }, { env: { SPY: canary(2), OTHER: canary(9) } })).code,
    ).toBe(0);
    expect(order[0]).toBe(canary(1).slice(0, 17));
    expect(order.slice(1)).not.toContain(canary(1).slice(0, 17));
    const seen = readFileSync(join(fleet.path, 'seen.txt'), 'utf8');
    expect(seen).toContain('PATH=');
    expect(seen).not.toContain('canary-of');
  });

  it('of a wave, the account whose sum falls most begins first', async () => {
    const fleet = await open(4);
    // What git described is known, so no amount is hidden.
    for (const number of [1, 2, 3, 4]) {
      const path = join(fleet.path, `accounts/acc-${number}`);
      initRepository(path);
      commitAll(gitIn(path));
    }
    expect((await apply(fleet, AUTO)).code).toBe(0);
    for (const [number, buy] of [
      [1, '0.9'],
      [2, '0.1'],
      [3, '0.3'],
      [4, '0.1'],
    ] as const)
      for (const [name, text] of Object.entries(projectFiles({ buy })))
        fleet.write(`accounts/acc-${number}/${name}`, text);
    const order: string[] = [];
    fleet.onRequest(({ method, token }) => {
      if (method !== 'GET' && order.at(-1) !== token) order.push(token);
    });
    expect((await apply(fleet, { ...AUTO, accountsAtOnce: 1 })).code).toBe(0);
    expect(order).toEqual([4, 2, 1].map((number) => canary(number).slice(0, 17)));
  });

  it('a token that the service refuses to a later wave stops the run before its first wave', async () => {
    const fleet = await open(3);
    waves(fleet);
    const refused = { type: 'error', code: 'invalid_api_token' } as const;
    fleet.sandbox.faults.add({ token: canary(3).slice(0, 17), times: 0, fault: refused });
    const report = reportOf(await apply(fleet));
    expect(results(report)).toEqual({ 'acc-1': 'not-run', 'acc-2': 'not-run', 'acc-3': 'failed' });
    expect(unitOf(report, 'acc-1').diagnostics[0]?.message).toBe(
      'not started: no wave began: the token of acc-3 is refused; `--exclude acc-3` goes on without it',
    );
    // The plan of acc-3 will be part of the digest.
    const expected = await apply(fleet, { ...QUIET, expect: report.digest ?? '' });
    const [hint] = [report, reportOf(expected)].map((one) => unitOf(one, 'acc-1').diagnostics[0]?.hint);
    expect(hint).toContain('run the same command again');
    expect(unitOf(reportOf(expected), 'acc-1').diagnostics[0]?.hint).toContain('have another digest then');
    expect(writes(fleet)).toEqual([]);
    const rest = reportOf(await apply(fleet, { ...AUTO, exclude: ['acc-3'] }));
    expect(results(rest)).toEqual({ 'acc-1': 'ok', 'acc-2': 'ok' });
  });

  it('a gate that fails stops there, and the report says what is done and what is not', async () => {
    const fleet = await open(3);
    waves(fleet);
    const report = reportOf(await apply(fleet, { ...AUTO, gate: 'exit 7' }));
    expect(results(report)).toEqual({ 'acc-1': 'ok', 'acc-2': 'not-run', 'acc-3': 'not-run' });
    expect(unitOf(report, 'acc-2').diagnostics[0]?.message).toBe(
      'not started: wave 1 stopped, because the gate ended with 7: exit 7',
    );
    expect(unitOf(report, 'acc-2').diagnostics[0]?.hint).toContain('run the same command again');
    expect(report.exit_code).toBe(1);
    expect(fleet.tasksOf(2)).toEqual([]);
  });

  it('a gate that ignores the signal is ended', { timeout: 40_000 }, async () => {
    const fleet = await open(2);
    waves(fleet);
    const gate = 'trap "" TERM; kill -TERM $PPID; while :; do sleep 0.1; done';
    const args = ['fleet', 'apply', '-o', 'json', '--auto-approve', '--first-apply', '--gate', gate];
    const env = { TRADEFORM_TOKEN_ACC_1: canary(1), TRADEFORM_TOKEN_ACC_2: canary(2) };
    expect((await executable(args, { cwd: fleet.path, env })).code).toBe(130);
  });

  it('a signal between two waves ends the gate and what that started, and the report says what is done', async () => {
    const fleet = await open(2);
    waves(fleet);
    const gate = 'sleep 60 & echo $! > child; kill -TERM $PPID; wait';
    const args = ['fleet', 'apply', '-o', 'json', '--auto-approve', '--first-apply', '--gate', gate];
    const env = { TRADEFORM_TOKEN_ACC_1: canary(1), TRADEFORM_TOKEN_ACC_2: canary(2) };
    const { code, stdout } = await executable(args, { cwd: fleet.path, env });
    expect([code, results(JSON.parse(stdout))]).toEqual([130, { 'acc-1': 'ok', 'acc-2': 'not-run' }]);
    const child = Number(readFileSync(join(fleet.path, 'child'), 'utf8'));
    expect(child).toBeGreaterThan(1);
    // A zombie, which nobody has waited for yet, has ended too.
    const state = () => {
      try {
        return /^State:\s*(\w)/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1] ?? 'Z';
      } catch {
        return 'Z';
      }
    };
    await expect.poll(state, { timeout: 20_000 }).toBe('Z');
  });

  it('soak and gate also check the last wave, even if there is only one: everything is done, and the run is not green', async () => {
    const fleet = await open(2);
    const report = reportOf(await apply(fleet, { ...AUTO, gate: 'exit 7' }));
    expect(results(report)).toEqual({ 'acc-1': 'ok', 'acc-2': 'ok' });
    expect([report.exit_code, report.diagnostics]).toMatchObject([
      1,
      [
        {
          code: 'wave-unproven',
          message: 'all waves are done, but the last one is not proven: the gate ended with 7: exit 7',
        },
      ],
    ]);
    expect([fleet.tasksOf(1).length, fleet.tasksOf(2).length]).toEqual([1, 1]);
    for (const output of ['text', 'markdown', 'sarif', 'gitlab'])
      expect((await apply(fleet, { ...AUTO, output, gate: 'exit 7' })).stdout).toContain('wave-unproven');
    expect((await apply(fleet, { ...AUTO, soak: 1, gate: 'exit 0' })).code).toBe(0);
    await expectSettled(fleet);
  });

  it('a unit of a wave that fails stops the next one', async () => {
    const fleet = await open(2);
    waves(fleet);
    fleet.write('accounts/acc-1/manifests/bad.yaml', 'kind: Nothing\n');
    const report = reportOf(await apply(fleet));
    expect(results(report)).toEqual({ 'acc-1': 'invalid', 'acc-2': 'not-run' });
    expect(writes(fleet)).toEqual([]);
  });

  it('a task that stops during the soak stops the next wave', async () => {
    const fleet = await open(2);
    waves(fleet);
    let looks = 0;
    let written = false;
    fleet.onRequest(({ method, path }) => {
      written ||= method !== 'GET';
      if (written && path === '/me') looks += 1;
      const [task] = fleet.sandbox.state.tasks.values();
      if (looks === 2 && task?.is_active === true)
        fleet.sandbox.editStored(task.id, { is_active: false } as never);
    });
    const report = reportOf(await apply(fleet, { ...AUTO, soak: 1 }));
    expect(unitOf(report, 'acc-2').diagnostics[0]?.message).toBe(
      'not started: wave 1 stopped, because sniper/alpha of acc-1 was stopped in the meantime',
    );
    expect(results(report)).toEqual({ 'acc-1': 'ok', 'acc-2': 'not-run' });
  });
});
