import { closeSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Door } from '../../../src/core/project/door/door.ts';
import { hasGitName } from '../../../src/core/project/door/git-name.ts';
import { isInside, locationOf } from '../../../src/core/project/door/location.ts';
import { folder } from '../../cmd/run.ts';

let top: ReturnType<typeof folder>;
const at = (path: string) => join(top.path, path);

beforeEach(() => {
  top = folder({ 'desk/manifests/a.yaml': 'inside', 'outside/a.yaml': 'secret' });
});

test('the opened file counts, and not what its path led to before', () => {
  const door = new Door(at('desk'));
  expect(door.read('manifests/a.yaml')).toMatchObject({ type: 'read' });
  // As if it was exchanged after the folder was searched.
  renameSync(at('desk/manifests'), at('desk/before'));
  symlinkSync(at('outside'), at('desk/manifests'));
  expect(door.read('manifests/a.yaml')).toMatchObject({ type: 'outside' });
  symlinkSync(at('outside/a.yaml'), at('desk/before/link.yaml'));
  expect(door.read('before/link.yaml')).toMatchObject({ type: 'outside' });
});

test('if the system cannot tell the place of a descriptor, the path must lead to the open file', () => {
  const descriptor = openSync(at('desk/manifests/a.yaml'), 'r');
  try {
    expect(locationOf(descriptor, at('desk/manifests/a.yaml'), 'darwin')).toBe(
      locationOf(descriptor, at('desk/manifests/a.yaml')),
    );
    renameSync(at('desk/manifests'), at('desk/before'));
    mkdirSync(at('desk/manifests'));
    writeFileSync(at('desk/manifests/a.yaml'), 'another');
    expect(() => locationOf(descriptor, at('desk/manifests/a.yaml'), 'darwin')).toThrow('it was replaced');
    rmSync(at('desk/manifests/a.yaml'));
    expect(() => locationOf(descriptor, at('desk/manifests/a.yaml'), 'darwin')).toThrow('ENOENT');
  } finally {
    closeSync(descriptor);
  }
});

test.each([
  ['/a/b', '/a/b', true],
  ['/a/b', '/a/b/c', true],
  ['/a/b', '/a/b/..c', true],
  ['/a/b', '/a', false],
  ['/a/b', '/a/bc', false],
  ['/', '/a', true],
])('inside of %s: %s, %s', (home, path, expected) => {
  expect(isInside(home, path)).toBe(expected);
});

test.each([
  ['.git', true],
  ['a/.GiT/config', true],
  ['a/git~1/config', true],
  ['.git. . /x', true],
  ['.git::$INDEX_ALLOCATION/x', true],
  ['a\\.git\\config', true],
  ['.g\u200ci\ufefft/x', true],
  ['.github/workflows', false],
  ['.gitignore', false],
  ['desk.git/x', false],
  ['git~2/x', false],
  ['.git.yaml', false],
])('%s names a folder of git: %s', (path, expected) => {
  expect(hasGitName(path)).toBe(expected);
});
