import type { NoAnswer, Outcome, Refusal } from '../../ports/api.ts';
import type { Method } from '../../ports/transport.ts';
import type { Parsed } from './answer.ts';

/** Why an attempt may be repeated; each has its own count. */
export type Retry = 'throttled' | 'failed' | 'unreadable';

interface Verdict {
  readonly outcome: Outcome;
  /** Undefined: the outcome is final. */
  readonly retry: Retry | undefined;
  /** The service asked everybody to slow down. */
  readonly throttled: boolean;
}

/** Codes that are a final refusal, whatever their status is: most statuses are not documented. */
const REFUSALS: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_api_token',
  'insufficient_scope',
  'ip_not_allowed',
  'validation_error',
  'not_found',
  'target_already_exists',
  'template_name_exists',
  'label_name_exists',
  'quota_exceeded',
  'config_must_be_paused',
  'version_conflict',
  'idempotency_required',
  'idempotency_conflict',
]);

const GATEWAY: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/**
 * What an attempt's result means for its request (DESIGN 7). Branches on `error.code`; the status counts only where the
 * code is unknown or missing.
 *
 * | result                                          | read            | write             |
 * |-------------------------------------------------|-----------------|-------------------|
 * | success, and any other refusal                  | stands          | stands            |
 * | rate limit, unavailable: the service's own body | again           | again             |
 * | internal error, other 5xx with an error body    | again           | lost              |
 * | 429, 5xx without an error body                  | again           | lost              |
 * | unreadable in another way                       | again, less often | lost            |
 * | redirect                                        | lost            | lost              |
 * | unsent                                          | again           | again             |
 * | lost                                            | again           | lost              |
 */
export function decide(method: Method, status: number | undefined, result: Parsed | NoAnswer): Verdict {
  const read = method === 'GET';
  const stands = (outcome: Outcome): Verdict => ({ outcome, retry: undefined, throttled: false });
  switch (result.type) {
    case 'ok':
      return stands(result);
    case 'unsent':
      return { outcome: result, retry: 'failed', throttled: false };
    case 'lost':
      return { outcome: result, retry: read ? 'failed' : undefined, throttled: false };
    case 'redirect':
      return stands({ ...result, type: 'lost' });
    case 'unreadable': {
      const again = status !== undefined && GATEWAY.has(status) ? 'failed' : 'unreadable';
      return {
        outcome: { ...result, type: 'lost' },
        retry: read ? again : undefined,
        throttled: status === 429,
      };
    }
    case 'error':
      break;
  }
  if (REFUSALS.has(result.code)) return stands(result);
  if (isThrottle(result)) return { outcome: result, retry: 'throttled', throttled: true };
  if (result.code !== 'internal_error' && result.status < 500) return stands(result);
  if (read) return { outcome: result, retry: 'failed', throttled: false };
  return stands({
    type: 'lost',
    detail: `status ${result.status}: ${result.code}`,
    requestId: result.requestId,
  });
}

function isThrottle({ code, status }: Refusal): boolean {
  if (code === 'rate_limit_exceeded' || code === 'service_unavailable') return true;
  return code !== 'internal_error' && (status === 429 || status === 503);
}
