import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { manifestsDigest } from '../../src/core/desired/digest.ts';
import { readProject } from '../../src/core/project/project.ts';
import { openRepository, readProjectAt } from '../../src/core/project/revision.ts';
import { label, PROJECT, sniper, WALLETS } from '../manifest/samples.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';

let repository: TestRepository;
const env = { PATH: process.env.PATH, HOME: tmpdir(), SIZE: '0.75' };

beforeEach(() => {
  repository = testRepository();
  repository.write('p/tradeform.yaml', PROJECT);
  repository.write('p/manifests/hot.yaml', label('hot'));
});

function link(target: string, file: string): void {
  symlinkSync(target, join(repository.path, file));
}

/** Writes a tree of these modes, names and hashes, whatever they name. */
function mktree(entries: readonly (readonly [mode: string, name: string, hash: string])[]): string {
  const input = Buffer.concat(
    entries.flatMap(([mode, name, hash]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(hash, 'hex')]),
  );
  const literally = ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'];
  return execFileSync('git', literally, { cwd: repository.path, input, encoding: 'utf8' }).trim();
}

function revision(name: string, folder = 'p', environment: Record<string, string | undefined> = env) {
  const opened = openRepository({ projectDir: join(repository.path, folder) }, environment);
  return 'repository' in opened ? opened.repository.revision(name) : opened;
}

/** The project at a revision. */
async function at(name: string, folder = 'p') {
  const found = revision(name, folder);
  if ('diagnostic' in found) throw new Error(found.diagnostic.message);
  const project = await readProjectAt(found.revision, {
    projectDir: join(repository.path, folder),
    projectFile: 'tradeform.yaml',
    environment: undefined,
    env,
  });
  return {
    ...project,
    found: project.diagnostics.map(({ code, location }) => `${code} ${location?.file ?? '-'}`),
  };
}

/** The project on disk, in the same words. */
async function onDisk(folder = 'p') {
  const project = await readProject({ cwd: join(repository.path, folder), env });
  return {
    ...project,
    found: project.diagnostics.map(({ code, location }) => `${code} ${location?.file ?? '-'}`),
  };
}

/** Commits what is there, and expects the commit to read as the disk does. */
async function sameAsDisk(folder = 'p') {
  repository.commit();
  const disk = await onDisk(folder);
  const commit = await at('HEAD', folder);
  expect(commit.found.map((text) => text.replace('HEAD:', ''))).toEqual(disk.found);
  expect(commit.state === undefined ? undefined : manifestsDigest(commit.state)).toBe(
    disk.state === undefined ? undefined : manifestsDigest(disk.state),
  );
  return commit;
}

