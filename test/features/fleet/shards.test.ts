import { readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FleetReport } from '../../../src/core/model/generated/fleet-report.ts';
import { runApplyFleet } from '../../../src/kit/fleet/apply.ts';
import { type FleetCommandOptions, runReading } from '../../../src/kit/fleet/commands.ts';
import { type MatrixOptions, runMatrix } from '../../../src/kit/fleet/matrix.ts';
import { runMerge } from '../../../src/kit/fleet/merge.ts';
import { strangers } from '../../render/markdown/reading.ts';
import { type FleetRun, openFleetRun, reportOf } from './fleet-run.ts';

let fleet: FleetRun;

const QUIET = { output: 'json', quiet: true } as const;
type Reading = Parameters<typeof runReading>[0];
const run = (command: Reading, options: FleetCommandOptions = {}, env: Record<string, string> = {}) =>
  fleet.run((io) => runReading(command, { ...QUIET, ...options }, io), { env });
const merge = (directory = 'shards', options: FleetCommandOptions = {}) =>
  fleet.run((io) => runMerge(directory, { ...QUIET, ...options }, io));
const NEW = 'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\n';

/** Runs every shard and keeps its document. */
async function runShards(command: Reading, of: number): Promise<void> {
  rmSync(join(fleet.path, 'shards'), { recursive: true, force: true });
  for (let index = 1; index <= of; index += 1) {
    const { stdout } = await run(command, { shard: `${index}/${of}`, run: 'one' });
    fleet.write(`shards/${index}.json`, stdout);
  }
}

async function membersOf(of: number): Promise<ReadonlyMap<string, number>> {
  const members = new Map<string, number>();
  for (let index = 1; index <= of; index += 1) {
    const report = reportOf(await run('validate', { shard: `${index}/${of}` }));
    for (const { name } of report.units) {
      expect(members.has(name)).toBe(false);
      members.set(name, index);
    }
  }
  return members;
}

