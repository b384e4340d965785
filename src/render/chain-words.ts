import type { Change, Operation } from '../model/generated/plan.ts';
import { count } from './layout.ts';
import { visible } from './untrusted.ts';

/** Operations by id. The `operations` of a change are such ids. */
export type OperationIndex = ReadonlyMap<string, Operation>;

export function indexOperations(operations: readonly Operation[]): OperationIndex {
  return new Map(operations.map((operation) => [operation.id, operation]));
}

/** `mark → pause → patch → resume, one pause, after label/high-risk`. Empty for a change without operations. */
export function chainWords(change: Change, index: OperationIndex): string {
  const chain = chainOf(change, index);
  if (chain.length === 0) return '';
  const steps = chain.flatMap(({ verb, read_first }) => (read_first === true ? ['read', verb] : [verb]));
  const settle = settleOf(change, index);
  const others = othersNeeded(change, chain, index);
  return [
    steps.join(' → '),
    ...(pausesForAMoment(change, index) ? ['one pause'] : []),
    ...(settle > 0
      ? [`waits ${settle / 1000} s ${steps.includes('pause') ? 'after the pause' : 'before the delete'}`]
      : []),
    ...(others.length > 0 ? [`after ${others.join(', ')}`] : []),
  ].join(', ');
}

function chainOf({ operations }: Change, index: OperationIndex): readonly Operation[] {
  return operations.flatMap((id) => index.get(id) ?? []);
}

/** A running task is paused and started again. */
export function pausesForAMoment(change: Change, index: OperationIndex): boolean {
  const steps = chainOf(change, index).map(({ verb }) => verb);
  const paused = steps.indexOf('pause');
  return change.action !== 'replace' && paused >= 0 && steps.lastIndexOf('resume') > paused;
}

/** Milliseconds that the change waits for execution nodes. */
export function settleOf(change: Change, index: OperationIndex): number {
  return chainOf(change, index).reduce((sum, { settle_ms: settle = 0 }) => sum + settle, 0);
}

const MOST_NAMED = 3;

function othersNeeded(change: Change, chain: readonly Operation[], index: OperationIndex): string[] {
  const addresses = chain
    .flatMap((operation) => operation.needs)
    .map((id) => index.get(id)?.address ?? id)
    .filter((address) => address !== change.address);
  const named = [...new Set(addresses)].map(visible);
  const rest = named.length - MOST_NAMED;
  return rest > 0 ? [...named.slice(0, MOST_NAMED), count(rest, 'other')] : named;
}
