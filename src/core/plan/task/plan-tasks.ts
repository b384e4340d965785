import type { DesiredRemoval, DesiredState, DesiredTask } from '../../desired/state.ts';
import { type Diagnostic, diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import { nearest } from '../../diagnostics/suggest.ts';
import { idsBefore } from '../../model/change.ts';
import type { Change, Observation, PlanDiagnostic } from '../../model/generated/plan.ts';
import { given } from '../../model/given.ts';
import { jsonEqual } from '../../model/json.ts';
import { isTaskCollection, TASK_KINDS, type TaskKind } from '../../model/kind.ts';
import { isPending, markerOf, remarkOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { currentConfig } from '../../model/shape.ts';
import { passesWriteSchema } from '../../model/write-schema.ts';
import { type At, blockDraft, type Draft, draftOf, remarkSymbol, StepChain } from '../draft.ts';
import { type Matching, matchTasks } from '../identity/match-tasks.ts';
import { type NeverNamed, unlessNeverNamed } from '../identity/never-named.ts';
import { observe } from '../identity/observations.ts';
import { type Orphan, type OwnedTask, ownedBy, ownedTasks, type TaskMatch } from '../identity/task-match.ts';
import type { PlanInput } from '../input.ts';
import type { SteadyTask } from '../stakes/stakes.ts';
import { changeInPlace, tradingOf } from './change-in-place.ts';
import { field } from './compare-task.ts';
import { type Copies, copiesOf } from './copies.ts';
import { createTask, finishPair, replaceTask } from './replacement.ts';
import type { TaskContext } from './task-context.ts';
import { deleteRunning } from './warnings.ts';

export interface TaskPlan {
  readonly drafts: readonly Draft[];
  readonly observations: readonly Observation[];
  /** Running tasks of this project in no change. */
  readonly steady: readonly SteadyTask[];
  readonly unchanged: number;
  readonly diagnostics: readonly PlanDiagnostic[];
  readonly orphans: readonly LiveTask[];
  /** Tasks with the project's former name in the marker, and in no manifest. */
  readonly left: readonly LiveTask[];
}

export function planTasks(input: PlanInput, context: TaskContext): TaskPlan {
  const idle = idleReleases(input.desired, ownedTasks(input.desired, input.live));
  const kinds = TASK_KINDS.filter(({ collection }) => input.live.visible.has(collection));
  const plans = kinds.map((kind) => planKind(kind, input, context, idle));
  return {
    drafts: plans.flatMap(({ drafts }) => drafts),
    observations: plans.flatMap(({ observations }) => observations),
    steady: plans.flatMap(({ steady }) => steady),
    unchanged: plans.reduce((sum, { unchanged }) => sum + unchanged, 0),
    diagnostics: plans.flatMap(({ diagnostics }) => diagnostics),
    orphans: plans.flatMap(({ orphans }) => orphans),
    left: plans.flatMap(({ left }) => left),
  };
}

function planKind(
  kind: TaskKind,
  { desired, live, options, neverNamed, furtherSecrets }: PlanInput,
  context: TaskContext,
  idle: ReturnType<typeof idleReleases>,
): TaskPlan {
  const wanted = desired.tasks.filter(({ collection }) => collection === kind.collection);
  const matched = matchTasks(kind, desired, wanted, live.tasks, options.takeOver);
  const { releases, matching } = planReleases(kind, matched, desired.removals);
  const drafts: Draft[] = [...releases];
  const steady: SteadyTask[] = [];
  const diagnostics: PlanDiagnostic[] = [];
  const about = { labels: context.labels, secrets: furtherSecrets };
  const copies = copiesOf(kind, matching.bystanders, wanted, about);
  let unchanged = 0;
  for (const task of wanted) {
    const match = matching.matches.get(task) ?? { type: 'create' };
    if (match.type === 'owned' && match.staleId) diagnostics.push(staleId(task));
    const renames = match.type === 'create' ? renameWarnings(kind, task, matching.orphans, neverNamed) : [];
    const draft = planTask(task, withCopies(match, copies), context);
    if (draft !== undefined) drafts.push({ ...draft, warnings: [...draft.warnings, ...renames] });
    else {
      unchanged += 1;
      if (match.type === 'owned') steady.push({ task: match.owned.task, address: task.address });
    }
  }
  const kept: Orphan[] = [];
  for (const orphan of matching.orphans) {
    const draft = planOrphan(kind, orphan, desired.pruneTasks);
    if (draft !== undefined)
      drafts.push(unlessNeverNamed(unlessMeant(draft, idle), neverNamed, desired.environment));
    else kept.push(orphan);
  }
  // Owned by their markers and at stake, although in no change.
  const contested = matching.bystanders.filter((bystander) => bystander.class === 'conflict');
  const others = [...tasksIn(kept), ...contested.map(({ task }) => task)].map((task) => ({ task }));
  return {
    drafts,
    observations: observe(kind, matching.bystanders, kept, copies),
    steady: [...steady, ...others].filter(({ task }) => task.is_active),
    unchanged,
    diagnostics,
    orphans: tasksIn(matching.orphans),
    left: tasksIn(matching.left),
  };
}

function tasksIn(orphans: readonly Orphan[]): readonly LiveTask[] {
  return orphans.flatMap(ownedBy).map(({ task }) => task);
}

function planTask(desired: DesiredTask, match: TaskMatch, context: TaskContext): Draft | undefined {
  const draft = planMatch(desired, match, context);
  const needsLabel = desired.label !== null && context.labels.ref(desired.label) === undefined;
  if (!needsLabel || draft === undefined || draft.change.blocked !== null) return draft;
  return blockDraft(
    draft,
    'no-room',
    `Its label ${desired.label} is not available; see label/${desired.label}.`,
    [],
  );
}

/** The reason of a conflict with what tells the tasks apart. */
function withCopies(match: TaskMatch, copies: Copies): TaskMatch {
  if (match.type !== 'blocked') return match;
  const said = match.ids.flatMap((id) => (copies.has(id) ? [`\n${id}: ${copies.get(id)?.text}`] : []));
  return { ...match, text: [match.text, ...said].join('') };
}

function planMatch(desired: DesiredTask, match: TaskMatch, context: TaskContext): Draft | undefined {
  switch (match.type) {
    case 'create':
      return createTask(desired, context);
    case 'owned':
      return match.owned.task.target_wallet === desired.target_wallet
        ? changeInPlace(desired, match.owned, context)
        : replaceTask(desired, match.owned, context);
    case 'adopt':
      return changeInPlace(desired, { ...match, marker: undefined }, context, match.reason);
    case 'take-over': {
      const { task, marker: from } = match;
      const draft = changeInPlace(desired, { task, marker: undefined, from }, context, 'taken-over');
      if (draft === undefined || !draft.change.held || !isPending(task)) return draft;
      return { ...draft, warnings: [...draft.warnings, interruptedStart(desired.address, from.project)] };
    }
    case 'pair':
      return finishPair(desired, match.pair, context);
    case 'blocked':
      return blockDraft(createTask(desired, context), match.reason, match.text, match.ids);
  }
}

function interruptedStart(address: string, project: string): PlanDiagnostic {
  const message = `${address} is held: an apply of project ${project} was interrupted before it started the task, and taking over starts nothing.`;
  return warning('interrupted-start', message, `To start it: --resume-stopped ${address}.`, { address });
}

function staleId({ address, origin }: DesiredTask): PlanDiagnostic {
  const message = `metadata.id of ${address} names no task of its kind; the task with its marker is used.`;
  return warning('id-stale', message, 'Remove metadata.id.', { address, location: origin('metadata.id') });
}

/** With more removals than this, it is not a rename; comparing all pairs would take long. Tasks that keep trading are always compared. */
const MOST_ORPHANS = 50;

/**
 * Warns if a created task looks like a renamed one: that would stop one task and start another. It is an error if the former task
 * keeps trading beside the new one, because nobody approves that it is deleted: both would buy.
 */
function renameWarnings(
  kind: TaskKind,
  desired: DesiredTask,
  orphans: readonly Orphan[],
  never: NeverNamed | undefined,
): readonly Diagnostic[] {
  const { address, previousName } = desired;
  const warnings: Diagnostic[] = [];
  if (previousName !== undefined) {
    const message = `previous_name of ${address} is ${previousName}, but no owned task has that name: ${address} is created.`;
    const about = { address, location: desired.origin('metadata.previous_name') };
    warnings.push(warning('previous-name-unknown', message, undefined, about));
  }
  const twins = orphans.flatMap((orphan, index) => {
    const former = `${kind.collection}/${orphan.name}`;
    if (orphan.type !== 'single') return [];
    const isLeft = never?.unattended === true && never.addresses.has(former);
    if ((index >= MOST_ORPHANS && !isLeft) || !isTwin(kind, desired, orphan.owned.task)) return [];
    const both = isLeft && orphan.owned.task.is_active && desired.state === 'active';
    return [{ name: orphan.name, former, both }];
  });
  const twin = twins.find(({ both }) => both) ?? twins[0];
  if (twin !== undefined) {
    const { name, former, both } = twin;
    const message = `${address} is created; ${former}, whose manifest was removed, has the same target and config.${both ? ' It keeps trading, because nobody approves this plan: both would buy.' : ''}`;
    const hint = `If this is a rename, set metadata.previous_name: ${name}.${both ? ' If not, approve the plan, which deletes the former task.' : ''}`;
    warnings.push(diagnostic(both ? 'error' : 'warning', 'looks-like-rename', message, hint, { address }));
  }
  return warnings;
}

function isTwin(
  kind: TaskKind,
  desired: DesiredTask,
  task: Pick<DesiredTask, 'target_wallet' | 'config'>,
): boolean {
  return (
    task.target_wallet === desired.target_wallet &&
    jsonEqual(currentConfig(kind.config, task.config), currentConfig(kind.config, desired.config))
  );
}

/**
 * The change of an owned task without a manifest, according to `prune.tasks`. Undefined if the task is left as it is.
 */
function planOrphan(kind: TaskKind, orphan: Orphan, prune: DesiredState['pruneTasks']): Draft | undefined {
  const owned = ownedBy(orphan);
  const { collection } = kind;
  const place: At = { address: `${collection}/${orphan.name}`, collection, name: orphan.name };
  if (orphan.type === 'conflict') {
    const ids = owned.map(({ task }) => task.id).sort();
    const text = `${ids.length} tasks carry the marker of ${orphan.name}, and no manifest names it: ${ids.join(', ')}. All of them are left alone; release or delete the ones that are not wanted.`;
    return undecided(place, text, ids);
  }
  if (prune === 'never') return undefined;
  return prune === 'delete' ? remove(kind, place, owned) : pause(kind, place, owned);
}

function remove(kind: TaskKind, place: At, owned: readonly OwnedTask[]): Draft {
  const chain = new StepChain(place.address);
  for (const { task } of owned) {
    if (task.is_active) chain.pause(task, 0);
    chain.delete(task);
  }
  const running = owned.some(({ task }) => task.is_active);
  return {
    ...draft(kind, place, chain, owned, running ? ['delete', 'stop'] : ['delete']),
    warnings: running ? [deleteRunning(place.address, 'deleted')] : [],
    freesTargets: owned.map(({ task }) => task.target_wallet),
  };
}

function pause(kind: TaskKind, place: At, owned: readonly OwnedTask[]): Draft | undefined {
  const chain = new StepChain(place.address);
  for (const { task, marker } of owned) {
    if (!task.is_active) continue;
    chain.pause(task, 0);
    // The service may refuse any patch of a legacy snapshot, and there is no config to renew it with.
    if (!passesWriteSchema(kind.config, task.config)) continue;
    // No mark: git does not want it running, so naming it again is a new request.
    const replaces = owned.find((other) => other.task.id !== task.id && marker.replaces !== undefined)?.task
      .id;
    chain.patch(task, { remark: remarkSymbol(remarkOf(task).note, 'none', marker, replaces ?? null) });
  }
  return chain.steps.length === 0 ? undefined : draft(kind, place, chain, owned, ['stop']);
}

function draft(
  kind: TaskKind,
  place: At,
  { steps }: StepChain,
  owned: readonly OwnedTask[],
  actions: Change['actions'],
): Draft {
  const tasks = owned.map(({ task }) => task);
  const [successor, former = successor] = tasks;
  const trading = tradingOf(kind, tasks, undefined);
  const state = { path: 'state', before: 'active', sensitive: false };
  const stops = trading.stops_trading
    ? [actions[0] === 'delete' ? state : { ...state, after: 'paused' }]
    : [];
  return draftOf(
    place,
    former,
    {
      ...{ actions, reason: 'not-in-manifests', ...trading, fields: stops },
      ...given({ successor: former === successor ? undefined : successor && { ...successor } }),
    },
    { steps },
  );
}

/** A blocked change at an address whose tasks are elsewhere in the plan. */
function undecided(place: At, text: string, ids: readonly string[]): Draft {
  const nothing = draftOf(place, undefined, { actions: ['none'], reason: 'conflict' });
  return blockDraft(nothing, 'conflict', text, ids);
}

/** The releases of one kind of tasks, and the matching without the released tasks. */
function planReleases(
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
      releases.push(undecided(removal, text, [id]));
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
      const ids = [predecessor.task.id, successor.task.id];
      const text = `An apply was interrupted while it replaced ${ids.join(' by ')}: after a release now, perhaps neither task would run. Restore the manifest and let an apply finish, or choose with tradeform release --id ${ids[0]} --id ${ids[1]}.`;
      const { change } = release(kind, predecessor, removal);
      const { exposure } = tradingOf(kind, [predecessor.task, successor.task], undefined);
      const both = { ...change, exposure, successor: { ...successor.task } };
      return blockDraft({ change: both }, 'replacement-in-progress', text, ids);
    }
    case 'conflict': {
      const ids = orphan.owned.map(({ task }) => task.id).sort();
      const text = `${ids.length} tasks carry its marker: ${ids.join(', ')}. Choose the ones to release with tradeform release --id ID.`;
      return undecided(removal, text, ids);
    }
  }
}

