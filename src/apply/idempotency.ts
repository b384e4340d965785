import { createHash } from 'node:crypto';
import { canonicalJson } from '../model/json.ts';

/**
 * The `Idempotency-Key` of a create (DESIGN 7): from project, address and a counter, not from the body, so that two
 * runners that create the same thing at the same time get one resource. 64 hex digits.
 */
export function idempotencyKey(project: string, address: string, counter: number): string {
  return createHash('sha256')
    .update(canonicalJson([project, address, counter]))
    .digest('hex');
}

/** Keys are kept 24 hours; past this age a repetition could create a second resource. Milliseconds. */
export const KEY_LIFETIME = 23 * 3_600_000;

export const MOST_COUNTERS = 8;

/** A replay shows a `created_at` that is older than its own answer. Milliseconds; `Date` has whole seconds. */
const REPLAY_AGE = 2_000;

/** Whether a `201` may be the answer to an earlier create with the same key; without a `Date` nobody can say. */
export function mayBeReplay(createdAt: string | undefined, date: number | undefined): boolean {
  const created = Date.parse(createdAt ?? '');
  return date === undefined || Number.isNaN(created) || Math.abs(date - created) >= REPLAY_AGE;
}
