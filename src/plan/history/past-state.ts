import type { DesiredLabel, DesiredState, DesiredTask, DesiredTemplate } from '../../desired/state.ts';
import type { DriftCommit } from '../../model/generated/drift.ts';
import type { Field } from '../../model/generated/plan.ts';
import { kindOf } from '../../model/kind.ts';
import type { LiveNamed, LiveState } from '../../model/resource.ts';
import { identityFields } from '../identity/marker-change.ts';
import { labelBook, planNamed } from '../named/labels-and-templates.ts';
import type { SwitchPlan } from '../switch/decide-switch.ts';
import { stateField } from '../task/change-in-place.ts';
import { compareTask, field, type LabelBook, wantedOf } from '../task/compare-task.ts';
import { type MarkedTask, switchOf, type TaskContext } from '../task/task-context.ts';

/** In what a live resource is otherwise than a commit wants it; values: live, then as the commit has them. */
export interface Comparison {
  readonly fields: readonly Field[];
  /** Paths that come from the environment in that commit. */
  readonly secrets: readonly string[];
}

/** The desired state of an earlier commit, compared with the same live view by the planner's own comparison. */
export class PastState {
  readonly desired: DesiredState;
  readonly #context: TaskContext;
  readonly #tasks: ReadonlyMap<string, DesiredTask>;
  readonly #addresses: ReadonlySet<string>;
  readonly #removals: ReadonlySet<string>;

  /** `head`: the labels as git has them now; one that was renamed on the service since is still the same one. */
  constructor(desired: DesiredState, live: LiveState, head: LabelBook, now: number) {
    this.desired = desired;
    this.#tasks = new Map(desired.tasks.map((task) => [task.address, task]));
    this.#addresses = new Set(
      [...desired.tasks, ...desired.templates, ...desired.labels].map(({ address }) => address),
    );
    this.#removals = new Set(desired.removals.map(({ address }) => address));
    const { drafts } = planNamed(desired.labels, live.labels);
    const own = labelBook(desired.labels, drafts, live);
    this.#context = {
      project: desired.project,
      labels: { ...own, ref: (name) => liveRef(own, name) ?? head.ref(name) ?? own.ref(name) },
      settle: desired.settle,
      now,
      resume: () => 'no',
    };
  }

  get labels(): LabelBook {
    return this.#context.labels;
  }

  names(address: string): boolean {
    return this.#addresses.has(address);
  }

  /** A Removal names it. */
  removes(address: string): boolean {
    return this.#removals.has(address);
  }

  taskAt(address: string): DesiredTask | undefined {
    return this.#tasks.get(address);
  }

  /**
   * A live task with our marker. `names`: what it was called, newest first; going back, what a commit says of an earlier name
   * is added. `ignored` are the paths that git ignores now. Undefined where the commit has no task of these names.
   */
  compareTask(subject: MarkedTask, names: string[], ignored: readonly string[]): Comparison | undefined {
    const [found] = names.flatMap((name) => this.#tasks.get(`${subject.task.collection}/${name}`) ?? []);
    if (found === undefined) return undefined;
    const { previousName } = found;
    if (previousName !== undefined && !names.includes(previousName)) names.push(previousName);
    const past = { ...found, ignoreChanges: [...new Set([...found.ignoreChanges, ...ignored])] };
    const { labels } = this.#context;
    const kind = kindOf(past.collection);
    const { task, marker } = subject;
    const { fields } = compareTask(kind, past, wantedOf(past, subject, labels), subject, labels);
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

  /** A template or a label, which have their name on the service, or their id. */
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

  /** A manifest names it by `metadata.id`. */
  adopts(id: string): boolean {
    return this.desired.tasks.some((task) => task.id === id);
  }

  /** The switch as the manifests alone want it, whatever options and stopped_tasks say. */
  switchOf(task: DesiredTask, subject: MarkedTask): SwitchPlan {
    return switchOf(task, subject, this.#context);
  }
}

/** How sentences name a commit. */
export function commitWords({ hash, date, subject }: DriftCommit): string {
  const title = subject === '' ? '' : ` (${subject})`;
  return `commit ${hash.slice(0, 7)} of ${date.slice(0, 10)}${title}`;
}

/** The same by name, or by the name that it has had before. */
export function isOneProject({ project }: DesiredState, now: DesiredState): boolean {
  return project === now.project || project === now.previousProject;
}

/** A label that is there; one that would have to be created says nothing about what a task has now. */
function liveRef(labels: LabelBook, name: string) {
  const known = labels.ref(name);
  return known !== undefined && 'id' in known ? known : undefined;
}
