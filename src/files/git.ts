import { execFile } from 'node:child_process';

export interface GitState {
  /** null without git, outside of a repository, and before the first commit. */
  readonly commit: string | null;
  /** Files below the project directory differ from the commit, untracked ones included. */
  readonly dirty: boolean;
}

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT = 64 * 1024 * 1024;
/** What git needs to run and to find its settings; nothing else of our environment reaches it, the token least of all. */
const PASSED = ['PATH', 'HOME', 'USERPROFILE', 'SYSTEMROOT', 'XDG_CONFIG_HOME', 'TMPDIR'];

/** Commit and cleanliness of the project directory, through the `git` program. Never fails. */
export async function readGit(
  projectDir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<GitState> {
  const [commit, status] = await Promise.all([
    git(projectDir, ['rev-parse', '--verify', '--quiet', 'HEAD'], env),
    git(projectDir, ['status', '--porcelain', '--untracked-files=normal', '--', '.'], env),
  ]);
  const hash = commit?.trim() ?? '';
  if (!/^[0-9a-f]{40,64}$/.test(hash)) return { commit: null, dirty: status !== undefined && status !== '' };
  return { commit: hash, dirty: status === undefined || status !== '' };
}

function git(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const passed = Object.fromEntries(
    PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const options = {
    cwd,
    env: { ...passed, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT,
    windowsHide: true,
  };
  return new Promise((done) => {
    // A repository can name programs for git to run; a status needs none of them.
    execFile(
      'git',
      ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=', ...args],
      options,
      (error, stdout) => {
        done(error === null ? stdout : undefined);
      },
    );
  });
}
