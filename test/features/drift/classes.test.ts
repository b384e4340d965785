import { beforeAll, describe, expect, it } from 'vitest';
import type { DriftReport } from '../../../src/core/model/generated/drift.ts';
import { type DriftRun, itemOf, openDrift, said, task } from './drift-run.ts';

/**
 * Fifty commits; the service has what the 44th wants, and people were at it. Read once: what each class says is looked at in
 * this one report.
 */
let run: DriftRun;
let report: DriftReport & { readonly code: number };
const hashes: string[] = [];

beforeAll(async () => {
  run = await openDrift();
  const commit = (files: Readonly<Record<string, string | null>>, subject: string) => {
    run.manifests({
      filler: task('filler', { state: 'paused', remark: `Filler ${hashes.length}` }),
      ...files,
    });
    hashes.push(run.commit(subject));
  };
  commit(
    { steady: task('steady'), edited: task('edited', { buy: '0.1' }), equal: task('equal', { buy: '0.1' }) },
    'first',
  );
  while (hashes.length < 10) commit({}, 'filler');
  commit({ equal: task('equal', { buy: '0.2' }) }, 'equal goes up');
  while (hashes.length < 20) commit({}, 'filler');
  commit({ equal: task('equal', { buy: '0.3' }), edited: task('edited', { buy: '0.4' }) }, 'both move');
  const names = ['stopped', 'gone', 'cut', 'cloned', 'leaving', 'mixed', 'renamed-old', 'fired'];
  commit(
    Object.fromEntries(names.map((name) => [name, task(name, { buyOnce: name === 'fired' })])),
    'more tasks',
  );
  commit({ off: task('off', { state: 'paused' }), lag: task('lag'), sleepy: task('sleepy') }, 'and more');
  while (hashes.length < 44) commit({}, 'filler');
  await run.applied();
  commit({ lag: task('lag', { buy: '0.75' }) }, 'lag goes up');
  commit(
    { mixed: task('mixed', { buy: '0.6' }), sleepy: task('sleepy', { state: 'paused' }) },
    'two tasks move',
  );
  commit({ leaving: null }, 'leaving goes');
  commit(
    {
      'renamed-old': null,
      renamed: task('renamed', { remark: 'Note of renamed-old', metadata: '  previous_name: renamed-old\n' }),
    },
    'a rename',
  );
  commit({ fresh: task('fresh', { target: 1 }) }, 'a new task');
  run.manifests({ filler: task('filler', { state: 'paused', remark: 'Filler 43' }) });
  hashes.push(run.commit('filler as it was'));

  run.edit('edited', { merge: { buy_amount: '0.9' } });
  run.edit('equal', { merge: { buy_amount: '0.20' } });
  run.edit('mixed', { remark: run.live('mixed').remark.replace('Note', 'My note') });
  run.edit('stopped', { is_active: false });
  run.edit('off', { is_active: true });
  run.sandbox.fire(run.live('fired').id);
  run.edit('gone', { is_active: false });
  const { id } = run.live('gone');
  await run.call('DELETE', `/sniper/configs/${id}`, undefined, run.live('gone').version);
  const cut = run.live('cut');
  run.edit('cut', { is_active: false, remark: cut.remark.replace(/@\d+/, `@${cut.version + 1}`) });
  const create = (remark: string) =>
    run.call('POST', '/sniper/configs', {
      remark,
      target_wallet: run.live('steady').target_wallet,
      config: run.live('steady').config,
    });
  await create(run.live('cloned').remark);
  const stray = await create('By hand');
  run.sandbox.editStored(stray.id, { is_active: true });
  await create('Asleep [git:old]');
  await create('Theirs [git:other/alpha@1]');
  await create('Broken [git:core/');
  await create('Unknown [git:core/never-named@1]');
  run.sandbox.clearLog();
  report = await run.report();
}, 180_000);

const at = (number: number) => expect.objectContaining({ hash: hashes[number - 1] });

it('fifty commits are fifty commits', () => {
  expect(hashes).toHaveLength(50);
  expect(report.history).toMatchObject({ commits: 50, skipped: 0, ended: 'beginning' });
});

it('every class occurs, the most expensive first, and in it what runs', () => {
  const ids = Object.fromEntries(run.tasks().map(({ id, remark }) => [id, remark]));
  expect(said(report).map((text) => text.replace(/\S{36}$/, (id) => JSON.stringify(ids[id])))).toEqual([
    'started sniper/off',
    'conflict sniper/cloned',
    'interrupted sniper/cut',
    'stopped sniper/fired',
    'stopped sniper/stopped',
    'changed sniper/edited',
    'changed sniper/equal',
    'changed sniper/mixed',
    'unknown sniper/never-named',
    'missing sniper/fresh',
    'missing sniper/gone',
    'damaged "Broken [git:core/"',
    'pending sniper/lag',
    'pending sniper/leaving',
    'pending sniper/renamed',
    'pending sniper/sleepy',
    'unmanaged "By hand"',
    'unmanaged "Asleep [git:old]"',
    'foreign "Theirs [git:other/alpha@1]"',
  ]);
  expect(report.code).toBe(2);
  expect(report.summary).toMatchObject({
    changed: 3,
    unknown: 1,
    pending: 4,
    stopped: 2,
    missing: 2,
    unmanaged: 2,
    failing: 15,
  });
});

