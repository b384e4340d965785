import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { runRollback } from '../../../src/core/features/rollback.ts';
import { runPause } from '../../../src/core/features/switch/pause.ts';
import { runResume } from '../../../src/core/features/switch/resume.ts';
import type { RunLog } from '../../../src/core/model/generated/log.ts';
import type { ApplyReport } from '../../../src/core/model/generated/report.ts';
import { SECRET } from '../../../src/core/model/secret.ts';
import { runLog, runLogShow } from '../../../src/kit/log/log.ts';
import { runLogRestore } from '../../../src/kit/log/restore.ts';
import { openProject, type ProjectRun } from '../project-run.ts';

let project: ProjectRun;
let journal: string;

beforeEach(async () => {
  project = await openProject({ tasks: ['alpha', 'bravo'] });
  project.write('.gitignore', 'journal/\n');
  project.commit('ignore the journal');
  journal = join(project.path, 'journal');
});

// A temporary file of a run at work begins with a dot.
const files = () =>
  readdirSync(journal)
    .filter((file) => !file.startsWith('.'))
    .sort();
const reports = () =>
  files().map((file) => JSON.parse(readFileSync(join(journal, file), 'utf8')) as ApplyReport);
const apply = (more = {}) => project.apply(undefined, { autoApprove: true, journal: 'journal', ...more });
const logged = async (options = {}) => {
  const { stdout } = await project.run((io) => runLog('journal', { output: 'json', ...options }, io));
  return (JSON.parse(stdout) as RunLog).runs;
};

it('has what an apply did, from which commit, who started it and why', async () => {
  project.task('alpha', { amount: '0.75' });
  const commit = project.commit('More for alpha');
  expect((await apply({ reason: 'A good day', target: ['sniper/alpha'] })).code).toBe(0);
  const [report] = reports();
  expect(report).toMatchObject({
    outcome: 'done',
    record: {
      command: 'apply',
      options: ['--target sniper/alpha'],
      commit,
      dirty: false,
      by: { claimed_by: 'system' },
      why: { subjects: ['More for alpha'], run: null, reason: 'A good day' },
      approval: { from: 'auto-approve', digest: report?.digest },
    },
    changes: [
      {
        address: 'sniper/alpha',
        status: 'done',
        fields: [{ path: 'config.buy_amount', before: '0.5', after: '0.75' }],
        former: { config: { buy_amount: '0.5' } },
      },
    ],
  });
  expect(report?.changes[0]?.request_ids.length).toBeGreaterThan(0);
  // Nothing to do is no run that writes.
  expect((await apply()).code).toBe(0);
  expect(files()).toHaveLength(1);
});

it('names who CI says it was, the commits since the base, and the digest that was approved', async () => {
  const base = project.git('rev-parse', 'HEAD');
  project.task('alpha', { amount: '0.75' });
  project.commit('First');
  project.task('bravo', { amount: '0.75' });
  project.commit('Second');
  const options = { only: 'pending', base } as const;
  const { digest } = await project.planned(options);
  const env = {
    ...project.env,
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTOR: 'mira',
    GITHUB_SERVER_URL: 'https://github.invalid',
    GITHUB_REPOSITORY: 'desk/tasks',
    GITHUB_RUN_ID: '7',
    TRADEFORM_JOURNAL: 'journal',
  };
  const { runApply } = await import('../../../src/core/features/apply.ts');
  const given = { ...options, expect: [digest], github: false };
  expect((await project.run((io) => runApply(undefined, given, io), { env })).code).toBe(0);
  expect(reports()).toMatchObject([
    {
      record: {
        base,
        by: { name: 'mira', claimed_by: 'github' },
        why: { subjects: ['Second', 'First'], run: 'https://github.invalid/desk/tasks/actions/runs/7' },
        approval: { from: 'expect', digest },
      },
    },
  ]);
});

it('has the intent before the first write: a run that died stays so', async () => {
  project.task('alpha', { amount: '0.75' });
  project.commit();
  const seen: string[] = [];
  const look = setInterval(() => {
    if (project.written().length > 0) seen.push(...reports().map(({ outcome }) => outcome));
  }, 5);
  project.sandbox.clearLog();
  project.sandbox.faults.add({ method: 'PATCH', times: 0, fault: { type: 'delay', ms: 100 } });
  expect((await apply()).code).toBe(0);
  clearInterval(look);
  expect(new Set(seen.slice(0, 3))).toEqual(new Set(['begun']));
  const [file = ''] = files();
  const [report] = reports();
  expect(report?.outcome).toBe('done');
  writeFileSync(join(journal, file), JSON.stringify({ ...report, outcome: 'begun' }));
  const { stdout } = await project.run((io) => runLog('journal', {}, io));
  expect(stdout).toContain('did not end');
  expect(await logged({ failed: true })).toHaveLength(1);
});

