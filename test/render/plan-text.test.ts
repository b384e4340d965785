import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { planFindings } from '../../src/core/documents/plan.ts';
import { planView } from '../../src/core/documents/plan-view.ts';
import type { Change, Plan } from '../../src/core/model/generated/plan.ts';
import { cells } from '../../src/core/render/layout.ts';
import { viewText } from '../../src/core/render/text-layout.ts';
import { planMarkdown, planText } from './laid-out.ts';
import { change, emptyPlan, field, richPlan } from './rich-plan.ts';

const PLAIN = { columns: 80, color: false };

function withChange(...parts: Parameters<typeof change>): Plan {
  const [address, rest] = parts;
  return { ...emptyPlan(), changes: [change(address, { operations: [`${address}#1`], ...rest })] };
}

/** The lines of one change's details that speak of fields. */
function fieldsOf(before: unknown, after: unknown, parts: Parameters<typeof field>[3] = {}): string {
  const plan = withChange('sniper/x', { fields: [field('config.f', before, after, parts)] });
  const text = planText(plan, { ...PLAIN, verbose: true });
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

  it('text, with details', async () => {
    const text = planText(richPlan(), { ...PLAIN, verbose: true });
    await expect(text).toMatchFileSnapshot('cases/rich-plan-details.txt');
  });

  it('text, empty', async () => {
    await expect(planText(emptyPlan(), PLAIN)).toMatchFileSnapshot('cases/empty-plan.txt');
  });

  it('Markdown', async () => {
    await expect(planMarkdown(richPlan())).toMatchFileSnapshot('cases/rich-plan.md');
  });
});

