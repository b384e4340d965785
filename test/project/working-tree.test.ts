import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readGit } from '../../src/project/git-state.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';

const env = { PATH: process.env.PATH, HOME: tmpdir() };
let repository: TestRepository;
const path = (name: string) => join(repository.path, 'p', name);
const dirty = async () => (await readGit(path(''), env)).dirty;
/** The file has another time than the index noted. */
const touch = (name: string) => utimesSync(path(name), 1_000_000_000, 1_000_000_000);

beforeEach(() => {
  repository = testRepository();
  repository.write('p/a.yaml', 'a: 1\nb: 2\n');
  repository.write('p/deep/b.yaml', 'b: 1\n');
  repository.write('elsewhere.txt', 'x');
  repository.commit();
});
afterEach(() => repository.remove());

describe('the working tree equals the commit', () => {
  test('after a checkout, and if only times and the executable bit differ', async () => {
    expect(await dirty()).toBe(false);
    touch('a.yaml');
    chmodSync(path('a.yaml'), 0o755);
    expect(await dirty()).toBe(false);
  });

  test('if lines end with CRLF and nothing else differs', async () => {
    writeFileSync(path('a.yaml'), 'a: 1\r\nb: 2\r\n');
    expect(await dirty()).toBe(false);
    writeFileSync(path('a.yaml'), 'a: 1\r\nb: 3\r\n');
    expect(await dirty()).toBe(true);
    writeFileSync(path('a.yaml'), 'a: 1\rb: 2\n');
    expect(await dirty()).toBe(true);
  });

  test('with core.autocrlf, whether the index has the file data or not', async () => {
    repository.git('config', 'core.autocrlf', 'true');
    rmSync(path('a.yaml'));
    repository.git('checkout', '--', 'p/a.yaml');
    expect(statSync(path('a.yaml')).size).toBe(12);
    expect(await dirty()).toBe(false);
    touch('a.yaml');
    expect(await dirty()).toBe(false);
  });

  test('if a file is ignored, if a sparse checkout excludes one, and with a link and a submodule', async () => {
    repository.write('p/.gitignore', '*.log\nout/\n');
    symlinkSync('a.yaml', path('link.yaml'));
    repository.commit();
    repository.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},p/library`);
    repository.git('commit', '-qm', 'submodule');
    repository.write('p/x.log', '1');
    repository.write('p/out/y.yaml', '1');
    expect(await dirty()).toBe(false);
    repository.git('update-index', '--skip-worktree', 'p/deep/b.yaml');
    rmSync(path('deep'), { recursive: true });
    expect(await dirty()).toBe(false);
  });

  test('if a large file has another time', async () => {
    repository.write('p/large.bin', Buffer.alloc(17 * 1024 * 1024, 'x'));
    repository.commit();
    touch('large.bin');
    expect(await dirty()).toBe(false);
    writeFileSync(path('large.bin'), Buffer.alloc(17 * 1024 * 1024, 'y'));
    expect(await dirty()).toBe(true);
  });
});

describe('the working tree differs', () => {
  test.each([
    ['a changed file', () => writeFileSync(path('a.yaml'), 'a: 1\nb: 3\n')],
    ['a file that is gone', () => rmSync(path('a.yaml'))],
    ['an untracked file', () => writeFileSync(path('c.yaml'), 'c: 1\n')],
    [
      'a staged file',
      () => {
        writeFileSync(path('c.yaml'), 'c: 1\n');
        repository.git('add', 'p/c.yaml');
      },
    ],
    [
      'a link in place of a file',
      () => {
        rmSync(path('a.yaml'));
        symlinkSync('deep/b.yaml', path('a.yaml'));
      },
    ],
    [
      'a FIFO in place of a file',
      () => {
        rmSync(path('a.yaml'));
        execFileSync('mkfifo', [path('a.yaml')]);
      },
    ],
    [
      'a folder in place of a file',
      () => {
        rmSync(path('a.yaml'));
        repository.write('p/a.yaml/c.yaml', 'c: 1\n');
      },
    ],
    [
      'a change that the index takes for the commit',
      () => {
        writeFileSync(path('a.yaml'), 'a: 1\nb: 3\n');
        repository.git('add', 'p/a.yaml');
      },
    ],
    [
      'a change of the same size in the moment in which the index was written',
      () => {
        const index = join(repository.path, '.git/index');
        const moment = new Date(1_700_000_000_000);
        utimesSync(path('a.yaml'), moment, moment);
        repository.git('update-index', '--refresh');
        writeFileSync(path('a.yaml'), 'a: 1\nb: 3\n');
        utimesSync(path('a.yaml'), moment, moment);
        utimesSync(index, moment, moment);
      },
    ],
  ] as const)('by %s', async (_title, change) => {
    expect(await dirty()).toBe(false);
    change();
    expect(await dirty()).toBe(true);
  });

  test('not by files beside the project', async () => {
    repository.write('elsewhere.txt', 'y');
    repository.write('untracked.txt', 'y');
    expect(await dirty()).toBe(false);
  });
});
