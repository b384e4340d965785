/** Examples of the OpenAPI document: one realistic value for every body and resource. A test validates all of them. */

const REQUEST_ID = '7b0cfc5e-4bb5-4f0e-9a5b-0e5c1d0f7a11';
const LABEL_ID = '3f8e2f64-5a0b-4c3e-8d3c-2a4f7d9b6c01';
const TARGET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const LINKED = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const CREATED = '2026-03-01T12:00:00.000Z';
const UPDATED = '2026-03-02T08:30:00.000Z';

const SELL_SIDE = {
  auto_sell: {
    enabled: true,
    expiry_time: '0',
    tp_orders: [
      { trigger: '50', sell: '50' },
      { trigger: '100', sell: '100' },
    ],
    sl_orders: [],
    follow_sell: false,
    proportional_sell: false,
  },
  auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: '0' },
  timed_strategy: { enabled: false, orders: [] },
};

const FEES = { tip_amount: '0.001', priority_fee: '0.0005', slippage: '15' };

const sniperConfig = {
  buy_amount: '0.5',
  relay_mode: FEES,
  priority_mode: { ...FEES, bundle_amount: '', sol_slippage_mode: false },
  selected_dexes: ['pump-fun', 'launchlab'],
  dex_source: 'config',
  dev_min_amount: '0.1',
  dev_max_amount: '5',
  buy_once: false,
  sol_slippage_mode: false,
  snipe_external: false,
  ...SELL_SIDE,
};

const buyParameterSet = {
  market_cap_min: '',
  market_cap_max: '',
  amount_sol: '0.2',
  relay_tip: '0.001',
  relay_priority_fee: '0.0005',
  relay_slippage: '15',
  priority_fee: '0.0005',
  priority_tip: '0.001',
  priority_slippage: '15',
  sol_slippage_mode: false,
};

const copyTradeConfig = {
  buy_config_mode: 'universal',
  buy_config_universal: buyParameterSet,
  buy_config_tiers: [],
  selected_dexes: ['pump-fun', 'pump-amm', 'raydium-amm'],
  dex_source: 'global',
  buy_token_once: true,
  first_buy_only: false,
  reentry_after_flat: false,
  buy_once: false,
  skip_dev_launch: false,
  dev_sell_only: false,
  dev_sell_all_only: false,
  address_blacklist: { enabled: false, wallets: [] },
  min_trade_amount: '0.1',
  max_trade_amount: '',
  ...SELL_SIDE,
};

const config = { sniperConfig, copyTradeConfig };

export function createTaskExample(kind) {
  return {
    remark: 'Follow whale 7',
    target_wallet: TARGET,
    ...(kind.linked ? { linked_wallets: [LINKED] } : {}),
    risk_label_id: LABEL_ID,
    config: config[kind.config],
  };
}

/** A note and a label, which may change while the task runs, and a complete config, which may not. */
export function patchTaskExamples(kind) {
  return {
    note: {
      summary: 'Note and label; allowed while the task is active',
      value: { remark: 'Follow whale 7', risk_label_id: null },
    },
    config: { summary: 'The entire config; the task must be paused', value: { config: config[kind.config] } },
  };
}

function taskExample(kind, { version, active }) {
  return {
    id: kind.exampleId,
    ...createTaskExample(kind),
    is_active: active,
    version,
    created_at: CREATED,
    updated_at: version === 1 ? CREATED : UPDATED,
  };
}

export function createTemplateExample(kind) {
  return { name: 'Base', config: config[kind.config] };
}

export function patchTemplateExample() {
  return { name: 'Base 2' };
}

function templateExample(kind, { version }) {
  return {
    id: kind.exampleId,
    ...createTemplateExample(kind),
    version,
    created_at: CREATED,
    updated_at: version === 1 ? CREATED : UPDATED,
  };
}

export const labelBodyExample = { name: 'high risk', sort_order: 1 };

const labelExample = { id: LABEL_ID, ...labelBodyExample, transfer_snipe_count: 2 };

const meExample = {
  token_prefix: 'svc_live_5a4d0b0c',
  token_version: 1,
  scopes: ['sniper:read', 'sniper:write', 'copytrade:read'],
  expires_at: null,
  quota: { max: 100, used: 12, remaining: 88 },
  login_username: 'whales',
  family_role: 'none',
};

function enveloped(data, { written = false } = {}) {
  const markers = written ? { persistence: 'committed', propagation: 'eventual' } : {};
  return { data, meta: { request_id: REQUEST_ID, ...markers } };
}

function listed(items, more = {}) {
  return { data: { items, ...more }, meta: { request_id: REQUEST_ID } };
}

export function errorExample(code, message, fields) {
  return {
    error: { code, message, ...(fields === undefined ? {} : { fields }) },
    request_id: REQUEST_ID,
  };
}

/** Examples of answers by name, for `components.examples`. */
export function answerExamples(tasks, templates) {
  const all = {
    credential: { summary: 'A token with three scopes', value: enveloped(meExample) },
    label: { summary: 'A label', value: enveloped(labelExample, { written: true }) },
    labels: { summary: 'All labels', value: listed([labelExample]) },
  };
  for (const kind of tasks) {
    const name = `${kind.name[0].toLowerCase()}${kind.name.slice(1)}`;
    const active = taskExample(kind, { version: 2, active: true });
    const paused = taskExample(kind, { version: 3, active: false });
    const fresh = taskExample(kind, { version: 1, active: false });
    all[`${name}Created`] = { summary: 'Just created', value: enveloped(fresh, { written: true }) };
    all[`${name}Active`] = { summary: 'Active', value: enveloped(active, { written: true }) };
    all[`${name}Paused`] = { summary: 'Paused', value: enveloped(paused, { written: true }) };
    all[`${name}Page`] = { summary: 'A last page', value: listed([active], { next_cursor: null }) };
  }
  for (const kind of templates) {
    const name = `${kind.name[0].toLowerCase()}${kind.name.slice(1)}`;
    const template = templateExample(kind, { version: 1 });
    all[name] = { summary: 'A template', value: enveloped(template, { written: true }) };
    all[`${name}Page`] = { summary: 'A last page', value: listed([template], { next_cursor: null }) };
  }
  return all;
}
