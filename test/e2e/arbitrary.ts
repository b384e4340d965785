import type { DesiredLabel, DesiredState, DesiredTask } from '../../src/core/desired/state.ts';
import { formatAddress } from '../../src/core/model/address.ts';
import type { SeedAccount, SeedTask } from '../../src/core/model/generated/sandbox.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import { TASK_KINDS, type TaskCollection } from '../../src/core/model/kind.ts';
import { formatRemark } from '../../src/core/model/marker.ts';
import fc from '../properties.ts';
import {
  copyTradeConfig,
  desiredLabel,
  desiredState,
  desiredTask,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';

/** Random worlds: what git wants and what the service holds, close enough to each other that every case of identity comes up. */

const NAMES = ['a', 'b', 'c', 'd'];
const LABELS = ['high', 'low'];
const PROJECT = 'core';

const amount = fc.constantFrom('0.5', '0.50', '1', '2.25');

function config(collection: TaskCollection): fc.Arbitrary<JsonObject> {
  const common = fc.record({ buy_once: fc.boolean(), optional: fc.constantFrom('none', 'empty', 'set') });
  return fc
    .tuple(
      common,
      amount,
      fc.shuffledSubarray(['pump-fun', 'launchlab', 'meteora-dynamic-bc'], { minLength: 1 }),
    )
    .map(([{ buy_once, optional }, value, selected_dexes]) => {
      const bundle: JsonObject =
        optional === 'none' ? {} : { bundle_amount: optional === 'empty' ? '' : '0.1' };
      if (collection !== 'copy-trade')
        return sniperConfig({ buy_amount: value, buy_once, selected_dexes, ...bundle });
      const universal = copyTradeConfig().buy_config_universal as JsonObject;
      return copyTradeConfig({
        buy_config_universal: { ...universal, amount_sol: value },
        buy_once,
        selected_dexes,
        ...bundle,
      });
    });
}

function task(collection: TaskCollection, name: string): fc.Arbitrary<DesiredTask> {
  return fc
    .record({
      state: fc.constantFrom('active' as const, 'active' as const, 'paused' as const, 'manual' as const),
      rearm: fc.constantFrom(undefined, 'a', 'b'),
      note: fc.constantFrom('', 'Note', 'Other note'),
      label: fc.constantFrom(null, ...LABELS),
      target: fc.nat(3),
      config: config(collection),
      linked: fc.subarray([wallet(4), wallet(5)]),
      adopt: fc.constantFrom('auto' as const, 'auto' as const, 'never' as const),
      ignore: fc.constantFrom<readonly string[]>([], [], ['config.bundle_amount'], ['label'], ['remark']),
    })
    .map(({ rearm, target, linked, ignore, ...rest }) =>
      desiredTask(name, {
        collection,
        address: formatAddress(collection, name),
        ...rest,
        ...(rearm === undefined ? {} : { rearm }),
        target_wallet: wallet(target),
        ignoreChanges: ignore,
        ...(collection === 'copy-trade' ? { linked_wallets: linked } : {}),
      }),
    );
}

function tasksOf(collection: TaskCollection): fc.Arbitrary<readonly DesiredTask[]> {
  return fc
    .subarray(NAMES)
    .chain((names) => fc.tuple(...names.map((name) => task(collection, name))))
    .map((tasks) => (collection === 'copy-trade' ? uniqueTargets(tasks) : tasks));
}

function uniqueTargets<T extends { readonly target_wallet: string }>(tasks: readonly T[]): readonly T[] {
  return tasks.filter(
    (item, index) => tasks.findIndex((other) => other.target_wallet === item.target_wallet) === index,
  );
}

const labels: fc.Arbitrary<readonly DesiredLabel[]> = fc
  .tuple(fc.nat(2), fc.constantFrom<string | undefined>(undefined, 'was-low'))
  .map(([order, previousName]) => [
    desiredLabel('high', { sort_order: order }),
    desiredLabel('low', previousName === undefined ? {} : { previousName, shownName: 'Lower' }),
  ]);

export const desired: fc.Arbitrary<DesiredState> = fc
  .record({
    tasks: fc.tuple(...TASK_KINDS.map(({ collection }) => tasksOf(collection))),
    labels,
    pruneTasks: fc.constantFrom('delete' as const, 'pause' as const, 'never' as const),
    stoppedTasks: fc.constantFrom('hold' as const, 'hold' as const, 'resume' as const),
    templateConfig: config('sniper'),
  })
  .map(({ tasks, labels: wanted, templateConfig, ...policy }) => ({
    ...desiredState(tasks.flat(), wanted, policy),
    templates: [
      {
        address: 'sniper-template/base',
        collection: 'sniper-template',
        name: 'base',
        shownName: 'base',
        config: templateConfig,
        origin: () => undefined,
      },
    ],
  }));

type Armed = 'none' | 'zero' | 'below' | 'equal' | 'above' | 'two-above' | 'off' | 'kept-off' | 'held';

function remarkOf(
  kind: string,
  note: string,
  name: string,
  armed: Armed,
  version: number,
  rearm: string | undefined,
  replaces: string | undefined,
): string {
  if (kind === 'unmanaged') return note;
  if (kind === 'damaged') return `${note} [git:${PROJECT}/${name}@x]`.trim();
  const marks = {
    zero: 0,
    below: version - 1,
    equal: version,
    above: version + 1,
    'two-above': version + 2,
    off: 'off',
    'kept-off': 'kept-off',
    held: 'held',
  } as const;
  return formatRemark(note, {
    project: kind === 'foreign' ? 'other' : PROJECT,
    name,
    armed: armed === 'none' ? undefined : marks[armed],
    rearm,
    replaces,
  });
}

function liveTask(
  collection: TaskCollection,
  index: number,
  wanted: readonly DesiredTask[],
): fc.Arbitrary<SeedTask> {
  return fc
    .record({
      kind: fc.constantFrom('owned', 'owned', 'owned', 'owned', 'unmanaged', 'foreign', 'damaged'),
      name: fc.constantFrom(...NAMES, 'gone'),
      note: fc.constantFrom('', 'Note', 'Other note'),
      armed: fc.constantFrom<Armed>(
        'none',
        'zero',
        'below',
        'equal',
        'above',
        'two-above',
        'off',
        'off',
        'kept-off',
        'held',
      ),
      rearm: fc.constantFrom(undefined, 'a', 'b'),
      replaces: fc.constantFrom(undefined, undefined, undefined, 1, 2, 3),
      version: fc.integer({ min: 2, max: 30 }),
      is_active: fc.boolean(),
      target: fc.nat(3),
      config: config(collection),
      like: fc.boolean(),
      legacy: fc.constantFrom(false, false, false, true),
      label: fc.constantFrom(undefined, 'high', 'was-low', 'theirs'),
      linked: fc.subarray([wallet(4), wallet(5)]),
    })
    .map((drawn): SeedTask => {
      const model = drawn.like ? wanted.find(({ name }) => name === drawn.name) : undefined;
      const replaces =
        drawn.replaces === undefined
          ? undefined
          : uuid(collectionBase(collection) + drawn.replaces).slice(0, 4);
      const note = model?.note ?? drawn.note;
      return {
        kind: collection,
        id: uuid(collectionBase(collection) + index),
        remark: remarkOf(drawn.kind, note, drawn.name, drawn.armed, drawn.version, drawn.rearm, replaces),
        target_wallet: model?.target_wallet ?? wallet(drawn.target),
        is_active: drawn.is_active,
        version: drawn.version,
        config: { ...(model?.config ?? drawn.config), ...(drawn.legacy ? { since_dropped: true } : {}) },
        legacy: drawn.legacy,
        created_at: '2026-01-01T00:00:00Z',
        updated_at: '2026-01-02T00:00:00Z',
        ...(drawn.label === undefined ? {} : { label: drawn.label }),
        ...(collection === 'copy-trade' ? { linked_wallets: drawn.linked } : {}),
      };
    });
}

function collectionBase(collection: TaskCollection): number {
  return (TASK_KINDS.findIndex((kind) => kind.collection === collection) + 1) * 0x100;
}

/** What the service holds, related to what git wants. */
export function account(state: DesiredState): fc.Arbitrary<SeedAccount> {
  const lists = TASK_KINDS.map(({ collection }) => {
    const wanted = state.tasks.filter((item) => item.collection === collection);
    return fc
      .integer({ min: 0, max: 4 })
      .chain((count) =>
        fc.tuple(...Array.from({ length: count }, (_, index) => liveTask(collection, index + 1, wanted))),
      )
      .map((tasks) => (collection === 'copy-trade' ? uniqueTargets(tasks) : tasks));
  });
  return fc
    .record({
      tasks: fc.tuple(...lists),
      spare: fc.constantFrom(0, 1, 2, 50),
      templateConfig: config('sniper'),
      template: fc.boolean(),
    })
    .map(({ tasks, spare, templateConfig, template }) => ({
      quota: { max: tasks.flat().length + spare },
      labels: [{ name: 'high' }, { name: 'was-low' }, { name: 'theirs' }],
      templates: template ? [{ kind: 'sniper', name: 'base', config: templateConfig }] : [],
      tasks: tasks.flat(),
    }));
}
