import { expect, test } from 'vitest';
import { readManifests } from '../../src/core/manifest/read.ts';
import { Source } from '../../src/core/manifest/source.ts';

function syntax(text: string): string[] {
  return readManifests(new Source('a.yaml', text))
    .diagnostics.filter(({ code }) => code === 'yaml-syntax')
    .map(({ location, message, hint }) => `${location?.line}:${location?.column} ${message}; ${hint}`);
}

const LIST = 'a [ that is not closed; write ] where the list ends';
const MAPPING = 'a { that is not closed; write } where the mapping ends';

test.each([
  ['before another field', 'a: [1, 2\nb: 3\n', [`1:4 ${LIST}`]],
  ['before another field of the same depth', 'a:\n  b: { c: 1\n  d: { e: 2 }\n', [`2:6 ${MAPPING}`]],
  ['so that what follows cannot be read either', 'a:\n  b: [c\n  d: e\n  f: []\n', [`2:6 ${LIST}`]],
  ['at the end of the file', 'kind: [', [`1:7 ${LIST}`]],
  ['over several lines', 'a: {\n  b: 1,\n  c: [\n    1\nd: 1\n', [`1:4 ${MAPPING}`, `3:6 ${LIST}`]],
  ['in two documents of a file', 'a: {b: 1\n---\nc: [1\n---\nd: 1\n', [`1:4 ${MAPPING}`, `3:4 ${LIST}`]],
  ['closed by a brace', 'a: { b: [1, 2 }\nc: [1]\n', ['1:9 a [ that } closes; write ] before the }']],
  ['closed by a bracket', 'a: [{ b: 1 ]\nc: 1\n', ['1:5 a { that ] closes; write } before the ]']],
])('an unclosed one, %s, is reported where it was opened', (_where, text, expected) => {
  expect(syntax(text)).toEqual(expected);
});

test('an extra one is reported once, without its consequences', () => {
  const hint = 'put the whole text in quotes, or remove it';
  expect(syntax('a: [1]]\nb: 1\n')).toEqual([`1:7 a ] that closes nothing; ${hint}`]);
  expect(syntax('a: {b: 1}}\n')).toEqual([`1:10 a } that closes nothing; ${hint}`]);
});

test('an error before the bracket is reported as well', () => {
  expect(syntax('a: "x" y\nb: [1\n')).toEqual([
    expect.stringMatching(/^1:8 text behind the end of the value/),
    `2:4 ${LIST}`,
  ]);
});

test('an unquoted reference is reported as the cause', () => {
  expect(syntax('a: [${var.x}, 1\n')).toEqual([
    expect.stringMatching(/^1:4 a \[ that is not closed; .*in quotes/),
  ]);
});
