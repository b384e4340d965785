import type { Base, Change, Operation, Plan } from '../model/generated/plan.ts';
import { isEmptyPlan, isRefused } from '../plan/plan.ts';
import { COSTS, type Cost, costOf, isRaised } from '../plan/stakes/cost.ts';
import { COST_WORDS } from '../render/differences.ts';
import { count } from '../render/layout.ts';
import { visible } from '../render/untrusted.ts';
import { ACTIONS } from '../render/words.ts';

/** True if apply would send a request for this change. */
export function hasWork(change: Change): boolean {
  return change.operations.length > 0;
}

/** Changes that are carried out. Blocked ones have their own section. */
export function workedChanges({ changes }: Pick<Plan, 'changes'>): readonly Change[] {
  return changes.filter((change) => change.blocked === null && hasWork(change));
}

/** `2 starts · 1 deleted while running · 11 changes`, `No changes. …`, `Refused: max_factor. The plan: 2 starts.` */
export function verdictText(plan: Plan): string {
  const { summary } = plan;
  const counts = countsText(plan);
  if (isRefused(plan)) return `Refused: ${refusals(plan)}.${counts === '' ? '' : ` The plan: ${counts}.`}`;
  if (!isEmptyPlan(plan)) return counts;
  if (plan.selection !== undefined) return 'No changes among the selected addresses.';
  if (summary.blocked > 0) return 'No changes. Nothing can be done.';
  if (summary.held > 0) return 'No changes. Nothing to do.';
  if (!plan.complete) return 'No changes to what could be read.';
  return plan.only === undefined
    ? 'No changes. The service is as the manifests want it.'
    : 'No changes. Nothing that git changed is left to do.';
}

/** The guardrails and the codes of other errors, each once. */
function refusals({ diagnostics }: Plan): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const named = errors.map(({ code }) =>
    code.startsWith('guardrail-') ? code.slice('guardrail-'.length).replaceAll('-', '_') : code,
  );
  return [...new Set(named)].join(', ');
}

/** Each change is counted once, by its most important action. */
function countsText(plan: Plan): string {
  const index = indexOperations(plan.operations);
  const worked = workedChanges(plan);
  const of = (kind: Counted) => worked.filter((change) => countedAs(change) === kind);
  const among = (changes: readonly Change[], is: (change: Change) => boolean, words: string) => {
    const many = changes.filter(is).length;
    return many === 0 ? '' : many === changes.length ? ` (${words})` : ` (${many} ${words})`;
  };
  const has = (action: Change['action']) => (change: Change) => change.actions.includes(action);
  const extra = (kind: Counted, changes: readonly Change[]): string => {
    if (kind === 'start') return among(changes, has('create'), 'new');
    if (kind === 'replace')
      return (
        among(changes, ({ starts_trading: starts }) => starts, 'started') +
        among(changes, ({ stops_trading: stops }) => stops, 'stopped')
      );
    if (kind === 'adopt') return among(changes, has('update'), 'with other changes') || ' (only the remark)';
    const words = pausingText(
      changes.filter((change) => pausesForAMoment(change, index)).length,
      changes.length,
    );
    return words === '' ? '' : ` (${words})`;
  };
  const parts = COUNTED.flatMap((kind) => {
    const changes = of(kind);
    const [one, many] = WORDS[kind];
    return changes.length === 0 ? [] : [`${count(changes.length, one, many)}${extra(kind, changes)}`];
  });
  const longest = Math.max(0, ...worked.map((change) => settleOf(change, index)));
  return [...parts, ...(longest === 0 ? [] : [`longest wait ${longest / 1000} s`])].join(' · ');
}

/**
 * `6 with a short pause`, `all with a short pause`; for a single change `short pause`. Empty if none pauses. `among` follows
 * the number if not all pause.
 */
export function pausingText(pausing: number, all: number, among = ''): string {
  if (pausing === 0) return '';
  if (all === 1) return 'short pause';
  return `${pausing < all ? `${pausing}${among}` : 'all'} with a short pause`;
}

