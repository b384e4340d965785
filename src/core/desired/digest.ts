import { createHash } from 'node:crypto';
import { madeOnce } from '../model/by-key.ts';
import { inOrder } from '../model/json.ts';
import type { DesiredState } from './state.ts';

const KNOWN = new WeakMap<DesiredState, string>();

/**
 * SHA-256 of the desired state. Manifests with the same meaning have the same digest, whatever their layout. It has its own
 * file because loading Node's cryptography takes longer than validating a small project.
 */
export function manifestsDigest(state: DesiredState): string {
  return madeOnce(KNOWN, state, () => {
    const { tasks, ...rest } = state;
    const hash = createHash('sha256').update(JSON.stringify(inOrder(rest)));
    // One task at a time, so that the whole text never exists at once. Functions (the origins) are not part of JSON.
    for (const task of tasks) hash.update('\n').update(JSON.stringify(inOrder(task)));
    return hash.digest('hex');
  });
}
