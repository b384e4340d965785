import { describe, expect, test } from 'vitest';
import type { GuardrailLimits } from '../../../src/core/desired/guardrails/settings.ts';
import type { DesiredTask } from '../../../src/core/desired/state.ts';
import type { Json, JsonObject } from '../../../src/core/model/json.ts';
import type { LiveLabel, LiveTask } from '../../../src/core/model/resource.ts';
import { compilePolicy } from '../../../src/core/plan/guardrails/policy-compiler.ts';
import {
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  removal,
  sniperConfig,
  uuid,
  wallet,
} from '../../support/builders.ts';
import { limit, list, planUnder, policy, said, type World, withLinked } from './judging.ts';

/** What guardrails count, and in which words: whoever lets a plan through reads nothing else. */
const names = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const owned = (count: number, over: Partial<LiveTask> = {}) =>
  names(count).map((name, index) => liveTask(index + 1, { remark: `Note [git:core/${name}@0]`, ...over }));
const world = (
  desired: readonly DesiredTask[],
  live: readonly LiveTask[] = [],
  over: object = {},
): World => ({
  desired: desiredState(desired, [], over),
  live: liveState(live, [OLD]),
  options: { allowEmpty: true },
});
const OLD: LiveLabel = { collection: 'label', id: uuid(90), name: 'Old', sort_order: 0 };
const messages = (limits: GuardrailLimits, there: World) =>
  said(planUnder(limits, there)).map(({ message }) => message);

describe('counts', () => {
  const none = limit({ count: 0, percent: 0 });
  const percent = (count: number, of: number) => ({ max_deletes: limit({ count, percent: of }) });

  test.each<[string, GuardrailLimits, number, string]>([
    [
      'a number',
      { max_deletes: none },
      2,
      'deletes 2 tasks (sniper/t0, sniper/t1), but max_deletes allows 0.',
    ],
    ['a share', percent(0, 10), 2, 'allows 1, 10% of 2 owned tasks.'],
    ['a share of one', percent(0, 0.1), 1, ''],
    ['the greater of both', percent(1, 10), 3, 'allows 1, the greater of 1 and 10% of 3 owned tasks.'],
    ['many', { max_deletes: none }, 7, '(sniper/t0, sniper/t1, sniper/t2, sniper/t3, sniper/t4 and 2 more)'],
    ['five', { max_deletes: none }, 5, '(sniper/t0, sniper/t1, sniper/t2, sniper/t3, sniper/t4), but'],
  ])('%s', (_what, limits, count, text) => {
    const found = messages(limits, world([], owned(count)));
    expect(found).toEqual(text === '' ? [] : [expect.stringContaining(text)]);
  });

  test('starts of one owned task, by a share of it', () => {
    const desired = [...names(3), 'x'].map((name) => desiredTask(name, { rearm: 'b' }));
    const limits = { max_starts: limit({ count: 0, percent: 100 }) };
    const live = owned(1, { is_active: false });
    expect(messages(limits, world(desired, live))).toEqual([
      expect.stringContaining('allows 1, 100% of 1 owned task.'),
    ]);
  });

  test('a label among tasks makes them resources; a held task is not a change', () => {
    const removals = { removals: [removal('label/Old')] };
    expect(messages({ max_deletes: none }, world([], owned(1), removals))).toEqual([
      expect.stringContaining('deletes 2 resources (label/Old, sniper/t0)'),
    ]);
    const held = world([desiredTask('t0')], owned(1, { is_active: false }));
    expect(messages({ max_changes: none }, held)).toEqual([]);
  });
});

