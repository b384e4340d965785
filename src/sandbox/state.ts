import { madeOnce } from '../core/model/by-key.ts';
import { TASK_KINDS, type TaskCollection } from '../core/model/kind.ts';
import type {
  Change,
  StoredAccount,
  StoredLabel,
  StoredReplay,
  StoredTask,
  StoredTemplate,
  StoredToken,
} from './records.ts';

/** How long an `Idempotency-Key` is stored (interface, "Limits"). */
export const REPLAY_MEMORY = 24 * 60 * 60 * 1000;

export const taskPosition = (task: StoredTask): ListPosition => ({ key: task.updated_at, id: task.id });

/** The tasks of one account, with the orders and indexes that lists and checks need. */
interface Holdings {
  readonly tasks: ReadonlyMap<TaskCollection, OrderedRecords<StoredTask>>;
  /** Ids of tasks by target wallet. */
  readonly targets: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The whole service as maps. Anything may read it. Only {@link commit} changes it. */
export interface SandboxState {
  readonly accounts: ReadonlyMap<string, StoredAccount>;
  readonly tokens: ReadonlyMap<string, StoredToken>;
  readonly tasks: ReadonlyMap<string, StoredTask>;
  readonly templates: ReadonlyMap<string, StoredTemplate>;
  readonly labels: ReadonlyMap<string, StoredLabel>;
  readonly replays: ReadonlyMap<string, StoredReplay>;
  /** Never fails: an empty account has empty holdings. */
  holdings(account: string): Holdings;
}

class Store implements SandboxState {
  readonly accounts = new Map<string, StoredAccount>();
  readonly tokens = new Map<string, StoredToken>();
  readonly tasks = new Map<string, StoredTask>();
  readonly templates = new Map<string, StoredTemplate>();
  readonly labels = new Map<string, StoredLabel>();
  readonly replays = new Map<string, StoredReplay>();
  readonly #holdings = new Map<string, ReturnType<typeof noTasks>>();

  holdings(account: string) {
    return madeOnce(this.#holdings, account, noTasks);
  }

  putTask(task: StoredTask): void {
    this.removeTask(task.id);
    this.tasks.set(task.id, task);
    const { tasks, targets } = this.holdings(task.account);
    tasks.get(task.collection)?.add(task);
    madeOnce(targets, task.target_wallet, () => new Set()).add(task.id);
  }

  removeTask(id: string): void {
    const task = this.tasks.get(id);
    if (task === undefined) return;
    this.tasks.delete(id);
    const { tasks, targets } = this.holdings(task.account);
    tasks.get(task.collection)?.remove(task);
    const ids = targets.get(task.target_wallet);
    ids?.delete(id);
    if (ids?.size === 0) targets.delete(task.target_wallet);
  }

  putReplay(replay: StoredReplay): void {
    for (const [key, { at }] of this.replays) {
      if (at + REPLAY_MEMORY > replay.at) break;
      this.replays.delete(key);
    }
    this.replays.delete(replay.key);
    this.replays.set(replay.key, replay);
  }
}

function noTasks() {
  const ordered = TASK_KINDS.map(
    ({ collection }) => [collection, new OrderedRecords<StoredTask>(taskPosition)] as const,
  );
  return { tasks: new Map(ordered), targets: new Map<string, Set<string>>() };
}

export function emptyState(): SandboxState {
  return new Store();
}

/** Applies changes in order. The only function that changes a state. */
export function commit(state: SandboxState, changes: readonly Change[]): void {
  if (!(state instanceof Store)) throw new Error('not a state of emptyState()');
  for (const change of changes) apply(state, change);
}

function apply(store: Store, change: Change): void {
  if (change.type === 'task') store.putTask(change.record);
  else if (change.type === 'task-removed') store.removeTask(change.id);
  else if (change.type === 'template-removed') store.templates.delete(change.id);
  else if (change.type === 'label-removed') store.labels.delete(change.id);
  else if (change.type === 'replay') store.putReplay(change.record);
  else if (change.type === 'task-fields') {
    const task = store.tasks.get(change.id);
    if (task !== undefined) store.putTask({ ...task, ...change.fields });
  } else {
    const records: Map<string, { readonly id: string }> = store[`${change.type}s`];
    records.set(change.record.id, change.record);
  }
}

/** The changes that create an equal state from an empty one. */
export function* changesOf(state: SandboxState): IterableIterator<Change> {
  for (const record of state.accounts.values()) yield { type: 'account', record };
  for (const record of state.tokens.values()) yield { type: 'token', record };
  for (const record of state.labels.values()) yield { type: 'label', record };
  for (const record of state.templates.values()) yield { type: 'template', record };
  for (const record of state.tasks.values()) yield { type: 'task', record };
  for (const record of state.replays.values()) yield { type: 'replay', record };
}

/** The templates or labels of an account, in the order in which they were made. */
export function ofAccount<R extends { readonly account: string }>(
  records: ReadonlyMap<string, R>,
  { id }: StoredAccount,
): R[] {
  return [...records.values()].filter(({ account }) => account === id);
}

/** The number of an account's tasks that count against its quota. */
export function quotaUsed(state: SandboxState, account: StoredAccount): number {
  let used = account.quota_elsewhere;
  for (const tasks of state.holdings(account.id).tasks.values()) used += tasks.length;
  return used;
}

/** A place in a list that is ordered by a key, then by id. */
export interface ListPosition {
  readonly key: number | string;
  readonly id: string;
}

function comparePositions(a: ListPosition, b: ListPosition): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

/**
 * Records in ascending order of position. Adding and removing cost one binary search and one move of the tail, so pages of
 * 50,000 tasks need no sorting between writes.
 */
export class OrderedRecords<R> {
  readonly #records: R[] = [];

  constructor(private readonly position: (record: R) => ListPosition) {}

  get length(): number {
    return this.#records.length;
  }

  at(index: number): R | undefined {
    return this.#records[index];
  }

  *[Symbol.iterator](): IterableIterator<R> {
    yield* this.#records;
  }

  add(record: R): void {
    const last = this.#records.at(-1);
    const position = this.position(record);
    if (last === undefined || comparePositions(this.position(last), position) < 0) this.#records.push(record);
    else this.#records.splice(this.countBefore(position), 0, record);
  }

  remove(record: R): void {
    const position = this.position(record);
    const index = this.countBefore(position);
    const found = this.#records[index];
    if (found !== undefined && comparePositions(this.position(found), position) === 0) {
      this.#records.splice(index, 1);
    }
  }

  /** The number of records strictly before a position. */
  countBefore(position: ListPosition): number {
    let low = 0;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const record = this.#records[middle];
      if (record !== undefined && comparePositions(this.position(record), position) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
