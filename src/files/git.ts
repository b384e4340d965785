import { execFile, spawnSync } from 'node:child_process';

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
/** A repository can name programs for git to run; nothing here needs them. */
const SAFE = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath='];

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

/** What git printed, or one line of why it did not; `installed` is false where there is no git to ask. */
export type GitAnswer =
  | { readonly ok: true; readonly stdout: Buffer }
  | { readonly ok: false; readonly problem: string; readonly installed: boolean };

/** Asks git and waits; `input` goes to its stdin. Nothing is fetched, whatever kind of clone it is. */
export function askGit(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  input = '',
): GitAnswer {
  const { status, stdout, stderr, error } = spawnSync('git', [...SAFE, ...args], {
    ...settings(cwd, env),
    input,
  });
  if (error === undefined && status === 0) return { ok: true, stdout };
  const lines = stderr?.toString('utf8').split('\n') ?? [];
  const said = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines[0] ?? '';
  const problem = said === '' ? (error?.message ?? `git ended with ${status}`) : said;
  return { ok: false, problem, installed: (error as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT' };
}

function git(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  return new Promise((done) => {
    execFile('git', [...SAFE, ...args], settings(cwd, env), (error, stdout) => {
      done(error === null ? stdout : undefined);
    });
  });
}

function settings(cwd: string, env: Readonly<Record<string, string | undefined>>) {
  const passed = Object.fromEntries(
    PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  return {
    cwd,
    env: {
      ...passed,
      LC_ALL: 'C',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      // A partial clone would get what it lacks over the network.
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
    },
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT,
    windowsHide: true,
  };
}
