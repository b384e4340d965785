import { describe, expect, test } from 'vitest';
import { compareStates, type StateDifference } from '../../src/core/desired/difference.ts';
import type { DesiredTemplate } from '../../src/core/desired/state.ts';
import type { Address } from '../../src/core/model/address.ts';
import {
  desiredLabel,
  desiredState,
  desiredTask,
  removal,
  sniperConfig,
  uuid,
  wallet,
} from '../support/builders.ts';

const origin = (path: string) => ({ file: 'a.yaml', line: path.length, column: 1 });

function template(name: string, over: Partial<DesiredTemplate> = {}): DesiredTemplate {
  return {
    address: `sniper-template/${name}`,
    collection: 'sniper-template',
    name,
    shownName: name,
    config: sniperConfig(),
    origin,
    ...over,
  };
}

/** `action address`, and the paths of the fields. */
function told({ resources }: StateDifference) {
  return resources.map(({ address, action, fields }) => [
    `${action} ${address}`,
    fields.map(({ path }) => path),
  ]);
}

describe('two desired states', () => {
  test('that are equal', () => {
    const state = desiredState([desiredTask('a')], [desiredLabel('hot')], { templates: [template('t')] });
    expect(compareStates(state, structuredCloneOf(state))).toEqual({
      settings: [],
      resources: [],
      unchanged: ['label/hot', 'sniper-template/t', 'sniper/a'],
    });
  });

  test('differ in what the manifests want: amounts by value, sets without order', () => {
    const copy = (over = {}) =>
      desiredTask('w', { collection: 'copy-trade', linked_wallets: [wallet(2), wallet(3)], ...over });
    const before = desiredState([desiredTask('a', { config: sniperConfig({ buy_amount: '0.50' }) }), copy()]);
    const after = desiredState([
      desiredTask('a', { config: sniperConfig({ buy_amount: '0.5', selected_dexes: ['bags', 'pump-fun'] }) }),
      copy({ linked_wallets: [wallet(3), wallet(2)] }),
    ]);
    expect(told(compareStates(before, after))).toEqual([]);
    const other = desiredState([
      desiredTask('a', { config: sniperConfig({ buy_amount: '0.51' }) }),
      copy({ linked_wallets: [wallet(3)] }),
    ]);
    expect(told(compareStates(before, other))).toEqual([
      ['changed copy-trade/w', ['linked_wallets']],
      ['changed sniper/a', ['config.buy_amount']],
    ]);
  });

  test('in every field of a task, with its current place, in the order of a manifest', () => {
    const after = desiredTask('a', {
      id: uuid(1),
      previousName: 'b',
      state: 'paused',
      rearm: 'x',
      note: 'Other',
      label: 'hot',
      target_wallet: wallet(1),
      config: sniperConfig({ bundle_amount: '1', buy_amount: '0.7' }),
      ignoreChanges: ['remark'],
      adopt: 'never',
      origin,
    });
    const [difference] = compareStates(desiredState([desiredTask('a')]), desiredState([after])).resources;
    expect(difference?.fields.map(({ path, origin: place }) => [path, place?.line === path.length])).toEqual(
      [
        ...['id', 'previous_name', 'state', 'rearm', 'remark', 'label', 'target_wallet'],
        ...['config.buy_amount', 'config.bundle_amount', 'lifecycle.ignore_changes', 'lifecycle.adopt'],
      ].map((path) => [path, true]),
    );
    expect(difference?.fields[2]).toEqual({
      path: 'state',
      before: 'active',
      after: 'paused',
      sensitive: false,
      origin: { file: 'a.yaml', line: 5, column: 1 },
    });
    expect(difference?.fields[3]).not.toHaveProperty('before');
  });

  test('in created and removed resources, with all their fields', () => {
    const before = desiredState([desiredTask('a')], [desiredLabel('cold', { sort_order: 2, origin })]);
    const after = desiredState([desiredTask('b')], [], { templates: [template('t')] });
    const { resources, unchanged } = compareStates(before, after);
    expect(unchanged).toEqual([]);
    expect(resources.map(({ address, action }) => `${action} ${address}`)).toEqual([
      'removed label/cold',
      'created sniper-template/t',
      'removed sniper/a',
      'created sniper/b',
    ]);
    expect(resources[0]?.fields).toEqual([
      { path: 'name', before: 'cold', sensitive: false },
      { path: 'sort_order', before: 2, sensitive: false },
    ]);
    const paths = resources[3]?.fields.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['state', 'config.relay_mode.tip_amount', 'lifecycle.adopt']),
    );
    expect(resources[3]?.fields.every((field) => !Object.hasOwn(field, 'before'))).toBe(true);
  });

  test('in what Removals name, whatever their order', () => {
    const of = (...addresses: readonly Address[]) =>
      desiredState([], [], { removals: addresses.map((address) => removal(address)) });
    expect(compareStates(of('label/Old'), of('sniper/a', 'label/Old')).settings).toEqual([
      { path: 'removals', before: ['label/Old'], after: ['sniper/a', 'label/Old'], sensitive: false },
    ]);
    expect(compareStates(of('label/Old', 'sniper/a'), of('sniper/a', 'label/Old')).settings).toEqual([]);
  });

  test('in settings that decide what a plan does', () => {
    const after = desiredState([], [], { pruneTasks: 'never', settle: { update: 0, replace: 5 } });
    expect(compareStates(desiredState([]), after).settings).toEqual([
      { path: 'prune.tasks', before: 'delete', after: 'never', sensitive: false },
      { path: 'settle.replace', before: '60000ms', after: '5ms', sensitive: false },
    ]);
  });
});

