import type {
  DesiredLabel,
  DesiredState,
  DesiredTask,
  DesiredTemplate,
} from '../../src/core/desired/state.ts';
import type { Address } from '../../src/core/model/address.ts';
import type {
  SeedAccount,
  SeedLabel,
  SeedTask,
  SeedTemplate,
} from '../../src/core/model/generated/sandbox.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import {
  copyTradeConfig,
  desiredLabel,
  desiredState,
  desiredTask,
  removal,
  seedTask,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';
import type { WorldSpec } from './base.ts';

/** One change of one address, small enough that every pair of disturbances can be tried on it. */
export interface Scene {
  readonly name: string;
  readonly tasks?: readonly SeedTask[];
  readonly labels?: readonly SeedLabel[];
  readonly templates?: readonly SeedTemplate[];
  readonly wants?: readonly DesiredTask[];
  readonly wantsLabels?: readonly DesiredLabel[];
  readonly wantsTemplates?: readonly DesiredTemplate[];
  /** What a Removal names. */
  readonly removes?: readonly Address[];
  readonly choices?: WorldSpec['choices'];
  /** No place for a task more. */
  readonly full?: true;
  /** What its markers name: the project as it was called before, or project `desk`, whose tasks are taken over. */
  readonly from?: 'was' | 'desk';
  /** Cannot stand in one account with the others. */
  readonly alone?: true;
}

const NEW = sniperConfig({ buy_amount: '0.75' });
const ONCE = sniperConfig({ buy_once: true });

function live(index: number, name: string, over: Partial<SeedTask> = {}): SeedTask {
  return seedTask(index, {
    remark: `Note ${name} [git:core/${name}@0]`,
    target_wallet: wallet(0),
    ...(over.kind === 'copy-trade' ? { config: copyTradeConfig() } : {}),
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-02T00:00:00Z',
    ...over,
  });
}

function want(name: string, over: Partial<DesiredTask> = {}): DesiredTask {
  return desiredTask(name, { note: `Note ${name}`, ...over });
}

function template(
  collection: DesiredTemplate['collection'],
  name: string,
  config: JsonObject,
  over: Partial<DesiredTemplate> = {},
): DesiredTemplate {
  return {
    address: `${collection}/${name}`,
    collection,
    name,
    shownName: name,
    config,
    origin: () => undefined,
    ...over,
  };
}

/** One task whose marker names another project, with what differs in the account and in the manifests. */
function from(
  project: 'was' | 'desk',
  name: string,
  index: number,
  armed: string,
  { present = {}, wanted = {} }: { present?: Partial<SeedTask>; wanted?: Partial<DesiredTask> } = {},
): Scene {
  return {
    name,
    tasks: [live(index, 'mine', { remark: `Note mine [git:${project}/mine${armed}]`, ...present })],
    wants: [want('mine', wanted)],
    from: project,
    alone: true,
  };
}

/** No place for another label, and the one to delete is used by a task of each sort. */
function removing(bumps: 'untouched' | 'bumped', index: number): Scene {
  const label = 'former';
  const kept = Array.from({ length: 17 }, (_, at) => ({ name: `Label ${at}`, id: uuid(0x60 + at) }));
  return {
    name: `remove a label, a template and a marker, tasks ${bumps}`,
    tasks: [
      live(index, 'kept', { label }),
      live(index + 1, 'released', { label }),
      live(index + 2, 'pruned', { label, is_active: false }),
      live(index + 3, 'theirs', { label, remark: 'Theirs' }),
    ],
    labels: [...kept, { name: label, id: uuid(0x43) }, { name: 'unused', id: uuid(0x44) }],
    templates: [{ kind: 'sniper', name: 'was-base', id: uuid(0x51), config: sniperConfig() }],
    wants: [want('kept', { label: 'fresh' })],
    wantsLabels: [desiredLabel('fresh', { sort_order: 3 })],
    removes: [
      'label/former',
      'label/never-was',
      'label/unused',
      'sniper-template/was-base',
      'sniper/released',
    ],
    choices: { label_delete_tasks: bumps, template_delete_tasks: bumps },
    alone: true,
  };
}

