import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import type { Policy } from '../../../src/plan/guardrails/compiled.ts';
import { compilePolicy } from '../../../src/plan/guardrails/policy-compiler.ts';
import { isRefused } from '../../../src/plan/plan.ts';
import {
  copyTradeConfig,
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  wallet,
} from '../../support/builders.ts';
import { brief, origin, planUnder, policy, said } from './judging.ts';

/** A sniper that is new, and a copy-trade task that runs as wanted. */
const COPY = { collection: 'copy-trade', target_wallet: wallet(1) } as const;
const WORLD = {
  desired: desiredState([
    desiredTask('a', { origin, note: 'New one' }),
    desiredTask('c', { origin, ...COPY, linked_wallets: [wallet(2)] }),
  ]),
  live: liveState([liveTask(1, { ...COPY, linked_wallets: [wallet(2)], remark: 'Note [git:core/c@1]' })]),
};

function under(...policies: readonly Policy[]) {
  return planUnder({}, WORLD, policies);
}

/** A schema for one field of the config. */
function ofConfig(properties: Json): Json {
  return { properties: { spec: { properties: { config: { properties } } } } };
}

describe('a policy', () => {
  test('refuses in the words of its author, at the field', () => {
    const plan = under(policy(ofConfig({ buy_amount: { decimalMaximum: '0.25' } }), { name: 'small' }));
    expect(isRefused(plan)).toBe(true);
    expect(said(plan)).toEqual([
      {
        severity: 'error',
        code: 'guardrail-policy',
        address: 'sniper/a',
        message:
          'Ask Mira first. sniper/a: spec.config.buy_amount is 0.5, and policy small says it must be at most 0.25.',
        hint: `Change the field. Or allow exactly this plan: --override policy/small=${plan.digest.slice(0, 16)}`,
        location: origin('config.buy_amount'),
      },
    ]);
  });

  test('warns if that is its action, and if the plan leaves the task', () => {
    const schema = { properties: { metadata: { properties: { name: { enum: ['b'] } } } } };
    expect(brief(under(policy(schema, { action: 'warn' })))).toEqual([
      'warning guardrail-policy sniper/a',
      'warning guardrail-policy copy-trade/c',
    ]);
    expect(brief(under(policy(schema)))).toEqual([
      'error guardrail-policy sniper/a',
      'warning guardrail-policy copy-trade/c',
    ]);
  });

  test('is for the addresses of its target', () => {
    const nothing = policy(false, { target: 'copy-trade/*' });
    expect(brief(under(nothing))).toEqual(['warning guardrail-policy copy-trade/c']);
  });

  test('whose target matches nothing is reported at its place', () => {
    const location = { file: 'tradeform.yaml', line: 9, column: 3 };
    expect(said(under(policy(false, { target: 'sniper/b', location })))).toMatchObject([
      { severity: 'warning', code: 'guardrail-unused', location },
    ]);
    const labels = { desired: desiredState([], [desiredLabel('hot')]), live: liveState([]) };
    expect(brief(planUnder({}, labels, [policy(false, { target: 'label/*' })]))).toEqual([
      'warning guardrail-unused',
    ]);
    expect(brief(planUnder({}, labels, [policy(false)]))).toEqual([]);
  });

  test('is overridden by its own name, and by no other', () => {
    const one = policy(false, { name: 'one', target: 'sniper/*' });
    const two = policy(false, { name: 'two', target: 'sniper/*' });
    const { digest } = under(one, two);
    const overrides = [{ guardrail: 'policy/one', digest }];
    const plan = planUnder({}, { ...WORLD, options: { overrides } }, [one, two]);
    expect(brief(plan)).toEqual(['warning guardrail-policy sniper/a', 'error guardrail-policy sniper/a']);
    expect(plan.overrides).toEqual([{ guardrail: 'policy/one', digest, findings: 1 }]);
  });

  test.each<[string, Json]>([
    ['at once', { $ref: '#' }],
    [
      'where the document goes there',
      {
        definitions: { a: { allOf: [{ $ref: '#/definitions/a' }] } },
        properties: { spec: { $ref: '#/definitions/a' } },
      },
    ],
    ['in a branch', { anyOf: [{ $ref: '#' }, { required: ['kind'] }] }],
    ['in a part', { properties: { kind: { $ref: '#/properties/kind' } } }],
  ])('that refers to itself without an end refuses in words: %s', (_when, schema) => {
    const [first] = said(under(policy(schema)));
    expect(first).toMatchObject({ severity: 'error', code: 'guardrail-policy', address: 'sniper/a' });
    expect(first?.message).toContain('sniper/a: policy ours cannot be checked: its schema refers to itself');
    expect(first?.hint).toContain('Correct the schema');
  });

  test('shows no value of the environment', () => {
    const secret = desiredTask('a', { origin, note: 'hunter2', secrets: ['remark'] });
    const world = { desired: desiredState([secret]), live: liveState([]) };
    for (const schema of [
      { properties: { spec: { properties: { remark: { maxLength: 3 } } } } },
      { properties: { spec: { maxProperties: 1 } } },
      false,
    ]) {
      const plan = planUnder({}, world, [policy(schema)]);
      expect(said(plan)).toHaveLength(1);
      expect(JSON.stringify(said(plan))).not.toContain('hunter2');
    }
  });

  test('sees the values of the manifests, amounts as texts', () => {
    const seen: Json[] = [];
    const watching: Policy = {
      ...policy(true),
      check: (document) => {
        seen.push(document);
        return [];
      },
    };
    under(watching);
    expect(seen).toMatchObject([
      {
        kind: 'SniperTask',
        metadata: { name: 'a' },
        spec: { state: 'active', remark: 'New one', target_wallet: wallet(0) },
      },
      {
        kind: 'CopyTradeTask',
        metadata: { name: 'c' },
        spec: {
          state: 'active',
          remark: 'Note',
          target_wallet: wallet(1),
          linked_wallets: [wallet(2)],
          config: copyTradeConfig(),
        },
      },
    ]);
    expect(seen[0]).not.toHaveProperty('spec.label');
  });
});

