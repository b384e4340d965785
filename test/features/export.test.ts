import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runPlan } from '../../src/core/features/plan.ts';
import type { SeedTask } from '../../src/core/model/generated/sandbox.ts';
import { readProject } from '../../src/core/project/project.ts';
import { type ExportOptions, runExport, writeFiles } from '../../src/kit/export/export.ts';
import type { ExportPlace } from '../../src/kit/export/place.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { configFor, uuid, wallet } from '../support/builders.ts';
import { openProject, type ProjectRun } from './project-run.ts';

let root: string;
let sandbox: Sandbox;

function task(index: number, over: Partial<SeedTask>): SeedTask {
  const { kind = 'sniper' } = over;
  return {
    kind,
    id: uuid(index),
    target_wallet: wallet(index),
    config: configFor(kind),
    created_at: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
    ...over,
  };
}

const TASKS: readonly SeedTask[] = [
  task(1, { remark: 'Follow whale 7', is_active: true, label: 'High risk' }),
  task(2, { remark: 'Follow whale 7' }),
  task(3, { remark: 'Pier [git:core/pier@0]', kind: 'transfer-snipe', is_active: true, version: 5 }),
  task(4, { remark: 'Held [git:core/held@0]', version: 5 }),
  task(5, { remark: 'Theirs [git:other/theirs@0]', kind: 'copy-trade', is_active: true }),
  task(6, { remark: 'Damaged [git:core/', is_active: true }),
];

let project: ProjectRun;

async function open(tasks: readonly SeedTask[]): Promise<void> {
  const labels = [{ name: 'High risk', sort_order: 2 }, { name: 'Unused' }];
  const templates = [{ kind: 'copy-trade', name: 'Follow', config: configFor('copy-trade') }] as const;
  const accounts = [{ login_username: 'whales', labels, templates: [...templates], tasks: [...tasks] }];
  project = await openProject({ files: {}, seed: { accounts } });
  root = project.path;
  sandbox = project.sandbox;
}

beforeEach(() => open(TASKS));

const read = (name: string) => project.read(name);
const write = (name: string, text: string) => project.write(name, text);

function run(names: readonly string[], options: ExportOptions = {}, cwd = root) {
  return project.run((io) => runExport(names, options, io), { cwd });
}

/** Every file below the folder, in order. */
function files(folder = root): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** Without the line breaks of a narrow terminal. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ');
}

const PROJECT = 'apiVersion: tradeform/v1\nkind: Project\nmetadata:\n  name: core\n';
const NAMES = (text: string) =>
  parseAllDocuments(text).map((document) => {
    const { kind, metadata } = document.toJS() as { kind: string; metadata: { name: string; id?: string } };
    return `${kind} ${metadata.name}${metadata.id === undefined ? '' : ' id'}`;
  });

describe('copy-trade twins', () => {
  it('git has the one with most at stake, under the plain name; the other is named with what to do', async () => {
    const twin = (index: number, buy: string, runs: boolean) =>
      task(index, {
        kind: 'copy-trade',
        remark: 'Follow whale 7',
        target_wallet: wallet(9),
        is_active: runs,
        config: { ...configFor('copy-trade'), buy_config_universal: { ...universal, amount_sol: buy } },
      });
    const universal = configFor('copy-trade').buy_config_universal as Record<string, string>;
    await open([twin(1, '5', false), twin(2, '0.1', true), twin(3, '0.3', true)]);
    const first = await run([], { projectName: 'core', out: '.' });
    expect(files().filter((name) => name.startsWith('manifests/copy-trade/'))).toEqual([
      'manifests/copy-trade/follow-whale-7.yaml',
    ]);
    expect(read('manifests/copy-trade/follow-whale-7.yaml')).toContain(uuid(3));
    const told = plain(first.stderr);
    for (const [index, runs] of [
      [1, ''],
      [2, 'It trades 0\\.1\\d* SOL outside git\\. '],
    ] as const)
      expect(told).toMatch(
        new RegExp(
          `copy-trade/follow-whale-7-\\d \\(${uuid(index)}\\) is not exported: The task ${uuid(3)} has the same target wallet, and git can have one of them\\. ${runs}Delete one in the web application; then \`tradeform export --out \\. ${uuid(index)}\` exports this one`,
        ),
      );
    // The one with a manifest stays, whatever the others have at stake.
    sandbox.editStored(uuid(3), { is_active: false });
    const again = await run([], { out: '.' });
    expect([again.code, files().filter((name) => name.includes('whale'))]).toEqual([
      0,
      ['manifests/copy-trade/follow-whale-7.yaml'],
    ]);
  });
});

