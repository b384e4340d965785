import { describe, expect, test } from 'vitest';
import type { DesiredLabel } from '../../../src/core/desired/state.ts';
import type { LiveLabel } from '../../../src/core/model/resource.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import {
  copyTradeConfig,
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  planInput,
  sniperConfig,
  uuid,
} from '../../support/builders.ts';
import { changeOf, operationsOf } from '../../support/plans.ts';
import { liveLabel, liveTemplate, planOf, template } from './world.ts';

/** What a label or a template can never do. */
const STILL = {
  previous_address: null,
  replaces_id: null,
  starts_trading: false,
  stops_trading: false,
  held: false,
  blocked: null,
  exposure: { before: '0', after: '0' },
};

describe('a label', () => {
  test('that is not on the service is created, with its sort_order', () => {
    const plan = planOf({ labels: [desiredLabel('hot', { shownName: 'Hot', sort_order: 4 })] });
    expect(plan.operations).toMatchObject([{ verb: 'create', body: { name: 'Hot', sort_order: 4 } }]);
    expect(plan.changes).toEqual([
      {
        ...STILL,
        address: 'label/hot',
        kind: 'label',
        name: 'hot',
        id: null,
        version: null,
        action: 'create',
        actions: ['create'],
        reason: 'not-on-service',
        fields: [
          { path: 'name', after: 'Hot', sensitive: false },
          { path: 'sort_order', after: 4, sensitive: false },
        ],
        former: null,
        operations: ['label/hot#1'],
        digest: expect.any(String),
        outcome: expect.any(String),
      },
    ]);
    expect(plan.diagnostics.filter(({ address }) => address === 'label/hot')).toEqual([]);
  });

  test.each<[string, LiveLabel, Partial<DesiredLabel>, object | undefined, string[]]>([
    ['as wanted', liveLabel(1, ' hot ', 2), { sort_order: 2 }, undefined, []],
    ['without an answered order', liveLabel(1, 'hot', null), { sort_order: 2 }, undefined, []],
    ['in another order', liveLabel(1, 'hot', 1), { sort_order: 2 }, { sort_order: 2 }, ['update']],
    [
      'renamed',
      liveLabel(1, 'warm', 2),
      { sort_order: 2, previousName: 'warm' },
      { name: 'hot' },
      ['rename'],
    ],
    [
      'renamed and in another order',
      liveLabel(1, 'warm', 1),
      { sort_order: 2, id: uuid(1) },
      { name: 'hot', sort_order: 2 },
      ['rename', 'update'],
    ],
    [
      'renamed, without an answered order',
      liveLabel(1, 'warm', null),
      { sort_order: 2, id: uuid(1) },
      { name: 'hot' },
      ['rename'],
    ],
  ])('%s: what differs is sent, and nothing else', (_how, live, over, body, actions) => {
    const plan = planOf({ labels: [desiredLabel('hot', over)], liveLabels: [live] });
    expect(plan.operations.map((operation) => operation.body)).toEqual(body === undefined ? [] : [body]);
    expect(plan.summary.unchanged).toBe(body === undefined ? 1 : 0);
    expect(plan.changes.flatMap((change) => change.actions)).toEqual(actions);
    expect(plan.changes.flatMap(({ fields }) => fields.map(({ path }) => path))).toEqual(
      Object.keys(body ?? {}),
    );
    if (body !== undefined)
      expect(changeOf(plan, 'label/hot')).toMatchObject({
        ...STILL,
        reason: 'name' in body ? 'renamed' : 'differs',
        id: uuid(1),
        version: null,
        former: { ...live },
      });
  });

  test('with an unknown metadata.id and an unknown name is blocked: perhaps another account', () => {
    const plan = planOf({
      labels: [desiredLabel('hot', { id: uuid(9) })],
      liveLabels: [liveLabel(1, 'cold')],
      liveTemplates: [liveTemplate(9, 'hot')],
    });
    expect(plan.operations).toEqual([]);
    expect(changeOf(plan, 'label/hot')).toMatchObject({ reason: 'id-not-found', blocked: { ids: [] } });
    expect(changeOf(plan, 'label/hot').blocked?.text).toContain(
      'is that of a SniperTemplate. Write that kind',
    );
    const gone = planOf({ labels: [desiredLabel('hot', { id: uuid(9) })] });
    expect(changeOf(gone, 'label/hot').blocked?.text).toContain('No resource has the id');
    const byName = planOf({
      labels: [desiredLabel('cold', { id: uuid(9) })],
      liveLabels: [liveLabel(1, 'cold')],
    });
    expect(byName).toMatchObject({ changes: [], summary: { unchanged: 1 } });
  });

  test('that is not available blocks the tasks that use it', () => {
    const labels = [desiredLabel('hot', { id: uuid(9) })];
    const desired = desiredState([desiredTask('a', { label: 'hot' })], labels);
    const plan = makePlan(planInput(desired, liveState([])));
    expect(plan.operations).toEqual([]);
    expect(changeOf(plan, 'sniper/a').blocked).toMatchObject({
      text: expect.stringContaining('see label/hot'),
      ids: [],
    });
  });

  test('that two manifests name by name and id: the first has it, the second is blocked, once', () => {
    const plan = planOf({
      labels: [
        desiredLabel('hot'),
        desiredLabel('warm', { id: uuid(1) }),
        desiredLabel('x', { id: uuid(1) }),
      ],
      liveLabels: [liveLabel(1, 'hot')],
      over: { removals: [] },
    });
    for (const address of ['label/warm', 'label/x']) {
      expect(changeOf(plan, address).blocked).toMatchObject({
        text: expect.stringContaining('label/hot is the same resource'),
        ids: [],
      });
    }
    expect(plan.operations).toEqual([]);
  });

  test('that frees its own name in another case waits for nothing', () => {
    const plan = planOf({
      labels: [desiredLabel('hot', { shownName: 'Hot', previousName: 'hot' })],
      liveLabels: [liveLabel(1, 'hot')],
    });
    expect(plan.operations).toMatchObject([{ verb: 'patch', body: { name: 'Hot' }, needs: [] }]);
  });
});

