import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runDrift } from '../../../src/core/features/drift/drift.ts';
import type { StatusOptions } from '../../../src/core/features/status/status.ts';
import type { StatusRow } from '../../../src/core/model/generated/status.ts';
import { cells } from '../../../src/core/render/layout.ts';
import { sniper } from '../../manifest/samples.ts';
import { seedTask, sniperConfig, uuid, wallet } from '../../support/builders.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { runInMemory } from '../in-memory.ts';
import { openProject, type ProjectRun } from '../project-run.ts';
import { expectSchema, operate } from './operate.ts';

let project: ProjectRun;
beforeEach(async () => {
  const mine = seedTask(5, { remark: 'Mine', version: 1 });
  project = await openProject({ seed: { accounts: [{ login_username: 'whales', tasks: [mine] }] } });
  await project.apply(undefined, { autoApprove: true, firstApply: true });
  project.sandbox.clearLog();
});

it('every task in 80 columns, with only GET requests', async () => {
  const { code, stdout, stderr } = await operate(project).status();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const line of stdout.split('\n')) expect(cells(line), line).toBeLessThanOrEqual(80);
  expect(stdout).toContain('2 tasks: 2 trading (1 outside git), 0 off\n');
  expect(stdout).toMatch(/^sniper\/alpha +active +running +ok +\d+s ago +0\.5015 +High risk$/m);
  expect(stdout.indexOf(uuid(5))).toBeLessThan(stdout.indexOf('sniper/alpha'));
  expect(project.sandbox.log.every(({ method }) => method === 'GET')).toBe(true);
});

it('says what the sum does not contain, as the plan does', async () => {
  const config = { ...sniperConfig(), buy_amount: '1e3' };
  const remark = 'Mine [git:core/odd@0]';
  const odd = seedTask(7, { remark, config, is_active: true });
  const other = await openProject({ seed: { accounts: [{ login_username: 'whales', tasks: [odd] }] } });
  const said = /Not in the sum: 1 running task has an amount that cannot be read/;
  const { stdout } = await operate(other).status();
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(said);
  const document = expectSchema('status', (await operate(other).status([], { output: 'json' })).stdout);
  expect(document.uncounted).toHaveLength(1);
});

it('a running task that a manifest names by its id is to be adopted, as in the plan, and not unmanaged', async () => {
  expect((await operate(project).status()).stdout).toContain('2 trading (1 outside git)');
  const named = sniper({ name: 'mine', wallet: wallet(5) }).replace(
    'metadata:',
    `metadata:\n  id: ${uuid(5)}`,
  );
  project.write('manifests/mine.yaml', named);
  const { stdout } = await operate(project).status();
  expect(stdout).toContain('1 to be adopted');
  expect(stdout).not.toMatch(/to be changed|unmanaged/);
});

it('JSON matches its schema; filters and addresses select', async () => {
  await operate(project).pause([], { all: true });
  const { stdout } = await operate(project).status([], { output: 'json', held: true });
  expect(expectSchema('status', stdout)).toMatchObject({
    summary: { tasks: 2, running: 1, held: 1 },
    outside: [{ project: null, tasks: 1 }],
    tasks: [
      { address: 'sniper/alpha', state: 'held', desired: 'active', live: 'paused', label: 'High risk' },
    ],
  });
  const named = await operate(project).status(['sniper/al*'], { output: 'json' });
  expect(expectSchema('status', named.stdout).tasks).toMatchObject([{ address: 'sniper/alpha' }]);
  const byId = await operate(project).status([uuid(5)], { output: 'json', running: true });
  expect(expectSchema('status', byId.stdout).tasks).toMatchObject([{ id: uuid(5), state: 'left-alone' }]);
  const byLabel = await operate(project).status([], {
    output: 'json',
    label: ['High risk'],
    kind: ['sniper'],
  });
  expect(expectSchema('status', byLabel.stdout).tasks).toMatchObject([{ address: 'sniper/alpha' }]);
});

it.each([
  ['an address that is none', ['sniper/alhpa'], {}, 'target-unknown'],
  ['a kind that is none', [], { kind: ['snipr'] }, 'invalid-option'],
  ['a label that is none', [], { label: ['High risk', 'High rsik'] }, 'target-unknown'],
] as const)('%s: exit 3', async (_name, addresses, options, code) => {
  expect(await operate(project).status(addresses, options)).toMatchObject({
    code: 3,
    diagnostics: [{ code }],
  });
});

