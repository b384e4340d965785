import { beforeEach, describe, expect, it } from 'vitest';
import type { Io } from '../../../src/core/command/io.ts';
import type { SwitchReport } from '../../../src/core/model/generated/report.ts';
import type { SeedTask } from '../../../src/core/model/generated/sandbox.ts';
import { bySignal } from '../../../src/core/ports/stop.ts';
import { cells } from '../../../src/core/render/layout.ts';
import { copyTradeConfig, seedTask, sniperConfig, uuid } from '../../support/builders.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { onRequest } from '../../support/requests.ts';
import { openProject, type ProjectRun } from '../project-run.ts';
import { expectSchema, operate } from './operate.ts';

function task(index: number, remark: string, over: Partial<SeedTask> = {}): SeedTask {
  const sniper = sniperConfig({ buy_amount: `0.${index}` });
  const config = over.kind === 'copy-trade' ? copyTradeConfig() : sniper;
  return seedTask(index, { remark, config, version: 1, ...over });
}

const TASKS: readonly SeedTask[] = [
  task(1, 'Note [git:core/one@0]', { label: 'High risk' }),
  task(2, 'Note [git:core/two@0]'),
  task(3, 'Note [git:core/three@0]', { kind: 'copy-trade', label: 'Calm' }),
  task(4, 'Note [git:core/four]', { is_active: false }),
  task(5, 'Mine alone', { label: 'High risk' }),
  task(6, 'Theirs [git:desk/one@0]'),
];

let project: ProjectRun;
beforeEach(async () => {
  project = await openProject({
    seed: {
      accounts: [
        { login_username: 'whales', labels: [{ name: 'High risk' }, { name: 'Calm' }], tasks: TASKS },
      ],
    },
  });
});

function running(): readonly string[] {
  return project
    .tasks()
    .filter(({ is_active }) => is_active)
    .map(({ id }) => id.slice(0, 4))
    .sort();
}

const writes = () => project.written();

function report({ stdout }: { readonly stdout: string }): SwitchReport {
  return expectSchema('report', stdout) as unknown as SwitchReport;
}

