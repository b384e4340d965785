import type { DesiredState, DesiredTask } from '../../desired/state.ts';
import { kindOf } from '../../model/kind.ts';
import type { LiveLabel, LiveTask } from '../../model/resource.ts';
import { isSecretPath } from '../../model/secret.ts';
import { countedPaths, exposureOf } from '../exposure.ts';
import type { Scene } from './scene.ts';
import { liveTaskView } from './views.ts';

export interface StartsInput {
  /** Tasks that are off and go on as they are stored, with the manifest that describes them, where one does. */
  readonly starts: readonly { readonly task: LiveTask; readonly desired: DesiredTask | undefined }[];
  /** Every task of the project on the service, those that start among them. */
  readonly own: readonly LiveTask[];
  readonly labels: readonly LiveLabel[];
  /** Undefined where the manifests cannot be read. */
  readonly desired: DesiredState | undefined;
}

/**
 * What guardrails judge where tasks start without a plan (`tradeform resume`): every field of a task that starts, the number of
 * starts, and what all running tasks then put at stake. Give it to `judge` with the digest that `--override` is to name.
 */
export function startScene({ starts, own, labels, desired }: StartsInput): Scene {
  const { tasks = [], templates = [], removals = [], labels: desiredLabels = [] } = desired ?? {};
  const wallets = desired?.wallets ?? new Map<string, string>();
  const names = { live: labels, desired: desiredLabels };
  const resources = starts.map(({ task, desired: like }) => {
    const stored = liveTaskView(task, like, names);
    const definition = kindOf(task.collection).config;
    return {
      after: { ...stored, state: 'active' as const },
      before: stored,
      definition,
      starts: true,
      written: true,
    };
  });
  const starting = new Map(starts.map(({ task }, index) => [task.id, resources[index]?.after]));
  const viewOf = (task: LiveTask) => starting.get(task.id) ?? liveTaskView(task, undefined, names);
  return {
    deeds: resources.map(({ after: { address, collection } }) => ({
      address,
      previous_address: null,
      kind: collection,
      actions: ['start'],
      written: true,
      starts: true,
    })),
    stakes: own
      .filter(({ id, is_active }) => is_active || starting.has(id))
      .map((task) => {
        const { address, secrets = [] } = viewOf(task);
        const { config: definition } = kindOf(task.collection);
        const stake = exposureOf(definition, task.config);
        const secret = countedPaths(definition, task.config).some((path) => isSecretPath(secrets, path));
        return { address, before: task.is_active ? stake : '0', after: stake, secret };
      }),
    resources,
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
