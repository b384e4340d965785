import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readGit } from '../../src/files/git.ts';

let root: string;
const env = { PATH: process.env.PATH, HOME: tmpdir() };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tradeform-git-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...args: readonly string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  return execFileSync('git', [...identity, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  }).trim();
}

test('commit, and whether the project differs from it', async () => {
  git('init', '-q');
  mkdirSync(join(root, 'p'));
  writeFileSync(join(root, 'p/a.yaml'), 'a');
  expect(await readGit(join(root, 'p'), env)).toEqual({ commit: null, dirty: true });
  git('add', '.');
  git('commit', '-qm', 'first');
  const commit = git('rev-parse', 'HEAD');
  expect(await readGit(join(root, 'p'), env)).toEqual({ commit, dirty: false });
  writeFileSync(join(root, 'elsewhere.txt'), 'not of the project');
  expect(await readGit(join(root, 'p'), env)).toEqual({ commit, dirty: false });
  writeFileSync(join(root, 'p/b.yaml'), 'untracked');
  expect(await readGit(join(root, 'p'), env)).toEqual({ commit, dirty: true });
});

test('no repository, and no git', async () => {
  expect(await readGit(root, { ...env, GIT_DIR: '/nowhere' })).toEqual({ commit: null, dirty: false });
  expect(await readGit(root, { PATH: root })).toEqual({ commit: null, dirty: false });
});

test('nothing but what git needs reaches it', async () => {
  const fake = join(root, 'git');
  writeFileSync(fake, `#!/bin/sh\n/usr/bin/env > "${root}/seen-$$"\nexit 1\n`);
  chmodSync(fake, 0o755);
  await readGit(root, {
    PATH: root,
    HOME: root,
    TRADEFORM_TOKEN: 'svc_live_0a1b2c3d.canary',
    TRADEFORM_TOKEN_FILE: '/x',
    GIT_DIR: '/y',
  });
  const seen = execFileSync('/bin/sh', ['-c', `cat ${root}/seen-*`], { encoding: 'utf8' });
  expect(seen).toContain(`HOME=${root}`);
  expect(seen).not.toMatch(/canary|TRADEFORM|GIT_DIR/);
  expect(readFileSync(fake, 'utf8')).toContain('#!');
});
