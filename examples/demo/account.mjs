/** The account at the start of the demo: what a team has after some weeks, half of it made by hand. */

const OFF = { enabled: false, orders: [] };

const DAWN = {
  // Git wants 0.2: somebody merged a change that nobody has applied yet.
  buy_amount: '0.15',
  relay_mode: { tip_amount: '0.003', priority_fee: '0.0005', slippage: '20' },
  priority_mode: { tip_amount: '0.001', priority_fee: '0.002', slippage: '20' },
  selected_dexes: ['pump-fun', 'launchlab', 'meteora-dynamic-bc'],
  dex_source: 'config',
  dev_min_amount: '0.5',
  dev_max_amount: '',
  buy_once: false,
  sol_slippage_mode: false,
  snipe_external: false,
  auto_sell: {
    enabled: true,
    expiry_time: '240',
    tp_orders: [
      { trigger: '50', sell: '40' },
      { trigger: '120', sell: '30' },
      { trigger: '300', sell: '30' },
    ],
    sl_orders: [],
    follow_sell: false,
    proportional_sell: false,
    trailing_take_profit: { enabled: false, tiers: [] },
  },
  auto_strategy: { migration_clear: true, timed_sell: false, sell_delay: '0' },
  timed_strategy: OFF,
};

const SIMPLE_SNIPER = {
  buy_amount: '0.05',
  relay_mode: { tip_amount: '0.002', priority_fee: '0.0005', slippage: '15' },
  priority_mode: { tip_amount: '0.001', priority_fee: '0.001', slippage: '15' },
  selected_dexes: ['pump-fun'],
  dex_source: 'config',
  buy_once: false,
  sol_slippage_mode: false,
  snipe_external: false,
  auto_sell: {
    enabled: true,
    expiry_time: '60',
    tp_orders: [{ trigger: '100', sell: '100' }],
    sl_orders: [],
    follow_sell: false,
    proportional_sell: false,
  },
  auto_strategy: { migration_clear: true, timed_sell: false, sell_delay: '0' },
  timed_strategy: OFF,
};

/** The treasury task as in git. `0.150` equals `0.15`. */
const TREASURY = {
  ...SIMPLE_SNIPER,
  buy_amount: '0.150',
  relay_mode: { tip_amount: '0.003', priority_fee: '0.0005', slippage: '12' },
  priority_mode: { tip_amount: '0.001', priority_fee: '0.002', slippage: '12' },
  selected_dexes: ['launchlab', 'pump-fun'],
  auto_sell: {
    ...SIMPLE_SNIPER.auto_sell,
    expiry_time: '180',
    tp_orders: [
      { trigger: '50', sell: '50' },
      { trigger: '100', sell: '50' },
    ],
  },
};

/** An older snapshot with fields that the service refuses today. It keeps running, but cannot be started again after a pause. */
const LEGACY = { ...SIMPLE_SNIPER, buy_amount: '0.4', sell_percent: '100', fast_mode: true };

const COPY = {
  buy_config_mode: 'universal',
  buy_config_universal: {
    market_cap_min: '',
    market_cap_max: '',
    amount_sol: '0.25',
    relay_tip: '0.002',
    relay_priority_fee: '0.0005',
    relay_slippage: '18',
    priority_fee: '0.002',
    priority_tip: '0.001',
    priority_slippage: '18',
    sol_slippage_mode: false,
  },
  buy_config_tiers: [],
  selected_dexes: ['pump-fun', 'pump-amm', 'raydium-amm', 'raydium-cpmm'],
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
    wallets: ['FMCemop3NJS2WvjhmnoLzFaM2BezHjk4hcvfSxSMRJWq', '3KdhF5pZK9Xn6NnSsavGC5LfJzgsiyHA5kXoJWJp6ekr'],
  },
  min_trade_amount: '1',
  max_trade_amount: '50',
  auto_sell: {
    enabled: true,
    expiry_time: '0',
    tp_orders: [],
    sl_orders: [],
    follow_sell: true,
    proportional_sell: true,
  },
  auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: '0' },
  timed_strategy: OFF,
};

