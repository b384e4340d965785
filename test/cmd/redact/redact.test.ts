import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FORMATS } from '../../../src/render/formats/format.ts';
import { FULL } from '../../support/sample.ts';
import { CANARY, folder, type Ran, readText, tradeform } from '../run.ts';
import { BAD, GOOD, GUARDED, WHALE } from './fixture.ts';
import { type Service, startService } from './service.ts';
import { allPlaces, canary, placesIn, tracesIn } from './wallets.ts';

const REDACTED = { TRADEFORM_REDACT_WALLETS: '1' };
const REPORTS = FORMATS.flatMap((format) => ['--report', `${format}=report-${format}`]);

let service: Service;
/** Places whose addresses are there to be seen, without the option. */
const seen = new Set<string>();

function project(files: Readonly<Record<string, string>>): string {
  return folder(files).path;
}

beforeAll(async () => {
  service = await startService();
});

function run(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return tradeform(args, {
    cwd,
    env: { TRADEFORM_BASE_URL: service.baseUrl, TRADEFORM_TOKEN: CANARY, ...env },
  });
}

/** Files of a folder that were not there before, but for a saved plan. */
function written(cwd: string, before: ReadonlySet<string>): readonly string[] {
  const files = readdirSync(cwd, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => !before.has(file) && file !== 'plan.json');
}

/** The command line with the option; and without it, where most of what there is to hide is to be seen. */
async function hides(
  files: Readonly<Record<string, string>>,
  args: readonly string[],
  expected: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  if (args.includes('json') || (args[0] === 'validate' && args.includes('text'))) {
    const { code, stdout, stderr } = await run(project(files), args, env);
    expect({ args, code, stderr }).toMatchObject({ code: expected });
    for (const place of placesIn(stdout + stderr)) seen.add(place);
  }
  return redacted(project(files), [...args, '--redact-wallets'], expected, env);
}

async function redacted(
  cwd: string,
  args: readonly string[],
  expected: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const before = new Set(readdirSync(cwd, { recursive: true, encoding: 'utf8' }));
  const ran = await run(cwd, args, env);
  const files = written(cwd, before);
  if (REPORTS.every((word) => args.includes(word)))
    expect(files.filter((file) => file.startsWith('report-'))).toHaveLength(FORMATS.length);
  const texts = [
    ['stdout', ran.stdout],
    ['stderr', ran.stderr],
    ...files.map((file) => [file, readText(cwd, file)] as const),
  ] as const;
  for (const [where, text] of texts) {
    expect({ args, where, traces: tracesIn(text), text }).toMatchObject({ traces: [] });
  }
  expect({ args, code: ran.code, stderr: ran.stderr }).toMatchObject({ code: expected });
  return ran;
}

const DEBUG = { TRADEFORM_DEBUG: '1' };

describe('no address is in any output', { timeout: 300_000 }, () => {
  const formats = ['text', 'json', 'markdown'];
  /** Reports are the same beside every output: `npm test` has them written once. */
  const besides = (format: string) => (FULL || format === 'text' ? REPORTS : []);

  it.each(formats)('of commands that succeed, -o %s', async (format) => {
    service.refuse = 'none';
    await hides(GOOD, ['validate', '-v', '-o', format, ...besides(format)], 0, DEBUG);
    const rendered = format === 'markdown' ? 'yaml' : format;
    await hides(GOOD, ['render', '--origin', '-o', rendered], 0);
    await hides(GOOD, ['plan', '-v', '-o', format, ...besides(format)], 0);
    await hides(GOOD, ['drift', '-o', format, ...besides(format)], 2);
    await hides(GOOD, ['plan', '--detailed-exitcode', '-o', format, '--out', 'plan.json'], 2);
  });

  it.each(formats)('of commands with invalid manifests, -o %s', async (format) => {
    await hides(BAD, ['validate', '-o', format, ...besides(format)], 3, DEBUG);
    await Promise.all([
      hides(BAD, ['plan', '-o', format], 3, DEBUG),
      hides(BAD, ['render', '-o', format === 'markdown' ? 'yaml' : format], 3),
      hides(BAD, ['drift', '-o', format, ...besides(format)], 3),
      hides(BAD, ['apply', '--auto-approve', '-o', format, ...besides(format)], 3),
    ]);
  });

  it('in GitHub Actions', async () => {
    const actions = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: 'summary.md' };
    for (const [files, code] of [
      [GOOD, 0],
      [BAD, 3],
    ] as const) {
      const cwd = project(files);
      const summary = { ...actions, GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') };
      await redacted(cwd, ['validate', '--redact-wallets'], code, summary);
      expect(readText(cwd, 'summary.md')).not.toBe('');
    }
  });

  it.each(formats)('of refused plans, -o %s', async (format) => {
    service.refuse = 'none';
    await hides(GUARDED, ['plan', '-o', format, ...besides(format)], 4);
    await hides(GUARDED, ['apply', '--auto-approve', '-o', format, ...besides(format)], 4);
  });

  it.each(formats)('if the service refuses with its own words, -o %s', async (format) => {
    service.refuse = 'reads';
    await hides(GOOD, ['plan', '-v', '-o', format, ...besides(format)], 1, DEBUG);
    service.refuse = 'writes';
    await hides(GOOD, ['apply', '-v', '--auto-approve', '-o', format, ...besides(format)], 1, DEBUG);
    service.refuse = 'none';
  });

  it('of wrong command lines', async () => {
    const address = canary('command line');
    const lines = [
      ['plan', '--target', address],
      ['plan', '--target', `sniper/${address}`],
      ['plan', `--${address}`],
      ['plan', '-C', `/${address}`],
      ['plan', '--override', `${address}=1`],
      ['render', `sniper/${address}`],
      ['render', '--diff', address],
      ['apply', `${address}.json`],
      ['plan', '--base-url', `ftp://${address}`],
      ['plan', '--token-file', address],
      ['validate', '--report', `${address}=x`],
      ['validate', '-e', address],
      [address],
    ];
    for (const line of lines) await hides(GOOD, line, 3);
    await hides(GOOD, ['plan', '--target', address, '-o', 'json'], 3);
  });

  it('and every place that is shown at all had something to hide', () => {
    const unshown = [
      'note of a wallet',
      // Only their damaged forms, or the lines that they stand in.
      ...['a wrong letter', 'an odd letter', 'comment', 'long remark', 'syntax', 'cut message'],
      // Of the service, and not of ours.
      ...['live label', 'live template', 'unmanaged', 'foreign target', 'damaged target'],
    ];
    expect(allPlaces().filter((place) => !seen.has(place) && !unshown.includes(place))).toEqual([]);
  });
});

