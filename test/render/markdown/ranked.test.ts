import { describe, expect, it } from 'vitest';
import type { Change, Field, Plan } from '../../../src/core/model/generated/plan.ts';
import { fieldRank, isRunning } from '../../../src/core/plan/stakes/cost.ts';
import fc from '../../properties.ts';
import { Vacuous } from '../../support/property.ts';
import { runs } from '../../support/sample.ts';
import { planMarkdown, planMarkdownWithin } from '../laid-out.ts';
import { change, emptyPlan, field } from '../rich-plan.ts';
import { strangers } from './reading.ts';

const PATHS = [
  'state',
  'target_wallet',
  'linked_wallets',
  'config.buy_amount',
  'config.buy_config_tiers',
  'config.relay_mode.slippage',
  'config.relay_mode.tip_amount',
  'config.selected_dexes',
  'config.auto_sell.enabled',
  'config.address_blacklist.wallets',
  'config.dev_min_amount',
  'config.min_trade_amount',
  'label',
  'remark',
];

/** `long`: a list that takes a screen. Values are found again: no two fields have one. */
interface Sketch {
  readonly fields: readonly { readonly path: string; readonly long: boolean; readonly common: boolean }[];
  readonly runs: boolean;
  readonly action: 'update' | 'create' | 'replace';
}

const SKETCH: fc.Arbitrary<Sketch> = fc.record({
  fields: fc.uniqueArray(fc.constantFrom(...PATHS), { minLength: 1, maxLength: 6 }).chain((paths) =>
    fc.tuple(
      ...paths.map((path) =>
        fc.record({
          path: fc.constant(path),
          long: fc.nat(9).map((n) => n === 0),
          common: fc.nat(4).map((n) => n === 0),
        }),
      ),
    ),
  ),
  runs: fc.boolean(),
  action: fc.constantFrom('update', 'update', 'update', 'create', 'replace'),
});

function textOf(index: number, { path, common }: Sketch['fields'][number], runs: boolean): string {
  const place = PATHS.indexOf(path);
  return common ? `shared${place}${runs ? 'r' : 'p'}x` : `value${index}x${place}x`;
}

function fieldOf(index: number, sketch: Sketch['fields'][number], runs: boolean): Field {
  const value = textOf(index, sketch, runs);
  const long = Array.from({ length: 40 }, (_item, at) => `${value}${at}`);
  return sketch.long ? field(sketch.path, [], long) : field(sketch.path, 'before', value);
}

function changeOf({ fields, runs, action }: Sketch, index: number): Change {
  const address = `sniper/task-${index}`;
  return change(address, {
    action,
    actions: [action],
    former: runs && action !== 'create' ? { is_active: true } : null,
    starts_trading: runs && action === 'create',
    fields: fields.map((each) => fieldOf(index, each, runs)),
    operations: [`${address}#1`],
  });
}

/** Fields that are left out although a field of lower rank is there, outside of the table: its first rows are always there. */
function hidden(plan: Plan, text: string): string[] {
  const listed = text.replaceAll(/^\|.*$/gm, '');
  const all = plan.changes.flatMap((each) =>
    each.fields.map(({ path, after }) => ({
      rank: fieldRank(path, isRunning(each)),
      what: `${each.address} ${path}`,
      value: Array.isArray(after) ? String(after[0]) : String(after),
    })),
  );
  const lowest = Math.max(-1, ...all.filter(({ value }) => listed.includes(value)).map(({ rank }) => rank));
  return all.flatMap(({ rank, what, value }) => (!text.includes(value) && rank < lowest ? [what] : []));
}

describe('a plan without enough room', () => {
  it('shows no field while a more expensive one of any change is left out', () => {
    let cut = 0;
    const vacuous = new Vacuous();
    fc.assert(
      fc.property(
        fc.array(SKETCH, { minLength: 1, maxLength: 40 }),
        fc.double({ min: 0.3, max: 1, noNaN: true }),
        (sketches, part) => {
          const plan = { ...emptyPlan(), changes: sketches.map(changeOf) };
          const whole = Buffer.byteLength(planMarkdown(plan));
          const maxBytes = Math.max(1, Math.floor(whole * part));
          const fitted = planMarkdownWithin(plan, maxBytes);
          if (!('text' in fitted)) return vacuous.add();
          if (fitted.text.includes('and more: ')) cut += 1;
          expect(Buffer.byteLength(fitted.text)).toBeLessThanOrEqual(maxBytes);
          expect(hidden(plan, fitted.text)).toEqual([]);
        },
      ),
      { numRuns: runs(400) },
    );
    vacuous.expectAtMost(0.3, runs(400));
    expect(cut).toBeGreaterThan(runs(400) / 3);
  });

  it('counts what is left out by what it can cost', () => {
    const plan = {
      ...emptyPlan(),
      changes: [
        ...Array.from({ length: 200 }, (_item, index) =>
          changeOf(
            { fields: [{ path: 'remark', long: false, common: false }], runs: true, action: 'update' },
            index,
          ),
        ),
        changeOf(
          {
            fields: [{ path: 'config.relay_mode.slippage', long: false, common: false }],
            runs: true,
            action: 'update',
          },
          200,
        ),
      ],
    };
    const fitted = planMarkdownWithin(plan, 4_000);
    const text = 'text' in fitted ? fitted.text : '';
    expect(text).toContain('- sniper/task-200 config.relay_mode.slippage: before\n');
    expect(text).toContain('| update | `sniper/task-200` | relay slippage before → `value200x5x` |');
    expect(text).toContain('| update | 200 snipers: `task-0`, `task-1`, `task-2` and 197 more |');
    const [, left = ''] = /^ {2}… and more: names and notes (\d+)$/m.exec(text) ?? [];
    expect(Number(left)).toBeGreaterThan(100);
    expect(text).toContain(`left out: differences (names and notes ${left}), reasons`);
    expect(strangers(text)).toEqual([]);
  });

  it('with 5,000 dangerous changes counts all by their classes', () => {
    const paths = ['config.buy_amount', 'config.relay_mode.slippage', 'config.relay_mode.tip_amount'];
    const changes = Array.from({ length: 5_000 }, (_item, index) =>
      change(`sniper/task-${index}`, {
        former: { is_active: true },
        fields: paths.map((path) => field(path, '1', `${index + 2}`)),
        operations: [`sniper/task-${index}#1`],
      }),
    );
    const fitted = planMarkdownWithin({ ...emptyPlan(), changes }, 65_536);
    const text = 'text' in fitted ? fitted.text : '';
    const [, left = ''] = /… and more: amounts (\d+), slippage 5000, tips and fees 5000/.exec(text) ?? [];
    expect(text.match(/^\+ sniper\/task-\d+ config\.buy_amount: /gm)).toHaveLength(5_000 - Number(left));
    expect(text.length).toBeGreaterThan(60_000);
  });
});
