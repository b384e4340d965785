/** Parameters, headers and error answers that the operations of the OpenAPI document share. */
import { errorExample } from './openapi-examples.mjs';
import { ERROR_CODES, ref, SCOPES, STATUS_OF } from './openapi-schemas.mjs';

export const BODY_BYTES = 65_536;

export function part(kind, name) {
  return { $ref: `#/components/${kind}/${name}` };
}

const ETAG = '^"v[1-9][0-9]*"$';

export const parameters = {
  id: {
    name: 'id',
    in: 'path',
    required: true,
    description:
      'Id of the resource. A missing id and an id of another account both answer not_found; the answer to an id that is no UUID is not documented.',
    schema: ref('uuid'),
    example: '0b7f3c52-8f4c-4f0e-8a44-6c1d2e3f4a05',
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    required: true,
    description:
      'The latest ETag: the letter v and a positive integer in double quotes. A stale one gives version_conflict; the code for a missing one is not documented.',
    schema: { type: 'string', pattern: ETAG },
    example: '"v1"',
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'Kept 24 hours. The same key and body may be retried safely; the same key with another body gives idempotency_conflict; a missing key gives idempotency_required.',
    schema: { type: 'string', minLength: 8, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
    example: 'whale-7:2026-03-01',
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: 'Items a page.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
  cursor: {
    name: 'cursor',
    in: 'query',
    description:
      'The next_cursor of the previous page, unchanged; bound to the token and the filters. Its expiry and the error for an invalid one are not documented.',
    schema: { type: 'string', maxLength: 2048 },
  },
  status: {
    name: 'status',
    in: 'query',
    description: 'Only active or only paused tasks.',
    schema: { type: 'string', enum: ['active', 'paused'] },
  },
  q: {
    name: 'q',
    in: 'query',
    description:
      "Searches remark and target_wallet of the caller's own tasks; how it matches is not documented.",
    schema: { type: 'string', maxLength: 64 },
  },
  qName: {
    name: 'q',
    in: 'query',
    description: 'Searches names only; how it matches is not documented.',
    schema: { type: 'string', maxLength: 64 },
  },
  labelId: {
    name: 'label_id',
    in: 'query',
    description:
      'A label of the account, or the literal `unlabeled`; a foreign or missing label gives not_found.',
    schema: { anyOf: [ref('uuid'), { const: 'unlabeled' }] },
  },
};

export const headers = {
  etag: {
    description: 'Value to send as the next If-Match.',
    required: true,
    schema: { type: 'string', pattern: ETAG },
    example: '"v2"',
  },
  requestId: {
    description: 'For support.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
  requestIdMaybe: {
    description: 'For support; whether lists and errors carry it is not documented.',
    schema: { type: 'string', minLength: 1 },
  },
  retryAfter: {
    description: 'Minimum wait before a retry: seconds or an HTTP date; which of the two is not documented.',
    required: true,
    schema: {
      type: 'string',
      pattern: '^(?:[0-9]+|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT)$',
    },
    example: '1',
  },
};

const NOT_SHOWN =
  'Which of its codes come with this status is not documented, except not_found (404), rate_limit_exceeded (429) and service_unavailable (503).';

const ERRORS = {
  400: [
    'badRequest',
    `The request is wrong. ${NOT_SHOWN}`,
    'validation_error',
    [{ path: 'config.buy_amount', reason: 'invalid_decimal' }],
  ],
  401: ['unauthorized', `The token is not accepted. ${NOT_SHOWN}`, 'invalid_api_token'],
  403: ['forbidden', `The token does not allow this. ${NOT_SHOWN}`, 'insufficient_scope'],
  404: [
    'notFound',
    'not_found: the id, or a label that the request names, does not exist in this account.',
    'not_found',
  ],
  409: [
    'conflict',
    `The state of the account or the resource does not allow this. ${NOT_SHOWN}`,
    'version_conflict',
  ],
  429: ['tooManyRequests', 'Too many requests. Numeric limits are not documented.', 'rate_limit_exceeded'],
  500: ['internalError', 'Unexpected server failure; a write may have been carried out.', 'internal_error'],
  503: ['unavailable', 'Temporary unavailability.', 'service_unavailable'],
};

export const ERROR_STATUSES = Object.keys(ERRORS);

/** Every operation declares the same eight. */
export const errorResponses = Object.fromEntries(
  Object.entries(ERRORS).map(([status, [name]]) => [status, part('responses', name)]),
);

export const responses = Object.fromEntries(
  Object.entries(ERRORS).map(([status, [name, description, code, fields]]) => {
    const waits = status === '429' || status === '503';
    const retry = waits ? { 'Retry-After': part('headers', 'retryAfter') } : {};
    return [
      name,
      {
        description,
        headers: { 'X-Request-Id': part('headers', 'requestIdMaybe'), ...retry },
        content: {
          'application/json': {
            schema: errorOf(status),
            example: errorExample(code, ERROR_CODES[code], fields),
          },
        },
      },
    ];
  }),
);

/** The error body. A code with a documented status occurs with no other status. */
function errorOf(status) {
  const elsewhere = Object.keys(STATUS_OF).filter((code) => STATUS_OF[code] !== status);
  const code = status === '404' ? { const: 'not_found' } : { not: { enum: elsewhere } };
  return { allOf: [ref('error'), { properties: { error: { properties: { code } } } }] };
}

export const securitySchemes = {
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_live_<public_id>.<secret>',
    description: [
      'An API token `svc_live_<public_id>.<secret>`; public_id is eight lowercase hexadecimal characters. The account is derived from the token alone.',
      'Made, rotated and revoked in the web application, with up to 9 scopes, an optional IP allowlist and an optional expiry. Rotation invalidates the former token at once.',
      'The names beside this scheme in `security` are the scopes that an operation needs. Format of the allowlist and the error code for an expired token: not documented.',
    ].join('\n\n'),
    'x-scopes': SCOPES,
  },
};
