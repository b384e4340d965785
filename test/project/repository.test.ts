import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findRepository } from '../../src/core/project/repository.ts';
import { git, honestRepository } from '../hostile/building.ts';
import { temporaryFolder } from '../support/cleanup.ts';

let root: string;
/** A repository with a project in it. */
let folder: string;

beforeEach(() => {
  root = temporaryFolder('repository');
  folder = join(root, 'repository');
  honestRepository(folder);
});

function refusal(from: string): string {
  const found = findRepository(from);
  return found.type === 'refused' ? found.problem : found.type;
}

describe('the repository of a folder', () => {
  test('is the nearest with .git, and the path from there is known', () => {
    expect(findRepository(join(folder, 'manifests'))).toEqual({
      type: 'found',
      place: { top: folder, gitDir: join(folder, '.git'), inside: 'manifests' },
    });
    symlinkSync(join(folder, 'manifests'), join(root, 'short'));
    expect(findRepository(join(root, 'short'))).toMatchObject({
      place: { top: folder, inside: 'manifests' },
    });
    expect(findRepository(root)).toEqual({ type: 'none' });
  });

  test('is a worktree, of a bare repository too, and one whose .git is elsewhere', () => {
    git(folder, 'worktree', 'add', '--quiet', '--detach', join(root, 'tree'));
    expect(findRepository(join(root, 'tree'))).toMatchObject({
      place: { top: join(root, 'tree'), gitDir: join(folder, '.git/worktrees/tree') },
    });
    git(root, 'clone', '--quiet', '--bare', folder, 'desk/.bare');
    writeFileSync(join(root, 'desk/.git'), 'gitdir: ./.bare\n');
    git(join(root, 'desk'), 'worktree', 'add', '--quiet', '--detach', 'one');
    expect(findRepository(join(root, 'desk/one'))).toMatchObject({ type: 'found' });
    renameSync(join(folder, '.git'), join(root, 'kept'));
    writeFileSync(join(folder, '.git'), `gitdir: ${join(root, 'kept')}\n`);
    expect(findRepository(folder)).toMatchObject({ place: { top: folder, gitDir: join(root, 'kept') } });
  });
});

describe('a commit cannot create a repository, wherever .git leads', () => {
  /** A repository as committed files, in the working tree of another one. */
  function content(name: string): string {
    git(folder, 'clone', '--quiet', '--bare', join(folder, '.git'), name);
    return join(folder, name);
  }

  test.each([
    ['a file in the project', 'desk', () => writeFileSync(join(folder, 'desk/.git'), 'gitdir: ../assets\n')],
    ['a link in the project', 'desk', () => symlinkSync('../assets', join(folder, 'desk/.git'))],
    [
      'a file that leads to another file',
      'desk',
      () => {
        mkdirSync(join(folder, 'other'));
        renameSync(join(folder, 'assets'), join(folder, 'other/assets'));
        writeFileSync(join(folder, 'other/.git'), 'gitdir: assets\n');
        writeFileSync(join(folder, 'desk/.git'), 'gitdir: ../other/assets\n');
      },
    ],
    [
      'a file at the top',
      '',
      () => {
        rmSync(join(folder, '.git'), { recursive: true });
        writeFileSync(join(folder, '.git'), 'gitdir: assets\n');
      },
    ],
    ['commondir', '', () => writeFileSync(join(folder, '.git/commondir'), '../assets\n')],
    [
      'alternates',
      '',
      () => writeFileSync(join(folder, '.git/objects/info/alternates'), '../../assets/objects\n'),
    ],
    [
      'alternates in quotes',
      '',
      () => writeFileSync(join(folder, '.git/objects/info/alternates'), `"${folder}/assets/ob\\u006aects"\n`),
    ],
    [
      'alternates of alternates',
      '',
      () => {
        git(root, 'clone', '--quiet', '--bare', folder, 'store');
        writeFileSync(join(root, 'store/objects/info/alternates'), `${folder}/assets/objects\n`);
        writeFileSync(join(folder, '.git/objects/info/alternates'), `${root}/store/objects\n`);
      },
    ],
    [
      'a link in .git',
      '',
      () => {
        rmSync(join(folder, '.git/refs'), { recursive: true });
        symlinkSync('../assets/refs', join(folder, '.git/refs'));
      },
    ],
  ] as const)('%s', (_title, project, attack) => {
    content('assets');
    mkdirSync(join(folder, 'desk'));
    attack();
    expect(refusal(join(folder, project))).toContain('among the files of a working tree');
  });

  test('a clone that borrows from another repository is read', () => {
    git(root, 'clone', '--quiet', '--shared', folder, 'clone');
    expect(refusal(join(root, 'clone'))).toBe('found');
  });

  test('an invalid or unreadable .git is reported', () => {
    mkdirSync(join(folder, 'desk/.git'), { recursive: true });
    expect(refusal(join(folder, 'desk'))).toContain('it has no HEAD');
    rmSync(join(folder, 'desk/.git'), { recursive: true });
    writeFileSync(join(folder, 'desk/.git'), 'nothing\n');
    expect(refusal(join(folder, 'desk'))).toContain('gitdir: PATH');
    writeFileSync(join(folder, 'desk/.git'), 'gitdir: no/where\n');
    expect(refusal(join(folder, 'desk'))).toContain('ENOENT');
  });
});