describe('pause', () => {
  it('--all: only the project’s own, the most expensive first', async () => {
    const { code, stdout, stderr } = await operate(project).pause([], { all: true });
    expect(code).toBe(0);
    expect(running()).toEqual(['0005', '0006']);
    const row = (name: string, sol: string) => `  ■ ${name.padEnd(16)}  ${sol} SOL\n`;
    const rows = [row('copy-trade/three', '0.255'), row('sniper/two', '0.2025'), row('sniper/one', '0.1025')];
    expect(stdout).toMatch(new RegExp(`Paused \\(3\\)\n${rows.join('')}`));
    expect(stdout).toContain('All chosen tasks are off: 3 tasks paused; 1 was off already.');
    expect(stdout).toContain('for up to 60\n  seconds');
    expect(stderr).not.toContain('sniper/two');
    for (const line of stdout.split('\n')) expect(cells(line), line).toBeLessThanOrEqual(80);
  });

  it.each([
    [['sniper/one'], {}, ['0002', '0003']],
    [['one'], {}, ['0002', '0003']],
    [['sniper/*'], {}, ['0003']],
    [[uuid(2)], {}, ['0001', '0003']],
    [[], { kind: ['copy-trade'] }, ['0001', '0002']],
    [[], { label: ['High risk'] }, ['0002', '0003']],
    [[], { label: ['High risk', 'Calm'] }, ['0002']],
    [['sniper/*'], { label: ['High risk'] }, ['0002', '0003']],
  ])('%j %j', async (names, options, left) => {
    expect((await operate(project).pause(names, options)).code).toBe(0);
    expect(running()).toEqual([...left, '0005', '0006']);
  });

  it('a label by its name in the manifests', async () => {
    expect((await operate(project).pause([], { label: ['high-risk'] })).code).toBe(0);
    expect(running()).toEqual(['0002', '0003', '0005', '0006']);
  });

  it('what the same words would choose of others, and still runs, is a warning', async () => {
    const said = async (names: readonly string[], options: object, env = {}, ends = 0) => {
      const { code, stdout, stderr } = await operate(project, { env }).pause(names, options);
      expect(code).toBe(ends);
      return `${stdout}${stderr}`.replace(/\s+/g, ' ');
    };
    expect(await said(['sniper/one'], {})).toContain(
      ' and 2 tasks outside git (1 of project desk) trade 1.105 SOL ',
    );
    expect(await said([], { label: ['High risk'] })).toMatch(
      / and 2 tasks outside git .* 1 task outside git still trades 0\.5025 SOL\. To pause it as well: add `--include-/,
    );
    const all = await said([], { all: true });
    expect(all).toContain(
      ' SOL at stake 2 tasks outside git (1 of project desk) still trade 1.105 SOL. To pause all 2 as well, whatever project they belong to: add `--include-unmanaged`. All chosen tasks are off',
    );
    const inJob = await said([], { all: true }, { GITHUB_ACTIONS: 'true' });
    expect(inJob).toContain(' they belong to: the box `unmanaged` of this job');
    project.sandbox.editStored(uuid(1), { risk_label_id: null });
    const labelled = await said([], { label: ['High risk'] }, {}, 1);
    expect(labelled).toContain(
      'Nothing was paused: no such task of project core was found, but 1 task outside git',
    );
    const { diagnostics } = report(await operate(project).pause([], { all: true, output: 'json' }));
    expect(diagnostics).toMatchObject([{ severity: 'warning', code: 'unmanaged-running' }]);
    expect(await said([], { all: true, includeUnmanaged: true })).not.toContain('outside git still');
    expect(await said([], { all: true })).not.toContain('outside git still');
  });

  it('--include-unmanaged: all running tasks, with remarks unchanged', async () => {
    const { code, stdout } = await operate(project).pause([], { all: true, includeUnmanaged: true });
    expect(code).toBe(0);
    expect(running()).toEqual([]);
    expect(stdout).toContain('outside git, "Mine alone"');
    expect(project.sandbox.state.tasks.get(uuid(5))?.remark).toBe('Mine alone');
    expect(project.sandbox.state.tasks.get(uuid(6))?.remark).toBe('Theirs [git:desk/one@0]');
  });

  it('works with broken manifests; amounts that may be secret are hidden', async () => {
    project.write('manifests/broken.yaml', 'kind: [');
    const { code, stdout } = await operate(project).pause([], { all: true });
    expect(code).toBe(0);
    expect(running()).toEqual(['0005', '0006']);
    expect(stdout).toContain('(secret)');
    expect(stdout).not.toContain('0.2025');
  });

  it('works with a broken project file and --project-name', async () => {
    project.write('tradeform.yaml', 'kind: [');
    const { code, diagnostics } = await operate(project).pause([], { all: true });
    expect(code).toBe(3);
    expect(diagnostics.at(-1)?.hint).toContain('--project-name');
    expect((await operate(project).pause([], { all: true, projectName: 'core' })).code).toBe(0);
    expect(running()).toEqual(['0005', '0006']);
  });

  it('a guardrail that cannot be read stops no pause, but every start', async () => {
    const spec = 'spec: { guardrails: { require_label: { action: warn } } }';
    project.write(
      'tradeform.yaml',
      `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\n${spec}\n`,
    );
    expect((await operate(project).pause([], { all: true })).code).toBe(0);
    expect(running()).toEqual(['0005', '0006']);
    const resume = await operate(project).resume([], { all: true, autoApprove: true });
    expect(resume).toMatchObject({
      code: 3,
      diagnostics: [{ code: 'missing-field' }, { code: 'no-project-file' }],
    });
    expect(running()).toEqual(['0005', '0006']);
  });

  it('without a project no task is known to be owned, and this is reported', async () => {
    const elsewhere = temporaryFolder('none');
    const outside = operate(project, { cwd: elsewhere });
    expect(await outside.pause([], { all: true })).toMatchObject({
      code: 3,
      diagnostics: [{ code: 'no-project-file' }],
    });
    expect(writes()).toEqual([]);
    expect((await outside.pause([], { all: true, projectName: 'core' })).code).toBe(0);
    expect(running()).toEqual(['0005', '0006']);
    const all = await outside.pause([], { all: true, includeUnmanaged: true });
    expect(all.code).toBe(0);
    expect(all.stdout).toContain('No project was known');
    expect(running()).toEqual([]);
  });

  it.each([
    ['nothing chosen', [], {}],
    ['--all beside names', ['one'], { all: true }],
    ['a kind that is none', [], { kind: ['snipr'] }],
    ['a label that is none', [], { label: ['Hihg risk'] }],
    ['a name that is none', ['sniper/oen'], {}],
    ['a project name that is none', [], { all: true, projectName: 'No' }],
    ['an unmanaged task that is named', [uuid(5)], {}],
    ['a task that lacks the label', ['sniper/one'], { label: ['Calm'] }],
    ['a task of another kind', ['sniper/one'], { kind: ['copy-trade'] }],
    ['a task of another kind by its name alone', ['one'], { kind: ['copy-trade'] }],
  ])('%s: exit 3, and nothing is written', async (_name, names, options) => {
    const { code, stdout, diagnostics } = await operate(project).pause(names, options);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(diagnostics[0]?.hint ?? diagnostics[0]?.message).toMatch(/./);
    expect(writes()).toEqual([]);
  });

  it('the other options narrow what a pattern chooses, also to nothing; of a name this is said', async () => {
    const { diagnostics } = await operate(project).pause(['sniper/one'], { label: ['Calm'] });
    expect(diagnostics).toMatchObject([{ code: 'target-unknown', hint: expect.stringContaining('--label') }]);
    const none = await operate(project).pause(['sniper/*'], { label: ['Calm'] });
    expect([none.code, writes()]).toEqual([0, []]);
    const both = await operate(project).pause(['sniper/*', 'copy-trade/*'], { label: ['High risk'] });
    expect([both.code, running()]).toEqual([0, ['0002', '0003', '0005', '0006']]);
  });

  it('one name of two is wrong: the other is paused, and this is reported', async () => {
    const { code, stderr } = await operate(project).pause(['sniper/one', 'sniper/tow']);
    expect(code).toBe(1);
    expect(running()).toEqual(['0002', '0003', '0005', '0006']);
    expect(stderr).toContain('sniper/tow matches no task');
    expect(stderr).toContain('did you mean sniper/two?');
  });

  it('a project without tasks, while others run: it never says that all is off', async () => {
    const { code, stdout, stderr } = await operate(project).pause([], { all: true, projectName: 'cor' });
    expect(code).toBe(1);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /^Pause in .* Nothing was paused: no task of project cor was found, but/,
    );
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'This may be the wrong account (account whales, token svc_live_',
    );
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'no task of project cor was found, but 5 tasks outside git (3 of project core, 1 of project desk) trade 1.665 SOL',
    );
    expect(writes()).toEqual([]);
  });

  it('an account other than the pinned one: exit 4, nothing is written', async () => {
    project.write('tradeform.yaml', `${HEAD}spec: { account: { login_username: others } }\n`);
    const { code, diagnostics } = await operate(project).pause([], { all: true });
    expect({ code, diagnostics }).toMatchObject({ code: 4, diagnostics: [{ code: 'account-mismatch' }] });
    expect(writes()).toEqual([]);
  });

  it('--dry-run: GET requests only', async () => {
    const result = await operate(project).pause([], { all: true, dryRun: true, output: 'json' });
    expect(result.code).toBe(0);
    expect(writes()).toEqual([]);
    const { summary, record, dry_run } = report(result);
    expect({ summary, record, dry_run }).toMatchObject({
      summary: { planned: 3, done: 1 },
      record: { exposure: { before: '0.56', after: '0.56' } },
      dry_run: true,
    });
  });

  it('a kind that the token cannot read: not certain, unless the quota proves that it has no task', async () => {
    const scopes = ['sniper:read', 'sniper:write'];
    const blind = await openProject({ seed: { accounts: [{ tokens: [{ scopes }], tasks: TASKS }] } });
    const all = await operate(blind).pause([], { all: true });
    expect(all.code).toBe(1);
    expect(all.stderr.replace(/\s+/g, ' ')).toContain(
      'the token cannot read copy-trade and transfer-snipe tasks',
    );
    expect((await operate(blind).pause([], { kind: ['sniper'] })).code).toBe(0);
    expect((await operate(blind).pause(['sniper/*'])).code).toBe(0);
    blind.sandbox.apply([{ type: 'task-removed', id: uuid(3) }]);
    expect((await operate(blind).pause([], { all: true })).code).toBe(0);
  });

  it('off, but its mark is refused, so that an apply may start it: it is named, exit 1', async () => {
    const config = {
      ...sniperConfig(),
      relay_mode: { tip_amount: '9999', priority_fee: '0', slippage: '1' },
    };
    const refusing = await openProject({
      seed: {
        choices: { remark_patch_revalidates: 'always' },
        accounts: [{ tasks: [task(1, 'Note [git:core/one@6]', { config, version: 5 })] }],
      },
    });
    const { code, stdout } = await operate(refusing).pause([], { all: true });
    expect(code).toBe(1);
    expect(stdout).toContain('Off, but the next apply may start them (1)\n  ! sniper/one');
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'Its mark could not be written: the next apply may start it.',
    );
    expect(refusing.sandbox.state.tasks.get(uuid(1))?.is_active).toBe(false);
  });

  it.each([
    ['Ctrl-C: the task in hand is paused, the others named', false, 'done', 'Its mark was not written. '],
    ['Ctrl-C twice: at once', true, 'unknown', 'The command was interrupted'],
  ])('%s', async (_name, twice, inHand, said) => {
    const soft = new AbortController();
    const hard = new AbortController();
    onRequest(project.sandbox, (request) => {
      if (request.path.endsWith('/pause')) soft.abort();
      if (request.path.endsWith('/pause') && twice) hard.abort();
    });
    const stop: Io['stop'] = { soft: soft.signal, hard: hard.signal };
    const options = { kind: ['sniper'], concurrency: 1, output: 'json' };
    const result = await operate(project, { io: { stop } }).pause([], options);
    expect(result.code).toBe(130);
    const { outcome, changes, diagnostics } = report(result);
    expect(outcome).toBe('interrupted');
    expect(changes.map(({ status }) => status)).toEqual([inHand, 'failed']);
    expect(changes[0]?.text).toMatch(new RegExp(`^${said}`));
    expect(diagnostics).toMatchObject([{ code: 'interrupted', error: { code: 'aborted', status: null } }]);
    expect(result.stderr).toContain('Stopping:');
  });
});

const HEAD = 'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\n';

describe('resume', () => {
  // Most of these tasks are in no manifest.
  beforeEach(() => project.write('tradeform.yaml', `${HEAD}spec: { prune: { tasks: never } }\n`));
  const terminal = (answer: string): Partial<Io> => ({
    stdinIsTTY: true,
    stderrIsTTY: true,
    env: { TERM: 'dumb' },
    ask: () => Promise.resolve(answer),
  });

  it('a signal while it starts: the document says which one, with its code', async () => {
    await operate(project).pause(['one']);
    const soft = new AbortController();
    onRequest(project.sandbox, ({ path }) => {
      if (path.endsWith('/resume')) soft.abort(bySignal('SIGTERM'));
    });
    const stop: Io['stop'] = { soft: soft.signal, hard: new AbortController().signal };
    const options = { autoApprove: true, output: 'json' };
    const { diagnostics } = report(await operate(project, { io: { stop } }).resume(['one'], options));
    expect(diagnostics).toMatchObject([{ code: 'interrupted', error: { code: 'SIGTERM', status: null } }]);
  });

  it('Ctrl-C twice while it starts: unknown, with the ids of the answers', async () => {
    await operate(project).pause(['one']);
    const { signal: soft } = new AbortController();
    const hard = new AbortController();
    const sent: string[] = [];
    onRequest(project.sandbox, (request) => {
      if (request.method !== 'GET') sent.push(request.method);
      if (request.path.endsWith('/resume')) hard.abort();
    });
    const stop: Io['stop'] = { soft, hard: hard.signal };
    const options = { autoApprove: true, output: 'json' };
    const { changes } = report(await operate(project, { io: { stop } }).resume(['one'], options));
    expect(changes).toMatchObject([{ address: 'sniper/one', status: 'unknown' }]);
    expect({ sent, answered: changes[0]?.request_ids.length }).toEqual({
      sent: ['PATCH', 'POST'],
      answered: 1,
    });
  });

  it('Ctrl-C twice while the freeze ends: it may stand, and what started is reported', async () => {
    await operate(project).pause([], { all: true, freeze: true });
    const hard = new AbortController();
    onRequest(project.sandbox, ({ method }) => {
      if (method === 'DELETE') hard.abort();
    });
    const stop: Io['stop'] = { soft: new AbortController().signal, hard: hard.signal };
    const options = { all: true, autoApprove: true, output: 'json' };
    const result = await operate(project, { io: { stop } }).resume([], options);
    expect(result.code).toBe(130);
    const { outcome, changes, diagnostics } = report(result);
    expect(outcome).toBe('interrupted');
    expect(changes.filter(({ status }) => status === 'done').length).toBeGreaterThan(1);
    expect(diagnostics.map(({ message }) => message)).toContain('The freeze may still stand. Interrupted.');
  });

  it('starts what the switch stopped, and nothing that others stopped', async () => {
    project.sandbox.editStored(uuid(2), { is_active: false });
    await operate(project).pause([], { all: true });
    expect(running()).toEqual(['0005', '0006']);
    const { code, stdout } = await operate(project).resume([], { all: true, autoApprove: true });
    expect(code).toBe(0);
    expect(running()).toEqual(['0001', '0003', '0005', '0006']);
    expect(stdout).toContain('Stay off: something else stopped them (1)\n  = sniper/two');
    expect(stdout).toContain('2 tasks started; 1 stays off.');
    expect(project.sandbox.state.tasks.get(uuid(2))?.remark).toContain('@0]');
    expect((await operate(project).resume(['two'], { autoApprove: true })).code).toBe(0);
    expect(running()).toContain('0002');
  });

  it('asks for yes: nothing is sent without it', async () => {
    await operate(project).pause([], { all: true });
    project.sandbox.clearLog();
    const refused = await operate(project).resume([], { all: true });
    expect(refused).toMatchObject({ code: 4, diagnostics: [{ code: 'not-approved' }] });
    const env = {
      TRADEFORM_BASE_URL: project.baseUrl,
      TRADEFORM_TOKEN: project.sandbox.tokens()[0]?.token ?? '',
    };
    const no = await operate(project, { io: { ...terminal('y'), env } }).resume([], { all: true });
    expect(no).toMatchObject({ code: 4, diagnostics: [{ code: 'not-approved' }] });
    expect(no.stderr).toContain('Would start trading (3)');
    expect(writes()).toEqual([]);
    const yes = await operate(project, { io: { ...terminal('yes'), env } }).resume([], { all: true });
    expect(yes.code).toBe(0);
    expect(running()).toEqual(['0001', '0002', '0003', '0005', '0006']);
  });

  it('--include-unmanaged only by id', async () => {
    await operate(project).pause([], { all: true, includeUnmanaged: true });
    const options = { includeUnmanaged: true, autoApprove: true };
    const all = await operate(project).resume(['*'], options);
    expect(all).toMatchObject({ code: 3, diagnostics: [{ code: 'invalid-option' }] });
    // With --all, for the freeze of the account: what is not owned stays off.
    await operate(project).resume([], { all: true, ...options });
    await operate(project).pause([], { all: true });
    expect(running()).toEqual([]);
    const one = await operate(project).resume([uuid(5)], options);
    expect(one.code).toBe(0);
    expect(running()).toEqual(['0005']);
  });
});

it('a pause that fails for each task says the reason once, and FAILED once for each', async () => {
  project.sandbox.faults.add({
    path: 'pause$',
    times: 0,
    fault: { type: 'error', code: 'validation_error' },
  });
  const { code, stdout, stderr } = await operate(project).pause([], { all: true });
  expect(code).toBe(1);
  expect(stdout.match(/The pause was refused/g)).toHaveLength(1);
  expect(stderr.match(/sniper\/one FAILED/g)).toHaveLength(1);
});
