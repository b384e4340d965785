import { timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { JsonObject } from '../core/model/json.ts';
import type { Change, StoredAccount, StoredToken } from './records.ts';
import { Refused } from './refusal.ts';
import type { ParsedRequest, SandboxEnv } from './request.ts';
import type { SandboxState } from './state.ts';

/** The input of an operation, once the caller is known and authorized. */
export interface Context extends Credential {
  readonly state: SandboxState;
  readonly request: ParsedRequest;
  readonly env: SandboxEnv;
}

/** The result of an operation, before it becomes an HTTP answer. */
export interface OperationOutcome {
  readonly status: number;
  /** `data` of the envelope. Undefined for an answer without a body. */
  readonly data?: JsonObject | null;
  /** The same as JSON text, instead of `data`: pages are assembled from cached texts. */
  readonly dataText?: string;
  readonly etag?: number;
  /** A list carries no `X-Request-Id`; the envelope of a write may report persistence and propagation. */
  readonly of: 'list' | 'resource' | 'write';
  readonly changes?: readonly Change[];
}

interface Credential {
  readonly token: StoredToken;
  readonly account: StoredAccount;
}

const BEARER = /^Bearer svc_live_([a-f0-9]{8})\.([\x21-\x7e]+)$/;

/** The account of the bearer token (interface, "Authentication"). A rotation makes the former secret invalid at once. */
export function authenticate(state: SandboxState, request: ParsedRequest, env: SandboxEnv): Credential {
  const match = BEARER.exec(request.header('authorization') ?? '');
  const token = state.tokens.get(match?.[1] ?? '');
  const account = state.accounts.get(token?.account ?? '');
  if (token === undefined || account === undefined || !sameText(match?.[2] ?? '', token.secret)) {
    throw new Refused('invalid_api_token', 'The API token is missing, malformed or not accepted.');
  }
  if (token.expires_at !== null && token.expires_at <= env.now) {
    throw new Refused(env.choices.expired_token_code, 'The API token has expired.');
  }
  return { token, account };
}

/** Checks allowlist and scope, in the chosen order. Without scopes, any valid token is accepted. */
export function authorize(
  { token }: Credential,
  scopes: readonly string[],
  callerIp: string,
  env: SandboxEnv,
): void {
  const checks = [() => checkAddress(token, callerIp), () => checkScope(token, scopes)];
  if (env.choices.credential_order === 'scope-first') checks.reverse();
  for (const check of checks) check();
}

function checkScope(token: StoredToken, scopes: readonly string[]): void {
  if (scopes.length > 0 && !scopes.some((scope) => token.scopes.includes(scope))) {
    throw new Refused('insufficient_scope', `The token lacks the scope ${scopes.join(' or ')}.`);
  }
}

function checkAddress(token: StoredToken, callerIp: string): void {
  if (token.ip_allowlist === null) return;
  if (!token.ip_allowlist.some((entry) => allows(entry, callerIp))) {
    throw new Refused('ip_not_allowed', 'The caller address is not on the allowlist of the token.');
  }
}

function allows(entry: string, address: string): boolean {
  const plain = address.replace(/^::ffff:/, '');
  const [network = '', bits] = entry.split('/');
  if (bits === undefined) return network === plain;
  if (!isIPv4(network) || !isIPv4(plain)) return false;
  const shift = 2 ** (32 - Number(bits));
  return Math.floor(toNumber(network) / shift) === Math.floor(toNumber(plain) / shift);
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function sameText(given: string, known: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(known)];
  return a.length === b.length && timingSafeEqual(a, b);
}
