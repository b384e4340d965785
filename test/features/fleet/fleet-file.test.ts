import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Io } from '../../../src/core/command/io.ts';
import { runReading } from '../../../src/kit/fleet/commands.ts';
import type { FleetOptions } from '../../../src/kit/fleet/fleet.ts';
import { type InitFleetOptions, runInitFleet } from '../../../src/kit/fleet/init.ts';
import { runMerge } from '../../../src/kit/fleet/merge.ts';
import { sniperConfig, walletOf } from '../../support/builders.ts';
import { canary, type FleetRun, openFleetRun, reportOf, unitOf } from './fleet-run.ts';

let fleet: FleetRun;

const validate = () => fleet.run((io) => runReading('validate', { output: 'json', quiet: true }, io));
const plan = () => fleet.run((io) => runReading('plan', { output: 'json', quiet: true }, io));

function document(spec: string): string {
  return `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec:\n${spec}`;
}

describe('the fleet file', () => {
  it('everything that is wrong with it is reported at once, with place and hint', async () => {
    fleet = await openFleetRun(2);
    fleet.write(
      'fleet.yaml',
      document(`  units:
    - { project: accounts/acc-1, token_env: TRADEFORM_A }
    - { project: accounts/acc-1, token_env: TRADEFORM_B, base_url: http://example.com/v1 }
    - { project: accounts/acc-2, base_url: "https://api.example.com/v1" }
    - { project: accounts/acc-2, name: two, base_url: "https://api.example.com/v1", token_env: TRADEFORM_C, token_file: c }
    - { project: nowhere/*, base_url: "https://api.example.com/v1", token_env: TRADEFORM_D, account: { login_username: x } }
  waves: [[acc-1]]
`),
    );
    const { code, diagnostics, stdout } = await validate();
    expect([code, stdout]).toEqual([3, '']);
    expect(
      diagnostics.map(({ code: what, location, hint }) => [
        what,
        location?.line,
        location?.column,
        hint !== undefined,
      ]),
    ).toEqual([
      ['base-url-missing', 6, 7, true],
      ['base-url-invalid', 7, 68, true],
      ['token-missing', 8, 7, true],
      ['missing-field', 8, 7, true],
      ['invalid-value', 9, 7, true],
      ['missing-field', 9, 7, true],
      ['invalid-value', 10, 102, true],
      ['no-project-file', 10, 18, false],
      ['duplicate-name', 7, 7, true],
      ['account-shared', 9, 7, true],
    ]);
  });

  it('an unknown field is reported with the probable one', async () => {
    fleet = await openFleetRun(1);
    fleet.write('fleet.yaml', document('  units:\n    - { project: accounts/acc-1, token_enf: A }\n'));
    const { code, diagnostics } = await validate();
    expect(code).toBe(3);
    expect(diagnostics).toMatchObject([{ code: 'unknown-field', location: { file: 'fleet.yaml', line: 6 } }]);
    expect(diagnostics[0]?.hint).toContain('token_env');
  });

  it('a named folder is left out of the patterns, and a unit’s wave is the first that names it', async () => {
    fleet = await openFleetRun(3);
    fleet.write(
      'fleet.yaml',
      document(`  base_url: ${fleet.baseUrl}
  units:
    - { project: "accounts/*", token_env: "TRADEFORM_TOKEN_{NAME}", tags: [many] }
    - { name: canary, project: ./accounts/acc-2, token_env: TRADEFORM_TOKEN_ACC_2, tags: [first] }
    - { name: last, project: accounts/acc-3, token_env: TRADEFORM_TOKEN_LAST, environment: nowhere, wave: 7 }
  waves: [[first], ["*"]]
`),
    );
    const report = reportOf(await validate());
    expect(report.chosen).toEqual(['acc-1', 'acc-3', 'canary', 'last']);
    const waves = report.units.map(({ name, wave }) => [name, wave]);
    expect(Object.fromEntries(waves)).toEqual({ canary: 1, 'acc-1': 2, 'acc-3': 2, last: 7 });
    expect(unitOf(report, 'last').diagnostics).toMatchObject([{ code: 'environment-unknown' }]);
  });

  it('is refused if others may write it, unless it is named', async () => {
    fleet = await openFleetRun(1);
    chmodSync(join(fleet.path, 'fleet.yaml'), 0o666);
    const { code, diagnostics } = await plan();
    expect([code, diagnostics.map((one) => one.code)]).toEqual([3, ['project-not-yours']]);
    expect(fleet.sandbox.log).toEqual([]);
    const named = await fleet.run((io) =>
      runReading('plan', { output: 'json', quiet: true, fleet: 'fleet.yaml' }, io),
    );
    expect(named.code).toBe(0);
  });

  it('a new folder does not get the token of another unit whose name gives the same variable', async () => {
    fleet = await openFleetRun(2);
    const project = 'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: mine }\n';
    fleet.write('accounts/acc.2/tradeform.yaml', project);
    const { code, diagnostics } = await plan();
    expect([code, diagnostics.map((one) => [one.code, one.message])]).toEqual([
      3,
      [['account-shared', 'acc-2 and acc.2 both take their token from TRADEFORM_TOKEN_ACC_2']],
    ]);
    expect(fleet.sandbox.log).toEqual([]);
  });

  it('is out of place among manifests', async () => {
    fleet = await openFleetRun(1);
    fleet.write('accounts/acc-1/manifests/fleet.yaml', document('  units: [{ project: a }]\n'));
    const [unit] = reportOf(await validate()).units;
    expect(unit?.document).toMatchObject({ diagnostics: [{ code: 'unknown-kind' }] });
  });
});

