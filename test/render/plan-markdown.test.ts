import { describe, expect, it } from 'vitest';
import type { Change, Plan } from '../../src/core/model/generated/plan.ts';
import { listedIn } from '../../src/core/plan/review/digest.ts';
import { readHiddenApproval } from '../../src/core/render/markdown/header.ts';
import { Masking } from '../../src/core/render/masking/masking.ts';
import { planWith, reportWith } from './hostile-plan.ts';
import {
  diagnosticsMarkdown,
  planMarkdown,
  planMarkdownWithin,
  planText,
  reportMarkdown,
  reportMarkdownWithin,
} from './laid-out.ts';
import { FILES, strangers } from './markdown/reading.ts';
import { change, emptyPlan, field, richPlan } from './rich-plan.ts';

/** Each change with one operation: only those are shown as changes. */
function planOf(...changes: readonly Change[]): Plan {
  return {
    ...emptyPlan(),
    changes: changes.map((each) => ({ ...each, operations: [`${each.address}#1`] })),
  };
}

/** The lines of the diff fences. */
function diffOf(before: unknown, after: unknown, parts: Parameters<typeof field>[3] = {}): string[] {
  const text = planMarkdown(
    planOf(change('sniper/x', { fields: [field('config.f', before, after, parts)] })),
  );
  return (/^(`{3,})diff\n([\s\S]*?)\n\1$/m.exec(text)?.[2] ?? '').split('\n');
}

function places(text: string, ...pieces: readonly string[]): number[] {
  return pieces.map((piece) => text.indexOf(piece));
}

function expectInOrder(text: string, ...pieces: readonly string[]): void {
  const found = places(text, ...pieces);
  expect(found.every((place) => place >= 0)).toBe(true);
  expect(found).toEqual([...found].sort((a, b) => a - b));
}

describe('the hidden list of changes', () => {
  const many = (number: number) => {
    const changes = Array.from({ length: number }, (_, index) =>
      change(`sniper/a--${index}`, { digest: 'd'.repeat(32), outcome: '0'.repeat(32) }),
    );
    return { ...planOf(...changes), digest: 'f'.repeat(64) };
  };

  it('is read as it was written, also after shortening for GitHub', () => {
    const plan = many(120);
    const fitted = planMarkdownWithin(plan, 65_536);
    for (const text of [planMarkdown(plan), 'text' in fitted ? fitted.text : '']) {
      expect(readHiddenApproval(text)).toEqual({ digest: plan.digest, changes: listedIn(plan) });
      expect(readHiddenApproval(text.replaceAll('\n', '\r\n'))).toEqual(readHiddenApproval(text));
      expect(strangers(text)).toEqual([]);
      expect(text).not.toContain('has room to list');
    }
  });

  it('is left out if it has no room, and this is reported; a refused plan has none', () => {
    const plan = many(200);
    const text = planMarkdown(plan);
    expect(readHiddenApproval(text)).toEqual({ digest: plan.digest, changes: undefined });
    expect(text).toContain('more changes than this comment can list');
    const refused = { ...many(2), diagnostics: [{ severity: 'error', code: 'x', message: 'No.' } as const] };
    expect(readHiddenApproval(planMarkdown(refused))).toBeUndefined();
    expect(planMarkdown(refused)).not.toContain('tradeform:changes');
  });

  it('is not believed if its line was changed', () => {
    const [first = '', second = ''] = planMarkdown(many(2)).split('\n');
    const changesOf = (line: string) => readHiddenApproval(`${first}\n${line}\n## Plan`)?.changes;
    expect(changesOf(second)).toHaveLength(2);
    for (const line of ['', ` ${second}`, second.replace('-->', ''), second.replace('changes', 'change')]) {
      expect(changesOf(line)).toBeUndefined();
    }
    expect(readHiddenApproval(`Quoting:\n${first}\n${second}`)).toBeUndefined();
    expect(readHiddenApproval(first.replace('tradeform:plan', 'tradeform:apply'))).toBeUndefined();
  });
});

describe('golden files', () => {
  it('of an empty plan', async () => {
    await expect(planMarkdown(emptyPlan())).toMatchFileSnapshot('cases/empty-plan.md');
  });

  it('of a plan with a base', async () => {
    await expect(planMarkdown(basedPlan())).toMatchFileSnapshot('cases/based-plan.md');
  });

  it('of a report', async () => {
    await expect(reportMarkdown(reportWith('sniper/x'))).toMatchFileSnapshot('cases/troubled-report.md');
  });

  it('of a failure', async () => {
    const text = diagnosticsMarkdown('plan', [
      {
        severity: 'error',
        code: 'token-missing',
        message: 'there is no token',
        hint: 'Set TRADEFORM_TOKEN.',
      },
      {
        severity: 'warning',
        code: 'deprecated',
        message: 'sniper/a: spec.x is old',
        address: 'sniper/a',
        location: { file: 'manifests/a.yaml', line: 3, column: 1 },
      },
    ] as never);
    await expect(text).toMatchFileSnapshot('cases/failure.md');
  });
});

