import type { DesiredRemoval, DesiredState, DesiredTask, DesiredTemplate } from '../../desired/state.ts';
import type { Location } from '../../diagnostics/diagnostic.ts';
import { isWithin, overlaps } from '../../model/field-path.ts';
import type { Change, Operation, Plan } from '../../model/generated/plan.ts';
import type { Json } from '../../model/json.ts';
import { type ConfigDefinition, kindOf } from '../../model/kind.ts';
import { armedOf, isPending, markerOf, remarkOf } from '../../model/marker.ts';
import { partsIn, SECRETABLE } from '../../model/parts.ts';
import type { LiveLabel, LiveState, LiveTask, LiveTemplate } from '../../model/resource.ts';
import { SECRET } from '../../model/secret.ts';
import { isFirstVersion } from '../../model/versions.ts';
import { ownedTasks } from '../identity/task-match.ts';
import { exposureOf, isSecretStake } from '../stakes/exposure.ts';
import { afterwards, type Stake } from '../stakes/stakes.ts';
import { keptConfig, keptParts } from '../task/compare-task.ts';

export interface JudgedState {
  /** What is judged, as messages call it. */
  readonly what: 'plan' | 'resume';
  readonly changes: readonly JudgedChange[];
  /** One entry for each task of the project that runs before or after, including secret amounts. */
  readonly stakes: readonly (Pick<Stake, 'address' | 'before' | 'after' | 'secret'> &
    Pick<JudgedChange, 'returns'>)[];
  readonly resources: readonly JudgedResource[];
  /** How many tasks of this project are on the service. */
  readonly owned: number;
  /** The addresses in their markers; some are in no manifest. */
  readonly ownedAddresses: readonly string[];
  readonly labels: readonly { readonly address: string }[];
  readonly removals: readonly Pick<DesiredRemoval, 'address' | 'origin'>[];
  readonly wallets: DesiredState['wallets'];
  /** The wallets for the names in the guardrails' lists, at the revision of these guardrails. */
  readonly book: DesiredState['wallets'];
}

export interface JudgedChange extends Pick<Change, 'address' | 'previous_address' | 'kind' | 'actions'> {
  /** True if more than its marker is written. */
  readonly written: boolean;
  /**
   * True if a paused task starts, or a running replacement takes its place. The completion of an interrupted run was
   * counted before.
   */
  readonly starts: boolean;
  /** True if it resumes as it ran until the operator's switch stopped it. */
  readonly returns?: boolean;
}

export interface JudgedResource {
  /** After the plan, with the live values that `lifecycle.ignore_changes` keeps. */
  readonly after: DesiredTask | DesiredTemplate;
  /** The live resource in the form of a manifest; in a replacement, the replaced task. */
  readonly before: DesiredTask | DesiredTemplate | undefined;
  readonly definition: ConfigDefinition;
  /**
   * True if it is created, replaces another one or starts: then every field counts as worse. False for the completion
   * of an interrupted run.
   */
  readonly starts: boolean;
  /** True if an operation is sent for it. Otherwise it does not change, and nothing counts as worse. */
  readonly written: boolean;
  /** Paths whose live values `lifecycle.ignore_changes` keeps. */
  readonly kept?: readonly string[];
}

/** A finding of a guardrail; whether it refuses the plan is decided later. */
export interface GuardrailFinding {
  /** Names guardrail, value, limit and address. */
  readonly message: string;
  readonly hint: string;
  /** The entry of a list that refuses it; else the place of the whole limit counts. */
  readonly limit?: Location;
  readonly address?: string;
  readonly location?: Location | undefined;
  /** True if the change makes it worse than it is live; otherwise it is only reported. */
  readonly worse: boolean;
  /** The field, if its value is secret: `message` and `hint` are not shown then. */
  readonly secret?: string;
}

/** The state in which tasks and templates of a plan are judged. */
interface JudgedView {
  readonly changes: ReadonlyMap<string, Change>;
  readonly after: ReturnType<typeof afterwards>;
  readonly tasks: ReadonlyMap<string, LiveTask>;
  readonly templates: ReadonlyMap<string, LiveTemplate>;
  readonly owners: ReadonlyMap<string, LiveTask>;
  readonly running: ReadonlySet<string | undefined>;
  /** By address: tasks that an interrupted run left paused and that this plan starts again. */
  readonly continued: ReadonlyMap<string, LiveTask>;
  readonly labels: Parameters<typeof liveTaskView>[2];
  readonly secrets: ReadonlyMap<string, readonly string[]>;
}

