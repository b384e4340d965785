import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { driftKind } from '../../../src/core/documents/drift.ts';
import { runStatus } from '../../../src/core/features/status/status.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { StatusReport } from '../../../src/core/model/generated/status.ts';
import { runExport } from '../../../src/kit/export/export.ts';
import { gitThatCommits } from '../../support/repository.ts';
import { type DriftRun, itemOf, openDrift, said, task } from './drift-run.ts';

let run: DriftRun;
beforeEach(async () => {
  run = await openDrift();
});

/** Commits the manifests, and has the service take them on. */
async function applied(files: Readonly<Record<string, string | null>>, subject = 'one'): Promise<void> {
  run.manifests(files);
  run.commit(subject);
  await run.applied();
}

it('the advice to apply says what it starts and raises', async () => {
  await applied({ alpha: task('alpha'), bravo: task('bravo', { target: 1 }) });
  await run.call(
    'POST',
    `/sniper/configs/${run.live('alpha').id}/pause`,
    undefined,
    run.live('alpha').version,
  );
  run.sandbox.apply([{ type: 'task-removed', id: run.live('alpha').id }]);
  run.edit('bravo', { merge: { buy_amount: '0.3' } });
  const { stdout } = await run.drift();
  const flat = stdout.replace(/\s+/g, ' ');
  expect(flat).toContain('Restore: `tradeform apply --target sniper/alpha` (starts it).');
  expect(flat).toContain('Undo: `tradeform apply --target sniper/bravo` (raises it).');
});

it('a row of a task set: every advice names file and line, because no export changes it', async () => {
  const body = task('x');
  const rows = (table: string) => `apiVersion: tradeform/v1
kind: TaskSet
metadata:
  name: dips
spec:
  for: sniper
  ${table}
  task:
    metadata:
      name: dip-\${row.no}
    ${body.slice(body.indexOf('spec:')).replaceAll('\n', '\n    ').replace('buy_amount: 0.5', 'buy_amount: ${row.buy}').trim()}
`;
  run.write('manifests/dips.csv', 'no,buy\n1,0.3\n');
  await applied({ dips: rows('rows_from: dips.csv') });
  run.edit('dip-1', { merge: { buy_amount: '0.09' } });
  const place = 'edit the row of sniper/dip-1 (manifests/dips.csv:2)';
  const drift = (await run.drift()).stdout.replace(/\s+/g, ' ');
  expect(drift).toContain(`Keep: ${place}, then commit.`);
  expect(drift).not.toContain('tradeform export');
  expect((await run.report()).items[0]?.row).toEqual({ file: 'manifests/dips.csv', line: 2, column: 1 });
  expect((await run.planned()).diagnostics[0]).toMatchObject({
    code: 'undoes-edit',
    hint: `Keep them: \`--only pending\`, or ${place}.`,
  });
  const left = await run.plan({ only: 'pending' });
  expect(left.stdout.replace(/\s+/g, ' ')).toContain(`To accept these differences in git: ${place}.`);

  const exported = await run.run((io) => runExport(['sniper/dip-1'], { out: '.' }, io));
  expect(exported).toMatchObject({ code: 1, stdout: expect.not.stringContaining('match') });
  expect(exported.stderr.replace(/\s+/g, ' ')).toContain(
    'Change it by hand: config.buy_amount (manifests/dips.csv:2)',
  );
  // A saved plan of it is carried out, and the same rows in the manifest have their lines, too.
  const saved = join(run.path, 'saved.json');
  expect(await run.plan({ out: saved })).toMatchObject({ code: 0 });
  expect(await run.apply(saved, { autoApprove: true })).toMatchObject({ code: 0, diagnostics: [] });
  expect(run.live('dip-1').config).toMatchObject({ buy_amount: '0.3' });
  await applied({ dips: rows('rows: [{ no: 1, buy: 0.3 }]') });
  run.edit('dip-1', { merge: { buy_amount: '0.09' } });
  expect((await run.report()).items[0]?.row).toEqual({ file: 'manifests/dips.yaml', line: 7, column: 16 });
});