describe('a rename', () => {
  const before = desiredState([desiredTask('a')]);

  test('is one task, not two', () => {
    const after = desiredState([desiredTask('b', { previousName: 'a', note: 'Other' })]);
    expect(compareStates(before, after).resources).toMatchObject([
      {
        address: 'sniper/b',
        previous_address: 'sniper/a',
        action: 'changed',
        fields: [{ path: 'previous_name' }, { path: 'remark' }],
      },
    ]);
  });

  test('counts only while nothing else has either name', () => {
    const both = desiredState([desiredTask('a'), desiredTask('b', { previousName: 'a' })]);
    expect(told(compareStates(before, both)).map(([what]) => what)).toEqual(['created sniper/b']);
    const was = desiredState([desiredTask('a'), desiredTask('b')]);
    const after = desiredState([desiredTask('b', { previousName: 'a' })]);
    expect(told(compareStates(was, after))).toEqual([
      ['removed sniper/a', expect.arrayContaining(['state'])],
      ['changed sniper/b', ['previous_name']],
    ]);
  });

  test('of a label names its former name on the service, and no other manifest', () => {
    const was = desiredState([], [desiredLabel('cold')]);
    const after = desiredState([], [desiredLabel('hot', { previousName: 'cold' })]);
    expect(told(compareStates(was, after)).map(([what]) => what)).toEqual([
      'removed label/cold',
      'created label/hot',
    ]);
  });
});

test('values of the environment are in no field, on either side', () => {
  const secrets = ['config.buy_amount', 'config.relay_mode.tip_amount', 'linked_wallets[1]', 'remark'];
  const make = (suffix: string, over = {}) =>
    desiredTask('w', {
      collection: 'copy-trade',
      note: `canary ${suffix}`,
      linked_wallets: [wallet(1), `canary${suffix}`],
      config: {
        ...sniperConfig(),
        buy_amount: `0.${suffix}`,
        relay_mode: { tip_amount: `canary-${suffix}` },
      },
      ...over,
    });
  const cases = [
    [[make('1')], [make('2', { secrets })]],
    [[make('1', { secrets })], [make('2')]],
    [[make('1', { secrets })], []],
    [[], [make('2', { secrets })]],
  ] as const;
  for (const [before, after] of cases) {
    const text = JSON.stringify(compareStates(desiredState(before), desiredState(after)).resources);
    expect(text).toContain('"path":"remark"');
    expect(text).toContain('(secret)');
    expect(text).not.toMatch(/canary|"0\.[12]"/);
  }
});

function structuredCloneOf<T>(state: T): T {
  return JSON.parse(JSON.stringify(state)) as T;
}
