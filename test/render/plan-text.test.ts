import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/model/generated/plan.ts';
import { cells } from '../../src/render/layout.ts';
import { planMarkdown } from '../../src/render/plan-markdown.ts';
import { planText } from '../../src/render/plan-text.ts';
import { change, emptyPlan, field, richPlan } from './rich-plan.ts';

const PLAIN = { columns: 80, color: false };

function withChange(...parts: Parameters<typeof change>): Plan {
  const [address, rest] = parts;
  return { ...emptyPlan(), changes: [change(address, { operations: [`${address}#1`], ...rest })] };
}

/** The lines of one change's block that speak of fields. */
function fieldsOf(before: unknown, after: unknown, parts: Parameters<typeof field>[3] = {}): string {
  const text = planText(withChange('sniper/x', { fields: [field('config.f', before, after, parts)] }), PLAIN);
  return text
    .split('\n')
    .filter((line) => /^ {4,}[~+\-… ]/.test(line) && !line.includes('The live state differs'))
    .map((line) => line.trim())
    .join('\n');
}

describe('golden files', () => {
  it('text', async () => {
    await expect(planText(richPlan(), PLAIN)).toMatchFileSnapshot('cases/rich-plan.txt');
  });

  it('text, narrow', async () => {
    await expect(planText(richPlan(), { columns: 60, color: false })).toMatchFileSnapshot(
      'cases/rich-plan-60.txt',
    );
  });

  it('text, empty', async () => {
    await expect(planText(emptyPlan(), PLAIN)).toMatchFileSnapshot('cases/empty-plan.txt');
  });

  it('Markdown', async () => {
    await expect(planMarkdown(richPlan())).toMatchFileSnapshot('cases/rich-plan.md');
  });
});

describe('layout', () => {
  it.each([60, 80, 120, 300])('no line is wider than %d columns but for places', (columns) => {
    const lines = planText(richPlan(), { columns, color: false }).split('\n');
    expect(lines.filter((line) => cells(line) > columns && !/^ +at \S+:\d+$/.test(line))).toEqual([]);
  });

  it('colour changes nothing but colour', () => {
    const colored = planText(richPlan(), { columns: 80, color: true });
    expect(colored).toContain('\x1b[');
    expect(stripVTControlCharacters(colored)).toBe(planText(richPlan(), PLAIN));
  });

  it('the same plan gives the same text', () => {
    expect(planText(structuredClone(richPlan()), PLAIN)).toBe(planText(richPlan(), PLAIN));
  });

  it('counts wide letters as two cells', () => {
    expect(cells('キジ')).toBe(4);
    expect(cells('e\u0301')).toBe(1);
  });
});

describe('what is said first', () => {
  const text = planText(richPlan(), PLAIN);
  const firstBlock = text.indexOf('\n+ label/high-risk');

  it.each([
    'Starts trading (1)',
    'Stops trading (2)',
    'Runs without git (1)',
    'At stake per trigger: 4.2 → 5.0055 SOL',
  ])('%s', (line) => {
    expect(text.indexOf(line)).toBeGreaterThan(0);
    expect(text.indexOf(line)).toBeLessThan(firstBlock);
  });
});

describe('fields', () => {
  it('before → after', () => {
    expect(fieldsOf('0.5', '0.75')).toBe('~ config.f: 0.5 → 0.75');
  });

  it('absent, empty, zero and false are four things', () => {
    expect(fieldsOf(undefined, '')).toBe('+ config.f: ""');
    expect(fieldsOf('0', undefined)).toBe('- config.f: 0');
    expect(fieldsOf('', '0')).toBe('~ config.f: "" → 0');
    expect(fieldsOf(false, 'false')).toBe('~ config.f: false → "false"');
    expect(fieldsOf(null, 'none')).toBe('~ config.f: (none) → none');
  });

  it('a number and its text differ visibly', () => {
    expect(fieldsOf(1, '1')).toBe('~ config.f: 1 → "1"');
  });

  it('secret values are masked', () => {
    const text = fieldsOf('hunter2', 'hunter3', { sensitive: true });
    expect(text).not.toContain('hunter');
    expect(text).toContain('(secret)');
    const created = planText(
      withChange('sniper/x', {
        action: 'create',
        fields: [field('config.f', undefined, 'hunter2', { sensitive: true })],
      }),
      PLAIN,
    );
    expect(created).not.toContain('hunter');
  });

  it('legacy fields say what becomes of them', () => {
    expect(fieldsOf(true, undefined, { legacy: true })).toBe('- config.f: true (legacy, will be dropped)');
  });

  it('lists show what differs and count the rest', () => {
    expect(fieldsOf([1, 2, 3, 4], [1, 2, 5, 4])).toBe(
      '~ config.f:\n… 2 unchanged items\n- 3\n+ 5\n… 1 unchanged item',
    );
  });

  it('a list that only changed its order shows that', () => {
    expect(fieldsOf(['a', 'b'], ['b', 'a'])).toContain('- a');
  });

  it('wide values go on lines of their own', () => {
    const text = fieldsOf('x'.repeat(60), 'y'.repeat(60));
    expect(text).toBe(`~ config.f:\n- ${'x'.repeat(60)}\n+ ${'y'.repeat(60)}`);
  });

  it('long texts are compared by line, also where nothing is alike', () => {
    expect(fieldsOf('a\nb\nc', 'a\nx\nc')).toContain('- b\n+ x');
    const many = (letter: string) => Array.from({ length: 8_000 }, (_item, index) => `${letter}${index}`);
    const begun = performance.now();
    expect(fieldsOf(many('a').join('\n'), many('b').join('\n'))).toContain('- a7999');
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe('the summary', () => {
  const summaryOf = (plan: Plan) => planText(plan, PLAIN).trimEnd().split('\n').at(-1);

  it('of nothing to do', () => {
    expect(summaryOf(emptyPlan())).toBe(
      'No changes. The live state is as the manifests want it: 14 unchanged.',
    );
  });

  it('of nothing that can be done', () => {
    const plan = emptyPlan();
    expect(summaryOf({ ...plan, summary: { ...plan.summary, blocked: 1 } })).toBe(
      'No changes. Nothing can be done: 1 blocked, 14 unchanged.',
    );
  });
});