it('has a run that was refused, and why', async () => {
  project.task('alpha', { amount: '4' });
  project.settings('guardrails: { max_factor: 2 }');
  project.commit();
  expect((await apply()).code).toBe(4);
  expect(reports()).toMatchObject([
    {
      outcome: 'refused',
      summary: { skipped: 1, done: 0 },
      diagnostics: [{ code: 'guardrail-max-factor' }],
    },
  ]);
});

it('that cannot be written is a warning, or a refusal before the first write if it is required', async () => {
  writeFileSync(journal, 'a file, and no folder');
  project.task('alpha', { amount: '0.75' });
  project.commit();
  project.sandbox.clearLog();
  const refused = await apply({ requireJournal: true });
  expect([refused.code, refused.diagnostics.map(({ code }) => code)]).toEqual([4, ['file-unwritable']]);
  expect(project.written()).toEqual([]);
  const { code, stderr } = await apply();
  expect([code, project.live('alpha').config.buy_amount]).toEqual([0, '0.75']);
  expect(stderr.match(/the journal in journal could not be written/g)).toHaveLength(1);
  const nowhere = await apply({ journal: undefined, requireJournal: true });
  expect(nowhere.code).toBe(0);
});

it('that is lost while the run is at work is a warning, also if it is required', async () => {
  project.task('alpha', { amount: '0.75' });
  project.commit();
  project.sandbox.clearLog();
  project.sandbox.faults.add({ method: 'PATCH', times: 0, fault: { type: 'delay', ms: 100 } });
  const look = setInterval(() => {
    if (project.written().length === 0) return;
    clearInterval(look);
    rmSync(journal, { recursive: true });
    writeFileSync(journal, 'a file, and no folder');
  }, 5);
  const { code, stderr } = await apply({ requireJournal: true });
  expect([code, project.live('alpha').config.buy_amount]).toEqual([0, '0.75']);
  expect(stderr.match(/the journal in journal could not be written/g)).toHaveLength(1);
});

it('has a file for each of two runs at once', async () => {
  project.task('alpha', { amount: '0.75' });
  project.task('bravo', { amount: '0.75' });
  project.commit();
  await Promise.all([apply({ target: ['sniper/alpha'] }), apply({ target: ['sniper/bravo'] })]);
  expect(files()).toHaveLength(2);
  expect((await logged()).flatMap(({ addresses }) => addresses).sort()).toEqual([
    'sniper/alpha',
    'sniper/bravo',
  ]);
});

it('has no value from the environment', async () => {
  const env = { ...project.env, AMOUNT: '0.8125' };
  const { runApply } = await import('../../../src/core/features/apply.ts');
  const given = { autoApprove: true, journal: 'journal' };
  project.task('alpha', { amount: '${env.AMOUNT}' });
  project.commit();
  expect((await project.run((io) => runApply(undefined, given, io), { env })).code).toBe(0);
  project.erase('manifests/alpha.yaml');
  project.commit();
  expect((await project.run((io) => runApply(undefined, given, io), { env })).code).toBe(0);
  const [first, last] = reports();
  expect(first?.changes[0]?.fields[0]).toMatchObject({ after: SECRET });
  expect(JSON.stringify(first)).not.toContain('0.8125');
  expect(last).toBeDefined();
});

it('has what pause and resume did; one that cannot be written holds no pause up', async () => {
  const given = { all: true, journal: 'journal', reason: 'It sells too late', freeze: false };
  const { id } = project.live('bravo');
  project.sandbox.editStored(id, { remark: 'By hand' });
  expect((await project.run((io) => runPause([], { ...given, dryRun: true }, io))).code).toBe(0);
  const wide = { ...given, includeUnmanaged: true };
  expect((await project.run((io) => runPause([], wide, io))).code).toBe(0);
  expect((await project.run((io) => runResume([], { ...given, autoApprove: true }, io))).code).toBe(0);
  expect(await logged()).toMatchObject([
    {
      command: 'resume',
      outcome: 'done',
      started: ['sniper/alpha'],
      reason: 'It sells too late',
    },
    {
      ...{ command: 'pause', outcome: 'done', addresses: expect.arrayContaining(['sniper/alpha', id]) },
      stopped: expect.arrayContaining(['sniper/alpha', `sniper/${id} "By hand"`]),
    },
  ]);
  const [, { run } = { run: '' }] = await logged();
  const shown = await project.run((io) => runLogShow(run, { journal: 'journal' }, io));
  expect(shown.stdout).toContain('Reason: It sells too late');
  expect(shown.stdout).toContain('sniper/alpha');
  expect(shown.stdout).toContain(`sniper/${id} "By hand"`);
  writeFileSync(join(project.path, 'no-folder'), '');
  const { code, stderr } = await project.run((io) => runPause([], { ...given, journal: 'no-folder' }, io));
  expect([code, project.tasks().some(({ is_active }) => is_active)]).toEqual([0, false]);
  expect(stderr).toContain('the journal in no-folder could not be written');
});