export const SCENES: readonly Scene[] = [
  { name: 'create running', wants: [want('new')] },
  {
    name: 'create paused copy-trade',
    wants: [want('calm', { collection: 'copy-trade', state: 'paused', target_wallet: wallet(1) })],
  },
  {
    name: 'create running transfer-snipe with a new label',
    wants: [want('watch', { collection: 'transfer-snipe', label: 'fresh' })],
    wantsLabels: [desiredLabel('fresh', { sort_order: 3 })],
  },
  { name: 'create running buy_once', wants: [want('shot', { config: ONCE })] },
  {
    name: 'config of a running sniper',
    tasks: [live(1, 'run')],
    wants: [want('run', { config: NEW })],
  },
  {
    name: 'lower a running sniper, with a new label',
    tasks: [live(0x1f, 'dear', { config: sniperConfig({ buy_amount: '9' }) })],
    wants: [want('dear', { label: 'low' })],
    wantsLabels: [desiredLabel('low', { sort_order: 4 })],
  },
  {
    name: 'config, wallets and label of a running copy-trade',
    tasks: [live(2, 'copy', { kind: 'copy-trade', target_wallet: wallet(2), linked_wallets: [wallet(3)] })],
    labels: [{ name: 'known', id: uuid(0x41) }],
    wants: [
      want('copy', {
        collection: 'copy-trade',
        target_wallet: wallet(2),
        label: 'known',
        linked_wallets: [wallet(4), wallet(5)],
        config: copyTradeConfig({ min_trade_amount: '0.1' }),
      }),
    ],
    wantsLabels: [desiredLabel('known')],
  },
  {
    name: 'config of a running buy_once',
    tasks: [live(3, 'once', { config: ONCE })],
    wants: [want('once', { config: sniperConfig({ buy_once: true, buy_amount: '0.75' }) })],
  },
  {
    name: 'config of a held task',
    tasks: [live(4, 'held', { is_active: false })],
    wants: [want('held', { config: NEW })],
  },
  {
    name: 'stop',
    tasks: [live(5, 'stop', { kind: 'transfer-snipe' })],
    wants: [want('stop', { collection: 'transfer-snipe', state: 'paused' })],
  },
  {
    name: 'start',
    tasks: [live(6, 'start', { remark: 'Note start [git:core/start]', is_active: false })],
    wants: [want('start', { config: NEW })],
  },
  {
    name: 'finish',
    tasks: [live(7, 'finish', { remark: 'Note finish [git:core/finish@5]', is_active: false })],
    wants: [want('finish')],
  },
  {
    name: 'rearm a fired buy_once',
    tasks: [live(8, 'again', { config: ONCE, is_active: false })],
    wants: [want('again', { config: ONCE, rearm: 'b' })],
  },
  {
    name: 'replace a running task',
    tasks: [live(9, 'moved')],
    wants: [want('moved', { target_wallet: wallet(3) })],
  },
  {
    name: 'replace a running task without room',
    tasks: [live(0x0a, 'tight')],
    wants: [want('tight', { target_wallet: wallet(3) })],
    full: true,
    alone: true,
  },
  {
    name: 'replace a held task',
    tasks: [live(0x0b, 'asleep', { is_active: false })],
    wants: [want('asleep', { target_wallet: wallet(3) })],
  },
  {
    name: 'delete a running task',
    tasks: [live(0x0c, 'gone')],
    wants: [],
  },
  {
    name: 'rename a label that a running task has',
    tasks: [live(0x0d, 'tagged', { label: 'was-high' })],
    labels: [{ name: 'was-high', id: uuid(0x42) }],
    wants: [want('tagged', { label: 'high' })],
    wantsLabels: [desiredLabel('high', { previousName: 'was-high', sort_order: 2 })],
  },
  {
    name: 'create and change templates',
    templates: [{ kind: 'sniper', name: 'was-base', id: uuid(0x51), config: sniperConfig(), version: 3 }],
    wantsTemplates: [
      template('sniper-template', 'base', NEW, { previousName: 'was-base' }),
      template('copy-trade-template', 'fast', copyTradeConfig(), { shownName: 'Fast one' }),
    ],
  },
  {
    name: 'adopt a running task by id, with another config',
    tasks: [live(0x0e, 'mine', { remark: 'Mine' })],
    wants: [want('mine', { id: uuid(0x0e), config: NEW })],
  },
  {
    name: 'adopt a task that lost its marker',
    tasks: [live(0x0f, 'lost', { remark: 'Note lost' })],
    wants: [want('lost')],
  },
  {
    name: 'rename a running task',
    tasks: [live(0x10, 'former')],
    wants: [want('latter', { previousName: 'former', note: 'Note former' })],
  },
  {
    name: 'config of a task whose switch is manual',
    tasks: [live(0x11, 'hands', { remark: 'Note hands [git:core/hands]' })],
    wants: [want('hands', { state: 'manual', config: NEW })],
  },
  {
    name: 'note of a running task',
    tasks: [live(0x12, 'words', { remark: 'Other words [git:core/words@0]' })],
    wants: [want('words')],
  },
  from('was', 'rename the project of a running task', 0x13, '@0'),
  from('was', 'rename the project, with another config', 0x14, '@0', { wanted: { config: NEW } }),
  from('was', 'rename the project of a buy_once task, with another config', 0x15, '@0', {
    present: { config: ONCE },
    wanted: { config: sniperConfig({ buy_once: true, buy_amount: '0.75' }) },
  }),
  from('was', 'rename the project where a start is pending', 0x16, '@5', { present: { is_active: false } }),
  from('was', 'rename the project of a held task', 0x17, '@1', { present: { is_active: false } }),
  from('was', 'rename the project, and stop the task', 0x18, '@0', { wanted: { state: 'paused' } }),
  from('was', 'rename the project, and replace the task', 0x19, '@0', {
    wanted: { target_wallet: wallet(3) },
  }),
  {
    name: 'rename the project while a task is being replaced',
    tasks: [
      live(0x1a, 'mine', { remark: 'Note mine [git:was/mine@0]' }),
      live(0x1b, 'mine', {
        remark: 'Note mine [git:was/mine@1~001a]',
        target_wallet: wallet(3),
        is_active: false,
        version: 1,
      }),
    ],
    wants: [want('mine', { target_wallet: wallet(3) })],
    from: 'was',
    alone: true,
  },
  from('desk', 'take a running task over', 0x1c, '@3'),
  from('desk', 'take a running task over, with another config', 0x1d, '@3', { wanted: { config: NEW } }),
  from('desk', 'take a task over whose start is pending there', 0x1e, '@5', {
    present: { is_active: false },
  }),
  removing('untouched', 0x20),
  removing('bumped', 0x24),
];

