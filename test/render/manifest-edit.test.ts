import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../../src/core/model/json.ts';
import {
  type EditRules,
  editManifest,
  type ManifestChange,
} from '../../src/kit/export/pure/manifest-edit.ts';

const RULES: EditRules = {
  same: (written, wanted) => JSON.stringify(written) === JSON.stringify(wanted),
  write: (value) => value,
  order: () => ['state', 'remark', 'target', 'config', 'last'],
};

function edit(text: string, ...changes: readonly ManifestChange[]): string | undefined {
  return editManifest(text, /^[^#\s]/m.exec(text)?.index ?? 0, changes, RULES);
}

const BLOCK = `# head
kind: T   # kind
spec:
  # above state
  state: active # why

  target: "x"
  config:   # the config
    amount: "0.5" # dear
    dexes:
      - a # first
      - b
      - c # third
    orders:
      - trigger: "1" # one
        sell: "2"
      - trigger: "3"
        sell: "4" # four
    mode: { tip: "1", fee: "2" }
# tail
`;

describe('a changed value', () => {
  test('is the only change', () => {
    expect(edit(BLOCK, { path: ['spec', 'config', 'amount'], value: '1' })).toBe(
      BLOCK.replace('"0.5"', '"1"'),
    );
    expect(edit(BLOCK, { path: ['spec', 'config', 'mode', 'fee'], value: '7' })).toBe(
      BLOCK.replace('fee: "2"', 'fee: "7"'),
    );
    expect(edit(BLOCK, { path: ['spec', 'state'], value: 'paused' })).toBe(BLOCK.replace('active', 'paused'));
  });

  test('that is already written changes nothing', () => {
    const orders = [
      { trigger: '1', sell: '2' },
      { trigger: '3', sell: '4' },
    ];
    expect(edit(BLOCK, { path: ['spec', 'config', 'orders'], value: orders })).toBe(BLOCK);
  });

  test('leaves a different spelling of the same value', () => {
    const rules = { ...RULES, same: (written: Json, wanted: Json) => Number(written) === Number(wanted) };
    const text = 'a:\n  - t: 1.0 # one\n    s: 2\n';
    expect(editManifest(text, 0, [{ path: ['a'], value: [{ t: '1', s: '3' }] }], rules)).toBe(
      text.replace('s: 2', 's: "3"'),
    );
  });

  test('in CRLF stays in CRLF', () => {
    const text = BLOCK.replaceAll('\n', '\r\n');
    expect(edit(text, { path: ['spec', 'remark'], value: 'x y' })).toBe(
      BLOCK.replace('# why\n', '# why\n  remark: x y\n').replaceAll('\n', '\r\n'),
    );
  });
});

describe('a new field', () => {
  test('is placed by the order of fields', () => {
    expect(edit(BLOCK, { path: ['spec', 'remark'], value: 'a: b' })).toBe(
      BLOCK.replace('# why\n', '# why\n  remark: "a: b"\n'),
    );
    expect(edit(BLOCK, { path: ['spec', 'last'], value: { deep: ['x'] } })).toBe(
      BLOCK.replace('fee: "2" }\n', 'fee: "2" }\n  last:\n    deep:\n      - x\n'),
    );
  });

  test('in braces, in an empty document, at the end of a text without a line break, after a text block', () => {
    expect(edit('a: { b: 1 }\n', { path: ['a', 'c'], value: [1, 'x, y'] })).toBe(
      'a: { b: 1, c: [ 1, "x, y" ] }\n',
    );
    expect(edit('a: {}\n', { path: ['a', 'c'], value: { d: '1' } })).toBe('a:\n  c:\n    d: "1"\n');
    expect(edit('a: 1', { path: ['b'], value: 'x' })).toBe('a: 1\nb: x');
    expect(edit('a: |\n  text\n\nz: 1\n', { path: ['config'], value: 'x' })).toContain('config: x\n');
    expect(parse(edit('a: |\n  text\n', { path: ['b'], value: 2 }) ?? '')).toEqual({ a: 'text\n', b: 2 });
  });
});

describe('a removed field', () => {
  test('loses its line, and keeps its comment', () => {
    expect(edit(BLOCK, { path: ['spec', 'config', 'amount'] })).toBe(
      BLOCK.replace('    amount: "0.5" # dear\n', '    # dear\n'),
    );
    expect(edit(BLOCK, { path: ['spec', 'config', 'mode', 'tip'] })).toBe(BLOCK.replace('tip: "1", ', ''));
    expect(edit(BLOCK, { path: ['spec', 'config', 'mode', 'fee'] })).toBe(BLOCK.replace(', fee: "2"', ''));
  });

  test('may be an item of a set', () => {
    expect(edit(BLOCK, { path: ['spec', 'config', 'dexes'], value: ['d', 'b'], set: true })).toBe(
      BLOCK.replace('      - a # first\n', '      # first\n').replace(
        '      - c # third\n',
        '      # third\n      - d\n',
      ),
    );
  });

  test('may be a whole list, or a whole mapping', () => {
    const emptied = edit(BLOCK, { path: ['spec', 'config', 'dexes'], value: [] }) ?? '';
    expect(emptied).toContain('    # first\n    dexes: [] # third\n');
    expect(edit('a:\n  b: 1 # c\nd: 2\n', { path: ['a', 'b'] })).toBe('a:\n  {} # c\nd: 2\n');
  });
});

test('the text then has exactly the requested values', () => {
  const wanted: readonly (readonly [ManifestChange['path'], Json])[] = [
    [['spec', 'config', 'orders'], [{ trigger: '1', sell: '9' }]],
    [
      ['spec', 'config', 'orders'],
      [{ trigger: '5' }, { sell: '4', more: [] }, { trigger: '7', sell: '8' }],
    ],
    [['spec', 'config', 'orders'], ['x']],
    [['spec', 'config', 'mode'], { tip: '3', other: null }],
    [['spec', 'config', 'mode'], 'flat'],
    [['spec', 'config', 'amount'], { now: ['a', 'map'] }],
    [['spec', 'config', 'new', 'deep', 'er'], 'yes'],
    [['spec', 'config'], {}],
    [['spec', 'target'], 'line\nbreak \u202e "quoted" # no'],
    [['spec', 'state'], null],
  ];
  for (const [path, value] of wanted) {
    const text = edit(BLOCK, { path, value }) ?? '';
    const root = parse(text);
    expect(
      path.reduce((at, key) => at?.[key], root),
      text,
    ).toEqual(value);
    for (const comment of BLOCK.match(/#.*$/gm) ?? []) expect(text).toContain(comment);
    expect(root.kind).toBe('T');
  }
});

test('a document with aliases is left alone', () => {
  expect(edit('a: &x { b: 1 }\nc: *x\n', { path: ['a', 'b'], value: 2 })).toBeUndefined();
});
