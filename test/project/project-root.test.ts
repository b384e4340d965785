import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../src/core/project/find-project.ts';
import { temporaryFolder } from '../support/cleanup.ts';

let root = '';
beforeEach(() => {
  root = temporaryFolder('root');
});

function write(path: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), '');
  return join(root, path);
}

describe('where a project lies in its repository', () => {
  it('is the root itself', () => {
    mkdirSync(join(root, '.git'));
    write('tradeform.yaml');
    expect(projectRoot({ cwd: root, env: {} })).toEqual({ folder: '', projectFile: 'tradeform.yaml' });
  });

  it('is a folder below, wherever in it the command runs', () => {
    mkdirSync(join(root, '.git'));
    write('desks/one/tradeform.yaml');
    write('desks/one/manifests/a.yaml');
    const expected = { folder: 'desks/one', projectFile: 'tradeform.yaml' };
    expect(projectRoot({ cwd: join(root, 'desks/one'), env: {} })).toEqual(expected);
    expect(projectRoot({ cwd: join(root, 'desks/one/manifests'), env: {} })).toEqual(expected);
  });

  it('is that of --project, with its name', () => {
    mkdirSync(join(root, '.git'));
    write('desks/one/core.yaml');
    expect(projectRoot({ cwd: root, projectFile: 'desks/one/core.yaml', env: {} })).toEqual({
      folder: 'desks/one',
      projectFile: 'core.yaml',
    });
  });

  it('is found in a worktree too, where .git is a file, and the nearest repository counts', () => {
    mkdirSync(join(root, '.git'));
    write('inner/.git');
    write('inner/desk/tradeform.yaml');
    expect(projectRoot({ cwd: join(root, 'inner/desk'), env: {} }).folder).toBe('desk');
  });

  it('is found through a link', () => {
    mkdirSync(join(root, 'repository/.git'), { recursive: true });
    write('repository/desk/tradeform.yaml');
    symlinkSync(join(root, 'repository/desk'), join(root, 'short'));
    expect(projectRoot({ cwd: join(root, 'short'), env: {} }).folder).toBe('desk');
  });

  it('is below the checkout of the CI system without .git', () => {
    write('desk/tradeform.yaml');
    const cwd = join(root, 'desk');
    expect(projectRoot({ cwd, env: { GITHUB_WORKSPACE: root } }).folder).toBe('desk');
    expect(projectRoot({ cwd, env: { CI_PROJECT_DIR: root } }).folder).toBe('desk');
    expect(projectRoot({ cwd, env: { GITHUB_WORKSPACE: join(root, 'other') } }).folder).toBe('');
    expect(projectRoot({ cwd, env: { GITHUB_WORKSPACE: '' } }).folder).toBe('');
    expect(projectRoot({ cwd, env: {} }).folder).toBe('');
  });

  it('is the working directory without a project', () => {
    mkdirSync(join(root, '.git'));
    mkdirSync(join(root, 'desk'));
    expect(projectRoot({ cwd: join(root, 'desk'), env: {} })).toEqual({
      folder: 'desk',
      projectFile: 'tradeform.yaml',
    });
  });
});
