import type { SeedAccount, SeedTask } from '../../src/core/model/generated/sandbox.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import { parseRemark } from '../../src/core/model/marker.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { copyTradeConfig, seedTask, sniperConfig, uuid, walletOf } from '../support/builders.ts';
import { type Manifest, makeRepository, type Repository } from './repository.ts';

/** The reference apply: every kind and every operation, on an account that a team has used for a while. */

const BEFORE = { buy_amount: '0.1' };
const AFTER = { buy_amount: '0.2' };

function owned(name: string, index: number, over: Partial<SeedTask> = {}): SeedTask {
  return seedTask(index, {
    remark: `Note [git:core/${name}@0]`,
    target_wallet: walletOf(name),
    config: over.kind === 'copy-trade' ? copyTradeConfig() : sniperConfig(BEFORE),
    ...over,
  });
}

export const ONCE = uuid(2);

export const ACCOUNT: SeedAccount = {
  labels: [{ name: 'Steady', id: uuid(101), sort_order: 1 }],
  templates: [{ kind: 'sniper', name: 'Base', id: uuid(102), config: sniperConfig(BEFORE) }],
  tasks: [
    owned('config', 1),
    owned('once', 2, { config: sniperConfig({ ...BEFORE, buy_once: true }) }),
    owned('stop', 3),
    owned('start', 4, { is_active: false, remark: 'Note [git:core/start]' }),
    owned('move', 5, { target_wallet: walletOf('move-before') }),
    owned('by-hand', 6, { remark: 'By hand' }),
    owned('was', 7, { config: sniperConfig(AFTER) }),
    owned('delete', 8),
    owned('delete-paused', 9, { is_active: false }),
    owned('whale', 10, { kind: 'copy-trade', linked_wallets: [walletOf('linked-before')] }),
    owned('treasury', 11, { kind: 'transfer-snipe' }),
    owned('steady', 12, { config: sniperConfig(AFTER), label: 'Steady' }),
    // Nobody of ours: not one request may be about these.
    owned('unmanaged', 13, { remark: 'ask Mira' }),
    owned('foreign', 14, { remark: 'Evening [git:desk-2/evening@0]' }),
  ],
};

/** Tasks that no apply may touch. */
export const OTHERS = [uuid(13), uuid(14)];

function task(kind: string, name: string, spec: JsonObject = {}, metadata: object = {}): Manifest {
  const config = kind === 'CopyTradeTask' ? copyTradeConfig() : sniperConfig(AFTER);
  return {
    kind,
    metadata: { name, ...metadata },
    spec: { state: 'active', remark: 'Note', target_wallet: walletOf(name), config, ...spec },
  };
}

export const MANIFESTS: readonly Manifest[] = [
  { kind: 'Label', metadata: { name: 'steady' }, spec: { name: 'Steady', sort_order: 10 } },
  { kind: 'Label', metadata: { name: 'fresh' }, spec: { name: 'Fresh', sort_order: 20 } },
  { kind: 'SniperTemplate', metadata: { name: 'base' }, spec: { name: 'Base', config: sniperConfig(AFTER) } },
  {
    kind: 'CopyTradeTemplate',
    metadata: { name: 'follow' },
    spec: { name: 'Follow', config: copyTradeConfig() },
  },
  task('SniperTask', 'new', { label: 'fresh' }),
  task('SniperTask', 'config'),
  task('SniperTask', 'once', { config: sniperConfig({ ...AFTER, buy_once: true }) }),
  task('SniperTask', 'stop', { state: 'paused', config: sniperConfig(BEFORE) }),
  task('SniperTask', 'start'),
  task('SniperTask', 'move'),
  task('SniperTask', 'by-hand', { config: sniperConfig(BEFORE) }, { id: uuid(6) }),
  task('SniperTask', 'is', { target_wallet: walletOf('was') }, { previous_name: 'was' }),
  task('SniperTask', 'steady', { label: 'fresh' }),
  task('CopyTradeTask', 'whale', {
    linked_wallets: [walletOf('linked-after')],
    config: copyTradeConfig({ min_trade_amount: '1' }),
  }),
  task('CopyTradeTask', 'copy-new', { label: 'steady' }),
  task('TransferSnipeTask', 'treasury', { remark: 'Watch', label: 'steady' }),
  task('TransferSnipeTask', 'feed', { state: 'paused' }),
];

/** What git named before: a task that nobody approves the deletion of is deleted only where a commit named it. */
const FORMER: readonly Manifest[] = [task('SniperTask', 'delete'), task('SniperTask', 'delete-paused')];

/** A git repository whose last commit has these manifests. */
export function referenceRepository(
  manifests: readonly Manifest[] = MANIFESTS,
  spec: object = {},
): Repository {
  return makeRepository(manifests, spec, FORMER);
}

/** Names that git wants running. */
export const RUNNING = MANIFESTS.filter(({ spec }) => 'state' in spec && spec.state === 'active').map(
  ({ metadata }) => metadata.name,
);

/** Tasks of the sandbox by the name in their marker. */
export function ownedTasks({ state }: Sandbox): ReadonlyMap<string, readonly StoredTask[]> {
  const byName = new Map<string, StoredTask[]>();
  for (const stored of state.tasks.values()) {
    const remark = parseRemark(stored.remark);
    if (remark.type !== 'marked' || remark.marker.project !== 'core') continue;
    const key = `${stored.collection}/${remark.marker.name}`;
    byName.set(key, [...(byName.get(key) ?? []), stored]);
  }
  return byName;
}

/**
 * What is not as the manifests want it, in words; empty where everything is. `held` names tasks that may be paused
 * although git wants them running.
 */
export function problemsOf(sandbox: Sandbox, held: readonly string[] = []): readonly string[] {
  const problems: string[] = [];
  const tasks = ownedTasks(sandbox);
  const wanted = MANIFESTS.filter(({ kind }) => kind.endsWith('Task'));
  for (const { kind, metadata, spec } of wanted) {
    const collection = { SniperTask: 'sniper', CopyTradeTask: 'copy-trade' }[kind] ?? 'transfer-snipe';
    const address = `${collection}/${metadata.name}`;
    const [found, second] = tasks.get(address) ?? [];
    if (found === undefined) problems.push(`${address} is missing`);
    if (second !== undefined) problems.push(`${address} is there twice`);
    const runs = 'state' in spec && spec.state === 'active';
    if (found?.is_active === false && runs && !held.includes(found.id)) problems.push(`${address} is paused`);
    if (found?.is_active === true && !runs) problems.push(`${address} runs`);
  }
  if (tasks.size !== wanted.length)
    problems.push(`${tasks.size} owned names: ${[...tasks.keys()].join(', ')}`);
  const { labels, templates } = sandbox.state;
  const names = [...labels.values(), ...templates.values()].map(({ name }) => name).sort();
  if (names.join() !== 'Base,Follow,Fresh,Steady') problems.push(`labels and templates: ${names.join(', ')}`);
  for (const id of OTHERS) {
    if (sandbox.state.tasks.get(id)?.version !== 5)
      problems.push(`${id} is nobody's business and was changed`);
  }
  return problems;
}
