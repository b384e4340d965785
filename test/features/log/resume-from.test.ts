import { tmpdir } from 'node:os';
import { beforeEach, expect, it } from 'vitest';
import { type PauseOptions, runPause } from '../../../src/core/features/switch/pause.ts';
import type { RunLog } from '../../../src/core/model/generated/log.ts';
import type { SwitchReport } from '../../../src/core/model/generated/report.ts';
import { runLog } from '../../../src/kit/log/log.ts';
import { runResumeFrom } from '../../../src/kit/log/resume-from.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { onRequest } from '../../support/requests.ts';
import { openProject, type ProjectRun } from '../project-run.ts';

let project: ProjectRun;
let env: Record<string, string | undefined>;

beforeEach(async () => {
  project = await openProject({ tasks: ['alpha', 'bravo'] });
  env = { ...project.env, XDG_STATE_HOME: temporaryFolder('state') };
});

type Resume = Parameters<typeof runResumeFrom>[1];
const run = (command: Parameters<ProjectRun['run']>[0]) => project.run(command, { env });
const active = () =>
  project
    .tasks()
    .filter(({ is_active }) => is_active)
    .map(({ id }) => id)
    .sort();
/** Pauses, and returns the run: its last line names it, unless `resume --all` does the same. */
async function pause(
  options: PauseOptions = { all: true, includeUnmanaged: true, freeze: true },
  names: string[] = [],
) {
  const { code, stderr } = await run((io) => runPause(names, options, io));
  expect([code, active().length]).toEqual([0, names.length === 0 ? 0 : active().length]);
  const [, from] = /tradeform resume --from ([0-9a-f]{8})\n$/.exec(stderr) ?? [];
  const isWhole = options.all === true && !options.includeUnmanaged && options.freeze !== false;
  expect(from === undefined).toBe(isWhole);
  const log = await run((io) => runLog(undefined, { output: 'json' }, io));
  return from ?? (JSON.parse(log.stdout) as RunLog).runs[0]?.run ?? '';
}
const resume = (from: string, options: Resume = {}, names: string[] = []) =>
  run((io) => runResumeFrom(names, { autoApprove: true, output: 'json', from, ...options }, io));
const report = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout) as SwitchReport;

/** A task of the account that no manifest describes. */
function unmanaged(): string {
  const { id } = project.live('bravo');
  project.sandbox.editStored(id, { remark: 'by hand' });
  project.erase('manifests/bravo.yaml');
  project.commit('bravo is not ours');
  return id;
}

it('starts what a pause stopped, those of others too and nothing else, and ends its freeze', async () => {
  const id = unmanaged();
  project.task('charlie');
  project.commit();
  await project.apply(undefined, { autoApprove: true });
  // Off before the pause.
  project.edit('charlie', { is_active: false });
  const before = active();
  expect(before).toContain(id);
  const from = await pause();
  const dry = report(await resume(from, { dryRun: true, autoApprove: false }));
  expect(dry.changes.map((change) => [change.address ?? change.id, change.status])).toEqual(
    expect.arrayContaining([
      ['sniper/alpha', 'planned'],
      [id, 'planned'],
    ]),
  );
  expect([dry.changes.length, dry.thaws?.length, active()]).toEqual([2, 1, []]);
  const other = await resume(from, { expect: '0'.repeat(64) });
  expect([other.code, active()]).toEqual([4, []]);
  const done = await resume(from, { expect: dry.digest ?? '' });
  expect([done.code, active()]).toEqual([0, before]);
  expect(report(done).record.options).toEqual([expect.stringMatching(new RegExp(`^--from .*${from}$`))]);
  expect((await resume(from)).code).toBe(0);
});

it('a pause without its freeze says so in its record', async () => {
  const done = await run((io) => runPause([], { all: true, freeze: false, output: 'json' }, io));
  expect(report(done).record.options).toEqual(['--all', '--no-freeze']);
});

it('starts no task of others that was written since, and no own one that somebody stopped since', async () => {
  const id = unmanaged();
  const from = await pause();
  project.sandbox.editStored(id, { remark: 'dearer now' });
  expect((await resume(from)).code).toBe(0);
  const alpha = project.live('alpha').id;
  expect(active()).toEqual([alpha]);
  project.edit('alpha', { is_active: false });
  const again = report(await resume(from));
  expect(again.changes.map(({ status, text }) => [status, text]).sort()).toEqual([
    ['left', expect.stringContaining('not the switch')],
    ['left', expect.stringContaining('written since that pause')],
  ]);
  expect(active()).toEqual([]);
});

