import { createHash } from 'node:crypto';
import { canonicalJson } from '../model/json.ts';
import type { Answer } from '../ports/api.ts';

/**
 * The `Idempotency-Key` of a create (DESIGN 7): a hash of project, address and a counter, not of the body, so that two
 * runners that create the same resource at the same time get one resource. 64 hex digits.
 */
export function idempotencyKey(project: string, address: string, counter: number): string {
  return createHash('sha256')
    .update(canonicalJson([project, address, counter]))
    .digest('hex');
}

/** Keys are kept 24 hours; past this age a repetition could create a second resource. Milliseconds. */
export const KEY_LIFETIME = 23 * 3_600_000;

/** How long a create tries keys that earlier creates used, with one reading each. Milliseconds. */
export const SEARCH_AMONG_TAKEN = 10 * 60_000;

/** How long a run assumes that refusals without a visible cause are remembered ones. Milliseconds. */
export const SEARCH_AMONG_REFUSED = 10_000;

/** In a replay, `created_at` is older than the answer by at least this. Milliseconds; `Date` has whole seconds. */
const REPLAY_AGE = 2_000;

type Dated = Pick<Answer, 'data' | 'date' | 'replayed' | 'repeated'>;

/**
 * True if a `201` may be the answer to an earlier create with the same key, whose resource may be gone: it is old, its
 * body is that of another request, or a throttled request before it may have been carried out.
 */
export function mayBeReplay(answer: Dated): boolean {
  return answer.replayed === true || answer.repeated === true || isOld(answer);
}

/** True if the resource is older than its answer; also true without a `Date`, because then nobody can tell. */
export function isOld({ data, date }: Dated): boolean {
  const created = typeof data?.created_at === 'string' ? Date.parse(data.created_at) : Number.NaN;
  return date === undefined || Number.isNaN(created) || Math.abs(date - created) >= REPLAY_AGE;
}