/** The scout task as somebody made it by hand: for the same wallet as in git, but with a larger amount and without limits. */
const SCOUT_BY_HAND = {
  ...COPY,
  buy_config_universal: {
    ...COPY.buy_config_universal,
    amount_sol: '0.1',
    relay_tip: '0.001',
    relay_slippage: '20',
    priority_fee: '0.001',
    priority_slippage: '20',
  },
  selected_dexes: ['pump-fun', 'pump-amm'],
  skip_dev_launch: false,
  address_blacklist: { enabled: false, wallets: [] },
  min_trade_amount: '0.2',
  max_trade_amount: '',
  auto_sell: { ...COPY.auto_sell, proportional_sell: false },
  auto_strategy: { migration_clear: true, timed_sell: false, sell_delay: '0' },
};

/**
 * Three tokens: tradeform's, that of a person with the same account, and one of another account. Their secrets are random in each
 * run.
 */
export const SEED = {
  accounts: [
    {
      id: 'harbor-desk',
      login_username: 'harbor-desk',
      quota: { max: 40 },
      tokens: [{ token: 'svc_live_7a9e0c31' }, { token: 'svc_live_51d6f20b' }],
      labels: [
        { name: 'Steady', sort_order: 10 },
        { name: 'Whales', sort_order: 30 },
        { name: 'Keep', sort_order: 90 },
      ],
      templates: [{ kind: 'sniper', name: 'Spring setup', config: SIMPLE_SNIPER }],
      tasks: [
        // Owned: this repository was applied before, from some machine.
        {
          kind: 'sniper',
          remark: 'Early launches, small size [git:core/dawn@0]',
          target_wallet: 'C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG',
          label: 'Steady',
          is_active: true,
          version: 9,
          config: DAWN,
        },
        {
          kind: 'copy-trade',
          remark: 'Follow whale 7 [git:core/whale-7@0]',
          target_wallet: 'F5S1pn9S3kgMKvvfsZKk9y7xsSigzXoCNryMUh2BjwPM',
          linked_wallets: [
            'BRSpBrs5en3aQxiXznUyNwj8XejFfwV5ACUz77nycEqT',
            'FZmHHkpYSVDgndiWaTPH3MTT2XozySbfz7esNEjhQkPP',
          ],
          label: 'Whales',
          is_active: true,
          version: 14,
          config: COPY,
        },
        {
          kind: 'transfer-snipe',
          remark: 'Watch the treasury [git:core/treasury@0]',
          target_wallet: 'F6QwUiqSc63rfzHxnAm8qDSo7bRxjUTJyG55QdKgftZK',
          label: 'Steady',
          is_active: true,
          version: 4,
          config: TREASURY,
        },
        {
          kind: 'sniper',
          remark: 'Spring launches [git:core/spring@0]',
          target_wallet: 'AYBTZCRMS8f3hH66RAv7VPoa5bsFGy75iSqQKK5HpHCd',
          version: 6,
          config: SIMPLE_SNIPER,
        },
        // Unmanaged: no marker.
        {
          kind: 'sniper',
          remark: 'manual, ask Mira before touching',
          target_wallet: '7Z2HkRUo9Zxqc6Q5NfGSq4pqqFG6XyPzZKSK9Nv7Bop6',
          label: 'Keep',
          is_active: true,
          version: 31,
          config: LEGACY,
          legacy: true,
        },
        {
          kind: 'copy-trade',
          remark: 'scouting',
          target_wallet: '3xstRhR3dUwxa7cxcNa835os8aT6g6xQVSHeDu2xRwLZ',
          is_active: true,
          version: 3,
          config: SCOUT_BY_HAND,
        },
        {
          kind: 'copy-trade',
          target_wallet: 'FBKyqu1ciyV9p89DfMP8GTV3v5hmGfg4mSPFNTo9iHmZ',
          config: COPY,
        },
        // Foreign: it belongs to another repository.
        {
          kind: 'sniper',
          remark: 'Evening [git:desk-2/evening@0]',
          target_wallet: '2SDx1HQZCpbc56gkghXPBtqRYnszb1UGp9ooUqvaPHTh',
          is_active: true,
          version: 5,
          config: SIMPLE_SNIPER,
        },
        {
          kind: 'transfer-snipe',
          remark: 'Their feed [git:desk-2/feed]',
          target_wallet: '6TUJR16YNgADKKVQ2dKvvcoMXMrdXkALnanzeds2pTWf',
          config: SIMPLE_SNIPER,
        },
      ],
    },
    {
      id: 'north-desk',
      login_username: 'north-desk',
      quota: { max: 40 },
      tokens: [{ token: 'svc_live_e04b8d7f' }],
    },
  ],
};
