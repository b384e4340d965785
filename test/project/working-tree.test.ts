import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Texts } from '../../src/core/diagnostics/diagnostic.ts';
import { readGit } from '../../src/core/project/git-state.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';

const env = { PATH: process.env.PATH, HOME: tmpdir() };
let repository: TestRepository;
const path = (name: string) => join(repository.path, 'p', name);
/** With the texts of files as they were read. */
const dirtyWith = async (read: Texts) => (await readGit({ projectDir: path('') }, env, read)).dirty;
/** With the names of the files that were read. */
const dirty = (...read: string[]) =>
  dirtyWith(new Map(read.map((name) => [name, readFileSync(path(name), 'utf8')])));
/** The file has another time than the index noted. */
const touch = (name: string) => utimesSync(path(name), 1_000_000_000, 1_000_000_000);

beforeEach(() => {
  repository = testRepository();
  repository.write('p/a.yaml', 'a: 1\nb: 2\n');
  repository.write('p/deep/b.yaml', 'b: 1\n');
  repository.write('elsewhere.txt', 'x');
  repository.commit();
});

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

  test.each([
    ['with LF', 'a: 1\r\nb: 2\r\n', 'a: 1\nb: 2\n'],
    ['with a byte order mark', 'a: 1\nb: 2\n', '\ufeffa: 1\nb: 2\n'],
    ['with CRLF and a byte order mark', 'a: 1\r\nb: 2\r\n', '\ufeffa: 1\r\nb: 2\r\n'],
  ])('if a text was read that is committed %s', async (_title, text, committed) => {
    repository.write('p/a.yaml', committed);
    repository.write('p/c.yaml', '1');
    repository.commit();
    expect(await dirtyWith(new Map([['a.yaml', text]]))).toBe(false);
    expect(await dirtyWith(new Map([['a.yaml', text.replace('1', '3')]]))).toBe(true);
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

  test.each([
    ['untracked', () => {}],
    ['ignored', () => repository.write('.git/info/exclude', '*.yaml\n')],
    ['staged', () => repository.git('add', 'p/c.yaml')],
  ])('by a file that is %s, if it was read', async (_title, change) => {
    writeFileSync(path('c.yaml'), 'c: 1\n');
    change();
    expect(await dirty('a.yaml', 'deep/b.yaml')).toBe(false);
    expect(await dirty('a.yaml', 'c.yaml')).toBe(true);
  });

  test('by what a committed link leads to, if that is in no commit', async () => {
    symlinkSync('deep/b.yaml', path('link.yaml'));
    symlinkSync('left/c.yaml', path('lost.yaml'));
    symlinkSync('deep', path('folder'));
    repository.commit();
    expect(await dirty('link.yaml', 'folder/b.yaml')).toBe(false);
    repository.write('p/left/c.yaml', 'c: 1\n');
    expect(await dirty('link.yaml')).toBe(false);
    expect(await dirty('lost.yaml')).toBe(true);
  });

  test('by a text that was read, through a link too, before the file was as it is in the commit', async () => {
    symlinkSync('deep/b.yaml', path('link.yaml'));
    repository.commit();
    expect(await dirty('a.yaml', 'link.yaml')).toBe(false);
    expect(await dirtyWith(new Map([['a.yaml', 'a: 1\nb: 3\n']]))).toBe(true);
    expect(await dirtyWith(new Map([['link.yaml', 'b: 2\n']]))).toBe(true);
  });

  test('by a file of a submodule that no commit of it has', async () => {
    const library = testRepository();
    library.write('c.yaml', 'c: 1\n');
    library.commit();
    repository.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      library.path,
      'p/library',
    );
    repository.commit();
    expect(await dirty('library/c.yaml')).toBe(false);
    repository.write('p/library/d.yaml', 'd: 1\n');
    expect(await dirty('library/c.yaml')).toBe(false);
    expect(await dirty('library/d.yaml')).toBe(true);
    expect(await dirtyWith(new Map([['library/c.yaml', 'c: 2\n']]))).toBe(true);
  });

  test('not by files beside the project', async () => {
    repository.write('elsewhere.txt', 'y');
    repository.write('untracked.txt', 'y');
    expect(await dirty()).toBe(false);
  });
});