it('says what was deleted since', async () => {
  const from = await pause({ all: true });
  project.erase('manifests/bravo.yaml');
  project.commit();
  await project.apply(undefined, { autoApprove: true, allowEmpty: true });
  expect(report(await resume(from)).diagnostics).toMatchObject([
    { message: 'deleted since that pause: sniper/bravo' },
  ]);
});

it('of a pause of one task starts that one, and leaves a freeze alone', async () => {
  await pause({ all: true, freeze: true });
  expect((await run((io) => runResumeFrom([], { all: true, autoApprove: true }, io))).code).toBe(0);
  const from = await pause({}, ['sniper/alpha']);
  await pause({ all: true, freeze: true });
  expect([(await resume(from)).code, active()]).toEqual([4, []]);
});

it.each([
  ['a wider pause', true],
  ['a second pause of all', false],
])('of %s ends no freeze that a task of the first one still needs', async (_name, wider) => {
  const labels = () => [...project.sandbox.state.labels.values()].map(({ name }) => name);
  const first = await pause({ all: true, freeze: true });
  const account = { all: true, includeUnmanaged: wider, freeze: true };
  project.edit('bravo', { is_active: true });
  const second = await pause(account);
  const done = await resume(second);
  expect([done.code, active(), labels()]).toEqual([0, [project.live('bravo').id], ['freeze pause core']]);
  const kept = 'the freeze "freeze pause core" stays, because another pause stopped sniper/alpha';
  expect(report(done).diagnostics.map(({ message }) => message)).toEqual([kept]);
  expect([(await resume(first)).code, active().length, labels()]).toEqual([0, 2, []]);
});

/** A task of a project that starts again whatever no mark and no freeze keeps off. */
async function foreign(): Promise<string> {
  const id = unmanaged();
  project.sandbox.editStored(id, { remark: '[git:beta/dusk@1.abcd0001]' });
  await project.applied({ allowEmpty: true });
  return id;
}
const frozen = () => [...project.sandbox.state.labels.values()].map(({ name }) => name);
const start = (id: string) => project.sandbox.editStored(id, { is_active: true });
const messages = (done: { readonly stdout: string }) =>
  report(done).diagnostics.map(({ message }) => message);
const kept = (id: string) =>
  `the freeze of the account stays: it alone keeps off sniper/${id} ([git:beta/dusk@1.abcd0001])`;

it('of a second pause keeps the freeze of the account, for what the first one stopped without a mark', async () => {
  const [dusk, alpha] = [await foreign(), project.live('alpha').id];
  const first = await pause();
  start(alpha);
  const second = await pause();
  const done = await resume(second);
  expect([done.code, active(), frozen()]).toEqual([0, [alpha], ['freeze pause']]);
  expect(messages(done)).toEqual([kept(dusk)]);
  expect(report(done).diagnostics[0]?.hint).toContain(`-${first}\` starts`);
  expect([(await resume(first)).code, active(), frozen()]).toEqual([0, [alpha, dusk].sort(), []]);
});

it.each(['again', 'by its name'])(
  'of a pause keeps the freeze for what another one stopped %s',
  async (how) => {
    const dusk = await foreign();
    const first = await pause();
    start(dusk);
    const id = [`sniper/${dusk}`];
    await (how === 'again' ? pause() : run((io) => runPause(id, { includeUnmanaged: true }, io)));
    const done = await resume(first);
    expect([done.code, active(), frozen()]).toEqual([0, [project.live('alpha').id], ['freeze pause']]);
    expect(messages(done)).toEqual([kept(dusk)]);
    const all = { all: true, includeUnmanaged: true, autoApprove: true };
    expect((await run((io) => runResumeFrom([], all, io))).code).toBe(0);
    expect(frozen()).toEqual([]);
  },
);

