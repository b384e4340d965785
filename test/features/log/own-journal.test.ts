import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { runApply } from '../../../src/core/features/apply.ts';
import { runPause } from '../../../src/core/features/switch/pause.ts';
import { runResume } from '../../../src/core/features/switch/resume.ts';
import type { RunLog } from '../../../src/core/model/generated/log.ts';
import type { ApplyReport } from '../../../src/core/model/generated/report.ts';
import { lastStake } from '../../../src/kit/log/journal.ts';
import { runLog } from '../../../src/kit/log/log.ts';
import { runLogRestore } from '../../../src/kit/log/restore.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { openProject, type ProjectRun } from '../project-run.ts';

let project: ProjectRun;
let state: string;
const KEPT = 'tradeform/journal';

beforeEach(async () => {
  project = await openProject({ tasks: ['alpha', 'bravo'] });
  state = join(temporaryFolder('state'), 'made');
});

const files = () =>
  readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
const run = (command: Parameters<ProjectRun['run']>[0], env = {}) =>
  project.run(command, { env: { ...project.env, XDG_STATE_HOME: state, ...env } });
const raise = (amount: string, env = {}) => {
  project.task('alpha', { amount });
  project.commit(`${amount} for alpha`);
  return run((io) => runApply(undefined, { autoApprove: true }, io), env);
};
const logged = async () =>
  (JSON.parse((await run((io) => runLog(undefined, { output: 'json' }, io))).stdout) as RunLog).runs;

it('the last known stake is of a run that saw all tasks: of no resume, and of no pause of a part', async () => {
  const stake = () => {
    const io = { env: { XDG_STATE_HOME: state }, cwd: project.path } as unknown as Parameters<
      typeof lastStake
    >[2];
    return lastStake('core', () => true, io);
  };
  expect((await raise('0.75')).code).toBe(0);
  const whole = (await stake())?.sol;
  expect(Number(whole)).toBeGreaterThan(0.75);
  expect((await run((io) => runPause(['sniper/alpha'], {}, io))).code).toBe(0);
  expect((await run((io) => runResume([], { all: true, autoApprove: true }, io))).code).toBe(0);
  expect((await run((io) => runPause([], { all: true, kind: ['copy-trade'] }, io))).code).toBe(0);
  expect((await logged()).length).toBeGreaterThan(2);
  expect((await stake())?.sol).toBe(whole);
  expect((await run((io) => runPause([], { all: true }, io))).code).toBe(0);
  expect((await stake())?.sol).toBe('0');
});

it('each run that writes is kept by project and account, for its owner alone, and log reads it without a word', async () => {
  expect(await logged()).toEqual([]);
  expect((await raise('0.75')).code).toBe(0);
  expect((await run((io) => runPause([], { all: true }, io))).code).toBe(0);
  const host = new URL(project.baseUrl).host.replace(':', '_');
  const kept = files();
  const { service } = JSON.parse(readFileSync(kept[0] ?? '', 'utf8')) as ApplyReport;
  const account = `${service.login_username ?? ''}@${host}`;
  expect(kept.map((path) => path.startsWith(join(state, KEPT, 'core', account)))).toEqual([true, true]);
  expect(kept.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  for (const folder of ['', 'tradeform', KEPT, `${KEPT}/core`, `${KEPT}/core/${account}`])
    expect(statSync(join(state, folder)).mode & 0o777).toBe(0o700);
  expect((await logged()).map(({ command, author }) => [command, author])).toEqual([
    ['pause', expect.stringMatching(/./)],
    ['apply', project.git('log', '-1', '--format=%an')],
  ]);
  const listed = (await run((io) => runLog(undefined, {}, io))).stdout.replace(/\s+/g, ' ');
  expect(listed).toContain(`Commit: “0.75 for alpha” by ${project.git('log', '-1', '--format=%an')}.`);
  const { code, stdout } = await run((io) => runLogRestore('sniper/alpha', { at: 'latest' }, io));
  expect([code, stdout]).toEqual([0, expect.stringContaining('buy_amount: "0.75"')]);
});

it('log reads the project of its folder, and all of them where there is none', async () => {
  await raise('0.75');
  project.settings('', 'name: other');
  expect(await logged()).toEqual([]);
  const elsewhere = { cwd: temporaryFolder('elsewhere'), env: { XDG_STATE_HOME: state } };
  const { stdout } = await project.run((io) => runLog(undefined, { output: 'json' }, io), elsewhere);
  expect((JSON.parse(stdout) as RunLog).runs).toMatchObject([{ project: 'core', command: 'apply' }]);
});

it('none is kept in a job of a forge, with an empty TRADEFORM_JOURNAL, or without a home; another place is kept to', async () => {
  for (const [index, env] of [
    { GITHUB_ACTIONS: 'true' },
    { GITLAB_CI: 'true' },
    { TRADEFORM_JOURNAL: '' },
    { XDG_STATE_HOME: '' },
    { XDG_STATE_HOME: 'relative' },
    { TRADEFORM_JOURNAL: join(project.path, 'own') },
  ].entries())
    expect((await raise(`0.${index + 60}`, env)).code).toBe(0);
  expect(() => files()).toThrow(/ENOENT/);
  expect(readdirSync(join(project.path, 'own'))).toHaveLength(1);
});

it('a home that cannot be written costs one line and no run', async () => {
  writeFileSync(state, 'a file, and no folder');
  const { code, stderr } = await raise('0.75');
  expect([code, project.live('alpha').config.buy_amount]).toEqual([0, '0.75']);
  expect(stderr.match(/file-unwritable/g)).toHaveLength(1);
  const paused = await run((io) => runPause([], { all: true }, io));
  expect([paused.code, project.tasks().some(({ is_active }) => is_active)]).toEqual([0, false]);
  expect(paused.stderr.match(/file-unwritable/g)).toHaveLength(1);
});

it('a pause touches the home only when all is off', async () => {
  const seen: boolean[] = [];
  const look = setInterval(() => {
    if (project.tasks().some(({ is_active }) => is_active))
      seen.push(statSync(state, { throwIfNoEntry: false }) === undefined);
  }, 2);
  project.sandbox.faults.add({ method: 'POST', times: 0, fault: { type: 'delay', ms: 100 } });
  await raise('0.5');
  expect((await run((io) => runPause([], { all: true }, io))).code).toBe(0);
  clearInterval(look);
  expect([new Set(seen), files().length]).toEqual([new Set([true]), 1]);
});

it('the newest 1,000 files stay, or the newest 100 MB, and always the one that was written', async () => {
  await raise('0.75');
  const folder = join(files()[0] ?? '', '..');
  const name = (day: number) => `2100-01-01T00-00-00-${String(day).padStart(4, '0')}Z-0a0a0a0a.json`;
  mkdirSync(folder, { recursive: true });
  for (let day = 0; day < 1_002; day += 1) writeFileSync(join(folder, name(day)), '{}');
  writeFileSync(join(folder, 'notes.txt'), 'no run');
  await raise('0.5');
  // A clock that was wrong named the others.
  const left = readdirSync(folder);
  expect([left.length, left.includes(name(1)), left.includes(name(2))]).toEqual([1_002, false, true]);
  truncateSync(join(folder, name(1_000)), 100e6);
  await raise('0.75');
  expect(readdirSync(folder)).toHaveLength(3);
});
