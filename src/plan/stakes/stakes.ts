import { ranBefore } from '../../model/change.ts';
import type { Change, Operation } from '../../model/generated/plan.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { TASK_KINDS, type TaskCollection, type TaskKind } from '../../model/kind.ts';
import type { LiveState, LiveTask } from '../../model/resource.ts';
import { isSecretPath } from '../../model/secret.ts';
import type { LabelBook } from '../task/compare-task.ts';
import { type After, afterwards } from './config-afterwards.ts';
import { countedPaths, exposureOf, isReadable } from './exposure.ts';

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

const KINDS: ReadonlyMap<string, TaskKind> = new Map(TASK_KINDS.map((kind) => [kind.collection, kind]));

/** Every task of this project that runs before or after; a replacement counts as one task by its address. */
export function stakesOf(input: StakesInput): readonly Stake[] {
  const { live, labels, steady, changes, unselected, operations, secrets } = input;
  const byId = new Map(live.tasks.map((task) => [task.id, task]));
  const context: Context = {
    labels,
    present: (change) => presentOf(change, byId),
    after: afterwards(operations, live),
    isSecret: (kind, address, config) => {
      const paths = secrets.get(address) ?? [];
      return paths.length > 0 && countedPaths(kind.config, config).some((path) => isSecretPath(paths, path));
    },
  };
  return [
    ...changes.flatMap((change) => changedStake(change, change.blocked === null, context)),
    ...unselected.flatMap((change) => changedStake(change, false, context)),
    ...steady.flatMap((item) => steadyStake(item, context)),
  ];
}

interface Context {
  readonly labels: LabelBook;
  readonly present: (change: PlannedChange) => LiveTask | undefined;
  readonly after: (change: PlannedChange) => After;
  readonly isSecret: (kind: TaskKind, address: string, config: JsonObject) => boolean;
}

/** `done` is false for a change that is not carried out: its task stays unchanged. */
function changedStake(
  change: PlannedChange,
  done: boolean,
  { labels, ...context }: Context,
): readonly Stake[] {
  const kind = KINDS.get(change.kind);
  const runningBefore = ranBefore(change);
  const runningAfter = done ? runsForUs(change, runningBefore) : runningBefore;
  if (kind === undefined || (!runningBefore && !runningAfter)) return [];
  const present = context.present(change);
  const presentLabel = present?.risk_label_id ?? null;
  const after = done ? context.after(change) : { config: present?.config, label: presentLabel };
  const configs = [runningBefore ? present?.config : undefined, runningAfter ? after.config : undefined];
  return [
    {
      address: change.address,
      kind: kind.collection,
      before: change.exposure.before,
      after: done ? (runningAfter ? change.exposure.after : '0') : change.exposure.before,
      runningBefore,
      runningAfter,
      labelBefore: labelName(presentLabel, labels),
      labelAfter: labelName(after.label, labels),
      readable: configs.every((config) => config === undefined || isReadable(kind.config, config)),
      secret: configs.some(
        (config) => config !== undefined && context.isSecret(kind, change.address, config),
      ),
      ...traitsOf(runningAfter ? (after.config ?? {}) : {}),
    },
  ];
}

/** A released task keeps running, but no longer belongs to the project. */
function runsForUs(
  { action, starts_trading, stops_trading }: PlannedChange,
  runningBefore: boolean,
): boolean {
  if (action === 'release') return false;
  return runningBefore ? !stops_trading : starts_trading;
}

/** An id, or a reference to a label that the plan creates. */
function labelName(label: Json, labels: LabelBook): string | null {
  if (typeof label === 'string') return labels.liveName(label);
  return isObject(label) ? labels.shownName(String(label.ref).replace(/^label\//, '')) : null;
}

function steadyStake({ task, address }: SteadyTask, { labels, isSecret }: Context): readonly Stake[] {
  const kind = KINDS.get(task.collection);
  if (kind === undefined) return [];
  const exposure = exposureOf(kind.config, task.config);
  const label = labelName(task.risk_label_id, labels);
  return [
    {
      address,
      kind: kind.collection,
      before: exposure,
      after: exposure,
      runningBefore: true,
      runningAfter: true,
      labelBefore: label,
      labelAfter: label,
      readable: isReadable(kind.config, task.config),
      secret: address !== undefined && isSecret(kind, address, task.config),
      ...traitsOf(task.config),
    },
  ];
}

function traitsOf({ dex_source, auto_sell, timed_strategy, buy_once }: LiveTask['config']) {
  const enabled = (part: typeof auto_sell) =>
    typeof part === 'object' && part !== null && 'enabled' in part && part.enabled === true;
  return {
    globalDexes: dex_source === 'global',
    sells: enabled(auto_sell) || enabled(timed_strategy),
    buyOnce: buy_once === true,
  };
}

/** The live task of a change. For a pair of a replacement, the one that runs. */
function presentOf(change: PlannedChange, byId: ReadonlyMap<string, LiveTask>): LiveTask | undefined {
  const former = byId.get(String(change.former?.id ?? ''));
  const successor = byId.get(String(change.successor?.id ?? ''));
  return former?.is_active !== true && successor?.is_active === true ? successor : (former ?? successor);
}
