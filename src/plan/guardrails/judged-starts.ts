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
  /** Tasks that are off and go on as they are stored. */
  readonly starts: readonly LiveTask[];
  /** Every task of the project on the service, those that start among them. */
  readonly own: readonly LiveTask[];
  readonly labels: readonly LiveLabel[];
  /** Undefined where the manifests cannot be read. */
  readonly desired: DesiredState | undefined;
  /** By id: the manifests of these tasks, where they have one. */
  readonly manifests: ReadonlyMap<string, DesiredTask>;
}

/** If the manifests cannot be read, any value may have come from the environment. */
const ALL_SECRET: readonly string[] = ['config', 'target_wallet', 'linked_wallets', 'remark'];

/**
 * The input of guardrails where tasks start without a plan (`tradeform resume`): every field of a task that starts, the number of
 * starts, and what all running tasks then put at stake. Give it to `judge` with the digest that `--override` is to name.
 */
export function judgedStarts({ starts, own, labels, desired, manifests }: StartsInput): JudgedState {
  const { tasks = [], templates = [], removals = [], labels: desiredLabels = [] } = desired ?? {};
  const wallets = desired?.wallets ?? new Map<string, string>();
  const names = { live: labels, desired: desiredLabels };
  const viewOf = (task: LiveTask): DesiredTask => ({
    ...liveTaskView(task, manifests.get(task.id), names),
    ...(desired === undefined ? { secrets: ALL_SECRET } : {}),
    // What is judged is stored, and may stand in no file.
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

/** The start of a task that is off. One that was asked for and is pending was counted then. */
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