describe('order', () => {
  it('first what happens, counts and money, then changes, then what is left alone', () => {
    expectInOrder(
      planMarkdown(richPlan()),
      '<!-- tradeform:plan project=core environment=production digest=',
      '## +0.8055 SOL at stake: 6 changes, 1 start, 1 stop, 1 deletion — `core` · `production`',
      '**4.2 → 5.0055 SOL at stake (+19%), and 1 task outside git trades 0.31 SOL** · 6 to change (1 new, ',
      ' · 1 blocked: `copy-trade/taken` · 9 → 8 trading · ',
      '<sub>`whales` on `service.invalid`</sub>',
      '| ► create, start | `sniper/alpha` — Early launches | new, buys 1 SOL, ',
      '<details><summary>All fields, reasons and requests</summary>',
      '### Warnings (1)',
      '### Blocked (1): nothing is done to these',
      '### Held (2): stopped, and left so',
      'Outside git (2)',
      'Digest `1111111111111111111111111111111111111111111111111111111111111111`',
    );
  });

  it('warnings about a change are in its row, with wallets in full', () => {
    expect(planMarkdown(richPlan())).toContain(
      '| ± replace | `transfer-snipe/feed` | new target, 60 s without trading `9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM` → `6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P` ⚠ **may buy again** | 0.25 |',
    );
  });

  it('a refused plan says so first, and why', () => {
    const plan = {
      ...richPlan(),
      diagnostics: [
        { severity: 'error' as const, code: 'guardrail-max-deletes', message: 'Too many.', hint: 'Fewer.' },
      ],
    };
    expectInOrder(
      planMarkdown(plan),
      '## Refused: `max_deletes` — ',
      'Refused: `max_deletes`. The plan: 6 to change',
      '### Refused (1)',
      '- `guardrail-max-deletes`: Too many.\n  - Fewer.\n',
      '| ► create, start |',
    );
  });
});

describe('warnings that differ only in their places', () => {
  const warnings = Array.from({ length: 9 }, (_, index) => ({
    severity: 'warning' as const,
    code: 'echo-differs',
    message: 'It does nothing.',
    address: `sniper/t-${index}`,
    location: { file: 'a.yaml', line: index + 1, column: 1 },
  }));
  const plan = { ...emptyPlan(), diagnostics: warnings };

  it('are shown once with the first few addresses, and all are counted', () => {
    const names = warnings.slice(0, 5).map(({ address }) => address);
    const text = planMarkdown(plan);
    expect(text).toContain('### Warnings (9)');
    expect(text.match(/It does nothing/g)).toHaveLength(1);
    expect(text).toContain(`${names.map((name) => `\`${name}\``).join(', ')} and 4 more: It does nothing.`);
    expect(text).toContain('(`a.yaml:1`, `a.yaml:2`, `a.yaml:3`, `a.yaml:4`, `a.yaml:5`)\n');
    const terminal = planText(plan, { columns: 140, color: false });
    expect(terminal).toContain(`warning[echo-differs]: ${names.join(', ')} and 4 more: It does nothing.\n`);
    expect(terminal.match(/It does nothing/g)).toHaveLength(1);
  });

  it('and those that a limit leaves out are counted as well', () => {
    const whole = planMarkdown(plan).length;
    const fitted = planMarkdownWithin(plan, whole - 1);
    expect('text' in fitted && fitted.text).toContain('left out: 9 warnings.');
  });
});

describe('differences', () => {
  it('every line begins with - or +, also in lists and long texts', () => {
    expect(diffOf([1, 2, 3, 4], [1, 5, 3, 4, 6], { origin: { file: 'a.yaml', line: 3, column: 1 } })).toEqual(
      ['- config.f[1]: 2', '+ config.f[1]: 5  # a.yaml:3', '+ config.f[4]: 6'],
    );
    expect(diffOf('a\nb\nc', 'a\nx\nc')).toEqual(['- config.f, line 2: b', '+ config.f, line 2: x']);
    expect(diffOf(1, '1')).toEqual(['- config.f: 1', '+ config.f: "1"']);
    expect(diffOf(undefined, ['a'])).toEqual(['+ config.f: [a]']);
    expect(diffOf(true, undefined, { legacy: true })).toEqual([
      '- config.f: true  # legacy, will be dropped',
    ]);
  });

  it.each([
    'linked_wallets',
    'config.selected_dexes',
    'config.buy_config_universal.selected_dexes',
    'config.buy_config_tiers[1].selected_dexes',
    'config.address_blacklist.wallets',
  ])('%s has no order: it only loses and gains members', (path) => {
    const fields = [field(path, ['a', 'b', 'c'], ['c', 'd', 'a'])];
    const text = planMarkdown(planOf(change('copy-trade/x', { fields })));
    expect(text).toContain(`\`\`\`diff\n- ${path}[]: b\n+ ${path}[]: d\n\`\`\``);
  });

  it('secret values are hidden, in rows too', () => {
    const fields = [field('config.f', 'hunter2', 'hunter3', { sensitive: true })];
    const text = planMarkdown(planOf(change('sniper/x', { fields })));
    expect(text).not.toContain('hunter');
    expect(text).toContain('| f (secret) |');
    expect(text).toContain('- config.f: (secret)\n+ config.f: (secret)');
  });
});