describe('what is said', () => {
  const problems = (schema: Json, document: Record<string, Json>) => policy(schema).check(document);

  test.each<[string, Json, Record<string, Json>, string]>([
    ['a missing field', { required: ['label'] }, {}, 'label: absent must be present'],
    [
      'a field too many',
      { properties: { a: {} }, additionalProperties: false },
      { b: 1 },
      'b: 1 must not be present',
    ],
    [
      'an enumeration',
      { properties: { a: { enum: ['x', 'y'] } } },
      { a: 'z' },
      'a: "z" must be one of "x", "y"',
    ],
    ['a constant', { properties: { a: { const: false } } }, { a: true }, 'a: true must be false'],
    ['a list', { properties: { a: { items: { enum: [1] } } } }, { a: [1, 2] }, 'a[1]: 2 must be one of 1'],
    [
      'a union, where it stands',
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      ': {} must match a schema in anyOf',
    ],
    [
      'a condition, by what follows from it',
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { if: { required: ['a'] }, then: { required: ['b'] } },
      { a: 1 },
      'b: absent must be present',
    ],
  ])('of %s', (_what, schema, document, expected) => {
    const said = problems(schema, document).map(
      ({ path, value, text }) => `${path}: ${value === undefined ? 'absent' : JSON.stringify(value)} ${text}`,
    );
    expect(said).toEqual([expected]);
  });

  test.each([
    ['decimalMaximum', '0.1', '0.1', true],
    ['decimalMaximum', '0.1', '0.10', true],
    ['decimalMaximum', '0.1', '0.100000000001', false],
    ['decimalMaximum', '9007199254740993', '9007199254740993', true],
    ['decimalMaximum', '9007199254740992', '9007199254740993', false],
    ['decimalMaximum', 1, '0.9', true],
    ['decimalMinimum', '0.3', '0.3', true],
    ['decimalMinimum', '0.3', '0.299999999999', false],
    ['decimalMinimum', '0.3', '', true],
    ['decimalMaximum', '0.3', 'not an amount', true],
  ])('%s %s of %s: %s', (keyword, bound, value, passes) => {
    expect(problems({ properties: { a: { [keyword]: bound } } }, { a: value })).toHaveLength(passes ? 0 : 1);
  });
});

function nested(depth: number): Json {
  let schema: Json = {};
  for (let level = 0; level < depth; level += 1) schema = { not: schema };
  return schema;
}

