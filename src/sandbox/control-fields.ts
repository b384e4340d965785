import { isObject, type Json } from '../model/json.ts';
import { type FieldDescription, UUID } from './fields.ts';
import { ERROR_CODES } from './refusal.ts';

/** What the bodies of the control endpoints hold (see control.ts). */

const TEXT: FieldDescription = { type: 'text' };
const BOOLEAN: FieldDescription = { type: 'boolean' };
const COUNT: FieldDescription = { type: 'integer' };
/** A text that can be sent as a header. */
const HEADER: FieldDescription = { type: 'text', pattern: /^[\t\x20-\x7e]*$/, what: 'the value of a header' };
const HEADERS: FieldDescription = { type: 'mapping', items: HEADER };
const STATUS: FieldDescription = { type: 'integer', least: 200, most: 599 };
const WHEN: FieldDescription = {
  type: 'text',
  pattern: /^(?:before|after-commit)$/,
  what: 'before or after-commit',
};

export const EDIT: FieldDescription = {
  type: 'object',
  fields: {
    id: { ...UUID, required: true },
    config: { type: 'any-object' },
    merge: { type: 'any-object' },
    remark: TEXT,
    is_active: BOOLEAN,
    risk_label_id: { ...UUID, nullable: true },
    target_wallet: TEXT,
    linked_wallets: { type: 'list', items: TEXT },
    bump: BOOLEAN,
  },
};

export const ROTATION: FieldDescription = {
  type: 'object',
  fields: { token_prefix: { type: 'text', required: true } },
};

/** A hundred years: a time that dates can still show. */
const FARTHEST_MS = 100 * 366 * 24 * 60 * 60 * 1000;

export const CLOCK: FieldDescription = {
  type: 'object',
  fields: { advance_ms: { type: 'integer', required: true, most: FARTHEST_MS } },
};

const FAULTS: Readonly<Record<string, Readonly<Record<string, FieldDescription>>>> = {
  error: {
    code: {
      type: 'text',
      required: true,
      pattern: new RegExp(`^(?:${ERROR_CODES.join('|')})$`),
      what: 'a code of the interface',
    },
    retry_after: { type: 'text-or-number', nullable: true },
    when: WHEN,
  },
  status: { status: { ...STATUS, required: true }, body: TEXT, headers: HEADERS, when: WHEN },
  html: { status: STATUS, when: WHEN },
  drop: { when: WHEN },
  hang: { when: WHEN },
  truncate: { bytes: COUNT, ended: BOOLEAN },
  delay: { ms: { ...COUNT, required: true } },
  duplicate: {
    after: COUNT,
    answer: { type: 'text', pattern: /^(?:first|second)$/, what: 'first or second' },
  },
  headers: { set: HEADERS, remove: { type: 'list', items: TEXT } },
  stale: {},
  'rate-limit': { max: { ...COUNT, required: true }, window_ms: { ...COUNT, required: true } },
};

/** The form of a fault rule, by the type of its fault. */
export function faultRuleField(rule: Json): FieldDescription {
  const type = isObject(rule) && isObject(rule.fault) ? String(rule.fault.type) : '';
  const known = Object.keys(FAULTS);
  const kind: FieldDescription = {
    type: 'text',
    required: true,
    pattern: new RegExp(`^(?:${known.join('|')})$`),
    what: `one of ${known.join(', ')}`,
  };
  const fields = Object.hasOwn(FAULTS, type) ? FAULTS[type] : {};
  return {
    type: 'object',
    fields: {
      method: TEXT,
      path: TEXT,
      times: COUNT,
      skip: COUNT,
      fault: { type: 'object', required: true, fields: { ...fields, type: kind } },
    },
  };
}