describe('an interrupted apply', () => {
  it('that failed after its pause: the start is interrupted, and the config is pending', async () => {
    await applied({ alpha: task('alpha') });
    run.manifests({ alpha: task('alpha', { buy: '0.6' }) });
    run.commit('two');
    const path = `/sniper/configs/${run.live('alpha').id}`;
    // Mark and pause go through; the patch of the config does not, and nothing after it.
    const fails = { fault: { type: 'error', code: 'insufficient_scope' }, times: 0 } as const;
    run.sandbox.faults.add({ ...fails, method: 'PATCH', path, skip: 1 });
    run.sandbox.faults.add({ ...fails, method: 'POST', path: `${path}/resume` });
    const { code } = await run.apply(undefined, { autoApprove: true, onFailure: 'restore' });
    expect(code).toBe(1);
    run.sandbox.faults.clear();
    expect(run.live('alpha').is_active).toBe(false);
    const report = await run.report();
    expect(said(report)).toEqual(['interrupted sniper/alpha', 'pending sniper/alpha']);
    expect(report.items[1]).toMatchObject({
      commit: { subject: 'one' },
      moved_on: { subject: 'two' },
      fields: [{ path: 'config.buy_amount', class: 'pending' }],
    });
  });

  it('and an edit by somebody in the meantime are two items', async () => {
    await applied({ alpha: task('alpha') });
    const { version, remark } = run.live('alpha');
    run.edit('alpha', {
      is_active: false,
      remark: remark.replace(/@\d+/, `@${version + 1}`),
      merge: { buy_amount: '0.9' },
    });
    expect(said(await run.report())).toEqual(['interrupted sniper/alpha', 'changed sniper/alpha']);
  });

  it('that was replacing a task', async () => {
    await applied({ alpha: task('alpha', { state: 'paused' }) });
    const { id, remark, config } = run.live('alpha');
    run.manifests({ alpha: task('alpha', { state: 'paused', target: 1 }) });
    run.commit('two');
    await run.call('POST', '/sniper/configs', {
      remark: remark.replace(']', `~${id.slice(0, 4)}]`),
      target_wallet: '7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj',
      config,
    });
    expect(said(await run.report())).toEqual(['interrupted sniper/alpha']);
  });
});

