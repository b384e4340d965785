import { chooseNamed } from '../../core/command/meant.ts';
import type { DesiredLabel, DesiredState, DesiredTask, DesiredTemplate } from '../../core/desired/state.ts';
import { type Armed, isUnmarked } from '../../core/model/armed.ts';
import { byKey } from '../../core/model/by-key.ts';
import { compareTexts } from '../../core/model/compare-texts.ts';
import { compareDecimals } from '../../core/model/decimal.ts';
import { isFreeze } from '../../core/model/freeze.ts';
import { given } from '../../core/model/given.ts';
import { type Collection, kindOf, TASK_KINDS, type TaskKind } from '../../core/model/kind.ts';
import { bareNote, isPending, ownMarkerOf, type ProjectNames, remarkOf } from '../../core/model/marker.ts';
import type { LiveLabel, LiveState, LiveTask, LiveTemplate } from '../../core/model/resource.ts';
import { matchTasks } from '../../core/plan/identity/match-tasks.ts';
import { type Bystander, bothOf, type OwnedTask } from '../../core/plan/identity/task-match.ts';
import { exposureOf } from '../../core/plan/stakes/exposure.ts';
import type { ExportedTask } from './pure/manifests.ts';
import { Names, nameRoom, slug } from './pure/names.ts';

type TaskOwner = 'owned' | 'unmanaged' | 'foreign' | 'damaged';

export interface NamedLiveTask extends ExportedTask {
  readonly owner: TaskOwner;
  /** Its damaged marker names nothing of this project. */
  readonly lookalike?: boolean;
  readonly address: string;
  readonly desired?: DesiredTask;
  /** Why this project cannot have a manifest of it. */
  readonly obstacle?: string;
}

type FoundTask = Omit<NamedLiveTask, 'address' | 'name' | 'kind'> & { readonly wantedName?: string };

/**
 * Identifies the live tasks as a plan does: tasks with a manifest, tasks of this project without one, and others. Names in
 * manifests and markers are kept. Other names are made from the remarks, and never collide with names in Removals.
 */
export function subjectsOf(
  live: LiveState,
  names: ProjectNames & { readonly project: string },
  desired: Pick<DesiredState, 'tasks' | 'removals'>,
): readonly NamedLiveTask[] {
  return TASK_KINDS.flatMap((kind) => {
    const wanted = desired.tasks.filter(({ collection }) => collection === kind.collection);
    const present = live.tasks.filter(({ collection }) => collection === kind.collection);
    const removed = desired.removals.filter(({ collection }) => collection === kind.collection);
    const taken = [
      ...wanted.flatMap(({ name, previousName }) => [name, previousName ?? name]),
      ...removed.map(({ name }) => name),
    ];
    return named(kind, names.project, taken, withoutTwins(kind, foundIn(kind, names, wanted, present)));
  });
}

function foundIn(
  kind: TaskKind,
  project: ProjectNames,
  wanted: readonly DesiredTask[],
  present: readonly LiveTask[],
): readonly FoundTask[] {
  const { matches, orphans, left, bystanders } = matchTasks(kind, project, wanted, present);
  const byId = new Map(present.map((task) => [task.id, task]));
  const found: FoundTask[] = [];
  for (const [desired, match] of matches) {
    const known = { desired, wantedName: desired.name };
    if (match.type === 'owned') found.push({ ...owned(match.owned), ...known });
    if (match.type === 'adopt') found.push({ ...plain(match.task, 'unmanaged'), ...known });
    if (match.type === 'pair') {
      for (const one of bothOf(match.pair)) found.push({ ...owned(one), ...known, obstacle: REPLACING });
    }
    if (match.type === 'blocked') {
      const tasks = match.ids.flatMap((id) => byId.get(id) ?? []);
      for (const task of tasks)
        found.push({ ...anyOf(task, project), ...known, obstacle: `${desired.address}: ${match.text}` });
    }
  }
  for (const orphan of [...orphans, ...left]) {
    if (orphan.type === 'single') found.push(owned(orphan.owned));
    if (orphan.type === 'pair') found.push(...replacing(orphan.pair.successor, orphan.pair.predecessor));
    if (orphan.type === 'conflict') found.push(...clones(orphan.owned));
  }
  // One task may block several manifests.
  const all = [...found, ...bystanders.map((one) => bystander(one))].reverse();
  return [...new Map(all.map((one) => [one.task.id, one])).values()].reverse();
}

