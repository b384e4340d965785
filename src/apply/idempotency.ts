import { createHash } from 'node:crypto';
import { canonicalJson } from '../model/json.ts';
import type { Answer } from '../ports/api.ts';

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

/** For how long a create goes through keys that earlier ones have taken, one reading each. Milliseconds. */
export const SEARCH_AMONG_TAKEN = 10 * 60_000;

/** For how long a run takes refusals without a cause that can be seen for memories. Milliseconds. */
export const SEARCH_AMONG_REFUSED = 10_000;

/** A replay shows a `created_at` that is older than its own answer. Milliseconds; `Date` has whole seconds. */
const REPLAY_AGE = 2_000;

type Dated = Pick<Answer, 'data' | 'date' | 'replayed' | 'repeated'>;

/**
 * Whether a `201` may answer an earlier create with the same key, whose resource may be gone: it is old, its body is that of
 * another request, or a throttled sending before it may have been carried out.
 */
export function mayBeReplay(answer: Dated): boolean {
  return answer.replayed === true || answer.repeated === true || isOld(answer);
}

/** By the age of what it shows; without a `Date` nobody can say. */
export function isOld({ data, date }: Dated): boolean {
  const created = typeof data?.created_at === 'string' ? Date.parse(data.created_at) : Number.NaN;
  return date === undefined || Number.isNaN(created) || Math.abs(date - created) >= REPLAY_AGE;
}
