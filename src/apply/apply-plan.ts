import { setMaxListeners } from 'node:events';
import type { Plan } from '../model/generated/plan.ts';
import type { ApplyReport } from '../model/generated/report.ts';
import { placeholder } from '../plan/draft.ts';
import { fixedLimiter } from '../service/limits/semaphore.ts';
import type { ChainOutcome } from './chain-state.ts';
import { buildChains } from './chains.ts';
import { Readings } from './readings.ts';
import { makeReport } from './report.ts';
import { type ApplyDeps, Run } from './run.ts';
import { runChain } from './run-chain.ts';
import { Scheduler, Slots } from './scheduler.ts';

/**
 * Applies a plan on the service and reports (DESIGN 3, 6 and 7). It sends only the operations of the plan, and what is
 * needed to complete a change or to leave it in a safe state. Resolves for every answer of the service.
 * @throws Error if the operations of the plan contradict each other; then nothing was sent.
 */
export async function applyPlan(plan: Plan, deps: ApplyDeps): Promise<ApplyReport> {
  const { clock, positions, concurrency, stop } = deps;
  const startedAt = clock.now();
  // Every request in flight listens.
  setMaxListeners(0, stop.soft, stop.hard);
  const chains = buildChains(plan, (address) => positions?.get(address)?.done ?? 0);
  const limiter = typeof concurrency === 'number' ? fixedLimiter(concurrency) : concurrency;
  const slots = new Slots(limiter);
  const scheduler = new Scheduler(chains, slots, stop);
  const readings = new Readings(() =>
    slots.acquire({ inHand: false, restarts: false, index: Number.POSITIVE_INFINITY }),
  );
  const run = new Run(plan, deps, readings, () => scheduler.close());
  for (const { change } of chains) {
    const created = positions?.get(change.address)?.resources.get(placeholder(change.address));
    if (created !== undefined) run.created.set(change.address, created.id);
  }
  const outcomes = new Map<string, ChainOutcome>();
  await scheduler.run(async (chain, turn) => {
    outcomes.set(chain.change.address, await runChain(chain, run, turn));
  });
  return makeReport({ plan, run, outcomes, startedAt, finishedAt: clock.now() });
}
