import { expect, test } from 'vitest';
import { makePlan } from '../../src/core/plan/plan.ts';
import { stateOf } from '../desired/compose/project.ts';
import { sniper, sniperTemplate } from '../manifest/samples.ts';
import fc from '../properties.ts';
import { liveState, liveTask, planInput, WALLETS } from '../support/builders.ts';
import { changeOf, operationsOf } from '../support/plans.ts';

const amount = fc
  .tuple(fc.bigInt({ min: 0n, max: 999_999n }), fc.stringMatching(/^[0-9]{0,12}$/))
  .map(([whole, fraction]) => (fraction === '' ? String(whole) : `${whole}.${fraction}`))
  .filter((text) => /[1-9]/.test(text));

function task(name: string, spec: string): string {
  return `apiVersion: tradeform/v1
kind: SniperTask
metadata: { name: ${name} }
spec:
  state: active
  target_wallet: ${WALLETS[1]}
  extends: [base]
${spec}`;
}

function set(rows: string, name: string): string {
  return `apiVersion: tradeform/v1
kind: TaskSet
metadata: { name: ${name} }
spec:
  for: sniper
  ${rows}
  task:
    spec:
      state: active
      target_wallet: ${WALLETS[1]}
      extends: [base]
      config: { buy_amount: "\${row.size}" }
`;
}

const NAMES = ['csv', 'own', 'patched', 'preset', 'row', 'variable'];

test('every digit of an amount gets from the file to the request, in every way', () => {
  fc.assert(
    fc.property(amount, fc.boolean(), (text, quoted) => {
      const written = quoted ? `"${text}"` : text;
      const state = stateOf({
        environment: 'production',
        project: `spec:
  environments:
    production:
      base_url: https://example.invalid/v1
      variables: { size: ${written} }
      patches: [{ target: sniper/patched, patch: { spec: { config: { buy_amount: ${written} } } } }]
`,
        files: {
          'manifests/a.yaml': [
            sniperTemplate('base'),
            `apiVersion: tradeform/v1\nkind: Preset\nmetadata: { name: size }\nspec: { for: sniper, config: { buy_amount: ${written} } }\n`,
            sniper({ name: 'own', amount: written }),
            task('preset', '').replace('[base]', '[base, size]'),
            task('patched', ''),
            task('variable', '  config: { buy_amount: "${var.size}" }\n'),
            set(`rows: [{ name: row, size: ${written} }]`, 'inline'),
            set('rows_from: rows.csv', 'table'),
          ].join('---\n'),
          'manifests/rows.csv': `name,size\ncsv,${text}\n`,
        },
      });
      expect(state.tasks.map(({ name, config }) => [name, config.buy_amount])).toEqual(
        NAMES.map((name) => [name, text]),
      );
      const live = NAMES.map((name, index) =>
        liveTask(index, { remark: `[git:core/${name}@0]`, target_wallet: WALLETS[1] }),
      );
      const plan = makePlan(planInput(state, liveState(live)));
      for (const name of NAMES) {
        const { fields } = changeOf(plan, `sniper/${name}`);
        const field = fields.find(({ path }) => path === 'config.buy_amount');
        // The live amount is 0.5: an equal one is no change.
        if (field !== undefined) expect(field.after).toBe(text);
        const bodies = operationsOf(plan, `sniper/${name}`).map(({ body }) => body?.config);
        const sent = bodies.find((config) => config !== undefined);
        expect(sent).toMatchObject({ buy_amount: text });
      }
    }),
    { numRuns: 40 },
  );
});