describe('the project of a commit', () => {
  test('is that of the commit, whatever the disk has', async () => {
    repository.write('p/manifests/a.yaml', sniper({ amount: '0.50' }));
    const first = repository.commit();
    repository.write('p/tradeform.yaml', `${PROJECT}spec: { manifests: ["other/*.yaml"] }\n`);
    repository.write('p/other/cold.yaml', label('cold'));
    repository.git('rm', '-q', '-r', 'p/manifests');
    repository.commit();
    const before = await at(first);
    expect(before.found).toEqual([]);
    expect(before.state?.tasks.map(({ address, config }) => [address, config.buy_amount])).toEqual([
      ['sniper/alpha', '0.50'],
    ]);
    expect(before.state?.labels.map(({ name }) => name)).toEqual(['hot']);
    // Its own patterns, not those of the other commit.
    expect((await at('HEAD')).state?.labels.map(({ name }) => name)).toEqual(['cold']);
    expect(before.settings).toMatchObject({ projectFile: 'tradeform.yaml', project: 'core' });
  });

  test('may be the whole repository, and be named by a tag, a branch or relative to HEAD', async () => {
    repository.write('tradeform.yaml', `${PROJECT}spec: { manifests: ["p/manifests/*.yaml"] }\n`);
    const commit = repository.commit();
    repository.git('tag', '-a', '-m', 'x', 'v1');
    repository.commit();
    for (const name of ['v1', 'HEAD~1', commit, commit.slice(0, 8), 'main^']) {
      expect(revision(name, '.'), name).toMatchObject({ revision: { name, commit } });
    }
    expect((await at('v1', '.')).state?.labels).toHaveLength(1);
  });

  test('with tables, links within it and variables of the environment', async () => {
    repository.write('p/manifests/set/rows.csv', `name,wallet\na,${WALLETS[0]}\nb,${WALLETS[1]}\n`);
    const body = sniper({ amount: '$' + '{env.SIZE}' }).split('\nspec:\n')[1] ?? '';
    const spec = body.replace(WALLETS[0], '$' + '{row.wallet}').replace(/^/gm, '    ');
    repository.write(
      'p/manifests/set/tasks.yaml',
      `apiVersion: tradeform/v1\nkind: TaskSet\nmetadata: { name: many }\nspec:\n  for: sniper\n  rows_from: rows.csv\n  task:\n    spec:\n${spec.trimEnd()}\n`,
    );
    repository.write('p/shared/cold.yaml', label('cold'));
    link('../shared', 'p/manifests/team');
    link('../manifests', 'p/manifests/circle');
    const { state } = await sameAsDisk();
    expect(state?.tasks.map(({ address, secrets }) => [address, secrets])).toEqual([
      ['sniper/a', ['config.buy_amount']],
      ['sniper/b', ['config.buy_amount']],
    ]);
    expect(state?.labels.map(({ name }) => name)).toEqual(['cold', 'hot']);
  });

  test('links that come back, lead out, break or form a loop end as on disk', async () => {
    repository.write('outside/x.yaml', label('stolen'));
    repository.write('outside/README.md', 'no manifest');
    repository.write('p/shared/cold.yaml', label('cold'));
    link('../../p/shared', 'p/manifests/back');
    expect((await sameAsDisk()).state?.labels.map(({ name }) => name)).toEqual(['cold', 'hot']);
    link('../../outside/README.md', 'p/manifests/README.md');
    expect((await sameAsDisk()).found).toEqual([]);
    link('../../outside/x.yaml', 'p/manifests/file.yaml');
    link('../../outside', 'p/manifests/folder');
    link('/etc', 'p/manifests/absolute');
    link('nowhere.yaml', 'p/manifests/broken.yaml');
    link('loop.yaml', 'p/manifests/loop.yaml');
    expect((await sameAsDisk()).found).toEqual([
      'file-outside-project HEAD:manifests/absolute',
      'file-unreadable HEAD:manifests/broken.yaml',
      'file-outside-project HEAD:manifests/file.yaml',
      'file-outside-project HEAD:manifests/folder',
      'file-unreadable HEAD:manifests/loop.yaml',
    ]);
  });

  test('folders that are not searched, hidden files and empty matches are as on disk', async () => {
    repository.write('p/tradeform.yaml', `${PROJECT}spec: { manifests: ["**/*.yaml", "none/*.yaml"] }\n`);
    repository.write('p/node_modules/x/a.yaml', 'not: ours\n');
    repository.write('p/.github/b.yaml', 'not: ours\n');
    expect((await sameAsDisk()).found).toEqual(['no-manifests HEAD:tradeform.yaml']);
  });

  test('a file that is no text, or too large, is reported', async () => {
    repository.write('p/manifests/a.yaml', new Uint8Array([0xff]));
    repository.write('p/manifests/b.yaml', 'x'.repeat(16 * 1024 * 1024 + 1));
    repository.write('p/manifests/c.yaml', 'a: [\n');
    const { sources } = await sameAsDisk();
    // Places and texts are those of the revision: the file on disk may read otherwise.
    expect(sources.get('HEAD:manifests/c.yaml')).toBe('a: [\n');
  });

  test('files that are too large together, or one by one, do not hide the others', async () => {
    for (const name of ['a', 'b', 'c'])
      repository.write(`p/manifests/${name}.yaml`, `# ${name.repeat(100_000)}\n`.repeat(150) + label(name));
    repository.write('p/manifests/d.yaml', 'x'.repeat(40 * 1024 * 1024));
    expect((await sameAsDisk()).found).toEqual(['file-too-large HEAD:manifests/d.yaml']);
  });

  test('an object of another type that a tree names as a file is missing, and its text is no other file', async () => {
    repository.commit();
    const oid = (path: string) => repository.git('rev-parse', `HEAD:p/${path}`);
    const message = `One\n\n${oid('manifests/hot.yaml')} blob 5\na: [\n`;
    const other = repository.git('commit-tree', '-m', message, repository.git('rev-parse', 'HEAD^{tree}'));
    const manifests = mktree([
      ['100644', 'hot.yaml', oid('manifests/hot.yaml')],
      ['100644', 'other.yaml', other],
    ]);
    const project = mktree([
      ['40000', 'manifests', manifests],
      ['100644', 'tradeform.yaml', oid('tradeform.yaml')],
    ]);
    const forged = repository.git('commit-tree', '-m', 'forged', mktree([['40000', 'p', project]]));
    const { found, diagnostics } = await at(forged);
    expect(found).toEqual([`file-unreadable ${forged}:manifests/other.yaml`]);
    expect(diagnostics[0]?.message).toContain('this clone lacks it');
  });

  test('a submodule has the files of the commit that it has there; one that is not checked out is reported', async () => {
    const other = testRepository();
    other.write('x.yaml', label('theirs'));
    other.commit();
    repository.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      'add',
      '-q',
      other.path,
      'p/manifests/sub',
    );
    repository.commit();
    await sameAsDisk();
    repository.write('p/manifests/sub/x.yaml', 'not: committed');
    const { state } = await at('HEAD');
    expect(state?.labels.map(({ name }) => name)).toContain('theirs');
    repository.git('submodule', 'deinit', '--force', '--quiet', '--all');
    const { diagnostics } = await at('HEAD');
    expect(diagnostics).toMatchObject([
      {
        code: 'file-unreadable',
        message: expect.stringContaining('submodule'),
        location: { file: 'HEAD:manifests/sub' },
      },
    ]);
  });

  test('many files, and names that git would quote', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `l-${index}`);
    for (const name of names) repository.write(`p/manifests/größe ${name}\t"q".yaml`, label(name));
    repository.write('p/manifests/hot.yaml', label('hot').replaceAll('\n', '\r\n'));
    const { diagnostics } = await sameAsDisk();
    expect(diagnostics.map(({ code }) => code)).toEqual(['too-many-labels']);
  });

  test('that does not exist yet', async () => {
    repository.write('q/tradeform.yaml', PROJECT);
    repository.commit();
    repository.write('new/tradeform.yaml', PROJECT);
    repository.git('rm', '-q', 'q/tradeform.yaml');
    repository.write('q/x', '');
    expect((await at('HEAD', 'new')).diagnostics).toMatchObject([
      {
        code: 'no-project-file',
        message: expect.stringMatching(/^tradeform\.yaml does not exist at HEAD \([0-9a-f]{7}\)$/),
      },
    ]);
    repository.commit();
    expect((await at('HEAD', 'q')).found).toEqual(['no-project-file -']);
  });
});

