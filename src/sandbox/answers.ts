import type { JsonObject } from '../model/json.ts';
import type { HttpResponse } from '../ports/transport.ts';
import type { Choices } from './choices.ts';
import type { OperationOutcome } from './context.ts';
import { type Refused, statusOf } from './refusal.ts';
import type { SandboxEnv } from './request.ts';

/** An outcome as an HTTP answer (interface, "Envelopes" and "Headers used by endpoints"). */
export function answer(outcome: OperationOutcome, requestId: string, env: SandboxEnv): HttpResponse {
  const { choices } = env;
  const everywhere = choices.request_id_header === 'everywhere';
  const data = outcome.dataText ?? (outcome.data === undefined ? undefined : JSON.stringify(outcome.data));
  return {
    status: outcome.status,
    headers: {
      ...dateHeader(env.now, choices),
      ...(data === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      ...(outcome.etag === undefined ? {} : { etag: `"v${outcome.etag}"` }),
      ...(outcome.single || everywhere ? { 'x-request-id': requestId } : {}),
    },
    body:
      data === undefined
        ? ''
        : `{"data":${data},"meta":${JSON.stringify(meta(outcome, requestId, choices))}}`,
  };
}

function meta({ written }: OperationOutcome, requestId: string, choices: Choices): JsonObject {
  const markers = written && choices.meta_markers === 'sent';
  return {
    request_id: requestId,
    ...(markers ? { persistence: 'committed', propagation: 'eventual' } : {}),
    ...(choices.extra_fields === 'some' ? { region: 'sandbox' } : {}),
  };
}

/** The default number of seconds to wait that `429` and `503` name. */
const DEFAULT_RETRY_AFTER = 1;

/** A refusal as an HTTP answer (interface, "Errors"). `retryAfter` in seconds. */
export function refuse(
  refused: Pick<Refused, 'code' | 'message' | 'fields'>,
  requestId: string,
  env: SandboxEnv,
  retryAfter = DEFAULT_RETRY_AFTER,
): HttpResponse {
  const { choices, now } = env;
  const status = statusOf(refused.code, choices);
  // The header depends only on the status, not on the code.
  const waits = status === 429 || status === 503;
  const fields = refused.fields.map(({ path, reason }) => ({ path, reason }));
  const error = { code: refused.code, message: refused.message, ...(fields.length === 0 ? {} : { fields }) };
  return {
    status,
    headers: {
      ...dateHeader(now, choices),
      'content-type': 'application/json; charset=utf-8',
      ...(waits ? { 'retry-after': retryAfterText(retryAfter, env) } : {}),
      ...(choices.request_id_header === 'everywhere' ? { 'x-request-id': requestId } : {}),
    },
    body: JSON.stringify({ error, request_id: requestId }),
  };
}

function retryAfterText(seconds: number, { choices, now }: SandboxEnv): string {
  return choices.retry_after_form === 'seconds'
    ? String(seconds)
    : new Date(now + seconds * 1000).toUTCString();
}

/** Milliseconds. */
const DATE_AHEAD = 90_000;

export function dateHeader(now: number, choices: Choices): Readonly<Record<string, string>> {
  if (choices.date_header === 'absent') return {};
  return { date: new Date(now + (choices.date_header === 'ahead' ? DATE_AHEAD : 0)).toUTCString() };
}