/** The words by which one change and several are counted, in the order of the counts. */
const WORDS = {
  start: ['start', 'starts'],
  finish: ['interrupted start finished', 'interrupted starts finished'],
  stop: ['stop', 'stops'],
  'stop-delete': ['deleted while running', 'deleted while running'],
  delete: ['deleted', 'deleted'],
  replace: ['replaced', 'replaced'],
  create: ['created', 'created'],
  change: ['change', 'changes'],
  adopt: ['adopted', 'adopted'],
  'take-over': ['taken over', 'taken over'],
  rename: ['renamed', 'renamed'],
  release: ['released', 'released'],
} as const;
type Counted = keyof typeof WORDS;
const COUNTED = Object.keys(WORDS) as readonly Counted[];

function countedAs({ action, actions, starts_trading: starts, stops_trading: stops }: Change): Counted {
  if (action === 'replace') return 'replace';
  if (starts) return actions.includes('finish') ? 'finish' : 'start';
  if (stops) return action === 'delete' ? 'stop-delete' : 'stop';
  if (action === 'delete' || action === 'create') return action;
  if (actions.includes('adopt')) return 'adopt';
  if (actions.includes('take-over')) return 'take-over';
  switch (action) {
    case 'start':
    case 'stop':
    case 'finish':
    case 'update':
    case 'none':
      return 'change';
    default:
      return action;
  }
}

