import type { SeedAccount, SeedTask } from '../../src/core/model/generated/sandbox.ts';
import type { JsonObject } from '../../src/core/model/json.ts';
import { seedTask, sniperConfig, uuid, walletOf } from '../support/builders.ts';
import { FULL } from '../support/sample.ts';
import type { Manifest } from './repository.ts';

/** `npm test` takes three tenths of what git names, and an eighth of the account. */
const PART = FULL ? 10 : 3;
/** A large account: what git changes in it, and how many there are of each. */
const CHANGES = {
  config: 17 * PART,
  note: 11 * PART,
  create: 8 * PART,
  stop: 4 * PART,
  start: 4 * PART,
  delete: 3 * PART,
  replace: 3 * PART,
} as const;
const UNCHANGED = 70 * PART;
export const TASKS = FULL ? 5_000 : 600;
export const CHANGED = Object.values(CHANGES).reduce((sum, count) => sum + count, 0);

const BEFORE = sniperConfig({ buy_amount: '0.1' });
const AFTER = sniperConfig({ buy_amount: '0.2' });

/** Seed and manifests of one task; either may be missing. */
type Pair = readonly [seed: Partial<SeedTask> | undefined, spec: JsonObject | undefined];

function pairOf(change: string, wallet: string): Pair {
  const running: Partial<SeedTask> = { is_active: true };
  const wanted: JsonObject = { state: 'active', config: BEFORE, target_wallet: wallet };
  switch (change) {
    case 'config':
      return [running, { ...wanted, config: AFTER }];
    case 'note':
      return [running, { ...wanted, remark: 'Memo' }];
    case 'create':
      return [undefined, wanted];
    case 'stop':
      return [running, { ...wanted, state: 'paused' }];
    case 'start':
      return [{ is_active: false }, wanted];
    case 'delete':
      return [running, undefined];
    case 'replace':
      return [running, { ...wanted, target_wallet: walletOf('elsewhere') }];
    default:
      return [running, wanted];
  }
}

export interface Crowd {
  readonly account: SeedAccount;
  readonly manifests: readonly Manifest[];
  /** What git named before: of the tasks that are deleted. */
  readonly former: readonly Manifest[];
}

export function crowd(): Crowd {
  const wallet = walletOf('crowd');
  const tasks: SeedTask[] = [];
  const manifests: Manifest[] = [];
  const former: Manifest[] = [];
  const add = (change: string, count: number) => {
    for (let index = 1; index <= count; index += 1) {
      const name = `${change}-${index}`;
      const [seed, spec] = pairOf(change, wallet);
      const marker = change === 'start' ? `[git:core/${name}]` : `[git:core/${name}@0]`;
      const common = {
        kind: 'sniper',
        id: uuid(tasks.length + 1),
        target_wallet: wallet,
        config: BEFORE,
      } as const;
      if (seed !== undefined) tasks.push({ ...common, version: 5, remark: `Note ${marker}`, ...seed });
      const named = (more: object) => ({
        kind: 'SniperTask',
        metadata: { name },
        spec: { remark: 'Note', ...more },
      });
      if (spec !== undefined) manifests.push(named(spec));
      else former.push(named({ state: 'active', target_wallet: wallet, config: BEFORE }));
    }
  };
  for (const [change, count] of Object.entries(CHANGES)) add(change, count);
  add('unchanged', UNCHANGED);
  for (let index = tasks.length; index < TASKS; index += 1) {
    const remark = index % 3 === 0 ? `Theirs [git:desk-2/t-${index}@0]` : '';
    const config = sniperConfig({ buy_amount: '0.3' });
    tasks.push(seedTask(index + 1, { remark, target_wallet: walletOf('others'), version: 1, config }));
  }
  return { account: { quota: { max: 6_000 }, tasks }, manifests, former };
}
