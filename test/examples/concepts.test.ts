import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DesiredTask } from '../../src/core/desired/state.ts';
import { type Example, openExample, variablesOf } from './example.ts';

/** What the comments of examples/concepts promise. */
let example: Example;

async function open(name: string, environment?: string): Promise<Example> {
  example = await openExample(`concepts/${name}`, environment);
  return example;
}

async function tasks(): Promise<Record<string, DesiredTask>> {
  return Object.fromEntries((await example.desired()).tasks.map((task) => [task.address, task]));
}

/** The verbs of each address, in order. */
async function chains(): Promise<Record<string, string[]>> {
  const { operations } = await example.planned();
  const chains: Record<string, string[]> = {};
  for (const { address, verb } of operations) chains[address] = [...(chains[address] ?? []), verb];
  return chains;
}

function live() {
  return [...example.sandbox.state.tasks.values()];
}

describe('composition', () => {
  it("extends-and-presets: later presets and the task's own config win, null removes, lists replace", async () => {
    await open('extends-and-presets');
    const { config } = (await tasks())['sniper/dawn'] ?? {};
    expect(config).toMatchObject({
      buy_amount: '0.1',
      relay_mode: { tip_amount: '0.006', priority_fee: '0.0005', slippage: '15' },
      auto_sell: { expiry_time: '120', tp_orders: [{ trigger: '100', sell: '100' }] },
    });
    expect(config).not.toHaveProperty('dev_min_amount');
    const [change] = (await example.planned()).changes.filter(({ kind }) => kind === 'sniper-template');
    expect(change?.fields.map(({ path }) => path)).toContain('config.dev_min_amount');
  });

  it('wallet-book: the service gets addresses', async () => {
    await open('wallet-book');
    const { wallets } = await example.desired();
    const { target_wallet, linked_wallets, config } = (await tasks())['copy-trade/follow-heron'] ?? {};
    expect(target_wallet).toBe(wallets.get('heron'));
    expect(linked_wallets).toEqual([wallets.get('heron-second')]);
    expect(config?.address_blacklist).toEqual({ enabled: true, wallets: [wallets.get('magpie')] });
    expect(wallets.size).toBe(3);
  });

  it.each([
    ['staging', '0.001', false],
    ['production', '0.05', true],
  ])('variables-and-environments: %s has its own', async (environment, size, night) => {
    await open('variables-and-environments', environment);
    const found = await tasks();
    expect(found['sniper/dawn']).toMatchObject({
      note: `Launches, ${size} SOL`,
      config: { buy_amount: size },
    });
    expect(found['sniper/night']).toMatchObject({ config: { buy_amount: size, buy_once: night } });
  });

  it('secret-values: never shown, not even indirectly, and sent', async () => {
    await open('secret-values');
    const { HERON_WALLET, HERON_SECOND_WALLET, HERON_SIZE } = variablesOf('concepts/secret-values');
    expect(HERON_SIZE).toBe('0.0731');
    // With the tip and fee of the dearer route, 0.0025, it is the task's exposure.
    const secrets = [HERON_WALLET, HERON_SECOND_WALLET, HERON_SIZE, '0.0756'].map(String);
    const shown = await Promise.all(
      (['text', 'markdown', 'json'] as const).map((output) => example.plan({ output })),
    );
    const report = await example.apply(undefined, { autoApprove: true, firstApply: true });
    for (const { code, stdout, stderr } of [...shown, report]) {
      expect(code).toBe(0);
      expect(stdout).toContain('copy-trade/follow-heron');
      for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
    }
    expect(live()).toMatchObject([
      {
        target_wallet: HERON_WALLET,
        linked_wallets: [HERON_SECOND_WALLET],
        config: { buy_config_universal: { amount_sol: HERON_SIZE } },
      },
    ]);
  });

  it('patches: by address and for presets, in order, with the last word', async () => {
    await open('patches', 'production');
    const before = await tasks();
    expect(before['sniper/dawn']).toMatchObject({
      config: { buy_amount: '0.05', dev_min_amount: '0.5', relay_mode: { tip_amount: '0.002' } },
    });
    await open('patches', 'staging');
    const { 'sniper/dawn': dawn, 'sniper/rush': rush } = await tasks();
    expect(dawn).toMatchObject({
      state: 'active',
      config: { buy_amount: '0.001', relay_mode: { tip_amount: '0' }, priority_mode: { tip_amount: '0' } },
    });
    expect(dawn?.config).not.toHaveProperty('dev_min_amount');
    expect(rush).toMatchObject({
      state: 'paused',
      note: 'Not in staging',
      config: { buy_amount: '0.001', relay_mode: { tip_amount: '0.01' }, priority_mode: { tip_amount: '0' } },
    });
  });

  it("task-set: one task for each row, and the preset's value if a cell is null", async () => {
    await open('task-set');
    const found = Object.entries(await tasks()).map(([address, { state, config }]) => [
      address,
      state,
      config.buy_amount,
      config.selected_dexes,
    ]);
    expect(found).toEqual([
      ['sniper/lab-large', 'paused', '0.15', ['launchlab']],
      ['sniper/lab-small', 'active', '0.05', ['launchlab']],
      ['sniper/pump-large', 'active', '0.2', ['pump-fun']],
      ['sniper/pump-small', 'active', '0.05', ['pump-fun']],
    ]);
  });

  it('task-set-csv: quoted text, empty cells, and a preset that a row chooses', async () => {
    await open('task-set-csv');
    const found = Object.entries(await tasks()).map(([address, { note, config }]) => {
      const { amount_sol, relay_tip } = config.buy_config_universal as Record<string, unknown>;
      return [address, note, amount_sol, relay_tip];
    });
    expect(found).toEqual([
      ['copy-trade/follow-heron', 'Calm, sells thirds', '0.1', '0.002'],
      ['copy-trade/follow-merlin', 'Quick in and out', '0.15', '0.006'],
      ['copy-trade/follow-osprey', '', '0.08', '0.006'],
      ['copy-trade/follow-tern', 'New', '0.05', '0.002'],
    ]);
  });

  it('tiers: the whole list of the named one', async () => {
    await open('tiers');
    const amounts = Object.values(await tasks()).map(({ config }) =>
      (config.buy_config_tiers as { amount_sol: string }[]).map(({ amount_sol }) => amount_sol),
    );
    expect(amounts).toEqual([
      ['0.05', '0.12'],
      ['0.02', '0.1', '0.25'],
    ]);
  });
});

