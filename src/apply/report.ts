import type { Change, Plan } from '../model/generated/plan.ts';
import type { ApplyReport, ChangeResult } from '../model/generated/report.ts';
import { heldReason } from '../render/words.ts';
import type { ChainOutcome } from './chain-state.ts';
import type { Run } from './run.ts';

interface ReportInput {
  readonly plan: Plan;
  readonly run: Run;
  /** By address. */
  readonly outcomes: ReadonlyMap<string, ChainOutcome>;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** The report of an apply, change by change, in the order of the plan (schemas/report.schema.json). Pure. */
export function makeReport({ plan, run, outcomes, startedAt, finishedAt }: ReportInput): ApplyReport {
  const changes = plan.changes.map((change) => resultOf(change, outcomes.get(change.address), startedAt));
  const count = (status: ChangeResult['status']) =>
    changes.filter((change) => change.status === status).length;
  const summary = {
    done: count('done'),
    failed: count('failed'),
    skipped: count('skipped'),
    unknown: count('unknown'),
    blocked: count('blocked'),
    held: count('held'),
  };
  const open = summary.failed + summary.skipped + summary.unknown;
  const { soft, hard } = run.deps.stop;
  const interrupted = (soft.aborted || hard.aborted) && open > 0;
  return {
    format: 'tradeform.report/1',
    tool: { name: 'tradeform', version: run.deps.toolVersion },
    project: plan.project,
    environment: plan.environment,
    service: plan.service,
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(finishedAt).toISOString(),
    plan_digest: plan.digest,
    ...(plan.overrides === undefined
      ? {}
      : { overrides: plan.overrides.map((override) => ({ ...override })) }),
    ...(plan.left === undefined ? {} : { left: plan.left.map((left) => ({ ...left })) }),
    outcome: interrupted ? 'interrupted' : open + summary.blocked === 0 ? 'done' : 'incomplete',
    summary,
    left_paused: plan.changes.flatMap(({ address }) => {
      const left = outcomes.get(address)?.leftPaused;
      return left === undefined ? [] : [{ address, ...left }];
    }),
    changes,
    diagnostics: run.diagnostics.map((diagnostic) => ({ ...diagnostic })),
  };
}

function resultOf(change: Change, outcome: ChainOutcome | undefined, startedAt: number): ChangeResult {
  const { address, kind, action, actions } = change;
  const common = { address, kind, action, actions: [...actions] };
  if (outcome === undefined) return { ...common, ...untouched(change) };
  const { error } = outcome;
  return {
    ...common,
    id: outcome.id,
    status: outcome.status,
    text: outcome.text,
    ...(error === undefined ? {} : { error }),
    operations: outcome.operations.map(({ at_ms: at, ...operation }) => ({
      ...operation,
      ...(at === undefined ? {} : { at_ms: at - startedAt }),
    })),
    request_ids: [...outcome.requestIds],
    paused_ms: outcome.pausedMs,
    ...(outcome.pausedMs === null || outcome.settledMs === 0 ? {} : { settle_ms: outcome.settledMs }),
    former: outcome.former,
  };
}

/** A change without operations: blocked, held, or nothing to do. */
function untouched(change: Change) {
  const { id, blocked, held } = change;
  const nothing = { id, operations: [], request_ids: [], paused_ms: null, former: null };
  if (blocked !== null) return { ...nothing, status: 'blocked' as const, text: blocked.text };
  const text = held ? heldReason(change) : '';
  return { ...nothing, status: held ? ('held' as const) : ('done' as const), text };
}