/** `secrets`: paths by address, of values that came from the environment or may still be live from there. */
export function judgedPlan(
  { changes, operations }: Pick<Plan, 'changes' | 'operations'>,
  desired: DesiredState,
  live: LiveState,
  stakes: readonly Stake[],
  secrets: ReadonlyMap<string, readonly string[]>,
): JudgedState {
  const owned = ownedTasks(desired, live);
  const more = new Set(operations.filter(isMoreThanRemark).map(({ id }) => id));
  const tasks = new Map(live.tasks.map((task) => [task.id, task]));
  const view: JudgedView = {
    changes: new Map(changes.map((change) => [change.address, change])),
    after: afterwards(operations, live),
    tasks,
    templates: new Map(live.templates.map((template) => [template.id, template])),
    owners: ownersByAddress(owned, desired.project),
    running: new Set(stakes.flatMap((stake) => (stake.runningAfter ? [stake.address] : []))),
    continued: new Map(
      changes.flatMap(({ address, actions, id, replaces_id: replaced }) => {
        const task = tasks.get(id ?? '');
        const continues = task !== undefined && actions.includes('finish') && isContinued(task);
        // As long as both halves are there, a replacement is judged as a whole: the former one ran.
        return continues ? [[address, tasks.get(replaced ?? '') ?? task]] : [];
      }),
    ),
    labels: { live: live.labels, desired: desired.labels },
    secrets,
  };
  const isKept = ({ address = '' }: Stake) => {
    const change = view.changes.get(address);
    return change?.action !== 'release' || change.blocked !== null;
  };
  return {
    what: 'plan',
    changes: changes.map(({ address, previous_address, kind, actions, starts_trading, ...change }) => {
      const replaced = actions.includes('replace') && change.id === null;
      const starts = replaced ? view.running.has(address) : starts_trading && !actions.includes('finish');
      const noted = actions.includes('release') || change.fields.some(({ path }) => path === 'remark');
      const written = change.operations.some((id) => noted || more.has(id));
      return { address, previous_address, kind, actions, starts, written };
    }),
    // A task that is released trades on: it makes no room for others.
    stakes: stakes.filter(isKept).map((stake) => {
      const task = view.continued.get(stake.address ?? '');
      return task === undefined
        ? stake
        : { ...stake, before: exposureOf(kindOf(task.collection).config, task.config) };
    }),
    resources: [
      ...desired.templates.map((item) => judgedTemplate(item, view)),
      ...desired.tasks.map((item) => judgedTask(item, view)),
    ],
    owned: owned.length,
    ownedAddresses: [...view.owners.keys()],
    labels: desired.labels,
    removals: desired.removals,
    wallets: desired.wallets,
    book: desired.wallets,
  };
}

function isMoreThanRemark({ verb, body }: Operation): boolean {
  return verb !== 'mark' && !(verb === 'patch' && Object.keys(body ?? {}).every((key) => key === 'remark'));
}

function judgedTask(item: DesiredTask, state: JudgedView): JudgedResource {
  const { tasks, owners, running, continued, labels } = state;
  const change = state.changes.get(item.address);
  const written = isWritten(change);
  const replaced = tasks.get(change?.replaces_id ?? '');
  const own = change === undefined ? owners.get(item.address) : tasks.get(change.id ?? '');
  const begins = own?.is_active === false && running.has(item.address) && !continued.has(item.address);
  const former = replaced ?? own;
  const view = own === undefined ? item : keptView(item, own, labels);
  const config = (change === undefined ? own?.config : state.after(change).config) ?? view.config;
  const stops = change?.stops_trading === true;
  return {
    after: hiding(config === view.config ? view : { ...view, config }, state.secrets),
    // Made where it is asked for: of most tasks it is not.
    get before() {
      const before = former && liveTaskView(former, item, labels);
      // A switch that does not move is not a difference: the state in the manifest of a held task is not the live one.
      return before && (stops || before.state === item.state ? before : { ...before, state: item.state });
    },
    definition: kindOf(item.collection).config,
    starts: written && (own === undefined || replaced !== undefined || begins),
    written,
    kept: own === undefined ? [] : item.ignoreChanges,
  };
}

function judgedTemplate(
  item: DesiredTemplate,
  { changes, templates, after, secrets }: JudgedView,
): JudgedResource {
  const change = changes.get(item.address);
  const own = templates.get(change?.id ?? '');
  const config = (change && after(change).config) ?? item.config;
  return {
    after: hiding({ ...item, config }, secrets),
    before: own && { ...item, config: own.config },
    definition: kindOf(item.collection).config,
    starts: isWritten(change) && own === undefined,
    written: isWritten(change),
  };
}

function isWritten(change: Change | undefined): boolean {
  return change !== undefined && change.operations.length > 0;
}

/**
 * True if the task ran, or its start was judged, before a run of tradeform was interrupted: continuing is not a start,
 * otherwise a lowered value could leave the task paused. This also applies to a task that was created (version 1) to
 * replace a running one; any other created task is judged completely.
 */