/** Tasks that are nobody's or somebody else's: in every world, and never touched. */
const BYSTANDERS: readonly SeedTask[] = [
  live(0x31, 'theirs', { remark: 'Theirs', target_wallet: wallet(5) }),
  live(0x32, 'theirs', { remark: 'Theirs [git:other/theirs@0]', target_wallet: wallet(5) }),
  live(0x33, 'theirs', { remark: 'Hm [git:core/broken@x]', target_wallet: wallet(5), is_active: false }),
];

/** The same manifests, some commits later: other amounts, and some switches turned. */
export function laterRevision(state: DesiredState): DesiredState {
  const tasks = state.tasks.map((task, index) => {
    const config =
      task.collection === 'copy-trade'
        ? { ...task.config, max_trade_amount: '3' }
        : { ...task.config, buy_amount: '0.9' };
    const turned = index % 3 === 1 && task.state !== 'manual';
    return turned
      ? { ...task, config, state: task.state === 'active' ? ('paused' as const) : ('active' as const) }
      : { ...task, config };
  });
  return { ...state, tasks };
}

export function worldOf(name: string, scenes: readonly Scene[], bystanders = BYSTANDERS): WorldSpec {
  const tasks = [...scenes.flatMap((scene) => scene.tasks ?? []), ...bystanders];
  const account: SeedAccount = {
    quota: { max: tasks.length + (scenes.some(({ full }) => full === true) ? 0 : 20) },
    labels: [...scenes.flatMap((scene) => scene.labels ?? []), { name: 'spare', id: uuid(0x4f) }],
    templates: scenes.flatMap((scene) => scene.templates ?? []),
    tasks,
  };
  const desired = desiredState(
    scenes.flatMap((scene) => scene.wants ?? []),
    scenes.flatMap((scene) => scene.wantsLabels ?? []),
    {
      templates: scenes.flatMap((scene) => scene.wantsTemplates ?? []),
      settle: { update: 0, replace: 60_000 },
      removals: scenes.flatMap((scene) => (scene.removes ?? []).map(removal)),
      ...(scenes.some(({ from }) => from === 'was') ? { previousProject: 'was' } : {}),
    },
  );
  const takeOver = scenes.some(({ from }) => from === 'desk') ? ['desk'] : [];
  const choices = Object.assign({}, ...scenes.map((scene) => scene.choices)) as WorldSpec['choices'];
  return { name, account, desired, other: laterRevision(desired), choices, takeOver };
}

export const REFERENCE: WorldSpec = worldOf(
  'reference',
  SCENES.filter(({ alone }) => alone !== true),
);

export const SCENE_WORLDS: readonly WorldSpec[] = SCENES.map((scene) => worldOf(scene.name, [scene]));
