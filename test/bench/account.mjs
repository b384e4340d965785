// The account that the bench reads and changes, and the manifests that describe it: the same tasks in both forms, so that a
// plan is empty. Everything follows from the number of a task; there is no chance in it.
import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

export const PROJECT = 'bench';
export const TOKEN = 'svc_live_5a4d0b0c.bench-secret-of-no-worth';
/** Of ten tasks: copy-trade tasks have the larger configs. */
const SPREAD = [
  'copy-trade',
  'copy-trade',
  'sniper',
  'copy-trade',
  'sniper',
  'copy-trade',
  'transfer-snipe',
  'copy-trade',
  'sniper',
  'copy-trade',
];
const FIRST_CHANGE = Date.UTC(2025, 0, 1);
const SHARED_WALLETS = Array.from({ length: 500 }, (_, index) => wallet(`shared ${index}`));

export function labelNames(count) {
  return Array.from({ length: count }, (_, index) => `label-${String(index + 1).padStart(2, '0')}`);
}

/**
 * One task by its number. `config` is in the service's form: amounts are texts. `revision` is in one amount: another one is a
 * config change. `few`: one of five tasks runs instead of three of four. `kinds`: 1 for sniper tasks alone.
 */
export function taskOf(number, { labels, revision = 0, few = false, kinds = 3 }) {
  const kind = kinds === 1 ? 'sniper' : SPREAD[number % SPREAD.length];
  // By a step of their own, so that each label of each kind has both.
  const step = Math.floor(number / 7);
  const active = few ? step % 5 === 0 : step % 4 !== 0;
  return {
    number,
    kind,
    name: `${kind}-${String(number).padStart(5, '0')}`,
    note: `Trader ${number}`,
    label: labels[Math.floor(number / 3) % labels.length],
    target: wallet(`target ${number}`),
    linked: kind === 'copy-trade' ? [0, 1, 2, 3].map((step) => shared(number + 97 * step)) : undefined,
    active,
    config: kind === 'copy-trade' ? copyTradeConfig(number, revision) : sniperConfig(number, revision),
  };
}

/** Account by number: the first is that of `PROJECT` and `TOKEN`. */
export function accountOf(index) {
  if (index === 0) return { name: PROJECT, token: TOKEN };
  const id = (0x5a4d0b0c + index).toString(16);
  return { name: `${PROJECT}-${index}`, token: `svc_live_${id}.bench-secret-of-account-${index}` };
}

/**
 * A seed of the sandbox (schemas/sandbox.schema.json) with all tasks as an apply of the manifests leaves them. Those from `owned` on
 * belong to another project. `versionDigest`: that of src/core/desired/version.ts. Each of `accounts` has as many tasks, of numbers that no other has.
 */
export function seedOf({ tasks, labels: count, owned = tasks, accounts = 1, ...shape }, versionDigest) {
  const labels = labelNames(count);
  const seedAccount = (_, account) => {
    const { name, token } = accountOf(account);
    const first = account * tasks;
    return {
      login_username: name,
      quota: { max: tasks + 1_000 },
      tokens: [{ token }],
      labels: labels.map((label, index) => ({ name: label, sort_order: index, created_at: time(0) })),
      tasks: Array.from({ length: tasks }, (_item, index) =>
        seedTask(
          taskOf(first + index, { labels, ...shape }),
          index < owned ? PROJECT : 'elsewhere',
          versionDigest,
        ),
      ),
    };
  };
  return { accounts: Array.from({ length: accounts }, seedAccount) };
}

function seedTask(
  { number, kind, name, note, label, target, linked, active, config },
  project,
  versionDigest,
) {
  const version = versionDigest({
    collection: kind,
    target_wallet: target,
    ...(linked === undefined ? {} : { linked_wallets: linked }),
    note,
    label,
    state: active ? 'active' : 'paused',
    config,
  });
  return {
    kind,
    id: uuid(number),
    remark: `${note} [git:${project}/${name}${active ? '@1' : ''}.${version}0000]`,
    target_wallet: target,
    ...(linked === undefined ? {} : { linked_wallets: linked }),
    label,
    is_active: active,
    created_at: time(number),
    updated_at: time(number + 500_000),
    config,
  };
}