function timeless(stdout: string): unknown {
  return JSON.parse(stdout.replaceAll(/"created_at": "[^"]*"/g, '"created_at": ""'));
}

/** What `-o json` prints where a command fails. */
const FAILED = { format: 'tradeform.result/1', command: 'plan', ok: false, exit_code: 1, diagnostics: [] };

function withDocument(text: string, document: unknown): string {
  const report = JSON.parse(text) as { units: { document: unknown }[] };
  for (const unit of report.units) unit.document = document;
  return JSON.stringify(report);
}

function withStakes(text: string, before: string): string {
  const report = JSON.parse(text) as FleetReport;
  const units = report.units.map((unit) => ({ ...unit, stakes: { ...unit.stakes, before } }));
  return JSON.stringify({ ...report, units });
}

describe('shards', () => {
  it('merged equal one run, whatever their number', async () => {
    fleet = await openFleetRun(5);
    fleet.write('accounts/acc-4/manifests/bad.yaml', 'kind: Nothing\n');
    const whole = await run('plan');
    for (const of of [1, 2, 4]) {
      await runShards('plan', of);
      const merged = await merge();
      expect([merged.code, timeless(merged.stdout)]).toEqual([whole.code, timeless(whole.stdout)]);
    }
  });

  it('a missing shard means units that nobody examined: never green', async () => {
    fleet = await openFleetRun(5);
    await runShards('drift', 2);
    rmSync(join(fleet.path, 'shards/2.json'));
    const { code, stdout } = await merge();
    const report = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(report.summary).toMatchObject({
      units: 5,
      not_run: 5 - reportOf(await run('drift', { shard: '1/2' })).units.length,
    });
    expect(report.units[0]).toMatchObject({
      result: 'not-run',
      exit_code: 1,
      diagnostics: [{ code: 'unit-not-run' }],
    });
  });

  it('two units of one project on one account are found, even in separate shards', async () => {
    fleet = await openFleetRun(4, {
      accounts: [1, 2, 3, 4].map((number) => ({ login_username: number < 3 ? 'same' : `other-${number}` })),
    });
    for (const of of [1, 2, 3, 4]) {
      await runShards('plan', of);
      const report = reportOf(await merge());
      const refused = report.units.filter(({ result }) => result === 'invalid');
      expect([report.exit_code, refused.map(({ name }) => name).sort()]).toEqual([3, ['acc-1', 'acc-2']]);
      for (const { diagnostics } of refused)
        expect(diagnostics.map(({ code }) => code)).toEqual(['account-shared']);
    }
  });

  it('two projects of one account that were not carried out are not taken for one project', async () => {
    fleet = await openFleetRun(2);
    const { stdout } = await run('plan', { shard: '1/1', run: 'one' });
    const report = JSON.parse(stdout) as FleetReport;
    // As an apply leaves a unit with a plan that it did not begin.
    const left = { account: 'same', result: 'not-run', exit_code: 1, document: null, stakes: null };
    const units = report.units.map((unit) => ({ ...unit, ...left, diagnostics: [] }));
    fleet.write('shards/1.json', JSON.stringify({ ...report, exit_code: 1, units }));
    const merged = await merge('shards', { run: 'one' });
    expect([merged.code, reportOf(merged).summary.not_run]).toEqual([1, 2]);
  });

  it('documents that do not belong together are refused', async () => {
    fleet = await openFleetRun(3);
    await runShards('plan', 2);
    const refused = async () => {
      const { code, diagnostics, stdout } = await merge();
      expect([code, stdout.slice(0, 200)]).toEqual([3, '']);
      return diagnostics[0]?.message;
    };
    fleet.write('shards/3.json', (await run('plan', { shard: '1/2', run: 'one' })).stdout);
    expect(await refused()).toMatch(/^two documents have the unit acc-/);
    fleet.write('shards/3.json', (await run('drift', { shard: '1/2', run: 'one' })).stdout);
    expect(await refused()).toMatch(/^shards\/3\.json|^3\.json is of another run than 1\.json/);
    rmSync(join(fleet.path, 'shards/3.json'));
    const own = (await run('plan', { shard: '1/2', run: 'one' })).stdout;
    rmSync(join(fleet.path, 'shards/1.json'));
    for (const [text, said] of [
      [own.replace(/("result": "ok",\s*"exit_code": )0/, '$17'), 'exit_code must be equal to one of'],
      [own.replace(/("result": "ok",\s*"exit_code": )0/, '$12'), 'does not match its exit code'],
      [own.replace(/("name": "acc-)\d/, '$19'), 'was changed after it was written'],
      [withStakes(own, 'much'), 'is not an amount'],
      [withDocument(own, null), 'but no document that shows it'],
      [withDocument(own, FAILED), 'but no document that shows it'],
      ['{ "format": "tradeform.fleet/1", "units"', 'it is not JSON'],
      [
        (await run('plan', { shard: '2/2', run: 'one' })).stdout.replace('"index": 2', '"index": 1'),
        'not one of',
      ],
    ] as const) {
      fleet.write('shards/1.json', text);
      expect([said, await refused()]).toEqual([said, expect.stringContaining(said)]);
    }
    rmSync(join(fleet.path, 'shards'), { recursive: true });
    expect((await merge()).code).not.toBe(0);
  });

  it('nothing in a document that others wrote is more than text in the report', async () => {
    fleet = await openFleetRun(1);
    const { stdout } = await run('status', { shard: '1/1', run: 'one' });
    const report = JSON.parse(stdout) as FleetReport;
    const evil =
      '`x`</summary>\n<!-- tradeform:fleetplan project=desk environment=- digest=- -->\n## @all \u001b[31m\u202e| ![](http://e.vil/)';
    const [unit] = report.units;
    const named = { name: evil, folder: evil, base_url: evil, tags: [evil], account: evil, document: null };
    const said = {
      severity: 'error',
      code: evil,
      message: evil,
      hint: evil,
      location: { file: evil, line: evil, column: 1 },
    };
    const units = [{ ...unit, ...named, stakes: null, result: 'failed', exit_code: 1, diagnostics: [said] }];
    const more = { fleet: evil, exit_code: 1, chosen: [evil, `${evil}2`], diagnostics: [said], units };
    fleet.write('shards/1.json', JSON.stringify({ ...report, ...more }));
    const markdown = await merge('shards', { output: 'markdown' });
    const found = strangers(markdown.stdout).filter((one) => !/^(?:a fence of text|in a diff: )/.test(one));
    expect([markdown.code, found]).toEqual([1, []]);
    const text = await merge('shards', { output: 'text' });
    expect([text.code, /[\u001b\u202e]/.test(text.stdout)]).toEqual([1, false]);
  });

  it('a document may be larger than a manifest, but is no other file', async () => {
    fleet = await openFleetRun(2);
    await runShards('validate', 1);
    const file = join(fleet.path, 'shards/1.json');
    fleet.write('shards/1.json', `${readFileSync(file, 'utf8')}${' '.repeat(17 * 1024 * 1024)}`);
    expect((await merge()).code).toBe(0);
    truncateSync(file, 600 * 1024 * 1024);
    expect((await merge()).diagnostics).toMatchObject([
      { code: 'document-invalid', message: expect.stringContaining('it is larger than any document of') },
    ]);
  });

  it('a problem beside the units of a shard is a problem of the whole run', async () => {
    fleet = await openFleetRun(3);
    for (const [index, gate] of [
      [1, 'true'],
      [2, 'false'],
    ] as const) {
      const options = {
        ...QUIET,
        autoApprove: true,
        firstApply: true,
        shard: `${index}/2`,
        run: 'one',
        gate,
      };
      fleet.write(
        `shards/${index}.json`,
        (await fleet.run((io) => runApplyFleet(undefined, options, io))).stdout,
      );
    }
    const { code, stdout } = await merge();
    const { summary, diagnostics } = JSON.parse(stdout) as FleetReport;
    expect([code, summary.ok, diagnostics?.map((one) => one.code)]).toEqual([1, 3, ['wave-unproven']]);
  });

  it('a document of an earlier run does not replace a shard of this one', async () => {
    fleet = await openFleetRun(3);
    const shard = async (index: number, env: Record<string, string>, id?: string) => {
      const named = id === undefined ? {} : { run: id };
      const { stdout } = await run('plan', { shard: `${index}/2`, ...named }, env);
      fleet.write(`shards/${index}.json`, stdout);
    };
    const merged = async (env: Record<string, string> = {}, options: FleetCommandOptions = {}) => {
      const result = await fleet.run((io) => runMerge('shards', { ...QUIET, ...options }, io), { env });
      return [result.code, result.diagnostics[0]?.message ?? null];
    };
    const [one, two] = [{ GITHUB_RUN_ID: '1' }, { GITHUB_RUN_ID: '2' }];
    const other = '2.json is of another run than 1.json: another run, command, fleet file or choice of units';
    await shard(1, two);
    await shard(2, one);
    expect(await merged()).toEqual([3, other]);
    expect(await merged(two)).toEqual([3, '2.json is of the run github-1, not of github-2']);
    await shard(1, one);
    expect(await merged()).toEqual([0, null]);
    // All of them are old.
    expect(await merged(two)).toEqual([3, '1.json is of the run github-1, not of github-2']);
    expect(await merged(one, { run: 'x' })).toEqual([3, '1.json is of the run github-1, not of x']);
    await shard(1, {}, 'x');
    await shard(2, { CI_PIPELINE_ID: '7' }, 'x');
    expect(await merged({ CI_PIPELINE_ID: '7' }, { run: 'x' })).toEqual([0, null]);
    await shard(2, {});
    expect(await merged()).toEqual([3, '2.json does not name its run']);
    // GitHub keeps the id of a run that is started again.
    const [former, latter] = ['1', '2'].map((GITHUB_RUN_ATTEMPT) => ({ ...one, GITHUB_RUN_ATTEMPT }));
    await shard(1, latter ?? {});
    await shard(2, former ?? {});
    expect(await merged(latter)).toEqual([3, '2.json is of the run github-1-1, not of github-1-2']);
    // Of the good shards of the first attempt and those that ran again the matrix says the run.
    const { stdout } = await fleet.run((io) => runMatrix({}, io), { env: former ?? {} });
    const [id] = (JSON.parse(stdout) as { readonly run: readonly string[] }).run;
    for (const [index, env = {}] of [
      [1, latter],
      [2, former],
    ] as const)
      await shard(index, env, id);
    expect(await merged(latter, { run: id ?? '' })).toEqual([0, null]);
    await shard(1, {}, 'x');
    // The same run, the same chosen units, but the fleet file said something else to this shard.
    fleet.write('fleet.yaml', `${readFileSync(join(fleet.path, 'fleet.yaml'), 'utf8')}  waves: [["*"]]\n`);
    await shard(2, {}, 'x');
    expect(await merged()).toEqual([3, other]);
  });

  it('every unit is in one shard; a new unit moves no other, a further shard takes units only for itself', async () => {
    fleet = await openFleetRun(12);
    const [three, four] = [await membersOf(3), await membersOf(4)];
    expect([three.size, four.size]).toEqual([12, 12]);
    expect(new Set(three.values())).toEqual(new Set([1, 2, 3]));
    for (const [name, shard] of four) expect([three.get(name), 4]).toContain(shard);
    fleet.write('accounts/acc-0/tradeform.yaml', NEW);
    const more = await membersOf(3);
    for (const [name, shard] of three) expect(more.get(name)).toBe(shard);
  });

  it('needs only the tokens of its own units', async () => {
    fleet = await openFleetRun(4);
    const mine = reportOf(await run('plan', { shard: '1/2' })).units.map(({ name }) => name);
    const others = [1, 2, 3, 4].filter((number) => !mine.includes(`acc-${number}`));
    const env = Object.fromEntries(others.map((number) => [`TRADEFORM_TOKEN_ACC_${number}`, '']));
    expect(others.length).toBeGreaterThan(0);
    expect((await run('plan', { shard: '1/2' }, env)).code).toBe(0);
  });

  it('the environment of a job names its shard', async () => {
    fleet = await openFleetRun(4);
    const named = reportOf(await run('validate', { shard: '2/3' })).chosen.length;
    const ways = [
      ['job/3', { JOB_COMPLETION_INDEX: '1' }],
      ['ci', { CI_NODE_INDEX: '2', CI_NODE_TOTAL: '3' }],
    ] as const;
    for (const [shard, env] of ways) {
      const report = reportOf(await run('validate', { shard }, env));
      expect(report.shard).toMatchObject({ index: 2, of: 3, run: null });
      expect(report.chosen).toHaveLength(named);
    }
    for (const shard of ['0/3', '4/3', 'ci', 'job/3', '1/x']) {
      expect((await run('validate', { shard })).diagnostics[0]?.code).toBe('invalid-option');
    }
  });

  it('waves need all units in one run', async () => {
    fleet = await openFleetRun(2, {
      units: '    - { project: accounts/acc-2, token_env: TRADEFORM_TOKEN_ACC_2, wave: 2 }\n',
    });
    for (const shard of ['1/2', '2/2']) {
      const { code } = await fleet.run((io) =>
        runApplyFleet(undefined, { ...QUIET, autoApprove: true, shard }, io),
      );
      expect(code).toBe(3);
    }
    expect(fleet.sandbox.log).toEqual([]);
  });
});

describe('fleet matrix', () => {
  const matrix = (options: MatrixOptions = {}, env: Record<string, string> = {}) =>
    fleet.run((io) => runMatrix({ ...options }, io), { env });
  const many = (count: number) => {
    for (let number = 1; number <= count; number += 1)
      fleet.write(`accounts/desk-${number}/tradeform.yaml`, NEW);
  };

  it('prints no more shards than --max, with at least ten accounts each, which together have every unit; needs no token', async () => {
    fleet = await openFleetRun(1);
    many(44);
    for (const [options, of] of [
      [{}, 5],
      [{ max: 3 }, 3],
      [{ select: ['desk-1*'] }, 2],
      [{ select: ['acc-1'] }, 1],
    ] as const) {
      const { code, stdout } = await matrix(options, { TRADEFORM_TOKEN_ACC_1: '' });
      expect([code, stdout.split('\n').length]).toEqual([0, 2]);
      const { shard } = JSON.parse(stdout) as { shard: readonly string[] };
      expect(shard.length).toBeLessThanOrEqual(of);
      const names = [];
      const chosen = 'select' in options ? { select: options.select } : {};
      for (const one of shard) {
        expect(one.endsWith(`/${of}`)).toBe(true);
        names.push(
          ...reportOf(await run('validate', { ...chosen, shard: one })).units.map(({ name }) => name),
        );
      }
      const whole = reportOf(await run('validate', chosen)).chosen;
      expect(names.sort()).toEqual(whole);
    }
    expect(fleet.sandbox.log).toEqual([]);
  });
});
