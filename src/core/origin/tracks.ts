import type { DesiredLabel, DesiredState, DesiredTask, DesiredTemplate } from '../desired/state.ts';
import { versionDigest } from '../desired/version.ts';
import { overlaps } from '../model/field-path.ts';
import type { DriftCommit } from '../model/generated/drift.ts';
import type { Field } from '../model/generated/plan.ts';
import { canonicalJson, type Json } from '../model/json.ts';
import { kindOf } from '../model/kind.ts';
import type { LiveNamed, LiveState, LiveTask } from '../model/resource.ts';
import type { OwnedTask } from '../plan/identity/task-match.ts';
import { labelBook, planNamed } from '../plan/named/labels-and-templates.ts';
import type { SwitchPlan } from '../plan/switch/decide-switch.ts';
import { stateField } from '../plan/task/change-in-place.ts';
import { compareTask, field, identityFields, type LabelBook, wantedOf } from '../plan/task/compare-task.ts';
import { type MarkedTask, PLAIN, switchOf, type TaskContext } from '../plan/task/task-context.ts';

/** A commit of the first-parent line of HEAD with its number; without one it was merged from beside the line. */
export interface Step {
  readonly commit: DriftCommit;
  readonly number: number | undefined;
}

/** The desired state of a commit: undefined if it has no project, or another one; `broken` if nothing of it can be read here. */
export type Past = PastState | 'broken' | undefined;

export interface Track {
  /** False if an earlier commit can add nothing. */
  readonly open: boolean;
  look(past: Past, here: Step): void;
  /** True if nobody knows whether git took the live values from the environment. `unread`: a part of the history was not read. */
  mayHide(unread: boolean): boolean;
}

/**
 * The commits with which git moved on from the live value of a field, newest first: the first one has git's value. A value that is
 * not committed has none.
 */
export type MovedOn = readonly Step[];

/** Follows the values of some fields from git's values back through the line of commits. */
class Trails {
  readonly #last = new Map<string, string>();
  readonly #moved = new Map<string, Step[]>();
  /** The last commit that was followed; undefined for the manifests of now. */
  #newer: Step | undefined;

  constructor(paths: readonly string[], git: Comparison) {
    for (const path of paths) this.#last.set(path, keyOf(git, path));
  }

  follow(compared: Comparison | undefined, here: Step): void {
    const newer = this.#newer;
    this.#newer = here;
    for (const [path, last] of this.#last) {
      const key = compared === undefined ? 'none' : keyOf(compared, path);
      if (key === last) continue;
      this.#last.set(path, key);
      if (newer !== undefined) this.#moved.set(path, [...this.of(path), newer]);
    }
  }

  end(path: string): void {
    this.#last.delete(path);
  }

  of(path: string): MovedOn {
    return this.#moved.get(path) ?? [];
  }
}

