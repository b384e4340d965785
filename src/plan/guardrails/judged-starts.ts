import type { DesiredState, DesiredTask } from '../../desired/state.ts';
import { isSwitchedOff } from '../../model/armed.ts';
import { kindOf } from '../../model/kind.ts';
import { armedOf, isPending } from '../../model/marker.ts';
import type { LiveLabel, LiveTask } from '../../model/resource.ts';
import { isSecretPath } from '../../model/secret.ts';
import { countedPaths, exposureOf } from '../stakes/exposure.ts';
import { isContinued, type JudgedChange, type JudgedState } from './judged.ts';
import { liveTaskView } from './task-views.ts';

interface StartsInput {
  /** Paused tasks that are started with their stored config. */
  readonly starts: readonly LiveTask[];
  /** Every task of the project on the service, including those that start. */
  readonly own: readonly LiveTask[];
  readonly labels: readonly LiveLabel[];
  /** Undefined if the manifests cannot be read. */
  readonly desired: DesiredState | undefined;
  /** The manifests of these tasks by id, if they have one. */
  readonly manifests: ReadonlyMap<string, DesiredTask>;
}

/** If the manifests cannot be read, any value may have come from the environment. */
const ALL_SECRET: readonly string[] = ['config', 'target_wallet', 'linked_wallets', 'remark'];

/**
 * The input for guardrails if tasks start without a plan (`tradeform resume`): every field of the tasks that start, the
 * number of starts, and the exposure of all running tasks afterwards. Pass it to `judge` with the digest that
 * `--override` names.
 */
export function judgedStarts({ starts, own, labels, desired, manifests }: StartsInput): JudgedState {
  const { tasks = [], templates = [], removals = [], labels: desiredLabels = [] } = desired ?? {};
  const wallets = desired?.wallets ?? new Map<string, string>();
  const names = { live: labels, desired: desiredLabels };
  const viewOf = (task: LiveTask): DesiredTask => ({
    ...liveTaskView(task, manifests.get(task.id), names),
    ...(desired === undefined ? { secrets: ALL_SECRET } : {}),
    // The judged values are stored ones, which may be in no file.
    origin: () => undefined,
  });
  const starting = new Set(starts.map(({ id }) => id));
  return {
    what: 'resume',
    changes: starts.map((task) => startOf(task, viewOf(task).address)),
    stakes: own
      .filter(({ id, is_active }) => is_active || starting.has(id))
      .map((task) => stakeOf(task, viewOf(task))),
    resources: starts.map((task) => {
      const before = viewOf(task);
      const definition = kindOf(task.collection).config;
      const after = { ...before, state: 'active' as const };
      return { after, before, definition, starts: !isContinued(task), written: true };
    }),
    owned: own.length,
    ownedAddresses: [
      ...own.map((task) => viewOf(task).address),
      ...[...tasks, ...templates].map(({ address }) => address),
    ],
    labels: desiredLabels,
    removals,
    wallets,
    book: wallets,
  };
}

/** The start of a paused task. A pending start that was requested before was counted then. */
function startOf(task: LiveTask, address: string): JudgedChange {
  const pending = isPending(task);
  return {
    address,
    previous_address: null,
    kind: task.collection,
    actions: [pending ? 'finish' : 'start'],
    written: true,
    starts: !pending,
    returns: isSwitchedOff(armedOf(task)),
  };
}

function stakeOf(task: LiveTask, { address, secrets = [] }: DesiredTask): JudgedState['stakes'][number] {
  const { config: definition } = kindOf(task.collection);
  const after = exposureOf(definition, task.config);
  const secret = countedPaths(definition, task.config).some((path) => isSecretPath(secrets, path));
  const before = task.is_active || isContinued(task) ? after : '0';
  return { address, before, after, secret, returns: isSwitchedOff(armedOf(task)) };
}
