import type { DesiredRemoval, DesiredState } from '../../desired/state.ts';
import { nearest } from '../../manifest/suggest.ts';
import { idsBefore } from '../../model/change.ts';
import type { PlanDiagnostic } from '../../model/generated/plan.ts';
import { isTaskCollection, type TaskKind } from '../../model/kind.ts';
import { isPending, markerOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { passesWriteSchema } from '../../model/write-schema.ts';
import { blockDraft, type Draft, draftOf, StepChain } from '../draft.ts';
import type { Matching } from '../identity/match-tasks.ts';
import { idsOfPair, type Orphan, type OwnedTask, ownedBy } from '../identity/task-match.ts';
import { tradingOf } from '../stakes/exposure.ts';
import { field } from './compare-task.ts';
import { undecided } from './orphan.ts';

/** The releases of one kind of tasks, and the matching without the released tasks. */
export function planReleases(
  kind: TaskKind,
  matching: Matching,
  removals: readonly DesiredRemoval[],
): { readonly releases: readonly Draft[]; readonly matching: Matching } {
  const named = removals.filter(({ collection }) => collection === kind.collection);
  if (named.length === 0) return { releases: [], matching };
  const { matches, orphans, left, bystanders } = matching;
  const releases: Draft[] = [];
  const taken = new Set<Orphan>();
  for (const removal of named) {
    const orphan = [...orphans, ...left].find(({ name }) => name === removal.name);
    const claim = [...matches].find(
      ([, match]) => match.type === 'owned' && match.owned.marker.name === removal.name,
    );
    if (orphan !== undefined) {
      taken.add(orphan);
      releases.push(releaseTask(kind, orphan, removal));
    } else if (claim?.[1].type === 'owned') {
      const { id } = claim[1].owned.task;
      const text = `${claim[0].address} still describes the task ${id}. Remove one of the two.`;
      releases.push(undecided(kind, removal.name, text, [id]));
    }
  }
  const rest = (all: readonly Orphan[]) => all.filter((orphan) => !taken.has(orphan));
  const ids = new Set([...taken].flatMap(ownedBy).map(({ task }) => task.id));
  return {
    releases,
    matching: {
      matches,
      orphans: rest(orphans),
      left: rest(left),
      bystanders: bystanders.filter(({ class: kind, task }) => kind === 'conflict' || !ids.has(task.id)),
    },
  };
}

/**
 * Releases a task with one patch that removes the marker (DESIGN 2): the task stays as it is, running or paused, and is
 * no longer managed from git. If it is not certain which task is meant, nothing is done.
 */
function releaseTask(kind: TaskKind, orphan: Orphan, removal: DesiredRemoval): Draft {
  switch (orphan.type) {
    case 'single':
      return release(kind, orphan.owned, removal);
    case 'pair': {
      const { successor, predecessor } = orphan.pair;
      const ids = idsOfPair(orphan.pair);
      const text = `An apply was interrupted while it replaced ${ids.join(' by ')}: after a release now, perhaps neither task would run. Restore the manifest and let an apply finish, or choose with tradeform release --id ${ids[0]} --id ${ids[1]}.`;
      const { change, ...rest } = release(kind, predecessor, removal);
      const both = { ...rest, change: { ...change, successor: { ...successor.task } } };
      return blockDraft(both, 'replacement-in-progress', text, ids);
    }
    case 'conflict': {
      const ids = orphan.owned.map(({ task }) => task.id).sort();
      const text = `${ids.length} tasks carry its marker: ${ids.join(', ')}. Choose the ones to release with tradeform release --id ID.`;
      return undecided(kind, orphan.name, text, ids);
    }
  }
}

function release(kind: TaskKind, { task, note, marker }: OwnedTask, removal: DesiredRemoval): Draft {
  const { address } = removal;
  const chain = new StepChain(address);
  // The service trims; a remark without a note is empty, which is its default (interface, "Task resources").
  chain.patch(task, { remark: note.trim() });
  const running = task.is_active ? task.config : undefined;
  return draftOf(
    removal,
    task,
    {
      actions: ['release'],
      reason: 'released',
      ...tradingOf(kind, running, running),
      fields: [field(removal, 'marker', `${marker.project}/${marker.name}`, undefined)],
    },
    { steps: chain.steps, warnings: warningsOf(kind, { task, note, marker }, address) },
  );
}

function warningsOf(kind: TaskKind, { task }: OwnedTask, address: string): readonly PlanDiagnostic[] {
  const pending = isPending(task);
  const after = task.is_active
    ? 'keeps running unchanged, and is no longer managed from git'
    : `stays paused and unchanged${pending ? ' (an apply was interrupted before it started the task)' : ''}, and is no longer managed from git`;
  const warnings: PlanDiagnostic[] = [
    {
      severity: task.is_active || pending ? 'warning' : 'info',
      code: 'task-released',
      address,
      message: `${address} is released: it ${after}.`,
    },
  ];
  if (!passesWriteSchema(kind.config, task.config)) {
    warnings.push({
      severity: 'warning',
      code: 'release-legacy',
      address,
      message: `${address} has a legacy config: the service may refuse to write its remark, and then the marker stays.`,
      hint: 'If it does, remove the marker in the web application.',
    });
  }
  return warnings;
}

/** Tasks in Removals with `release: true` that do not exist on the service. */
export function idleReleases(
  { removals }: DesiredState,
  owned: readonly LiveTask[],
): readonly DesiredRemoval[] {
  const present = new Set(owned.map((task) => `${task.collection}/${markerOf(task)?.name ?? ''}`));
  return removals.filter(({ collection, address }) => isTaskCollection(collection) && !present.has(address));
}

/** Blocks a deletion or a stop if a Removal that releases nothing may have meant that task. */
export function unlessMeant(draft: Draft, idle: readonly DesiredRemoval[]): Draft {
  const { address, name } = draft.change;
  const slip = idle.find((removal) => nearest(removal.name, [name]) !== undefined);
  if (slip === undefined) return draft;
  const text = `Its manifest was removed, and a Removal releases ${slip.address}, which does not exist on the service: if ${address} was meant, correct the Removal; if not, remove ${slip.address} from the Removal, which is done already.`;
  return blockDraft(draft, 'uncertain', text, idsBefore(draft.change));
}
