/** Milliseconds. */
export interface WaitLimits {
  readonly first: number;
  readonly most: number;
  /** The longest wait that a `Retry-After` can ask for. */
  readonly mostAsked: number;
}

const HTTP_DATE = /^[A-Za-z]{3,9},? .*(?:GMT|UTC|\d{4})$/;

/**
 * `Retry-After` in milliseconds: from seconds, or from a date, compared with the answer's own `Date` (the local clock
 * may be wrong) or with `now`. Undefined if it is absent or unreadable; never below 0.
 */
export function parseRetryAfter(
  header: string | undefined,
  answered: number | undefined,
  now: number,
): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - (answered ?? now));
}

/**
 * Exponential backoff in milliseconds; `attempt` counts from 1. With `chance`, a number in [0, 1), half of the wait is
 * fixed and half random; without it, the wait is fixed.
 */
export function backoff(attempt: number, { first, most }: Omit<WaitLimits, 'mostAsked'>, chance = 1): number {
  const full = Math.min(most, first * 2 ** Math.min(30, attempt - 1));
  return full / 2 + (full / 2) * chance;
}