it('each word that is none is told, with the nearest that is one', async () => {
  const { diagnostics } = await operate(project).status(['sniper/alhpa', 'x9']);
  expect(diagnostics).toMatchObject([
    { code: 'target-unknown', hint: 'did you mean sniper/alpha?' },
    { message: 'x9 matches no task in the manifests or on the service, nor a wallet or a remark' },
  ]);
  for (const choose of [operate(project).status, operate(project).pause]) {
    const wrong = await choose([], { kind: ['snipr', 'sniper'] });
    expect(wrong.diagnostics).toMatchObject([
      { message: '--kind snipr: no such kind', hint: expect.stringContaining('did you mean sniper?') },
    ]);
  }
});

it('a label is chosen by its name, its id, or its name in the manifests; another name gets the nearest as a suggestion', async () => {
  const live = [...project.sandbox.state.labels.values()].find(({ name }) => name === 'High risk');
  for (const label of ['High risk', 'high-risk', live?.id ?? '', live?.id.toUpperCase() ?? '']) {
    const { code, stdout } = await operate(project).status([], { output: 'json', label: [label] });
    expect(code, label).toBe(0);
    expect(expectSchema('status', stdout).tasks, label).toMatchObject([{ address: 'sniper/alpha' }]);
  }
  for (const choose of [operate(project).status, operate(project).pause]) {
    const { diagnostics } = await choose([], { label: ['Hihg risk'] });
    expect(diagnostics).toMatchObject([
      { message: '--label Hihg risk: the service has no such label', hint: 'did you mean High risk?' },
    ]);
  }
});

it('a label of the manifests chooses, and is suggested, as soon as the service has it', async () => {
  project.write(
    'manifests/label-new.yaml',
    'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: volatile }\nspec: { name: Hot }\n',
  );
  const { status, pause } = operate(project);
  const hints = async (...label: string[]) => {
    const all = [await status([], { label }), await pause([], { label })];
    return all.map(({ diagnostics }) => diagnostics.map(({ code, hint }) => [code, hint]));
  };
  const none = ['target-unknown', 'its labels are High risk, high-risk'];
  expect(await hints('volatil', 'volatile')).toEqual([
    [none, none],
    [none, none],
  ]);
  await project.applied();
  const near = ['target-unknown', 'did you mean volatile?'];
  expect(await hints('volatil', 'volatile')).toEqual([[near], [near]]);
});

describe('which tasks, and in which order', () => {
  const tasks = [
    ['alpha', '0.3', true, '@0'],
    ['beta', '0.9', false, '@0'],
    ['gamma', '0.5', true, '@0'],
    ['delta', '0.1', false, '@!'],
  ] as const;
  let desk: ProjectRun;
  beforeEach(async () => {
    const seeded = tasks.map(([name, buy_amount, is_active, mark], index) => {
      const remark = `Follow ${name === 'beta' ? 'the Whale' : 'it'} [git:core/${name}${mark}]`;
      const config = sniperConfig({ buy_amount });
      return seedTask(index + 1, { remark, target_wallet: wallet(index), config, is_active });
    });
    desk = await openProject({ seed: { accounts: [{ tasks: seeded }] } });
    rmSync(join(desk.path, 'manifests'), { recursive: true });
    desk.write(
      'tradeform.yaml',
      'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { prune: { tasks: never } }\n',
    );
    for (const name of ['alpha', 'beta', 'delta']) desk.write(`manifests/${name}.yaml`, manifest(name));
  });

  function manifest(name: string): string {
    const index = tasks.findIndex(([known]) => known === name);
    const amount = name === 'alpha' ? '0.4' : (tasks[index]?.[1] ?? '');
    return sniper({
      name,
      amount,
      wallet: `"${wallet(index)}"`,
      spec: `  remark: ${name === 'beta' ? 'Follow the Whale' : 'Follow it'}\n`,
    });
  }

  const names = async (given: readonly string[], options: StatusOptions = {}) => {
    const { stdout, diagnostics } = await operate(desk).status(given, { output: 'json', ...options });
    expect(diagnostics).toEqual([]);
    const rows = expectSchema('status', stdout).tasks as unknown as readonly StatusRow[];
    return rows.map(({ address }) => address?.split('/')[1]);
  };

  it.each([
    [['beta'], ['beta']],
    [['b*'], ['beta']],
    [[wallet(2)], ['gamma']],
    [['the whale'], ['beta']],
    [
      ['delta', uuid(1)],
      ['alpha', 'delta'],
    ],
  ])('%j', async (given, expected) => {
    expect((await names(given)).toSorted()).toEqual(expected);
  });

  it.each([
    ['sol', ['gamma', 'alpha', 'beta', 'delta']],
    ['state', ['beta', 'delta', 'alpha', 'gamma']],
  ] as const)('--sort %s', async (sort, expected) => {
    expect(await names([], { sort })).toEqual(expected);
  });

  it('--sort since: the latest change first', async () => {
    desk.sandbox.advance(60_000);
    desk.sandbox.editStored(uuid(3), { remark: 'Follow me [git:core/gamma@0]' });
    expect((await names([], { sort: 'since' }))[0]).toBe('gamma');
  });

  it('a paused task has nothing at stake; the document contains the target', async () => {
    const { stdout } = await operate(desk).status(['beta', 'gamma']);
    expect(stdout).toMatch(/^sniper\/beta .* - *$/m);
    expect(stdout).toMatch(/^sniper\/gamma .* 0\.50\d+ *$/m);
    const json = await operate(desk).status(['delta'], { output: 'json' });
    expect(expectSchema('status', json.stdout).tasks).toMatchObject([{ target: wallet(3) }]);
  });
});

