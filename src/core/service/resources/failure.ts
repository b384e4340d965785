import { type Diagnostic, problem } from '../../diagnostics/diagnostic.ts';
import type { NoAnswer, Refusal } from '../../ports/api.ts';
import type { Remedy } from '../../ports/transport.ts';

const HINTS: Readonly<Record<string, string>> = {
  invalid_api_token: 'The token has expired, was rotated or revoked, or belongs to another service.',
  insufficient_scope: 'Create a token with the missing scope in the provider’s web application.',
  ip_not_allowed: 'This machine’s address is not in the token’s allowlist.',
  rate_limit_exceeded: 'Wait a while, or lower --concurrency.',
  service_unavailable: 'Wait a while and run again.',
};

const NETWORK: Remedy = {
  code: 'service-unreachable',
  hint: 'Check the base URL and the network; `tradeform doctor` shows more.',
};

const CREDENTIALS: ReadonlySet<string> = new Set([
  'invalid_api_token',
  'insufficient_scope',
  'ip_not_allowed',
]);

/** True if the service refuses the credential: then every other write would fail too. */
export function isCredentialError(code: string): boolean {
  return CREDENTIALS.has(code);
}

/** The diagnostic for a failed request; `what` names it ("reading sniper tasks"). */
export function failureDiagnostic(outcome: Refusal | NoAnswer, what: string): Diagnostic {
  if (outcome.type !== 'error') {
    const { code, hint } = outcome.remedy ?? NETWORK;
    return failure(code, `${what}: ${outcome.detail}`, outcome.requestId, hint);
  }
  const { code, status, message, requestId } = outcome;
  const said = failure('service-error', `${what}: ${code}: ${message}`, requestId, HINTS[code]);
  return { ...said, error: { code, status } };
}

/** True if a diagnostic says that no request with this token will succeed. */
export function isTokenRefused({ code, error }: Pick<Diagnostic, 'code' | 'error'>): boolean {
  if (code === 'token-missing' || code === 'token-malformed') return true;
  return error?.code === 'invalid_api_token' || error?.code === 'ip_not_allowed';
}

/** The diagnostic for an answer that cannot be understood: it is never taken for an empty one (HAZARDS 36). */
export function unreadableDiagnostic(what: string, why: string, requestId: string | undefined): Diagnostic {
  return failure('service-unreachable', `${what}: the answer cannot be read: ${why}`, requestId);
}

function failure(
  code: Diagnostic['code'],
  text: string,
  requestId: string | undefined,
  hint?: string,
): Diagnostic {
  return problem(code, `${text}${requestId === undefined ? '' : ` (request ${requestId})`}`, hint);
}