describe('checks', () => {
  it('lints-silenced: without its annotation each lint warns', async () => {
    await open('lints-silenced');
    const file = 'manifests/tasks.yaml';
    const text = readFileSync(join(example.path, file), 'utf8');
    const lines = text.split('\n').filter((line) => line.includes('lint.tradeform/'));
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      example.write(file, text.replace(`  annotations:\n${line}\n`, ''));
      const { code, stderr } = await example.validate();
      expect(code).toBe(0);
      const lint = /lint\.tradeform\/([a-z0-9-]+)/.exec(line)?.[1];
      expect([...stderr.matchAll(/^warning\[([a-z0-9-]+)\]/gm)].map(([, warned]) => warned)).toEqual([lint]);
    }
  });

  it.each([
    ['extends: [base]', 'extends: [base]\n  config: { buy_amount: 5 }', 'guardrail-max-buy-amount'],
    ['extends: [base]', 'extends: [base]\n  config: { selected_dexes: [bags] }', 'guardrail-allowed-dexes'],
    ['  label: steady\n', '', 'guardrail-require-label'],
    [/target_wallet: \S+/, 'target_wallet: magpie', 'guardrail-forbidden-wallets'],
  ])('guardrails: %s → %j is refused', async (text, by, code) => {
    await open('guardrails', 'production');
    const file = 'manifests/tasks.yaml';
    const manifest = readFileSync(join(example.path, file), 'utf8');
    example.write(file, manifest.replace(text, by));
    expect(await refusal()).toEqual([code]);
  });

  it('guardrails: protected tasks stay, and staging allows less', async () => {
    await open('guardrails', 'production');
    await example.applied();
    example.edit('manifests/tasks.yaml', 'state: active', 'state: paused');
    expect(await refusal()).toEqual(['guardrail-protect']);
    await open('guardrails', 'staging');
    example.edit('manifests/tasks.yaml', 'extends: [base]', 'extends: [base]\n  config: { buy_amount: 0.2 }');
    expect(await refusal()).toEqual(['guardrail-max-exposure', 'guardrail-max-buy-amount']);
  });

  it.each([
    [
      'extends: [base]',
      'extends: [base]\n  config: { priority_mode: { tip_amount: 0.02 } }',
      'A tip above 0.01 SOL',
    ],
    ['  label: steady\n', '', 'What runs has a label'],
    [
      'extends: [base]',
      'extends: [base]\n  config: { auto_sell: { enabled: false, tp_orders: [] } }',
      'What runs has a label',
    ],
  ])('policies: %s → %j is refused in the words of the policy', async (text, by, words) => {
    await open('policies');
    example.edit('manifests/task.yaml', text, by);
    expect(await refusal()).toEqual(['guardrail-policy']);
    const { diagnostics } = await example.planned();
    expect(diagnostics.filter(({ severity }) => severity === 'error')[0]?.message).toContain(words);
  });

  /** The codes of what refuses an apply; nothing is sent but reads. */
  async function refusal(): Promise<string[]> {
    example.sandbox.clearLog();
    const { code } = await example.apply(undefined, { autoApprove: true, firstApply: true });
    expect(code).toBe(4);
    expect(example.sandbox.log.filter(({ method }) => method !== 'GET')).toEqual([]);
    const { diagnostics } = await example.planned();
    return diagnostics.filter(({ severity }) => severity === 'error').map((refused) => refused.code);
  }
});

