import type { DesiredState } from '../../src/desired/state.ts';
import type { SeedAccount } from '../../src/model/generated/sandbox.ts';
import {
  copyTradeConfig,
  desiredLabel,
  desiredState,
  desiredTask,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';

/** A change of one address, from what is live to what is desired. */
export interface Scenario {
  readonly name: string;
  readonly seed: SeedAccount;
  readonly desired: DesiredState;
  /** The task as git wants it; undefined where it is to be gone. */
  readonly runs: boolean | undefined;
  /** The task ran before. */
  readonly ran: boolean;
  readonly buyOnce?: true;
  /** Git wants it running, and somebody stopped it. */
  readonly held?: true;
}

export const ID = uuid(1);
export const NEW = sniperConfig({ buy_amount: '0.75' });
/** A running task of ours, settled. */
export const TASK = {
  kind: 'sniper' as const,
  id: ID,
  remark: 'Note [git:core/a@0]',
  target_wallet: wallet(0),
  config: sniperConfig(),
  is_active: true,
  version: 5,
};

function sniper(over: Partial<NonNullable<SeedAccount['tasks']>[number]> = {}): SeedAccount {
  return { tasks: [{ ...TASK, ...over }] };
}

/** The project was called `was` before. */
const RENAMED = (tasks: Parameters<typeof desiredState>[0]) =>
  desiredState(tasks, [], { previousProject: 'was' });

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'create a running task',
    seed: {},
    desired: desiredState([desiredTask('a')]),
    runs: true,
    ran: false,
  },
  {
    name: 'create a running task with a new label',
    seed: {},
    desired: desiredState([desiredTask('a', { label: 'high' })], [desiredLabel('high', { sort_order: 3 })]),
    runs: true,
    ran: false,
  },
  {
    name: 'create a paused task',
    seed: {},
    desired: desiredState([desiredTask('a', { state: 'paused' })]),
    runs: false,
    ran: false,
  },
  {
    name: 'change the config of a running task',
    seed: sniper(),
    desired: desiredState([desiredTask('a', { config: NEW })]),
    runs: true,
    ran: true,
  },
  {
    name: 'change config and label of a running copy-trade task',
    seed: sniper({ kind: 'copy-trade', config: copyTradeConfig(), linked_wallets: [wallet(3)] }),
    desired: desiredState(
      [
        desiredTask('a', {
          collection: 'copy-trade',
          label: 'high',
          linked_wallets: [wallet(1), wallet(2)],
          config: copyTradeConfig({ min_trade_amount: '0.1' }),
        }),
      ],
      [desiredLabel('high')],
    ),
    runs: true,
    ran: true,
  },
  {
    name: 'change the config of a running buy_once task',
    seed: sniper({ config: sniperConfig({ buy_once: true }) }),
    desired: desiredState([
      desiredTask('a', { config: sniperConfig({ buy_once: true, buy_amount: '0.75' }) }),
    ]),
    runs: true,
    ran: true,
    buyOnce: true,
  },
  {
    name: 'start a paused task',
    seed: sniper({ remark: 'Note [git:core/a]', is_active: false }),
    desired: desiredState([desiredTask('a')]),
    runs: true,
    ran: false,
  },
  {
    name: 'stop a running task',
    seed: sniper(),
    desired: desiredState([desiredTask('a', { state: 'paused' })]),
    runs: false,
    ran: true,
  },
  {
    name: 'relabel a running task',
    seed: { ...sniper(), labels: [{ name: 'was-high', id: uuid(7), sort_order: 1 }] },
    desired: desiredState(
      [desiredTask('a', { label: 'high', note: 'Other' })],
      [desiredLabel('high', { previousName: 'was-high', sort_order: 2 })],
    ),
    runs: true,
    ran: true,
  },
  {
    name: 'delete a running task',
    seed: sniper(),
    desired: desiredState([]),
    runs: undefined,
    ran: true,
  },
  {
    name: 'replace a running task',
    seed: sniper(),
    desired: desiredState([desiredTask('a', { target_wallet: wallet(2) })]),
    runs: true,
    ran: true,
  },
  {
    name: 'replace a running task without room',
    seed: { ...sniper(), quota: { max: 1 } },
    desired: desiredState([desiredTask('a', { target_wallet: wallet(2) })]),
    runs: true,
    ran: true,
  },
  {
    name: 'adopt a running task by id, with another config',
    seed: sniper({ remark: 'Mine' }),
    desired: desiredState([desiredTask('a', { id: ID, config: NEW })]),
    runs: true,
    ran: true,
  },
  {
    name: 'rename the project of a running task',
    seed: sniper({ remark: 'Note [git:was/a@0]' }),
    desired: RENAMED([desiredTask('a')]),
    runs: true,
    ran: true,
  },
  {
    name: 'rename the project, with another config',
    seed: sniper({ remark: 'Note [git:was/a@0]' }),
    desired: RENAMED([desiredTask('a', { config: NEW })]),
    runs: true,
    ran: true,
  },
  {
    name: 'rename the project of a buy_once task, with another config',
    seed: sniper({ remark: 'Note [git:was/a@0]', config: sniperConfig({ buy_once: true }) }),
    desired: RENAMED([desiredTask('a', { config: sniperConfig({ buy_once: true, buy_amount: '0.75' }) })]),
    runs: true,
    ran: true,
    buyOnce: true,
  },
  {
    name: 'rename the project where a start is pending',
    seed: sniper({ remark: 'Note [git:was/a@5]', is_active: false }),
    desired: RENAMED([desiredTask('a')]),
    runs: true,
    ran: false,
  },
  {
    name: 'rename the project of a held task',
    seed: sniper({ remark: 'Note [git:was/a@1]', is_active: false }),
    desired: RENAMED([desiredTask('a')]),
    runs: false,
    ran: false,
    held: true,
  },
  {
    name: 'rename the project, and stop the task',
    seed: sniper({ remark: 'Note [git:was/a@0]' }),
    desired: RENAMED([desiredTask('a', { state: 'paused' })]),
    runs: false,
    ran: true,
  },
  {
    name: 'rename the project, and replace the task',
    seed: sniper({ remark: 'Note [git:was/a@0]' }),
    desired: RENAMED([desiredTask('a', { target_wallet: wallet(2) })]),
    runs: true,
    ran: true,
  },
  {
    name: 'rename the project while a task is being replaced',
    seed: {
      tasks: [
        { ...TASK, remark: 'Note [git:was/a@0]' },
        {
          ...TASK,
          id: uuid(2),
          remark: 'Note [git:was/a@1~0001]',
          target_wallet: wallet(2),
          is_active: false,
          version: 1,
        },
      ],
    },
    desired: RENAMED([desiredTask('a', { target_wallet: wallet(2) })]),
    runs: true,
    ran: true,
  },
  {
    name: 'take a running task over',
    seed: sniper({ remark: 'Note [git:desk/a@3]' }),
    desired: desiredState([desiredTask('a')]),
    runs: true,
    ran: true,
  },
  {
    name: 'take a running task over, with another config',
    seed: sniper({ remark: 'Note [git:desk/a@3]' }),
    desired: desiredState([desiredTask('a', { config: NEW })]),
    runs: true,
    ran: true,
  },
  {
    name: 'take a task over whose start is pending there',
    seed: sniper({ remark: 'Note [git:desk/a@5]', is_active: false }),
    desired: desiredState([desiredTask('a')]),
    runs: false,
    ran: false,
    held: true,
  },
  {
    name: 'let the switch alone while the config changes',
    seed: sniper({ remark: 'Note [git:core/a]' }),
    desired: desiredState([desiredTask('a', { state: 'manual', config: NEW })]),
    runs: true,
    ran: true,
  },
  {
    name: 'create and change templates',
    seed: { templates: [{ kind: 'sniper', name: 'was-base', id: uuid(5), config: sniperConfig() }] },
    desired: desiredState([], [], {
      templates: [
        {
          address: 'sniper-template/base',
          collection: 'sniper-template',
          name: 'base',
          shownName: 'base',
          previousName: 'was-base',
          config: NEW,
          origin: () => undefined,
        },
        {
          address: 'copy-trade-template/fast',
          collection: 'copy-trade-template',
          name: 'fast',
          shownName: 'Fast one',
          config: copyTradeConfig(),
          origin: () => undefined,
        },
      ],
    }),
    runs: undefined,
    ran: false,
  },
];