describe('printed manifests', () => {
  it('need the name of the project for the markers', async () => {
    const { code, diagnostics, stdout } = await run([]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(diagnostics).toMatchObject([{ code: 'no-project-file' }]);
    expect(diagnostics[0]?.hint).toContain('--project-name');
    expect(sandbox.log).toEqual([]);
    expect(await run([], { projectName: 'Core' })).toMatchObject({
      code: 3,
      diagnostics: [{ code: 'invalid-option' }],
    });
  });

  it('name a task with a note in another script by its kind', async () => {
    for (const [number, note] of [
      [1, '狙击 1号'],
      [2, '狙击'],
    ] as const)
      sandbox.editStored(uuid(number), { config: configFor('sniper'), remark: note });
    const { stdout } = await run([], { projectName: 'core' });
    expect(NAMES(stdout)).toEqual(
      expect.arrayContaining(['SniperTask sniper-1 id', `SniperTask sniper-${uuid(2).slice(0, 8)} id`]),
    );
  });

  it('contain owned and unmanaged tasks, and tasks of others only by name', async () => {
    const { code, stdout, stderr } = await run([], { projectName: 'core' });
    expect(code).toBe(0);
    expect(NAMES(stdout)).toEqual([
      'Label high-risk',
      'Label unused',
      'CopyTradeTemplate follow',
      'SniperTask follow-whale-7 id',
      'SniperTask follow-whale-7-2 id',
      'SniperTask held',
      'TransferSnipeTask pier',
    ]);
    expect(stderr).toContain('4 tasks and 3 other manifests exported, 2 tasks of other owners not selected.');
    expect(files()).toEqual([]);
    expect(sandbox.log.every(({ method }) => method === 'GET')).toBe(true);

    const theirs = await run([uuid(5).toUpperCase()], { projectName: 'core' });
    expect(NAMES(theirs.stdout)).toEqual(['CopyTradeTask theirs']);
    expect(theirs.stdout).toContain('# This task belongs to project other');
    expect(NAMES((await run([], { projectName: 'core', only: ['damaged'] })).stdout)).toEqual([
      'SniperTask damaged id',
    ]);
    expect(NAMES((await run(['*'], { projectName: 'core' })).stdout)).toHaveLength(7);
  });

  it('know a label of the project in the file that export would write', async () => {
    write('tradeform.yaml', PROJECT);
    const label = 'metadata: { name: high-risk }\nspec: { name: High risk, sort_order: 2 }';
    write('manifests/labels.yaml', `apiVersion: tradeform/v1\nkind: Label\n${label}\n`);
    const { code, stdout, stderr } = await run([uuid(1)]);
    expect([code, NAMES(stdout)]).toEqual([0, ['Label high-risk', 'SniperTask follow-whale-7 id']]);
    expect(stdout).toContain('  label: high-risk\n');
    expect(stdout + stderr).not.toMatch(/ignore_changes|export-left-out|export-altered/);
  });

  it.each<[string, readonly string[], ExportOptions, readonly string[]]>([
    ['an address', ['sniper/held'], {}, ['SniperTask held']],
    ['a name alone, of what is not another project’s', ['held', 'theirs'], {}, ['SniperTask held']],
    [
      'a glob, with the labels that it needs',
      ['sniper/follow*'],
      {},
      ['Label high-risk', 'SniperTask follow-whale-7 id', 'SniperTask follow-whale-7-2 id'],
    ],
    [
      'a kind',
      [],
      { kind: ['transfer-snipe', 'label'] },
      ['Label high-risk', 'Label unused', 'TransferSnipeTask pier'],
    ],
    [
      'what runs',
      [],
      { running: true },
      ['Label high-risk', 'SniperTask follow-whale-7 id', 'TransferSnipeTask pier'],
    ],
    ['what does not', [], { paused: true }, ['SniperTask follow-whale-7-2 id', 'SniperTask held']],
    ['a label', [], { label: ['High risk'] }, ['Label high-risk', 'SniperTask follow-whale-7 id']],
    [
      'a label by the name of its manifest',
      [],
      { label: ['high-risk'] },
      ['Label high-risk', 'SniperTask follow-whale-7 id'],
    ],
    ['owned', [], { only: ['owned'] }, ['SniperTask held', 'TransferSnipeTask pier']],
  ])('can be %s', async (_what, names, options, expected) => {
    const { stdout } = await run(names, { projectName: 'core', ...options });
    expect(NAMES(stdout)).toEqual(expected);
  });

  it('can be a label by its id, also where the token may not read labels', async () => {
    const tasks = [{ label: 'High risk' }, {}].map((more, index) =>
      task(index + 1, { kind: 'transfer-snipe', remark: `Pier ${index + 1}`, ...more }),
    );
    const tokens = [{}, { scopes: ['transfersnipe:read' as const] }];
    project = await openProject({
      files: {},
      seed: { accounts: [{ tokens, labels: [{ name: 'High risk' }], tasks }] },
    });
    const [id = ''] = project.sandbox.state.labels.keys();
    for (const { token } of project.sandbox.tokens()) {
      const env = { ...project.env, TRADEFORM_TOKEN: token };
      const options = { label: [id], projectName: 'core' };
      const { stdout } = await project.run((io) => runExport(['transfer-snipe/*'], options, io), { env });
      expect(NAMES(stdout)).toContain('TransferSnipeTask pier-1 id');
      expect(stdout).not.toContain('pier-2');
    }
    // Of a label that may not be read, only the id of a task is known, and the message says so.
    const [, hidden] = project.sandbox.tokens();
    const env = { ...project.env, TRADEFORM_TOKEN: hidden?.token ?? '' };
    const { code, diagnostics } = await project.run(
      (io) => runExport([], { label: ['High risk'], projectName: 'core' }, io),
      { env },
    );
    expect({ code, diagnostics }).toMatchObject({
      code: 3,
      diagnostics: [{ message: expect.stringContaining('the token cannot read labels') }],
    });
  });

  it('into a file that the project reads: the shell empties that first, and --out is suggested', async () => {
    write('tradeform.yaml', PROJECT);
    write('manifests/label.yaml', 'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: calm }\n');
    write('manifests/held.yaml', '');
    const emptied = await run(['sniper/held']);
    expect(emptied).toMatchObject({ code: 3, diagnostics: [{ code: 'no-manifests' }] });
    expect(emptied.diagnostics[0]?.hint).toContain('use --out DIR');
    expect((await run(['sniper/held'], { out: '.' })).diagnostics[0]?.hint).not.toContain('shell');
    write('manifests/held.yaml', '# later\n');
    expect((await run(['sniper/held'])).diagnostics[0]?.hint).not.toContain('shell');
  });

  it.each<[readonly string[], ExportOptions, string]>([
    [['sniper/hled'], {}, 'target-unknown'],
    [[], { label: ['High rsik'] }, 'target-unknown'],
    [[], { kind: ['snipers'] }, 'invalid-option'],
    [[], { running: true, paused: true }, 'invalid-option'],
    [[], { grouped: true }, 'invalid-option'],
  ])('are never guessed: %j %j', async (names, options, code) => {
    const result = await run(names, { projectName: 'core', ...options });
    expect(result).toMatchObject({ code: 3, stdout: '', diagnostics: [{ code }] });
  });
});

describe('written manifests', () => {
  it('go into the named folder, grouped by kind on request', async () => {
    write('tradeform.yaml', `${PROJECT}spec:\n  manifests: ["strategies/**/*.yaml"]\n`);
    expect(await run([], { out: 'strategies/live', grouped: true, presets: true })).toMatchObject({
      code: 0,
    });
    expect(files()).toEqual([
      'strategies/live/copy-trade-template.yaml',
      'strategies/live/labels.yaml',
      'strategies/live/presets.yaml',
      'strategies/live/sniper.yaml',
      'strategies/live/transfer-snipe.yaml',
      'tradeform.yaml',
    ]);
    expect(NAMES(read('strategies/live/sniper.yaml'))).toEqual([
      'SniperTask follow-whale-7 id',
      'SniperTask follow-whale-7-2 id',
      'SniperTask held',
    ]);
  });

  it('are refused in a folder without effect, and outside the project', async () => {
    write('in/tradeform.yaml', PROJECT);
    const cwd = join(root, 'in');
    expect(await run([], { out: 'elsewhere' }, cwd)).toMatchObject({
      code: 3,
      diagnostics: [{ code: 'invalid-option' }],
    });
    const asked = sandbox.log.filter(({ path }) => path !== '/v1/me').length;
    expect(await run([], { out: '../out', project: 'tradeform.yaml' }, cwd)).toMatchObject({
      code: 3,
      diagnostics: [{ message: '--out ../out is outside the project directory' }],
    });
    expect(sandbox.log.filter(({ path }) => path !== '/v1/me')).toHaveLength(asked);
    expect(await run([], { out: '.', projectName: 'other' }, cwd)).toMatchObject({ code: 3 });
    expect(files()).toEqual(['in/tradeform.yaml']);
  });

  it('never overwrite a file that is no manifest, nor follow a link out of the project', async () => {
    write(
      'p/tradeform.yaml',
      `${PROJECT}spec:\n  manifests: ["manifests/*/*.yaml", "manifests/labels.yaml"]\n`,
    );
    write('away/keep.txt', 'mine');
    write('p/manifests/copy-trade-template/.gitkeep', '');
    symlinkSync(join(root, 'away'), join(root, 'p/manifests/sniper'));
    const linked = await run([], { out: '.' }, join(root, 'p'));
    expect(linked).toMatchObject({ code: 3 });
    expect(readdirSync(join(root, 'away'))).toEqual(['keep.txt']);

    rmSync(join(root, 'p/manifests/sniper'));
    mkdirSync(join(root, 'p/manifests/sniper/held.yaml'), { recursive: true });
    const folder = await run([], { out: '.' }, join(root, 'p'));
    expect(folder).toMatchObject({ code: 3 });
    expect(files(join(root, 'p'))).toEqual(['manifests/copy-trade-template/.gitkeep', 'tradeform.yaml']);
    rmSync(join(root, 'p/manifests/sniper'), { recursive: true });

    // Only what begins a project could meet a file that it does not know.
    write('q/manifests/sniper/held.txt', 'mine');
    write('q/manifests/sniper/held.yaml', '');
    const known = await run([], { out: 'q', projectName: 'core' });
    expect(known).toMatchObject({ code: 3 });
    expect(existsSync(join(root, 'q/tradeform.yaml'))).toBe(false);
    expect(read('q/manifests/sniper/held.yaml')).toBe('');
  });

  it('keep what people wrote: only changed values are written, and `state` stays', async () => {
    write('tradeform.yaml', PROJECT);
    await run([], { out: '.' });
    const file = 'manifests/sniper/follow-whale-7.yaml';
    const edited = read(file)
      .replace('state: active', 'state: paused   # for the night')
      .replace('buy_amount: "0.5"', 'buy_amount: 0.50 # half');
    write(file, edited);
    expect((await run([], { out: '.' })).stdout).toBe(
      'Nothing to write: the manifests match the live state.\n',
    );
    sandbox.editStored(uuid(1), { config: configFor('sniper', { buy_amount: '0.75' }), remark: 'Renamed' });
    const { stdout, stderr } = await run([], { out: '.' });
    expect(stdout).toBe(`updated  ${file}\n`);
    expect(read(file)).toBe(
      edited.replace('0.50 # half', '"0.75" # half').replace('remark: Follow whale 7', 'remark: Renamed'),
    );
    expect(plain(stderr)).toContain('the next plan would adopt and stop sniper/follow-whale-7');
  });

  it('lose the id of an adopted task, and keep one that decides between two', async () => {
    write('tradeform.yaml', PROJECT);
    await run([], { out: '.' });
    const [adopted, held] = ['manifests/sniper/follow-whale-7-2.yaml', 'manifests/sniper/held.yaml'];
    expect(read(adopted)).toContain(`id: ${uuid(2)}`);
    const twin = uuid(4);
    write(held, read(held).replace('name: held', `name: held\n  id: ${twin}`));
    const marked = (name: string) => ({
      config: configFor('sniper'),
      remark: `Follow whale 7 [git:core/${name}@0]`,
    });
    sandbox.editStored(uuid(2), marked('follow-whale-7-2'));
    // A clone of held, in the web application.
    sandbox.editStored(uuid(1), marked('held'));
    const before = read(held);
    const { stdout } = await run([], { out: '.' });
    expect(stdout).toContain(`updated  ${adopted}\n`);
    expect(read(adopted)).not.toContain('id:');
    expect(read(adopted)).toContain('name: follow-whale-7-2');
    expect(before).toContain(twin);
    expect(read(held)).toContain(twin);
  });

  it('come with a list of what export cannot change by itself', async () => {
    write('tradeform.yaml', `${PROJECT}spec:\n  variables: { size: "0.5" }\n`);
    await run([], { out: '.' });
    const file = 'manifests/sniper/held.yaml';
    write(file, read(file).replace('buy_amount: "0.5"', 'buy_amount: ${var.size}'));
    sandbox.editStored(uuid(4), { config: configFor('sniper', { buy_amount: '2', buy_once: true }) });
    const { code, stderr } = await run(['sniper/held'], { out: '.' });
    expect(code).toBe(1);
    expect(plain(stderr)).toContain('is exported partly: Its config.buy_amount comes from a variable');
    expect(read(file)).toContain('buy_amount: ${var.size}\n');
    expect(read(file)).toContain('buy_once: true\n');
  });

  it('come with a warning if a patch of the environment overrides the live value', async () => {
    const patch = '{ target: "sniper/follow-whale-7", patch: { spec: { config: { buy_amount: "9" } } } }';
    write('tradeform.yaml', `${PROJECT}spec:\n  environments:\n    live:\n      patches: [${patch}]\n`);
    write('manifests/label.yaml', 'apiVersion: tradeform/v1\nkind: Label\nmetadata:\n  name: here\n');
    const { code, stderr } = await run(['sniper/follow-whale-7'], { out: '.' });
    expect(code).toBe(0);
    expect(plain(stderr)).toContain('the next plan would adopt and update sniper/follow-whale-7');
    expect(plain(stderr)).toContain('The next plan would adopt 0 tasks, change');
  });

  it('go into a patch of the environment where others use the manifests too, and add nothing for all', async () => {
    write('tradeform.yaml', PROJECT);
    await run(['sniper/follow-whale-7', 'sniper/held'], { out: '.' });
    const file = 'manifests/sniper/follow-whale-7.yaml';
    write(file, read(file).replace('buy_amount: "0.5"', 'buy_amount: ${var.size}'));
    const environments = (patches = '') =>
      `${PROJECT}spec:\n  variables: { size: "0.5" }\n  environments:\n    eu: {}\n    us:\n      # Ours.\n      account: { login_username: whales }\n${patches}`;
    write('tradeform.yaml', environments());
    const before = files().map((file) => [file, read(file)]);
    const edited = { config: configFor('sniper', { buy_amount: '0.75' }), remark: 'Pay ${me}' };
    sandbox.editStored(uuid(1), edited);
    const { code, stdout, stderr } = await run(['sniper/follow-whale-7', 'sniper/follow-whale-7-2'], {
      out: '.',
      environment: 'us',
    });
    expect([code, stdout], stderr).toEqual([1, 'updated  tradeform.yaml\n']);
    expect(plain(stderr)).toContain(
      'not exported: The 2 environments of the project share its manifests: a new manifest would create it in each.',
    );
    const us = await readProject({ cwd: root, environment: 'us', env: {} });
    const eu = await readProject({ cwd: root, environment: 'eu', env: {} });
    const wanted = ({ state }: typeof us) =>
      state?.tasks.flatMap(({ name, note, config }) => (name === 'held' ? [] : [note, config.buy_amount]));
    expect([wanted(us), wanted(eu)]).toEqual([
      ['Pay ${me}', '0.75'],
      ['Follow whale 7', '0.5'],
    ]);
    const own =
      '      patches:\n        - target: sniper/follow-whale-7\n          patch:\n            spec:\n';
    const values =
      '              remark: Pay $${me}\n              config:\n                buy_amount: "0.75"\n';
    expect(read('tradeform.yaml')).toBe(environments(`${own}${values}`));
    expect(files().map((file) => [file, file === 'tradeform.yaml' ? environments() : read(file)])).toEqual(
      before,
    );
    // Once more: the same patch, and nothing else, is changed.
    sandbox.editStored(uuid(1), { ...edited, config: configFor('sniper', { buy_amount: '2' }) });
    await run(['sniper/follow-whale-7'], { out: '.', environment: 'us' });
    expect(read('tradeform.yaml')).toBe(environments(`${own}${values.replace('0.75', '2')}`));
    const again = await run(['sniper/follow-whale-7'], { out: '.', environment: 'us' });
    expect(again.stdout).toContain('Nothing to write');
  });

  it('of a row of a task set go into a patch of the environment', async () => {
    const set =
      'apiVersion: tradeform/v1\nkind: TaskSet\nmetadata: { name: set }\nspec:\n  for: sniper\n  rows: [{ name: held }]\n  task:\n    spec:\n';
    write('tradeform.yaml', PROJECT);
    await run(['sniper/held'], { out: '.' });
    const own = read('manifests/sniper/held.yaml').split('spec:\n')[1] ?? '';
    write('manifests/sniper/held.yaml', `${set}${own.replace(/^(?=.)/gm, '    ')}`);
    write('tradeform.yaml', `${PROJECT}spec:\n  environments:\n    live: {}\n`);
    sandbox.editStored(uuid(4), { config: configFor('sniper', { buy_amount: '2' }) });
    const { code, stdout, stderr } = await run(['sniper/held'], { out: '.' });
    expect([code, stdout], stderr).toEqual([0, 'updated  tradeform.yaml\n']);
    const { state } = await readProject({ cwd: root, env: {} });
    expect(state?.tasks.map(({ config }) => config.buy_amount)).toEqual(['2']);
  });

  it('are added at the end of an existing file', async () => {
    write('tradeform.yaml', PROJECT);
    write('manifests/labels.yaml', '# Labels of the desk.\n');
    expect(await run(['label/unused'], { out: '.' })).toMatchObject({ code: 0 });
    const first = read('manifests/labels.yaml');
    expect(first).toMatch(/^# Labels of the desk\.\n---\napiVersion/);
    await run(['label/*'], { out: '.' });
    expect(read('manifests/labels.yaml').startsWith(`${first}---\n`)).toBe(true);
    expect(NAMES(read('manifests/labels.yaml'))).toEqual(['Label unused', 'Label high-risk']);
  });

  it('have no name that a Removal has, and leave out what one will delete', async () => {
    const resources = '[sniper/follow-whale-7, sniper/held, label/Unused, label/high-risk]';
    write('tradeform.yaml', PROJECT);
    const removal =
      'apiVersion: tradeform/v1\nkind: Removal\nmetadata: { name: gone }\nspec:\n  release: true\n';
    write('manifests/removal.yaml', `${removal}  resources: ${resources}\n`);
    const { code, stdout, stderr } = await run([], { out: '.' });
    expect(code, stderr).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'created  manifests/labels.yaml',
      'created  manifests/copy-trade-template/follow.yaml',
      'created  manifests/sniper/follow-whale-7-2.yaml',
      'created  manifests/sniper/follow-whale-7-3.yaml',
      'created  manifests/transfer-snipe/pier.yaml',
    ]);
    expect(NAMES(read('manifests/labels.yaml'))).toEqual(['Label high-risk-2']);
    expect(plain(stderr)).toContain(`sniper/held (${uuid(4)}) is not exported: A Removal removes its marker`);
    expect(plain(stderr)).toMatch(/label\/unused \(\S+\) is not exported: A Removal deletes it/);
    // Printed, as for another project, it is there.
    expect(NAMES((await run(['sniper/held', 'label/unused'])).stdout)).toEqual([
      'Label unused',
      'SniperTask held',
    ]);
  });

  it('do not delete owned tasks that are left out: a new project does not prune', async () => {
    await run(['sniper/held'], { out: 'part', projectName: 'core' });
    expect(read('part/tradeform.yaml')).toContain('prune:\n    tasks: never\n');
    const cwd = join(root, 'part');
    const plan = await project.run((io) => runPlan({ output: 'json' }, io), { cwd });
    expect(JSON.parse(plan.stdout)).toMatchObject({ summary: { delete: 0 } });
  });
});

