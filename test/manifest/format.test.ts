import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatManifests } from '../../src/core/manifest/format.ts';
import { readManifests } from '../../src/core/manifest/read.ts';
import { Source } from '../../src/core/manifest/source.ts';
import fc from '../properties.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const FILES = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml') && !file.endsWith('account.yaml') && !file.startsWith('ci'))
  .filter((file) => /^kind: /m.test(read(file)));

function read(file: string): string {
  return readFileSync(join(EXAMPLES, file), 'utf8');
}

function format(text: string): string {
  const formatted = formatManifests('x.yaml', text);
  if (!('text' in formatted)) throw new Error(formatted.diagnostics.map(({ message }) => message).join('; '));
  expect(formatted).not.toHaveProperty('left');
  return formatted.text;
}

function values(text: string) {
  const { manifests, diagnostics } = readManifests(new Source('x.yaml', text));
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return manifests.map(({ value }) => value);
}

/** Comments one by one; where no text holds a hash, they are what stands behind one. */
function comments(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => (/(?:^|\s)#.*$/.exec(line) ?? []).map((comment) => comment.trim()))
    .sort();
}

describe('the canonical form', () => {
  it('orders fields, quotes amounts and keeps every comment at its field', () => {
    const text = `# whole file
kind: SniperTask   # what it is
apiVersion: tradeform/v1
spec:
    # why it waits
    state: paused
    config:
        selected_dexes: [ pump-fun,   bags ]   # two
        buy_amount: 0.50


        # fees
        priority_mode: {slippage: 20, tip_amount: '0.001', priority_fee: 0.002}
        relay_mode:
            # dearest first
            tip_amount: "0.003"
            slippage: 20
            priority_fee: 0.0005
        dex_source: config
    target_wallet: C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG
    remark: 'early: "one"'
metadata: {name: dawn}
# the end
`;
    expect(format(text)).toBe(`# whole file
apiVersion: tradeform/v1
kind: SniperTask # what it is
metadata: { name: dawn }
spec:
  # why it waits
  state: paused
  remark: 'early: "one"'
  target_wallet: C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG
  config:
    buy_amount: "0.50"
    relay_mode:
      # dearest first
      tip_amount: "0.003"
      priority_fee: "0.0005"
      slippage: "20"

    # fees
    priority_mode: { tip_amount: "0.001", priority_fee: "0.002", slippage: "20" }
    selected_dexes: [pump-fun, bags] # two
    dex_source: config

# the end
`);
  });

  it('keeps the order of rows, names and documents, and the order of fields in a document with aliases', () => {
    const text = `apiVersion: tradeform/v1
kind: Label
metadata: { name: b }
---
# second
apiVersion: tradeform/v1
kind: WalletBook
metadata: { name: all }
spec:
  wallets:
    whale: C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG
    crow: 9Rgb7bknvTWDSBZuMJuoqz6eEtQwooiLgDqnwzhYhrQn
---
kind: Label
metadata: { name: &name a }
spec: { sort_order: 3, name: *name }
apiVersion: tradeform/v1
`;
    expect(format(text)).toBe(text);
  });

  it('writes content that is too long for its braces with one entry on each line, and no deeper than needed', () => {
    const tier = '{ market_cap_min: 0, market_cap_max: 1, amount_sol: 0.1, relay_tip: 0.001 }';
    const text = `apiVersion: tradeform/v1
kind: Preset
metadata: { name: tiers }
spec: { for: copy-trade, config: { buy_config_tiers: [${tier}, ${tier}] } }
`;
    const written = format(text);
    expect(written).toContain('spec:\n  for: copy-trade\n  config:\n    buy_config_tiers:\n      - { ');
    expect(Math.max(...written.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  it('removes the braces around a comment', () => {
    const text = `apiVersion: tradeform/v1
kind: Label
metadata: { name: a }
spec: { sort_order: 3, # the third
  name: A }
`;
    expect(format(text)).toBe(`apiVersion: tradeform/v1
kind: Label
metadata: { name: a }
spec:
  name: A
  sort_order: 3 # the third
`);
  });

  it('keeps a comment above what it describes, also directly after one that belongs to the lines before', () => {
    const text = `apiVersion: tradeform/v1
kind: Project
metadata:
  name: core # short
  # of the name
# of the spec
spec:
  environments:
    one:
      base_url: https://example.invalid/v1
      # account: { login_username: desk }
    # the other
  # at most
  guardrails:
    protect:
      - sniper/a # dear
      # - sniper/b
    # small

    # buys
    max_buy_amount: "1"
    policies:
      - name: p
        # deep
      # shallow
      - name: q
        # last
`;
    const shuffledText = text.replace(
      'apiVersion: tradeform/v1\nkind: Project\n',
      'kind: Project\napiVersion: tradeform/v1\n',
    );
    expect(format(shuffledText)).toBe(format(text));
    expect(format(text)).toContain('  # at most\n  guardrails:');
    expect(format(text)).toContain('    # the other\n  # at most');
    expect(format(text)).toContain('  # of the name\n# of the spec\nspec:');
    expect(format(text)).toContain('        # deep\n      # shallow\n      - name: q');
    expect(format(text)).toContain('    # small\n\n    # buys\n    max_buy_amount: "1"\n    protect:');
  });

  it('keeps a comment on the line of its key, whatever is reordered', () => {
    const text = `apiVersion: tradeform/v1
kind: SniperTask
spec: # prod

  # is on
  state: active
  config: &c # never above 0.1, or $& more
    selected_dexes: # curve only
      - pump-fun
    buy_amount: &most # dear
      0.1
    relay_mode: # r
      # inside
      slippage: 3
      tip_amount: # t
        1 # u
    priority_mode: # flow
      { tip_amount: 1 }
  remark: # why
    x
metadata: # who
  name: a
`;
    const ordered = `apiVersion: tradeform/v1
kind: SniperTask
metadata: # who
  name: a
spec: # prod
  # is on
  state: active
  remark: x # why
  config: &c # never above 0.1, or $& more
    buy_amount: &most "0.1" # dear
    relay_mode: # r
      tip_amount:
        # t
        "1" # u
      # inside
      slippage: "3"
    priority_mode: { tip_amount: "1" } # flow
    selected_dexes: # curve only
      - pump-fun
`;
    expect(format(text)).toBe(ordered);
    expect(format(ordered)).toBe(ordered);
  });

  it('keeps a comment on the line of the bracket or dash before it', () => {
    const text = `apiVersion: tradeform/v1
kind: SniperTask
metadata: { # who
  name: a }
spec:
  config:
    selected_dexes: [ # curve only
      pump-fun, bags ]
    auto_sell:
      tp_orders:
        # above
        - # first, #1
          # of two
          sell: 40
          trigger: 50 # half
        - { sell: 3, trigger: 2 } # behind
        # over
        - # third
          { sell: 30, trigger: 120 }
        - { # fourth
            sell: 4, trigger: 5 }
`;
    const ordered = `apiVersion: tradeform/v1
kind: SniperTask
metadata: { name: a } # who
spec:
  config:
    selected_dexes: [pump-fun, bags] # curve only
    auto_sell:
      tp_orders:
        # above
        - # first, #1
          # of two
          trigger: "50" # half
          sell: "40"
        - { trigger: "2", sell: "3" } # behind
        # over
        - # third
          { trigger: "120", sell: "30" }
        - # fourth
          { trigger: "5", sell: "4" }
`;
    expect(format(text)).toBe(ordered);
    expect(format(ordered)).toBe(ordered);
  });

  it('starts no mapping with an empty line', () => {
    const head = 'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: a }\nspec:\n';
    expect(format(`${head}  sort_order: 3\n\n  name: A\n`)).toBe(`${head}  name: A\n  sort_order: 3\n`);
  });

  it('leaves a file unchanged if it cannot keep its comments', () => {
    const text = 'kind: Label\napiVersion: tradeform/v1\nmetadata: { name: a }\n---\n# of nothing\n---\n';
    expect(formatManifests('x.yaml', text + text)).toEqual({ text: text + text, left: true });
  });

  it('keeps the line ends of the file', () => {
    const text = 'kind: Label\r\napiVersion: tradeform/v1\r\nmetadata: { name: a } # one\r\n';
    expect(format(text)).toBe('apiVersion: tradeform/v1\r\nkind: Label\r\nmetadata: { name: a } # one\r\n');
  });

  it('leaves references as they are written, and quotes no text that is no amount', () => {
    const text = `apiVersion: tradeform/v1
kind: Preset
metadata: { name: p }
spec: { for: sniper, config: { buy_amount: '\${var.size}', dex_source: 'config' } }
`;
    expect(format(text)).toBe(text);
  });

  it('has no form for an unreadable file', () => {
    const text = 'apiVersion: tradeform/v1\nkind: Label\nkind: Label\nmetadata: { name: a }\n';
    const formatted = formatManifests('x.yaml', text);
    expect(formatted).toMatchObject({ diagnostics: [{ code: 'yaml-duplicate-key' }] });
  });
});

describe('formatting', () => {
  it.each(FILES)('%s keeps its meaning and its comments, and a second run changes nothing', (file) => {
    const once = format(read(file));
    expect(values(once)).toEqual(values(read(file)));
    expect(comments(once)).toEqual(comments(read(file)));
    expect(format(once)).toBe(once);
  });

  it('is the same for any order and spacing of the fields', () => {
    const texts = FILES.map(read).filter((text) => !/[&*]\w/.test(text));
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.infiniteStream(fc.nat(1000)), (text, chance) => {
        const plain = text.replace(/(?:^|[ \t])#.*$/gm, '').replace(/\n\s*\n+/g, '\n');
        expect(format(shuffled(plain, chance))).toBe(format(plain));
      }),
      { numRuns: 60 },
    );
  });
});

/** Fields of the top level in another order, blocks whole. */
function shuffled(text: string, chance: Iterator<number>): string {
  return text
    .split(/^---\n/m)
    .map((document) => {
      const blocks = document.split(/^(?=\S)/m).filter((block) => block.trim() !== '');
      const keyed = blocks.map((block) => ({ block, key: Number(chance.next().value) }));
      return keyed
        .sort((a, b) => a.key - b.key)
        .map(({ block }) => (block.endsWith('\n') ? block : `${block}\n`))
        .join('');
    })
    .join('---\n');
}