describe('the switch', () => {
  it('and the config of a stopped task are two findings', async () => {
    await applied({ alpha: task('alpha') });
    run.manifests({ alpha: task('alpha', { buy: '0.6' }) });
    run.commit('two');
    run.edit('alpha', { is_active: false });
    expect(said(await run.report())).toEqual(['stopped sniper/alpha', 'pending sniper/alpha']);
    expect(await run.report({ ignore: ['stopped'] })).toMatchObject({ code: 2 });
  });

  it.each([
    ['a person or another program', '@0', false, /a person, a failed apply or another program stopped it\./],
    ['buy_once', '@0', true, /It has buy_once/],
    ['tradeform pause', '@!', false, /^Off since `tradeform pause`, until `tradeform resume`\.$/],
    ['tradeform pause', '@!', true, /^Off since `tradeform pause`/],
  ])('of a stopped task: %s moved it (%s, buy_once %s)', async (_who, mark, buyOnce, text) => {
    await applied({ alpha: task('alpha', { buyOnce }) });
    const { remark } = run.live('alpha');
    run.edit('alpha', { is_active: false, remark: remark.replace(/@\d+/, mark) });
    const report = await run.report();
    expect(said(report)).toEqual(['stopped sniper/alpha']);
    expect(report.items[0]?.text).toMatch(text);
  });

  it('that git moved to paused, and the rest, are one pending item', async () => {
    await applied({ alpha: task('alpha') });
    run.manifests({ alpha: task('alpha', { state: 'paused', buy: '0.6' }) });
    run.commit('two');
    const report = await run.report();
    expect(said(report)).toEqual(['pending sniper/alpha']);
    expect(report.items[0]?.fields.map(({ path }) => path)).toEqual(['state', 'config.buy_amount']);
  });

  it('of a stopped task with a new rearm is pending', async () => {
    await applied({ alpha: task('alpha', { spec: '  rearm: a\n' }) });
    run.edit('alpha', { is_active: false });
    expect(said(await run.report())).toEqual(['stopped sniper/alpha']);
    run.manifests({ alpha: task('alpha', { spec: '  rearm: b\n' }) });
    run.commit('two');
    expect(said(await run.report())).toEqual(['pending sniper/alpha']);
  });

  it('does not matter with state: manual, and an outdated mark is no drift', async () => {
    await applied({
      alpha: task('alpha', { state: 'manual' }),
      beta: task('beta', { state: 'paused', target: 1 }),
    });
    run.edit('alpha', { is_active: true });
    run.manifests({ beta: task('beta', { target: 1 }) });
    run.commit('two');
    run.edit('beta', { is_active: true });
    expect(await run.report()).toMatchObject({ code: 0, items: [] });
  });

  it('is stopped under stopped_tasks: resume too, and only what an apply starts is said to start', async () => {
    await applied({ alpha: task('alpha'), beta: task('beta', { target: 1 }) });
    run.write(
      'tradeform.yaml',
      'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { stopped_tasks: resume }\n',
    );
    run.commit('two');
    run.edit('alpha', { is_active: false });
    run.edit('beta', { is_active: false, merge: { buy_once: true } });
    const report = await run.report();
    expect(said(report)).toContain('stopped sniper/alpha');
    expect(itemOf(report, 'stopped', 'sniper/alpha').text).toContain('An apply starts it again');
    expect(itemOf(report, 'stopped', 'sniper/beta').text).not.toContain('starts it');
  });
});

describe('renames', () => {
  it('of a file do not affect the task', async () => {
    await applied({ alpha: task('alpha', { buy: '0.1' }) });
    run.git('mv', 'manifests/alpha.yaml', 'manifests/other.yaml');
    run.commit('moved');
    run.manifests({ other: task('alpha', { buy: '0.2' }) });
    run.commit('two');
    expect(itemOf(await run.report(), 'pending', 'sniper/alpha')).toMatchObject({
      commit: { subject: 'moved' },
      moved_on: { subject: 'two' },
    });
  });

  it('of a task are followed to its former name', async () => {
    await applied({ alpha: task('alpha', { buy: '0.1' }) });
    const renamed = task('beta', {
      buy: '0.2',
      remark: 'Note of alpha',
      metadata: '  previous_name: alpha\n',
    });
    run.manifests({ alpha: null, beta: renamed });
    run.commit('renamed');
    const item = itemOf(await run.report(), 'pending', 'sniper/beta');
    expect(item).toMatchObject({ previous_address: 'sniper/alpha', commit: { subject: 'one' } });
    expect(item.fields).toContainEqual(
      expect.objectContaining({ path: 'config.buy_amount', class: 'pending' }),
    );
  });
});

describe('merges', () => {
  it('a value that a merged branch once had is a person’s; what was applied from it is its', async () => {
    await applied({ alpha: task('alpha', { buy: '0.1' }) });
    run.git('checkout', '-qb', 'side');
    run.manifests({ alpha: task('alpha', { buy: '0.2' }) });
    run.commit('aside');
    run.manifests({ alpha: task('alpha', { buy: '0.3' }) });
    run.commit('aside again');
    run.git('checkout', '-q', 'main');
    run.git('merge', '-q', '--no-ff', '-m', 'merged', 'side');
    expect(itemOf(await run.report(), 'pending', 'sniper/alpha')).toMatchObject({
      commit: { subject: 'one' },
      moved_on: { subject: 'merged' },
    });
    run.edit('alpha', { merge: { buy_amount: '0.2' } });
    expect(said(await run.report())).toEqual(['changed sniper/alpha']);
    run.git('checkout', '-q', 'side~1');
    await run.applied();
    run.git('checkout', '-q', 'main');
    expect(itemOf(await run.report(), 'pending', 'sniper/alpha')).toMatchObject({
      commit: { subject: 'aside' },
      moved_on: { subject: 'merged' },
    });
  });
});

