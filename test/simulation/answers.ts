import type { HttpRequest, HttpResponse } from '../../src/core/ports/transport.ts';
import { TransportError } from '../../src/core/ports/transport.ts';

/** Answers that are not the service's own, or not what it did. */

export const LOST = () => new TransportError('lost', 'the connection was reset');
export const UNSENT = () => new TransportError('unsent', 'connection refused');

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

function refused(status: number, code: string, headers: Readonly<Record<string, string>>): HttpResponse {
  const body = JSON.stringify({ error: { code, message: 'Injected.' }, request_id: 'injected' });
  return { status, headers: { ...JSON_TYPE, ...headers }, body };
}

export function throttled(pick: number): HttpResponse {
  return refused(429, 'rate_limit_exceeded', { 'retry-after': pick % 2 === 0 ? '2' : '30' });
}

export function unavailable(now: number, pick: number): HttpResponse {
  const date = new Date(now).toUTCString();
  const after = new Date(now + 3_000).toUTCString();
  return refused(503, 'service_unavailable', pick % 2 === 0 ? { 'retry-after': after, date } : {});
}

/** A rule that we do not know of, as a field of the config or under a code of its own. */
export function ruledOut(pick: number): HttpResponse {
  return pick % 2 === 0 ? refused(400, 'validation_error', {}) : refused(423, 'maintenance', {});
}

export function failed(): HttpResponse {
  return refused(500, 'internal_error', {});
}

export function truncated(response: HttpResponse): HttpResponse {
  return { ...response, body: response.body.slice(0, Math.floor(response.body.length / 2)) };
}

/** A debugging page that shows the whole request: the token must not get any further. */
export function webPage(request: HttpRequest, status: number): HttpResponse {
  const shown = Object.entries(request.headers).map(([name, value]) => `<li>${name}: ${value}</li>`);
  const body = `<html><body><h1>Bad Gateway</h1><ul>${shown.join('')}</ul></body></html>`;
  const headers = { 'content-type': 'text/html', 'x-request-id': request.headers.authorization ?? '' };
  return { status, headers, body };
}

/** The list as it was before the latest change of every item: versions, switches and notes are older. */
export function outdated(response: HttpResponse, pick: number): HttpResponse | undefined {
  const parsed = JSON.parse(response.body) as { data?: { items?: Record<string, unknown>[] } };
  const items = parsed.data?.items;
  if (items === undefined || items.length === 0) return undefined;
  if (pick % 2 === 1) items.pop();
  items.forEach((item, index) => {
    if (typeof item.version !== 'number' || item.version < 2) return;
    item.version -= 1;
    if (typeof item.is_active !== 'boolean') return;
    if (index % 2 === 0) item.is_active = !item.is_active;
    else item.remark = `Earlier ${String(item.remark).replace(/@\d+/, '@0')}`.slice(0, 64);
  });
  return { ...response, body: JSON.stringify(parsed) };
}
