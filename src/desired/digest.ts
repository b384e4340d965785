import { createHash } from 'node:crypto';
import { inOrder } from '../model/json.ts';
import type { DesiredState } from './state.ts';

/**
 * SHA-256 of the desired state: equal for manifests that want the same, whatever their layout. A file of its own, since
 * loading Node's cryptography takes longer than validating a small project.
 */
export function manifestsDigest(state: DesiredState): string {
  // Functions (the origins) are no part of JSON and drop out.
  return createHash('sha256')
    .update(JSON.stringify(inOrder(state)))
    .digest('hex');
}
