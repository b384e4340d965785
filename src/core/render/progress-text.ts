import { count } from '../model/named.ts';
import type { ProgressEvent } from '../ports/output.ts';
import { clip, padEnd } from './layout.ts';
import { visible } from './untrusted.ts';

/** One task in progress. */
interface Chain {
  readonly steps: number;
  readonly step: number;
  readonly doing: string;
  /** When it was switched off. */
  readonly off?: number;
}

/** The state of running work: events combined into a value that can be drawn at any time. */
export interface ProgressState {
  readonly total: number;
  readonly doing: string;
  /** How each address ended that did. */
  readonly ended: ReadonlyMap<string, keyof typeof ENDINGS>;
  readonly chains: ReadonlyMap<string, Chain>;
  /** The number of items read so far, by collection. */
  readonly reading: ReadonlyMap<string, number>;
  /** Why everything waits, if it does. */
  readonly waiting: string | undefined;
}

/** `total`: the number of addresses to work on. 0 while the run only reads. */
export function emptyProgress(total: number, doing = 'Applying'): ProgressState {
  return { total, doing, ended: new Map(), chains: new Map(), reading: new Map(), waiting: undefined };
}

export function foldProgress(state: ProgressState, event: ProgressEvent, elapsedMs: number): ProgressState {
  switch (event.type) {
    case 'read':
      return {
        ...state,
        waiting: undefined,
        reading: new Map(state.reading).set(event.collection, event.items),
      };
    case 'read-again':
      return { ...state, reading: new Map() };
    case 'work':
      return { ...state, total: event.total };
    case 'chain-start':
      return withChain(state, event.address, { ...NEW, steps: event.steps });
    case 'chain-again':
      return withChain(state, event.address, { ...NEW, doing: `${visible(event.reason)}; trying again` });
    case 'step-start': {
      const chain = state.chains.get(event.address) ?? NEW;
      const doing = DOING[event.verb] ?? event.verb;
      return withChain(state, event.address, { ...chain, step: chain.step + 1, doing });
    }
    case 'step-done': {
      const chain = state.chains.get(event.address);
      if (chain === undefined || event.verb !== 'pause') return { ...state, waiting: undefined };
      return withChain(state, event.address, { ...chain, off: elapsedMs });
    }
    case 'waiting': {
      const text = `waiting ${seconds(event.ms)}: ${visible(event.reason)}`;
      const chain = event.address === undefined ? undefined : state.chains.get(event.address);
      if (event.address === undefined || chain === undefined) return { ...state, waiting: text };
      return withChain(state, event.address, { ...chain, doing: text });
    }
    case 'chain-end': {
      const chains = new Map(state.chains);
      chains.delete(event.address);
      return { ...state, chains, ended: new Map(state.ended).set(event.address, event.status) };
    }
  }
}

const NEW: Chain = { steps: 0, step: 0, doing: '' };

/** The steps of a change in words of trading. */
const DOING: Readonly<Record<string, string>> = {
  create: 'creating',
  mark: 'preparing',
  pause: 'switching off',
  patch: 'changing',
  resume: 'switching on again',
  delete: 'deleting',
};

function withChain(state: ProgressState, address: string, chain: Chain): ProgressState {
  return { ...state, waiting: undefined, chains: new Map(state.chains).set(address, chain) };
}

const MOST_ROWS = 10;

/**
 * The live area of a terminal: counts and elapsed time, then one line for each task in progress. No line is wider than `columns`.
 */
export function progressArea(state: ProgressState, elapsedMs: number, columns: number): string[] {
  const chains = [...state.chains];
  const width = Math.min(40, Math.max(0, ...chains.map(([address]) => address.length)));
  const rows = chains.slice(0, MOST_ROWS).map(([address, { step, steps, doing, off }]) => {
    const steps_ = step * steps === 0 ? '' : `${Math.min(step, steps)}/${steps} `;
    const since = off === undefined ? '' : `off ${seconds(elapsedMs - off)}, `;
    return `  ${padEnd(visible(address), width)}  ${steps_}${since}${doing}`.trimEnd();
  });
  const more = chains.length - rows.length;
  return [
    [headText(state), clockText(elapsedMs)].join(' · '),
    ...rows,
    ...(more > 0 ? [`  … ${more} more`] : []),
    ...(state.waiting === undefined ? [] : [`  ${state.waiting}`]),
  ].map((line) => clip(line, Math.max(20, columns - 1)));
}

function headText({ total, doing, ended, reading }: ProgressState): string {
  if (total === 0) {
    const items = [...reading.values()].reduce((sum, value) => sum + value, 0);
    return `Reading the live state: ${count(items, 'item')}`;
  }
  const bad = (['failed', 'skipped', 'unknown'] as const).flatMap((status) => {
    const { length } = [...ended.values()].filter((how) => how === status);
    return length === 0 ? [] : [`${length} ${status}`];
  });
  return [`${doing} ${ended.size} of ${total}`, ...bad].join(' · ');
}

const ENDINGS = {
  done: 'done',
  already: 'was done already',
  failed: 'FAILED',
  skipped: 'skipped',
  unknown: 'UNKNOWN',
};

/** The permanent line after something has ended. Undefined for an event that needs none. `did` says what "done" means. */
export function progressLine(event: ProgressEvent, verbose: boolean, did = ''): string | undefined {
  switch (event.type) {
    case 'chain-end': {
      // The report at the end has the reasons.
      const text = event.status === 'done' && did !== '' ? `: ${visible(did)}` : '';
      return `${visible(event.address)} ${ENDINGS[event.status]}${text}`;
    }
    case 'chain-again':
      return `still running: ${visible(event.address)} (${visible(event.reason)}); trying again`;
    case 'waiting':
      return event.ms < LONG_WAIT_MS && !verbose
        ? undefined
        : `${event.address === undefined ? '' : `${visible(event.address)} `}waiting ${seconds(event.ms)}: ${visible(event.reason)}`;
    case 'read-again':
      return `reading again: ${visible(event.reason)}`;
    case 'read':
      return verbose && event.done ? `read ${event.collection}: ${count(event.items, 'item')}` : undefined;
    case 'step-done':
      return verbose ? `${visible(event.address)} ${event.verb} done` : undefined;
    default:
      return undefined;
  }
}

/** Shorter waits do not get a line in a log. */
const LONG_WAIT_MS = 5_000;

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

function clockText(ms: number): string {
  const total = Math.floor(Math.max(0, ms) / 1000);
  return `${Math.floor(total / 60)}:${String(total % 60).padStart(2, '0')}`;
}