describe('values', () => {
  const dear = (over: JsonObject) => world([desiredTask('a', { config: sniperConfig(over) })]);

  test('that are not amounts exceed no limit', () => {
    const ignoreChanges = ['config.buy_amount'];
    const config = sniperConfig({ buy_amount: 7 });
    const there = world([desiredTask('t0', { ignoreChanges })], owned(1, { config }));
    expect(messages({ max_buy_amount: limit('1') }, dear({ buy_amount: '' }))).toEqual([]);
    // A legacy snapshot spends its number all the same.
    expect(messages({ max_buy_amount: limit('1') }, there)).toEqual([
      expect.stringContaining('config.buy_amount is 7, but max_buy_amount allows 1 SOL.'),
    ]);
    expect(messages({ max_buy_amount: limit('1') }, dear({ buy_amount: '1.5' }))).toEqual([
      expect.stringContaining('config.buy_amount is 1.5, but max_buy_amount allows 1 SOL.'),
    ]);
  });

  test.each<[string, JsonObject, string]>([
    ['a word bare', { selected_dexes: ['a.b-c'] }, 'contains a.b-c, but'],
    ['other texts quoted', { selected_dexes: ['a b'] }, 'contains "a b", but'],
    ['a long one cut', { selected_dexes: ['x'.repeat(61)] }, `contains ${'x'.repeat(60)}…, but`],
    ['one that just fits whole', { selected_dexes: ['x'.repeat(60)] }, `contains ${'x'.repeat(60)}, but`],
  ])('%s', (_how, over, text) => {
    expect(messages({ allowed_dexes: limit(list('bags')) }, dear(over))).toEqual([
      expect.stringContaining(text),
    ]);
  });

  test('of the environment are hidden, others are shown, and objects that may contain one are hidden', () => {
    const secret = desiredTask('a', { secrets: ['config.buy_amount'], config: sniperConfig() });
    const of = (schema: Json) =>
      said(planUnder({}, world([secret]), [policy({ properties: { spec: { properties: schema } } })]));
    const text = (schema: Json) => of(schema).map(({ message }) => message.replace(/^.*?: /, ''));
    expect(text({ config: { properties: { buy_amount: { const: '1' } } } })[0]).toContain(
      'which is not shown: a task or template fails a policy of the project (policy/ours)',
    );
    expect(text({ config: { properties: { dex_source: { const: 'x' } } } })[0]).toContain('is config');
    expect(text({ config: { const: {} } })[0]).toContain('is (secret)');
    expect(text({ remark: { const: 'x' } })[0]).toContain('is Note');
  });

  test('linked wallets are checked if there are any', () => {
    const limits = { allowed_wallets: limit(list(wallet(0))) };
    const of = (linked: readonly string[] | undefined) =>
      messages(limits, world([withLinked(desiredTask('a', { collection: 'copy-trade' }), linked)]));
    expect(of(undefined)).toEqual([]);
    expect(of([wallet(0)])).toEqual([]);
    expect(of([wallet(0), wallet(1)])).toEqual([expect.stringContaining('linked_wallets[1] is')]);
  });
});

