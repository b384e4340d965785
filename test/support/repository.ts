import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './cleanup.ts';

export interface TestRepository {
  readonly path: string;
  git(...args: readonly string[]): string;
  write(file: string, content: string | Uint8Array): void;
  /** Commits all files and returns the hash. */
  commit(): string;
}

/** A commit has an author, and starts no upkeep. */
export const SETTINGS = ['user.name=t', 'user.email=t@example.invalid', 'maintenance.auto=false'].flatMap(
  (setting) => ['-c', setting],
);

/** Runs git in a folder, independent of the user's configuration. Returns the output. */
export function gitIn(path: string): TestRepository['git'] {
  return (...args) =>
    execFileSync('git', [...SETTINGS, ...args], {
      cwd: path,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', HOME: path },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
}

/** Turns a folder into an empty repository with the branch main, by writing what git needs from `git init`. */
export function initRepository(path: string): void {
  for (const name of ['objects', 'refs']) mkdirSync(join(path, '.git', name), { recursive: true });
  writeFileSync(join(path, '.git', 'HEAD'), 'ref: refs/heads/main\n');
}

/**
 * Commits all files and returns the hash. The test process starts one process instead of several, because it is large, and the
 * shell reads the hash itself.
 */
export function commitAll(git: TestRepository['git'], subject = 'one'): string {
  const hash =
    'read -r hash ref <.git/HEAD && { test -z "$ref" || read -r hash <".git/$ref"; } && echo "$hash"';
  const steps = `git add -A && git commit -qm "$1" --allow-empty && ${hash}`;
  return git('-c', `alias.all=!f() { ${steps}; }; f`, 'all', subject);
}

/** A folder for PATH whose git commits all changes of a repository, with the subject `now`, after the first list of the files of a commit. */
export function gitThatCommits(path: string): string {
  return gitThatAlso(path, { around: 'ls-tree', when: 'after', does: 'commit -qam now' });
}

/** A folder for PATH whose git also runs another command of git, once: before or after the first call that contains a text. */
export function gitThatAlso(
  path: string,
  {
    around,
    when,
    does,
  }: { readonly around: string; readonly when: 'before' | 'after'; readonly does: string },
): string {
  const bin = temporaryFolder('bin');
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const other = `env -i HOME=${bin} ${real} -C ${path} ${SETTINGS.join(' ')} ${does}`;
  const meanwhile = `case "$*" in *${around}*) mkdir ${bin}/once 2>/dev/null && ${other};; esac`;
  const lines =
    when === 'before' ? [meanwhile, `${real} "$@"`] : [`${real} "$@"`, 'code=$?', meanwhile, 'exit $code'];
  writeFileSync(join(bin, 'git'), ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(join(bin, 'git'), 0o755);
  return bin;
}

/** An empty git repository in a temporary folder, independent of the user's configuration. */
export function testRepository(): TestRepository {
  const path = temporaryFolder('git');
  const git = gitIn(path);
  initRepository(path);
  return {
    path,
    git,
    write(file, content) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), content);
    },
    commit: () => commitAll(git),
  };
}
