import { type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import { FREEZE_UNSEEN } from '../../model/freeze.ts';
import { type Collection, isTaskCollection, KINDS } from '../../model/kind.ts';
import { type Account, isLabel, isTask, type LiveState } from '../../model/resource.ts';
import type { Api } from '../../ports/api.ts';
import type { Clock } from '../../ports/clock.ts';
import { SILENT } from '../../ports/output.ts';
import { checkExpiry, readAccount, visibleCollections } from '../resources/account.ts';
import type { Traversal, TraverseOptions } from '../resources/pages.ts';
import { itemsOf, readCollections } from './collections.ts';
import { agree, type Baseline, type Doubt, judgeTasks, judgeTemplates, obstacle } from './proof.ts';

export interface ReadOptions extends Pick<TraverseOptions, 'progress' | 'limiter' | 'compact'> {
  readonly api: Api;
  readonly clock: Clock;
  /** Collections that the manifests need; it is an error if the token cannot read one. May be known after the reading. */
  readonly needed: ReadonlySet<Collection> | Promise<ReadonlySet<Collection>>;
  readonly limits?: Partial<ReadLimits>;
}

export interface ReadLimits {
  /** The most readings of a collection. */
  readonly passes: number;
  /**
   * Milliseconds before a second reading; each further reading waits as much longer. Above 1,000, because `Date` has
   * whole seconds.
   */
  readonly wait: number;
  /** From this many tasks on, an account is read in parts (collections.ts), if the quota can prove that none is missing. */
  readonly inParts: number;
}

export const READ_LIMITS: ReadLimits = { passes: 4, wait: 1_200, inParts: 2_001 };

interface LiveResult {
  /** Known after `GET /me`, even if reading failed later: for the account pin. */
  readonly account?: Account;
  /** Absent if anything could not be read: that is never the same as empty. */
  readonly live?: LiveState;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the whole live state (DESIGN 4): `GET /me`, all visible lists in parallel, `GET /me` again. Without changes in
 * between, every page is read once. Lists that are not proven complete are read again, a few times; agreeing readings
 * count if no proof is possible. A large account is read in parts first, and with one traversal for each collection if
 * that fails.
 */
export async function readLive(options: ReadOptions): Promise<LiveResult> {
  const readAt = options.clock.now();
  const first = await readAccount(options.api);
  if (!first.ok) return { diagnostics: [first.diagnostic] };
  const { account } = first;
  const visible = visibleCollections(account);
  const expiry = checkExpiry(account, first.date ?? options.clock.now());
  const view = await readView(first, visible, options);
  const diagnostics = [...expiry, ...invisibleDiagnostics(visible, await options.needed)];
  if (diagnostics.some(({ severity }) => severity === 'error')) return { account, diagnostics };
  if (view.failure !== undefined) return { account, diagnostics: [...diagnostics, view.failure] };
  return {
    account: view.account,
    live: assemble(view, visible, readAt),
    diagnostics: [...diagnostics, ...viewDiagnostics(view)],
  };
}

/** So many readings in a row are believed, whatever else speaks against them: a list may be from the past. */
export const LASTING = 3;

/** Collections that are proven together: all tasks by the quota, each template kind by itself. */
type Group = readonly Collection[];
type GroupDoubt = Doubt & { readonly group: Group };

interface ReadView {
  readonly failure?: undefined;
  readonly account: Account;
  readonly traversals: ReadonlyMap<Collection, Traversal>;
  /** Doubts that no agreement resolved. */
  readonly open: readonly GroupDoubt[];
  /** Doubts that agreeing readings resolved. */
  readonly accepted: readonly GroupDoubt[];
}

async function readView(
  first: { readonly account: Account; readonly date: number | undefined },
  visible: ReadonlySet<Collection>,
  options: ReadOptions,
): Promise<ReadView | { readonly failure: Diagnostic }> {
  const { api, clock, progress = SILENT } = options;
  const limits: ReadLimits = { ...READ_LIMITS, ...options.limits };
  const traversals = new Map<Collection, Traversal>();
  const accepted: GroupDoubt[] = [];
  let { account, date } = first;
  let unread = groupsOf(visible);
  let differing = 0;

  for (let pass = 1; ; pass += 1) {
    const previous = new Map(traversals);
    const before: Baseline = { used: account.quota.used, date };
    const provable = date !== undefined && obstacle(account, visible) === undefined;
    // Parts need the proof, so there is no second reading in parts that could agree with a first.
    const inParts = pass === 1 && provable && before.used >= limits.inParts;
    const large = inParts ? { tasks: before.used, from: limits.inParts } : undefined;
    const failure = await readCollections(unread.flat(), traversals, options, large);
    if (failure !== undefined) return { failure };
    const blocked = obstacle(account, visible);
    if (blocked === undefined && unread.some(isTaskGroup)) {
      const after = await readAccount(api);
      if (!after.ok) return { failure: after.diagnostic };
      ({ account, date } = after);
    }
    const found = unread.flatMap((group) => doubtsOf(group, traversals, before, account.quota.used, blocked));
    const agrees = ({ group }: GroupDoubt) =>
      group.every((collection) => agree(previous.get(collection), traversals.get(collection)));
    differing = inARow(differing, found, agrees);
    const holds = (doubt: GroupDoubt) =>
      agrees(doubt) && (doubt.type !== 'contradicted' || differing >= LASTING);
    const open = found.filter((doubt) => !holds(doubt));
    accepted.push(...found.filter(holds));
    if (open.length === 0 || pass >= limits.passes) return { account, traversals, open, accepted };

    for (const { reason, group } of open) {
      const how = inParts && isTaskGroup(group) ? '; now without parallel parts' : '';
      progress.emit({ type: 'read-again', reason: `${reason}${how}` });
    }
    unread = open.map(({ group }) => group);
    if (open.some(({ type }) => type !== 'unprovable')) {
      await clock.sleep(limits.wait * pass);
      // A change during the wait is not a change during the next reading.
      const fresh = await readAccount(api);
      if (!fresh.ok) return { failure: fresh.diagnostic };
      ({ account, date } = fresh);
    }
  }
}

/** Readings in a row that differ from the quota, and agree with each other, after one more. */
function inARow(
  before: number,
  found: readonly GroupDoubt[],
  agrees: (doubt: GroupDoubt) => boolean,
): number {
  const contradicted = found.find(({ type }) => type === 'contradicted');
  if (contradicted === undefined) return 0;
  return agrees(contradicted) ? before + 1 : 1;
}

function groupsOf(visible: ReadonlySet<Collection>): readonly Group[] {
  const tasks = [...visible].filter(isTaskCollection);
  const others = [...visible].filter((one) => !isTaskCollection(one)).map((one) => [one]);
  return tasks.length === 0 ? others : [tasks, ...others];
}

function isTaskGroup(group: Group): boolean {
  return group.some(isTaskCollection);
}

function doubtsOf(
  group: Group,
  traversals: ReadonlyMap<Collection, Traversal>,
  before: Baseline,
  usedAfter: number,
  blocked: string | undefined,
): GroupDoubt[] {
  const read = group.flatMap((collection) => traversals.get(collection) ?? []);
  const doubt = isTaskGroup(group)
    ? blocked === undefined
      ? judgeTasks(read, before, usedAfter)
      : ({ type: 'unprovable', reason: blocked } as const)
    : read.map(judgeTemplates).find((one) => one !== undefined);
  return doubt === undefined ? [] : [{ ...doubt, group }];
}

function assemble(view: ReadView, visible: ReadonlySet<Collection>, readAt: number): LiveState {
  const items = itemsOf(view.traversals);
  const reasons = (doubts: readonly GroupDoubt[]) =>
    [...new Set(doubts.map(({ reason }) => reason))].join('; ');
  const proof =
    view.open.length > 0
      ? `not proven complete: ${reasons(view.open)}`
      : view.accepted.length > 0
        ? `two readings agree (${reasons(view.accepted)})`
        : 'as many tasks as the quota counts, before and after, and no changes in between';
  return {
    account: view.account,
    tasks: items.filter(isTask),
    templates: items.flatMap((item) => (isTask(item) || isLabel(item) ? [] : [item])),
    labels: items.filter(isLabel),
    visible,
    complete: view.open.length === 0,
    confirmed: isConfirmed(view),
    proof,
    readAt,
  };
}

/** True if the view does not rely on a clock: each list had one page, or two readings agreed. */
function isConfirmed({ traversals, accepted }: ReadView): boolean {
  const tasks = [...traversals.values()].filter(({ part }) => isTaskGroup([part.collection]));
  return accepted.some(({ group }) => isTaskGroup(group)) || tasks.every(({ pages }) => pages <= 1);
}

function viewDiagnostics({ open, accepted }: ReadView): readonly Diagnostic[] {
  const incomplete = (message: string, hint: string): Diagnostic => warning('view-incomplete', message, hint);
  const refused = 'With such a view, creates and deletes are refused; run again when nobody else is writing.';
  const lasting = accepted.filter(({ type }) => type === 'contradicted');
  return [
    ...open.map(({ reason }) => incomplete(`the live view could not be proven complete: ${reason}`, refused)),
    ...lasting.map(({ reason }) =>
      incomplete(
        `${reason}, repeatedly; three agreeing readings are used`,
        'Tell the provider if this happens again.',
      ),
    ),
  ];
}

function invisibleDiagnostics(
  visible: ReadonlySet<Collection>,
  needed: ReadonlySet<Collection>,
): readonly Diagnostic[] {
  return KINDS.filter(({ collection }) => !visible.has(collection)).map(({ collection, scopes }) => {
    const isNeeded = needed.has(collection);
    const isLabel = collection === 'label';
    const what = isNeeded ? ', which manifests need' : isLabel ? `: ${FREEZE_UNSEEN}` : '';
    return {
      severity: isNeeded ? 'error' : isLabel ? 'warning' : 'info',
      code: 'kind-not-visible',
      message: `the token cannot read ${collection}${what}`,
      hint: `Give the token the scope ${scopes.read.join(' or ')}.`,
    };
  });
}
