import type { JsonObject } from '../../src/core/model/json.ts';
import type { ChoiceName } from '../../src/sandbox/choices.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import {
  buySet,
  configFor,
  copyTradeConfig,
  FEES,
  SELL_SIDE,
  sniperConfig,
  wallet,
} from '../support/builders.ts';
import { ERROR_CODES } from '../support/choices.ts';
import { type Ask, type KindName, taskBody } from './service.ts';

/**
 * `METHOD PATH`, perhaps with the version for If-Match (`@2`), or `pass MS`, `fire ID`, `legacy ID` (a field that no schema has). `$3`
 * is the id in the answer of the third call, `$task`, `$label` and `$template` what the seed has, `$cursor` the last cursor.
 */
type Call = string | readonly [call: string, ask: Ask];

export interface Calls extends Pick<SandboxOptions, 'seed' | 'faults'> {
  readonly calls: readonly Call[];
}

const S = '/sniper/configs';
const T = '/sniper/templates';
const MISSING = '00000000-0000-4000-8000-ffffffffffff';
const HOUR = 60 * 60 * 1000;
const key = 'same-key';
const EXTRA: JsonObject = { nope: 1 };
const A: JsonObject = { name: 'a', sort_order: 0 };

const task = (n = 1, changes: JsonObject = {}, kind: KindName = 'sniper', ask: Ask = {}): Call => [
  `POST /${kind}/configs`,
  { body: taskBody(kind, n, changes), ...ask },
];
const sniper = (config: JsonObject, n = 1) => task(n, { config: sniperConfig(config) });
const copy = (n: number, changes: JsonObject = {}) => task(n, changes, 'copy-trade');
const copyWith = (n: number, config: JsonObject) => copy(n, { config: copyTradeConfig(config) });
const label = (body: JsonObject = A, ask: Ask = {}): Call => ['POST /labels', { body, ...ask }];
const template = (name: string, kind: 'sniper' | 'copy-trade' = 'sniper'): Call => [
  `POST /${kind}/templates`,
  { body: { name, config: configFor(kind) } },
];
const patch = (path: string, body: JsonObject): Call => [`PATCH ${path}`, { body }];
const list = (limit: number) => `GET ${S}?limit=${limit}`;
const next = (limit: number) => `${list(limit)}&cursor=$cursor`;
const plain = (...calls: readonly Call[]): Calls => ({ calls });

const config = configFor('sniper');
const held = { kind: 'sniper' as const, target_wallet: wallet(1), label: 'l', template: 't', config };
const two = (...calls: readonly Call[]): Calls => ({
  calls,
  seed: {
    accounts: [
      { labels: [{ name: 'l' }], templates: [{ kind: 'sniper', name: 't', config }], tasks: [held] },
    ],
  },
});
const withToken = (token: object, ...calls: readonly Call[]): Calls => ({
  calls,
  seed: { accounts: [{ tokens: [token] }] },
});
const withRoom = (max: number, ...calls: readonly Call[]): Calls => ({
  calls,
  seed: { accounts: [{ quota: { max } }] },
});
const OTHER_TOKEN = 'svc_live_00000002.other';
const ONCE = task(1, { config: configFor('sniper', { buy_once: true }) });
const { dex_source: _source, buy_once: _once, ...short } = sniperConfig();
const { linked_wallets: _linked, ...unlinked } = taskBody('copy-trade');
const zero = buySet({ amount_sol: '0' });
const backward = [wallet(3), wallet(2)].sort().reverse();
const deeper = {
  ...(SELL_SIDE.auto_sell as object),
  tp_orders: [{ trigger: '50', sell: '50', note: 'x' }],
  trailing_take_profit: { enabled: false, tiers: [{ anything: 1 }], step: '5' },
};
const failing = (code: string, retry_after?: number): Calls => ({
  calls: ['GET /me'],
  faults: [{ fault: { type: 'error', code: code as 'not_found', ...(retry_after ? { retry_after } : {}) } }],
});

