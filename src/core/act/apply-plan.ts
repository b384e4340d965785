import { setMaxListeners } from 'node:events';
import type { Operation, Plan } from '../model/generated/plan.ts';
import { given } from '../model/given.ts';
import { type ChainOutcome, ChainState, type OperationStatus } from './chain-state.ts';
import type { Chain } from './chains.ts';
import { afterFailure } from './cleanup.ts';
import { carriedOutByAnother } from './concurrent-apply.ts';
import { type Done, type Failed, failed } from './outcome.ts';
import { type ApplyResult, makeReport } from './report.ts';
import { Interrupted } from './requests.ts';
import { type ApplyDeps, Run } from './run.ts';
import { runOperation } from './run-operation.ts';
import type { Turn } from './scheduler.ts';

/**
 * Applies a plan on the service and reports (DESIGN 3, 6 and 7). It sends only the operations of the plan, and what is
 * needed to complete a change or to leave it in a safe state. Resolves for every answer of the service.
 * @throws Error if the operations of the plan contradict each other; then nothing was sent.
 */
export async function applyPlan(plan: Plan, deps: ApplyDeps): Promise<ApplyResult> {
  const { clock, stop } = deps;
  const startedAt = clock.now();
  // Every request in flight listens.
  setMaxListeners(0, stop.soft, stop.hard);
  const run = new Run(plan, deps);
  const outcomes = new Map<string, ChainOutcome>();
  await Promise.all(
    run.chains.map(async (chain) => {
      const turn = run.scheduler.turn(chain);
      outcomes.set(chain.change.address, await runChain(chain, run, turn).finally(turn.end));
    }),
  );
  return makeReport(run, outcomes, { startedAt, finishedAt: clock.now() });
}

/** Runs one chain to its end. Never rejects. */
async function runChain(chain: Chain, run: Run, turn: Turn): Promise<ChainOutcome> {
  // A plan may have many chains: no state is kept for a chain before its turn. What it waits for is checked again below.
  await turn.ready(0).catch(() => undefined);
  const state = new ChainState(chain, run, turn);
  const ending = await carryOut(state, turn).catch(thrown);
  const outcome = await outcomeOf(state, ending, turn);
  run.deps.progress.emit({
    type: 'chain-end',
    address: chain.change.address,
    status: endingOf(outcome),
    text: outcome.text,
  });
  return outcome;
}

function endingOf({ status }: ChainOutcome): 'done' | 'failed' | 'skipped' | 'unknown' {
  if (status === 'held') return 'done';
  return status === 'blocked' ? 'skipped' : status;
}

/** The end of the operations: done, not begun, or failed at one of them. */
type Ending = 'done' | { readonly skipped: string } | Failed;

async function carryOut(state: ChainState, turn: Turn): Promise<Ending> {
  for (const [place, operation] of state.chain.operations.entries()) {
    state.place = place;
    const text = (await turn.ready(place)) ?? (place === 0 ? begin(state) : undefined);
    // A chain that has begun may have left its task paused.
    if (text !== undefined) return state.begun ? failed({ kind: 'needs', text }) : { skipped: text };
    // Of a start here, too, and not only when it is sent: whoever interrupts this reading knows that no start is under way.
    if (place === 0 || operation.verb === 'resume') {
      const frozen = await state.run.freeze.before(state.chain.change, place === 0);
      if (frozen !== undefined) return failed(frozen);
    }
    if (operation.verb === 'delete') await waitAfterPause(state, operation);
    const outcome = await runOperation(state, operation);
    if (outcome.type === 'failed') return outcome;
    state.conclude(operation, statusOf(outcome));
    turn.done(operation);
    if (outcome.how === 'complete') {
      complete(state, turn);
      return 'done';
    }
    if (operation.verb !== 'delete') await waitAfterPause(state, operation);
  }
  return 'done';
}

async function outcomeOf(state: ChainState, ending: Ending, turn: Turn): Promise<ChainOutcome> {
  if (ending === 'done') {
    const { chain, resources } = state;
    const isOff = chain.change.held && resources.tasks().every(({ gone, known }) => gone || !known.is_active);
    return state.outcome('done', [], isOff ? { held: true } : {});
  }
  if ('skipped' in ending) return state.outcome('skipped', [ending.skipped]);
  try {
    if (await carriedOutByAnother(state, ending)) {
      complete(state, turn);
      return state.outcome('done', []);
    }
    return await afterFailure(state, ending);
  } catch (error) {
    // Cleaning up was interrupted too: nothing more is sent.
    const { failure } = thrown(error);
    const { text, error: first } = ending.failure;
    return await afterFailure(
      state,
      failed({ ...failure, text: `${text} ${failure.text}`, ...given({ error: first }) }),
    );
  }
}

/** Why the chain must not begin; undefined if it has begun. */
function begin({ chain, run }: ChainState): string | undefined {
  const { kind, address } = chain.change;
  const fields = run.altered.get(kind);
  const writesConfig = chain.operations.some(({ body }) => body?.config !== undefined);
  if (fields !== undefined && writesConfig) {
    return `Not carried out: the service does not store configs of this kind as they were sent (${fields.join(', ')}).`;
  }
  run.deps.progress.emit({ type: 'chain-start', address, steps: chain.operations.length });
  return undefined;
}

function statusOf({ how }: Done): OperationStatus {
  if (how === 'left-out') return 'failed';
  return how === 'complete' || how === 'already' ? 'already' : 'done';
}

/** Another apply did the rest. */
function complete(state: ChainState, turn: Turn): void {
  for (const operation of state.chain.operations) {
    state.conclude(operation, 'already');
    turn.done(operation);
  }
  if (state.foundId !== undefined) state.created(state.foundId);
  state.resumed();
  state.notes.push('Another apply carried it out.');
}

/** A pause is stored at once, but execution nodes may use the old state for a short time. */
async function waitAfterPause(state: ChainState, operation: Operation): Promise<void> {
  const { address, settle_ms: ms } = operation;
  if (ms === undefined || ms <= 0) return;
  const { requests } = state;
  const begun = requests.clock.now();
  state.run.deps.progress.emit({ type: 'waiting', address, reason: 'settling after the pause', ms });
  await requests.sleep(ms);
  state.settled(requests.clock.now() - begun);
}

function thrown(error: unknown): Failed {
  if (!(error instanceof Interrupted)) {
    const message = error instanceof Error ? error.message : String(error);
    return failed({ kind: 'internal', text: `A bug in tradeform: ${message}` });
  }
  return error.inFlight
    ? failed({
        kind: 'unknown',
        text: 'Interrupted: it is unknown whether the last request was carried out.',
      })
    : failed({ kind: 'interrupted', text: 'Interrupted part-way.' });
}