describe('equal changes', () => {
  const equal = (count: number, after = '2', file?: (index: number) => string) =>
    Array.from({ length: count }, (_item, index) =>
      change(`sniper/t${index}`, {
        exposure: { before: '0.1', after: '0.3' },
        fields: [
          field('config.f', '1', after, {
            ...(file === undefined ? {} : { origin: { file: file(index), line: 1, column: 1 } }),
          }),
        ],
      }),
    );

  it('share a row with their sum, and a block that names all of them', () => {
    const text = planMarkdown(planOf(...equal(5), change('sniper/other')));
    expect(text).toContain(
      '| update | 5 snipers: `t0`, `t1`, `t2` and 2 more | f 1 → 2 | 0.5\u00a0→\u00a0**1.5** |',
    );
    expect(text.match(/```diff/g)).toHaveLength(1);
    expect(text).toContain('**update** `sniper/t0`, `sniper/t1`, `sniper/t2`, `sniper/t3`, `sniper/t4`: ');
    expect(text).toContain('| update | `sniper/other` |');
  });

  it('must be equal in everything: two are not grouped, and neither are different values', () => {
    expect(planMarkdown(planOf(...equal(2))).match(/```diff/g)).toHaveLength(2);
    expect(planMarkdown(planOf(...equal(3), ...equal(2, '3'))).match(/```diff/g)).toHaveLength(3);
    const [first, second, third] = equal(3);
    if (first === undefined || second === undefined || third === undefined) throw new Error('three');
    const started = planMarkdown(planOf(first, second, { ...third, starts_trading: true }));
    expect(started.match(/```diff/g)).toHaveLength(3);
  });

  it('show a place in the manifests only if all have the same', () => {
    expect(planMarkdown(planOf(...equal(3, '2', () => 'preset.yaml')))).toContain('# preset.yaml:1');
    expect(planMarkdown(planOf(...equal(3, '2', (index) => `${index}.yaml`)))).not.toContain('.yaml');
  });
});

describe('links to the manifests', () => {
  const origin = { file: 'manifests/a.yaml', line: 7, column: 3 };
  const fields = [field('config.f', '1', '2', { origin })];
  const plan = planOf(
    ...['one', 'two', 'three', 'four'].map((name) =>
      change(`sniper/${name}`, { fields: [field('config.g', '1', name, { origin })] }),
    ),
    ...['a', 'b', 'c'].map((name) => change(`sniper/${name}`, { fields })),
    change('sniper/gone', { action: 'delete', actions: ['delete'] }),
  );

  it('an address leads to its line; of several tasks the line that they share does', () => {
    const text = planMarkdown(plan, FILES);
    expect(text).toContain(`| update | [\`sniper/one\`](${FILES}manifests/a.yaml#L7) |`);
    expect(text).toContain(`\`c\`, [\`manifests/a.yaml:7\`](${FILES}manifests/a.yaml#L7) |`);
    expect(text).toContain('| ✗ delete | `sniper/gone` |');
    expect(strangers(text)).toEqual([]);
  });

  it('are the first that is left out where there is no room', () => {
    const bare = planMarkdown(plan);
    expect(bare).not.toContain('](');
    const fitted = planMarkdownWithin(plan, Buffer.byteLength(planMarkdown(plan, FILES)) - 1, FILES);
    expect(fitted).toEqual({ text: expect.stringContaining('| update | `sniper/one` |') });
    expect(fitted).toEqual({ text: expect.stringContaining('All fields, reasons and requests') });
  });
});

