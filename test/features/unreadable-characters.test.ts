import { beforeEach, describe, expect, it } from 'vitest';
import { runExport } from '../../src/kit/export/export.ts';
import { PROJECT, sniper, WALLETS } from '../manifest/samples.ts';
import { openProject, type ProjectRun } from './project-run.ts';

/** Characters that end a line for some readers only, or that show a text in another order than it is read in. */
const CHARACTERS = [
  0x85, 0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068,
  0x2069, 0xfeff, 0x07, 0x9f,
];

let project: ProjectRun;
beforeEach(async () => {
  project = await openProject();
});

const TASK_SET = `apiVersion: tradeform/v1
kind: TaskSet
metadata: { name: set }
spec:
  for: sniper
  rows_from: rows.csv
  task:
    spec:
${sniper({ name: 'any', amount: '"${row.amount}"' }).split('spec:\n')[1]?.replace(/^/gm, '    ')}`;

/** Each with a place for one character, and valid without it. */
const PLACES: readonly (readonly [
  string,
  string,
  (character: string) => Readonly<Record<string, string>>,
])[] = [
  [
    'a comment that hides a line from some readers',
    'manifests/alpha.yaml',
    (c) => ({
      'manifests/alpha.yaml': sniper().replace(
        'buy_amount: 0.5',
        `buy_amount: 4.9 #${c}    buy_amount: 0.01`,
      ),
    }),
  ],
  ['a comment', 'manifests/alpha.yaml', (c) => ({ 'manifests/alpha.yaml': `# quiet${c}\n${sniper()}` })],
  [
    'an open subtree',
    'manifests/alpha.yaml',
    (c) => ({
      'manifests/alpha.yaml': sniper().replace(
        'tp_orders: []',
        `tp_orders: [{ sell: "5", trigger: "1", "ty${c}pe": "a${c}b" }]`,
      ),
    }),
  ],
  [
    'a text in single quotes',
    'manifests/alpha.yaml',
    (c) => ({ 'manifests/alpha.yaml': sniper({ spec: `  remark: 'a${c}b'\n` }) }),
  ],
  [
    'an annotation',
    'manifests/alpha.yaml',
    (c) => ({
      'manifests/alpha.yaml': sniper().replace(
        '  name: alpha',
        `  name: alpha\n  annotations: { why: "a${c}b" }`,
      ),
    }),
  ],
  ['the project file', 'tradeform.yaml', (c) => ({ 'tradeform.yaml': `${PROJECT}# a${c}b\n` })],
  [
    'a table',
    'manifests/rows.csv',
    (c) => ({
      'manifests/alpha.yaml': TASK_SET,
      'manifests/rows.csv': `name,amount,why\nalpha,0.5,a${c}b\n`,
    }),
  ],
];

describe.each(PLACES)('%s', (_name, file, filesWith) => {
  it('refuses each character at its place', async () => {
    for (const [name, text] of Object.entries(filesWith(''))) project.write(name, text);
    const clean = await project.validate({ output: 'json' });
    expect([clean.code, clean.stdout]).toEqual([0, expect.not.stringContaining('control-character')]);
    for (const code of CHARACTERS) {
      const character = String.fromCodePoint(code);
      for (const [name, text] of Object.entries(filesWith(character))) project.write(name, text);
      const { code: exit, stdout, diagnostics } = await project.validate({ output: 'json' });
      const found = [
        ...diagnostics,
        ...((JSON.parse(stdout || '{}').diagnostics ?? []) as typeof diagnostics),
      ];
      const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
      expect([name, exit]).toEqual([name, 3]);
      const said = found.filter((one) => one.code === 'control-character');
      expect(said.map(({ location }) => location?.file)).toContain(file);
      expect(said.map(({ message }) => message).join()).toContain(name);
    }
  });
});

