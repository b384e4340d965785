import type { ProjectSettings } from '../../src/core/desired/project.ts';
import { Source } from '../../src/core/manifest/source.ts';

export const SETTINGS: ProjectSettings = {
  project: 'core',
  environment: null,
  manifests: [],
  pruneTasks: 'delete',
  stoppedTasks: 'hold',
  settle: { update: 0, replace: 60_000 },
};

export const WALLETS = [
  '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1',
  '7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj',
  '9n4nbM75f5Ui33ZbPYXn59EwSgE8CGsHtAeTH5YFeJ9E',
] as const;

/** So that no lint has anything to say, unless a test asks for it. */
function dexSource(config: string): string {
  return config.includes('dex_source:') ? '' : '    dex_source: config\n';
}

const SELL_SIDE = `    auto_sell: { enabled: false, expiry_time: 0, tp_orders: [], sl_orders: [], follow_sell: false, proportional_sell: false }
    auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: 0 }
    timed_strategy: { enabled: false, orders: [] }
`;

export interface SniperOptions {
  readonly kind?: 'SniperTask' | 'TransferSnipeTask';
  readonly name?: string;
  /** Text of the amount, as it stands in the file. */
  readonly amount?: string;
  /** Further lines of `spec`, indented by two. */
  readonly spec?: string;
  /** Further lines of `config`, indented by four. */
  readonly config?: string;
  readonly wallet?: string;
}

/** A valid sniper or transfer-snipe task. */
export function sniper({
  kind = 'SniperTask',
  name = 'alpha',
  amount = '0.5',
  spec = '',
  config = '',
  wallet = WALLETS[0],
}: SniperOptions = {}): string {
  return `apiVersion: tradeform/v1
kind: ${kind}
metadata:
  name: ${name}
spec:
  state: active
${spec}  target_wallet: ${wallet}
  config:
    buy_amount: ${amount}
    relay_mode: { tip_amount: 0.001, priority_fee: 0.0001, slippage: 15 }
    priority_mode: { tip_amount: 0.002, priority_fee: 0.0002, slippage: 25 }
    selected_dexes: [pump-fun, bags]
${dexSource(config)}${config}${SELL_SIDE}`;
}

/** A valid copy-trade task. */
export function copyTrade({
  name = 'whale',
  wallet = WALLETS[1],
  spec = '',
  config = '',
}: Omit<SniperOptions, 'kind' | 'amount'> = {}): string {
  return `apiVersion: tradeform/v1
kind: CopyTradeTask
metadata: { name: ${name} }
spec:
  state: paused
${spec}  target_wallet: ${wallet}
  config:
    buy_config_mode: universal
    buy_config_universal:
      market_cap_min: ""
      market_cap_max: ""
      amount_sol: 1.5
      relay_tip: 0.001
      relay_priority_fee: 0
      relay_slippage: 20
      priority_fee: 0
      priority_tip: 0.001
      priority_slippage: 20
    buy_config_tiers: []
    selected_dexes: [pump-fun, pump-amm]
    buy_token_once: true
    first_buy_only: false
    buy_once: false
    min_trade_amount: ""
    max_trade_amount: ""
${dexSource(config)}${config}${SELL_SIDE}`;
}

export function sniperTemplate(name: string, spec = ''): string {
  const config = sniper().slice(sniper().indexOf('  config:'));
  return `apiVersion: tradeform/v1\nkind: SniperTemplate\nmetadata: { name: ${name} }\nspec:\n${spec}${config}`;
}

export function label(name: string, spec = ''): string {
  return `apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: ${name} }\n${spec === '' ? '' : `spec:\n${spec}`}`;
}

export const PROJECT = 'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\n';

export function source(text: string, file = 'manifests/a.yaml'): Source {
  return new Source(file, text);
}