describe('without a project', () => {
  const alone = async () => {
    const config = { ...sniperConfig(), buy_amount: '1e3' };
    const dawn = seedTask(6, { remark: 'Dawn [git:desk/dawn@0]', is_active: true });
    const odd = seedTask(7, { remark: 'Odd', config, is_active: true });
    const labels = [{ id: uuid(90), name: 'freeze', sort_order: 0 }];
    const tasks = [seedTask(5, { remark: 'Mine', is_active: false }), dawn, odd];
    const other = await openProject({ seed: { accounts: [{ login_username: 'whales', tasks, labels }] } });
    return { ...other, at: { cwd: temporaryFolder('alone') } };
  };

  it('shows the account of the environment, and every task with the name of its marker', async () => {
    const { at, ...other } = await alone();
    const { code, stdout, stderr } = await operate(other, at).status();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const said = stdout.replaceAll(/\s+/g, ' ');
    expect(said).toContain('0.505 SOL at stake');
    expect(said).toContain('3 tasks: 2 trading, 1 off');
    expect(said).toContain('1 of the amounts cannot be read');
    expect(said).toMatch(/sniper\/dawn - running outside git .* of project desk, "Dawn/);
    expect(said).toContain('Starts are frozen by the label "freeze"');
    expect(other.sandbox.log.every(({ method }) => method === 'GET')).toBe(true);
    const named = await operate(other, at).status(['sniper/dawn'], { output: 'json' });
    expect(expectSchema('status', named.stdout)).toMatchObject({
      ...{ project: '', environment: null, exposure: '0.505', outside: [] },
      tasks: [{ address: 'sniper/dawn', id: uuid(6), owner: 'foreign', project: 'desk', desired: 'none' }],
    });
  });

  it('as Markdown, has no project in its title and its hidden line', async () => {
    const { at, ...other } = await alone();
    const { stdout } = await operate(other, at).status([], { output: 'markdown' });
    const [header, title] = stdout.split('\n');
    expect(header).toBe('<!-- tradeform:status project=- environment=- digest=- -->');
    expect(title).toBe('## 3 tasks: 2 trading, 1 off');
  });

  it.each([
    ['-e', {}, { environment: 'live' }],
    ['TRADEFORM_ENVIRONMENT', { TRADEFORM_ENVIRONMENT: 'live' }, {}],
    ['a job of GitHub', { GITHUB_ACTIONS: 'true' }, {}],
    ['a job of GitLab', { GITLAB_CI: 'true' }, {}],
  ])('is refused with %s, which means a project: the folder is wrong', async (_name, more, options) => {
    const { at, ...other } = await alone();
    const env = { TRADEFORM_BASE_URL: other.baseUrl, ...more };
    const { code, diagnostics } = await operate(other, { ...at, env }).status([], options);
    expect([code, diagnostics[0]?.code]).toEqual([3, 'no-project-file']);
    expect(other.sandbox.log).toEqual([]);
  });

  it('needs a base URL that no project file named; drift has nothing to compare with, and names status', async () => {
    const { at, ...other } = await alone();
    const env = { TRADEFORM_BASE_URL: '' };
    const nowhere = await operate(other, { ...at, env }).status();
    expect(nowhere).toMatchObject({ code: 3, diagnostics: [{ code: 'no-project-file' }] });
    const drift = await runInMemory({ ...at, env: {} }, (io) => runDrift({ baseUrl: other.baseUrl }, io));
    expect([drift.code, drift.diagnostics[0]?.hint]).toEqual([
      3,
      expect.stringContaining('`tradeform status --base-url URL` shows an account without one'),
    ]);
    expect(other.sandbox.log).toEqual([]);
  });
});