/** Of several tasks with one target, where git can have one of them: that of a manifest, or else what has most at stake. */
function withoutTwins({ uniqueTarget }: TaskKind, found: readonly FoundTask[]): readonly FoundTask[] {
  const stake = ({ task }: FoundTask) => (task.is_active ? runningStake(task) : '0');
  const rank = ({ owner, desired }: FoundTask) =>
    Number(owner === 'owned') + 2 * Number(desired !== undefined);
  const open = found.filter(({ owner, obstacle }) => uniqueTarget && owner !== 'foreign' && !obstacle);
  const groups = [...byKey(open, ({ task }) => task.target_wallet).values()].map((same) =>
    [...same].sort((a, b) => rank(b) - rank(a) || compareDecimals(stake(b), stake(a)) || byAge(a, b)),
  );
  const kept = new Map(groups.flatMap(([first, ...more]) => more.map((one) => [one, first?.task.id])));
  return found.map((one) => {
    const id = kept.get(one);
    if (id === undefined) return one;
    const runs = one.task.is_active ? `It trades ${stake(one)} SOL outside git. ` : '';
    const obstacle = `The task ${id} has the same target wallet, and git can have one of them. ${runs}Delete one in the web application; then \`tradeform export --out . ${one.task.id}\` exports this one.`;
    return { ...one, obstacle };
  });
}

/** SOL at stake of a task that runs. */
export function runningStake({ collection, config }: LiveTask): string {
  return exposureOf(kindOf(collection).config, config);
}

const REPLACING = 'Its replacement is in progress: an apply completes it.';

function owned({ task, marker }: OwnedTask): FoundTask {
  return {
    task,
    owner: 'owned',
    note: remarkOf(task).note,
    rearm: marker.rearm,
    ...stateOf(task, marker.armed),
    withId: false,
    wantedName: marker.name,
  };
}

/**
 * What git wants of an owned task, as far as the service tells. A mark means that git wants it to run. A paused task with a mark
 * was stopped by somebody: with `active` it stays held, and starts only on request.
 */
function stateOf(task: LiveTask, armed: Armed): Pick<FoundTask, 'state' | 'remarks'> {
  if (task.is_active) return { state: 'active', remarks: [] };
  if (isUnmarked(armed)) return { state: 'paused', remarks: [] };
  if (isPending(task))
    return {
      state: 'paused',
      remarks: ['An apply was interrupted before it started this task; state: active starts it.'],
    };
  return {
    state: 'active',
    remarks: ['It was stopped outside git: it is held, and only --resume-stopped or rearm starts it.'],
  };
}

function plain(task: LiveTask, owner: TaskOwner): FoundTask {
  const remark = remarkOf(task);
  const note = remark.type === 'damaged' ? bareNote(remark) : remark.note;
  const state = task.is_active ? 'active' : 'paused';
  return { task, owner, note, rearm: undefined, state, withId: true, remarks: [] };
}

function anyOf(task: LiveTask, project: ProjectNames): FoundTask {
  const marker = ownMarkerOf(task, project);
  if (marker !== undefined) return owned({ task, marker });
  const { type } = remarkOf(task);
  return plain(task, type === 'plain' ? 'unmanaged' : type === 'marked' ? 'foreign' : 'damaged');
}

function bystander({ class: reason, task }: Bystander): FoundTask {
  const remark = remarkOf(task);
  if (reason === 'conflict') {
    const name = remark.marker?.name ?? '';
    return {
      ...plain(task, 'owned'),
      wantedName: name,
      obstacle: `It carries the marker of ${name}, and so does another task (a clone?): \`tradeform release --id ID\` takes it from the one that is not ${name}.`,
    };
  }
  if (remark.type === 'marked') {
    const { project, name } = remark.marker;
    return {
      ...plain(task, 'foreign'),
      withId: false,
      wantedName: name,
      remarks: [`This task belongs to project ${project}: plans of other projects do not change it.`],
      obstacle: `It belongs to project ${project}.`,
    };
  }
  if (remark.type === 'plain') return plain(task, 'unmanaged');
  return {
    ...plain(task, 'damaged'),
    lookalike: reason === 'unmanaged',
    remarks: ['Its marker is damaged; metadata.id adopts it:', `  ${JSON.stringify(task.remark)}`],
  };
}

