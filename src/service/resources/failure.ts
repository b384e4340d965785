import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { NoAnswer, Refusal } from '../../ports/api.ts';

const HINTS: Readonly<Record<string, string>> = {
  invalid_api_token: 'The token was rotated, revoked or has expired, or belongs to another service.',
  insufficient_scope: 'Create a token with the missing scope in the provider’s web application.',
  ip_not_allowed: 'This machine’s address is not in the token’s allowlist.',
  rate_limit_exceeded: 'Wait a while, or lower --concurrency.',
  service_unavailable: 'Wait a while and run again.',
};

/** What a request that did not succeed means for people; `what` names it ("reading sniper tasks"). */
export function failureDiagnostic(outcome: Refusal | NoAnswer, what: string): Diagnostic {
  const request = outcome.requestId === undefined ? '' : ` (request ${outcome.requestId})`;
  if (outcome.type === 'error') {
    const hint = HINTS[outcome.code];
    return {
      severity: 'error',
      code: 'service-error',
      message: `${what}: ${outcome.code}: ${outcome.message}${request}`,
      ...(hint === undefined ? {} : { hint }),
    };
  }
  return {
    severity: 'error',
    code: 'service-unreachable',
    message: `${what}: ${outcome.detail}${request}`,
    hint: 'Check the base URL and the network; `tradeform doctor` tells more.',
  };
}

/** An answer that came but cannot be understood: never taken for an empty one (HAZARDS 36). */
export function unreadableDiagnostic(
  what: string,
  problem: string,
  requestId: string | undefined,
): Diagnostic {
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  return {
    severity: 'error',
    code: 'service-unreachable',
    message: `${what}: the answer cannot be read: ${problem}${request}`,
  };
}