describe('an invalid schema', () => {
  const wrong = (schema: Json) => {
    const compiled = compilePolicy(schema);
    return 'problems' in compiled ? compiled.problems : [];
  };

  test.each<[string, Json, readonly (string | number)[], string]>([
    ['an unknown keyword', { properties: { a: { maxmum: 3 } } }, ['properties', 'a', 'maxmum'], 'maxmum'],
    ['an unknown type', { properties: { a: { type: 'strin' } } }, ['properties', 'a', 'type'], '"strin"'],
    ['an amount that is none', { items: { decimalMinimum: '1e3' } }, ['items', 'decimalMinimum'], '"1e3"'],
    ['another draft', { $schema: 'https://json-schema.org/draft/2020-12/schema' }, ['$schema'], 'draft-07'],
    ['a reference to nowhere', { $ref: 'https://example.com/x' }, [], 'https://example.com/x'],
    ['a number keyword in a schema of its own', { not: { maximum: 1 } }, ['not', 'maximum'], 'numbers'],
    ['a broken pattern', { pattern: '(' }, ['pattern'], 'cannot be used: /(/u: Unterminated group'],
    [
      'what is checked later',
      { allOf: [{ $async: true }] },
      ['allOf', 0, '$async'],
      '$async is not possible',
    ],
    ['what is nested too deep', nested(20_000), [], 'nested too deep'],
    ...['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum', 'multipleOf'].map(
      (keyword): [string, Json, readonly string[], string] => [
        keyword,
        ofConfig({ buy_amount: { [keyword]: 0.5 } }),
        ['properties', 'spec', 'properties', 'config', 'properties', 'buy_amount', keyword],
        `${keyword} compares numbers`,
      ],
    ),
    [
      'a number keyword below others',
      { if: { items: [{ maximum: '1' }] } },
      ['if', 'items', 0, 'maximum'],
      'numbers',
    ],
    [
      'one in a definition',
      { definitions: { a: { maximum: 1 } } },
      ['definitions', 'a', 'maximum'],
      'numbers',
    ],
  ])('%s', (_what, schema, path, text) => {
    const problems = wrong(schema);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toEqual(path);
    expect(problems[0]?.message).toContain(text);
  });

  test.each([
    ['^(?=(a+)+$)a', '(?='],
    ['^(?!.*(?:x+)y)(a(?=b+))*$', '(?!'],
    ['(?<=a)b', '(?<='],
    ['^(?<a>x)(\\k<a>y+)*$', 'back-reference'],
    ['^(a)\\1$', '\\1'],
    ['(?i)a', 'Invalid group'],
    ['[a', 'Unterminated character class'],
    ['a{800}b{300}', 'add up to more than 1000'],
    ['((a{20}){20}){20}', 'invalid repeat count'],
    [`${'a?'.repeat(501)}`, 'it has 1002 characters'],
  ])('the pattern %s, which cannot be matched in linear time', (pattern, why) => {
    const [problem] = wrong({ properties: { a: { pattern } } });
    expect(problem?.path).toEqual(['properties', 'a', 'pattern']);
    expect(problem?.message).toContain(`the pattern ${pattern.slice(0, 60)}`);
    expect(problem?.message).toContain(why);
    expect(wrong({ patternProperties: { [pattern]: {} } })[0]?.path).toEqual(['patternProperties', pattern]);
  });

  test('items are unique by content, in any key order', () => {
    const compiled = compilePolicy({ uniqueItems: true });
    if (!('check' in compiled)) throw new Error('not compiled');
    const check = (items: Json) => compiled.check(items as unknown as JsonObject).length;
    expect(check([{ a: 1, b: [2] }, { a: 1, b: [3] }, '1', 1])).toBe(0);
    expect(check([{ a: 1, b: [2] }, 2, { b: [2], a: 1 }])).toBe(1);
  });

  // Tried in all the ways to divide a text, each would take twice as long with every character of `aaaa!`.
  test.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(?:\\w*)*x$',
    '^(\\w+\\s?)*$',
    '^(?<word>[a-z]{1,28}-?)+$',
    '^(\\p{Ll}+|1){11,}$',
    `^${'.*'.repeat(40)}x$`,
    `^${'a?'.repeat(100)}${'a'.repeat(100)}$`,
  ])('the pattern %s is fine, and takes no time', (pattern) => {
    expect(wrong({ properties: { a: { pattern }, pattern: { const: { pattern: '(?=a)' } } } })).toEqual([]);
    const compiled = compilePolicy({ pattern });
    if (!('check' in compiled)) throw new Error('not compiled');
    const document = `${'a'.repeat(90)}!` as unknown as JsonObject;
    expect(compiled.check(document)).toMatchObject([{ text: expect.stringContaining('must match pattern') }]);
  });

  test.each([
    '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    '^sniper-\\d+$',
    '\\u0041\\x41',
    '\\u{1F600}|AAM$',
    '^.{44}$',
    '^\\p{Lu}',
    '[^\\]]\\/?-',
  ])('the pattern %s matches what it matches in ECMAScript', (pattern) => {
    const compiled = compilePolicy({ pattern });
    if (!('check' in compiled)) throw new Error('not compiled');
    for (const text of ['7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAAM', 'sniper-12', '😀', 'É-/']) {
      const problems = compiled.check(text as unknown as JsonObject);
      expect(problems.length === 0, text).toBe(new RegExp(pattern, 'u').test(text));
    }
  });

  test('a field or value with the name of a keyword is not a keyword', () => {
    const named = { maximum: {}, $async: { const: { minimum: 1 } }, multipleOf: { enum: [{ maximum: 1 }] } };
    expect(wrong({ properties: named, dependencies: { minimum: ['maximum'] } })).toEqual([]);
  });
});