describe('existing tasks', () => {
  it('adopt-by-id: the named task is adopted, and keeps running', async () => {
    await open('adopt-by-id');
    expect(await chains()).toEqual({ 'sniper/dawn': ['patch'] });
    await example.applied();
    expect(live()).toMatchObject([
      { is_active: true, remark: expect.stringMatching(/^Early launches \[git:adopt\/dawn@0\.\w{8}\]$/) },
    ]);
  });

  it('adopt-by-id: without the id it is blocked', async () => {
    await open('adopt-by-id');
    const file = 'manifests/task.yaml';
    example.write(file, readFileSync(join(example.path, file), 'utf8').replace(/\n {2}id: .*/, ''));
    const { operations, summary } = await example.planned();
    expect(operations).toEqual([]);
    expect(summary).toMatchObject({ blocked: 1, adopt: 0 });
  });

  it('held-and-rearm: one starts again, the other stays paused until requested', async () => {
    await open('held-and-rearm');
    expect(await chains()).toEqual({ 'sniper/one-shot': ['patch', 'resume'] });
    await example.applied();
    const plan = await example.planned();
    expect(plan.summary).toMatchObject({ held: 1, start: 0 });
    expect(live().map(({ is_active }) => is_active)).toEqual([false, true]);
    example.edit('manifests/tasks.yaml', 'remark: Early launches', 'remark: Early launches\n  rearm: a');
    expect(await chains()).toEqual({ 'sniper/dawn': ['patch', 'resume'] });
  });

  it('removal: a label after its task lets go of it, a template, and a task that keeps running without git', async () => {
    await open('removal');
    expect(await chains()).toEqual({
      'label/steady': ['create'],
      'sniper/dawn': ['patch'],
      'sniper/night': ['patch'],
      'label/High risk': ['delete'],
      'sniper-template/Launch, first try': ['delete'],
    });
    expect((await example.apply(undefined, { autoApprove: true })).code).toBe(0);
    expect(live().map(({ remark, is_active }) => [remark, is_active])).toEqual([
      [expect.stringMatching(/^Early launches \[git:removal\/dawn@0\.\w{8}\]$/), true],
      ['At night', true],
    ]);
    expect([...example.sandbox.state.labels.values()].map(({ name }) => name)).toEqual(['Steady']);
    expect(await chains()).toEqual({});
  });

  it('rename: one patch each; nothing is paused, deleted or created', async () => {
    await open('rename');
    expect(await chains()).toEqual({
      'label/steady': ['patch'],
      'sniper-template/launch': ['patch'],
      'sniper/dawn': ['patch'],
    });
    await example.applied();
    expect(live()).toMatchObject([
      { is_active: true, remark: expect.stringMatching(/^Early launches \[git:rename\/dawn@0\.\w{8}\]$/) },
    ]);
  });

  it('ignore-changes: another field changes, and the tuned tip stays', async () => {
    await open('ignore-changes');
    const { changes } = await example.planned();
    expect(changes.flatMap(({ fields }) => fields.map(({ path }) => path))).toEqual(['config.buy_amount']);
    await example.applied();
    expect(live()).toMatchObject([{ config: { buy_amount: '0.08', relay_mode: { tip_amount: '0.007' } } }]);
  });

  it('replacement: the new task takes over after the present one is gone', async () => {
    await open('replacement');
    expect(await chains()).toEqual({
      'transfer-snipe/treasury': ['create', 'mark', 'pause', 'delete', 'resume'],
    });
    const [wanted] = (await example.desired()).tasks;
    await example.applied();
    expect(live()).toMatchObject([{ is_active: true, target_wallet: wanted?.target_wallet }]);
  });
});
