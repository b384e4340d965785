import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { RunLog } from '../../../src/core/model/generated/log.ts';
import { REPORT_FORMAT } from '../../../src/core/model/generated/report.ts';
import { runLog, runLogShow } from '../../../src/kit/log/log.ts';
import { runLogRestore } from '../../../src/kit/log/restore.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { runInMemory } from '../in-memory.ts';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder('log');
  mkdirSync(join(folder, 'journal'));
});

const run = (command: Parameters<typeof runInMemory>[1]) => runInMemory({ cwd: folder, env: {} }, command);
const log = async (options = {}) => {
  const { code, stdout, diagnostics } = await run((io) =>
    runLog('journal', { output: 'json', ...options }, io),
  );
  const { runs, diagnostics: said } = (
    stdout === '' ? { runs: [], diagnostics } : JSON.parse(stdout)
  ) as RunLog;
  return {
    code,
    runs: runs.map((one) => one.run),
    said: said.map(({ message }) => message),
    hint: said[0]?.hint,
  };
};
const put = (name: string, text: string) => writeFileSync(join(folder, 'journal', name), text);

function report(addresses: readonly string[], startedAt = '2026-11-21T08:00:00.000Z') {
  const record = {
    ...{ command: 'apply', options: [], commit: null, author: null, dirty: false, base: null },
    by: { name: 'mira', claimed_by: 'system' },
    why: { subjects: [], run: null, reason: null },
    approval: { from: 'none', digest: null },
    exposure: { before: '1', after: '2' },
  };
  return {
    format: REPORT_FORMAT,
    tool: { name: 'tradeform', version: '1.0.0' },
    record,
    ...{ project: 'core', environment: null, digest: `sha256:${'0'.repeat(64)}` },
    service: { base_url: 'https://h.invalid/v1', token_prefix: 'svc_live_5a4d0b0c', login_username: null },
    ...{ started_at: startedAt, finished_at: startedAt, outcome: 'done' },
    summary: { done: addresses.length, failed: 0, skipped: 0, unknown: 0, blocked: 0, held: 0 },
    left_paused: [],
    still_high: [],
    changes: addresses.map((address) => ({
      ...{
        address,
        kind: 'sniper',
        id: null,
        actions: ['delete'],
        status: 'done',
        text: '',
      },
      ...{ fields: [], operations: [], request_ids: [], paused_ms: null, former: { zz: 'FORMER' } },
    })),
    diagnostics: [],
  };
}

it('names a file that is too large, nested too deep, or with a name that no run has', async () => {
  const whole = JSON.stringify(report(['sniper/alpha']));
  put('a-good.json', whole);
  put('b-large.json', whole);
  truncateSync(join(folder, 'journal', 'b-large.json'), 129e6);
  put('c-deep.json', whole.replace('"FORMER"', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`));
  put('d\nname.json', whole);
  put('.e-at-work.json', whole);
  const { code, runs, said } = await log();
  expect([code, runs]).toEqual([0, ['a-good']]);
  expect(said.map((message) => message.replace(/^.*belongs to no journal: /s, ''))).toEqual([
    'it is larger than 128 MB',
    'it is nested more than 64 levels deep',
    'its name has a control character',
  ]);
  for (const name of ['b-large', 'c-deep', 'd\nname']) {
    const shown = await run((io) => runLogShow(name, { journal: 'journal' }, io));
    const restored = await run((io) => runLogRestore('sniper/alpha', { journal: 'journal', at: name }, io));
    for (const { code: ended, diagnostics } of [shown, restored])
      expect([ended, diagnostics.map((one) => one.code)]).toEqual([3, ['document-invalid']]);
  }
});

it('says of which account a run is where a folder has several', async () => {
  const of = (login_username: string) => {
    const one = report(['sniper/alpha']);
    return JSON.stringify({ ...one, service: { ...one.service, login_username } });
  };
  put('a.json', of('whales'));
  expect((await run((io) => runLog('journal', {}, io))).stdout).not.toContain('whales');
  put('b.json', of('krill'));
  const { stdout } = await run((io) => runLog('journal', {}, io));
  expect(stdout).toMatch(/core · whales on h\.invalid\n.*core · krill on h\.invalid/);
});

it('reads a report of 10,000 changes', async () => {
  put('many.json', JSON.stringify(report(Array.from({ length: 10_000 }, (_, at) => `sniper/t${at}`))));
  expect(await log({ address: ['sniper/t9999'] })).toMatchObject({ runs: ['many'], said: [] });
});

it('--since is a date, a time or an age', async () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  put('a.json', JSON.stringify(report([], '2026-03-01T08:30:00.000Z')));
  put('b.json', JSON.stringify(report([], ago(3))));
  put('c.json', JSON.stringify(report([], ago(1))));
  const chosen = async (since: string) => (await log({ since })).runs.sort().join('');
  for (const since of ['2026-03-01', '2026-03-01T08:30', '2026-03-01T08:30:00Z', '2026-03-01T09:30:00+01:00'])
    expect([since, await chosen(since)]).toEqual([since, 'abc']);
  for (const since of ['2026-03-01T08:31', '2026-03-01T07:31:00-01:00', '7d', '4h', '190m'])
    expect([since, await chosen(since)]).toEqual([since, 'bc']);
  for (const since of ['2h', '120m']) expect([since, await chosen(since)]).toEqual([since, 'c']);
  for (const since of [
    '1',
    '-1',
    'Nov 26',
    '',
    '0d',
    '1w',
    '2026-02-30',
    '2026-13-01',
    '2026-03-01T25:00',
    '2026',
  ])
    expect([since, await log({ since })]).toEqual([
      since,
      {
        code: 3,
        runs: [],
        said: [`--since ${since}: not a time`],
        hint: 'Write 2026-11-21, 2026-11-21T08:00:00Z, or an age such as 30m, 12h or 7d.',
      },
    ]);
});

it('--address is an address or a pattern', async () => {
  const id = '0b0f3a52-7f10-4f0e-9f51-0d8f1a1c2d3e';
  put('a.json', JSON.stringify(report(['sniper/alpha', id])));
  put('b.json', JSON.stringify(report(['label/High risk'])));
  for (const [address, found] of [
    ['sniper/*', ['a']],
    ['*/alpha', ['a']],
    ['label/High risk', ['b']],
    ['copy-trade/*', []],
    [id, ['a']],
  ] as const)
    expect([address, (await log({ address: [address] })).runs]).toEqual([address, found]);
  for (const address of ['alpha', 'snipper/alpha', ''])
    expect([address, await log({ address: ['sniper/alpha', address] })]).toMatchObject([
      address,
      { code: 3, said: [`--address ${address}: not an address`] },
    ]);
});