/** The calls that tell the values of a choice apart. `choices.txt` has what each value makes of them. */
export const CHOICE_CALLS: Readonly<Record<ChoiceName, Calls>> = {
  ...(Object.fromEntries(ERROR_CODES.map((code) => [`status_${code}`, failing(code)])) as Record<
    Extract<ChoiceName, `status_${string}`>,
    Calls
  >),
  expired_token_code: withToken({ expires_at: '2020-01-01T00:00:00Z' }, 'GET /me'),
  credential_order: withToken({ scopes: [], ip_allowlist: [] }, 'GET /labels'),
  unknown_route: plain('PUT /me'),
  malformed_id: plain(`GET ${S}/x`, 'GET /labels/x', 'GET /copy-trade/templates/x'),
  if_match_missing: plain(task(), `DELETE ${S}/$1`),
  idempotency_key_malformed: plain(label(A, { key: 'short' })),
  content_type: plain(label(A, { headers: { 'Content-Type': 'text/plain' } })),
  unknown_field_path: plain(
    task(1, { config: sniperConfig({ relay_mode: { ...FEES, more: 1 } }), other: 1 }),
  ),
  resume_field_paths: two('legacy $task', `POST ${S}/$task/resume @2`),
  retry_after_form: failing('service_unavailable', 30),
  date_header: plain('GET /me'),
  request_id_header: plain('GET /labels', `GET /labels/${MISSING}`),
  meta_markers: plain(label()),
  timestamp_form: plain(task()),
  unlabeled_shown: plain(task()),
  me_defaults: plain('GET /me'),
  extra_fields: plain(task(), 'GET /me'),
  label_fields: plain(label()),
  label_delete_answer: two('DELETE /labels/$label'),

  list_order: plain(task(), 'pass 5', task(2), list(1), next(1)),
  template_order: plain(
    ...['b', 'a', 'c'].flatMap((name): Call[] => [template(name), 'pass 10']),
    patch(`${T}/$1 @1`, { config: configFor('sniper', { buy_once: true }) }),
    `GET ${T}?limit=2`,
    `GET ${T}?limit=2&cursor=$cursor`,
  ),
  full_last_page: plain(...[1, 2, 3, 4].map((n) => task(n)), list(2), next(2), next(2)),
  page_size: plain(...[1, 2, 3, 4, 5].map((n) => task(n)), list(4), next(4), next(4)),
  cursor_kind: plain(task(), 'pass 5', task(2), 'pass 5', task(3), list(1), `DELETE ${S}/$5 @1`, next(1)),
  cursor_expiry: plain(
    ...[task(), task(2)],
    ...[10_000, 10_001, HOUR].flatMap((ms) => [list(1), `pass ${ms}`, next(1)]),
  ),
  cursor_error: plain(`GET ${S}?cursor=made-up`),
  cursor_limit: plain(task(), task(2), task(3), list(1), next(2)),
  unknown_query: plain('GET /labels?limit=5', 'GET /me?x=1', `GET ${S}?sort=asc`, `GET ${T}?status=active`),
  malformed_label_id: plain(`GET ${S}?label_id=high`),
  q_match: plain(
    task(1, { remark: 'Follow Whale-7' }),
    ...['follow', 'Whale', 'ale-7'].map((q) => `GET ${S}?q=${q}`),
  ),

  pause_paused: two(`POST ${S}/$task/pause @1`, `GET ${S}/$task`),
  resume_active: plain(task(), `POST ${S}/$1/resume @1`, `POST ${S}/$1/resume @2`, `GET ${S}/$1`),
  noop_patch: two(patch(`${S}/$task @1`, { remark: '', config }), patch(`${T}/$template @1`, { name: 't' })),
  version_step: plain(task(), `POST ${S}/$1/resume @1`, patch(`${S}/$1 @2`, { remark: 'x' })),
  fire_version: plain(ONCE, `POST ${S}/$1/resume @1`, 'fire $1', `GET ${S}/$1`),
  fire_updated_at: plain(ONCE, `POST ${S}/$1/resume @1`, 'pass 1000', 'fire $1', `GET ${S}/$1`),
  switch_updated_at: plain(task(), 'pass 1000', `POST ${S}/$1/resume @1`),
  check_order: two(
    ...[`${S}/$task @9`, `/labels/${MISSING}`, `${T}/$template @9`].map((at) => patch(at, EXTRA)),
  ),
  paused_order: plain(task(), `POST ${S}/$1/resume @1`, patch(`${S}/$1 @2`, { config: {} })),
  remark_patch_revalidates: plain(
    ...[task(), 'legacy $1', patch(`${S}/$1 @2`, { remark: 'x' })],
    ...[task(2), `POST ${S}/$4/resume @1`, 'legacy $4', patch(`${S}/$4 @3`, { remark: 'x' })],
  ),
  action_body: two([`POST ${S}/$task/resume @1`, { body: {} }]),

  idempotency_scope: {
    seed: { accounts: [{ tokens: [{}, { token: OTHER_TOKEN }] }] },
    calls: [
      task(1, {}, 'sniper', { key }),
      task(1, {}, 'sniper', { key, token: OTHER_TOKEN }),
      ['POST /transfer-snipe/configs', { body: taskBody('sniper'), key }],
    ],
  },
  idempotency_body: plain(
    ...['{"name":"a","sort_order":1}', '{"sort_order": 1, "name": "a"}'].map((raw) => label(A, { raw, key })),
  ),
  idempotency_order: plain(label({}, { key: false }), label(A, { key }), label({}, { key })),
  idempotency_failures: withRoom(
    1,
    task(),
    task(2, {}, 'sniper', { key }),
    `DELETE ${S}/$1 @1`,
    ...[3, 2].map((n) => task(n, {}, 'sniper', { key })),
  ),
  replay_status: plain(label(A, { key }), label(A, { key })),
  replay_etag: plain(
    task(1, {}, 'sniper', { key }),
    `POST ${S}/$1/resume @1`,
    task(1, {}, 'sniper', { key }),
  ),
  replay_date: plain(task(1, {}, 'sniper', { key }), `pass ${HOUR}`, task(1, {}, 'sniper', { key })),

  target_unique: plain(task(), task(), task(2, {}, 'transfer-snipe'), copy(2)),
  target_taken_by: plain(copy(1, { linked_wallets: [wallet(2)] }), copy(2), copy(3)),
  create_order: withRoom(1, copy(1), copy(1)),
  template_names: plain(template('a'), template('a', 'copy-trade')),
  template_name_case: plain(template('a'), template('A')),
  template_limit_code: {
    seed: {
      accounts: [
        {
          templates: Array.from({ length: 1000 }, (_, n) => ({ kind: 'sniper', name: `t${n}`, config: {} })),
        },
      ],
    },
    calls: [template('x')],
  },
  template_delete_tasks: two(`DELETE ${T}/$template @1`, `GET ${S}/$task`),
  label_name_case: plain(label(), label({ ...A, name: 'A' })),
  label_create_fields: plain(label({ name: 'a' }), label({ sort_order: 1 })),
  label_patch_fields: two(patch('/labels/$label', { name: 'a' })),
  label_default_order: plain(label({ name: 'a' }), label({ name: 'b' })),
  label_delete_tasks: two('DELETE /labels/$label', `GET ${S}/$task`),
  label_delete_updated_at: two('pass 1000', 'DELETE /labels/$label', `GET ${S}/$task`),

  sell_side_keys: plain(
    sniper({ auto_strategy: { ...(SELL_SIDE.auto_strategy as object), anti_pvp: true } }),
    task(2),
    sniper({ auto_sell: deeper }, 3),
  ),
  tp_order_range: plain(
    sniper({
      auto_sell: { ...(SELL_SIDE.auto_sell as object), tp_orders: [{ trigger: '500', sell: '100.5' }] },
    }),
  ),
  inactive_amount: plain(
    copyWith(1, { buy_config_tiers: [zero] }),
    copyWith(2, {
      buy_config_mode: 'tiered',
      buy_config_universal: zero,
      buy_config_tiers: [buySet()],
    }),
    copyWith(3, { buy_config_universal: zero }),
    copyWith(4, { buy_config_tiers: [buySet({ amount_sol: 'x' })] }),
  ),
  duplicate_dexes: plain(sniper({ selected_dexes: ['bags', 'bags'] })),
  defaulted_fields: plain(
    [`POST ${S}`, { body: { target_wallet: wallet(1), config: short } }],
    ['POST /copy-trade/configs', { body: unlinked }],
  ),
  remark_length: plain(...[33, 65].map((n) => task(n, { remark: '😀'.repeat(n) }))),
  length_before_trim: plain(task(1, { remark: `${'x'.repeat(64)} ` })),
  trimmed: plain(task(1, { remark: ' \tnote\t ' })),
  address_form: plain(
    ...['0'.repeat(40), 'z'.repeat(44), '1'.repeat(45), wallet(1)].map((target_wallet) =>
      task(1, { target_wallet }),
    ),
    copy(1, { linked_wallets: ['z'.repeat(44)] }),
  ),
  linked_target: plain(
    copy(1, { linked_wallets: [wallet(1)] }),
    copy(2),
    patch('/copy-trade/configs/$2 @1', { linked_wallets: [wallet(2)] }),
  ),
  decimals_echo: plain(sniper({ buy_amount: '007.50', bundle_amount: '', dev_min_amount: '3' })),
  sets_echo: plain(
    copy(1, {
      linked_wallets: backward,
      config: copyTradeConfig({ address_blacklist: { enabled: true, wallets: backward } }),
    }),
    copyWith(2, { buy_config_tiers: [buySet({ amount_sol: '2' }), buySet({ amount_sol: '1' })] }),
  ),
  key_order: plain(task()),
  optional_echo: plain(task()),
};
