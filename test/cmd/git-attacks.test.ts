import { chownSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { git, honestRepository, payload } from '../hostile/building.ts';
import { repository as embedded } from '../hostile/repositories/embedded-bare-repository.ts';
import { repository as withMain } from '../hostile/repositories/embedded-repository-with-main.ts';
import { repository as gitFile } from '../hostile/repositories/git-file-into-project.ts';
import { repository as settings } from '../hostile/repositories/hostile-git-settings.ts';
import { repository as programs } from '../hostile/repositories/program-called-git.ts';
import { repository as submodule } from '../hostile/repositories/submodule-with-filters.ts';
import type { HostileRepository } from '../hostile/repository.ts';
import { filterSettings, touch } from '../hostile/traps.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { type RunningSandbox, startSandbox, tradeform } from './run.ts';

let sandbox: RunningSandbox;
let root: string;
let folder: string;
let outside: string;

beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => {
  root = temporaryFolder('attack');
  folder = join(root, 'repository');
  outside = join(root, 'outside');
  for (const each of [folder, outside, join(root, 'home')]) mkdirSync(each);
});

/** Builds a hostile repository; the folder of its project. */
function built(repository: HostileRepository): string {
  const place = {
    folder,
    outside,
    home: join(root, 'home'),
    canary: 'canary',
    elsewhere: 'http://127.0.0.1:1/v1',
  };
  return join(folder, repository.build(place)?.project ?? '');
}

function run(cwd: string, args: readonly string[], path = process.env.PATH ?? '') {
  const env = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token, PATH: path };
  return tradeform(args, { cwd, env: { ...env, HOME: join(root, 'home') } });
}

const head = () => git(folder, 'rev-parse', 'HEAD');
const ran = () => existsSync(join(outside, 'ran'));

interface PlanSeen {
  readonly source: { readonly commit: string | null; readonly dirty: boolean };
  readonly base?: { readonly commit: string };
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
}

async function planOf(cwd: string, args: readonly string[] = [], path?: string): Promise<PlanSeen> {
  const { stdout } = await run(cwd, ['plan', '-o', 'json', ...args], path);
  return JSON.parse(stdout) as PlanSeen;
}

const COMMANDS = [['plan'], ['apply', '--auto-approve', '--first-apply'], ['drift'], ['status'], ['doctor']];

describe.each([
  ['embedded-bare-repository', embedded],
  ['embedded-repository-with-main', withMain],
  ['git-file-into-project', gitFile],
  ['hostile-git-settings', settings],
  ['submodule-with-filters', submodule],
] as const)('%s', (_name, repository) => {
  test('no command runs what it brings', async () => {
    const project = built(repository);
    for (const args of COMMANDS) {
      const { code } = await run(project, args);
      expect([0, 2], args.join(' ')).toContain(code);
      expect(ran(), args.join(' ')).toBe(false);
    }
  });
});

test('a folder that looks like a bare repository is ignored: commit and cleanliness come from the real repository', async () => {
  const project = built(embedded);
  expect((await planOf(project)).source).toMatchObject({ commit: head(), dirty: false });
});

test('its own main is ignored: --base main compares with the real one', async () => {
  const project = built(withMain);
  expect((await planOf(project, ['--base', 'main'])).base?.commit).toBe(git(folder, 'rev-parse', 'main'));
  const { stdout } = await run(project, ['render', '--diff', 'main']);
  expect(stdout).toContain('0.6');
  expect(git(folder, 'show', 'main:desk/manifests/alpha.yaml')).toContain('0.5');
});

test('a .git file that leads to committed files is refused by name, and no revision is read there', async () => {
  const project = built(gitFile);
  const { source, diagnostics } = await planOf(project);
  expect(source).toMatchObject({ commit: null, dirty: false });
  const said = diagnostics.filter(({ code }) => code === 'git-refused');
  expect(said.map(({ message }) => message)).toEqual([expect.stringContaining(join(project, '.git'))]);
  expect((await run(project, ['doctor'])).stdout).toMatch(/warn git +git is not used/);
  const base = await run(project, ['plan', '--base', 'main']);
  expect({ code: base.code, stderr: base.stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining('git-refused'),
  });
});

test('worktrees and submodules are still read, also below the repository that they belong to', async () => {
  honestRepository(folder);
  git(folder, 'worktree', 'add', '--quiet', '--detach', 'trees/one');
  const worktree = join(folder, 'trees/one');
  expect((await planOf(worktree)).source).toMatchObject({ commit: head(), dirty: false });
  const above = join(root, 'above');
  mkdirSync(above);
  git(above, 'init', '--quiet');
  git(above, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', folder, 'desk');
  expect((await planOf(join(above, 'desk'))).source).toMatchObject({ commit: head(), dirty: false });
});

describe('a program called git', () => {
  const careless = (project: string) => ['', '.', 'node_modules/.bin', join(project, 'node_modules/.bin')];

  test('in the project is skipped', async () => {
    const project = built(programs);
    const path = [...careless(project), process.env.PATH].join(delimiter);
    expect((await planOf(project, [], path)).source).toMatchObject({ commit: head(), dirty: false });
    expect(ran()).toBe(false);
  });

  test('that is the only one is not started, and the plan says so', async () => {
    const project = built(programs);
    const link = join(root, 'bin');
    symlinkSync(join(project, 'node_modules/.bin'), link);
    const path = [...careless(project), link].join(delimiter);
    const { source, diagnostics } = await planOf(project, [], path);
    expect(source).toMatchObject({ commit: null });
    expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'git-refused' }));
    expect(ran()).toBe(false);
  });
});

