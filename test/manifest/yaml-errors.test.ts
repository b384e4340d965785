import { expect, test } from 'vitest';
import { readManifests } from '../../src/core/manifest/read.ts';
import { Source } from '../../src/core/manifest/source.ts';

const HEAD = 'apiVersion: tradeform/v1\nkind: SniperTask\nmetadata: { name: a }\nspec:\n';

/** `line:column text message`, with the text that the error marks. */
function errorsOf(spec: string): readonly string[] {
  const text = HEAD + spec;
  return readManifests(new Source('x.yaml', text)).diagnostics.map(({ location, length = 0, message }) => {
    const { line = 0, column = 0 } = location ?? {};
    const marked = text.split('\n')[line - 1]?.slice(column - 1, column - 1 + length);
    return `${line}:${column} ${marked}: ${message}`;
  });
}

test.each([
  ['deeper than the line above', '  state: active\n   remark: x\n  rearm: a\n', '6:1'],
  ['less deep than the lines around', '  state: active\n remark: x\n  rearm: a\n', '6:1'],
  ['less deep than the first line', '    state: active\n  remark: x\n  config:\n    buy_amount: 1\n', '6:1'],
  ['between two blocks', '  config:\n    a: 1\n   b:\n      c: 3\n    d:\n      e: 3\n', '7:1'],
  ['with a tab', '  config:\n\ta: 1\n\tb: 2\n', '6:1'],
  ['of a list', '  remark: x\n  - one\n  - two\n', '6:1'],
])('one indentation %s is one error', (_, spec, place) => {
  expect(errorsOf(spec)).toEqual([expect.stringMatching(`^${place} `)]);
});

test('two errors that have nothing to do with each other are two', () => {
  expect(errorsOf('  remark: @x\n  rearm: %x\n')).toHaveLength(2);
});

test.each([
  ['  remark: "\\🚀"\n', '5:12 \\: there is no escape \\🚀'],
  ['  remark: >🚀\n', '5:12 🚀: text behind > or |'],
  ['  remark: !🚀 x\n', /^5:12 🚀: /],
  ['  remark: !!🚀 x\n', '5:11 !!: the tag !! is not allowed here'],
  ['  remark: !!text x\n', '5:11 !!text: the tag !!text is not allowed here'],
])('an error shows what the file has: %j', (spec, expected) => {
  expect(errorsOf(spec)).toContainEqual(
    typeof expected === 'string' ? expected : expect.stringMatching(expected),
  );
});

test.each([
  ['a second ": "', '  remark: moon: x\n', 'a key cannot begin here'],
  ['no ": "', '  state active\n  remark: x\n', 'a key without ": "'],
  [
    'a line less deep',
    '    state: active\n  remark: x\n',
    'this line fits no line above: it is indented by 2, the line above by 4',
  ],
  [
    'a line too deep',
    '  state: active\n\n    remark: x\n',
    'this line fits no line above: it is indented by 4, the line above by 2',
  ],
  ['a key alone', '  label: a\n  remark\n', 'a key without ": "'],
  ['a sign that begins no text', '  remark: @moon\n', 'text cannot begin with @'],
  ['a backtick', '  remark: `moon`\n', 'text cannot begin with `'],
  ['a backslash', '  remark: "a \\q b"\n', 'there is no escape \\q'],
  ['text behind quotes', '  remark: "a" b\n', 'text behind the end of the value'],
  ['text behind >', '  remark: > moon\n', 'text behind > or |'],
  ['a comment without a space', '  remark: "a"#b\n', 'a comment without a space before it'],
  ['no comma', '  config: { a: "1" b: "2" }\n', 'a comma is missing'],
  ['a comma too much', '  selected_dexes: [,]\n', 'a comma without an item before it'],
  ['a list on the line of its key', '  remark: - moon\n', 'a list cannot begin here'],
  ['an item without "- "', '  list:\n  - a\n  b\n', 'a key without ": "'],
])('%s is said in plain words', (_, spec, words) => {
  const { diagnostics } = readManifests(new Source('x.yaml', HEAD + spec));
  expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([['yaml-syntax', words]]);
  expect(diagnostics[0]?.hint).toBeDefined();
});