it.each(['to its end', 'until Ctrl-C', 'blind'])(
  'keeps the freeze of the account for what was started since, and paused by its name %s',
  async (how) => {
    const dusk = await foreign();
    project.sandbox.editStored(dusk, { is_active: false });
    const first = await pause();
    start(dusk);
    const [soft, { signal: hard }] = [new AbortController(), new AbortController()];
    onRequest(project.sandbox, ({ path }) => {
      if (how === 'until Ctrl-C' && path.endsWith('/pause')) soft.abort();
    });
    const fault = { type: 'error', code: 'insufficient_scope' } as const;
    if (how === 'blind') project.sandbox.faults.add({ method: 'GET', path: '/labels', times: 1, fault });
    const stop = { soft: soft.signal, hard };
    await run((io) => runPause([`sniper/${dusk}`], { includeUnmanaged: true }, { ...io, stop }));
    const done = await resume(first);
    expect([done.code, active(), frozen()]).toEqual([0, [project.live('alpha').id], ['freeze pause']]);
    expect(messages(done)).toEqual([kept(dusk)]);
  },
);

it.each([
  ['is missing', { TRADEFORM_JOURNAL: '' }],
  ['lies elsewhere', { XDG_STATE_HOME: tmpdir() }],
])('keeps the freeze of the account while the record of a pause under it %s', async (_why, elsewhere) => {
  await foreign();
  await run((io) =>
    runPause(
      [],
      { all: true, includeUnmanaged: true, freeze: true },
      { ...io, env: { ...env, ...elsewhere } },
    ),
  );
  start(project.live('alpha').id);
  const done = await resume(await pause());
  expect([done.code, frozen()]).toEqual([0, ['freeze pause']]);
  expect(messages(done)).toEqual([expect.stringContaining('lacks a pause')]);
});

it('an earlier pause whose freeze ended keeps no later one', async () => {
  await foreign();
  await pause();
  const all = { all: true, includeUnmanaged: true, autoApprove: true };
  await run((io) => runResumeFrom([], all, io));
  expect([(await resume(await pause())).code, frozen()]).toEqual([0, []]);
});

it('a task outside git that the service refuses keeps the freeze, because no apply could start it', async () => {
  const id = unmanaged();
  const from = await pause();
  const fault = { type: 'error', code: 'validation_error' } as const;
  project.sandbox.faults.add({ method: 'POST', path: `${id}/resume$`, times: 0, fault });
  const refused = await resume(from);
  expect([refused.code, active()]).toEqual([1, [project.live('alpha').id]]);
  const labels = [...project.sandbox.state.labels.values()].map(({ name }) => name);
  expect(labels).toContain('freeze pause');
  expect(report(refused).diagnostics).toContainEqual(expect.objectContaining({ code: 'frozen' }));
});

it('says how the freeze of the account ends that the tasks of a pause without a freeze keep', async () => {
  await pause({ all: true, freeze: false });
  project.edit('bravo', { is_active: true });
  const [kept] = report(await resume(await pause())).diagnostics;
  expect(kept?.hint).toContain('`tradeform resume --all --include-unmanaged` starts all');
  const all = { all: true, includeUnmanaged: true, autoApprove: true };
  expect((await run((io) => runResumeFrom([], all, io))).code).toBe(0);
  expect([active().length, project.sandbox.state.labels.size]).toEqual([2, 0]);
});

it('is of the same account and project, of a pause that stopped something, and of no other choice', async () => {
  const from = await pause({ all: true });
  const refused = async (given: string, options: Resume = {}, names: string[] = []) => {
    const { code, diagnostics } = await resume(given, options, names);
    return [code, diagnostics[0]?.message];
  };
  expect(await refused(from, {}, ['sniper/alpha'])).toEqual([3, '--from chooses the tasks itself']);
  expect(await refused(from, { all: true })).toEqual([3, '--from chooses the tasks itself']);
  expect(await refused('nothing')).toEqual([3, expect.stringContaining('no run of')]);
  expect(await refused(from, { projectName: 'other' })).toEqual([
    3,
    expect.stringMatching(/^that pause was of an account at .*, project core$/),
  ]);
  expect((await resume(from)).code).toBe(0);
  expect(await refused('latest')).toEqual([3, expect.stringContaining('is not a pause')]);
  const nothing = await run((io) => runPause([], { all: true, dryRun: true }, io));
  expect(nothing.stderr).not.toContain('--from');
  expect(active()).toHaveLength(2);
});