describe('a unit that differs from the fleet file is refused before a request', () => {
  const refused = async (name: string, code: string) => {
    const result = await plan();
    expect(result.code).toBe(3);
    const unit = unitOf(reportOf(result), name);
    expect([unit.result, unit.diagnostics.map((one) => one.code)]).toEqual(['invalid', [code]]);
  };

  it('its project file names another host', async () => {
    fleet = await openFleetRun(2);
    fleet.write(
      'accounts/acc-1/tradeform.yaml',
      'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { base_url: "https://evil.example/v1" }\n',
    );
    await refused('acc-1', 'unit-host-differs');
    expect(new Set(fleet.sandbox.log.map(({ token_prefix }) => token_prefix))).toEqual(
      new Set(['svc_live_0ca9a202']),
    );
  });

  it('its folder has no project file, even if a folder above has one', async () => {
    fleet = await openFleetRun(1, {
      units: '    - { project: accounts/acc-1/manifests, token_env: TRADEFORM_TOKEN_OTHER }\n',
    });
    const unit = unitOf(reportOf(await plan()), 'manifests');
    expect(unit.diagnostics.map(({ code }) => code)).toContain('no-project-file');
  });

  it('its project file is a link without a target', async () => {
    fleet = await openFleetRun(2);
    const file = join(fleet.path, 'accounts/acc-2/tradeform.yaml');
    rmSync(file);
    symlinkSync('nowhere.yaml', file);
    fleet.write('accounts/README.md', 'A file is no project.\n');
    await refused('acc-2', 'no-project-file');
  });

  it('its project has another name', async () => {
    fleet = await openFleetRun(1);
    fleet.write(
      'fleet.yaml',
      document(
        `  units: [{ project: accounts/acc-1, base_url: "${fleet.baseUrl}", token_env: TRADEFORM_TOKEN_ACC_1, project_name: other }]\n`,
      ),
    );
    await refused('acc-1', 'plan-elsewhere');
    expect(fleet.sandbox.log).toEqual([]);
  });

  it('two units are one project on one account', async () => {
    fleet = await openFleetRun(2);
    const token = 'token_env: TRADEFORM_TOKEN_ACC_1, base_url: ';
    fleet.write(
      'fleet.yaml',
      document(
        `  units:\n    - { project: accounts/acc-1, ${token} "${fleet.baseUrl}" }\n    - { project: accounts/acc-2, ${token} "${fleet.baseUrl}" }\n`,
      ),
    );
    await refused('acc-2', 'account-shared');
  });

  it('the account is not the one that the fleet file pins', async () => {
    fleet = await openFleetRun(1);
    fleet.write(
      'fleet.yaml',
      document(
        `  units: [{ project: accounts/acc-1, base_url: "${fleet.baseUrl}", token_env: TRADEFORM_TOKEN_ACC_1, account: { login_username: other } }]\n`,
      ),
    );
    for (const command of ['plan', 'status', 'drift'] as const) {
      const result = await fleet.run((io) => runReading(command, { output: 'json', quiet: true }, io));
      expect([command, result.code]).toEqual([command, 4]);
      expect(unitOf(reportOf(result), 'acc-1').diagnostics).toMatchObject([
        {
          code: 'account-mismatch',
          message: expect.stringContaining('the fleet file pins login_username other'),
        },
      ]);
    }
  });
});