describe('layout', () => {
  it.each([60, 80, 120, 300])('no line is wider than %d columns except for places', (columns) => {
    for (const verbose of [false, true]) {
      const lines = planText(richPlan(), { columns, color: false, verbose }).split('\n');
      expect(lines.filter((line) => cells(line) > columns && !/^ +at \S+:\d+$/.test(line))).toEqual([]);
    }
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

it('each change is counted once, whatever it does', () => {
  const adopted = (name: string, actions: Change['actions']) =>
    change(`sniper/${name}`, { action: 'update', actions, operations: ['x#1'] });
  const plan = { ...emptyPlan(), changes: [adopted('a', ['adopt', 'update']), adopted('b', ['adopt'])] };
  expect(countsOf(plan)).toMatch(
    /^2 to change \(1 adopted: only the remark, 1 adopted and changed\) · 0 to start ·$/,
  );
});

it.each([
  [['a', 'b'], [], / · 2 blocked: sniper\/a, sniper\/b$/],
  [['a', 'b', 'c'], [], / · 3 blocked$/],
  [['a'], [{ severity: 'warning', code: 'frozen', message: '' } as const], / · 2 blocked$/],
])('the head names what is blocked: %j %j', (names, diagnostics, words) => {
  const blocked = { text: 'Two tasks.', ids: [] };
  const others = names.map((name) => change(`sniper/${name}`, { action: 'none', actions: [], blocked }));
  const changes = [change('sniper/start', { operations: ['x#1'], starts_trading: true }), ...others];
  const summary = { ...emptyPlan().summary, blocked: names.length };
  const plan = { ...emptyPlan(), operations: OPERATIONS, changes, diagnostics, summary };
  expect(planView(plan).verdict).toMatch(words);
});

const OPERATIONS = [{ id: 'x#1', verb: 'patch', needs: [] as string[] } as Plan['operations'][number]];

/** The line of counts, of a plan that has something to do. */
function countsOf(plan: Plan): string | undefined {
  return planText({ ...plan, operations: OPERATIONS }, PLAIN)
    .split('\n')[1]
    ?.trim()
    .replace(/ {2,}.*/, '');
}

describe('what must be visible without details', () => {
  const WALLET = 'F6QwUiqSc63rfzHxnAm8qDSo7bRxjUTJyG55QdKgftZK';
  const OTHER = '9fZpzz8n59C3art9UDzwfgyg29Q44GAJyWvkr31MJae';
  const lines = (...parts: Parameters<typeof change>) => planText(withChange(...parts), PLAIN).split('\n');

  it('a wallet that a change sets, in full and on its own line', () => {
    const target = field('target_wallet', WALLET, OTHER);
    expect(lines('sniper/x', { action: 'replace', reason: 'target-changed', fields: [target] })).toEqual(
      expect.arrayContaining([`      ${WALLET}`, `    → ${OTHER}`]),
    );
    const created = field('target_wallet', undefined, WALLET);
    expect(lines('sniper/x', { action: 'create', reason: 'not-on-service', fields: [created] })).toContain(
      `    → ${WALLET}`,
    );
    const linked = field('linked_wallets', [WALLET], [OTHER]);
    expect(lines('copy-trade/x', { fields: [linked] })).toEqual(
      expect.arrayContaining([`    - ${WALLET} (linked_wallets)`, `    + ${OTHER} (linked_wallets)`]),
    );
  });

  it('the factor of an amount and its unit', () => {
    const row = (path: string, before: string, after: string) =>
      lines('sniper/x', { fields: [field(path, before, after)] }).find((line) => line.startsWith('~ '));
    expect(row('config.buy_amount', '0.2', '0.9')).toBe('~ sniper/x  amount 0.2 → 0.9 SOL ×4.5');
    expect(row('config.buy_amount', '100', '1')).toBe('~ sniper/x  amount 100 → 1 SOL -99%');
    expect(row('config.relay_mode.slippage', '15', '25')).toBe('~ sniper/x  relay slippage 15 → 25 %');
    expect(row('config.priority_mode.tip_amount', '0', '1')).toBe('~ sniper/x  priority tip 0 → 1 SOL');
  });

  it('what costs money stands above the deletion of a paused task, and below that of a running one', () => {
    const gone: Partial<Change> = { action: 'delete', actions: ['delete'], reason: 'not-in-manifests' };
    const raise = { former: { is_active: true }, fields: [field('config.buy_amount', '1', '5')] };
    const changes = [
      change('sniper/off', { ...gone, operations: ['a'] }),
      change('sniper/dear', { ...raise, operations: ['b'] }),
      change('sniper/on', { ...gone, stops_trading: true, former: { is_active: true }, operations: ['c'] }),
    ];
    const rows = planText({ ...emptyPlan(), changes }, PLAIN).match(/sniper\/\w+/g);
    expect(rows).toEqual(['sniper/on', 'sniper/dear', 'sniper/off']);
  });

  it('changes that cost money, beside the address', () => {
    const plan = withChange('sniper/x', { fields: [field('config.buy_amount', '1', '2')] });
    const text = planText(
      {
        ...plan,
        diagnostics: [
          { severity: 'warning', code: 'may-buy-again', message: 'sniper/x may buy.', address: 'sniper/x' },
        ],
      },
      PLAIN,
    );
    expect(text).toContain('~ sniper/x  amount 1 → 2 SOL ×2  ! may buy again\n');
  });

  it('who set a value on the service, and what an apply sets', () => {
    const by = (path: string, before: unknown, after: unknown, parts: Parameters<typeof field>[3] = {}) =>
      field(path, before, after, { made_by: 'person', ...parts });
    const row = (...fields: ReturnType<typeof field>[]) =>
      planText(withChange('sniper/x', { fields }), { columns: 140, color: false })
        .split('! ')[1]
        ?.split('\n')[0];
    const amount = by('config.buy_amount', '0.8', '0.1');
    const git = field('config.relay_mode.slippage', '15', '25');
    expect(row(amount)).toBe('somebody set 0.8 on the service; this apply sets 0.1');
    expect(row(amount, git)).toBe('somebody set amount 0.8 on the service; this apply sets amount 0.1');
    expect(row(amount, by('config.relay_mode.slippage', '15', '25'))).toBe(
      'somebody set amount 0.8, relay slippage 15 on the service; this apply sets amount 0.1, relay slippage 25',
    );
    const changed = 'somebody changed amount on the service; this apply undoes it';
    expect(row(by('config.buy_amount', '0.8', '0.1', { sensitive: true }))).toBe(changed);
    expect(row(by('config.buy_amount', undefined, '0.1'))).toBe(changed);
    expect(row(by('config.buy_amount', '0.8', '9'.repeat(40)))).toBe(changed);
    expect(row(...'abcdefgh'.split('').map((name) => by(`config.${name}`, '1', '2')))).toBe(
      'somebody changed 8 fields on the service; this apply undoes it',
    );
    // A note may differ from task to task in one row.
    const of = (name: string) =>
      change(`sniper/${name}`, { operations: ['x#1'], fields: [by('remark', `${name} here`, name)] });
    const same = planText({ ...emptyPlan(), changes: ['a', 'b', 'c'].map(of) }, PLAIN);
    expect(same).toContain('! somebody changed remark on the service; this apply undoes it\n');
  });

  it('differences in a tier, and everything that becomes more expensive', () => {
    const tier = (amount: string) => ({ market_cap_min: '1', amount_sol: amount });
    const tiers = field('config.buy_config_tiers', [tier('1'), tier('0.5')], [tier('1'), tier('5')]);
    expect(lines('copy-trade/x', { fields: [tiers] })).toContain(
      '~ copy-trade/x  buy_config_tiers[1].amount_sol 0.5 → 5 SOL ×10',
    );
    const many = Array.from({ length: 9 }, (_item, index) => field(`config.f${index}_tip`, '1', '2'));
    expect(lines('sniper/x', { fields: many }).join(' ')).toContain('f8_tip 1 → 2 SOL ×2');
  });

  it('what the sum leaves out', () => {
    const plan = emptyPlan();
    const secret = { reason: 'secret' as const, count: 1, sol: null, text: '1 task has secret amounts.' };
    const exposure = { ...plan.exposure, left_out: [...plan.exposure.left_out, secret] };
    expect(planText({ ...plan, exposure }, PLAIN)).toContain(
      '  Not in the sum: 1 task has secret amounts.\n',
    );
  });

  it('all fields that can cost money; others are counted', () => {
    const paths = [
      'buy_amount',
      'relay_mode.tip_amount',
      'relay_mode.slippage',
      'selected_dexes',
      'auto_sell.x',
    ];
    const money = paths.map((path) => field(`config.${path}`, '1', '2'));
    const text = lines('sniper/x', { fields: [...money, field('label', 'a', 'b')] }).join(' ');
    for (const word of ['amount 1', 'tip 1', 'slippage 1', 'selected_dexes 1', 'auto_sell.x 1'])
      expect(text).toContain(word);
    expect(text).toContain('and 1 more');
  });
});

describe('what a reader must not miss', () => {
  const LONGEST = { columns: 140, color: false };
  const flat = (plan: Plan) => planText(plan, LONGEST).replace(/\n +/g, ' ');
  const DEAR = [
    'buy_once',
    'buy_token_once',
    'first_buy_only',
    'dev_min_amount',
    'dev_max_amount',
    'skip_dev_launch',
  ];
  const six = DEAR.map((name) => field(`config.${name}`, 'a', 'b'));

  it.each([
    [field('config.auto_sell.enabled', true, false), 'auto_sell.enabled true → false'],
    [
      field('config.auto_sell', { enabled: true, tp_orders: ['x'.repeat(60)] }, undefined),
      'auto_sell removed',
    ],
    [field('config.min_trade_amount', '100', ''), 'min_trade_amount 100 → ""'],
    [field('config.relay_mode.tip_amount', '0.1', '5'), 'relay tip 0.1 → 5 SOL ×50'],
    [field('config.fast_mode', true, undefined, { legacy: true }), 'fast_mode dropped (legacy)'],
  ])('however much else changes: %#', (last, words) => {
    expect(flat(withChange('sniper/x', { fields: [...six, last] }))).toContain(words);
  });

  it('the classes of fields that are only counted', () => {
    const others = [field('config.auto_sell.x', 'a', 'b'), field('config.y', 'a', 'b')];
    expect(flat(withChange('sniper/x', { fields: [...six, ...others] }))).toContain('and 2 more (selling 1)');
  });

  it('every linked wallet, and those that are removed from a blacklist', () => {
    const wallets = Array.from({ length: 20 }, (_item, index) => `Wa11et${index}${'x'.repeat(30)}`);
    const linked = planText(
      withChange('copy-trade/x', { fields: [field('linked_wallets', [], wallets)] }),
      PLAIN,
    );
    for (const wallet of wallets) expect(linked).toContain(`+ ${wallet} (linked_wallets)`);
    const path = 'config.address_blacklist.wallets';
    const gone = withChange('copy-trade/x', { fields: [field(path, wallets, undefined)] });
    expect(planText(gone, PLAIN)).toContain(`- ${wallets[0]} (address_blacklist.wallets)`);
    expect(planText(gone, PLAIN)).toContain('address_blacklist.wallets removed');
  });

  it('a running task that a Removal keeps: it is named', () => {
    const kept = { class: 'kept', kind: 'sniper', remark: 'mine', running: true, text: 'Kept.' } as const;
    const plan = { ...emptyPlan(), observations: [{ ...kept, id: 'eeeeeeee-0000-4000-8000-00000000000e' }] };
    expect(planText(plan, PLAIN)).toContain('1 kept without a manifest');
    expect(planText(plan, { ...PLAIN, verbose: true })).toContain('Kept (1)\n  ► eeeeeeee-0000-4000-8000-');
  });

  it('that the view is incomplete', () => {
    const text = planText({ ...emptyPlan(), complete: false }, PLAIN);
    expect(text).toContain('No changes to what could be read.');
    expect(text).toContain('The view of the service is not complete');
    expect(text).not.toContain('as the manifests want it');
  });

  it('a warning about an address without a row', () => {
    const message = 'sniper/y may buy.';
    const diagnostics = [
      { severity: 'warning' as const, code: 'may-buy-again' as const, message, address: 'sniper/y' },
    ];
    expect(planText({ ...withChange('sniper/x'), diagnostics }, PLAIN)).toContain(message);
  });

  it('forgeries: no entry forged by a remark, and no words forged by a key', () => {
    const stray = { class: 'unmanaged', kind: 'sniper', running: true, text: 'No manifest.' } as const;
    const remark = 'a", ffffffff "b';
    const plan = {
      ...emptyPlan(),
      observations: [{ ...stray, remark, id: 'aaaaaaaa-0000-4000-8000-00000000000a' }],
    };
    expect(planText(plan, { ...PLAIN, verbose: true })).toContain('"a\\", ffffffff \\"b", running');
    const key = field('config.auto_sell.x, amount 1 → 0.1 SOL', 'a', 'b');
    expect(flat(withChange('sniper/x', { fields: [key] }))).toContain(
      '"auto_sell.x, amount 1 → 0.1 SOL" a → b',
    );
  });
});

describe('rows', () => {
  const row = (name: string, parts: Partial<Change> = {}) =>
    change(`sniper/${name}`, { operations: ['x#1'], ...parts });
  const rows = (...changes: Change[]) =>
    (planText({ ...emptyPlan(), changes }, PLAIN).split('\n\n')[1] ?? '').trimEnd().split('\n');
  const created = (amount: string) => ({
    action: 'create' as const,
    actions: ['create' as const],
    reason: 'not-on-service' as const,
    fields: [
      field('remark', undefined, 'Launches on every DEX'),
      field('config.buy_amount', undefined, amount),
      field('config.auto_sell.enabled', undefined, true),
    ],
  });

  it('thirty tasks take thirty lines, beside one with a long address and a stake', () => {
    const long = row(`a-name-of-${'x'.repeat(24)}`, { exposure: { before: '0.1005', after: '0.2005' } });
    const tasks = Array.from({ length: 30 }, (_item, index) =>
      row(`launch-meteora-${index}`, created(`0.1${index}`)),
    );
    expect(rows(long, ...tasks).filter((line) => line.includes('new, paused, buys')).length).toBe(30);
    expect(rows(long, ...tasks).length).toBeLessThanOrEqual(32);
  });

  it('a new task shows the most that it risks on a trade, and that nothing sells', () => {
    const config = {
      buy_amount: '0.5',
      'relay_mode.slippage': '20',
      'priority_mode.slippage': '30',
      'relay_mode.tip_amount': '0.01',
      'auto_sell.enabled': false,
    };
    const words = (values: Record<string, unknown>, parts = {}) => {
      const fields = Object.entries(values).map(([path, value]) =>
        field(`config.${path}`, undefined, value, parts),
      );
      const lines = rows(
        row('x', { action: 'create', actions: ['create', 'start'], starts_trading: true, fields }),
      );
      return lines.join(' ').replace(/\s+/g, ' ');
    };
    expect(words(config)).toContain('new, buys 0.5 SOL, slippage up to 30 %, tip 0.01 SOL, no auto-sell');
    expect(words({ ...config, 'auto_sell.enabled': true })).toMatch(/tip 0\.01 SOL$/);
    expect(words({ ...config, 'timed_strategy.enabled': true })).not.toContain('no auto-sell');
    expect(words(config, { sensitive: true })).toContain('buys (secret) SOL, slippage (secret) %');
  });

  it('a deleted task says what is lost, without values from the environment', () => {
    const config = { buy_amount: '0.7', selected_dexes: ['pump-fun'], auto_sell: { enabled: true } };
    const former = { target_wallet: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM', config };
    const gone = row('gone', { action: 'delete', actions: ['delete'], reason: 'not-in-manifests', former });
    const text = (one: Change) => planText({ ...emptyPlan(), changes: [one] }, { ...PLAIN, verbose: true });
    expect(text(gone)).toContain('buys 0.7 SOL');
    expect(text(gone)).toContain(
      '    - config.selected_dexes: [pump-fun]\n    - config.auto_sell.enabled: true\n',
    );
    const hidden = text({ ...gone, secrets: ['config.buy_amount', 'target_wallet'] });
    expect(hidden).not.toMatch(/0\.7|9WzD/);
    expect(hidden).toContain('config.selected_dexes: [pump-fun]');
  });

  it('a wallet has its name beside it: in full if it is set, shortened if it only identifies', () => {
    const [was, is] = [
      '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
      '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
    ];
    const changes = [
      row('gone', {
        action: 'delete',
        actions: ['delete'],
        reason: 'not-in-manifests',
        former: { target_wallet: was },
      }),
      row('moved', { action: 'replace', fields: [field('target_wallet', was, is)] }),
      row('linked', { fields: [field('linked_wallets', [], [is])] }),
    ];
    const plan = { ...emptyPlan(), changes };
    const text = viewText(
      planView(plan, {
        wallets: new Map([
          ['kucoin', is],
          ['desk', was],
        ]),
      }),
      PLAIN,
    );
    expect(text).toContain('its manifest was removed, target 9WzD…tAWWM (desk)');
    expect(text).toContain(`      ${was} (desk)\n    → ${is} (kucoin)\n`);
    expect(text).toContain(`    + ${is} (kucoin, linked_wallets)\n`);
    expect(planText(plan, PLAIN)).toContain(`      ${was}\n    → ${is}\n`);
  });

  it('an amount stays with its unit, its factor and its former value', () => {
    for (let length = 1; length < 40; length += 1) {
      const fields = [
        field('config.buy_amount', '0.25', '0.75'),
        field('config.relay_mode.slippage', '15', '25'),
      ];
      const lines = rows(row('x'.repeat(length), { fields, exposure: { before: '0.25', after: '0.75' } }));
      expect(lines.some((line) => line.includes('0.25 → 0.75 SOL ×3'))).toBe(true);
      expect(lines.some((line) => line.includes('15 → 25 %'))).toBe(true);
    }
  });
});

describe('equal changes', () => {
  const equal = (number: number, parts: Partial<Change> = {}) =>
    Array.from({ length: number }, (_item, index) =>
      change(`sniper/t${index}`, {
        operations: ['x#1'],
        exposure: { before: '0.1', after: '0.3' },
        fields: [
          field('config.relay_mode.slippage', '15', '25', {
            origin: { file: 'presets.yaml', line: 11, column: 1 },
          }),
          field('remark', `Note ${index}`, `Other ${index}`),
        ],
        ...parts,
      }),
    );
  const text = (changes: Change[], verbose = false) =>
    planText({ ...emptyPlan(), changes }, { columns: 80, color: false, verbose });

  it('are shown once, with their place and the sum', () => {
    expect(text(equal(30))).toContain(
      '~ 30 snipers  presets.yaml:11  relay slippage 15 → 25 %, remark changed    3 → 9\n    t0, t1, t2,',
    );
    expect(text(equal(30))).toMatch(/ … and \d+ more\n/);
    expect(text(equal(30), true)).toContain('t28, t29\n');
    expect(text(equal(30), true)).toContain('~ remark: "Note 29" → "Other 29"');
  });

  it('are all named if they start or stop', () => {
    const started = text(equal(30, { starts_trading: true }));
    expect(started).toContain('► 30 snipers');
    expect(started.replace(/\n\s*/g, ' ')).toContain('t27, t28, t29');
  });

  it('are separate if they have different labels or former names, or rise by more than the others', () => {
    const moved = equal(4).map((one, index) => ({
      ...one,
      fields: [field('label', 'a', index === 3 ? 'b' : 'c')],
    }));
    expect(text(moved)).toContain('~ sniper/t3 ');
    const renamed = equal(3).map((one) => ({ ...one, previous_address: `sniper/old-${one.name}` }));
    for (const { name } of renamed) expect(text(renamed)).toContain(`formerly sniper/old-${name}`);
    const woken = equal(9).map((one, index) =>
      index === 8 ? { ...one, exposure: { before: '0.1', after: '50' } } : one,
    );
    expect(text(woken)).toMatch(/^~ sniper\/t8 .* 0\.1 → 50$/m);
    expect(text(woken)).toContain('~ 8 snipers');
  });

  it('that are created or deleted are not called changed', () => {
    const labels = Array.from({ length: 4 }, (_item, index) =>
      change(`label/l${index}`, {
        action: 'create',
        actions: ['create'],
        reason: 'not-on-service',
        operations: ['x#1'],
        fields: [field('name', undefined, `L${index}`), field('sort_order', undefined, index)],
      }),
    );
    expect(text(labels)).toContain('+ 4 labels  new\n    l0, l1, l2, l3\n');
  });

  it('are separate if one of those that start has more at stake', () => {
    const [first, ...others] = equal(5, { starts_trading: true });
    if (first === undefined) throw new Error('five');
    const dear = { ...first, exposure: { before: '0', after: '50' } };
    expect(text([dear, ...others])).toMatch(/^► sniper\/t0 .* 0 → 50$/m);
  });
});

describe('fields', () => {
  it('before → after', () => {
    expect(fieldsOf('0.5', '0.75')).toBe('~ config.f: 0.5 → 0.75');
  });

  it('absent, empty, zero and false are four different values', () => {
    expect(fieldsOf(undefined, '')).toBe('+ config.f: ""');
    expect(fieldsOf('0', undefined)).toBe('- config.f: 0');
    expect(fieldsOf('', '0')).toBe('~ config.f: "" → 0');
    expect(fieldsOf(false, 'false')).toBe('~ config.f: false → "false"');
    expect(fieldsOf(null, 'none')).toBe('~ config.f: (none) → none');
  });

  it('a number and its text look different', () => {
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
      { ...PLAIN, verbose: true },
    );
    expect(created).not.toContain('hunter');
    expect(created).toContain('(secret)');
  });

  it('legacy fields say what happens to them', () => {
    expect(fieldsOf(true, undefined, { legacy: true })).toBe('- config.f: true (legacy, will be dropped)');
  });

  it('lists show what differs and count the rest', () => {
    expect(fieldsOf([1, 2, 3, 4], [1, 2, 5, 4])).toBe(
      '~ config.f:\n… 2 unchanged items\n- 3\n+ 5\n… 1 unchanged item',
    );
  });

  it('a list with only a changed order shows that', () => {
    expect(fieldsOf(['a', 'b'], ['b', 'a'])).toContain('- a');
  });

  it('wide values go on their own lines', () => {
    const text = fieldsOf('x'.repeat(60), 'y'.repeat(60));
    expect(text).toBe(`~ config.f:\n- ${'x'.repeat(60)}\n+ ${'y'.repeat(60)}`);
  });

  it('long texts are compared by line, also if nothing is alike', () => {
    expect(fieldsOf('a\nb\nc', 'a\nx\nc')).toContain('- b\n+ x');
    const many = (letter: string) => Array.from({ length: 8_000 }, (_item, index) => `${letter}${index}`);
    const begun = performance.now();
    expect(fieldsOf(many('a').join('\n'), many('b').join('\n'))).toContain('- a7999');
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe('lints', () => {
  const lint = (address: string | undefined, file: string) => ({
    severity: 'warning' as const,
    code: 'ladder-over-100',
    message: 'Over 100.',
    ...(address === undefined ? {} : { address }),
    location: { file, line: 3, column: 1 },
  });
  const origin = { file: 'a.yaml', line: 1, column: 1 };
  const plan = {
    ...withChange('sniper/x', { fields: [field('config.buy_amount', '1', '2', { origin })] }),
    diagnostics: [
      lint('sniper/x', 'p.yaml'),
      lint(undefined, 'a.yaml'),
      lint('sniper/y', 'a.yaml'),
      lint(undefined, 'p.yaml'),
    ],
  };

  it('of what the plan changes are shown once with their places, the others are counted', () => {
    const text = planText(plan, PLAIN);
    expect(text).toContain('sniper/x: Over 100.\n  at a.yaml:3, p.yaml:3\n');
    expect(text).toContain('\n2 warnings about what does not change: `tradeform validate`');
    expect(planFindings(plan).findings.filter(({ rule }) => rule === 'ladder-over-100')).toHaveLength(2);
  });

  it('of an import are not counted: it is as the account was', () => {
    const adopted = plan.changes.map((one) => ({ ...one, actions: ['adopt' as const], fields: [] }));
    expect(planText({ ...plan, changes: adopted }, PLAIN)).not.toContain('does not change');
  });

  it('of what was pending before this change are counted', () => {
    const before = plan.changes.map((one) => ({ ...one, provenance: 'before' as const }));
    const base = { revision: 'main', commit: '1'.repeat(40), digest: null, settled: [] };
    expect(planText({ ...plan, base, changes: before }, PLAIN)).toContain(
      '\n4 warnings about what does not change',
    );
  });
});

describe('the summary', () => {
  const summaryOf = (plan: Plan) => planText(plan, PLAIN).split('\n')[1]?.trim();

  it('without changes', () => {
    expect(summaryOf(emptyPlan())).toBe('No changes.');
  });

  it('if nothing can be done', () => {
    const plan = emptyPlan();
    expect(summaryOf({ ...plan, summary: { ...plan.summary, blocked: 1 } })).toBe(
      'No changes. Nothing can be done: 1 blocked.',
    );
  });
});