function sniperConfig(number, revision) {
  const [small, middle] = [amount(number, 3, 0), amount(number, 5, 0)];
  return {
    buy_amount: `0.${1 + (number % 8)}${revision % 10}5`,
    relay_mode: { tip_amount: small, priority_fee: '0.0005', slippage: String(10 + (number % 15)) },
    priority_mode: { tip_amount: '0.001', priority_fee: middle, slippage: String(12 + (number % 15)) },
    selected_dexes: ['pump-fun', 'launchlab', 'meteora-dynamic-bc'],
    dex_source: 'config',
    dev_min_amount: '0.5',
    dev_max_amount: '',
    buy_once: false,
    sol_slippage_mode: false,
    snipe_external: false,
    ...sellSide(number, 14),
  };
}

function copyTradeConfig(number, revision) {
  return {
    buy_config_mode: 'tiered',
    buy_config_universal: { ...buyParameters(number, '', ''), amount_sol: '' },
    buy_config_tiers: [
      { ...buyParameters(number, '0', '100000'), amount_sol: `0.0${1 + (number % 8)}${revision % 10}5` },
      buyParameters(number + 1, '100000', '1000000'),
      buyParameters(number + 2, '1000000', ''),
    ],
    selected_dexes: ['pump-fun', 'pump-amm', 'raydium-amm', 'meteora-damm-v2'],
    dex_source: 'config',
    buy_token_once: true,
    first_buy_only: false,
    reentry_after_flat: false,
    buy_once: false,
    skip_dev_launch: true,
    dev_sell_only: false,
    dev_sell_all_only: false,
    address_blacklist: {
      enabled: true,
      wallets: [0, 1, 2, 3, 4, 5].map((step) => shared(number + 31 * step + 7)),
    },
    min_trade_amount: '1',
    max_trade_amount: String(20 + (number % 30)),
    ...sellSide(number, 6),
  };
}

function buyParameters(number, least, most) {
  return {
    market_cap_min: least,
    market_cap_max: most,
    amount_sol: amount(number, 7, 1),
    relay_tip: amount(number, 3, 0),
    relay_priority_fee: '0.0005',
    relay_slippage: String(10 + (number % 15)),
    priority_fee: '0.001',
    priority_tip: amount(number, 5, 0),
    priority_slippage: String(12 + (number % 15)),
    sol_slippage_mode: false,
  };
}

function sellSide(number, rungs) {
  return {
    auto_sell: {
      enabled: true,
      expiry_time: String(60 + (number % 180)),
      tp_orders: ladder(number, rungs, 20),
      sl_orders: ladder(number, rungs / 2, 5),
      follow_sell: false,
      proportional_sell: false,
      trailing_take_profit: { enabled: true, tiers: ladder(number, rungs / 2, 30) },
    },
    auto_strategy: { migration_clear: true, timed_sell: false, sell_delay: '0' },
    timed_strategy: { enabled: true, orders: ladder(number, rungs / 2, 1) },
  };
}

/** Rungs that sell less than all together. */
function ladder(number, rungs, step) {
  return Array.from({ length: rungs }, (_, index) => ({
    trigger: String(step * (index + 1) + (number % step)),
    sell: String(Math.floor(90 / rungs)),
  }));
}

/** A few digits after the point, never 0. */
function amount(number, factor, zeros) {
  return `0.${zeros === 0 ? '00' : '0'}${1 + ((number * factor) % 9)}`;
}

function shared(index) {
  return SHARED_WALLETS[index % SHARED_WALLETS.length];
}

function wallet(text) {
  return base58.encode(createHash('sha256').update(text).digest());
}

function uuid(number) {
  const hex = createHash('sha256').update(`task ${number}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function time(seconds) {
  return new Date(FIRST_CHANGE + seconds * 1_000).toISOString();
}