function replacing(successor: OwnedTask, predecessor: OwnedTask): readonly FoundTask[] {
  const runs = predecessor.task.is_active || successor.task.is_active;
  const { id } = predecessor.task;
  return [
    {
      ...owned(successor),
      state: runs ? 'active' : owned(predecessor).state,
      remarks: [`It replaces the task ${id}. An apply was interrupted: the next one completes it.`],
    },
    { ...owned(predecessor), obstacle: REPLACING },
  ];
}

/** The oldest is probably the one that was cloned. The others are not changed. */
function clones(tasks: readonly OwnedTask[]): readonly FoundTask[] {
  const [first, ...others] = [...tasks].sort(byAge);
  if (first === undefined) return [];
  const ids = others.map(({ task }) => task.id).join(', ');
  const remarks = [`Other tasks carry the same marker (clones?) and are left alone: ${ids}`];
  return [
    { ...owned(first), withId: true, remarks },
    ...others.map((one) => ({
      ...owned(one),
      obstacle: `It carries the marker of ${one.marker.name}, and so does the older task ${first.task.id} (a clone?).`,
    })),
  ];
}

function byAge({ task: a }: { readonly task: LiveTask }, { task: b }: { readonly task: LiveTask }): number {
  return Date.parse(a.created_at) - Date.parse(b.created_at) || compareTexts(a.id, b.id);
}

/** Existing names first, then new ones by age, so that a later task changes no existing name; and last what is not exported. */
function named(
  kind: TaskKind,
  project: string,
  taken: readonly string[],
  found: readonly FoundTask[],
): readonly NamedLiveTask[] {
  const own = found.flatMap(({ wantedName, owner }) => (owner === 'owned' ? (wantedName ?? []) : []));
  const names = new Names([...taken, ...own]);
  const last = ({ obstacle }: FoundTask) => Number(obstacle !== undefined);
  return [...found]
    .sort((a, b) => last(a) - last(b) || byAge(a, b))
    .map(({ wantedName, ...subject }) => {
      const kept = subject.desired !== undefined || subject.owner === 'owned';
      const name =
        wantedName === undefined
          ? newName(kind, project, subject, names)
          : kept
            ? wantedName
            : names.take(wantedName);
      return { ...subject, kind, name, address: `${kind.collection}/${name}` };
    });
}

function newName(
  kind: TaskKind,
  project: string,
  { note, rearm, task }: Omit<FoundTask, 'wantedName'>,
  names: Names,
): string {
  const room = nameRoom(note.trim(), project, rearm);
  const words = slug(note, room);
  if (words === '') return names.take(`${kind.collection}-${task.id.slice(0, 8)}`);
  // In another script, only a number of the note may be left.
  return names.take(/[a-z]/.test(words) ? words : `${kind.collection}-${words}`, room);
}

/** The part of the live state to export. By default everything except foreign and damaged tasks. */
export interface Selection {
  /** Addresses, globs and ids. */
  readonly names: readonly string[];
  readonly kinds: readonly Collection[];
  readonly owners: readonly TaskOwner[];
  readonly status: 'active' | 'paused' | undefined;
  /** Labels as written; for {@link choose}, their ids. */
  readonly labels: readonly string[];
}

interface NamedSubject {
  readonly address: string;
  readonly id: string;
  readonly collection: Collection;
}

export interface Chosen {
  readonly task: (subject: NamedLiveTask) => boolean;
  readonly named: (subject: NamedSubject) => boolean;
  /** True if it was requested by its own name. If it cannot be exported, the command fails then. */
  readonly byName: (subject: Pick<NamedSubject, 'address' | 'id'>) => boolean;
}

