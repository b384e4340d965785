/** The parts of every operation of the OpenAPI document. */
import { BODY_BYTES, errorResponses, part } from './openapi-parts.mjs';
import { ref } from './openapi-schemas.mjs';

const ANYWHERE = [
  'invalid_request',
  'invalid_api_token',
  'insufficient_scope',
  'ip_not_allowed',
  'rate_limit_exceeded',
  'service_unavailable',
  'internal_error',
];
export const ON_CREATE = [
  'validation_error',
  'quota_exceeded',
  'idempotency_required',
  'idempotency_conflict',
];

/** `scopes`: each of them is enough for the operation. Without scopes, any valid token is enough. */
export function operation({
  operationId,
  tag,
  summary,
  description,
  scopes,
  parameters = [],
  body,
  success,
  codes = [],
}) {
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: scopes.length === 0 ? [{ apiToken: [] }] : scopes.map((scope) => ({ apiToken: [scope] })),
    'x-required-scopes': scopes,
    'x-error-codes': [...ANYWHERE, ...codes],
    ...(parameters.length === 0 ? {} : { parameters: parameters.map((name) => part('parameters', name)) }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...success, ...errorResponses },
  };
}

export function body(
  schema,
  content,
  description = 'At most 64 KiB of JSON. Unknown properties are rejected at any depth.',
) {
  return {
    required: true,
    description,
    'x-max-bytes': BODY_BYTES,
    content: { 'application/json': { schema: ref(schema), ...content } },
  };
}

export const SINGLE = { 'X-Request-Id': part('headers', 'requestId') };
export const VERSIONED = { ETag: part('headers', 'etag'), ...SINGLE };

/** `example`: the name of one of `examples()`. */
export function answer(description, schema, headers, example) {
  const examples = { [example]: part('examples', example) };
  return { description, headers, content: { 'application/json': { schema: ref(schema), examples } } };
}

export function listAnswer(description, schema, example) {
  return answer(description, schema, { 'X-Request-Id': part('headers', 'requestIdMaybe') }, example);
}

/** A repeated create answers 201 or 200. */
export function created(text, schema, headers, example) {
  return {
    200: answer(
      'A repeated create with the same key and body. Whether it answers 200 or 201, and whether ETag is the original or the current one, is not documented.',
      schema,
      headers,
      example,
    ),
    201: answer(text, schema, headers, example),
  };
}

export const removed = { 204: { description: 'Deleted; no body.', headers: SINGLE } };

export function lower(name) {
  return `${name[0].toLowerCase()}${name.slice(1)}`;
}
