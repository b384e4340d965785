import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../model/json.ts';
import type { HttpResponse } from '../ports/transport.ts';
import { type Context, NO_CHANGES } from './context.ts';
import { dateHeader } from './handle.ts';
import type { Change, StoredReplay } from './records.ts';
import { Refused } from './refusal.ts';
import { parseIdempotencyKey } from './request.ts';
import { REPLAY_MEMORY } from './state.ts';

/** What is stored about one create (interface, `Idempotency-Key`: kept for 24 hours). */
export interface Remembered {
  readonly key: string;
  readonly fingerprint: string;
  /** An earlier, identical request within 24 hours, with its answer or only with its key. */
  readonly earlier: StoredReplay | undefined;
}

/** Throws `idempotency_required`, the chosen code for a malformed key, and `idempotency_conflict`. */
export function recall(context: Context, raw: Json): Remembered {
  const { request, env, state, account, token } = context;
  const { choices } = env;
  const name = parseIdempotencyKey(request, choices);
  const owner = {
    account: account.id,
    token: `${account.id} ${token.id}`,
    endpoint: `${account.id} ${request.pathname}`,
  }[choices.idempotency_scope];
  const key = `${owner} ${name}`;
  const body = choices.idempotency_body === 'bytes' ? request.body : canonicalJson(raw);
  const fingerprint = createHash('sha256').update(`${request.pathname}\n${body}`).digest('hex');
  const known = state.replays.get(key);
  const earlier = known !== undefined && env.now - known.at < REPLAY_MEMORY ? known : undefined;
  if (earlier !== undefined && earlier.fingerprint !== fingerprint) {
    throw new Refused('idempotency_conflict', 'The Idempotency-Key was used with another body.');
  }
  return { key, fingerprint, earlier };
}

/** The first answer again: the same body with a new `X-Request-Id`. */
export function replay(earlier: StoredReplay, context: Context, requestId: string): HttpResponse | undefined {
  const { state, env } = context;
  const { choices } = env;
  if (earlier.answer === null) return undefined;
  const { status, body, etag } = earlier.answer;
  const resource = earlier.resource ?? '';
  const current = state.tasks.get(resource)?.version ?? state.templates.get(resource)?.version;
  const tag =
    choices.replay_etag === 'current' && current !== undefined && etag !== null ? `"v${current}"` : etag;
  return {
    status: status === 201 ? choices.replay_status : status,
    headers: {
      ...dateHeader(choices.replay_date === 'now' ? env.now : earlier.at, choices),
      'content-type': 'application/json; charset=utf-8',
      ...(tag === null ? {} : { etag: tag }),
      'x-request-id': requestId,
    },
    body,
  };
}

/** What is stored about an answer: a change, or none. */
export function remember(
  { key, fingerprint }: Remembered,
  response: HttpResponse,
  resource: string | null,
  { env }: Context,
): readonly Change[] {
  const failed = response.status >= 400;
  if (failed && env.choices.idempotency_failures === 'forgotten') return NO_CHANGES;
  const bound = failed && env.choices.idempotency_failures === 'bound';
  const { status, body, headers } = response;
  const answer = bound ? null : { status, body, etag: headers.etag ?? null };
  return [{ type: 'replay', record: { key, fingerprint, at: env.now, answer, resource } }];
}
