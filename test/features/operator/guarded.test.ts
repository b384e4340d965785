import { beforeEach, describe, expect, test } from 'vitest';
import { copyTrade, sniper } from '../../manifest/samples.ts';
import { Desk } from '../stuck/desk.ts';
import { expectSchema, operate } from './operate.ts';

/** Guardrails hold where `resume` starts what is stored, and `release` obeys `protect`. */

let desk: Desk;
beforeEach(async () => {
  desk = await Desk.open({ ends: [], go: () => Promise.resolve() });
});

const ALPHA = sniper();
const BETA = sniper({ name: 'beta' });
const WHALE = copyTrade().replace('state: paused', 'state: active');

function guardrails(text: string): void {
  desk.projectFile(`  account: { token_prefix: svc_live_5a4d0b0c }\n  guardrails: ${text}\n`);
}

const running = () =>
  desk
    .tasks()
    .filter(({ is_active }) => is_active)
    .map(({ remark }) => /core\/(\w+)/.exec(remark)?.[1])
    .sort();
const writes = () => desk.sandbox.log.filter(({ method }) => method !== 'GET').length;

/** All applied and paused, and the limit written after that. */
async function paused(limits: string, ...documents: readonly string[]): Promise<void> {
  await desk.applied(...documents);
  await desk.take('tradeform pause --all --no-freeze');
  guardrails(limits);
  desk.sandbox.clearLog();
}

