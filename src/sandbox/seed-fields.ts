import { type FieldDescription, UUID } from './fields.ts';

const TEXT: FieldDescription = { type: 'text' };
const TIME: FieldDescription = { type: 'time' };
const VERSION: FieldDescription = { type: 'integer', least: 1 };
const SCOPE: FieldDescription = {
  type: 'text',
  pattern: /^(?:sniper|copytrade|transfersnipe):(?:read|write|delete)$/,
  what: 'one of the nine scopes, such as sniper:read',
};

const TOKEN: FieldDescription = {
  type: 'object',
  fields: {
    token: {
      type: 'text',
      pattern: /^svc_live_[a-f0-9]{8}(?:\.[\x21-\x7e]+)?$/,
      what: 'svc_live_<8 hex digits>, with or without .<secret>',
    },
    token_version: VERSION,
    scopes: { type: 'list', items: SCOPE },
    expires_at: { type: 'time', nullable: true },
    ip_allowlist: { type: 'list', items: TEXT, nullable: true },
  },
};

const LABEL: FieldDescription = {
  type: 'object',
  fields: {
    id: UUID,
    name: { type: 'text', required: true },
    sort_order: { type: 'integer', least: Number.MIN_SAFE_INTEGER },
    created_at: TIME,
  },
};

const TEMPLATE: FieldDescription = {
  type: 'object',
  fields: {
    kind: { type: 'text', required: true, pattern: /^(?:sniper|copy-trade)$/, what: 'sniper or copy-trade' },
    id: UUID,
    name: { type: 'text', required: true },
    config: { type: 'any-object', required: true },
    version: VERSION,
    created_at: TIME,
    updated_at: TIME,
    legacy: { type: 'boolean' },
  },
};

const TASK: FieldDescription = {
  type: 'object',
  fields: {
    kind: {
      type: 'text',
      required: true,
      pattern: /^(?:sniper|copy-trade|transfer-snipe)$/,
      what: 'sniper, copy-trade or transfer-snipe',
    },
    id: UUID,
    remark: TEXT,
    target_wallet: { type: 'text', required: true },
    linked_wallets: { type: 'list', items: TEXT },
    label: TEXT,
    template: TEXT,
    is_active: { type: 'boolean' },
    version: VERSION,
    config: { type: 'any-object', required: true },
    created_at: TIME,
    updated_at: TIME,
    legacy: { type: 'boolean' },
  },
};

/** The seed format as data; the type that reads best is {@link Seed} in seed.ts. */
export const ROOT_FIELDS: Readonly<Record<string, FieldDescription>> = {
  choices: { type: 'any-object' },
  accounts: {
    type: 'list',
    required: true,
    items: {
      type: 'object',
      fields: {
        id: TEXT,
        login_username: { type: 'text', nullable: true },
        family_role: { type: 'text', pattern: /^(?:none|primary|member)$/, what: 'none, primary or member' },
        quota: { type: 'object', fields: { max: { type: 'integer' }, elsewhere: { type: 'integer' } } },
        tokens: { type: 'list', items: TOKEN },
        labels: { type: 'list', items: LABEL },
        templates: { type: 'list', items: TEMPLATE },
        tasks: { type: 'list', items: TASK },
      },
    },
  },
};
