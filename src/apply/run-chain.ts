import type { Operation } from '../model/generated/plan.ts';
import { type ChainOutcome, ChainState, type OperationStatus } from './chain-state.ts';
import type { Chain } from './chains.ts';
import { afterFailure } from './cleanup.ts';
import { carriedOutByAnother } from './concurrent-apply.ts';
import { type Failure, isCredentialError } from './failure.ts';
import { Interrupted } from './requests.ts';
import type { Run } from './run.ts';
import { type Performed, perform } from './run-operation.ts';
import type { Hindrance, Turn } from './scheduler.ts';
import type { Hand } from './task-step.ts';

type Ending =
  | { readonly type: 'done' }
  | { readonly type: 'skipped'; readonly text: string }
  | { readonly type: 'failed'; readonly failure: Failure; readonly hand?: Hand };

/** Where a chain stands, for whoever has to clean up after an exception. */
interface Cursor {
  place: number;
}

/** Carries one chain out, from its first open operation to its end, whatever that is. Never rejects. */
export async function runChain(chain: Chain, run: Run, turn: Turn): Promise<ChainOutcome> {
  const already = chain.done === chain.operations.length;
  // A plan may have many chains: nothing is kept for one before its turn. What hinders it is asked for again below.
  if (!already) await turn.ready(chain.done).catch(() => undefined);
  const state = new ChainState(chain, run);
  const outcome = already ? state.outcome('done', []) : await attempt(state, turn);
  const { status, text } = outcome;
  run.deps.progress.emit({
    type: 'chain-end',
    address: chain.change.address,
    status: outcome.already ? 'already' : status === 'held' ? 'done' : status,
    text,
  });
  return outcome;
}

async function attempt(state: ChainState, turn: Turn): Promise<ChainOutcome> {
  const cursor: Cursor = { place: state.chain.done };
  state.wire.aside = turn.aside;
  const ending = await work(state, turn, cursor).catch(
    (error: unknown): Ending => ({ type: 'failed', failure: thrown(error) }),
  );
  switch (ending.type) {
    case 'done':
      return state.outcome('done', []);
    case 'skipped':
      return state.outcome('skipped', [ending.text]);
    case 'failed': {
      const { failure, hand } = ending;
      try {
        if (await carriedOutByAnother(state, failure, hand)) {
          complete(state, turn);
          return state.outcome('done', []);
        }
        return await afterFailure(state, { failure, hand, place: cursor.place });
      } catch (error) {
        // Cleaning up was itself cut short: nothing more is sent.
        const { kind, text } = thrown(error);
        const cut: Failure = { ...failure, kind, text: `${failure.text} ${text}` };
        return await afterFailure(state, { failure: cut, hand: undefined, place: cursor.place });
      }
    }
  }
}

async function work(state: ChainState, turn: Turn, cursor: Cursor): Promise<Ending> {
  const { operations, done } = state.chain;
  for (const [place, operation] of operations.entries()) {
    if (place < done) continue;
    cursor.place = place;
    const hindrance = await turn.ready(place);
    if (hindrance !== undefined) return hindered(state, hindrance);
    if (place === done) {
      const obstacle = begin(state);
      if (obstacle !== undefined) return { type: 'skipped', text: obstacle };
    }
    if (operation.verb === 'delete') await settle(state, operation);
    const performed = await told(state, operation, place);
    if (performed.type === 'failed') return performed;
    state.statuses.set(operation.id, statusOf(performed));
    turn.done(operation);
    if (performed.type === 'complete') {
      complete(state, turn);
      return { type: 'done' };
    }
    if (operation.verb !== 'delete') await settle(state, operation);
  }
  return { type: 'done' };
}

function begin({ chain, run }: ChainState): string | undefined {
  const { kind, address } = chain.change;
  const fields = run.alteredFields(kind);
  const writesConfig = chain.operations.slice(chain.done).some(({ body }) => body?.config !== undefined);
  if (fields !== undefined && writesConfig) {
    return `Not started: the service does not store configs of this kind as they are sent (${fields.join(', ')}).`;
  }
  run.deps.progress.emit({ type: 'chain-start', address, steps: chain.operations.length });
  return undefined;
}

async function told(state: ChainState, operation: Operation, place: number): Promise<Performed> {
  const { progress } = state.run.deps;
  const { address, verb, id } = operation;
  progress.emit({ type: 'step-start', address, verb, operation: id });
  const performed = await perform(state, operation, place);
  if (performed.type === 'failed') {
    const code = performed.failure.error?.code;
    if (code !== undefined && isCredentialError(code)) state.run.credentialRefused(code);
  } else {
    progress.emit({ type: 'step-done', address, verb, operation: id });
  }
  return performed;
}

function statusOf(performed: Exclude<Performed, { type: 'failed' }>): OperationStatus {
  if (performed.type === 'left-out') return 'failed';
  return performed.type === 'complete' || performed.already === true ? 'already' : 'done';
}

/** Another apply has done the rest. */
function complete(state: ChainState, turn: Turn): void {
  const { chain, run } = state;
  for (const operation of chain.operations) {
    if (state.statuses.get(operation.id) === 'not-started') state.statuses.set(operation.id, 'already');
    turn.done(operation);
  }
  if (state.foundId !== undefined) {
    state.createdId = state.foundId;
    run.created.set(chain.change.address, state.foundId);
  }
  state.resumed();
  state.notes.push('Another apply has carried it out.');
}

/** A pause is stored at once, while execution nodes may act on the old state for a short time. */
async function settle(state: ChainState, { address, settle_ms: ms }: Operation): Promise<void> {
  if (ms === undefined || ms <= 0) return;
  const { wire } = state;
  const begun = wire.clock.now();
  state.run.deps.progress.emit({ type: 'waiting', address, reason: 'settling after the pause', ms });
  await wire.sleep(ms);
  if (state.pausedAt !== undefined) state.settledMs += wire.clock.now() - begun;
}

function hindered(state: ChainState, hindrance: Hindrance): Ending {
  if (hindrance.type === 'closed') {
    const text = state.run.closed ?? 'Not started.';
    return state.begun ? { type: 'failed', failure: { kind: 'needs', text } } : { type: 'skipped', text };
  }
  const text = `${hindrance.address}, which this needs, was not carried out.`;
  return state.begun ? { type: 'failed', failure: { kind: 'needs', text } } : { type: 'skipped', text };
}

function thrown(error: unknown): Failure {
  if (!(error instanceof Interrupted)) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'internal', text: `A bug in tradeform: ${message}` };
  }
  return error.inFlight
    ? { kind: 'unknown', text: 'Interrupted: whether the last request was carried out is not known.' }
    : { kind: 'interrupted', text: 'Interrupted part-way.' };
}