describe('a base', () => {
  it('the changes of this change are in the table; earlier ones are separate, with starts and deletions still named', () => {
    const text = planMarkdown(basedPlan());
    expectInOrder(text, '### This change (2)', '| `sniper/mine`', 'Already pending or drifted (1)</summary>');
    expect(text.indexOf('| `sniper/late`')).toBeGreaterThan(text.indexOf('Already pending or drifted (1)'));
    expect(text).toContain('- **start (1):** already pending or drifted: `sniper/late`');
    expect(text).toContain(
      'This change:\n\n```diff\n- config.a: 1\n+ config.a: 2\n```\n\nAlready pending or drifted:\n\n```diff\n- config.b: 1\n+ config.b: 3\n```',
    );
  });

  it('an earlier deletion is named even without room for anything else', () => {
    const gone = change('sniper/gone', { action: 'delete', actions: ['delete'], provenance: 'before' });
    const plan = { ...basedPlan(), changes: [...basedPlan().changes, { ...gone, operations: ['x#1'] }] };
    const fitted = planMarkdownWithin(plan, 1);
    const text = 'needs' in fitted ? planMarkdownWithin(plan, fitted.needs) : fitted;
    expect(text).toHaveProperty(
      'text',
      expect.stringContaining('**delete (1):** already pending or drifted: `sniper/gone`'),
    );
  });
});

describe('what must be hidden', () => {
  // Markdown takes the text apart at its end, and joins it with what stands beside it.
  const secret = 'hush #1 now).';
  const masking = new Masking();
  masking.learnValues([secret, 'update', 'sniper', '1', '0.5']);

  it('is hidden in every text before it is written', () => {
    const plan = masking.document(planWith(`so @x ${secret}`));
    expect(JSON.stringify(plan)).toContain('so @x (secret)');
    expect(JSON.stringify(plan)).not.toMatch(/hush|now\)/);
    const masked = masking.document(reportWith(secret).changes);
    expect(masked[1]).toMatchObject({ text: '(secret)', error: { message: '(secret)' } });
  });

  it('no word of tradeform is hidden', () => {
    const plan = richPlan();
    const told = ({ action, kind, address, reason }: Plan['changes'][number]) => [
      action,
      kind,
      address,
      reason,
    ];
    expect(masking.document(plan).changes.map(told)).toEqual(plan.changes.map(told));
  });
});

describe('a report', () => {
  it('first what is left paused, then failed, unknown, skipped, done', () => {
    const text = reportMarkdown(reportWith('sniper/x'));
    expectInOrder(
      text,
      '<!-- tradeform:apply ',
      '## FAILED: 1 STILL HIGH, 1 LEFT OFF, 1 failed',
      '### LEFT OFF (1)',
      '### Failed',
      '### Unknown',
      '### Skipped',
      '<details><summary>Done (1)</summary>',
    );
    // Their place is the document.
    expect(text).not.toContain('requests `');
  });

  it('says once what is the same of many tasks', () => {
    const report = reportWith('sniper/x');
    const [first] = report.changes.filter(({ status }) => status === 'skipped');
    if (first === undefined) throw new Error('nothing is skipped');
    const skipped = Array.from({ length: 23 }, (_, at) => ({ ...first, address: `sniper/s${at}` }));
    const text = reportMarkdown({ ...report, changes: skipped });
    const rows = text.split('\n').filter((line) => line.startsWith('- `sniper/s'));
    expect(rows.map((row) => row.match(/`sniper\/s\d+`/g)?.length)).toEqual([20, 3]);
    expect(text).toContain('### Skipped (23)');
  });

  it('fits any room, because what is done cannot be refused any more', async () => {
    for (const maxBytes of [100, 500, 1_000, 2_000, 4_000]) {
      const text = await reportMarkdownWithin(reportWith('sniper/x'), maxBytes);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
      expect(text).toContain('1 failed');
    }
    expect(await reportMarkdownWithin(reportWith('sniper/x'), 2_000)).toContain('### LEFT OFF (1)');
  });
});

function basedPlan(): Plan {
  const plan = planOf(
    change('sniper/mine', {
      provenance: 'this-change',
      action: 'create',
      actions: ['create', 'start'],
      reason: 'not-on-service',
      starts_trading: true,
      fields: [field('config.a', undefined, '1', { provenance: 'this-change' })],
    }),
    change('sniper/both', {
      provenance: 'both',
      fields: [
        field('config.a', '1', '2', { provenance: 'this-change' }),
        field('config.b', '1', '3', { provenance: 'before' }),
      ],
    }),
    change('sniper/late', {
      provenance: 'before',
      action: 'start',
      actions: ['start'],
      reason: 'start-asked',
      starts_trading: true,
      fields: [field('state', 'paused', 'active', { provenance: 'before' })],
    }),
  );
  return {
    ...plan,
    summary: { ...plan.summary, create: 1, update: 1, start: 2 },
    base: {
      revision: 'main',
      commit: '1a2b3c4d5e6f70819203a4b5c6d7e8f901234567',
      digest: '4'.repeat(64),
      settled: [{ address: 'sniper/done', actions: ['update'] }],
    },
    diagnostics: [
      {
        severity: 'warning',
        code: 'may-buy-again',
        message: 'A new task may buy again.',
        address: 'sniper/late',
        provenance: 'before',
      },
    ],
  };
}