/** An escape stands where a reviewer reads ASCII. Each with a place for a text in double quotes. */
const ESCAPED: Readonly<Record<string, (text: string) => Readonly<Record<string, string>>>> = {
  'a value of an open subtree': (text) => ({
    'manifests/alpha.yaml': sniper().replace(
      'tp_orders: []',
      `tp_orders: [{ sell: "5", trigger: "1", type: ${text} }]`,
    ),
  }),
  'a key of an open subtree': (text) => ({
    'manifests/alpha.yaml': sniper().replace(
      'tp_orders: []',
      `tp_orders: [{ sell: "5", trigger: "1", ${text}: 1 }]`,
    ),
  }),
  'an annotation': (text) => ({
    'manifests/alpha.yaml': sniper().replace(
      '  name: alpha',
      `  name: alpha\n  annotations: { why: ${text} }`,
    ),
  }),
  'the key of an annotation': (text) => ({
    'manifests/alpha.yaml': sniper().replace(
      '  name: alpha',
      `  name: alpha\n  annotations: { ${text}: why }`,
    ),
  }),
  'a text of several lines': (text) => ({
    'manifests/alpha.yaml': sniper().replace(
      '  name: alpha',
      `  name: alpha\n  annotations:\n    why: ${text.replace('a', 'a\n      ')}`,
    ),
  }),
  'a value behind an anchor': (text) => ({
    'manifests/alpha.yaml': sniper().replace(
      '  name: alpha',
      `  name: alpha\n  annotations: { why: &why ${text}, again: *why }`,
    ),
  }),
  'the row of a task set': (text) => ({
    'manifests/alpha.yaml': TASK_SET.replace(
      'rows_from: rows.csv',
      `rows: [{ name: alpha, amount: "0.5", why: ${text} }]`,
    ),
  }),
  'a preset': (text) => ({
    'manifests/preset.yaml': `apiVersion: tradeform/v1\nkind: Preset\nmetadata: { name: p, annotations: { why: ${text} } }\nspec: { for: sniper, config: {} }\n`,
  }),
  'a wallet book': (text) => ({
    'manifests/book.yaml': `apiVersion: tradeform/v1\nkind: WalletBook\nmetadata: { name: w }\nspec: { wallets: { a: { address: ${WALLETS[0]}, note: ${text} } } }\n`,
  }),
  'a variable of the project': (text) => ({
    'tradeform.yaml': `${PROJECT}spec: { variables: { size: ${text} } }\n`,
  }),
  'a policy': (text) => ({
    'tradeform.yaml': `${PROJECT}spec: { guardrails: { policies: [{ name: p, message: no, file: policy.yaml }] } }\n`,
    'policy.yaml': `description: ${text}\n`,
  }),
};

/** What YAML 1.2 has for these, besides `\\u` and `\\x`. */
const SHORT: Readonly<Record<number, string>> = { 133: '\\N', 8232: '\\L', 8233: '\\P', 7: '\\a' };

describe.each(Object.entries(ESCAPED))('an escape in %s', (_name, filesWith) => {
  it('refuses each character, as YAML can write it', async () => {
    const validated = async (written: string) => {
      for (const [name, text] of Object.entries(filesWith(`"a${written}b"`))) project.write(name, text);
      const { code, stdout, diagnostics } = await project.validate({ output: 'json' });
      const more = (JSON.parse(stdout || '{}').diagnostics ?? []) as typeof diagnostics;
      const said = [...diagnostics, ...more].filter((one) => one.code === 'control-character');
      return [code, said.map(({ message }) => message).join()];
    };
    expect(await validated('\\u0063')).toEqual([0, '']);
    for (const code of CHARACTERS) {
      const hex = code.toString(16).toUpperCase().padStart(4, '0');
      const escapes = [
        `\\u${hex}`,
        `\\U0000${hex}`,
        SHORT[code],
        code < 256 ? `\\x${hex.slice(2)}` : undefined,
      ];
      for (const one of escapes)
        if (one !== undefined)
          expect([one, ...(await validated(one))]).toEqual([one, 3, expect.stringContaining(`U+${hex}`)]);
    }
  });
});

it('an export leaves such a value to the service, and its manifests can be read', async () => {
  expect(await project.apply(undefined, { autoApprove: true, firstApply: true })).toMatchObject({ code: 0 });
  const [task] = project.sandbox.state.tasks.values();
  const orders = [{ sell: '5', trigger: '1', type: 'a\u2028b', 'k\u202ey': 1 }];
  const stored = task?.config as { readonly auto_sell: object } | undefined;
  const config = { ...stored, auto_sell: { ...stored?.auto_sell, tp_orders: orders } };
  project.sandbox.editStored(task?.id ?? '', { remark: 'By hand', config });
  project.erase('manifests/alpha.yaml');
  expect((await project.run((io) => runExport([], { out: '.' }, io))).code).toBe(0);
  const text = project.read('manifests/sniper/by-hand.yaml');
  expect(text).toMatch(/ignore_changes:[^a-z]+config\.auto_sell\.tp_orders/);
  expect((await project.validate()).code).toBe(0);
});