describe('ownership', () => {
  it('a lost marker is changed; a task that git names by its id is unknown', async () => {
    await applied({ alpha: task('alpha') });
    const { id } = run.live('alpha');
    run.edit('alpha', { remark: 'Note of alpha' });
    const lost = await run.report();
    expect(said(lost)).toEqual(['changed sniper/alpha']);
    expect(lost.items[0]?.text).toContain('marker is gone');
    run.manifests({
      alpha: null,
      beta: task('beta', { remark: 'Note of alpha', metadata: `  id: ${id}\n` }),
    });
    run.commit('by its id');
    expect(itemOf(await run.report(), 'unknown', 'sniper/beta')).toMatchObject({
      moved_on: { subject: 'by its id' },
    });
  });

  it('a task that prune.tasks keeps is unmanaged', async () => {
    run.write(
      'tradeform.yaml',
      'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { prune: { tasks: never } }\n',
    );
    await applied({ alpha: task('alpha'), beta: task('beta', { target: 1 }) });
    run.manifests({ alpha: null });
    run.commit('alpha goes');
    expect(await run.report()).toMatchObject({
      code: 0,
      items: [{ class: 'unmanaged', address: 'sniper/alpha', running: true }],
    });
  });

  it('a task that git no longer names, and that somebody edited, is changed', async () => {
    await applied({ alpha: task('alpha'), beta: task('beta', { target: 1 }) });
    run.manifests({ alpha: null });
    run.commit('alpha goes');
    run.edit('alpha', { merge: { buy_amount: '0.9' } });
    expect(itemOf(await run.report(), 'changed', 'sniper/alpha').fields).toMatchObject([
      { path: 'config.buy_amount', before: '0.9', after: '0.5', class: 'changed' },
    ]);
  });
});

it.runIf(process.platform !== 'win32')('manifests that are committed while git is asked', async () => {
  await applied({ alpha: task('alpha', { buy: '0.1' }) });
  run.manifests({ alpha: task('alpha', { buy: '0.2' }) });
  const before = run.git('rev-parse', 'HEAD');
  const bin = gitThatCommits(run.path);
  const { stdout } = await run.drift({ output: 'json' }, { PATH: `${bin}:${process.env.PATH}` });
  rmSync(bin, { recursive: true });
  const report = JSON.parse(stdout);
  // The state and the history are those of one commit, and the report names it.
  expect(said(report)).toEqual([]);
  expect(report.source).toMatchObject({ commit: before, dirty: true, read: 'commit' });
  expect(run.git('log', '-1', '--format=%s')).toBe('now');
});

describe('the folder of the project was moved', () => {
  const move = (from: string, to: string) => {
    mkdirSync(join(run.path, to), { recursive: true });
    for (const name of ['tradeform.yaml', 'manifests'])
      renameSync(join(run.path, from, name), join(run.path, to, name));
  };

  it('changes in git before the move are pending if nobody changed the service', async () => {
    await applied({ alpha: task('alpha', { buy: '0.1' }), beta: task('beta', { buy: '0.1' }) });
    run.manifests({ alpha: task('alpha', { buy: '0.2' }) });
    run.write('desk/notes.md', 'The folder is older than the move.');
    run.commit('two');
    move('.', 'desk');
    run.commit('moved');
    move('desk', 'desks/one');
    run.commit('moved again');
    run.edit('beta', { merge: { buy_amount: '0.9' } });
    const report = await run.report({ project: 'desks/one/tradeform.yaml' });
    expect(said(report)).toEqual(['changed sniper/beta', 'pending sniper/alpha']);
    expect(itemOf(report, 'pending', 'sniper/alpha').commit).toMatchObject({ subject: 'one' });
    move('desks/one', '.');
    run.commit('moved back');
    expect(said(await run.report())).toEqual(['changed sniper/beta', 'pending sniper/alpha']);
  });

  it('the history of a copy is that of the project with its name', async () => {
    await applied({ alpha: task('alpha', { buy: '0.1' }) });
    run.manifests({ alpha: task('alpha', { buy: '0.2' }) });
    run.commit('two');
    mkdirSync(join(run.path, 'copy'));
    for (const name of ['tradeform.yaml', 'manifests'])
      cpSync(join(run.path, name), join(run.path, 'copy', name), { recursive: true });
    run.commit('copied');
    expect(said(await run.report({ project: 'copy/tradeform.yaml' }))).toEqual(['pending sniper/alpha']);
  });
});

