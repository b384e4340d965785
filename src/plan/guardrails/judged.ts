import type { DesiredRemoval, DesiredState, DesiredTask, DesiredTemplate } from '../../desired/state.ts';
import type { Location } from '../../diagnostics/diagnostic.ts';
import type { Change, Operation, Plan } from '../../model/generated/plan.ts';
import type { Json } from '../../model/json.ts';
import { type ConfigDefinition, kindOf } from '../../model/kind.ts';
import { isPending, markerOf } from '../../model/marker.ts';
import type { LiveState, LiveTask, LiveTemplate } from '../../model/resource.ts';
import { isSecretPath, isWithinSecret, SECRET } from '../../model/secret.ts';
import { isFirstVersion } from '../../model/versions.ts';
import { ownedTasks } from '../identity/task-match.ts';
import { afterwards } from '../stakes/config-afterwards.ts';
import { exposureOf } from '../stakes/exposure.ts';
import type { Stake } from '../stakes/stakes.ts';
import { keptView, liveTaskView } from './task-views.ts';

/** The input for guardrails: the changes, and each task and template before and after. */
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
  /** Names of wallets for messages. */
  readonly wallets: DesiredState['wallets'];
  /** The wallets for the names in the guardrails' lists, at the revision of these guardrails. */
  readonly book: DesiredState['wallets'];
}

/** The change at one address. */
export interface JudgedChange extends Pick<Change, 'address' | 'previous_address' | 'kind' | 'actions'> {
  /** True if more than its remark is written. */
  readonly written: boolean;
  /**
   * True if a paused task starts, or a running replacement takes its place. The completion of an interrupted run was
   * counted before.
   */
  readonly starts: boolean;
  /** True if it resumes as it ran until the operator's switch stopped it. */
  readonly returns?: boolean;
}

/** A task or template, before and after the plan. */
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
  /** What to do, other than to override it. */
  readonly hint: string;
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
  /** The project's tasks by the addresses in their markers. */
  readonly owners: ReadonlyMap<string, LiveTask>;
  /** Addresses of tasks that run after the plan. */
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
  return {
    what: 'plan',
    changes: changes.map((change) => ({
      ...judgedChange(change, view.running.has(change.address)),
      written: change.operations.some((id) => more.has(id)),
    })),
    stakes: stakes.map((stake) => {
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
export function isContinued(task: LiveTask): boolean {
  return isPending(task) && (!isFirstVersion(task) || markerOf(task)?.replaces !== undefined);
}

function hiding<Item extends JudgedResource['after']>(
  item: Item,
  secrets: ReadonlyMap<string, readonly string[]>,
): Item {
  const paths = secrets.get(item.address);
  return paths === undefined ? item : { ...item, secrets: paths };
}

function judgedChange(
  { address, previous_address, kind, actions, starts_trading, id }: Change,
  runs: boolean,
): Omit<JudgedChange, 'written'> {
  const replaced = actions.includes('replace') && id === null;
  const starts = replaced ? runs : starts_trading && !actions.includes('finish');
  return { address, previous_address, kind, actions, starts };
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
  said: { readonly message: string; readonly hint: string },
  worse: boolean,
): GuardrailFinding {
  const live = kept.some((field) => path === field || path.startsWith(`${field}.`));
  return {
    ...said,
    ...(isWithinSecret(after.secrets ?? [], path) ? { secret: path } : {}),
    ...(live ? { hint: KEPT } : {}),
    address: after.address,
    location: after.origin(live ? 'lifecycle.ignore_changes' : path),
    worse: written && (starts || worse),
  };
}

const KEPT =
  'lifecycle.ignore_changes keeps the live value: change it on the service, or remove the field from ignore_changes.';

const MOST_SHOWN = 60;

/**
 * The value at a path as messages show it: single words without quotes, everything else as JSON; never a secret value.
 */
export function shownValue({ after }: JudgedResource, path: string, value: Json | undefined): string {
  const { secrets = [] } = after;
  const holdsMore = typeof value === 'object' && value !== null;
  if (secrets.length > 0 && (holdsMore || isSecretPath(secrets, path))) return SECRET;
  if (value === undefined) return 'absent';
  const text = typeof value === 'string' && /^[\w.%/-]+$/.test(value) ? value : JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

const MOST_NAMED = 5;

/** `sniper/a, sniper/b and 7 more`. */
export function named(addresses: readonly string[]): string {
  const first = addresses.slice(0, MOST_NAMED).join(', ');
  const more = addresses.length - MOST_NAMED;
  return more > 0 ? `${first} and ${more} more` : first;
}
