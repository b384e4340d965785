import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/model/json.ts';
import type { Policy } from '../../../src/core/plan/guardrails/compiled.ts';
import { compilePolicy } from '../../../src/core/plan/guardrails/policy-compiler.ts';
import { isRefused } from '../../../src/core/plan/plan.ts';
import fc from '../../properties.ts';
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
        hint: `Change the field, or set policy/small in the project file, in a change of its own. For this plan alone: \`tradeform apply --override policy/small=${plan.digest}\``,
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

  test('shows no value of the environment', () => {
    const secret = desiredTask('a', { origin, note: 'hunter2', secrets: ['remark'] });
    const world = { desired: desiredState([secret]), live: liveState([]) };
    for (const schema of [
      { properties: { spec: { properties: { remark: { maxLength: 3 } } } } },
      { properties: { spec: { const: {} } } },
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
    [
      'an unknown type',
      { properties: { a: { type: 'strin' } } },
      ['properties', 'a', 'type'],
      'one of string,',
    ],
    [
      'an amount that is none',
      { items: { decimalMinimum: '1e3' } },
      ['items', 'decimalMinimum'],
      'an amount',
    ],
    ['another draft', { $schema: 'https://json-schema.org/draft/2020-12/schema' }, ['$schema'], 'draft-07'],
    ['a reference', { properties: { a: { $ref: '#' } } }, ['properties', 'a', '$ref'], 'no references'],
    ['what a reference refers to', { definitions: { a: {} } }, ['definitions'], 'no references'],
    ['a regular expression', { pattern: '^(a+)+$' }, ['pattern'], 'a regular expression'],
    [
      'one for names',
      { patternProperties: { '^(a+)+$': {} } },
      ['patternProperties'],
      'a regular expression',
    ],
    ['a wildcard that is too long', { wildcard: '*a'.repeat(129) }, ['wildcard'], '256 characters'],
    ['a part that is no schema', { not: 'x' }, ['not'], 'must be a schema'],
    ['branches that are none', { anyOf: [] }, ['anyOf'], 'must NOT have fewer than 1 items'],
    ['names that are none', { required: [1] }, ['required', 0], 'must be string'],
    [
      'a condition without an end',
      { if: { required: ['a'] } },
      ['if'],
      'checks nothing without then or else',
    ],
    ['a number keyword in a schema of its own', { not: { maximum: 1 } }, ['not', 'maximum'], 'numbers'],
    ['what is checked later', { allOf: [{ $async: true }] }, ['allOf', 0, '$async'], 'unknown keyword'],
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
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { if: { items: { maximum: '1' } }, then: {} },
      ['if', 'items', 'maximum'],
      'numbers',
    ],
  ])('%s', (_what, schema, path, text) => {
    const problems = wrong(schema);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toEqual(path);
    expect(problems[0]?.message).toContain(text);
  });

  test.each([
    ['night-*', 'night-desk', true],
    ['night-*', 'a night-desk', false],
    ['*', '', true],
    ['a.b', 'axb', false],
    ['*AAM', `${'A'.repeat(40)}AAM`, true],
  ])('the wildcard %s on %j: %s', (wildcard, text, passes) => {
    const compiled = compilePolicy({ wildcard });
    if (!('check' in compiled)) throw new Error('not compiled');
    expect(compiled.check(text as unknown as JsonObject)).toHaveLength(passes ? 0 : 1);
    // Only text is compared.
    expect(compiled.check(7 as unknown as JsonObject)).toEqual([]);
  });

  test('a field or value with the name of a keyword is not a keyword', () => {
    const named = { maximum: {}, $ref: { const: { minimum: 1 } }, multipleOf: { enum: [{ maximum: 1 }] } };
    expect(wrong({ properties: named, required: ['maximum'] })).toEqual([]);
  });
});

describe('what passes', () => {
  /** Few names and values, so that schemas and documents often meet. */
  const name = fc.constantFrom('a', 'b', 'c');
  const leaf = fc.constantFrom<Json>(null, true, 0, 1, 2.5, '', 'a', 'bb', '😀😀');
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(name, tie('json'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  const size = fc.integer({ min: 0, max: 3 });
  const names = fc.uniqueArray(name, { maxLength: 2 });
  const kind = fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null');
  const { schema } = fc.letrec<{ schema: Json }>((tie) => {
    const one = tie('schema');
    const some = fc.array(one, { minLength: 1, maxLength: 3 });
    const keywords: Readonly<Record<string, fc.Arbitrary<Json>>> = {
      type: fc.oneof(kind, fc.uniqueArray(kind, { minLength: 1, maxLength: 3 })),
      const: json,
      enum: fc.uniqueArray(json, {
        minLength: 1,
        maxLength: 3,
        selector: (value) => JSON.stringify(value),
      }),
      properties: fc.dictionary(name, one, { maxKeys: 2, noNullPrototype: true }),
      required: names,
      additionalProperties: one,
      items: one,
      contains: one,
      minItems: size,
      maxItems: size,
      minLength: size,
      maxLength: size,
      allOf: some,
      anyOf: some,
      oneOf: some,
      not: one,
    };
    const parts = fc
      .subarray(Object.keys(keywords), { minLength: 1, maxLength: 3 })
      .chain((chosen) => fc.record(Object.fromEntries(chosen.map((key) => [key, keywords[key] ?? one]))));
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    const condition = fc.record({ if: one, then: one, else: one });
    return {
      schema: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.boolean(),
        parts as fc.Arbitrary<Json>,
        condition as fc.Arbitrary<Json>,
      ),
    };
  });

  test('is what passes in draft-07', () => {
    const seen = { passed: 0, failed: 0 };
    fc.assert(
      fc.property(schema, fc.array(json, { minLength: 5, maxLength: 10 }), (part, documents) => {
        const compiled = compilePolicy(part);
        if (!('check' in compiled)) throw new Error(JSON.stringify(compiled.problems));
        const validate = new Ajv({ strict: false, validateSchema: false }).compile(part as object);
        for (const document of documents) {
          const expected = validate(document);
          seen[expected ? 'passed' : 'failed'] += 1;
          expect(compiled.check(document as JsonObject).length === 0, JSON.stringify(document)).toBe(
            expected,
          );
        }
      }),
      { numRuns: 200 },
    );
    expect(Math.min(seen.passed, seen.failed)).toBeGreaterThan(100);
  });
});