describe('fleet init', () => {
  it('writes a unit for each environment of each project, which validate and plan accept', async () => {
    fleet = await openFleetRun(2);
    fleet.write(
      'accounts/acc-2/tradeform.yaml',
      `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { environments: { eu: { base_url: "${fleet.baseUrl}", account: { login_username: whales-2 } }, us: {} } }\n`,
    );
    rmSync(join(fleet.path, 'fleet.yaml'));
    const here = { baseUrl: fleet.baseUrl };
    const init = async (options: FleetOptions) => fleet.run((io) => runInitFleet('accounts', options, io));
    expect(await init(here)).toMatchObject({ code: 0, diagnostics: [] });
    expect((await init(here)).code).toBe(3);
    expect(reportOf(await validate()).chosen).toEqual(['acc-1', 'acc-2-eu', 'acc-2-us']);
    const planned = await fleet.run((io) =>
      runReading(
        'plan',
        { output: 'json', quiet: true, select: ['*-eu'] },
        { ...io, env: { ...io.env, TRADEFORM_TOKEN_ACC_2_EU: io.env.TRADEFORM_TOKEN_ACC_2 } },
      ),
    );
    expect(reportOf(planned)).toMatchObject({ exit_code: 0, units: [{ account: 'whales-2' }] });
  });

  it('init --from-live writes the project of each account, goes on after a failure, and overwrites nothing', async () => {
    const whale = 'C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG';
    const task = { kind: 'sniper' as const, target_wallet: whale, config: sniperConfig(), is_active: true };
    fleet = await openFleetRun(4, {
      accounts: [
        {
          tasks: [
            { ...task, remark: `One ${'x'.repeat(60)}` },
            { ...task, remark: 'copy [git:old]' },
          ],
        },
        {},
        { tasks: [{ ...task, remark: 'Three' }] },
        {},
      ],
    });
    const unit = (name: string, number: number, more = '') =>
      `    - { name: ${name}, project: live/${name}, token_env: TRADEFORM_TOKEN_${number}${more} }\n`;
    const units = [
      unit('one', 1, ', project_name: one'),
      unit('two', 2),
      unit('three', 3),
      unit('eu', 4, ', environment: eu'),
      unit('again', 1),
    ];
    const theirs = 'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: theirs }\n';
    fleet.write('live/two/tradeform.yaml', theirs);
    fleet.write('fleet.yaml', document(`  base_url: ${fleet.baseUrl}\n  units:\n${units.join('')}`));
    const tokens = (third: string) => ({
      TRADEFORM_TOKEN_1: canary(1),
      TRADEFORM_TOKEN_2: canary(2),
      TRADEFORM_TOKEN_3: third,
      TRADEFORM_TOKEN_4: canary(4),
    });
    const run = (third: string, options: InitFleetOptions) =>
      fleet.run((io) => runInitFleet(undefined, { ...options, fromLive: true }, io), { env: tokens(third) });
    const text = (file: string) => readFileSync(join(fleet.path, 'live', file), 'utf8');

    const first = await run(`${canary(3)}x`, { select: ['one', 'two', 'three'] });
    expect(first.code, first.stdout).toBe(1);
    expect(first.stdout).toContain('3 accounts: 1 failed, 2 ok');
    const rows = first.stdout.split('\n').map((line) => line.trim());
    expect(rows).toContain('1 manifest written; 1 left on the service');
    expect(rows).toContain('unchanged: it has a project');
    expect(first.stdout).toContain('looks like a marker. It trades 0.5025 SOL outside git.');
    expect(first.stdout).toContain('one-xxxx: remark cannot be written as stored;');
    expect(first.stdout).toMatch(/token refused$/m);
    expect(first.stdout).not.toContain(canary(3));
    expect(text('two/tradeform.yaml')).toBe(theirs);
    expect(text('one/tradeform.yaml')).toMatch(/name: one .*login_username: "whales-1"/s);
    expect(existsSync(join(fleet.path, 'live/three'))).toBe(false);

    const before = text('one/tradeform.yaml');
    const second = reportOf(await run(canary(3), { output: 'json', quiet: true }));
    expect(second.exit_code).toBe(3);
    const results = second.units.map(({ name, result, diagnostics, document }) => [
      name,
      result,
      ...diagnostics.map(({ code }) => code),
      ...('made' in (document ?? {})
        ? [(document as { made?: string[] }).made?.includes('tradeform.yaml')]
        : []),
    ]);
    expect(results.sort()).toEqual([
      ['again', 'invalid', 'account-shared'],
      ['eu', 'invalid', 'environment-unknown'],
      ['one', 'ok', false],
      ['three', 'ok', true],
      ['two', 'ok', false],
    ]);
    expect(text('one/tradeform.yaml')).toBe(before);
  });

  it('init --from-live refuses an account with two tokens or without a name, and a folder with two names', async () => {
    const [whale, other] = [1, 2].map((key) => ({ token: `svc_live_0000000${key}.${'k'.repeat(20)}` }));
    const task = {
      kind: 'sniper' as const,
      target_wallet: walletOf('w'),
      config: sniperConfig(),
      remark: 'A',
    };
    for (const login_username of ['whales', null]) {
      fleet = await openFleetRun(2, {
        accounts: [
          {
            login_username,
            tasks: [task],
            tokens: [{ token: canary(1) }, whale, other].flatMap((one) => one ?? []),
          },
          {},
        ],
      });
      mkdirSync(join(fleet.path, 'real'));
      symlinkSync('real', join(fleet.path, 'linked'));
      const unit = (name: string, folder: string, token: string) =>
        `    - { name: ${name}, project: ${folder}, token_env: TRADEFORM_TOKEN_${token} }\n`;
      const units = [
        unit('a', 'a', 'ACC_1'),
        unit('b', 'b', 'B'),
        unit('c', 'real/c', 'ACC_2'),
        unit('d', 'linked/c', 'D'),
      ];
      fleet.write('fleet.yaml', document(`  base_url: ${fleet.baseUrl}\n  units:\n${units.join('')}`));
      const env = { TRADEFORM_TOKEN_B: whale?.token, TRADEFORM_TOKEN_D: other?.token };
      const options = { fromLive: true, output: 'json', quiet: true, accountsAtOnce: 1 } as const;
      for (const _again of [1, 2]) {
        const report = reportOf(await fleet.run((io) => runInitFleet(undefined, options, io), { env }));
        const said = report.units.map(({ name, diagnostics }) => [
          name,
          ...diagnostics.map(({ code }) => code),
        ]);
        const shared = ['b', 'c', 'd'].map((name) => [name, 'account-shared']);
        expect(said.sort()).toEqual([['a'], ...shared]);
        expect(['b', 'real/c'].map((name) => existsSync(join(fleet.path, name)))).toEqual([false, false]);
      }
    }
  });

  it.each([
    [undefined, { select: ['acc-1'] }, 'cannot be combined with --select'],
    ['accounts', { fromLive: true }, 'takes the folders from the fleet file'],
  ])('init of %s with %j ignores nothing that was written', async (folder, options, word) => {
    fleet = await openFleetRun(1);
    const { code, diagnostics } = await fleet.run((io) => runInitFleet(folder, options, io));
    expect([code, diagnostics[0]?.message]).toEqual([3, expect.stringContaining(word)]);
  });

  it('init writes nothing where a project file has errors, and names each with its folder', async () => {
    fleet = await openFleetRun(3);
    rmSync(join(fleet.path, 'fleet.yaml'));
    const text =
      'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { environmnts: {} }\n';
    fleet.write('accounts/acc-2/tradeform.yaml', text);
    fleet.write('accounts/acc-3/tradeform.yaml', '');
    const { code, diagnostics } = await fleet.run((io) =>
      runInitFleet(undefined, { baseUrl: fleet.baseUrl }, io),
    );
    expect([code, existsSync(join(fleet.path, 'fleet.yaml'))]).toEqual([3, false]);
    expect(diagnostics.map(({ code: said, location }) => [said, location?.file])).toEqual([
      ['unknown-field', 'accounts/acc-2/tradeform.yaml'],
      ['no-manifests', 'accounts/acc-3/tradeform.yaml'],
    ]);
  });

  it.each(['nowhere', 'fleet.yaml'])('init and merge refuse %s, which is no folder', async (folder) => {
    fleet = await openFleetRun(1);
    for (const run of [
      (io: Io) => runInitFleet(folder, { fleet: 'other.yaml' }, io),
      (io: Io) => runMerge(folder, {}, io),
    ]) {
      const { code, diagnostics } = await fleet.run(run);
      expect([code, diagnostics[0]?.code]).toEqual([3, 'invalid-option']);
    }
  });

  it('no project file decides where a token goes', async () => {
    fleet = await openFleetRun(1);
    rmSync(join(fleet.path, 'fleet.yaml'));
    fleet.write(
      'accounts/acc-1/tradeform.yaml',
      'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { base_url: "https://evil.example/v1", token_file: "secret\\nspec: token" }\n',
    );
    const confirmed = { TRADEFORM_CONFIRMED_HOSTS: '*=https://evil.example' };
    const none = await fleet.run((io) => runInitFleet(undefined, {}, io), { env: confirmed });
    expect([none.code, none.diagnostics[0]?.code]).toEqual([3, 'invalid-option']);
    const here = { ...confirmed, TRADEFORM_BASE_URL: fleet.baseUrl };
    expect((await fleet.run((io) => runInitFleet(undefined, {}, io), { env: here })).code).toBe(0);
    const text = readFileSync(join(fleet.path, 'fleet.yaml'), 'utf8');
    expect(text).toContain(`  base_url: "${fleet.baseUrl}"\n  units:`);
    expect(text).toContain('token_env: "TRADEFORM_TOKEN_{NAME}"');
    expect(text).not.toMatch(/evil|token_file|^spec: token/m);
    const env = { TRADEFORM_TOKEN_ACC_1: 'svc_live_0ca9a201.x' };
    const { code } = await fleet.run((io) => runReading('plan', { output: 'json', quiet: true }, io), {
      env,
    });
    expect([code, fleet.sandbox.log]).toEqual([3, []]);
  });
});
