import { beforeAll, describe, expect, it } from 'vitest';
import { hasWork } from '../../../src/core/documents/plan-summary.ts';
import type { Change, Plan } from '../../../src/core/model/generated/plan.ts';
import fc from '../../properties.ts';
import { runs } from '../../support/sample.ts';
import { planMarkdown, planMarkdownWithin } from '../laid-out.ts';
import { change, emptyPlan, field } from '../rich-plan.ts';
import { planOf400 } from './plan-of-400.ts';
import { strangers } from './reading.ts';

const GITHUB_COMMENT = 65_536;
const byteLength = (text: string) => Buffer.byteLength(text);

let plan: Plan;
beforeAll(async () => {
  plan = await planOf400();
});

function within(maxBytes: number): string | undefined {
  const fitted = planMarkdownWithin(plan, maxBytes);
  return 'text' in fitted ? fitted.text : undefined;
}

function weighty({ action, starts_trading, stops_trading }: Change): boolean {
  return action === 'delete' || action === 'replace' || starts_trading || stops_trading;
}

/** Addresses that are deleted, replaced, started or stopped and that the text does not name. */
function unnamed(text: string): string[] {
  return plan.changes
    .filter(weighty)
    .flatMap(({ address }) => (text.includes(`\`${address}\``) ? [] : [address]));
}

const COUNTS =
  '210 to change (30 replaced) · 100 to start (80 new) · 20 to stop · 70 to delete (50 running) · 0 blocked';

describe('a plan of 400 changes', () => {
  it('really has 400', () => {
    expect(plan.changes.filter(hasWork)).toHaveLength(400);
    expect(plan.summary).toMatchObject({
      create: 80,
      update: 180,
      replace: 30,
      delete: 70,
      start: 100,
      stop: 70,
      held: 10,
      unmanaged: 20,
    });
    expect(byteLength(planMarkdown(plan))).toBeGreaterThan(2 * GITHUB_COMMENT);
  });

  it('fits a GitHub comment, with every deletion, replacement, start and stop named', () => {
    const text = within(GITHUB_COMMENT) ?? '';
    expect(byteLength(text)).toBeLessThanOrEqual(GITHUB_COMMENT);
    expect(byteLength(text)).toBeGreaterThan(0.8 * GITHUB_COMMENT);
    expect(unnamed(text)).toEqual([]);
    expect(text).toContain(COUNTS);
    expect(text).toContain('> **Shortened to 65536 bytes**, left out: ');
    // The difference that 120 tasks share is in it once.
    expect(text.match(/^\+ \S+, \S+, \S+ and 1\d\d more config\.buy_amount: 0\.75/gm)).toHaveLength(1);
    expect(strangers(text)).toEqual([]);
  });

  it('within any limit: never longer, all tasks that start, stop, are created or deleted, and complete Markdown', () => {
    const holds = (maxBytes: number) => {
      const text = within(maxBytes);
      if (text === undefined) {
        expect(maxBytes).toBeLessThan(20_000);
        return '';
      }
      expect(byteLength(text)).toBeLessThanOrEqual(maxBytes);
      expect(text.startsWith('<!-- tradeform:plan project=core environment=- digest=')).toBe(true);
      expect(text).toContain(COUNTS);
      expect(text).toContain(' SOL at stake (');
      expect(unnamed(text)).toEqual([]);
      return text;
    };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 250_000 }), (maxBytes) => {
        holds(maxBytes);
      }),
      { numRuns: runs(60) },
    );
    // Reading them takes its time: a few, of all sizes.
    for (const maxBytes of [12_345, 33_333]) expect(strangers(holds(maxBytes))).toEqual([]);
  });

  it('says how many bytes it takes, and that many are enough', () => {
    const fitted = planMarkdownWithin(plan, 1_000);
    expect(fitted).toHaveProperty('needs');
    const needs = 'needs' in fitted ? fitted.needs : 0;
    expect(unnamed(within(needs) ?? '')).toEqual([]);
    expect(within(needs - 1)).toBeUndefined();
  });
});

it('of 700 changes, a running task that is deleted is named where nothing is folded, however many start', () => {
  const start: Partial<Change> = { action: 'create', actions: ['create', 'start'], starts_trading: true };
  const stop: Partial<Change> = { action: 'delete', actions: ['stop', 'delete'], stops_trading: true };
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(699), { minLength: 13, maxLength: 60 }), (at) => {
      const changes = Array.from({ length: 700 }, (_none, index) => {
        const one = at.includes(index) ? stop : start;
        const exposure = at.includes(index)
          ? { before: `${index + 1}`, after: '0' }
          : { before: '0', after: '9' };
        const fields = [field('config.buy_amount', undefined, `0.${1000 + index}`)];
        return change(`sniper/task-${index}`, { ...one, exposure, fields, operations: [`${index}`] });
      });
      const fitted = planMarkdownWithin({ ...emptyPlan(), changes }, 40_000);
      const text = 'text' in fitted ? fitted.text : '';
      const visible = text.replace(/<details>.*?<\/details>/gs, '');
      const dearest = at.toSorted((a, b) => b - a).slice(0, 12);
      expect(text).toContain('Shortened to');
      for (const index of dearest) expect(visible).toContain(`\`sniper/task-${index}\``);
    }),
    { numRuns: runs(20) },
  );
});

it('of 700 changes, the one that multiplies an amount is in a row that nothing folds, whatever else is deleted or changed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 699 }), fc.boolean(), fc.boolean(), (at, runs, long) => {
      const changes = Array.from({ length: 700 }, (_none, index) => {
        const [before, after] = index === at ? ['0.07', '0.7'] : ['0.2', `1.${1000 + index}`];
        const tiers = Array.from({ length: index === at && long ? 60 : 0 }, (_tier, tier) =>
          field(`config.buy_config_tiers[${tier}].amount_sol`, '0.012345678', '0.112345678'),
        );
        const stop: Partial<Change> = { action: 'delete', actions: ['stop', 'delete'], stops_trading: true };
        return change(`sniper/task-${index}`, {
          former: { is_active: runs || index !== at },
          exposure: { before: '9', after: '9' },
          ...(index < 20 ? stop : {}),
          fields: [field('config.buy_amount', before, after), ...tiers],
          operations: [`${index}`],
        });
      });
      const fitted = planMarkdownWithin({ ...emptyPlan(), changes }, 40_000);
      const text = 'text' in fitted ? fitted.text : '';
      const visible = text.replace(/<details>.*?<\/details>/gs, '');
      expect(text).toContain('Shortened to');
      expect(visible).toContain('| … and 688 more rows |');
      const row = `| \`sniper/task-${at}\` | amount 0.07 → 0.7 SOL ×10${long ? ', ' : ' ⚠ **is the decimal point right?** |'}`;
      expect(visible.includes(row)).toBe(runs);
      const [line = ''] = visible.split('\n').filter((one) => one.includes(row));
      expect(line.includes('⚠ **is the decimal point right?** |')).toBe(runs);
    }),
    { numRuns: runs(20) },
  );
});
