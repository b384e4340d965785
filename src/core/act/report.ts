import type { Change, Plan } from '../model/generated/plan.ts';
import { type ApplyReport, type ChangeResult, REPORT_FORMAT } from '../model/generated/report.ts';
import { given } from '../model/given.ts';
import { heldReason } from '../render/words.ts';
import type { ChainOutcome } from './chain-state.ts';
import type { Run } from './run.ts';

/** A report without what only the command knows: who applied the plan, and why. */
type Unrecorded = Omit<ApplyReport, 'record'>;

export interface ApplyResult extends Unrecorded {
  readonly outcome: Exclude<ApplyReport['outcome'], 'refused' | 'begun'>;
}

interface RunEnd {
  readonly outcome: ApplyReport['outcome'];
  readonly toolVersion: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

/**
 * The report before the first request, `begun`, or where none is sent, `refused`: of each change it is unknown
 * whether it is done, or it is skipped. `at`: milliseconds since the epoch. Pure.
 */
export function reportAhead(
  plan: Plan,
  outcome: 'begun' | 'refused',
  { toolVersion, at }: { readonly toolVersion: string; readonly at: number },
): Unrecorded {
  const status = outcome === 'begun' ? 'unknown' : 'skipped';
  const changes = plan.changes.map((change): ChangeResult => {
    const result = resultOf(change, undefined, at);
    const idle = change.actions.every((action) => action === 'none');
    return idle || result.status !== 'done' ? result : { ...result, status };
  });
  return reportOf(plan, changes, { outcome, toolVersion, startedAt: at, finishedAt: at });
}

/**
 * The report of an apply, change by change, in the order of the plan (schemas/report.schema.json). `outcomes`: by address; times in
 * milliseconds since the epoch. Pure.
 */
export function makeReport(
  run: Run,
  outcomes: ReadonlyMap<string, ChainOutcome>,
  times: Pick<RunEnd, 'startedAt' | 'finishedAt'>,
): ApplyResult {
  const { plan, deps } = run;
  const changes = plan.changes.map((change) =>
    resultOf(change, outcomes.get(change.address), times.startedAt),
  );
  const open = changes.filter(({ status }) => ['failed', 'skipped', 'unknown'].includes(status));
  const interrupted = (deps.stop.soft.aborted || deps.stop.hard.aborted) && open.length > 0;
  const whole = open.length === 0 && !changes.some(({ status }) => status === 'blocked');
  const outcome = interrupted ? 'interrupted' : whole ? 'done' : 'incomplete';
  return {
    ...reportOf(plan, changes, { outcome, toolVersion: deps.toolVersion, ...times }),
    outcome,
    left_paused: plan.changes.flatMap(({ address }) => {
      const left = outcomes.get(address)?.leftPaused;
      return left === undefined ? [] : [{ address, ...left }];
    }),
    still_high: run.chains.flatMap(({ change, effect }) => {
      const { address, exposure } = change;
      const { id = null, runs, status } = outcomes.get(address) ?? {};
      const text = exposure.before === exposure.after ? '' : `${exposure.before} → ${exposure.after} SOL`;
      return effect === 'lowers' && runs === true && status !== 'done' ? [{ address, id, text }] : [];
    }),
    diagnostics: [...run.diagnostics],
  };
}

const STATUSES = ['done', 'failed', 'skipped', 'unknown', 'blocked', 'held'] as const;

function reportOf(
  plan: Plan,
  changes: ApplyReport['changes'],
  { outcome, toolVersion, startedAt, finishedAt }: RunEnd,
): Unrecorded {
  const counts = STATUSES.map((one) => [
    one,
    changes.filter(({ status, held }) => status === one || (one === 'held' && held)).length,
  ]);
  return {
    format: REPORT_FORMAT,
    tool: { name: 'tradeform', version: toolVersion },
    project: plan.project,
    environment: plan.environment,
    service: plan.service,
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(finishedAt).toISOString(),
    digest: plan.digest,
    ...given({ overrides: plan.overrides, left: plan.left }),
    outcome,
    summary: Object.fromEntries(counts) as ApplyReport['summary'],
    left_paused: [],
    still_high: [],
    changes,
    diagnostics: [],
  };
}

function resultOf(change: Change, outcome: ChainOutcome | undefined, startedAt: number): ChangeResult {
  const { address, kind, actions } = change;
  const common = { address, kind, actions: [...actions], fields: [...change.fields] };
  if (outcome === undefined) return { ...common, ...untouched(change) };
  const { id, status, error, held } = outcome;
  const text = outcome.text === '' && held ? heldReason(change) : outcome.text;
  return {
    ...common,
    ...{ id, status, text, ...given({ error, held }) },
    operations: outcome.operations.map(({ at_ms: at, ...operation }) => ({
      ...operation,
      ...given({ at_ms: at === undefined ? undefined : at - startedAt }),
    })),
    request_ids: [...outcome.requestIds],
    paused_ms: outcome.pausedMs,
    ...(outcome.pausedMs === null || outcome.settledMs === 0 ? {} : { settle_ms: outcome.settledMs }),
    former: outcome.former === null ? formerOf(change) : asItRan(outcome.former, change),
  };
}

/** What was deleted, which this run paused before. A plan has no dates, and a later write is the one of this run. */
function asItRan(known: NonNullable<ChangeResult['former']>, { former }: Change): ChangeResult['former'] {
  const { created_at: _created, updated_at: _updated, ...deleted } = known;
  return former === null || !('is_active' in former) ? deleted : { ...deleted, is_active: former.is_active };
}

/** The resource that a change writes over. Starts and stops, and adoptions, keep its config. */
function formerOf({ former, fields }: Change): ChangeResult['former'] {
  const written = fields.some(
    ({ path }) => path.startsWith('config.') || path === 'target_wallet' || path === 'name',
  );
  return written ? former : null;
}

/** A change without operations: blocked, held, or nothing to do. */
function untouched(change: Change) {
  const { id, blocked, held } = change;
  const nothing = { id, operations: [], request_ids: [], paused_ms: null, former: null };
  if (blocked !== null) return { ...nothing, status: 'blocked' as const, text: blocked.text };
  const text = held ? heldReason(change) : '';
  return { ...nothing, status: held ? ('held' as const) : ('done' as const), text };
}
