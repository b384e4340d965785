import { ranBefore } from '../../model/change.ts';
import type { Change, Operation } from '../../model/generated/plan.ts';
import { isObject, type Json, type JsonObject, valueAt } from '../../model/json.ts';
import { isTaskCollection, kindOf, type TaskCollection } from '../../model/kind.ts';
import { isBuyOnce, type LiveState, type LiveTask } from '../../model/resource.ts';
import type { LabelBook } from '../task/compare-task.ts';
import { exposureOf, isReadable, isSecretStake } from './exposure.ts';

/** The exposure of one task of this project before and after the plan, and its labels. */
export interface Stake {
  /** Undefined for a task that no manifest describes. */
  readonly address: string | undefined;
  readonly kind: TaskCollection;
  /** SOL; 0 if it does not run. */
  readonly before: string;
  readonly after: string;
  readonly runningBefore: boolean;
  readonly runningAfter: boolean;
  /** Label name on the service; null without a label. */
  readonly labelBefore: string | null;
  readonly labelAfter: string | null;
  /** False if an amount of a running config cannot be read, and counts as 0. */
  readonly readable: boolean;
  /** True if amounts came from the environment: `before` and `after` are only for guardrails, and never shown. */
  readonly secret: boolean;
  /** Properties of the config that runs afterwards. */
  readonly globalDexes: boolean;
  readonly sells: boolean;
  readonly buyOnce: boolean;
}

type PlannedChange = Omit<Change, 'operations'>;

interface StakesInput {
  readonly live: LiveState;
  readonly labels: LabelBook;
  /** Changes of the plan, and those that --target and --exclude left out. */
  readonly changes: readonly PlannedChange[];
  readonly unselected: readonly PlannedChange[];
  readonly operations: readonly Operation[];
  /** Running tasks of this project in no change. */
  readonly steady: readonly SteadyTask[];
  /** Paths of values from the environment, by address. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
}

export interface SteadyTask {
  readonly task: LiveTask;
  readonly address?: string;
}

/** Every task of this project that runs before or after; a replacement counts as one task by its address. */
export function stakesOf(input: StakesInput): readonly Stake[] {
  const { live, steady, changes, unselected, operations } = input;
  const byId = new Map(live.tasks.map((task) => [task.id, task]));
  const afterOf = afterwards(operations, live);
  /** `done` is false for a change that is not carried out: its task stays unchanged. */
  const changed = (change: PlannedChange, done: boolean): readonly Stake[] => {
    const { kind, address, exposure } = change;
    if (!isTaskCollection(kind)) return [];
    const present = presentOf(change, byId);
    const label = present?.risk_label_id ?? null;
    const before = { running: ranBefore(change), sol: exposure.before, config: present?.config, label };
    if (!done) return stakeOf(kind, address, before, before, input);
    const running = runsForUs(change, before.running);
    const after = { running, sol: running ? exposure.after : '0', ...afterOf(change) };
    return stakeOf(kind, address, before, after, input);
  };
  return [
    ...changes.flatMap((change) => changed(change, change.blocked === null)),
    ...unselected.flatMap((change) => changed(change, false)),
    ...steady.flatMap((item) => steadyStake(item, input)),
  ];
}

/** A task at one of the two times. */
interface TaskAt extends After {
  readonly running: boolean;
  readonly sol: string;
}

function steadyStake({ task, address }: SteadyTask, input: StakesInput): readonly Stake[] {
  const { collection, config, risk_label_id: label } = task;
  const side = { running: true, sol: exposureOf(kindOf(collection).config, config), config, label };
  return stakeOf(collection, address, side, side, input, task.id);
}

function stakeOf(
  collection: TaskCollection,
  address: string | undefined,
  before: TaskAt,
  after: TaskAt,
  { labels, secrets }: StakesInput,
  id = '',
): readonly Stake[] {
  if (!before.running && !after.running) return [];
  const { config: definition } = kindOf(collection);
  const configs = [before, after].flatMap(({ running, config }) => (running && config ? [config] : []));
  const paths = secrets.get(address ?? '') ?? secrets.get(id) ?? [];
  return [
    {
      address,
      kind: collection,
      before: before.sol,
      after: after.sol,
      runningBefore: before.running,
      runningAfter: after.running,
      labelBefore: labelName(before.label, labels),
      labelAfter: labelName(after.label, labels),
      readable: [...new Set(configs)].every((config) => isReadable(definition, config)),
      secret: configs.some((config) => isSecretStake(definition, config, paths)),
      ...traitsOf(after.running ? (after.config ?? {}) : {}),
    },
  ];
}

/** A released task keeps running, but no longer belongs to the project. */
function runsForUs(change: PlannedChange, runningBefore: boolean): boolean {
  if (change.action === 'release') return false;
  return runningBefore ? !change.stops_trading : change.starts_trading;
}

/** An id, or a reference to a label that the plan creates. */
function labelName(label: Json, labels: LabelBook): string | null {
  if (typeof label === 'string') return labels.liveName(label);
  return isObject(label) ? labels.shownName(String(label.ref).replace(/^label\//, '')) : null;
}

function traitsOf(config: JsonObject) {
  const enabled = (part: string) => valueAt(config, part, 'enabled') === true;
  return {
    globalDexes: config.dex_source === 'global',
    sells: enabled('auto_sell') || enabled('timed_strategy'),
    buyOnce: isBuyOnce(config),
  };
}

/** The live task of a change. For a pair of a replacement, the one that runs. */
function presentOf(change: PlannedChange, byId: ReadonlyMap<string, LiveTask>): LiveTask | undefined {
  const former = byId.get(String(change.former?.id ?? ''));
  const successor = byId.get(String(change.successor?.id ?? ''));
  return former?.is_active !== true && successor?.is_active === true ? successor : (former ?? successor);
}

interface After {
  /** Undefined if no resource exists, or if its create is blocked. */
  readonly config: JsonObject | undefined;
  /** `risk_label_id`: an id, a reference to a label that the plan creates, or null. */
  readonly label: Json;
}

/** From the last bodies that the operations send; fields that they do not send keep their live values. */
export function afterwards(
  operations: readonly Operation[],
  { tasks, templates }: LiveState,
): (change: Pick<Change, 'address' | 'id'>) => After {
  const sent = new Map<string, JsonObject>();
  for (const { address, body } of operations) {
    // The plan's bodies are JSON by its schema; generated types say `unknown` where any JSON may stand.
    if (body !== null) sent.set(address, { ...sent.get(address), ...(body as JsonObject) });
  }
  const live = new Map([...tasks, ...templates].map((resource) => [resource.id, resource]));
  return ({ address, id }) => {
    const { config, risk_label_id: label } = sent.get(address) ?? {};
    const present = id === null ? undefined : live.get(id);
    const liveLabel = present !== undefined && 'risk_label_id' in present ? present.risk_label_id : null;
    return {
      config: config !== undefined && isObject(config) ? config : present?.config,
      label: label === undefined ? liveLabel : label,
    };
  };
}