test('a committed .gitattributes cannot select the user’s own filters', async () => {
  honestRepository(folder, { '.gitattributes': '*.yaml filter=mine\n' });
  writeFileSync(join(root, 'home/.gitconfig'), filterSettings({ outside }).replace('"x"', '"mine"'));
  touch(folder);
  for (const args of COMMANDS) await run(folder, args);
  expect(ran()).toBe(false);
});

test('a missing object is not fetched, neither by ext:: nor by another program', async () => {
  honestRepository(folder);
  const trap = join(root, 'trap');
  writeFileSync(trap, `#!/bin/sh\n${payload({ outside })}\n`, { mode: 0o755 });
  for (const [name, value] of [
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'away'],
    ['remote.away.promisor', 'true'],
    ['remote.away.url', `ext::${trap} %S`],
    ['protocol.ext.allow', 'always'],
    ['core.sshCommand', trap],
  ] as const)
    git(folder, 'config', name, value);
  const blob = git(folder, 'rev-parse', 'main:manifests/alpha.yaml');
  rmSync(join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const { code, stdout, stderr } = await run(folder, ['render', '--diff', 'main']);
  expect(`${stdout}${stderr}`).toContain('this clone lacks it');
  expect(code).not.toBe(0);
  expect(ran()).toBe(false);
});

describe('a revision', () => {
  const amount = async (revision: string) =>
    (await run(folder, ['render', '--diff', revision])).stdout.includes('0.6');

  test('is not replaced by refs/replace or grafts', async () => {
    honestRepository(folder);
    git(folder, 'replace', git(folder, 'rev-parse', 'main'), git(folder, 'rev-parse', 'change'));
    expect(await amount('main')).toBe(true);
    git(folder, 'replace', '--delete', git(folder, 'rev-parse', 'main'));
    git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'three');
    writeFileSync(join(folder, '.git/info/grafts'), `${head()}\n`);
    expect(await amount('HEAD~2')).toBe(true);
  });

  test.each([
    ['a tag and a branch', ['tag', 'main', 'change'], 'main', 'refs/tags/main or refs/heads/main'],
    [
      'a branch here and one of a remote',
      ['branch', 'origin/main', 'change'],
      'origin/main',
      'refs/heads/origin/main or refs/remotes/origin/main',
    ],
    [
      'a tag and a branch that only a remote has',
      ['tag', 'release', 'change'],
      'release~0',
      'refs/tags/release or refs/remotes/origin/release',
    ],
  ] as const)('that may be %s is refused', async (_title, command, name, meanings) => {
    honestRepository(folder);
    for (const branch of ['main', 'release'])
      git(folder, 'update-ref', `refs/remotes/origin/${branch}`, 'main');
    expect(await amount(name.replace('release~0', 'origin/release'))).toBe(true);
    git(folder, ...command);
    const { code, stderr } = await run(folder, ['plan', '--base', name]);
    expect(code).toBe(3);
    expect(stderr.replace(/\s+/g, ' ')).toContain(meanings);
    expect(await amount(meanings.split(' ').at(-1) ?? '')).toBe(true);
  });

  test('that may be a tag and the beginning of a hash is refused; a tag that looks like a date is not', async () => {
    honestRepository(folder);
    const short = git(folder, 'rev-parse', 'main').slice(0, 10);
    git(folder, 'tag', short, 'change');
    const { code, stderr } = await run(folder, ['plan', '--base', short]);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('beginning of a hash') });
    git(folder, 'tag', '20260101', 'main');
    expect(await amount('20260101')).toBe(true);
  });
});

describe.skipIf(process.geteuid?.() !== 0)('a repository of another user', () => {
  const STRANGER = 4711;

  test('is refused, and read once the user trusts it', async () => {
    honestRepository(folder);
    const commit = head();
    // Its own word does not count.
    git(folder, 'config', 'safe.directory', '*');
    chownSync(join(folder, '.git'), STRANGER, STRANGER);
    const { source, diagnostics } = await planOf(folder);
    expect(source.commit).toBeNull();
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'git-refused', message: expect.stringContaining('4711') }),
    );
    for (const trusted of [folder, '*', `${root}/*`]) {
      writeFileSync(join(root, 'home/.gitconfig'), `[safe]\n\tdirectory = ${trusted}\n`);
      expect((await planOf(folder)).source.commit, trusted).toBe(commit);
    }
  });
});