describe('renames', () => {
  test('a change that takes a name waits for the rename that frees it, within its kind', () => {
    const plan = planOf({
      labels: [desiredLabel('new', { id: uuid(1) }), desiredLabel('old', { id: uuid(2) })],
      liveLabels: [liveLabel(1, 'old'), liveLabel(2, 'older')],
      templates: [template('old')],
    });
    expect(operationsOf(plan, 'label/old')).toMatchObject([{ verb: 'patch', needs: ['label/new#1'] }]);
    expect(operationsOf(plan, 'label/new')[0]?.needs).toEqual([]);
    expect(operationsOf(plan, 'sniper-template/old')[0]?.needs).toEqual([]);
  });

  test('three in a cycle are blocked, and everything that waits for them; equal values are not names', () => {
    const ring = [
      desiredLabel('a', { id: uuid(1), sort_order: 1 }),
      desiredLabel('b', { id: uuid(2), sort_order: 1 }),
      desiredLabel('c', { id: uuid(3), sort_order: 1 }),
      desiredLabel('d', { id: uuid(4), sort_order: 2 }),
    ];
    const plan = planOf({
      labels: ring,
      liveLabels: [liveLabel(1, 'b'), liveLabel(2, 'c'), liveLabel(3, 'a'), liveLabel(4, 'd', 1)],
    });
    for (const name of ['a', 'b', 'c'])
      expect(changeOf(plan, `label/${name}`).blocked).toMatchObject({
        text: expect.stringContaining('wait for each other'),
        ids: [],
      });
    expect(plan.operations).toMatchObject([{ address: 'label/d', body: { sort_order: 2 } }]);
  });

  test('a blocked change frees no name', () => {
    const plan = planOf({
      labels: [
        desiredLabel('first', { shownName: 'taken', id: uuid(1) }),
        desiredLabel('new', { shownName: 'other', id: uuid(1) }),
        desiredLabel('other', { shownName: 'other2' }),
      ],
      liveLabels: [liveLabel(1, 'taken')],
    });
    expect(changeOf(plan, 'label/new').reason).toBe('conflict');
    expect(operationsOf(plan, 'label/other')).toMatchObject([{ verb: 'create', needs: [] }]);
  });
});

