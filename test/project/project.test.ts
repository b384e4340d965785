import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readProject } from '../../src/core/project/project.ts';
import { label, PROJECT, sniper } from '../manifest/samples.ts';
import { temporaryFolder } from '../support/cleanup.ts';

let root: string;

beforeEach(() => {
  root = temporaryFolder('files');
  write('p/tradeform.yaml', PROJECT);
  write('p/manifests/hot.yaml', label('hot'));
});

function write(path: string, content: string): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}

async function read(cwd = 'p', more: Partial<Parameters<typeof readProject>[0]> = {}) {
  const project = await readProject({ cwd: join(root, cwd), ...more });
  return {
    ...project,
    found: project.diagnostics.map(({ code, location }) => `${code} ${location?.file ?? '-'}`),
  };
}

describe('the project file', () => {
  test('is found upward from the working directory', async () => {
    write('p/manifests/deep/er/x.yaml', label('cold'));
    const { state, settings, found } = await read('p/manifests/deep/er');
    expect(found).toEqual([]);
    expect(settings).toMatchObject({ projectDir: join(root, 'p'), project: 'core', environment: null });
    expect(state?.labels.map(({ name }) => name)).toEqual(['cold', 'hot']);
  });

  test('can be named', async () => {
    write('q/other.yaml', PROJECT);
    write('q/manifests/a.yaml', label('quiet'));
    const { state } = await read('q', { projectFile: 'other.yaml' });
    expect(state?.labels.map(({ name }) => name)).toEqual(['quiet']);
  });

  test('is missing', async () => {
    expect((await read('.')).found).toEqual(['no-project-file -']);
    expect((await read('p', { projectFile: 'gone.yaml' })).found).toEqual(['file-unreadable gone.yaml']);
  });

  test('is no manifest, even if a pattern matches it', async () => {
    write('p/tradeform.yaml', `${PROJECT}spec: { manifests: ["**/*.yaml"] }\n`);
    write('p/node_modules/x/a.yaml', 'not: ours\n');
    write('p/.github/b.yaml', 'not: ours\n');
    const { state, found } = await read();
    expect(found).toEqual([]);
    expect(state?.labels).toHaveLength(1);
  });
});

