import { parseJson } from '../core/model/json.ts';
import type { HttpResponse } from '../core/ports/transport.ts';
import type { Choices } from './choices.ts';
import type { Change } from './records.ts';
import { Refused } from './refusal.ts';

/** An incoming request: `HttpRequest` of the transport port, with any method. */
export interface SandboxRequest {
  readonly method: string;
  /** The path below the base URL, with the query. */
  readonly path: string;
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The length of the raw body, if `body` does not tell it. */
  readonly bodyBytes?: number;
  readonly callerIp?: string;
}

/** What a request depends on besides the state. The service function reads no clock and no randomness by itself. */
export interface SandboxEnv {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A new UUID on each call. */
  newId(): string;
  readonly choices: Choices;
}

export interface Handled {
  readonly response: HttpResponse;
  readonly changes: readonly Change[];
}

export const BODY_LIMIT = 64 * 1024;

export interface ParsedRequest {
  readonly method: string;
  readonly pathname: string;
  readonly query: ReadonlyMap<string, string>;
  readonly repeatedQuery: boolean;
  readonly body: string;
  readonly bodyBytes: number;
  readonly callerIp: string;
  header(name: string): string | undefined;
}

export function parseRequest(request: SandboxRequest): ParsedRequest {
  const headers = new Map(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const end = request.path.indexOf('?');
  const parameters = [...new URLSearchParams(end < 0 ? '' : request.path.slice(end + 1))];
  const query = new Map(parameters);
  const body = request.body ?? '';
  return {
    method: request.method,
    pathname: end < 0 ? request.path : request.path.slice(0, end),
    query,
    repeatedQuery: query.size !== parameters.length,
    body,
    bodyBytes: request.bodyBytes ?? Buffer.byteLength(body),
    callerIp: request.callerIp ?? '127.0.0.1',
    header: (name) => headers.get(name),
  };
}

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json(?:\s*;.*)?$/i;

/** Parses a body and checks its size, `Content-Type` and syntax (interface, "Conventions that apply to every write body"). */
export function parseBody(request: ParsedRequest, choices: Choices): unknown {
  expectSize(request);
  if (choices.content_type === 'required' && !JSON_TYPE.test(request.header('content-type') ?? '')) {
    throw new Refused('invalid_request', 'The body must be sent as application/json.');
  }
  const value = parseJson(request.body);
  if (value === undefined) throw new Refused('invalid_request', 'The body is not JSON.');
  expectStorable(value, MAX_DEPTH);
  return value;
}

/** Deeper bodies would overflow the stack of every recursive function that reads them. */
const MAX_DEPTH = 64;

/** Refuses values that would be stored differently than they were sent: `1e400` would come back as null. */
function expectStorable(value: unknown, depth: number): void {
  if (
    typeof value === 'number' &&
    (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value))
  )
    throw new Refused('invalid_request', 'The body holds a number that is out of range.');
  if (typeof value !== 'object' || value === null) return;
  if (depth === 0) throw new Refused('invalid_request', 'The body is nested too deeply.');
  for (const item of Object.values(value)) expectStorable(item, depth - 1);
}

/** pause, resume and DELETE take no body. */
export function expectNoBody(request: ParsedRequest, choices: Choices): void {
  expectSize(request);
  if (request.bodyBytes > 0 && choices.action_body === 'invalid_request') {
    throw new Refused('invalid_request', 'This operation takes no body.');
  }
}

function expectSize({ bodyBytes }: ParsedRequest): void {
  if (bodyBytes > BODY_LIMIT) {
    throw new Refused('invalid_request', `The body is larger than ${BODY_LIMIT} bytes.`);
  }
}

const IF_MATCH = /^"v([1-9][0-9]*)"$/;

/** The version of `If-Match` (pattern `^"v[1-9][0-9]*"$`). */
export function parseIfMatch(request: ParsedRequest, choices: Choices): number {
  const value = request.header('if-match');
  if (value === undefined) throw new Refused(choices.if_match_missing, 'If-Match is required.');
  const match = IF_MATCH.exec(value);
  if (match === null) throw new Refused('invalid_request', 'If-Match does not have the form "v<version>".');
  return Number(match[1]);
}

const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{8,128}$/;

export function parseIdempotencyKey(request: ParsedRequest, choices: Choices): string {
  const value = request.header('idempotency-key');
  if (value === undefined || value === '') {
    throw new Refused('idempotency_required', 'Idempotency-Key is required.');
  }
  if (!IDEMPOTENCY_KEY.test(value)) {
    throw new Refused(
      choices.idempotency_key_malformed,
      'Idempotency-Key takes 8 to 128 characters of A-Z a-z 0-9 . _ : -',
    );
  }
  return value;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
