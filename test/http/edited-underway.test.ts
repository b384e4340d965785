import { beforeAll, describe, expect, it } from 'vitest';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import { tradeform } from '../cmd/run.ts';
import { seedTask, sniperConfig, uuid, walletOf } from '../support/builders.ts';
import { type Manifest, makeRepository } from './repository.ts';
import { type Service, startService } from './service.ts';

/** A person edits a task between the plan and a write of the apply: the edit stays, and what stops because of it is named. */

const ID = seedTask(1).id;
const [HOT, COLD, THEIRS] = [uuid(0x41), uuid(0x42), uuid(0x43)];

const OLD = sniperConfig({ buy_amount: '0.5' });

const ACCOUNT: SeedAccount = {
  labels: [
    { name: 'hot', id: HOT },
    { name: 'cold', id: COLD },
    { name: 'theirs', id: THEIRS },
  ],
  tasks: [
    seedTask(1, {
      remark: 'Note [git:core/a@0]',
      target_wallet: walletOf('a'),
      config: OLD,
      label: 'hot',
    }),
    seedTask(2, { remark: 'Note [git:core/kept@0]', target_wallet: walletOf('kept') }),
  ],
};

const sniper = (name: string, over: object = {}): Manifest => ({
  kind: 'SniperTask',
  metadata: { name },
  spec: { state: 'active', remark: 'Note', target_wallet: walletOf(name), config: sniperConfig(), ...over },
});
const OTHERS: readonly Manifest[] = [
  ...['hot', 'cold'].map((name) => ({ kind: 'Label', metadata: { name }, spec: {} })),
  sniper('kept'),
];
const manifest = (over: object): readonly Manifest[] => [
  ...OTHERS,
  sniper('a', { label: 'hot', config: OLD, ...over }),
];
const FORMER = manifest({});
const NEXT = { remark: 'New note', label: 'cold', config: sniperConfig({ buy_amount: '0.4' }) };

/** What one commit changes, and how many writes that takes. */
const COMMITS: Readonly<Record<string, readonly [HEAD: readonly Manifest[], writes: number]>> = {
  'changes every field': [manifest(NEXT), 4],
  'changes every field and stops it': [manifest({ ...NEXT, state: 'paused' }), 2],
  'changes the note and the label': [manifest({ ...NEXT, config: OLD }), 1],
  'removes it': [OTHERS, 3],
};

const EDITS = {
  remark: (remark: string) => ({ remark: remark.replace(/^[^[]*/, 'By hand ') }),
  label: () => ({ risk_label_id: THEIRS }),
  'config.buy_amount': () => ({ merge: { buy_amount: '9' } }),
} as const;

let service: Service;
/** With its version: as an apply of the former commit leaves it. */
let applied: SeedAccount;

const stored = () => service.sandbox.state.tasks.get(ID);
const apply = (path: string, more: readonly string[] = []) =>
  tradeform(['apply', '--auto-approve', '--quiet', ...more], { cwd: path, env: service.env });

beforeAll(async () => {
  service = await startService();
  service.reset(ACCOUNT);
  expect((await apply(makeRepository(FORMER).path)).code).toBe(0);
  const [first, ...rest] = ACCOUNT.tasks ?? [];
  if (first === undefined) throw new Error('no task');
  applied = { ...ACCOUNT, tasks: [{ ...first, remark: stored()?.remark ?? '' }, ...rest] };
});

function holds(field: keyof typeof EDITS): boolean {
  const task = stored();
  if (field === 'remark') return task?.remark.startsWith('By hand ') === true;
  return field === 'label' ? task?.risk_label_id === THEIRS : task?.config.buy_amount === '9';
}

describe.each(Object.entries(COMMITS))('git %s', (_what, [head, writes]) => {
  const { path } = makeRepository(head, undefined, FORMER);
  it.each(Object.keys(EDITS) as (keyof typeof EDITS)[])(
    'a person edits %s before each write',
    async (field) => {
      let edited = 0;
      for (let at = 0; at < writes; at += 1) {
        service.reset(applied);
        let count = 0;
        service.hooks = {
          before: (_, { method }) => {
            if (method === 'GET') return undefined;
            const task = stored();
            if (count === at && task !== undefined) {
              service.sandbox.editStored(ID, EDITS[field](task.remark));
              edited += 1;
            }
            count += 1;
            return undefined;
          },
        };
        const { code, stdout } = await apply(path, ['--only', 'pending']);
        const moment = `write ${at}: ${code} ${stdout.replace(/\s+/g, ' ')}`;
        if (edited > at) expect(holds(field), moment).toBe(true);
        if (code !== 0) expect(moment).toContain(`${field} changed`);
      }
      expect(edited).toBe(writes);
    },
  );
});
