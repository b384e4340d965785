import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/model/json.ts';
import { tradeform } from '../cmd/run.ts';
import { MANIFESTS } from '../http/reference.ts';
import { type Manifest, makeRepository } from '../http/repository.ts';
import { copyTradeConfig, sniperConfig, walletOf } from '../support/builders.ts';
import { commitAll } from '../support/repository.ts';
import { runs } from '../support/sample.ts';
import { operationsOf, readDocument } from './document.ts';
import { startFake } from './fake.ts';

/**
 * A second reading of the interface: the client against a service that is made from the document alone. Every request has to be
 * valid there, and every answer that it invents has to be read.
 */

const OPERATIONS = operationsOf(readDocument()).map(({ id }) => id);
const TOKEN = 'svc_live_0a0a0a0a.second-opinion';
const BEFORE: Readonly<Record<string, JsonObject>> = {
  'SniperTask/config': { config: sniperConfig({ buy_amount: '0.1' }) },
  'SniperTask/once': { config: sniperConfig({ buy_amount: '0.1', buy_once: true }) },
  'SniperTask/stop': { state: 'active' },
  'SniperTask/start': { state: 'paused' },
  'SniperTask/move': { target_wallet: walletOf('move-before') },
  'SniperTask/steady': { label: 'steady' },
  'SniperTemplate/base': { config: sniperConfig({ buy_amount: '0.1' }) },
  'CopyTradeTemplate/follow': { config: copyTradeConfig({ min_trade_amount: '2' }) },
  'Label/fresh': { sort_order: 5 },
  'CopyTradeTask/whale': { linked_wallets: [walletOf('linked-before')] },
  'TransferSnipeTask/treasury': { remark: 'Before' },
};
const gone = (kind: string, name: string, state: string) => ({
  kind,
  metadata: { name },
  spec: {
    state,
    target_wallet: walletOf(name),
    config: kind === 'CopyTradeTask' ? copyTradeConfig() : sniperConfig(),
  },
});
const GONE: readonly Manifest[] = [
  { kind: 'Label', metadata: { name: 'old' }, spec: { name: 'Old', sort_order: 1 } },
  { kind: 'SniperTemplate', metadata: { name: 'old' }, spec: { name: 'Old', config: sniperConfig() } },
  { kind: 'CopyTradeTemplate', metadata: { name: 'old' }, spec: { name: 'Old', config: copyTradeConfig() } },
  gone('SniperTask', 'ended', 'active'),
  gone('TransferSnipeTask', 'runs', 'active'),
  gone('TransferSnipeTask', 'off', 'paused'),
  gone('CopyTradeTask', 'left', 'active'),
];
const REMOVAL = {
  kind: 'Removal',
  metadata: { name: 'retired' },
  spec: { resources: ['label/Old', 'sniper-template/Old', 'copy-trade-template/Old'] },
};

describe('a reference apply against a service that nobody here wrote', () => {
  it.for(Array.from({ length: runs(12) }, (_, n) => n + 1))('seed %i', async (seed) => {
    const fake = await startFake(seed);
    const now = MANIFESTS.map((one) => ({
      ...one,
      metadata: { ...one.metadata, id: undefined },
    })) as unknown as readonly Manifest[];
    const before = now.map((one) => {
      const name = one.metadata.previous_name ?? one.metadata.name;
      return { kind: one.kind, metadata: { name }, spec: { ...one.spec, ...BEFORE[`${one.kind}/${name}`] } };
    });
    const repository = makeRepository([...before, ...GONE], { guardrails: { max_deletes: 20 } }, [
      ...before,
      ...GONE,
    ]);
    const run = async (code: number, ...args: string[]) => {
      const env = { TRADEFORM_BASE_URL: fake.baseUrl, TRADEFORM_TOKEN: TOKEN };
      const ran = await tradeform(args, { cwd: repository.path, env });
      expect(fake.problems).toEqual([]);
      expect({ code: ran.code, said: ran.code === code ? '' : ran.stdout + ran.stderr }).toEqual({
        code,
        said: '',
      });
    };
    await run(0, 'apply', '--auto-approve', '--first-apply');
    await run(0, 'plan', '--detailed-exitcode');
    repository.write([...now, REMOVAL]);
    commitAll(repository.git, 'Now');
    await run(0, 'apply', '--auto-approve');
    await run(0, 'plan', '--detailed-exitcode');
    await run(0, 'drift');
    await run(0, 'pause', '--all');
    await run(0, 'resume', '--all', '--auto-approve');
    const unasked = OPERATIONS.filter((id) => ![...fake.asked].some((one) => one.startsWith(`${id} `)));
    // One resource is read where an answer left a doubt.
    expect(unasked.filter((id) => !id.startsWith('get'))).toEqual([]);
  });
});
