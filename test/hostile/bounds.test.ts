import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sampled } from '../support/sample.ts';
import { bounded, CPU_BOUND, project, said, sniper } from './bounded.ts';

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';

function times(count: number, text: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => text(index)).join('');
}

function preset(name: string, bases: readonly string[] = []): string {
  return `---\napiVersion: tradeform/v1\nkind: Preset\nmetadata:\n  name: ${name}\nspec:\n  for: sniper\n  extends: [${bases.join(', ')}]\n  config: { buy_once: true }\n`;
}

/** A task set with its rows in `table`, or inline. */
function taskSet(name: string, rows: string): string {
  const [, spec = ''] = sniper('x').split(/^spec:\n/m);
  const body = spec.replace(/^/gm, '    ');
  return `---\napiVersion: tradeform/v1\nkind: TaskSet\nmetadata:\n  name: ${name}\nspec:\n  for: sniper\n  ${rows}\n  task:\n    metadata: { name: "${name}-\${row.name}" }\n    spec:\n${body}\n`;
}

function walletBook(wallets: string): string {
  return `---\napiVersion: tradeform/v1\nkind: WalletBook\nmetadata:\n  name: book\nspec:\n  wallets:\n${wallets}`;
}

const prod = (spec: string) => project(`  environments:\n    prod:\n${spec}`);

/** Manifests that are too much for a run, or that were; and what `validate` says of them. */
const ATTACKS: readonly (readonly [name: string, files: Readonly<Record<string, string>>, said: string])[] = [
  [
    'a million keys',
    { 'manifests/a.yaml': `a:\n${times(1_000_000, (i) => `  k${i}: 1\n`)}` },
    'file-too-large: the document has more than 400000 lines',
  ],
  [
    'two million documents',
    { 'manifests/a.yaml': '--- {}\n'.repeat(2_000_000) },
    'project-too-large: with this file the project has more than 100000 documents',
  ],
  [
    'documents in many files',
    Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`manifests/${i}.yaml`, '---\n'.repeat(5_000)])),
    'project-too-large: with this file the project has more than 100000 documents',
  ],
  [
    'a line of 15 MB',
    { 'manifests/a.yaml': `{ "a": "${'x'.repeat(15_000_000)}" }` },
    'file-too-large: the line has 150000',
  ],
  [
    'a number of two million digits',
    { 'manifests/a.yaml': sniper('a', (text) => text.replace('"0.5"', '9'.repeat(2_000_000))) },
    'file-too-large: the line has',
  ],
  [
    'a number of a hundred thousand digits',
    { 'manifests/a.yaml': sniper('a', (text) => text.replace('"0.5"', `"0.${'0'.repeat(100_000)}x"`)) },
    'invalid-decimal: spec.config.buy_amount: 100003 characters; an amount has at most 32',
  ],
  [
    '200,000 rows of a table',
    {
      'manifests/a.yaml': taskSet('s', 'rows_from: rows.csv'),
      'manifests/rows.csv': `name\n${times(200_000, (i) => `t${i}\n`)}`,
    },
    'project-too-large: more than 50000 tasks, templates and labels',
  ],
  [
    'task sets that multiply a table',
    {
      'manifests/a.yaml': times(300, (i) => taskSet(`s${i}`, 'rows_from: rows.csv')),
      'manifests/rows.csv': `name\n${times(1_000, (i) => `t${i}\n`)}`,
    },
    'project-too-large: more than 50000 tasks, templates and labels',
  ],
  [
    '8,000 unknown fields',
    { 'manifests/a.yaml': sniper('a', (text) => `${text}${times(8_000, (i) => `    buy_amoun${i}: 1\n`)}`) },
    'more-problems: more than 100 problems in this file',
  ],
  [
    '100,000 wrong values',
    { 'manifests/a.yaml': walletBook(times(100_000, (i) => `    w${i}: bad\n`)) },
    'more-problems: more than 2000 errors',
  ],
  [
    '20,000 wrong names',
    { 'manifests/a.yaml': walletBook(times(20_000, (i) => `    W${i}: ${WALLET}\n`)) },
    'more-problems: more than 100 problems in this file',
  ],
  [
    'thousands of slips among thousands of names',
    {
      'manifests/a.yaml': walletBook(times(20_000, (i) => `    some-long-name-${i}: ${WALLET}\n`)),
      'manifests/b.yaml': times(4_000, (i) =>
        sniper(`t${i}`, (text) => text.replace(WALLET, `some-long-nam-${i}`)),
      ),
    },
    'more-problems: more than 2000 errors',
  ],
  [
    'a chain of 1,400 presets',
    {
      'manifests/a.yaml':
        times(1_400, (i) => preset(`p${i}`, [`p${i + 1}`])) +
        preset('p1400') +
        sniper('a', (text) => text.replace('  config:', '  extends: [p0]\n  config:')),
    },
    'project-too-large: extends leads to more than 100 in a row',
  ],
  [
    'presets that all extend all others',
    {
      'manifests/a.yaml':
        times(600, (i) =>
          preset(
            `p${i}`,
            Array.from({ length: Math.min(99, 599 - i) }, (_, j) => `p${i + j + 1}`),
          ),
        ) + sniper('a', (text) => text.replace('  config:', '  extends: [p0]\n  config:')),
    },
    'project-too-large: extends leads to more than 100',
  ],
  [
    'a text that its references make long',
    {
      'tradeform.yaml': prod(`      variables: { long: ${'x'.repeat(100_000)} }\n`),
      'manifests/a.yaml': sniper('a', (text) =>
        text.replace('remark: Note', `remark: "${'${var.long}'.repeat(5_000)}"`),
      ),
    },
    'out-of-range: the text has 500000000 characters after its references are replaced',
  ],
  [
    'patches times tasks',
    {
      'tradeform.yaml': prod(
        `      patches:\n${'        - { target: "*", patch: { spec: { remark: x } } }\n'.repeat(1_000)}`,
      ),
      'manifests/a.yaml': times(5_000, (i) => sniper(`t${i}`)),
    },
    'project-too-large: extends and patches produce too much data in total',
  ],
  [
    '20,000 environments',
    {
      'tradeform.yaml': project(
        `  environments:\n${times(20_000, (i) => `    e${i}: { account: { login_username: u } }\n`)}`,
      ),
      'manifests/a.yaml': sniper('a'),
    },
    'out-of-range: spec.environments: at most 100 fields',
  ],
  [
    '3,000 policies',
    {
      'tradeform.yaml': project(
        `  guardrails:\n    policies:\n${times(3_000, (i) => `      - { name: p${i}, message: No, schema: {} }\n`)}`,
      ),
      'manifests/a.yaml': sniper('a'),
    },
    'out-of-range: 3000 policies; at most 100 are allowed',
  ],
];

