import { DEFAULT_CONCURRENCY } from '../../command/connection.ts';
import type { Io } from '../../command/io.ts';
import { shown, shownPlan } from '../../command/masking.ts';
import { type PlainRenderings, type PresentOptions, presentPlain } from '../../command/output/present.ts';
import { refusalOf } from '../../command/show-diagnostics.ts';
import { VERSION } from '../../command/version.ts';
import { isRefused } from '../../plan/plan.ts';
import { type PlanningOptions, preparePlan } from '../../planning/planning.ts';
import { jsonText } from '../../render/result.ts';
import { viewText } from '../../render/text-layout.ts';
import { DEFAULT_LATENCY_MS, rehearsePlan } from './rehearsal.ts';
import { rehearsalView } from './view.ts';

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
  const { plan, live, loaded, session, replan } = await preparePlan(options, io);
  await session.close();
  if (isRefused(plan)) throw refusalOf(plan, loaded.sources);
  const { rehearsal: whole } = await rehearsePlan({
    plan,
    live,
    latency: options.latency ?? DEFAULT_LATENCY_MS,
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    onFailure: options.onFailure ?? 'restore',
    toolVersion: VERSION,
    replan,
  });
  const rehearsal = shown(whole, io);
  const seen = shownPlan(plan, io);
  const renderings: PlainRenderings = {
    text: (view) => viewText(rehearsalView(rehearsal, seen), view),
    json: () => jsonText(rehearsal),
    html: async () => {
      const { rehearsalPage } = await import('../report/pages.ts');
      return (await import('../../render/html/page.ts')).pageText(rehearsalPage(rehearsal, seen));
    },
  };
  return presentPlain(renderings, options, io, rehearsal.ok && rehearsal.outcome === 'done' ? 0 : 1);
}
