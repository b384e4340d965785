import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFiles } from '../cmd/run.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Writes files below a folder. */
export function write(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

/** A link below a folder; the target is written as it is given. */
export function link(folder: string, name: string, target: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  symlinkSync(target, join(folder, name));
}

/** The program of git in a folder, with no settings of the machine's and no upkeep; what it printed. */
export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-c', 'maintenance.auto=false', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@example.invalid',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@example.invalid',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** Adds all that is there to git and commits it. */
export function commit(folder: string, message = 'one'): void {
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', message);
}

/** A project with one running task in a repository of its own, committed, on a branch `change` one commit after `main`. */
export function honestRepository(folder: string, files: Files = {}): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  write(folder, projectFiles());
  commit(folder);
  git(folder, 'checkout', '--quiet', '-b', 'change');
  write(folder, { ...projectFiles({ buy: '0.6' }), ...files });
  commit(folder, 'two');
}

/** A shell command that shows that it ran: it leaves the environment of whoever started it in the outside folder. */
export function payload({ outside }: { readonly outside: string }): string {
  return `cat /proc/$PPID/environ > '${outside}/ran' 2>&1; touch '${outside}/ran'; cat`;
}

/** Text as a value in a file of git's settings. */
export function gitValue(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
