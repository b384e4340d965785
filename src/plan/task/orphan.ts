import type { DesiredState } from '../../desired/state.ts';
import type { Change, PlanDiagnostic } from '../../model/generated/plan.ts';
import type { TaskKind } from '../../model/kind.ts';
import { passesWriteSchema } from '../../model/write-schema.ts';
import { type At, type Draft, draftOf, remarkSymbol, StepChain } from '../draft.ts';
import { type Orphan, type OwnedTask, ownedBy } from '../identity/task-match.ts';
import { tradingOf } from '../stakes/exposure.ts';
import { deleteRunning } from './warnings.ts';

/**
 * The change of an owned task without a manifest, according to `prune.tasks`. Undefined if the task is left as it is.
 */
export function planOrphan(
  kind: TaskKind,
  orphan: Orphan,
  prune: DesiredState['pruneTasks'],
): Draft | undefined {
  if (orphan.type === 'conflict') return conflict(kind, orphan);
  if (prune === 'never') return undefined;
  const owned = ownedBy(orphan);
  return prune === 'delete' ? remove(kind, orphan, owned) : pause(kind, orphan, owned);
}

function remove(kind: TaskKind, orphan: Orphan, owned: readonly OwnedTask[]): Draft {
  const address = `${kind.collection}/${orphan.name}`;
  const chain = new StepChain(address);
  for (const { task } of owned) {
    if (task.is_active) chain.pause(task, 0);
    chain.delete(task);
  }
  const running = owned.some(({ task }) => task.is_active);
  return draft(
    kind,
    orphan,
    owned,
    chain,
    running ? ['delete', 'stop'] : ['delete'],
    running ? [deleteRunning(address, 'deleted')] : [],
  );
}

function pause(kind: TaskKind, orphan: Orphan, owned: readonly OwnedTask[]): Draft | undefined {
  const chain = new StepChain(`${kind.collection}/${orphan.name}`);
  for (const { task, note, marker } of owned) {
    if (!task.is_active) continue;
    chain.pause(task, 0);
    // The service may refuse any patch of a legacy snapshot, and there is no config to renew it with.
    if (!passesWriteSchema(kind.config, task.config)) continue;
    // No mark: git does not want it running, so naming it again is a new request.
    const replaces = owned.find((other) => other.task.id !== task.id && marker.replaces !== undefined)?.task
      .id;
    chain.patch(task, { remark: remarkSymbol(note, 'none', marker, replaces ?? null) });
  }
  return chain.steps.length === 0 ? undefined : draft(kind, orphan, owned, chain, ['stop'], []);
}

function draft(
  kind: TaskKind,
  orphan: Orphan,
  owned: readonly OwnedTask[],
  chain: StepChain,
  actions: Change['actions'],
  warnings: readonly PlanDiagnostic[],
): Draft {
  const former = owned.at(-1);
  const successor = owned.length > 1 ? owned[0] : undefined;
  const running = owned.find(({ task }) => task.is_active);
  const deletes = actions[0] === 'delete';
  return draftOf(
    at(kind, orphan.name),
    former?.task,
    {
      actions,
      reason: 'not-in-manifests',
      ...tradingOf(kind, running?.task.config, undefined),
      fields:
        running === undefined
          ? []
          : [{ path: 'state', before: 'active', ...(deletes ? {} : { after: 'paused' }), sensitive: false }],
      ...(successor === undefined ? {} : { successor: { ...successor.task } }),
    },
    {
      steps: chain.steps,
      warnings,
      ...(deletes ? { freesTargets: owned.map(({ task }) => task.target_wallet) } : {}),
    },
  );
}

function at({ collection }: TaskKind, name: string): At {
  return { address: `${collection}/${name}`, collection, name };
}

function conflict(kind: TaskKind, orphan: Extract<Orphan, { type: 'conflict' }>): Draft {
  const ids = orphan.owned.map(({ task }) => task.id).sort();
  const text = `${ids.length} tasks carry the marker of ${orphan.name}, and no manifest names it: ${ids.join(', ')}. All of them are left alone; release or delete the ones that are not wanted.`;
  return undecided(kind, orphan.name, text, ids);
}

/** A blocked change at an address whose tasks are elsewhere in the plan. */
export function undecided(kind: TaskKind, name: string, text: string, ids: readonly string[]): Draft {
  const blocked = { text, ids: [...ids] };
  return draftOf(at(kind, name), undefined, { actions: ['none'], reason: 'conflict', blocked });
}