it.each(sampled(ATTACKS, 6))('%s end a run soon', { timeout: 240_000 }, async (_name, files, text) => {
  const ran = await bounded(['validate', '-o', 'json'], { 'tradeform.yaml': project(), ...files });
  expect(said(ran).map((one) => one.slice(0, text.length))).toContain(text);
  expect(ran.code).toBe(3);
});

it('folders that lead to each other in any number of ways end a run soon', { timeout: 240_000 }, async () => {
  const link = (path: string) => {
    for (let index = 0; index < 40; index += 1)
      mkdirSync(join(path, 'manifests', `d${index}`), { recursive: true });
    for (let index = 0; index < 39; index += 1)
      for (const name of ['a', 'b'])
        symlinkSync(`../d${index + 1}`, join(path, 'manifests', `d${index}`, name));
  };
  const ran = await bounded(
    ['validate', '-o', 'json'],
    { 'tradeform.yaml': project(), 'manifests/a.yaml': sniper('a') },
    { prepare: link },
  );
  expect(said(ran)).toEqual([
    expect.stringMatching(/^project-too-large: searching for manifests takes too long/),
  ]);
});

it('braces within braces, each too long for its line, end fmt soon', { timeout: 240_000 }, async () => {
  const braces = `${'xxxxxxxx: { '.repeat(50)}x: "1"${' }'.repeat(50)}`;
  const task = (index: number) =>
    sniper(`t${index}`, (text) => text.replace('auto_sell: {', `auto_sell: { ${braces},`));
  const files = { 'tradeform.yaml': project(), 'manifests/a.yaml': times(90, task) };
  const ran = await bounded(['fmt', '--check', '-o', 'json'], files, { seconds: CPU_BOUND / 3 });
  expect(ran.code).toBe(2);
});
