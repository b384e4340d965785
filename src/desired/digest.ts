import { createHash } from 'node:crypto';
import { inOrder } from '../model/json.ts';
import type { DesiredState } from './state.ts';

const KNOWN = new WeakMap<DesiredState, string>();

/**
 * SHA-256 of the desired state: equal for manifests that want the same, whatever their layout. A file of its own, since
 * loading Node's cryptography takes longer than validating a small project.
 */
export function manifestsDigest(state: DesiredState): string {
  const digest = KNOWN.get(state) ?? digestOf(state);
  KNOWN.set(state, digest);
  return digest;
}

function digestOf({ tasks, ...rest }: DesiredState): string {
  const hash = createHash('sha256').update(JSON.stringify(inOrder(rest)));
  // One by one, so that there is never a copy of all. Functions (the origins) are no part of JSON and drop out.
  for (const task of tasks) hash.update('\n').update(JSON.stringify(inOrder(task)));
  return hash.digest('hex');
}