it('log lists the runs, the newest first, and chooses some; log show says what was before', async () => {
  project.task('alpha', { amount: '0.75' });
  project.commit('Raise');
  await apply();
  project.task('alpha', { amount: '0.25' });
  project.commit('Lower');
  await apply();
  project.task('charlie');
  project.commit('New');
  await apply();
  expect(
    (await project.run((io) => runRollback('HEAD~1', { autoApprove: true, journal: 'journal' }, io))).code,
  ).toBe(0);
  writeFileSync(join(journal, 'other.json'), '{}');
  const runs = await logged();
  expect(runs.map(({ command, subject, reason }) => [command, subject, reason])).toEqual([
    ['rollback', 'Lower', null],
    ['apply', 'New', null],
    ['apply', 'Lower', null],
    ['apply', 'Raise', null],
  ]);
  expect(runs[0]?.deleted).toEqual(['sniper/charlie']);
  const subjects = async (options: object) => (await logged(options)).map(({ subject }) => subject);
  expect(await subjects({ starts: true })).toEqual(['New']);
  expect(await subjects({ raises: true })).toEqual(['New', 'Raise']);
  expect(await subjects({ address: ['sniper/charlie'] })).toEqual(['Lower', 'New']);
  expect(await subjects({ since: runs[1]?.started_at })).toEqual(['Lower', 'New']);
  expect(await subjects({ failed: true })).toEqual([]);
  const listed = await project.run((io) => runLog('journal', {}, io));
  expect(listed.stdout).toContain('other.json is not a document of tradeform');
  const shown = await project.run((io) =>
    runLogShow(runs[3]?.run.slice(-8) ?? '', { journal: 'journal' }, io),
  );
  expect(shown.stdout).toContain('0.5 → 0.75');
  expect(shown.stdout).toContain('Subjects: Raise');
  expect(shown.stdout).toContain('Run by: ');
  expect(listed.stdout).toMatch(/began \(UTC\)[\s\S]* Run by \S+\./i);
  const deleted = (await project.run((io) => runLogShow('latest', { journal: 'journal' }, io))).stdout;
  expect(deleted).not.toContain('last written');
  expect(deleted).toContain('- config.buy_amount: 0.5');
  expect(deleted).toContain('- target_wallet: ');
  expect((await project.run((io) => runLogShow('nothing', { journal: 'journal' }, io))).code).toBe(3);
});

it('of a held task that was also changed: the report says that it stays paused, and why', async () => {
  project.edit('alpha', { is_active: false });
  project.task('alpha', { amount: '0.75' });
  project.commit('More for alpha, which somebody stopped');
  const { code, stdout } = await apply({ output: 'json' });
  const report = JSON.parse(stdout) as ApplyReport;
  const [change] = report.changes;
  expect([code, report.outcome, report.summary]).toEqual([
    0,
    'done',
    { done: 1, failed: 0, skipped: 0, unknown: 0, blocked: 0, held: 1 },
  ]);
  expect(change).toMatchObject({ status: 'done', held: true, text: expect.stringMatching(/stopped/) });
  expect(project.live('alpha').config).toMatchObject({ buy_amount: '0.75' });
  const next = JSON.parse((await apply({ output: 'json' })).stdout) as ApplyReport;
  expect(next).toMatchObject({ summary: { held: 1 }, changes: [{ status: 'held', text: change?.text }] });
});

it('has the exposure that was reached: of changes that were not done, the one before', async () => {
  const before = (await project.planned()).exposure.before;
  project.task('alpha', { amount: '1.75' });
  project.task('bravo', { amount: '1.5' });
  project.commit('Raise both');
  const planned = (await project.planned()).exposure.after;
  const { id } = project.live('bravo');
  const refusal = { type: 'error', code: 'validation_error' } as const;
  project.sandbox.faults.add({ method: 'PATCH', path: id, times: 0, fault: refusal });
  const { code, stdout } = await apply({ output: 'json' });
  expect(code).toBe(1);
  project.sandbox.faults.clear();
  const half = (await project.planned()).exposure.before;
  const [run] = await logged();
  expect([before, planned]).not.toContain(half);
  const exposure = { before, after: half, planned };
  expect([run?.exposure, reports()[0]?.record.exposure]).toEqual([{ before, after: half }, exposure]);
  expect((JSON.parse(stdout) as ApplyReport).record.exposure).toEqual(exposure);
  expect(await logged({ raises: true })).toHaveLength(1);
});

