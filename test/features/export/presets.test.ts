import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../../src/core/desired/compose/layer.ts';
import { isObject, type Json, type JsonObject } from '../../../src/core/model/json.ts';
import { type Exported, Names } from '../../../src/kit/export/pure/names.ts';
import { withPresets, withWallets } from '../../../src/kit/export/pure/presets.ts';
import { wallet } from '../../support/builders.ts';

function task(name: string, config: JsonObject, more: JsonObject = {}): Exported {
  const manifest = {
    apiVersion: 'tradeform/v1',
    kind: 'SniperTask',
    metadata: { name },
    spec: { state: 'paused', target_wallet: wallet(0), ...more, config },
  };
  return { address: `sniper/${name}`, manifest, notes: [], id: name, altered: [] };
}

function specOf(one: Exported | undefined): JsonObject {
  return isObject(one?.manifest.spec) ? one.manifest.spec : {};
}

/** What a task's config is once the presets are merged. */
function whole(task: Exported, all: readonly Exported[]): Json {
  const bases = Array.isArray(specOf(task).extends) ? (specOf(task).extends as string[]) : [];
  const presets = bases.map(
    (name) => specOf(all.find(({ address }) => address === `preset/${name}`)).config ?? {},
  );
  return [...presets, specOf(task).config ?? {}].reduce<Json>(
    (before, config) => mergePatch(before, config),
    {},
  );
}

const FIVE = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((key) => [key, { x: '1', y: ['2'], z: key }]));
const SELL = { auto_sell: { p: '1', q: '2', r: '3', s: '4', t: [] } };

describe('presets', () => {
  it('save as much as possible first, and change nothing', () => {
    const tasks = [
      ...[1, 2, 3].map((n) => task(`big-${n}`, { ...FIVE, ...SELL, own: `${n}` })),
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => task(`small-${n}`, { ...SELL, own: `${n}` })),
    ];
    const all = withPresets(tasks, new Names([]));
    const presets = all.filter(({ id }) => id === null);
    expect(presets.map(({ address }) => address)).toEqual(['preset/sniper-auto-sell', 'preset/sniper-base']);
    expect(presets.map((one) => specOf(one).config)).toEqual([SELL, FIVE]);
    const after = all.filter(({ id }) => id !== null);
    expect(after.map((one) => whole(one, all))).toEqual(tasks.map((one) => specOf(one).config));
    expect(specOf(after[0])).toMatchObject({
      extends: ['sniper-auto-sell', 'sniper-base'],
      config: { own: '1' },
    });
    expect(withPresets(tasks, new Names([]))).toEqual(all);
  });

  it('are not made without a saving, nor of fields that null would remove', () => {
    expect(withPresets([task('a', FIVE)], new Names([]))).toHaveLength(1);
    expect(withPresets([task('a', { ...SELL }), task('b', { ...SELL })], new Names([]))).toHaveLength(2);
    const nulls = [1, 2, 3].map((n) => task(`n-${n}`, { ...FIVE, ...SELL, open: { x: null } }));
    expect(withPresets(nulls, new Names([]))).toEqual(nulls);
  });
});

describe('wallet books', () => {
  const linked = { linked_wallets: [wallet(1), wallet(2), wallet(3)] };

  it('name the wallets of several tasks, by the only task of that target if there is one', () => {
    const tasks = [
      task('first', {}, linked),
      task('second', { address_blacklist: { wallets: [wallet(1)] } }),
      task('third', {}, { target_wallet: wallet(2) }),
    ];
    const [book, ...after] = withWallets(tasks, new Map(), new Names([]), 'wallets');
    expect(specOf(book)).toEqual({
      wallets: { third: wallet(2), 'shared-wallet': wallet(0), 'shared-wallet-2': wallet(1) },
    });
    expect(after.map((one) => specOf(one).target_wallet)).toEqual([
      'shared-wallet',
      'shared-wallet',
      'third',
    ]);
    expect(specOf(after[0]).linked_wallets).toEqual(['shared-wallet-2', 'third', wallet(3)]);
    expect(specOf(after[1]).config).toEqual({ address_blacklist: { wallets: ['shared-wallet-2'] } });
  });

  it('that exist are used, also for a wallet that is named once', () => {
    const known = new Map([['desk', wallet(0)]]);
    const after = withWallets([task('only', {})], known, new Names([]), 'wallets');
    expect(after.map((one) => specOf(one).target_wallet)).toEqual(['desk']);
  });
});