/** A field in a list belongs to the whole list, which is kept or written completely. */
export function unitOf(path: string): string {
  return path.replace(/\[.*$/, '');
}

/** What a state wants at a path, told by how it differs from the live resource: equal for two states that want the same. */
function keyOf({ fields }: Comparison, unit: string): string {
  return canonicalJson(
    fields
      .filter(({ path }) => overlaps([unit], path))
      .map(({ path, after }) => [path, after ?? { absent: true }]) as Json,
  );
}

/** True if two states that are compared with one live resource want the same for a field. */
export function wantSame(one: Comparison, other: Comparison, unit: string): boolean {
  return keyOf(one, unit) === keyOf(other, unit);
}

/** True if a state has another value for a field than the live one. */
export function isOtherwise({ fields }: Comparison, path: string): boolean {
  const paths = fields.map((field) => field.path);
  return overlaps(paths, path);
}

/**
 * Where the version of a marker stands: `current`: git describes the task so now; `earlier`: an earlier commit did; `newer`: it was
 * written from a newer commit, or in another history; `unknown`: no commit of this history has it; `none`: the marker has no version.
 */
export type VersionPlace = 'current' | 'earlier' | 'newer' | 'unknown' | 'none';

/** What git wanted when the task was written last. */
interface Base {
  readonly task: DesiredTask;
  readonly compared: Comparison;
  /** Undefined for the manifests of now. */
  readonly step: Step | undefined;
}

/** Finds what the version in the marker of an owned task names (DESIGN 3, "The version"). */
export class VersionTrack implements Track {
  /** How git's manifests of now compare; undefined if they do not name the task. */
  readonly git: Comparison | undefined;
  readonly #names: string[];
  readonly #ignored: readonly string[];
  readonly #trails: Trails;
  place: VersionPlace;
  base: Base | undefined;
  /** True if a commit up to the number of the version has another text: a rollback wrote the older one under that number. */
  rolledBack = false;
  #passed = false;

  constructor(
    readonly subject: OwnedTask,
    head: PastState,
    desired: DesiredTask | undefined,
    asked: readonly string[],
    number: number | undefined,
  ) {
    const { marker } = subject;
    const { version } = marker;
    this.#ignored = desired?.ignoreChanges ?? [];
    this.#names = [
      ...new Set([marker.name, desired?.name, desired?.previousName].filter((name) => name !== undefined)),
    ];
    this.git = desired === undefined ? undefined : head.compareTask(subject, desired, this.#ignored);
    this.#trails = new Trails(asked, this.git ?? { fields: [], secrets: [] });
    this.place = 'unknown';
    if (version === undefined) this.place = 'none';
    else if (number !== undefined && version.number > number) this.place = 'newer';
    else if (desired !== undefined && this.git !== undefined && versionDigest(desired) === version.digest) {
      this.place = 'current';
      this.base = { task: desired, compared: this.git, step: undefined };
    }
  }

  get task(): LiveTask {
    return this.subject.task;
  }

  get open(): boolean {
    return this.place === 'unknown';
  }

  moved(path: string): MovedOn {
    return this.#trails.of(path);
  }

  /** What was applied without a commit has no number, and is in no history. */
  mayHide(unread: boolean): boolean {
    const isCommit = unread || (this.subject.marker.version?.number ?? 0) > 0;
    return this.place === 'newer' || (this.place === 'unknown' && isCommit);
  }

  look(past: Past, here: Step): void {
    if (!this.open || past === 'broken') return;
    const { task: live, marker } = this.subject;
    const task = past?.taskNamed(live.collection, this.#names);
    if (task === undefined && past?.whole === false) return;
    const compared = task && past?.compareTask(this.subject, task, this.#ignored);
    if (here.number !== undefined) this.#trails.follow(compared, here);
    const { version } = marker;
    if (task === undefined || compared === undefined || versionDigest(task) !== version?.digest) {
      this.#passed ||= here.number !== undefined && version !== undefined && here.number <= version.number;
      return;
    }
    this.place = 'earlier';
    this.rolledBack = this.#passed;
    this.base = { task, compared, step: here };
  }

  /** True if somebody changed a field since, whatever git wants now. The switch of a paused task is told by its mark. */
  get edited(): boolean {
    const { task } = this.subject;
    const fields = this.base?.compared.fields ?? [];
    return fields.some(
      ({ path }) => path !== 'name' && path !== 'project' && (path !== 'state' || task.is_active),
    );
  }
}

/**
 * Finds, for each field of a template or a label, the newest commit that has the live value. They carry no version: a value that git
 * once had counts as git's.
 */
export class ValueTrack implements Track {
  readonly #open: Set<string>;
  readonly #found = new Set<string>();
  readonly #secrets = new Set<string>();
  readonly #trails: Trails;
  /** The newest commit that has the live value of the last field. */
  step: Step | undefined;

  constructor(
    paths: readonly string[],
    git: PastState,
    private readonly compare: (past: PastState) => Comparison | undefined,
  ) {
    this.#open = new Set(paths);
    this.#trails = new Trails(paths, compare(git) ?? { fields: [], secrets: [] });
  }

  get open(): boolean {
    return this.#open.size > 0;
  }

  isGits(path: string): boolean {
    return this.#found.has(path);
  }

  secrets(): readonly string[] {
    return [...this.#secrets];
  }

  mayHide(unread: boolean): boolean {
    return unread && this.open;
  }

  moved(path: string): MovedOn {
    return this.#trails.of(path);
  }

  look(past: Past, here: Step): void {
    if (typeof past !== 'object' || here.number === undefined) return;
    const compared = this.compare(past);
    this.#trails.follow(compared, here);
    if (compared === undefined) return;
    for (const path of compared.secrets) this.#secrets.add(path);
    for (const path of this.#open) {
      if (isOtherwise(compared, path)) continue;
      this.#open.delete(path);
      this.#trails.end(path);
      this.#found.add(path);
      this.step = here;
    }
  }
}

/** Finds the commit that began to name something that every later commit of the line names. */
export class AdditionTrack implements Track {
  #added: DriftCommit | undefined;
  #open = true;

  constructor(readonly names: (past: PastState) => boolean) {}

  get open(): boolean {
    return this.#open;
  }

  /** Undefined as long as an earlier commit may name it, too. */
  get added(): DriftCommit | undefined {
    return this.#open ? undefined : this.#added;
  }

  mayHide(): boolean {
    return false;
  }

  look(past: Past, here: Step): void {
    if (here.number === undefined || past === 'broken') return;
    if (past !== undefined && this.names(past)) this.#added = here.commit;
    else if (past?.whole !== false) this.#open = false;
  }

  /** The first commit of the history was reached. */
  end(): void {
    this.#open = false;
  }
}

/** Paths of fields as they are asked about: once for each list. */
export function unitsOf(fields: readonly Pick<Field, 'path'>[]): readonly string[] {
  return [...new Set(fields.map(({ path }) => unitOf(path)))];
}

/** The differences between a live resource and a commit; values: live, then in the commit. */
interface Comparison {
  readonly fields: readonly Field[];
  /** Paths that come from the environment in that commit. */
  readonly secrets: readonly string[];
}

/** The desired state of an earlier commit, compared with the same live view by the planner's own comparison. */
export class PastState {
  /** False if more belongs to it than could be read here: what it lacks may be there. */
  readonly whole: boolean;
  readonly #context: TaskContext;
  readonly #tasks: ReadonlyMap<string, DesiredTask>;
  readonly #addresses: ReadonlySet<string>;

  /** `head`: the labels in git now; a label that was renamed on the service since is still the same one. */
  constructor(
    readonly desired: DesiredState,
    live: LiveState,
    head: LabelBook,
    whole = true,
  ) {
    this.whole = whole;
    this.#tasks = new Map(desired.tasks.map((task) => [task.address, task]));
    this.#addresses = new Set(
      [...desired.tasks, ...desired.templates, ...desired.labels].map(({ address }) => address),
    );
    const own = labelBook(desired.labels, planNamed(desired.labels, live.labels), live);
    this.#context = {
      project: desired.project,
      labels: { ...own, ref: (name) => liveRef(own, name) ?? head.ref(name) ?? own.ref(name) },
      settle: desired.settle,
      versions: PLAIN,
      resume: () => 'no',
    };
  }

  get labels(): LabelBook {
    return this.#context.labels;
  }

  names(address: string): boolean {
    return this.#addresses.has(address);
  }

  taskAt(address: string): DesiredTask | undefined {
    return this.#tasks.get(address);
  }

  /** The task of one of these names, newest first; an earlier name that it mentions is added to them. */
  taskNamed(collection: string, names: string[]): DesiredTask | undefined {
    const [found] = names.flatMap((name) => this.#tasks.get(`${collection}/${name}`) ?? []);
    const former = found?.previousName;
    if (former !== undefined && !names.includes(former)) names.push(former);
    return found;
  }

  /** Compares an owned live task with a task of this state. `ignored`: the paths that git ignores now. */
  compareTask(subject: MarkedTask, found: DesiredTask, ignored: readonly string[]): Comparison {
    const past = { ...found, ignoreChanges: [...new Set([...found.ignoreChanges, ...ignored])] };
    const { labels } = this.#context;
    const kind = kindOf(past.collection);
    const { task, marker } = subject;
    const { fields } = compareTask(kind, past, wantedOf(past, task, labels), task, labels);
    const plan = this.switchOf(past, subject);
    const moved = plan.type === 'start' || plan.type === 'stop';
    return {
      fields: [
        ...(task.target_wallet === past.target_wallet
          ? []
          : [field(past, 'target_wallet', task.target_wallet, past.target_wallet)]),
        ...(moved ? [stateField(past, task.is_active)] : []),
        ...identityFields(past, marker, this.#context.project),
        ...fields,
      ],
      secrets: past.secrets ?? [],
    };
  }

  /** Compares a template or label, found by its name on the service or by its id. */
  compareNamed(live: LiveNamed): Comparison | undefined {
    const { templates, labels } = this.desired;
    const all: readonly (DesiredTemplate | DesiredLabel)[] = [...templates, ...labels];
    const found = all.find(
      ({ collection, shownName, id }) =>
        collection === live.collection && (shownName === live.name.trim() || id === live.id),
    );
    if (found === undefined) return undefined;
    const fields = planNamed([found], [live]).drafts.flatMap(({ change }) => change.fields);
    return { fields, secrets: found.secrets ?? [] };
  }

  /** The switch that the manifests alone want, without options and stopped_tasks. */
  switchOf(task: DesiredTask, subject: MarkedTask): SwitchPlan {
    return switchOf(task, subject, this.#context);
  }
}

export function namesOf({ name, previousName }: DesiredTask): string[] {
  return previousName === undefined ? [name] : [name, previousName];
}

/** A commit in a sentence: `commit 1f2e3d4 of 2026-11-10 (Three snipers)`. */
export function commitWords({ hash, date, subject }: DriftCommit): string {
  const title = subject === '' ? '' : ` (${subject})`;
  return `commit ${hash.slice(0, 7)} of ${date.slice(0, 10)}${title}`;
}

/** True if the project has this name, or had it before. */
export function isOneProject({ project }: DesiredState, now: DesiredState): boolean {
  return project === now.project || project === now.previousProject;
}

/** A label that exists; a label that would be created says nothing about the current state of a task. */
function liveRef(labels: LabelBook, name: string) {
  const known = labels.ref(name);
  return known !== undefined && 'id' in known ? known : undefined;
}
