import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import type {
  DesiredLabel,
  DesiredRemoval,
  DesiredState,
  DesiredTask,
} from '../../src/core/desired/state.ts';
import { type Address, formatAddress } from '../../src/core/model/address.ts';
import type { SeedTask } from '../../src/core/model/generated/sandbox.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import { type Collection, KINDS, type TaskCollection } from '../../src/core/model/kind.ts';
import type { LiveLabel, LiveState, LiveTask } from '../../src/core/model/resource.ts';
import { NO_GUARDRAILS } from '../../src/core/plan/guardrails/compiled.ts';
import { NO_OPTIONS, type PlanInput, type PlanOptions } from '../../src/core/plan/input.ts';
import type { Answer } from '../../src/core/ports/api.ts';
import { withVersions } from './versions.ts';

/** Valid wallets: base58 of 32 bytes. */
export const WALLETS = [
  '11111111111111111111111111111112',
  'So11111111111111111111111111111111111111112',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'SysvarRent111111111111111111111111111111111',
  'SysvarC1ock11111111111111111111111111111111',
] as const;

export function wallet(index: number): string {
  return WALLETS[index] ?? walletOf(`${index}`);
}

/** A valid wallet of its own for every text: always 43 or 44 characters. */
export function walletOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest();
  bytes[0] = 200;
  return base58.encode(bytes);
}

export const FEES = { tip_amount: '0.001', priority_fee: '0.0005', slippage: '10' };
export const SELL_SIDE: JsonObject = {
  auto_sell: {
    enabled: true,
    expiry_time: '0',
    tp_orders: [{ trigger: '50', sell: '100' }],
    sl_orders: [],
    follow_sell: false,
    proportional_sell: false,
  },
  auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: '0' },
  timed_strategy: { enabled: false, orders: [] },
};

export function sniperConfig(over: JsonObject = {}): JsonObject {
  return {
    buy_amount: '0.5',
    relay_mode: { ...FEES },
    priority_mode: { ...FEES, tip_amount: '0.002' },
    selected_dexes: ['pump-fun', 'bags'],
    dex_source: 'config',
    buy_once: false,
    sol_slippage_mode: false,
    snipe_external: false,
    ...structuredClone(SELL_SIDE),
    ...over,
  };
}

export function buySet(over: JsonObject = {}): JsonObject {
  return {
    market_cap_min: '',
    market_cap_max: '',
    amount_sol: '0.25',
    relay_tip: '0.001',
    relay_priority_fee: '0.001',
    relay_slippage: '15',
    priority_fee: '0.002',
    priority_tip: '0.003',
    priority_slippage: '15',
    sol_slippage_mode: false,
    ...over,
  };
}

export function copyTradeConfig(over: JsonObject = {}): JsonObject {
  return {
    buy_config_mode: 'universal',
    buy_config_universal: buySet(),
    buy_config_tiers: [],
    selected_dexes: ['pump-fun', 'pump-amm'],
    dex_source: 'global',
    buy_token_once: false,
    first_buy_only: false,
    reentry_after_flat: false,
    buy_once: false,
    skip_dev_launch: false,
    dev_sell_only: false,
    dev_sell_all_only: false,
    address_blacklist: { enabled: false, wallets: [] },
    min_trade_amount: '',
    max_trade_amount: '',
    ...structuredClone(SELL_SIDE),
    ...over,
  };
}

export function configFor(collection: TaskCollection, over: JsonObject = {}): JsonObject {
  return collection === 'copy-trade' ? copyTradeConfig(over) : sniperConfig(over);
}

export function uuid(index: number): string {
  const hex = index.toString(16).padStart(4, '0');
  return `${hex}0000-0000-4000-8000-${hex.padStart(12, '0')}`;
}

