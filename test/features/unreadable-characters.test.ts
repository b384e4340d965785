import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROJECT, sniper } from '../manifest/samples.ts';
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
afterEach(() => project.remove());

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
