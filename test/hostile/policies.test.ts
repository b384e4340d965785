import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/model/json.ts';
import { type RunningSandbox, startSandbox } from '../cmd/run.ts';
import { sampled } from '../support/sample.ts';
import { bounded, project, said, sniper } from './bounded.ts';

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});

function under(schema: Json): string {
  const policy = { name: 'ours', message: 'No.', schema };
  return project(`  guardrails:\n    policies: [${JSON.stringify(policy)}]\n`);
}

function ofRemark(schema: Json): Json {
  return { properties: { spec: { properties: { remark: schema } } } };
}

function ofSell(schema: Json): Json {
  return { properties: { spec: { properties: { config: { properties: { auto_sell: schema } } } } } };
}

/** A field that the interface does not show: it may hold anything. */
function withField(text: string): string {
  return sniper('a', (task) => task.replace('auto_sell: {', `auto_sell: { ${text},`));
}

const REMARK = sniper('a', (task) => task.replace('remark: Note', `remark: ${'a'.repeat(32)}b`));
const STEPS = /policy ours cannot be checked: its schema takes too many steps/;
const REFUSES = /policy ours says it must match "/;

/** Schemas that hold up a run, the manifest that they do it with, and what `plan` says. */
const ATTACKS: readonly (readonly [name: string, schema: Json, manifest: string, said: RegExp])[] = [
  ['a wildcard with many stars', ofRemark({ wildcard: `${'*a'.repeat(120)}*x` }), REMARK, REFUSES],
  [
    'thousands of wildcards',
    ofRemark({ allOf: Array.from({ length: 1_500 }, (_, i) => ({ wildcard: `${'*a'.repeat(28)}*${i}` })) }),
    REMARK,
    STEPS,
  ],
  [
    'thousands of parts for thousands of items',
    ofSell({
      properties: { x: { items: { allOf: Array.from({ length: 2_000 }, () => ({ minLength: 3 })) } } },
    }),
    withField(`x: [${'"a", '.repeat(9_000)}]`),
    STEPS,
  ],
  [
    'thousands of values for thousands of items',
    ofSell({ properties: { x: { items: { enum: Array.from({ length: 9_000 }, (_, i) => `v${i}`) } } } }),
    withField(`x: [${'"a", '.repeat(9_000)}]`),
    STEPS,
  ],
];

describe('a policy ends a plan soon', () => {
  it.each(sampled(ATTACKS, 2, 3))('%s', { timeout: 240_000 }, async (_name, schema, manifest, text) => {
    const env = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token };
    const files = { 'tradeform.yaml': under(schema), 'manifests/a.yaml': manifest };
    const ran = await bounded(['plan', '-o', 'json'], files, { env });
    const refused = said(ran).filter((one) => one.startsWith('guardrail-policy') || one.startsWith('killed'));
    expect(refused.join('\n')).toMatch(text);
    expect(ran.code).toBe(4);
  });

  it('one of many values is reported by `validate`', async () => {
    const schema = ofRemark({ enum: Array.from({ length: 12_000 }, (_, index) => `v${index}`) });
    const files = {
      'tradeform.yaml': under(schema),
      'manifests/a.yaml': sniper('a'),
    };
    const ran = await bounded(['validate', '-o', 'json'], files);
    expect(said(ran)).toEqual([
      expect.stringMatching(/^policy-invalid: .*values in the schema; at most 10000$/),
    ]);
  });
});
