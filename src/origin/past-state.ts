import type { DesiredLabel, DesiredState, DesiredTask, DesiredTemplate } from '../desired/state.ts';
import type { DriftCommit } from '../model/generated/drift.ts';
import type { Field } from '../model/generated/plan.ts';
import { kindOf } from '../model/kind.ts';
import type { LiveNamed, LiveState } from '../model/resource.ts';
import { labelBook, planNamed } from '../plan/named/labels-and-templates.ts';
import type { SwitchPlan } from '../plan/switch/decide-switch.ts';
import { stateField } from '../plan/task/change-in-place.ts';
import { compareTask, field, identityFields, type LabelBook, wantedOf } from '../plan/task/compare-task.ts';
import { type MarkedTask, PLAIN, switchOf, type TaskContext } from '../plan/task/task-context.ts';

/** The differences between a live resource and a commit; values: live, then in the commit. */
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

  /** `head`: the labels in git now; a label that was renamed on the service since is still the same one. */
  constructor(desired: DesiredState, live: LiveState, head: LabelBook) {
    this.desired = desired;
    this.#tasks = new Map(desired.tasks.map((task) => [task.address, task]));
    this.#addresses = new Set(
      [...desired.tasks, ...desired.templates, ...desired.labels].map(({ address }) => address),
    );
    const { drafts } = planNamed(desired.labels, live.labels);
    const own = labelBook(desired.labels, drafts, live);
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

/** The names of a task, newest first. */
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