it('labels and templates: pending, changed, missing', async () => {
  const label = (name: string, order: number) =>
    `apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: ${name} }\nspec: { sort_order: ${order} }\n`;
  await applied({
    alpha: task('alpha', { spec: '  label: hot\n' }),
    hot: label('hot', 1),
    cold: label('cold', 1),
    gone: label('gone', 1),
  });
  run.manifests({ hot: label('hot', 2), cold: label('cold', 2) });
  run.commit('two');
  for (const { id, name } of run.sandbox.state.labels.values()) {
    if (name === 'cold') await run.call('PATCH', `/labels/${id}`, { sort_order: 7 });
    if (name === 'gone') await run.call('DELETE', `/labels/${id}`);
  }
  const report = await run.report();
  expect(said(report)).toEqual(['changed label/cold', 'missing label/gone', 'pending label/hot']);
  expect(itemOf(report, 'pending', 'label/hot').commit).toMatchObject({ subject: 'one' });
});

it('a label that was renamed and applied matches its earlier commit', async () => {
  const label = (name: string) =>
    `apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: hot }\nspec: { name: ${name} }\n`;
  await applied({ alpha: task('alpha', { buy: '0.1', spec: '  label: hot\n' }), hot: label('Hot') });
  run.manifests({
    hot: label('Hotter').replace('name: hot }', 'name: hot, previous_name: Hot }'),
    alpha: task('alpha', { buy: '0.2', spec: '  label: hot\n' }),
  });
  run.commit('two');
  const { id = '' } = [...run.sandbox.state.labels.values()][0] ?? {};
  await run.call('PATCH', `/labels/${id}`, { name: 'Hotter' });
  expect(said(await run.report())).toEqual(['pending sniper/alpha']);
});

describe('lifecycle.ignore_changes', () => {
  const IGNORING = '  lifecycle: { ignore_changes: [config.relay_mode.tip_amount] }\n';

  it('applies to drift, to the plan, and to what is written', async () => {
    await applied({ alpha: task('alpha', { spec: IGNORING }) });
    const { relay_mode } = run.live('alpha').config;
    run.edit('alpha', { merge: { relay_mode: { ...(relay_mode as object), tip_amount: '0.009' } } });
    expect(await run.report()).toMatchObject({ code: 0, items: [] });
    expect(await run.plan({ detailedExitcode: true })).toMatchObject({ code: 0 });
    run.manifests({ alpha: task('alpha', { buy: '0.7', spec: IGNORING }) });
    run.commit('two');
    // The field that git ignores keeps no earlier commit from being the one.
    const report = await run.report();
    expect(itemOf(report, 'pending', 'sniper/alpha').fields.map(({ path }) => path)).toEqual([
      'config.buy_amount',
    ]);
    await run.applied();
    expect(run.live('alpha').config).toMatchObject({
      buy_amount: '0.7',
      relay_mode: { tip_amount: '0.009' },
    });
    expect(await run.report()).toMatchObject({ code: 0, items: [] });
  });

  it('begins with the commit that says so', async () => {
    await applied({ alpha: task('alpha', { buy: '0.1' }) });
    const { relay_mode } = run.live('alpha').config;
    run.edit('alpha', { merge: { relay_mode: { ...(relay_mode as object), tip_amount: '0.009' } } });
    run.manifests({ alpha: task('alpha', { buy: '0.2', spec: IGNORING }) });
    run.commit('two');
    expect(itemOf(await run.report(), 'pending', 'sniper/alpha').commit).toMatchObject({ subject: 'one' });
  });
});

