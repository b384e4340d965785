import type { Base } from './base.ts';
import type { Disturbance } from './kinds.ts';

/** How the runners of a case are run. */
export interface Way {
  /** `--on-failure`. */
  readonly onFailure: 'restore' | 'hold';
  /** `plan --out FILE`, then `apply FILE`; after a crash, or where something is left, the same file once more. */
  readonly saved: boolean;
}

/** `tradeform apply` without options. */
export const PLAIN: Way = { onFailure: 'restore', saved: false };

export const HOLD: Way = { onFailure: 'hold', saved: false };
export const SAVED: Way = { onFailure: 'restore', saved: true };
export const BOTH: Way = { onFailure: 'hold', saved: true };
export const WAYS: readonly Way[] = [PLAIN, HOLD, SAVED, BOTH];

/** As it stands behind the name of a world: nothing, ` +hold`, ` +saved` or both. */
export function tellWay({ onFailure, saved }: Way): string {
  return `${onFailure === 'hold' ? ' +hold' : ''}${saved ? ' +saved' : ''}`;
}

/** The reverse of {@link tellWay}: the world's name, and the way. */
export function parseWay(text: string): { readonly world: string; readonly way: Way } {
  const [, world = '', hold, saved] = /^(.*?)( \+hold)?( \+saved)?$/.exec(text) ?? [];
  return { world, way: { onFailure: hold === undefined ? 'restore' : 'hold', saved: saved !== undefined } };
}

export interface CaseOptions {
  readonly base: Base;
  readonly disturbances: readonly Disturbance[];
  readonly seed: number;
  readonly concurrency: number;
  readonly way: Way;
  /** Keeps the trace as text. */
  readonly keep?: boolean;
}

export interface Violation {
  readonly invariant: string;
  readonly text: string;
}

/** A request of a watched run as it arrived. */
export interface Seen {
  readonly method: string;
  readonly path: string;
}

/** A disturbance that had something to strike, and the request that it struck. */
export interface Strike extends Disturbance {
  readonly path: string;
}

/** What the ways of a case are there for: each must be seen to happen. */
export const EVENTS = ['held-on-purpose', 'saved-applied', 'saved-continued', 'saved-stale'] as const;

export type EventName = (typeof EVENTS)[number];

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly fired: readonly Strike[];
  readonly events: ReadonlyMap<EventName, number>;
  /** Known gaps that showed, by name. */
  readonly gaps: ReadonlyMap<string, number>;
  readonly checks: ReadonlyMap<string, number>;
  readonly hash: number;
  readonly requests: readonly Seen[];
  readonly lines: readonly string[];
}