describe('in its place', { timeout: 300_000 }, () => {
  it('is a refusal, if the result is manifests', async () => {
    const { stderr } = await redacted(project(GOOD), ['export', '--redact-wallets'], 3);
    expect(stderr).toContain('--out');
  });

  it('is a missing source line, if a diagnostic points to one; other lines stay', async () => {
    const { stderr } = await redacted(project(GUARDED), ['plan', '--redact-wallets'], 4);
    expect(stderr).toContain('8 |     max_changes: 1\n  |                  ^\n');
    expect(stderr).toMatch(/ --> manifests\/a\.yaml:8:18 {2}sniper\/a\n {3}hint:/);
  });

  it('is a name of the wallet book, or a number, equal in every format', async () => {
    service.refuse = 'none';
    const cwd = project(GOOD);
    const { stdout } = await redacted(cwd, ['plan', '-o', 'json'], 0, REDACTED);
    const plan = JSON.parse(stdout) as {
      changes: { address: string; fields: { path: string; after: unknown }[] }[];
    };
    const wanted = (address: string, path: string) =>
      plan.changes.find((change) => change.address === address)?.fields.find((field) => field.path === path)
        ?.after;
    expect(wanted('copy-trade/whale', 'linked_wallets')).toEqual([
      expect.stringMatching(/^wallet-\d+$/),
      'yankee',
    ]);
    expect(wanted('copy-trade/whale', 'config.address_blacklist.wallets')).toContain('wallet-1');
    const target = wanted('sniper/a', 'target_wallet');
    expect(target).toMatch(/^wallet-([2-9]|\d\d)$/);
    const text = await redacted(cwd, ['plan'], 0, REDACTED);
    expect(text.stdout).toContain(`→ ${String(target)}\n`);
    const again = await redacted(cwd, ['plan', '-o', 'json'], 0, REDACTED);
    expect(JSON.parse(again.stdout)).toMatchObject({ changes: plan.changes });
  });

  it('addresses never come back: only 0 and false leave the variable without effect', async () => {
    for (const value of ['', '0', 'false']) {
      const { stdout } = await run(project(GOOD), ['render'], { TRADEFORM_REDACT_WALLETS: value });
      expect(stdout).toContain(WHALE);
    }
    await redacted(project(GOOD), ['render'], 0, { TRADEFORM_REDACT_WALLETS: 'yes' });
  });

  it('keeps a report from being applied; the saved plan is complete and can be applied', async () => {
    const cwd = project(GOOD);
    const open = JSON.parse((await run(cwd, ['plan', '-o', 'json'])).stdout) as Record<string, unknown>;
    const saved = await redacted(cwd, ['plan', '-o', 'json', '--out', 'plan.json', '--redact-wallets'], 0);
    const report = JSON.parse(saved.stdout) as Record<string, unknown>;
    expect(report).toMatchObject({ integrity: 'redacted', digest: open.digest });
    expect(saved.stderr).toContain('with wallet addresses');

    writeFileSync(join(cwd, 'report.json'), saved.stdout);
    const refused = await redacted(cwd, ['apply', 'report.json', '--redact-wallets'], 3);
    expect(refused.stderr).toContain('made with --redact-wallets');

    expect(placesIn(readFileSync(join(cwd, 'plan.json'), 'utf8'))).toContain('target_wallet');
    const other = project({});
    cpSync(cwd, other, { recursive: true });
    await redacted(other, ['apply', 'plan.json', '--redact-wallets', '--first-apply', '-v'], 0);
    // Done, and nothing is as it was planned for.
    await redacted(other, ['plan', '--redact-wallets', '-v'], 0);
  });
});