it('values of the environment are never shown, those of earlier commits neither', async () => {
  run = await openDrift({ env: { TASK_NOTE: 'whale hunting', FORMER: 'deep water' } });
  const noted = (text: string, buy: string) => task('alpha', { remark: text, buy });
  const env = (name: string) => `\${env.${name}}`;
  await applied({ alpha: noted(env('FORMER'), '0.1') });
  run.manifests({ alpha: noted(env('TASK_NOTE'), '0.2') });
  run.commit('two');
  run.manifests({ alpha: noted('Plain', '0.2') });
  run.commit('three');
  for (const output of ['text', 'json', 'markdown', 'html', 'sarif', 'github', 'gitlab']) {
    const { code, stdout, stderr } = await run.drift({ output });
    expect(code).toBe(2);
    expect(stdout + stderr).toMatch(/alpha/);
    expect(stdout + stderr).not.toMatch(/whale hunting|deep water/);
  }
  expect(itemOf(await run.report(), 'pending', 'sniper/alpha').commit).toMatchObject({ subject: 'one' });
});

it('an amount that was from the environment once is hidden, and so is its exposure', async () => {
  run = await openDrift({ env: { SIZE: '0.4321' } });
  await applied({ alpha: task('alpha', { buy: '${env.SIZE}' }), beta: task('beta', { target: 1 }) });
  run.manifests({ alpha: task('alpha', { buy: '0.2' }) });
  run.commit('two');
  const report = await run.report();
  expect(itemOf(report, 'pending', 'sniper/alpha')).toMatchObject({
    exposure: { secret: true },
    fields: [{ path: 'config.buy_amount', before: '(secret)', after: '(secret)', sensitive: true }],
  });
  expect(report.exposure).toMatchObject({ live: '0.5015', running_live: 2 });
  // The same of a task that goes, and that somebody edited.
  run.manifests({ alpha: null });
  run.commit('three');
  run.edit('alpha', { merge: { buy_amount: '0.9' } });
  const gone = itemOf(await run.report(), 'changed', 'sniper/alpha');
  expect(gone.fields).toMatchObject([{ path: 'config.buy_amount', after: '(secret)' }]);
  run.manifests({ alpha: task('alpha', { buy: '${env.SIZE}' }) });
  run.commit('four');
  run.manifests({ alpha: null });
  run.commit('five');
  expect(itemOf(await run.report(), 'changed', 'sniper/alpha').fields).toMatchObject([{ after: '(secret)' }]);
});

describe('what cannot be resolved', () => {
  it('is reported beside what differs', async () => {
    const label = 'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: hot }\nspec: {}\n';
    await applied({ alpha: task('alpha') });
    for (let number = 0; number < 20; number += 1)
      await run.call('POST', '/labels', { name: `Theirs ${number}` });
    run.manifests({ hot: label, alpha: task('alpha', { buy: '0.6', spec: '  label: hot\n' }) });
    run.commit('two');
    const report = await run.report();
    expect(itemOf(report, 'missing', 'label/hot').text).toContain('the service allows 20');
    expect(itemOf(report, 'pending', 'sniper/alpha').text).toContain(
      'An apply does nothing about it: Its label hot is not available',
    );
  });
});