it.each([false, true])('a new project takes up no manifest that is there, grouped: %s', async (grouped) => {
  const file = 'new/manifests/sniper/gone.yaml';
  write(file, 'of an import that was interrupted, and its task is gone');
  const before = files();
  const { code, diagnostics } = await run([], { out: 'new', projectName: 'fresh', grouped });
  const message = 'manifests/sniper/gone.yaml would become part of the project; no manifest is written';
  expect([code, diagnostics]).toMatchObject([3, [{ code: 'file-not-manifest', message }]]);
  expect(files()).toEqual(before);
});

it('a file is written only into the project, and overwrites only its manifests', async () => {
  const place: ExportPlace = {
    name: 'core',
    projectDir: join(root, 'p'),
    projectFile: 'tradeform.yaml',
    existing: undefined,
    out: '',
    folder: '',
    environments: [],
  };
  write('p/file', 'mine');
  write('p/deep/folder/x', '');
  symlinkSync(root, join(root, 'p/out'));
  symlinkSync(join(root, 'elsewhere.yaml'), join(root, 'p/link.yaml'));
  symlinkSync('circle', join(root, 'p/circle'));
  const refused = ['file', 'file/x.yaml', 'out/x.yaml', 'out/new/x.yaml', 'circle/x.yaml', 'deep/folder'];
  const before = files();
  for (const file of refused) {
    const texts = new Map([
      ['fine.yaml', 'x'],
      [file, 'x'],
    ]);
    await expect(writeFiles(place, texts), file).rejects.toMatchObject({
      exitCode: 3,
      diagnostics: [{ code: 'file-not-manifest', location: { file } }],
    });
  }
  const linked = writeFiles(place, new Map([['link.yaml', 'text']]));
  await expect(linked).rejects.toMatchObject({ diagnostics: [{ code: 'file-outside-project' }] });
  expect(files()).toEqual(before);
  await writeFiles(place, new Map([['new/deep/x.yaml', 'text']]));
  expect(read('p/new/deep/x.yaml')).toBe('text');
});

it('owned resources that cannot be written are named, and fail if they were requested', async () => {
  await open([
    task(1, { remark: 'A [git:core/a@0]', is_active: true, version: 5 }),
    task(2, { remark: 'A [git:core/a@0]', version: 5, target_wallet: wallet(1) }),
    task(3, { remark: 'Long', target_wallet: '1'.repeat(44) }),
  ]);
  const { code, stdout, stderr } = await run([], { out: 'new', projectName: 'core' });
  expect(code).toBe(0);
  expect(stdout).toContain('created  manifests/sniper/a.yaml\n');
  expect(read('new/manifests/sniper/a.yaml')).toContain(`id: ${uuid(1)}`);
  expect(stderr).toContain(`(${uuid(2)})`);
  expect(stderr).toContain('sniper/long');
  expect((await run([uuid(3)], { projectName: 'core' })).code).toBe(1);
});
