import { isRefused } from '../plan/plan.ts';
import { rehearsalText } from '../render/rehearsal-text.ts';
import { jsonText } from '../render/result.ts';
import { painter } from '../render/style.ts';
import { DEFAULT_CONCURRENCY } from './connection.ts';
import type { Io } from './io.ts';
import { type PlanningOptions, preparePlan } from './planning/planning.ts';
import { DEFAULT_LATENCY_MS, rehearse } from './rehearsal/rehearsal.ts';
import { hiding } from './secrets.ts';
import { refusalOf } from './show-diagnostics.ts';
import { VERSION } from './version.ts';

export interface RehearseOptions extends PlanningOptions {
  /** Milliseconds an answer takes. */
  readonly latency?: number;
  readonly onFailure?: 'restore' | 'hold';
}

/**
 * `tradeform rehearse`: plans, and carries the plan out against the embedded service in process, filled with the live view.
 * The real service gets GET requests only. Returns the exit code: 0 where all of it went through and a second plan would be
 * empty, 1 where not, 4 where the plan is refused.
 */
export async function runRehearse(options: RehearseOptions, terminal: Io): Promise<number> {
  const { plan, live, loaded, session, secrets, replan } = await preparePlan(options, terminal);
  await session.close();
  const io = hiding(terminal, secrets);
  if (isRefused(plan)) throw refusalOf(plan, loaded.sources);
  const { rehearsal } = await rehearse({
    plan,
    live,
    latency: options.latency ?? DEFAULT_LATENCY_MS,
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    onFailure: options.onFailure ?? 'restore',
    toolVersion: VERSION,
    replan,
  });
  io.stdout(
    options.output === 'json'
      ? jsonText(rehearsal)
      : rehearsalText(rehearsal, io.columns, painter(io.color.stdout)),
  );
  return rehearsal.ok && rehearsal.outcome === 'done' ? 0 : 1;
}
