import type { Change, Plan } from '../model/generated/plan.ts';
import { isEmptyPlan, isRefused } from '../plan/plan.ts';
import { COSTS, type Cost, costOf, isRaised } from '../plan/stakes/cost.ts';
import { indexOperations, pausesForAMoment, settleOf } from './chain-words.ts';
import { COST_WORDS } from './cost-words.ts';

/** True if apply would send a request for this change. */
export function hasWork(change: Change): boolean {
  return change.operations.length > 0;
}

/** Changes that are carried out. Blocked ones have their own section. */
export function workedChanges({ changes }: Pick<Plan, 'changes'>): readonly Change[] {
  return changes.filter((change) => change.blocked === null && hasWork(change));
}

/** `2 start · 1 stop (deleted) · 11 change`, `No changes. …`, `Plan refused: guardrail-max-factor. Nothing was changed.` */
export function verdictText(plan: Plan): string {
  const { summary } = plan;
  const counts = countsText(plan);
  if (isRefused(plan))
    return `Plan refused: ${refusals(plan)}. Nothing was changed.${counts === '' ? '' : ` It asks for: ${counts}.`}`;
  if (!isEmptyPlan(plan)) return counts;
  if (plan.selection !== undefined) return 'No changes among the selected addresses.';
  if (summary.blocked > 0) return 'No changes. Nothing can be done.';
  if (summary.held > 0) return 'No changes. Nothing to do.';
  if (!plan.complete) return 'No changes to what could be read.';
  return plan.only === undefined
    ? 'No changes. The service is as the manifests want it.'
    : 'No changes. Nothing that git changed is left to do.';
}

/** The codes of the errors, each once. */
function refusals({ diagnostics }: Plan): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return [...new Set(errors.map(({ code }) => code))].join(', ');
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
    if (kind === 'stop') return among(changes, has('delete'), 'deleted');
    if (kind === 'replace')
      return (
        among(changes, ({ starts_trading: starts }) => starts, 'starts') +
        among(changes, ({ stops_trading: stops }) => stops, 'stops')
      );
    if (kind === 'adopt') return among(changes, has('update'), 'changed too') || ' (only the remark)';
    const words = pausingText(
      changes.filter((change) => pausesForAMoment(change, index)).length,
      changes.length,
    );
    return words === '' ? '' : ` (${words})`;
  };
  const parts = COUNTED.flatMap((kind) => {
    const changes = of(kind);
    const { length } = changes;
    if (length === 0) return [];
    return [`${length} ${WORDS[kind](length)}${extra(kind, changes)}`];
  });
  const longest = Math.max(0, ...worked.map((change) => settleOf(change, index)));
  return [...parts, ...(longest === 0 ? [] : [`longest wait ${longest / 1000} s`])].join(' · ');
}

/**
 * `6 pause for a moment`, `all pause for a moment`; for a single change `pauses for a moment`. Empty if none pauses. `among`
 * follows the number if not all pause.
 */
export function pausingText(pausing: number, all: number, among = ''): string {
  if (pausing === 0) return '';
  const many = pausing < all ? `${pausing}${among} ` : all === 1 ? '' : 'all ';
  return `${many}${pausing === 1 ? 'pauses' : 'pause'} for a moment`;
}

/** The words by which changes are counted, in the order of the counts. */
const WORDS = {
  start: (many: number) => (many === 1 ? 'starts' : 'start'),
  stop: (many: number) => (many === 1 ? 'stops' : 'stop'),
  delete: () => 'deleted',
  replace: () => 'replaced',
  create: () => 'created',
  change: (many: number) => (many === 1 ? 'changes' : 'change'),
  adopt: () => 'adopted',
  'take-over': () => 'taken over',
  rename: () => 'renamed',
  release: () => 'released',
};
type Counted = keyof typeof WORDS;
const COUNTED = Object.keys(WORDS) as readonly Counted[];

function countedAs({ action, actions, starts_trading: starts, stops_trading: stops }: Change): Counted {
  if (action === 'replace') return 'replace';
  if (starts) return 'start';
  if (stops) return 'stop';
  if (action === 'delete' || action === 'create') return action;
  if (actions.includes('adopt')) return 'adopt';
  if (actions.includes('take-over')) return 'take-over';
  return action === 'rename' || action === 'release' ? action : 'change';
}

/** `2 held`, `16 unmanaged run (3.24 SOL)`: what the plan leaves alone. */
export function restFacts({ summary, left = [], observations, exposure }: Plan): readonly string[] {
  const strays = observations.filter((item) => item.running && item.class !== 'foreign').length;
  const sol = exposure.left_out.find(({ reason }) => reason === 'unmanaged')?.sol ?? null;
  const counts = [
    [summary.held, 'held'],
    [summary.blocked, 'blocked'],
    [left.length, 'left'],
    [strays, `unmanaged ${strays === 1 ? 'runs' : 'run'}${sol === null ? '' : ` (${sol} SOL)`}`],
    [summary.foreign, 'foreign'],
    [summary.unchanged, 'unchanged'],
  ] as const;
  return counts.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`]));
}

/** `Only: sniper/a; without: sniper/b`: which part of everything was planned. Undefined for everything. */
export function selectionText({ selection }: Pick<Plan, 'selection'>): string | undefined {
  if (selection === undefined) return undefined;
  const { targets, excludes } = selection;
  return [
    ...(targets.length === 0 ? [] : [`Only: ${targets.join(', ')}`]),
    ...(excludes.length === 0
      ? []
      : [`${targets.length === 0 ? 'Without' : 'without'}: ${excludes.join(', ')}`]),
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
