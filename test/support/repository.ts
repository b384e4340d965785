import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface TestRepository {
  readonly path: string;
  git(...args: readonly string[]): string;
  write(file: string, content: string | Uint8Array): void;
  /** Commits all that is there; its hash. */
  commit(): string;
  remove(): void;
}

/** git in a folder, whatever it is configured to do elsewhere; what it printed. */
export function gitIn(path: string): TestRepository['git'] {
  return (...args) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: path,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', HOME: path },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
}

/** An empty git repository in a temporary folder, whatever git is configured to do elsewhere. */
export function testRepository(): TestRepository {
  const path = mkdtempSync(join(tmpdir(), 'tradeform-git-'));
  const git = gitIn(path);
  git('init', '-q', '-b', 'main');
  return {
    path,
    git,
    write(file, content) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), content);
    },
    commit() {
      // One start from this process, which is large.
      return git(
        '-c',
        'alias.all=!git add -A && git commit -qm one --allow-empty && git rev-parse HEAD',
        'all',
      );
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