it('only GET requests are sent', () => {
  expect(new Set(run.sandbox.log.map(({ method }) => method))).toEqual(new Set(['GET']));
});

describe('pending', () => {
  it('names the commit that was applied last, and the one that moved on', () => {
    expect(itemOf(report, 'pending', 'sniper/lag')).toMatchObject({
      commit: { hash: hashes[43], date: '2026-02-13T12:00:00+00:00', subject: 'filler' },
      moved_on: { hash: hashes[44], subject: 'lag goes up' },
      fields: [{ path: 'config.buy_amount', before: '0.5', after: '0.75', class: 'pending', commit: at(45) }],
      fails: true,
    });
  });

  it('is a task that git no longer names', () => {
    const item = itemOf(report, 'pending', 'sniper/leaving');
    expect(item).toMatchObject({ commit: at(46), running: true });
    expect(item.text).toContain('An apply stops and deletes it.');
  });

  it('is a rename, and a task that git wants paused since', () => {
    expect(itemOf(report, 'pending', 'sniper/renamed')).toMatchObject({
      previous_address: 'sniper/renamed-old',
      commit: null,
      fields: [{ path: 'name', before: 'renamed-old', after: 'renamed' }],
    });
    expect(itemOf(report, 'pending', 'sniper/sleepy')).toMatchObject({
      commit: at(45),
      fields: [{ path: 'state', before: 'active', after: 'paused', commit: at(46) }],
    });
  });
});

describe('changed', () => {
  it('is what differs from the last apply', () => {
    expect(itemOf(report, 'changed', 'sniper/edited')).toMatchObject({
      commit: null,
      text: 'It was changed on the service since the last apply.',
      fields: [{ path: 'config.buy_amount', before: '0.9', after: '0.4', class: 'changed', commit: null }],
    });
  });

  it('is also an edit that equals an earlier commit', () => {
    expect(itemOf(report, 'changed', 'sniper/equal')).toMatchObject({
      commit: null,
      moved_on: null,
      fields: [{ path: 'config.buy_amount', before: '0.20', after: '0.3', class: 'changed', commit: null }],
    });
  });

  it('says for each field whether somebody changed it or git moved on', () => {
    expect(itemOf(report, 'changed', 'sniper/mixed').fields).toMatchObject([
      { path: 'remark', before: 'My note of mixed', class: 'changed', commit: null },
      { path: 'config.buy_amount', before: '0.5', after: '0.6', class: 'pending', commit: at(46) },
    ]);
  });
});

it('unknown is a task with our marker that no commit ever named', () => {
  expect(itemOf(report, 'unknown', 'sniper/never-named').text).toContain(
    'no manifest or commit names it. An apply deletes it.',
  );
});

describe('the switch', () => {
  it('started, if somebody started what git wants paused', () => {
    const item = itemOf(report, 'started', 'sniper/off');
    expect(item).toMatchObject({
      running: true,
      fields: [{ path: 'state', before: 'active', after: 'paused' }],
    });
    expect(item.text).toBe('Git wants it paused, and it runs: it was started on the service.');
  });

  it('stopped fails, but a task whose buy_once fired does not', () => {
    expect(itemOf(report, 'stopped', 'sniper/stopped')).toMatchObject({ buy_once: false, fails: true });
    expect(itemOf(report, 'stopped', 'sniper/fired')).toMatchObject({ buy_once: true, fails: false });
  });

  it('interrupted, if a start by tradeform is pending', () => {
    expect(itemOf(report, 'interrupted', 'sniper/cut')).toMatchObject({ running: false, fails: true });
  });
});

it('missing names the commit that added the task', () => {
  expect(itemOf(report, 'missing', 'sniper/gone')).toMatchObject({ moved_on: at(22) });
  expect(itemOf(report, 'missing', 'sniper/fresh')).toMatchObject({ moved_on: at(49), id: null });
});

it('unmanaged and foreign are shown and do not fail; damaged does', () => {
  const fails = report.items
    .filter(({ address }) => address === null)
    .map((item) => [item.class, item.fails]);
  expect(fails).toEqual([
    ['damaged', true],
    ['unmanaged', false],
    ['unmanaged', false],
    ['foreign', false],
  ]);
  expect(report.items.find(({ class: kind }) => kind === 'unmanaged')).toMatchObject({
    running: true,
    exposure: { before: '0.5015', after: '0.5015' },
  });
});