function isContinued(task: LiveTask): boolean {
  return isPending(task) && (!isFirstVersion(task) || markerOf(task)?.replaces !== undefined);
}

function hiding<Item extends JudgedResource['after']>(
  item: Item,
  secrets: ReadonlyMap<string, readonly string[]>,
): Item {
  const paths = secrets.get(item.address);
  return paths === undefined ? item : { ...item, secrets: paths };
}

/** If two tasks carry an address, the one with the project's current name counts. */
function ownersByAddress(owned: readonly LiveTask[], project: string): ReadonlyMap<string, LiveTask> {
  const before = new Map<string, LiveTask>();
  const now = new Map<string, LiveTask>();
  for (const task of owned) {
    const marker = markerOf(task);
    if (marker === undefined) continue;
    (marker.project === project ? now : before).set(`${task.collection}/${marker.name}`, task);
  }
  return new Map([...before, ...now]);
}

/** The finding about one field of a resource; `worse`: compared with the live value, if nothing starts. */
export function fieldFinding(
  { after, starts, written, kept = [] }: JudgedResource,
  path: string,
  said: Pick<GuardrailFinding, 'message' | 'hint' | 'limit'>,
  worse: boolean,
): GuardrailFinding {
  const live = kept.some((field) => path === field || path.startsWith(`${field}.`));
  return {
    ...said,
    ...(isWithin(after.secrets ?? [], path) ? { secret: path } : {}),
    ...(live ? { hint: KEPT } : {}),
    address: after.address,
    location: after.origin(live ? 'lifecycle.ignore_changes' : path),
    worse: written && (starts || worse),
  };
}

const KEPT = 'Change the live value or remove the field from lifecycle.ignore_changes, which keeps the value';

const MOST_SHOWN = 60;

/**
 * The value at a path as messages show it: single words without quotes, everything else as JSON; never a secret value.
 */
export function shownValue({ after }: JudgedResource, path: string, value: Json | undefined): string {
  const { secrets = [] } = after;
  const holdsMore = typeof value === 'object' && value !== null;
  if (secrets.length > 0 && (holdsMore || overlaps(secrets, path))) return SECRET;
  if (value === undefined) return 'absent';
  const text = typeof value === 'string' && /^[\w.%/-]+$/.test(value) ? value : JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

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
    // If the manifests cannot be read, any value may have come from the environment.
    ...(desired === undefined ? { secrets: SECRETABLE } : {}),
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
    returns: armedOf(task) === 'off',
  };
}

function stakeOf(task: LiveTask, { address, secrets = [] }: DesiredTask): JudgedState['stakes'][number] {
  const { config: definition } = kindOf(task.collection);
  const after = exposureOf(definition, task.config);
  const secret = isSecretStake(definition, task.config, secrets);
  const before = task.is_active || isContinued(task) ? after : '0';
  return { address, before, after, secret, returns: armedOf(task) === 'off' };
}

/** Live labels by id and desired labels by their shown name, so that a live label has the name that manifests use. */
interface LabelNames {
  readonly live: Pick<LiveState, 'labels'>['labels'];
  readonly desired: Pick<DesiredState, 'labels'>['labels'];
}

/** A live task in the form of a manifest; `like` is the manifest that describes it, if there is one. */
function liveTaskView(task: LiveTask, like: DesiredTask | undefined, labels: LabelNames): DesiredTask {
  const remark = remarkOf(task);
  const { collection, id, config, is_active } = task;
  const name = like?.name ?? remark.marker?.name ?? id;
  return {
    address: `${collection}/${name}`,
    name,
    origin: () => undefined,
    ignoreChanges: [],
    adopt: 'auto',
    ...like,
    collection,
    state: is_active ? 'active' : 'paused',
    note: remark.type === 'damaged' ? task.remark : remark.note.trim(),
    label: labelName(task.risk_label_id, labels),
    ...partsIn(task, collection),
    config,
  };
}

/** The manifest with the live values that `lifecycle.ignore_changes` keeps: the state after the plan. */
function keptView(desired: DesiredTask, task: LiveTask, labels: LabelNames): DesiredTask {
  const { ignoreChanges } = desired;
  if (ignoreChanges.length === 0) return desired;
  const live = liveTaskView(task, desired, labels);
  return {
    ...desired,
    ...(ignoreChanges.includes('remark') ? { note: live.note } : {}),
    ...(ignoreChanges.includes('label') ? { label: live.label } : {}),
    ...keptParts(desired, task),
    config: keptConfig(desired, task.config),
  };
}

function labelName(id: string | null, { live, desired }: LabelNames): string | null {
  if (id === null) return null;
  const shown = live.find((label) => label.id === id)?.name ?? id;
  return desired.find(({ shownName }) => shownName === shown)?.name ?? shown;
}
