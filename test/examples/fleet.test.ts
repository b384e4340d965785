import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { TASK_KINDS } from '../../src/core/model/kind.ts';
import { sampled } from '../support/sample.ts';
import { EXAMPLES, type Example, openExample } from './example.ts';
import { fleetBases } from './fleet-documents.ts';

const BASES = fleetBases();

it('has at least 60 tasks, of all kinds', () => {
  const collections = [...BASES.keys()].map((address) => address.split('/')[0]);
  const tasks = TASK_KINDS.map(({ collection }) => collections.filter((one) => one === collection).length);
  for (const number of tasks) expect(number).toBeGreaterThanOrEqual(10);
  expect(tasks.reduce((sum, number) => sum + number)).toBeGreaterThanOrEqual(60);
});

/** Addresses that extend a base, and templates of that name themselves. */
function thoseThatExtend(base: string): string[] {
  return [...BASES]
    .filter(([address, bases]) => bases.has(base) || address.endsWith(`-template/${base}`))
    .map(([address]) => address)
    .sort();
}

describe('one edit', () => {
  let fleet: Example;
  beforeAll(async () => {
    fleet = await openExample('fleet', 'production');
    const { outcome } = await fleet.applied();
    expect(outcome).toBe('done');
  });

  /** The plan with one text exchanged. */
  async function planWith(file: string, text: string, by: string): Promise<Plan> {
    fleet.edit(file, text, by);
    const plan = await fleet.planned();
    fleet.edit(file, by, text);
    return plan;
  }

  /** Where a text stands in a file of the example. */
  function placeOf(file: string, text: string) {
    const whole = readFileSync(join(EXAMPLES, 'fleet', file), 'utf8');
    const line = whole.slice(0, whole.indexOf(text)).split('\n').length;
    return { file, line };
  }

  it.each(
    sampled(
      [
        {
          base: 'copy-fees',
          file: 'manifests/presets/fees.yaml',
          text: '      priority_fee: "0.002"\n',
          by: '      priority_fee: "0.0025"\n',
          path: 'config.buy_config_universal.priority_fee',
          after: '0.0025',
        },
        {
          base: 'copy-fees-fast',
          file: 'manifests/presets/fees.yaml',
          text: 'priority_tip: "0.003"',
          by: 'priority_tip: "0.004"',
          path: 'config.buy_config_universal.priority_tip',
          after: '0.004',
        },
        {
          base: 'sniper-fees',
          file: 'manifests/presets/fees.yaml',
          text: 'priority_mode: { tip_amount: "0.001", priority_fee: "0.002",',
          by: 'priority_mode: { tip_amount: "0.001", priority_fee: "0.0025",',
          path: 'config.priority_mode.priority_fee',
          after: '0.0025',
        },
        {
          base: 'exit-quick',
          file: 'manifests/presets/exits.yaml',
          text: 'sell_delay: "45"',
          by: 'sell_delay: "50"',
          path: 'config.auto_strategy.sell_delay',
          after: '50',
        },
        // A template: its own change, and that of every task that extends it, which the service never makes.
        {
          base: 'launch-careful',
          file: 'manifests/templates/launch.yaml',
          text: '    buy_amount: "0.05"\n',
          by: '    buy_amount: "0.05"\n    snipe_external: true\n',
          path: 'config.snipe_external',
          after: true,
        },
      ],
      2,
    ),
  )('of $base plans exactly what extends it, with the place of the edit', async (edit) => {
    const { base, file, text, by, path, after } = edit;
    const expected = thoseThatExtend(base);
    expect(expected.length).toBeGreaterThan(5);
    expect(expected.length).toBeLessThan(BASES.size);

    const { changes, operations } = await planWith(file, text, by);
    expect(changes.map(({ address }) => address).sort()).toEqual(expected);
    expect(new Set(operations.map(({ address }) => address))).toEqual(new Set(expected));
    const { line } = placeOf(file, text);
    const added = by.split('\n').length - text.split('\n').length;
    for (const { address, fields } of changes) {
      expect(fields, address).toEqual([
        expect.objectContaining({
          path,
          after,
          origin: expect.objectContaining({ file, line: line + added }),
        }),
      ]);
    }
  });

  it('is gone when it is taken back', async () => {
    await planWith('manifests/presets/fees.yaml', 'priority_tip: "0.003"', 'priority_tip: "0.004"');
    expect((await fleet.planned()).operations).toEqual([]);
  });

  it('of a template whose field some tasks set themselves reaches only the others', async () => {
    const { changes } = await planWith(
      'manifests/templates/launch.yaml',
      '    buy_amount: "0.05"\n',
      '    buy_amount: "0.06"\n',
    );
    expect(changes.map(({ address }) => address).sort()).toEqual([
      'sniper-template/launch-careful',
      'sniper/dawn',
      'transfer-snipe/breakwater',
    ]);
  });

  it('of a cell of the table changes that one task, and the plan names row and column', async () => {
    const row = 'follow-heron,heron,profile-steady,';
    const file = 'manifests/copy-trade/followers.csv';
    const { changes } = await planWith(file, `${row}0.2`, `${row}0.25`);
    expect(changes.map(({ address }) => address)).toEqual(['copy-trade/follow-heron']);
    expect(changes[0]?.fields).toMatchObject([
      {
        path: 'config.buy_config_universal.amount_sol',
        after: '0.25',
        origin: { ...placeOf(file, row), column: row.length + 1 },
      },
    ]);
  });

  it.each([
    [
      'manifests/copy-trade/whales.yaml',
      'active\n  remark: Orca',
      'paused\n  remark: Orca',
      'guardrail-protect',
    ],
    ['manifests/snipers/singles.yaml', 'buy_amount: "0.3"', 'buy_amount: "0.4"', 'guardrail-policy'],
    ['manifests/presets/fees.yaml', 'relay_tip: "0.002"', 'relay_tip: "0.02"', 'guardrail-max-tip'],
  ])('of %s that goes too far is refused', async (file, text, by, code) => {
    const { diagnostics } = await planWith(file, text, by);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    expect(new Set(errors.map((refused) => refused.code))).toEqual(new Set([code]));
  });
});

it('has no wallet of one environment in the plan of the other', async () => {
  const { spec } = parse(readFileSync(join(EXAMPLES, 'fleet', 'tradeform.yaml'), 'utf8'));
  const wallets: Record<string, string[]> = {};
  const planned: Record<string, Set<string>> = {};
  for (const environment of ['staging', 'production']) {
    const { variables } = spec.environments[environment] as { variables: Record<string, unknown> };
    wallets[environment] = Object.entries(variables)
      .filter(([name]) => name.startsWith('wallet_'))
      .map(([, address]) => String(address))
      .sort();
    const example = await openExample('fleet', environment);
    const text = JSON.stringify(await example.planned());
    planned[environment] = new Set(text.match(/\b(?![0-9a-f]{32}\b)[1-9A-HJ-NP-Za-km-z]{32,44}\b/g));
  }
  const { staging = new Set(), production = new Set() } = planned;
  expect(wallets.production).toHaveLength(3);
  expect([...production].filter((address) => !staging.has(address)).sort()).toEqual(wallets.production);
  expect([...staging].filter((address) => !production.has(address)).sort()).toEqual(wallets.staging);
});