describe('messages', () => {
  const slippage = { tip_amount: '0.001', priority_fee: '0.001', slippage: '90' };
  const config = sniperConfig({ relay_mode: slippage });
  const there = world(
    [desiredTask('a', { config }), desiredTask('t0', { config, target_wallet: wallet(1) })],
    [...owned(1, { config, target_wallet: wallet(1) })],
  );
  const warn = { max_slippage: limit('50', { action: 'warn' }) };
  const refuse = { max_slippage: limit('50') };

  test('a warning keeps its hint, also for unwritten resources; an override removes it', () => {
    const hints = (limits: GuardrailLimits, digest?: string) => {
      const overrides = digest === undefined ? [] : [{ guardrail: 'max_slippage', digest }];
      const plan = planUnder(limits, { ...there, options: { overrides } });
      return said(plan).map(({ code, message, hint }) => [
        code,
        message.slice(message.lastIndexOf('percent.') + 8),
        hint?.replace(/=.*/, ''),
      ]);
    };
    const { digest } = planUnder(refuse, there);
    const ways = 'Lower the value, or raise max_slippage (tradeform.yaml:7) in a change of its own.';
    const steady = [
      'guardrail-max-slippage',
      ' This was already so, and this plan does not make it worse.',
      ways,
    ];
    expect(hints(warn)).toEqual([['guardrail-max-slippage', '', ways], steady]);
    expect(hints(refuse)).toEqual([
      [
        'guardrail-max-slippage',
        '',
        `${ways} For this plan alone: \`tradeform apply --override max_slippage`,
      ],
      steady,
    ]);
    expect(hints(refuse, digest)).toEqual([
      ['guardrail-max-slippage', ' Allowed by --override max_slippage.', undefined],
      steady,
    ]);
    // It refuses nothing, so that there is nothing to let through.
    expect(hints(warn, digest)).toEqual([
      ['guardrail-max-slippage', '', ways],
      steady,
      ['override-unused', expect.any(String), 'Remove the option.'],
    ]);
    const plan = planUnder(refuse, {
      ...there,
      options: { overrides: [{ guardrail: 'max_slippage', digest }] },
    });
    expect(plan.overrides).toEqual([{ guardrail: 'max_slippage', digest, findings: 1 }]);
  });

  test('a finding without a place gets none', () => {
    const found = said(planUnder(refuse, there));
    expect(found).toHaveLength(2);
    for (const item of found) expect(item).not.toHaveProperty('location');
  });
});

test('of two tasks with one address, with the former and the current project name, the current one counts', () => {
  const ignoreChanges = ['config.buy_amount'];
  const task = (index: number, project: string, buy_amount: string) =>
    liveTask(index, { remark: `Note [git:${project}/a@0]`, config: sniperConfig({ buy_amount }) });
  for (const live of [
    [task(1, 'core', '100'), task(2, 'was', '1')],
    [task(2, 'was', '1'), task(1, 'core', '100')],
  ]) {
    const there = world([desiredTask('a', { ignoreChanges })], live, { previousProject: 'was' });
    expect(messages({ max_buy_amount: limit('10') }, there)).toEqual([
      expect.stringContaining('config.buy_amount is 100'),
    ]);
  }
});

describe('policies', () => {
  const problems = (schema: Json, document: JsonObject) =>
    policy(schema)
      .check(document)
      .map(({ path, value, text }) => [path, value, text]);

  test('one problem for each field, the first one', () => {
    const schema = { properties: { a: { enum: ['x'], maxLength: 1 }, b: { const: 1 } } };
    expect(problems(schema, { a: 'long', b: 2 }).map(([path]) => path)).toEqual(['a', 'b']);
  });

  test.each(['anyOf', 'oneOf'])(
    'of the branches of %s nothing is told, and of what is beside them all',
    (union) => {
      const branches = [{ required: ['a'] }, { properties: { b: { const: 1 } }, required: ['b'] }];
      const found = problems({ [union]: branches, properties: { c: { const: 1 } } }, { b: 2, c: 2 });
      expect(found.map(([path]) => path).sort()).toEqual(['', 'c']);
      // An allOf takes all of its branches, and has nothing to say itself.
      const all = problems({ allOf: branches }, { b: 2 });
      expect(all.map(([path]) => path)).toEqual(['a', 'b']);
    },
  );

  test('a place in a long list', () => {
    const items = Array.from({ length: 12 }, (_, index) => index);
    expect(
      problems({ properties: { a: { items: { maxLength: 1 } } } }, { a: [...items.slice(0, 11), 'xx'] }),
    ).toEqual([['a[11]', 'xx', 'must have at most 1 characters']]);
  });

  test('two mistakes in a schema are both reported', () => {
    const compiled = compilePolicy({ properties: { a: { maxLength: -1 }, b: { minLength: -1 } } });
    expect('problems' in compiled ? compiled.problems.map(({ path }) => path.join('/')) : []).toEqual([
      'properties/a/maxLength',
      'properties/b/minLength',
    ]);
  });
});
