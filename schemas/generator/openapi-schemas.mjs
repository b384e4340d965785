/**
 * The schemas of the OpenAPI document, made from schemas/service.schema.json.
 *
 * Request bodies are equal, rule by rule. That schema describes answered resources as a reader must tolerate them. Here they have
 * everything that the interface documents.
 */

export const ERROR_CODES = {
  invalid_request:
    'Malformed request that is not a schema field failure: unparseable JSON, body over 64 KiB, invalid query or header value.',
  invalid_api_token: 'Token missing, malformed or not accepted.',
  insufficient_scope: "Token lacks the operation's scope.",
  ip_not_allowed: "Caller address outside the token's allowlist.",
  rate_limit_exceeded: 'Too many requests; Retry-After is sent. Status 429.',
  validation_error:
    'Strict-schema failure: unknown property, wrong type, JSON number instead of decimal string, value out of range, forbidden field, duplicate or malformed address, empty PATCH, failed revalidation on resume.',
  not_found: 'Unknown id, id of another account, foreign or missing label id. Status 404.',
  target_already_exists: 'Target wallet already used by an existing task.',
  template_name_exists: 'Template name clash.',
  label_name_exists: 'Label name already used in the account.',
  quota_exceeded: 'Shared task quota, the template limit or the label limit reached.',
  config_must_be_paused: 'Change of config or linked_wallets, or delete, on an active task.',
  version_conflict: 'If-Match is not the latest version.',
  idempotency_required: 'Create without Idempotency-Key.',
  idempotency_conflict: 'Same key with a different body within 24 hours.',
  service_unavailable: 'Temporary unavailability; Retry-After is sent. Status 503.',
  internal_error: 'Unexpected server failure.',
};

/** Codes whose status the interface documents. The status of all other codes is not documented. */
export const STATUS_OF = { not_found: '404', rate_limit_exceeded: '429', service_unavailable: '503' };

export const SCOPES = {
  'sniper:read': 'List and get sniper tasks and sniper templates; list and get labels.',
  'sniper:write':
    'Create, update, pause, resume sniper tasks; create and update sniper templates; create, update, delete labels.',
  'sniper:delete': 'Delete sniper tasks and sniper templates.',
  'copytrade:read': 'List and get copy-trade tasks and templates; list and get labels.',
  'copytrade:write':
    'Create, update, pause, resume copy-trade tasks; create and update copy-trade templates; create, update, delete labels.',
  'copytrade:delete': 'Delete copy-trade tasks and templates.',
  'transfersnipe:read': 'List and get transfer-snipe tasks.',
  'transfersnipe:write': 'Create, update, pause, resume transfer-snipe tasks.',
  'transfersnipe:delete': 'Delete transfer-snipe tasks.',
};

const STORED_CONFIG = 'As stored: older snapshots may hold legacy fields that the write schema would reject.';

/** The fields of a task in an answer, beyond those that a reader requires. */
function taskAnswer(wallet) {
  return {
    properties: {
      remark: { maxLength: 64, description: 'Free note.' },
      target_wallet: { minLength: 32, maxLength: 44, description: wallet },
      config: { description: STORED_CONFIG },
    },
  };
}

const ANSWERS = {
  sniperTask: taskAnswer('The wallet of the task; immutable.'),
  copyTradeTask: {
    required: ['linked_wallets'],
    properties: {
      ...taskAnswer('The wallet being copied; immutable.').properties,
      linked_wallets: {
        maxItems: 20,
        description: 'Further wallets of the target.',
        items: { minLength: 32, maxLength: 44 },
      },
    },
  },
  transferSnipeTask: taskAnswer('The watched wallet A; immutable.'),
  template: {
    properties: {
      name: { minLength: 1, maxLength: 64, description: 'Name of the template.' },
      config: { description: STORED_CONFIG },
    },
  },
  label: {
    required: ['sort_order', 'transfer_snipe_count'],
    properties: {
      name: { minLength: 1, maxLength: 32, description: 'Unique per account.' },
      transfer_snipe_count: { minimum: 0, description: 'Transfer-snipe tasks that have this label.' },
      created_at: {
        description: 'Lists are ordered by it after sort_order; whether it is answered: not documented.',
      },
    },
  },
  me: {
    required: ['token_version', 'expires_at'],
    properties: {
      token_prefix: { description: 'Non-secret identifier of the credential.' },
      token_version: { description: 'Incremented by rotation.' },
      scopes: { description: 'Exact permissions.', items: { enum: Object.keys(SCOPES) } },
      expires_at: { description: 'null means that the token does not expire.' },
      quota: {
        description: 'Task configurations of the account, all three kinds together.',
        required: ['remaining'],
        properties: {
          max: { minimum: 0, description: 'Account specific; its value is not documented.' },
          used: { minimum: 0, description: 'Sniper, copy-trade and transfer-snipe tasks combined.' },
          remaining: { minimum: 0, description: 'Tasks that can still be created.' },
        },
      },
      login_username: { description: 'null where there is none.' },
      family_role: { description: 'Role of the account in a family.' },
    },
  },
  error: {
    required: ['request_id'],
    properties: {
      error: {
        properties: {
          code: { enum: Object.keys(ERROR_CODES), description: codesText() },
          message: { description: 'Human-readable English summary; must not be parsed.' },
          fields: {
            description: 'The findings; at most 20 of them, there may be more.',
            items: {
              properties: {
                path: { description: 'Dot-separated JSON path; $ means the whole body.' },
                reason: { description: 'A stable string produced by the request schema.' },
              },
            },
          },
        },
      },
      request_id: { description: 'For support.' },
    },
  },
};

