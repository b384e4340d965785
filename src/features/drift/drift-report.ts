import { type Diagnostic, problem } from '../../diagnostics/diagnostic.ts';
import { matchesAddress } from '../../model/address.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import { addDecimals, signedDifference } from '../../model/decimal.ts';
import type { DriftItem, DriftReport } from '../../model/generated/drift.ts';
import type { Plan } from '../../model/generated/plan.ts';
import type { LiveState } from '../../model/resource.ts';
import type { Origin } from '../../origin/origin.ts';
import { driftItemsOf } from './cases.ts';
import { DRIFT_CLASSES, type DriftPolicy, failsFor } from './classes.ts';
import { observedItem, type RawItem } from './items.ts';

interface DriftInput {
  /** The plan of the current git state on this live view. It says what differs. */
  readonly plan: Plan;
  readonly live: LiveState;
  readonly origin: Origin;
  readonly source: DriftReport['source'];
  readonly history: DriftReport['history'];
  readonly policy: DriftPolicy;
  readonly diagnostics: readonly Diagnostic[];
}

/** Why the live state differs from git (DESIGN 9): the verdicts of `src/origin` by class, and what belongs to nobody. */
export function driftReport({
  plan,
  live,
  origin,
  source,
  history,
  policy,
  diagnostics,
}: DriftInput): DriftReport {
  const { ended, oldest, commits, skipped } = history;
  const reach = ended === 'none' ? 'nowhere' : ended === 'settled' || ended === 'beginning' ? 'all' : 'part';
  // The diagnostic of the address lists the tasks with its name, so they are not reported one by one.
  const told = new Set(
    plan.changes.flatMap(({ reason, blocked }) => (reason === 'conflict' ? (blocked?.ids ?? []) : [])),
  );
  const found: readonly RawItem[] = [
    ...origin.verdicts.flatMap((verdict) => driftItemsOf(verdict, origin.view, reach)),
    ...plan.observations
      .filter(({ id }) => !told.has(id))
      .map((observation) => observedItem(observation, origin.view.tasks.get(observation.id))),
  ];
  const items = found.map((item) => judged(item, plan, policy)).sort(byCost);
  const { tool, created_at, project, environment, service, complete } = plan;
  return {
    format: 'tradeform.drift/1',
    tool,
    created_at,
    project,
    environment,
    service,
    source,
    ...(plan.selection === undefined ? {} : { selection: plan.selection }),
    complete,
    drift: items.some(({ fails }) => fails),
    history: { commits, skipped, oldest, ended },
    policy: { ignore: [...policy.ignore], fail_on: [...policy.failOn] },
    summary: summaryOf(items),
    exposure: stakesOf(plan, items),
    items,
    diagnostics: [...diagnostics, ...(complete ? [] : [incomplete(live)])],
  };
}

/** With --target and --exclude, only the selected items fail. The others are still shown. */
function judged(item: RawItem, { selection }: Plan, policy: DriftPolicy): DriftItem {
  return {
    ...item,
    fails: isSelected(item.address, selection) && failsFor(item, policy),
    ignored: policy.ignore.includes(item.class),
  };
}

function isSelected(address: string | null, selection: Plan['selection']): boolean {
  if (selection === undefined) return true;
  if (address === null) return false;
  const { targets, excludes } = selection;
  const names = (patterns: readonly string[]) => patterns.some((pattern) => matchesAddress(pattern, address));
  return (targets.length === 0 || names(targets)) && !names(excludes);
}

/** First tasks that trade unmanaged, then the most expensive class, running tasks before others. */
function byCost(a: DriftItem, b: DriftItem): number {
  const stray = (item: DriftItem) => item.class === 'unmanaged' && item.running;
  const name = ({ address, kind, id }: DriftItem) => address ?? `${kind}/${id}`;
  return (
    Number(stray(b)) - Number(stray(a)) ||
    DRIFT_CLASSES.indexOf(a.class) - DRIFT_CLASSES.indexOf(b.class) ||
    Number(b.running) - Number(a.running) ||
    compareTexts(name(a), name(b))
  );
}

/**
 * Without the exposure of hidden items: their amounts came from the environment in an earlier commit, which the plan does not
 * know.
 */
function stakesOf({ exposure, changes }: Plan, items: readonly DriftItem[]): DriftReport['exposure'] {
  const hidden = new Set(items.flatMap((item) => (item.exposure.secret === true ? [item.address] : [])));
  const left = changes.filter(({ address, exposure: own }) => own.secret !== true && hidden.has(address));
  const without = (total: string, parts: readonly string[]) =>
    signedDifference(addDecimals(parts), total).replace('+', '');
  return {
    live: without(
      exposure.before,
      left.map(({ exposure: own }) => own.before),
    ),
    git: without(
      exposure.after,
      left.map(({ exposure: own }) => own.after),
    ),
    running_live: exposure.running_before,
    running_git: exposure.running_after,
  };
}

function summaryOf(items: readonly DriftItem[]): DriftReport['summary'] {
  const of = (kind: DriftItem['class']) => items.filter((item) => item.class === kind).length;
  return {
    changed: of('changed'),
    pending: of('pending'),
    unknown: of('unknown'),
    stopped: of('stopped'),
    started: of('started'),
    interrupted: of('interrupted'),
    missing: of('missing'),
    conflict: of('conflict'),
    unmanaged: of('unmanaged'),
    foreign: of('foreign'),
    damaged: of('damaged'),
    failing: items.filter(({ fails }) => fails).length,
  };
}

function incomplete({ proof }: LiveState): Diagnostic {
  return problem(
    'view-incomplete',
    `The report may be incomplete or wrong: ${proof}`,
    'Run again when nobody else writes, or give the token read scopes for all task kinds.',
  );
}