function release(kind: TaskKind, { task, marker }: OwnedTask, removal: DesiredRemoval): Draft {
  const { address } = removal;
  const chain = new StepChain(address);
  // The service trims; a remark without a note is empty, which is its default (interface, "Task resources").
  chain.patch(task, { remark: remarkOf(task).note.trim() });
  return draftOf(
    removal,
    task,
    {
      actions: ['release'],
      reason: 'released',
      ...tradingOf(kind, [task], task.is_active ? task.config : undefined),
      fields: [field(removal, 'marker', `${marker.project}/${marker.name}`, undefined)],
    },
    { steps: chain.steps, warnings: warningsOf(kind, task, address) },
  );
}

function warningsOf(kind: TaskKind, task: LiveTask, address: string): readonly PlanDiagnostic[] {
  const pending = isPending(task);
  const after = task.is_active
    ? 'keeps running unchanged, and is no longer managed from git'
    : `stays paused and unchanged${pending ? ' (an apply was interrupted before it started the task)' : ''}, and is no longer managed from git`;
  const severity = task.is_active || pending ? 'warning' : 'info';
  const released = `${address} is released: it ${after}.`;
  const said = diagnostic(severity, 'task-released', released, undefined, { address });
  if (passesWriteSchema(kind.config, task.config)) return [said];
  const message = `${address} has a legacy config: the service may refuse to write its remark, and then the marker stays.`;
  const hint = 'If it does, remove the marker in the web application.';
  return [said, warning('release-legacy', message, hint, { address })];
}

/** Tasks in Removals with `release: true` that do not exist on the service. */
function idleReleases({ removals }: DesiredState, owned: readonly LiveTask[]): readonly DesiredRemoval[] {
  const present = new Set(owned.map((task) => `${task.collection}/${markerOf(task)?.name ?? ''}`));
  return removals.filter(({ collection, address }) => isTaskCollection(collection) && !present.has(address));
}

/** Blocks a deletion or a stop if a Removal that releases nothing may have meant that task. */
function unlessMeant(draft: Draft, idle: readonly DesiredRemoval[]): Draft {
  const { address, name } = draft.change;
  const slip = idle.find((removal) => nearest(removal.name, [name]) !== undefined);
  if (slip === undefined) return draft;
  const text = `Its manifest was removed, and a Removal releases ${slip.address}, which does not exist on the service: if ${address} was meant, correct the Removal; if not, remove ${slip.address} from the Removal, which is done already.`;
  return blockDraft(draft, 'uncertain', text, idsBefore(draft.change));
}