describe('files that cannot be manifests are reported, never skipped', () => {
  test('a link to a file or folder outside', async () => {
    write('outside/x.yaml', label('stolen'));
    symlinkSync(join(root, 'outside/x.yaml'), join(root, 'p/manifests/link.yaml'));
    symlinkSync(join(root, 'outside'), join(root, 'p/manifests/folder'));
    const { state, found } = await read();
    expect(found).toEqual([
      'file-outside-project manifests/folder',
      'file-outside-project manifests/link.yaml',
    ]);
    expect(state).toBeUndefined();
  });

  test('a link to a missing folder, or to itself: its former content must not look deleted', async () => {
    symlinkSync(join(root, 'p/nowhere'), join(root, 'p/manifests/team'));
    symlinkSync(join(root, 'p/manifests/loop'), join(root, 'p/manifests/loop'));
    const { state, found } = await read();
    expect(found).toEqual(['file-unreadable manifests/loop', 'file-unreadable manifests/team']);
    expect(state).toBeUndefined();
  });

  test('a folder of patterns that is itself a link outside', async () => {
    write('outside/x.yaml', label('stolen'));
    rmSync(join(root, 'p/manifests'), { recursive: true });
    symlinkSync(join(root, 'outside'), join(root, 'p/manifests'));
    expect((await read()).found).toEqual(['file-outside-project manifests']);
  });

  test('links within the project are followed, and a loop ends', async () => {
    write('p/shared/cold.yaml', label('cold'));
    symlinkSync(join(root, 'p/shared'), join(root, 'p/manifests/shared'));
    symlinkSync(join(root, 'p/manifests'), join(root, 'p/manifests/again'));
    const { state, found } = await read();
    expect(found).toEqual([]);
    expect(state?.labels.map(({ name }) => name)).toEqual(['cold', 'hot']);
  });

  test('the project directory itself may be reached through a link', async () => {
    symlinkSync(join(root, 'p'), join(root, 'way'));
    expect((await read('way')).state?.labels).toHaveLength(1);
  });

  test('a broken link', async () => {
    symlinkSync(join(root, 'p/gone'), join(root, 'p/manifests/broken.yaml'));
    expect((await read()).found).toEqual(['file-unreadable manifests/broken.yaml']);
  });

  test('a FIFO, and a link to one, without waiting for a writer', async () => {
    execFileSync('mkfifo', [join(root, 'p/manifests/pipe.yaml')]);
    symlinkSync(join(root, 'p/manifests/pipe.yaml'), join(root, 'p/manifests/to-pipe.yaml'));
    symlinkSync('/dev/zero', join(root, 'p/manifests/zero.yaml'));
    expect((await read()).found).toEqual([
      'file-not-regular manifests/pipe.yaml',
      'file-not-regular manifests/to-pipe.yaml',
      'file-outside-project manifests/zero.yaml',
    ]);
  });

  test('a project file that is a FIFO', async () => {
    execFileSync('mkfifo', [join(root, 'pipe.yaml')]);
    expect((await read('.', { projectFile: 'pipe.yaml' })).found).toEqual(['file-not-regular pipe.yaml']);
  });

  test('a socket', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(root, 'p/manifests/s.yaml'), done));
    expect((await read()).found).toEqual(['file-not-regular manifests/s.yaml']);
    await new Promise((done) => server.close(done));
  });

  test('a file that is too large', async () => {
    truncateSync(write('p/manifests/large.yaml', 'x'), 17 * 1024 * 1024);
    expect((await read()).found).toEqual(['file-too-large manifests/large.yaml']);
  });

  test.skipIf(process.getuid?.() === 0)('a file or folder without permission', async () => {
    chmodSync(write('p/manifests/secret.yaml', label('x')), 0);
    mkdirSync(join(root, 'p/manifests/closed'));
    chmodSync(join(root, 'p/manifests/closed'), 0);
    expect((await read()).found).toEqual([
      'file-unreadable manifests/closed',
      'file-unreadable manifests/secret.yaml',
    ]);
    chmodSync(join(root, 'p/manifests/closed'), 0o700);
  });

  test('a folder named like a manifest is searched, not read', async () => {
    write('p/manifests/dir.yaml/inner.yaml', label('inner'));
    expect((await read()).state?.labels.map(({ name }) => name)).toEqual(['hot', 'inner']);
  });
});

describe('an empty set is never "delete everything"', () => {
  test('no file', async () => {
    rmSync(join(root, 'p/manifests'), { recursive: true });
    expect((await read()).found).toEqual(['no-manifests tradeform.yaml']);
  });

  test('one of several patterns matches nothing', async () => {
    write('p/tradeform.yaml', `${PROJECT}spec:\n  manifests: [manifests/*.yaml, teams/**/*.yaml]\n`);
    const { diagnostics, state } = await read();
    expect(diagnostics).toMatchObject([
      { code: 'no-manifests', location: { file: 'tradeform.yaml', line: 5, column: 33 } },
    ]);
    expect(state).toBeUndefined();
  });

  test('an empty file beside one with content', async () => {
    write('p/manifests/empty.yaml', '# all gone\n');
    expect((await read()).found).toEqual(['no-manifests manifests/empty.yaml']);
  });
});

test('all problems of all files at once, sorted by file and place', async () => {
  write('p/manifests/b.yaml', sniper({ amount: '1e3', spec: '  colour: red\n' }));
  write('p/manifests/a.yaml', 'a: [\n');
  write('p/manifests/c.yaml', Buffer.from([0xff]).toString('latin1'));
  writeFileSync(join(root, 'p/manifests/c.yaml'), Buffer.from([0xff]));
  const { found, sources } = await read();
  expect(found).toEqual([
    'yaml-syntax manifests/a.yaml',
    'unknown-field manifests/b.yaml',
    'invalid-decimal manifests/b.yaml',
    'not-utf8 manifests/c.yaml',
  ]);
  expect([...sources.keys()].sort()).toEqual([
    'manifests/a.yaml',
    'manifests/b.yaml',
    'manifests/hot.yaml',
    'tradeform.yaml',
  ]);
});
