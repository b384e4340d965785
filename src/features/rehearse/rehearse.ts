import type { Io } from '../../command/io.ts';
import { type PresentOptions, present } from '../../command/output/present.ts';
import { refusalOf } from '../../command/show-diagnostics.ts';
import { isRefused } from '../../plan/plan.ts';
import { type PlanningOptions, preparePlan } from '../../planning/planning.ts';
import { rehearsePlan } from './rehearsal.ts';

export interface RehearseOptions extends PlanningOptions, PresentOptions {
  /** Milliseconds before each answer. */
  readonly latency?: number | undefined;
  readonly onFailure?: 'restore' | 'hold' | undefined;
}

/**
 * `tradeform rehearse`: plans, and carries the plan out on the embedded service in process, loaded with the live view. The real
 * service receives GET requests only. Returns the exit code: 0 if everything succeeded and a second plan would be empty, 1 if not,
 * 4 if the plan is refused.
 */
export async function runRehearse(options: RehearseOptions, io: Io): Promise<number> {
  const { plan, live, loaded, replan } = await preparePlan(options, io);
  if (isRefused(plan)) throw refusalOf(plan, loaded.sources);
  const { latency, concurrency, onFailure } = options;
  const { rehearsal } = await rehearsePlan({ plan, live, latency, concurrency, onFailure, replan });
  const exitCode = rehearsal.ok && rehearsal.outcome === 'done' ? 0 : 1;
  return present({ document: rehearsal, known: { plan }, command: 'rehearse', exitCode }, options, io);
}