/** Rules across fields that JSON Schema can express. The descriptions contain the others. */
/** On the active side. For the other side, the interface only says that it may be empty. */
const ACTIVE_AMOUNT = { minLength: 1, pattern: '^(?!0+(?:\\.0+)?$)' };

const CROSS_FIELD = {
  copyTradeConfig: [
    {
      $comment: 'dev_sell_only and dev_sell_all_only require pump-fun.',
      if: {
        anyOf: ['dev_sell_only', 'dev_sell_all_only'].map((field) => ({
          properties: { [field]: { const: true } },
          required: [field],
        })),
      },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { selected_dexes: { contains: { const: 'pump-fun' } } } },
    },
    {
      $comment:
        'In tiered mode at least one tier, each with an amount; in universal mode the universal set has one.',
      if: { properties: { buy_config_mode: { const: 'tiered' } }, required: ['buy_config_mode'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: {
        properties: {
          buy_config_tiers: { minItems: 1, items: { properties: { amount_sol: ACTIVE_AMOUNT } } },
        },
      },
      else: { properties: { buy_config_universal: { properties: { amount_sol: ACTIVE_AMOUNT } } } },
    },
    {
      $comment: 'Deprecated: true is treated as first_buy_only=true and stored as false.',
      properties: { reentry_after_flat: { deprecated: true } },
    },
  ],
};

/** Component schemas by name: every definition of the service, then the envelopes. */
export function componentSchemas(service, resources) {
  const schemas = {};
  for (const [name, definition] of Object.entries(service.definitions)) {
    const schema = merged(moved(definition), ANSWERS[name] ?? {});
    if (CROSS_FIELD[name] !== undefined) schema.allOf = CROSS_FIELD[name];
    schemas[name] = schema;
  }
  schemas.decimal.examples = ['0.5'];
  schemas.responseMeta = {
    description: 'Said of every success. persistence and propagation are optional.',
    type: 'object',
    required: ['request_id'],
    properties: {
      request_id: { type: 'string', description: 'For support.' },
      persistence: { type: 'string', enum: ['committed'], description: 'The database write finished.' },
      propagation: {
        type: 'string',
        enum: ['eventual'],
        description:
          'Execution nodes see the change shortly after; in extreme cases with very large task sets 30 to 60 seconds.',
      },
    },
  };
  schemas.openEnvelope = envelope('A success whose data is not documented.', {});
  for (const { name, paged } of resources) {
    schemas[`${name}Envelope`] = envelope(`One ${name}.`, ref(name));
    if (name !== 'me') schemas[`${name}List`] = envelope(`A list of ${name}.`, list(name, paged));
  }
  return schemas;
}

export function ref(name) {
  return { $ref: `#/components/schemas/${name}` };
}

function envelope(description, data) {
  return {
    description,
    type: 'object',
    required: ['data', 'meta'],
    properties: { data, meta: ref('responseMeta') },
  };
}

function list(name, paged) {
  const items = { type: 'array', items: ref(name) };
  if (!paged) {
    return {
      type: 'object',
      description: 'All of them; there is no next_cursor.',
      required: ['items'],
      properties: { items },
      not: { required: ['next_cursor'] },
    };
  }
  return {
    type: 'object',
    required: ['items', 'next_cursor'],
    properties: {
      items: { ...items, maxItems: 100 },
      next_cursor: {
        description: 'For the next page, with the same limit and filters; null on the last page.',
        type: ['string', 'null'],
        maxLength: 2048,
      },
    },
  };
}

/** Draft-07 → 2020-12: in these schemas, only the place of definitions differs. */
function moved(node) {
  if (Array.isArray(node)) return node.map(moved);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' ? value.replace('#/definitions/', '#/components/schemas/') : moved(value),
    ]),
  );
}

/** Adds keywords. `required` is extended. */
function merged(schema, more) {
  const result = { ...schema };
  for (const [key, value] of Object.entries(more)) {
    if (key === 'required') result.required = [...(schema.required ?? []), ...value];
    else if (isPlain(value) && isPlain(schema[key])) result[key] = merged(schema[key], value);
    else result[key] = value;
  }
  return result;
}

function isPlain(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function codesText() {
  return [
    'Clients branch on it.',
    ...Object.entries(ERROR_CODES).map(([code, text]) => `\`${code}\`: ${text}`),
  ].join('\n\n');
}