/** `2 held`, `3 left`: what the plan leaves alone. */
export function restFacts({ summary, left = [], observations, changes }: Plan): readonly string[] {
  const released = changes.filter(
    ({ action, blocked, former }) => action === 'release' && blocked === null && former?.is_active === true,
  );
  const damaged = observations.filter((item) => item.class === 'damaged').length;
  const counts = [
    [released.length, `released ${released.length === 1 ? 'task trades' : 'tasks trade'} on`],
    [summary.held, 'held'],
    [summary.blocked, 'blocked'],
    [left.length, 'left'],
    [observations.filter((item) => item.running && item.class === 'kept').length, 'kept without a manifest'],
    [damaged, damaged === 1 ? 'damaged marker' : 'damaged markers'],
    [summary.foreign, 'foreign'],
    [summary.unchanged, 'unchanged'],
  ] as const;
  return counts.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`]));
}

/** `Only: sniper/a; without: sniper/b`: which part of everything was planned. Undefined for everything. */
export function selectionText({ selection }: Pick<Plan, 'selection'>): string | undefined {
  if (selection === undefined) return undefined;
  const { targets, excludes, left_out: leftOut = 0 } = selection;
  return [
    ...(targets.length === 0 ? [] : [`Only: ${targets.join(', ')}`]),
    ...(excludes.length === 0
      ? []
      : [`${targets.length === 0 ? 'Without' : 'without'}: ${excludes.join(', ')}`]),
    ...(leftOut === 0 ? [] : [`${count(leftOut, 'other change')} left out`]),
  ].join('; ');
}

/**
 * `Changes amounts of 9 (7 raised), slippage of 1.`: how many changes touch which class, over all changes, shown or not.
 * Undefined if nothing is changed.
 */
export function costText(plan: Pick<Plan, 'changes'>): string | undefined {
  // Created and deleted tasks change all their fields, so they are not counted here.
  const kept = workedChanges(plan).filter(({ action }) => action !== 'create' && action !== 'delete');
  const touched = COSTS.flatMap((cost) => touchedText(kept, cost));
  return touched.length === 0 ? undefined : `Changes ${touched.join(', ')}.`;
}

/** For these classes, more is more expensive. */
const RAISED: ReadonlySet<Cost> = new Set(['amounts', 'slippage', 'tips']);

function touchedText(changes: readonly Change[], cost: Cost): readonly string[] {
  // Starts and stops are already counted above.
  if (cost === 'switch') return [];
  const fields = changes.map((change) => change.fields.filter(({ path }) => costOf(path) === cost));
  const many = fields.filter(({ length }) => length > 0).length;
  if (many === 0) return [];
  const raised = RAISED.has(cost) ? fields.filter((list) => list.some(isRaised)).length : 0;
  return [`${COST_WORDS[cost]} of ${many}${raised === 0 ? '' : ` (${raised} raised)`}`];
}

/** `main (1a2b3c4)`: the name of a base, with its commit if that adds information. A whole hash as a name is shortened. */
export function baseName({ revision, commit }: Pick<Base, 'revision' | 'commit'>): string {
  const name = revision.replace(/^([0-9a-f]{7})[0-9a-f]{33,}/, '$1');
  return commit.startsWith(name) ? name : `${name} (${commit.slice(0, 7)})`;
}

/** `Compared with main (1a2b3c4)`: the titles of the tables have the counts. Undefined without a base. */
export function comparedText({ base, changes }: Plan): string | undefined {
  if (base === undefined) return undefined;
  if (base.digest === null)
    return `${baseName(base)} cannot be planned: all changes are shown as part of this change`;
  const own = changes.some(
    (change) => (hasWork(change) || change.held || change.blocked !== null) && change.provenance !== 'before',
  );
  return `Compared with ${baseName(base)}${own ? '' : ': this change alone does nothing'}`;
}

/** `update, start at the base, nothing left to do`, `config.buy_amount stays as it is on the service`. */
export function settledText({ actions, fields }: Base['settled'][number]): string {
  if (fields !== undefined)
    return `${fields.join(', ')} ${fields.length === 1 ? 'stays as it is' : 'stay as they are'} on the service`;
  const words = actions.filter((action) => action !== 'none').map((action) => ACTIONS[action].word);
  return `${words.length === 0 ? 'held or blocked' : words.join(', ')} at the base, nothing left to do`;
}

/**
 * Deletions and replacements take the provenance of the change. Starts and stops take that of the field that causes them, or of
 * the change if no field does.
 */
export function isBefore({ action, provenance, fields }: Change): boolean {
  if (action === 'delete' || action === 'replace') return provenance === 'before';
  const state = fields.find(({ path }) => path === 'state');
  return (state?.provenance ?? provenance) === 'before';
}

/** Operations by id. The `operations` of a change are such ids. */
export type OperationIndex = ReadonlyMap<string, Operation>;

export function indexOperations(operations: readonly Operation[]): OperationIndex {
  return new Map(operations.map((operation) => [operation.id, operation]));
}

/** `mark → pause → patch → resume, one pause, after label/high-risk`. Empty for a change without operations. */
export function chainWords(change: Change, index: OperationIndex): string {
  const chain = chainOf(change, index);
  if (chain.length === 0) return '';
  const steps = chain.flatMap(({ verb, read_first }) => (read_first === true ? ['read', verb] : [verb]));
  const settle = settleOf(change, index);
  const others = othersNeeded(change, chain, index);
  return [
    steps.join(' → '),
    ...(pausesForAMoment(change, index) ? ['one pause'] : []),
    ...(settle > 0
      ? [`waits ${settle / 1000} s ${steps.includes('pause') ? 'after the pause' : 'before the delete'}`]
      : []),
    ...(others.length > 0 ? [`after ${others.join(', ')}`] : []),
  ].join(', ');
}

function chainOf({ operations }: Change, index: OperationIndex): readonly Operation[] {
  return operations.flatMap((id) => index.get(id) ?? []);
}

/** A running task is paused and started again. */
export function pausesForAMoment(change: Change, index: OperationIndex): boolean {
  const steps = chainOf(change, index).map(({ verb }) => verb);
  const paused = steps.indexOf('pause');
  return change.action !== 'replace' && paused >= 0 && steps.lastIndexOf('resume') > paused;
}

/** Milliseconds that the change waits for execution nodes. */
export function settleOf(change: Change, index: OperationIndex): number {
  return chainOf(change, index).reduce((sum, { settle_ms: settle = 0 }) => sum + settle, 0);
}

const MOST_NAMED = 3;

function othersNeeded(change: Change, chain: readonly Operation[], index: OperationIndex): string[] {
  const addresses = chain
    .flatMap((operation) => operation.needs)
    .map((id) => index.get(id)?.address ?? id)
    .filter((address) => address !== change.address);
  const named = [...new Set(addresses)].map(visible);
  const rest = named.length - MOST_NAMED;
  return rest > 0 ? [...named.slice(0, MOST_NAMED), count(rest, 'other')] : named;
}