export function desiredTask(name: string, over: Partial<DesiredTask> = {}): DesiredTask {
  const collection = over.collection ?? 'sniper';
  return {
    address: formatAddress(collection, name),
    name,
    collection,
    state: 'active',
    note: 'Note',
    label: null,
    target_wallet: wallet(0),
    config: configFor(collection),
    ignoreChanges: [],
    adopt: 'auto',
    origin: () => undefined,
    ...(collection === 'copy-trade' ? { linked_wallets: [] } : {}),
    ...over,
  };
}

export function desiredLabel(name: string, over: Partial<DesiredLabel> = {}): DesiredLabel {
  return {
    address: formatAddress('label', name),
    name,
    collection: 'label',
    shownName: name,
    sort_order: 0,
    origin: () => undefined,
    ...over,
  };
}

/** A successful answer of the service. */
export function answerWith(data: JsonObject): Answer {
  return { type: 'ok', status: 200, data, version: undefined, requestId: undefined, date: undefined };
}

export function liveTask(index: number, over: Partial<LiveTask> = {}): LiveTask {
  const collection = over.collection ?? 'sniper';
  return {
    collection,
    id: uuid(index),
    remark: 'Note',
    target_wallet: wallet(0),
    is_active: true,
    risk_label_id: null,
    version: 5,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    config: configFor(collection),
    ...(collection === 'copy-trade' ? { linked_wallets: [] } : {}),
    ...over,
  };
}

export function desiredState(
  tasks: readonly DesiredTask[],
  labels: readonly DesiredLabel[] = [],
  over: Partial<DesiredState> = {},
): DesiredState {
  return {
    project: 'core',
    environment: null,
    tasks,
    templates: [],
    labels,
    removals: [],
    pruneTasks: 'delete',
    stoppedTasks: 'hold',
    settle: { update: 0, replace: 60_000 },
    wallets: new Map(),
    ...over,
  };
}

export function liveState(
  tasks: readonly LiveTask[],
  labels: readonly LiveLabel[] = [],
  over: Partial<LiveState> = {},
): LiveState {
  return {
    account: {
      token_prefix: 'svc_live_00000000',
      login_username: 'whales',
      family_role: 'none',
      scopes: [],
      expires_at: null,
      quota: { max: 100, used: tasks.length, remaining: 100 - tasks.length },
    },
    tasks,
    templates: [],
    labels,
    visible: new Set(KINDS.map(({ collection }) => collection)),
    complete: true,
    confirmed: true,
    proof: 'test',
    readAt: 0,
    ...over,
  };
}

/** The input for a live state that a test writes by hand: the markers in it get their versions. */
export function planInput(
  desired: DesiredState,
  live: LiveState,
  options: Partial<PlanOptions> = {},
): PlanInput {
  return readInput(desired, withVersions(desired, live), options);
}

/** The input for a live state that was read, or whose markers are the subject of a test. */
export function readInput(
  desired: DesiredState,
  live: LiveState,
  options: Partial<PlanOptions> = {},
): PlanInput {
  return {
    desired,
    live,
    baseUrl: 'http://127.0.0.1:1/v1',
    toolVersion: '0.0.0',
    createdAt: '2026-01-01T00:00:00Z',
    source: { commit: null, dirty: false, manifestsDigest: '', number: undefined },
    options: { ...NO_OPTIONS, ...options },
    guardrails: NO_GUARDRAILS,
    diagnostics: [],
  };
}

/** What a Removal names, by its address. */
export function removal(address: Address): DesiredRemoval {
  const slash = address.indexOf('/');
  const collection = address.slice(0, slash) as Collection;
  const origin = () => ({ file: 'manifests/removals.yaml', line: 6, column: 7 });
  return { address, collection, name: address.slice(slash + 1), manifest: 'retired', origin };
}

/** A task that the account of a sandbox begins with: ours, settled and running. */
export function seedTask(index: number, over: Partial<SeedTask> = {}) {
  return {
    kind: 'sniper' as SeedTask['kind'],
    id: uuid(index),
    remark: 'Note [git:core/a@0]',
    target_wallet: wallet(index),
    config: sniperConfig(),
    is_active: true,
    version: 5,
    ...over,
  };
}
