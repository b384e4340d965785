import { describe, expect, test } from 'vitest';
import { leadsOutside, parseGlob } from '../../src/core/project/glob.ts';
import fc from '../properties.ts';

function glob(pattern: string) {
  const parsed = parseGlob(pattern);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.glob;
}

describe('matches', () => {
  test.each([
    ['manifests/**/*.yaml', 'manifests/a.yaml', true],
    ['manifests/**/*.yaml', 'manifests/x/y/a.yaml', true],
    ['manifests/**/*.yaml', 'manifests/a.yml', false],
    ['manifests/**/*.yaml', 'other/a.yaml', false],
    ['manifests/**/*.yaml', 'manifests', false],
    ['manifests/*.yaml', 'manifests/x/a.yaml', false],
    ['**/*.yaml', 'a.yaml', true],
    ['**/*.yaml', 'x/y/a.yaml', true],
    ['**', 'x/y/a.yaml', true],
    ['a/**', 'a/b', true],
    ['a/**', 'a', false],
    ['a/**/**/b.yaml', 'a/b.yaml', true],
    ['a/**/c/*.yaml', 'a/b/c/d.yaml', true],
    ['a/**/c/*.yaml', 'a/c/c/c/d.yaml', true],
    ['a/**/c/*.yaml', 'a/b/d.yaml', false],
    ['a?.yaml', 'ab.yaml', true],
    ['a?.yaml', 'a.yaml', false],
    ['a?.yaml', 'a\u{1f600}.yaml', true],
    ['a.b', 'axb', false],
    ['a+(b).yaml', 'a+(b).yaml', true],
    ['*', '.hidden', false],
    ['.*', '.hidden', true],
    ['**/*.yaml', '.git/a.yaml', false],
    ['.git/*.yaml', '.git/a.yaml', true],
    ['**/.x/*', 'a/.x/b', true],
    ['{a,b}/*.{yaml,yml}', 'b/x.yml', true],
    ['{a,b}/*.{yaml,yml}', 'c/x.yml', false],
    ['a{,-{b,c}}.yaml', 'a.yaml', true],
    ['a{,-{b,c}}.yaml', 'a-c.yaml', true],
    ['a{,-{b,c}}.yaml', 'a-.yaml', false],
    ['./a//b.yaml', 'a/b.yaml', true],
    ['a/b.yaml', 'a/b.yaml', true],
  ])('%s  %s  %s', (pattern, path, expected) => {
    expect(glob(pattern).matches(path.split('/'))).toBe(expected);
  });
});

test('searches only where something can match', () => {
  const { base, mayMatchBelow } = glob('manifests/prod/**/x/*.yaml');
  expect(base).toEqual(['manifests', 'prod']);
  expect(mayMatchBelow(['manifests'])).toBe(true);
  expect(mayMatchBelow(['manifests', 'prod', 'a', 'b'])).toBe(true);
  expect(mayMatchBelow(['manifests', 'other'])).toBe(false);
  expect(mayMatchBelow(['manifests', 'prod', '.git'])).toBe(false);
  expect(glob('a/*.yaml').mayMatchBelow(['a', 'b'])).toBe(false);
  expect(glob('{a,b}/c/*').base).toEqual([]);
  expect(glob('a/{b,c}/*').base).toEqual(['a']);
  expect(glob('a.yaml').base).toEqual([]);
});

test.each([
  'a\\b',
  'a/[bc].yaml',
  '!a',
  '{a',
  'a}',
  '{a,{b}',
  '',
  '/',
  '.',
  '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}',
])('cannot be used: %s', (pattern) => {
  expect(parseGlob(pattern)).toHaveProperty('problem');
});

test.each([
  ['../a', true],
  ['a/../b', true],
  ['/etc/*', true],
  ['C:/x', true],
  ['{a,../b}/c', true],
  ['.git/*', true],
  ['a/{b,.GIT}/c', true],
  ['.github/*', false],
  ['a..b/*', false],
  ['a/b...yaml', false],
])('%s leads outside: %s', (pattern, expected) => {
  expect(leadsOutside(pattern)).toBe(expected);
});

/** The definition: every way to divide the path among the parts is tried. */
function matches(parts: readonly string[], path: readonly string[]): boolean {
  const [part, ...others] = parts;
  const [segment, ...segments] = path;
  if (part === undefined) return segment === undefined;
  if (part === '**') {
    // What ends in it means every file below.
    if (others.length === 0) return matches(['**', '*'], path);
    return matches(others, path) || (segment?.startsWith('.') === false && matches(parts, segments));
  }
  if (segment === undefined || (segment.startsWith('.') && !part.startsWith('.'))) return false;
  return (
    new RegExp(`^${part.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`, 'u').test(
      segment,
    ) && matches(others, segments)
  );
}

test('every pattern matches what its definition says, and is searched wherever that is', () => {
  const part = fc.constantFrom('a', 'b', 'a*', '*', '?b', '**', '.a', '.*');
  const segment = fc.constantFrom('a', 'b', 'ab', '.a', 'c');
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.array(segment, { minLength: 1, maxLength: 6 }),
      (parts, path) => {
        const { matches: matching, mayMatchBelow } = glob(parts.join('/'));
        const expected = matches(parts, path);
        expect(matching(path)).toBe(expected);
        if (expected)
          for (let length = 1; length < path.length; length += 1)
            expect(mayMatchBelow(path.slice(0, length))).toBe(true);
      },
    ),
    { numRuns: 3_000 },
  );
});
