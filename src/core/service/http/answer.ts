import { isObject, type JsonObject, parseJson } from '../../model/json.ts';
import type { Answer, Refusal } from '../../ports/api.ts';
import type { HttpResponse, Method } from '../../ports/transport.ts';

/** The content of one complete HTTP answer (interface, "Envelopes" and "Errors"). */
export type Parsed =
  | Answer
  | Refusal
  /**
   * Not in the service's form: a gateway's page, a truncated document, a redirect. `requestId` only if it was readable.
   */
  | {
      readonly type: 'unreadable' | 'redirect';
      readonly detail: string;
      readonly status: number;
      readonly requestId: string | undefined;
    };

type Hide = (text: string) => string;

const BOUNDS = { code: 64, message: 500, fields: 20, field: 200, requestId: 128 } as const;
const SUCCESS: ReadonlySet<number> = new Set([200, 201, 202, 204]);

/**
 * Parses an answer. A success needs the documented envelope: `data` as an object, and no `error`; only a DELETE may
 * have an empty body (its status for labels is not documented). An error needs the service's own error body. Anything
 * else is `unreadable`, whatever its status: a gateway's 404 is not the service's `not_found`.
 */
export function parseAnswer(method: Method, response: HttpResponse, hide: Hide): Parsed {
  const { status, headers } = response;
  const body = parseJson(response.body);
  const requestId = findRequestId(body, headers, hide);
  const not = (detail: string): Parsed => ({
    type: 'unreadable',
    detail: `status ${status}, ${detail}`,
    status,
    requestId,
  });

  if (status >= 300 && status < 400) {
    return {
      type: 'redirect',
      detail: `status ${status}: redirects are refused; check the base URL`,
      status,
      requestId,
    };
  }
  if (status >= 400) {
    return (
      readRefusal(status, body, requestId, hide) ??
      not(`without an error of the service${looksLike(response)}`)
    );
  }
  if (!SUCCESS.has(status)) return not('an unexpected status');
  const ok = (data: JsonObject | null): Answer => ({
    type: 'ok',
    status,
    data,
    version: parseETag(headers.etag),
    requestId,
    date: parseDate(headers.date),
    ...(isOfAnother(body, headers) ? { replayed: true } : {}),
  });
  if (method === 'DELETE' && response.body.trim() === '') return ok(null);
  if (!isObject(body)) return not(`not a JSON answer of the service${looksLike(response)}`);
  if (body.error !== undefined && body.error !== null) return not('an error in a successful answer');
  if (isObject(body.data)) return ok(body.data);
  return method === 'DELETE' ? ok(null) : not('no data in the body');
}

/** Parses `"v3"`, or `W/"v3"` as gateways weaken it, to 3; anything else to undefined. */
function parseETag(header: string | undefined): number | undefined {
  const digits = /^(?:W\/)?"v([1-9][0-9]*)"$/.exec(header?.trim() ?? '')?.[1];
  const version = Number(digits);
  return Number.isSafeInteger(version) ? version : undefined;
}

/** A `Date` header in milliseconds since the epoch; undefined if it is absent or unreadable. */
export function parseDate(header: string | undefined): number | undefined {
  const time = Date.parse(header ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function readRefusal(
  status: number,
  body: unknown,
  requestId: string | undefined,
  hide: Hide,
): Refusal | undefined {
  if (!isObject(body) || !isObject(body.error)) return undefined;
  const { code, message, fields } = body.error;
  if (typeof code !== 'string' || code === '') return undefined;
  const text = (value: unknown, most: number) =>
    typeof value === 'string' ? bounded(hide(value), most) : '';
  return {
    type: 'error',
    status,
    code: text(code, BOUNDS.code),
    message: text(message, BOUNDS.message),
    fields: (Array.isArray(fields) ? fields : [])
      .filter(isObject)
      .slice(0, BOUNDS.fields)
      .map((field) => ({ path: text(field.path, BOUNDS.field), reason: text(field.reason, BOUNDS.field) })),
    requestId,
  };
}

function findRequestId(
  body: unknown,
  headers: Readonly<Record<string, string>>,
  hide: Hide,
): string | undefined {
  const inBody = requestIdIn(body);
  const found = typeof inBody === 'string' && inBody !== '' ? inBody : headers['x-request-id'];
  return found === undefined || found === '' ? undefined : bounded(hide(found), BOUNDS.requestId);
}

function requestIdIn(body: unknown): unknown {
  if (!isObject(body)) return undefined;
  return (isObject(body.meta) ? body.meta.request_id : undefined) ?? body.request_id;
}

function isOfAnother(body: unknown, headers: Readonly<Record<string, string>>): boolean {
  const inBody = requestIdIn(body);
  const header = headers['x-request-id'];
  return typeof inBody === 'string' && header !== undefined && header !== inBody;
}

function looksLike({ headers, body }: HttpResponse): string {
  if (body.trim() === '') return ' (an empty body)';
  return /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(body) ? ' (a web page)' : '';
}

/**
 * Shortens a text after hiding secrets, but not within a surrogate pair or a word: most of a wallet address identifies
 * it as well as all of it.
 */
function bounded(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$|[0-9A-Za-z]{1,44}$/, '')}…`;
}
