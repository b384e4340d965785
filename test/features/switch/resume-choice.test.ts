import { describe, expect, test } from 'vitest';
import {
  manifestsOf,
  type ResumeAsk,
  resumeChoices,
} from '../../../src/core/features/switch/pure/resume-choice.ts';
import { knownTask } from '../../../src/core/plan/identity/known-task.ts';
import { desiredState, desiredTask, liveTask, sniperConfig, uuid, wallet } from '../../support/builders.ts';
import { EVERYTHING } from '../../support/everything.ts';

const RELAY = sniperConfig().relay_mode as { readonly tip_amount: string };

function paused(index: number, mark: string, over: Parameters<typeof liveTask>[1] = {}) {
  const remark = `Note [git:core/n${index}${mark}]`;
  return knownTask(liveTask(index, { remark, is_active: false, version: 5, ...over }), { project: 'core' });
}

function chosen(tasks: ReturnType<typeof paused>[], ask: Partial<ResumeAsk> = {}) {
  const all = { selection: EVERYTHING, held: false, manifests: undefined, ...ask };
  return resumeChoices(tasks, all).map(({ known, type }) => `${known.marker?.name ?? known.task.id} ${type}`);
}

function named(...names: string[]): Partial<ResumeAsk> {
  return { selection: { ...EVERYTHING, names } };
}

const TASKS = [
  paused(1, '@!'),
  paused(2, '@5'),
  paused(3, '@0'),
  paused(4, ''),
  paused(5, '@0', { is_active: true }),
  paused(6, '@6'),
];

test('among many: what the switch stopped and what is pending; never what somebody else or git stopped', () => {
  expect(chosen(TASKS)).toEqual(['n1 start', 'n2 start', 'n3 left', 'n6 left']);
  expect(chosen(TASKS, named('sniper/*'))).toEqual(['n1 start', 'n2 start', 'n3 left', 'n6 left']);
});

const OFF = [
  paused(1, '@!'),
  paused(2, '@0!'),
  paused(3, '@-'),
  paused(4, '@!', { is_active: true }),
  paused(5, '@0!', { is_active: true }),
  paused(6, '@5'),
];

test('the marks: @! starts, @0! is removed, @- is left; on a running task the mark is removed too', () => {
  expect(chosen(OFF)).toEqual([
    'n1 start',
    'n2 mark-settled',
    'n3 left',
    'n4 mark-settled',
    'n5 mark-settled',
    'n6 start',
  ]);
  expect(chosen(OFF, named('n2', 'n3'))).toEqual(['n2 start', 'n3 start']);
  expect(chosen(OFF, { held: true }).filter((text) => text.endsWith('start'))).toHaveLength(4);
});

test('--held: also what somebody stopped', () => {
  expect(chosen(TASKS, { held: true })).toEqual(['n1 start', 'n2 start', 'n3 start', 'n6 start']);
});

test('a named task is started whoever stopped it', () => {
  expect(chosen(TASKS, named('n3', 'sniper/n4', 'n5', uuid(6)))).toEqual([
    'n3 start',
    'n4 start',
    'n5 running',
    'n6 start',
  ]);
});

test('what git wants paused is started only by name, and this is reported; a task without a manifest too', () => {
  const manifests = manifestsOf(desiredState([desiredTask('n1', { state: 'paused' })]), TASKS);
  expect(chosen(TASKS, { manifests })).toEqual(['n1 left', 'n2 start', 'n3 left', 'n6 left']);
  const [one] = resumeChoices(TASKS, {
    selection: { ...EVERYTHING, names: ['n1'] },
    held: false,
    manifests,
  });
  expect(one).toMatchObject({
    type: 'start',
    text: expect.stringContaining('will differ from git (started)'),
  });
});

test('two tasks with one address are never both started', () => {
  const pair = [
    paused(1, '@!'),
    knownTask({ ...paused(2, '@!').task, remark: 'Note [git:core/n1@!~0001]' }, { project: 'core' }),
  ];
  expect(chosen(pair)).toEqual(['n1 left', 'n1 left']);
  expect(chosen(pair, named('n1'))).toEqual(['n1 refused', 'n1 refused']);
});

test('tasks that are not owned only by name and with --include-unmanaged; buy_once is reported', () => {
  const theirs = knownTask(liveTask(9, { remark: 'Mine', is_active: false }), { project: 'core' });
  const selection = { ...EVERYTHING, includeUnmanaged: true };
  expect(chosen([theirs], { selection })).toEqual([]);
  expect(chosen([theirs], { selection: { ...selection, names: [uuid(9)] } })).toEqual([`${uuid(9)} start`]);
  expect(chosen([theirs], named(uuid(9)))).toEqual([]);
  const once = paused(1, '@!', { config: sniperConfig({ buy_once: true }) });
  expect(
    resumeChoices([once], { selection: EVERYTHING, held: false, manifests: undefined })[0]?.text,
  ).toContain('buy_once');
});

describe('what starts is stored differently than its manifest says', () => {
  const config = sniperConfig({ buy_amount: '0.9' });
  const task = paused(1, '@!', { config, target_wallet: wallet(1) });
  const differing = (over: Parameters<typeof desiredTask>[1], ask: Partial<ResumeAsk> = {}) => {
    const desired = desiredState([desiredTask('n1', { target_wallet: wallet(1), config, ...over })]);
    const all = { selection: EVERYTHING, held: false, manifests: manifestsOf(desired, [task]), ...ask };
    return resumeChoices([task], all)[0]?.differs;
  };

  test('an amount, a tip, a target, a wallet: with both values, the most expensive first', () => {
    expect(differing({})).toBeUndefined();
    const cheaper = sniperConfig({ buy_amount: '0.2', relay_mode: { ...RELAY, tip_amount: '0.5' } });
    const differs = differing({ config: cheaper, target_wallet: wallet(2) });
    expect(differs?.fields.map(({ path, before, after }) => [path, before, after])).toEqual([
      ['target_wallet', wallet(1), wallet(2)],
      ['config.buy_amount', '0.9', '0.2'],
      ['config.relay_mode.tip_amount', RELAY.tip_amount, '0.5'],
    ]);
  });

  test('a note, a label and fields of lifecycle.ignore_changes are no such difference', () => {
    expect(differing({ note: 'Other', label: 'calm' })).toBeUndefined();
    const other = sniperConfig({ buy_amount: '0.2' });
    expect(differing({ config: other, ignoreChanges: ['config.buy_amount'] })).toBeUndefined();
  });

  test('the manifest that renames it, or names it by metadata.id, is its manifest', () => {
    const other = sniperConfig({ buy_amount: '0.2' });
    for (const over of [{ previousName: 'n1' }, { id: task.task.id }]) {
      const renamed = desiredTask('new', { target_wallet: wallet(1), config: other, ...over });
      const manifests = manifestsOf(desiredState([renamed]), [task]);
      const [choice] = resumeChoices([task], { selection: EVERYTHING, held: false, manifests });
      expect(choice, JSON.stringify(over)).toMatchObject({ text: '', differs: { address: 'sniper/new' } });
    }
  });
});