/** Fails (exit 3) if a name matches nothing. */
export function choose(
  selection: Selection,
  tasks: readonly NamedLiveTask[],
  named: readonly NamedSubject[],
): Chosen {
  const { names, kinds, owners, status, labels } = selection;
  const known = [...tasks.map(({ address, task }) => ({ address, id: task.id })), ...named];
  const listed = chooseNamed(names, known, 'on the service');
  const ofKind = (collection: Collection) => kinds.length === 0 || kinds.includes(collection);
  const ofTasks = owners.length > 0 || status !== undefined || labels.length > 0;
  return {
    task: (subject) => {
      const { task, owner, kind, address } = subject;
      // Tasks of others are exported only if the exact name was given, and not only a `*`.
      const isNamed = names.some((name) => name === address || name.toLowerCase() === task.id);
      const asked = isNamed || owners.includes(owner);
      const plainly = owner === 'owned' || owner === 'unmanaged';
      return (
        (plainly || asked) &&
        listed(address, task.id) &&
        ofKind(kind.collection) &&
        (owners.length === 0 || owners.includes(owner)) &&
        (status === undefined || (status === 'active') === task.is_active) &&
        (labels.length === 0 || labels.includes(task.risk_label_id ?? ''))
      );
    },
    named: (subject) => !ofTasks && listed(subject.address, subject.id) && ofKind(subject.collection),
    byName: ({ address, id }) => names.length > 0 && listed(address, id),
  };
}

/** A live label or template, its name in git, and its manifest if there is one. */
export interface NamedThing extends NamedSubject {
  readonly item: NamedItem;
  readonly name: string;
  readonly desired?: DesiredLabel | DesiredTemplate;
  /** A Removal will delete it. */
  readonly leaves: boolean;
}

/** Labels and templates are identified by their name on the service. Names of new manifests are derived from it. */
export function namedThings(
  { labels, templates }: LiveState,
  desired: Pick<DesiredState, 'labels' | 'templates' | 'removals'>,
): readonly NamedThing[] {
  const wanted = [...desired.labels, ...desired.templates];
  const taken = [...wanted, ...desired.removals];
  const namesOf = (isLabel: boolean) =>
    new Names(taken.flatMap(({ collection, name }) => ((collection === 'label') === isLabel ? [name] : [])));
  // Presets and templates share one set of names, because `extends` takes both.
  const [labelNames, baseNames] = [namesOf(true), namesOf(false)];
  const removed = new Set<string>(desired.removals.map(({ address }) => address));
  // A freeze passes, and no manifest may have its name.
  const all = [...labels.filter((label) => !isFreeze(label)), ...templates].sort(byName);
  const described = new Map(
    wanted.flatMap((want) => {
      const item = itemOf(want, all);
      return item === undefined ? [] : [[item, want] as const];
    }),
  );
  return all.map((item) => {
    const { collection, id } = item;
    const desired = described.get(item);
    const leaves = removed.has(`${collection}/${item.name.trim()}`);
    const names = collection === 'label' ? labelNames : baseNames;
    const name = desired?.name ?? (leaves ? wordsOf(item) : names.take(wordsOf(item)));
    const address = `${collection}/${name}`;
    return { item, id, collection, name, address, leaves, ...given({ desired }) };
  });
}

type NamedItem = LiveLabel | LiveTemplate;

/** The live resource that a manifest describes: by id, by name, or by its former name. */
function itemOf(want: DesiredLabel | DesiredTemplate, all: readonly NamedItem[]): NamedItem | undefined {
  const same = all.filter(({ collection }) => collection === want.collection);
  const named = (name: string | undefined) => same.find((item) => item.name.trim() === name);
  const byId = want.id === undefined ? undefined : same.find(({ id }) => id === want.id);
  return byId ?? named(want.shownName) ?? named(want.previousName);
}

function wordsOf({ name, collection, id }: NamedItem): string {
  const words = slug(name);
  const prefix = collection.replace('-template', '');
  if (words === '') return `${prefix}-${id.slice(0, 8)}`;
  return /[a-z]/.test(words) ? words : `${prefix}-${words}`;
}

function byName(a: NamedItem, b: NamedItem): number {
  return compareTexts(a.collection, b.collection) || compareTexts(a.name, b.name) || compareTexts(a.id, b.id);
}