describe('with three dots at its end', () => {
  test('a branch is the merge base with HEAD', () => {
    const start = repository.commit();
    repository.git('checkout', '-q', '-b', 'branch');
    repository.write('p/manifests/cold.yaml', label('cold'));
    const tip = repository.commit();
    repository.git('checkout', '-q', 'main');
    repository.write('p/manifests/warm.yaml', label('warm'));
    const main = repository.commit();
    repository.git('checkout', '-q', 'branch');
    const commitOf = (name: string) => {
      const found = revision(name);
      return 'revision' in found ? [found.revision.name, found.revision.commit] : found.diagnostic.message;
    };
    expect(commitOf('main...')).toEqual(['main...', start]);
    expect(commitOf('main')).toEqual(['main', main]);
    expect(commitOf('branch...')).toEqual(['branch...', tip]);
    repository.git('merge', '-q', '--no-edit', 'main');
    expect(commitOf('main...')).toEqual(['main...', main]);
    expect(commitOf('nope...')).toBe('no commit nope in this repository');
  });

  test.each(['...', '-x...', '--all...'])('%j is invalid', (name) => {
    repository.commit();
    expect(revision(name)).toMatchObject({ diagnostic: { code: 'invalid-option' } });
  });

  test('two histories have nothing in common', () => {
    repository.commit();
    repository.git('checkout', '-q', '--orphan', 'other');
    repository.write('p/manifests/cold.yaml', label('cold'));
    repository.commit();
    expect(revision('main...')).toMatchObject({
      diagnostic: {
        code: 'revision-unknown',
        message: 'main and HEAD have no commit in common',
        hint: expect.stringContaining('main'),
      },
    });
  });
});