describe('resume', () => {
  test.each([
    ['max_buy_amount: 0.2', 'guardrail-max-buy-amount'],
    ['max_exposure: 0.4', 'guardrail-max-exposure'],
    ['max_starts: 0', 'guardrail-max-starts'],
    [
      'policies: [{ name: small, message: Ask Mira, schema: { properties: { spec: { properties: { config: { properties: { buy_amount: { decimalMaximum: "0.2" } } } } } } } }]',
      'guardrail-policy',
    ],
  ])('%s refuses, also after a yes; --override allows exactly this resume', async (limit, code) => {
    await paused(`{ ${limit} }`, ALPHA);
    for (const line of ['resume alpha', 'resume --all --auto-approve', 'resume --all --dry-run']) {
      const { text } = await desk.run(`tradeform ${line}`);
      expect(text, line).toContain(`error[${code}]`);
    }
    // What it would do is listed as where nothing refuses it.
    for (const line of ['resume --all --auto-approve', 'resume --all --dry-run'])
      expect((await desk.take(`tradeform ${line}`, 4)).text).toMatch(
        / 1 task would start.* Nothing was sent\..* Would start trading \(1\) ► sniper\/alpha.* Digest \w{64} .*error\[/,
      );
    const json = await operate(desk.project).resume([], { all: true, dryRun: true, output: 'json' });
    expect([json.code, expectSchema('report', json.stdout)]).toMatchObject([
      4,
      {
        outcome: 'refused',
        dry_run: true,
        summary: { planned: 1, done: 0 },
        changes: [{ address: 'sniper/alpha', status: 'planned' }],
        diagnostics: expect.arrayContaining([expect.objectContaining({ severity: 'error', code })]),
      },
    ]);
    expect({ running: running(), writes: writes() }).toEqual({ running: [], writes: 0 });
    const { text } = await desk.run('tradeform resume --all --auto-approve');
    const [, options = ''] = /For this resume alone: (--override \S+)/.exec(text) ?? [];
    const [, other = ''] = /--override ([\w/-]+)=/.exec(options) ?? [];
    await desk.take(`tradeform resume --all --auto-approve --override ${other}=${'0'.repeat(64)}`, 4);
    await desk.take(`tradeform resume --all --auto-approve ${options}`);
    expect(running()).toEqual(['alpha']);
  });

  test('an override is void after the task changed', async () => {
    await paused('{ max_buy_amount: 0.2 }', ALPHA);
    const { text } = await desk.run('tradeform resume --all --auto-approve');
    const [options = ''] = /--override max_buy_amount=\w+/.exec(text) ?? [];
    const { config } = desk.task('alpha');
    desk.edit('alpha', { config: { ...config, buy_amount: '7' } });
    const again = await desk.take(`tradeform resume --all --as-stored --auto-approve ${options}`, 4);
    expect(again.text).toContain('error[override-other-plan]');
    expect(running()).toEqual([]);
  });

  test('running tasks of every kind count for max_exposure', async () => {
    await desk.applied(WHALE, ALPHA);
    await desk.take('tradeform pause alpha');
    guardrails('{ max_exposure: 1.6 }');
    const { text } = await desk.take('tradeform resume sniper/alpha --auto-approve', 4);
    expect(text).toMatch(/The resume puts 2\.\d+ SOL \(now 1\.\d+\) at stake per trigger/);
    await desk.take('tradeform pause whale');
    await desk.take('tradeform resume sniper/alpha --auto-approve');
    expect(running()).toEqual(['alpha']);
  });

  test('removing a mark is no start', async () => {
    await desk.applied(ALPHA, BETA);
    desk.edit('beta', { is_active: false });
    await desk.take('tradeform pause --all --no-freeze');
    guardrails('{ max_starts: 1 }');
    const { text } = await desk.take('tradeform resume --all --auto-approve');
    expect(text).toContain('1 task started; 1 stays off.');
    await desk.take('tradeform pause --all --no-freeze');
    guardrails('{ max_starts: 1 }');
    const refused = await desk.take('tradeform resume --all --held --auto-approve', 4);
    expect(refused.text).toContain(
      'The resume starts 2 tasks (sniper/alpha, sniper/beta), but max_starts allows 1',
    );
    expect(refused.text).toContain('Name fewer tasks, or raise max_starts (tradeform.yaml:7)');
    expect(running()).toEqual([]);
  });

  test.each(['0.1', '10%'])(
    'max_exposure_rise: %s lets go on what the switch stopped, and counts what a person did',
    async (most) => {
      await desk.applied(ALPHA, BETA);
      await desk.take('tradeform pause beta');
      desk.edit('alpha', { is_active: false });
      guardrails(`{ max_exposure_rise: "${most}" }`);
      await desk.take('tradeform resume --all --auto-approve');
      expect(running()).toEqual(['beta']);
      const { text } = await desk.take('tradeform resume alpha --auto-approve', 4);
      expect(text).toContain('error[guardrail-max-exposure-rise]');
    },
  );

  test('the default of max_starts allows what the switch stopped, and counts what a person stopped', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `t${index}`);
    await desk.applied(...names.map((name) => sniper({ name })));
    await desk.take('tradeform pause --all --no-freeze');
    await desk.take('tradeform resume --all --auto-approve');
    expect(running()).toHaveLength(12);
    for (const name of names) desk.edit(name, { is_active: false });
    const { text } = await desk.take('tradeform resume --all --held --auto-approve', 4);
    expect(text).toContain('but max_starts allows 10');
    expect(running()).toEqual([]);
  });

  test('a pending start was counted when it was requested', async () => {
    await desk.applied(ALPHA);
    const { version } = desk.task('alpha');
    desk.edit('alpha', { is_active: false, remark: `[git:core/alpha@${version + 1}]` });
    guardrails('{ max_starts: 0 }');
    await desk.take('tradeform resume --all --auto-approve');
    expect(running()).toEqual(['alpha']);
  });

  test('a limit that only warns is reported and starts; a task of another project is not judged', async () => {
    await paused('{ max_buy_amount: { limit: 0.2, action: warn } }', ALPHA);
    const { text } = await desk.take('tradeform resume --all --auto-approve');
    expect(text).toContain('warning[guardrail-max-buy-amount]');
    expect(running()).toEqual(['alpha']);
    await desk.take('tradeform pause --all --no-freeze');
    guardrails('{ max_buy_amount: 0.2 }');
    const { id } = desk.task('alpha');
    desk.sandbox.editStored(id, { remark: 'Mine' });
    await desk.take(`tradeform resume ${id} --include-unmanaged --auto-approve`);
  });

  test('limits apply although manifests are broken, and show no value then', async () => {
    await paused('{ max_buy_amount: 0.2 }', ALPHA);
    desk.manifests('kind: [');
    const { text } = await desk.take('tradeform resume --all --auto-approve --as-stored', 4);
    expect(text).toContain('which is not shown: a buy amount is over max_buy_amount.');
    expect(text).not.toContain(String(desk.task('alpha').config.buy_amount));
    await desk.take('tradeform pause --all --no-freeze');
  });
});

describe('release obeys protect', () => {
  const refused = async (line: string) => {
    const { text } = await desk.take(line, 4);
    expect(text).toMatch(/ Nothing was sent\..* Would lose the marker \(1\).*error\[guardrail-protect\]/);
    expect(writes()).toBe(0);
  };

  test('although the manifests are broken', async () => {
    await desk.applied(ALPHA);
    guardrails('{ protect: ["sniper/al*"] }');
    desk.manifests('kind: [');
    desk.sandbox.clearLog();
    await refused(`tradeform release --id ${desk.task('alpha').id} --auto-approve`);
  });

  test('under the name that git gives the task, too', async () => {
    await desk.applied(ALPHA);
    guardrails('{ protect: [sniper/next] }');
    desk.manifests(sniper({ name: 'next' }).replace('name: next', 'name: next\n  previous_name: alpha'));
    desk.sandbox.clearLog();
    await refused(`tradeform release --id ${desk.task('alpha').id} --auto-approve`);
  });

  test('if it only warns, the warning is shown', async () => {
    await desk.applied(ALPHA);
    guardrails('{ protect: { limit: [sniper/alpha], action: warn } }');
    const { text } = await desk.take(`tradeform release --id ${desk.task('alpha').id} --auto-approve`);
    expect(text).toContain('warning[guardrail-protect]');
  });
});