it('a task that an apply left paused is among those that the run stopped, and the line to restore it works', async () => {
  project.task('alpha', { amount: '0.75' });
  project.commit('Raise');
  const refusal = { type: 'error', code: 'validation_error' } as const;
  project.sandbox.faults.add({ method: 'POST', path: 'resume$', times: 0, fault: refusal });
  expect((await apply()).code).toBe(1);
  const [run] = await logged();
  expect([run?.started, run?.stopped]).toEqual([[], ['sniper/alpha']]);
  const shown = await project.run((io) => runLogShow('latest', { journal: 'journal' }, io));
  const line = /`tradeform log restore ADDRESS --at (\S+) --journal (\S+)`/.exec(
    shown.stdout.replace(/\s+/g, ' '),
  );
  const [, at = '', folder = ''] = line ?? [];
  const restored = await project.run((io) => runLogRestore('sniper/alpha', { at, journal: folder }, io));
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('buy_amount: "0.5"') });
});

it('lists no run as a raise whose raises were all blocked or refused', async () => {
  const before = (await project.planned()).exposure.before;
  project.task('alpha', { amount: '0.75' });
  project.commit('Raise');
  project.settings('guardrails: { max_exposure: 1 }');
  project.commit();
  expect((await apply()).code).toBe(4);
  project.settings();
  project.commit();
  const headers = {
    authorization: `Bearer ${project.env.TRADEFORM_TOKEN}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const body = JSON.stringify({ name: 'freeze', sort_order: 1 });
  expect((await fetch(`${project.baseUrl}/labels`, { method: 'POST', headers, body })).status).toBe(201);
  expect((await apply()).code).toBe(1);
  expect((await logged()).map(({ outcome, exposure }) => [outcome, exposure])).toEqual([
    ['incomplete', { before, after: before }],
    ['refused', { before, after: before }],
  ]);
  expect(await logged({ raises: true })).toEqual([]);
});

it('log restore prints the manifest of a deleted task, which the next apply creates as it was', async () => {
  const before = project.live('alpha');
  project.erase('manifests/alpha.yaml');
  project.commit('Remove alpha');
  await apply();
  expect(project.tasks()).toHaveLength(1);
  const [{ run } = { run: '' }] = await logged();
  const options = { at: run, journal: 'journal' };
  project.sandbox.clearLog();
  const { code, stdout } = await project.run((io) => runLogRestore('sniper/alpha', options, io));
  expect([code, project.sandbox.log]).toEqual([0, []]);
  project.write('manifests/alpha.yaml', stdout);
  project.commit('Bring alpha back');
  expect((await apply()).code).toBe(0);
  const { config, target_wallet, is_active } = project.live('alpha');
  expect({ config, target_wallet, is_active }).toEqual({
    config: before.config,
    target_wallet: before.target_wallet,
    is_active: true,
  });
  const other = await project.run((io) => runLogRestore('sniper/bravo', options, io));
  expect([other.code, other.diagnostics[0]?.message]).toEqual([3, `${run} did nothing to sniper/bravo`]);
});

it('log show and restore tell what a pause found, whatever somebody writes afterwards', async () => {
  const { config, updated_at, id } = project.live('alpha');
  await project.run((io) => runPause([], { all: true, journal: 'journal', reason: 'Rug pull' }, io));
  project.sandbox.editStored(id, { config: { ...config, buy_amount: '9' } });
  const options = { at: 'latest', journal: 'journal' };
  const shown = await project.run((io) => runLogShow('latest', options, io));
  const written = new Date(updated_at).toISOString().slice(0, 16).replace('T', ' ');
  expect(shown.stdout.replace(/\s+/g, ' ')).toContain(
    `sniper/alpha (stop): done, 0.5022 SOL, before this run last written ${written} UTC`,
  );
  const listed = (await project.run((io) => runLog('journal', {}, io))).stdout.replace(/\s+/g, ' ');
  expect(listed).toContain('Reason: “Rug pull” Commit: “');
  for (const name of ['sniper/alpha', `sniper/${id}`]) {
    const { code, stdout } = await project.run((io) => runLogRestore(name, options, io));
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('# `state: active`: to apply this starts it.\n'),
    ]);
    project.write('manifests/alpha.yaml', stdout);
    const [first] = (await project.planned()).changes;
    expect(first?.fields).toMatchObject([{ path: 'config.buy_amount', before: '9', after: '0.5' }]);
  }
});