describe('a template', () => {
  test('is created with its whole config, which is shown', () => {
    const plan = planOf({ templates: [template('base', { shownName: 'Base' })] });
    expect(plan.operations).toMatchObject([
      { verb: 'create', body: { name: 'Base', config: sniperConfig() } },
    ]);
    const change = changeOf(plan, 'sniper-template/base');
    expect(change).toMatchObject({ ...STILL, former: null, version: null, id: null });
    expect(change.fields).toContainEqual({ path: 'config.buy_amount', after: '0.5', sensitive: false });
    expect(change.fields.map(({ path }) => path)).not.toContain('sort_order');
    expect(change.fields[0]).toEqual({ path: 'name', after: 'Base', sensitive: false });
  });

  test('that differs is sent completely, at its version; the differing fields are shown', () => {
    const config = sniperConfig({ buy_amount: '2' });
    const live = liveTemplate(1, 'base');
    const plan = planOf({ templates: [template('base', { config })], liveTemplates: [live] });
    expect(plan.operations).toMatchObject([{ verb: 'patch', subject: uuid(1), body: { config } }]);
    expect(plan.operations[0]?.body).not.toHaveProperty('name');
    expect(changeOf(plan, 'sniper-template/base')).toMatchObject({
      ...STILL,
      id: uuid(1),
      version: 3,
      actions: ['update'],
      reason: 'differs',
      former: { ...live },
      fields: [{ path: 'config.buy_amount', before: '0.5', after: '2' }],
    });
  });

  test('with only another name keeps its config', () => {
    const plan = planOf({
      templates: [template('base', { shownName: 'Base', previousName: 'Old' })],
      liveTemplates: [liveTemplate(1, 'Old')],
    });
    expect(plan.operations.map(({ body }) => body)).toEqual([{ name: 'Base' }]);
    expect(changeOf(plan, 'sniper-template/base').actions).toEqual(['rename']);
  });

  test('legacy fields change nothing by themselves, and are marked when another change removes them', () => {
    const legacy = liveTemplate(1, 'base', { config: { ...sniperConfig(), old_field: true } });
    expect(planOf({ templates: [template('base')], liveTemplates: [legacy] })).toMatchObject({
      changes: [],
      operations: [],
      summary: { unchanged: 1 },
    });
    const config = sniperConfig({ buy_amount: '2' });
    const plan = planOf({ templates: [template('base', { config })], liveTemplates: [legacy] });
    expect(changeOf(plan, 'sniper-template/base').fields.map(({ path, legacy: old }) => [path, old])).toEqual(
      expect.arrayContaining([
        ['config.buy_amount', undefined],
        ['config.old_field', true],
      ]),
    );
  });

  test('of the other kind, or a label, with the same name is another resource', () => {
    const copied = template('base', {
      address: 'copy-trade-template/base',
      collection: 'copy-trade-template',
      config: copyTradeConfig(),
    });
    const plan = planOf({
      templates: [copied],
      labels: [desiredLabel('base')],
      liveTemplates: [liveTemplate(1, 'base')],
    });
    expect(plan.operations.map(({ address, verb }) => [address, verb])).toEqual([
      ['label/base', 'create'],
      ['copy-trade-template/base', 'create'],
    ]);
  });
});
