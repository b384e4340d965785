import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openGit } from '../../src/core/project/git.ts';
import { readGit } from '../../src/core/project/git-state.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testRepository } from '../support/repository.ts';

let root: string;
const env = { PATH: process.env.PATH, HOME: tmpdir() };

beforeEach(() => {
  root = temporaryFolder('git');
});

test('commit, and whether the project differs from it', async () => {
  const repository = testRepository();
  const project = join(repository.path, 'p');
  repository.write('p/a.yaml', 'a');
  const read = (...names: string[]) =>
    readGit(
      { projectDir: project },
      env,
      new Map(names.map((name) => [name, readFileSync(join(project, name), 'utf8')])),
    );
  expect(await read('a.yaml')).toEqual({ commit: null, dirty: true, number: undefined });
  const commit = repository.commit();
  expect(await read('a.yaml')).toMatchObject({ commit, dirty: false, number: 1 });
  repository.write('elsewhere.txt', 'not of the project');
  repository.write('p/b.yaml', 'untracked');
  expect(await read('a.yaml')).toMatchObject({ commit, dirty: false, number: 1 });
  expect(await read('a.yaml', 'b.yaml')).toMatchObject({ commit, dirty: true, number: 1 });
});

test('the number of the commit counts what was merged, too; a shallow clone has none', async () => {
  const repository = testRepository();
  repository.write('p/a.yaml', 'a');
  repository.commit();
  repository.git('checkout', '-qb', 'side');
  for (const text of ['b', 'c', 'd']) {
    repository.write('p/b.yaml', text);
    repository.commit();
  }
  repository.git('checkout', '-q', 'main');
  repository.write('elsewhere.txt', 'not of the project');
  repository.commit();
  repository.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
  expect(await readGit({ projectDir: join(repository.path, 'p') }, env)).toMatchObject({ number: 6 });
  const clone = join(root, 'clone');
  execFileSync('git', ['clone', '-q', '--depth', '2', `file://${repository.path}`, clone], { env });
  expect(await readGit({ projectDir: join(clone, 'p') }, env)).toMatchObject({
    dirty: false,
    number: undefined,
  });
});

test('no repository, and no git', async () => {
  expect(await readGit({ projectDir: root }, { ...env, GIT_DIR: '/nowhere' })).toEqual({
    commit: null,
    dirty: false,
    number: undefined,
  });
  expect(await readGit({ projectDir: root }, { PATH: root })).toEqual({
    commit: null,
    dirty: false,
    number: undefined,
  });
});

test('only what git needs reaches it', async () => {
  const repository = testRepository();
  const fake = join(root, 'git');
  writeFileSync(fake, `#!/bin/sh\n/usr/bin/env > "${root}/seen-$$"\nexit 1\n`);
  chmodSync(fake, 0o755);
  await readGit(
    { projectDir: repository.path },
    {
      PATH: root,
      HOME: root,
      TRADEFORM_TOKEN: 'svc_live_0a1b2c3d.canary',
      TRADEFORM_TOKEN_FILE: '/x',
      GIT_DIR: '/y',
    },
  );
  const seen = execFileSync('/bin/sh', ['-c', `cat ${root}/seen-*`], { encoding: 'utf8' });
  expect(seen).toContain(`HOME=${root}`);
  expect(seen).not.toMatch(/canary|TRADEFORM|=\/y/);
  expect(seen).toContain(`GIT_DIR=${join(realpathSync(repository.path), '.git')}\n`);
  expect(readFileSync(fake, 'utf8')).toContain('#!');
});

test.skipIf(process.geteuid?.() !== 0)(
  'where Node cannot tell the owner git itself is asked, as on Windows',
  () => {
    const repository = testRepository();
    repository.commit();
    const own = process.geteuid;
    Object.assign(process, { geteuid: undefined });
    try {
      expect(openGit(repository.path, env)).toHaveProperty('git');
      chownSync(repository.path, 4711, 4711);
      expect(openGit(repository.path, env)).toMatchObject({
        reason: 'refused',
        problem: expect.stringContaining('another user'),
      });
    } finally {
      Object.assign(process, { geteuid: own });
    }
  },
);