it('of two tasks with one marker, plan, drift and status tell which is likely the right one', async () => {
  await applied({ alpha: task('alpha') });
  const first = run.live('alpha');
  const clone = await run.call('POST', '/sniper/configs', {
    remark: first.remark,
    target_wallet: first.target_wallet,
    config: { ...first.config, buy_amount: '3' },
  });
  run.sandbox.editStored(clone.id, { is_active: true });
  const original =
    /runs with 0\.5015 SOL at stake, is as git wants it, created \S+, written last \S+ It is likely the original, because it was created first\. To keep it, release the others: `tradeform release --id (\S+)`\./;
  const copy =
    /runs with 3\.0015 SOL at stake, differs from git in config\.buy_amount, created \S+, written last \S+/;
  const screens = [
    (await run.drift()).stdout,
    (await run.drift({ output: 'json' })).stdout,
    (await run.plan({})).stdout,
    (await run.run((io) => runStatus([], {}, io))).stdout,
  ];
  for (const screen of screens.map((text) => text.replace(/\s+/g, ' '))) {
    expect(screen).toMatch(copy);
    expect(original.exec(screen)?.[1]).toBe(clone.id);
  }
  const at = { running: true, created_at: expect.any(String), updated_at: expect.any(String) };
  const known = [
    { ...at, id: first.id, stake: '0.5015', differs: [], command: `tradeform release --id ${clone.id}` },
    { ...at, id: clone.id, stake: '3.0015', differs: ['config.buy_amount'] },
  ];
  const { observations } = JSON.parse((await run.plan({ output: 'json' })).stdout) as Plan;
  const status = await run.run((io) => runStatus([], { output: 'json' }, io));
  const { tasks } = JSON.parse(status.stdout) as StatusReport;
  const { copies = [] } = itemOf(await run.report(), 'conflict', 'sniper/alpha');
  for (const told of [copies, observations.map(({ copy }) => copy), tasks.map(({ copy }) => copy)])
    expect(told.toSorted((a, b) => Number(a?.stake) - Number(b?.stake))).toEqual(known);
  // Each is described once.
  expect(screens[2]?.replace(/\s+/g, ' ').split('runs with 3.0015')).toHaveLength(2);
});

it('what only looks like a marker hides no stake; a broken marker of the project does', async () => {
  await applied({ alpha: task('alpha') });
  const { target_wallet, config } = run.live('alpha');
  const body = { remark: 'copy [git:old]', target_wallet, config };
  const { id } = await run.call('POST', '/sniper/configs', body);
  run.sandbox.editStored(id, { is_active: true });
  const sums = async () => {
    const status = await run.run((io) => runStatus([], { output: 'json' }, io));
    const { exposure } = JSON.parse((await run.plan({ output: 'json' })).stdout) as Plan;
    const { outside } = JSON.parse(status.stdout) as StatusReport;
    return [(await run.report()).exposure.outside, exposure.outside, outside];
  };
  const whole = [{ project: null, tasks: 1, sol: '0.5015', unreadable: 0 }];
  expect(await sums()).toEqual([whole, whole, whole]);
  run.sandbox.editStored(id, { remark: 'copy [git:core/' });
  const hidden = [{ project: null, tasks: 1, sol: '0', unreadable: 1 }];
  expect(await sums()).toEqual([hidden, hidden, hidden]);
});

it('a change by a person is shown in the direction in which it happened, also in a message', async () => {
  await applied({ alpha: task('alpha', { buy: '0.5' }) });
  run.edit('alpha', { merge: { buy_amount: '9' } });
  const text = (await run.drift()).stdout.replace(/\s+/g, ' ');
  expect(text).toMatch(/service \(1\) ► sniper\/alpha \(.* 0\.5015 → 9\.0015 SOL,.* amount 0\.5 → 9 SOL ×18/);
  const status = (await run.run((io) => runStatus([], {}, io))).stdout;
  expect(status).toContain('somebody changed amount 0.5 → 9 SOL ×18\n');
  const notice = await driftKind.notice?.(await run.report());
  expect(notice?.drift).toMatchObject([
    {
      text: 'changed: sniper/alpha: amount 0.5 → 9 SOL ×18, 0.5015 → 9.0015 SOL at stake',
      way: 'Undo: `tradeform apply --target sniper/alpha`. Keep: `tradeform export --out . sniper/alpha`, then commit.',
    },
  ]);
});