describe('a revision that cannot be read', () => {
  test.each(['nope', 'main:p', 'main..main', '^main', 'HEAD~99', 'HEAD^{tree}', '0'.repeat(40), ' '])(
    '%j names no commit',
    (name) => {
      repository.commit();
      expect(revision(name)).toMatchObject({
        diagnostic: { severity: 'error', code: 'revision-unknown', hint: expect.stringContaining('HEAD~3') },
      });
    },
  );

  test.each(['', '-h', '--all', '--output=x', 'a\nb', 'a\0b'])('%j is invalid', (name) => {
    repository.commit();
    expect(revision(name)).toMatchObject({ diagnostic: { code: 'invalid-option' } });
  });

  test('a shallow clone says that it is one', () => {
    const first = repository.commit();
    repository.commit();
    const clone = temporaryFolder('shallow');
    execFileSync('git', ['clone', '-q', '--depth', '1', `file://${repository.path}`, clone], {
      stdio: 'ignore',
    });
    const opened = openRepository({ projectDir: join(clone, 'p') }, env);
    expect('repository' in opened ? opened.repository.revision(first) : opened).toMatchObject({
      diagnostic: {
        code: 'revision-unknown',
        message: expect.stringContaining('shallow'),
        hint: expect.stringContaining('--unshallow'),
      },
    });
  });

  test('nothing is fetched: a partial clone reports what it lacks', async () => {
    repository.git('config', 'uploadpack.allowFilter', 'true');
    repository.commit();
    const clone = temporaryFolder('partial');
    const args = ['clone', '-q', '--filter=blob:none', '--no-checkout', `file://${repository.path}`, clone];
    execFileSync('git', args, { stdio: 'ignore' });
    execFileSync('mkdir', [join(clone, 'p')]);
    const opened = openRepository({ projectDir: join(clone, 'p') }, env);
    const found = 'repository' in opened ? opened.repository.revision('HEAD') : opened;
    if ('diagnostic' in found) throw new Error(found.diagnostic.message);
    const request = { projectDir: clone, projectFile: 'tradeform.yaml', environment: undefined, env };
    expect((await readProjectAt(found.revision, request)).diagnostics).toMatchObject([
      { code: 'file-unreadable', message: expect.stringContaining('a full clone has it') },
    ]);
  });

  test('no repository, no first commit, no git', () => {
    const folder = temporaryFolder('plain');
    expect(openRepository({ projectDir: folder }, env)).toMatchObject({
      diagnostic: { code: 'no-repository', message: 'the project is not in a git repository' },
    });
    const project = join(repository.path, 'p');
    expect(openRepository({ projectDir: project }, { ...env, PATH: folder })).toMatchObject({
      diagnostic: { code: 'no-repository', message: 'git cannot be run' },
    });
    expect(revision('HEAD')).toMatchObject({ diagnostic: { code: 'revision-unknown' } });
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho "fatal: unknown repository extension" >&2\nexit 128\n');
    chmodSync(join(bin, 'git'), 0o755);
    for (const name of ['HEAD', 'main']) {
      const opened = openRepository({ projectDir: project }, { PATH: bin });
      expect('repository' in opened && opened.repository.revision(name)).toMatchObject({
        diagnostic: {
          code: 'no-repository',
          message: expect.stringContaining('unknown repository extension'),
        },
      });
    }
  });
});

test('a blob is read once, however many commits have it', async () => {
  const first = repository.commit();
  repository.write('p/manifests/cold.yaml', label('cold'));
  repository.commit();
  const bin = temporaryFolder('bin');
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$@" >> ${bin}/log\nexec ${real} "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  const opened = openRepository(
    { projectDir: join(repository.path, 'p') },
    { ...env, PATH: `${bin}:${env.PATH}` },
  );
  if ('diagnostic' in opened) throw new Error(opened.diagnostic.message);
  const reads = [];
  for (const name of ['HEAD', first]) {
    const found = opened.repository.revision(name);
    if ('diagnostic' in found) throw new Error(found.diagnostic.message);
    const request = {
      projectDir: repository.path,
      projectFile: 'tradeform.yaml',
      environment: undefined,
      env,
    };
    expect((await readProjectAt(found.revision, request)).diagnostics).toEqual([]);
    const log = execFileSync('cat', [join(bin, 'log')], { encoding: 'utf8' });
    reads.push(log.split('\n').filter((line) => line.includes('cat-file')).length);
  }
  // Sizes and contents of the project file, then those of all manifests at once; the first commit has nothing more.
  expect(reads).toEqual([4, 4]);
});
