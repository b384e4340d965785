import { execFile, spawnSync } from 'node:child_process';
import { devNull } from 'node:os';
import { dirname } from 'node:path';
import { GIT_OPTIONS, type GitAnswer, type GitCommand } from './git-commands.ts';
import { type Environment, findGit, type GitProgram } from './git-program.ts';

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT = 256 * 1024 * 1024;
/**
 * What git needs to run and to find its user's settings. Nothing else of our environment reaches git, and in particular not the
 * token.
 */
const PASSED = ['HOME', 'USERPROFILE', 'SYSTEMROOT', 'XDG_CONFIG_HOME', 'TMPDIR'];

const FIXED = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  // A partial clone would fetch missing objects over the network. Git before 2.44 knows only the second option.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  // A commit must be what its hash says. refs/replace and info/grafts would substitute something else.
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null/none',
  // The name of a folder must not act as a pattern.
  GIT_LITERAL_PATHSPECS: '1',
};

/**
 * Asks git outside every repository, so that only the settings of the user and the system count. The program must not come from
 * `repository`.
 */
export function askOutside(command: GitCommand, repository: string, env: Environment): GitAnswer {
  const program = findGit(repository, env);
  if (!('file' in program)) return { ok: false, problem: 'git cannot be run' };
  const place = { cwd: dirname(program.file), variables: { GIT_DIR: devNull } };
  return starter(program, env).wait(command, place);
}

interface Start {
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly input?: string | undefined;
}

/** The only place that starts a program. */
export function starter(program: GitProgram, env: Environment, timeout = TIMEOUT_MS) {
  const passed = Object.fromEntries(
    PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const settings = ({ cwd, variables }: Start) => ({
    cwd,
    env: { ...passed, PATH: program.path, ...FIXED, ...variables },
    timeout,
    // A program that ignores the request to end would be waited for.
    killSignal: 'SIGKILL' as const,
    maxBuffer: MAX_OUTPUT,
    windowsHide: true,
  });
  return {
    wait(command: GitCommand, start: Start): GitAnswer {
      const { status, stdout, stderr, error } = spawnSync(program.file, [...GIT_OPTIONS, ...command], {
        ...settings(start),
        input: start.input ?? '',
      });
      if (error === undefined && status === 0) return answered(stdout);
      return failure(stderr?.toString('utf8') ?? '', error?.message ?? `git ended with ${status}`);
    },
    soon(command: GitCommand, start: Start): Promise<GitAnswer> {
      return new Promise((done) => {
        const options = { ...settings(start), encoding: 'buffer' as const };
        execFile(program.file, [...GIT_OPTIONS, ...command], options, (error, stdout, stderr) => {
          done(error === null ? answered(stdout) : failure(stderr.toString('utf8'), error.message));
        });
      });
    },
  };
}

function answered(stdout: Buffer): GitAnswer {
  return {
    ok: true,
    stdout,
    get text() {
      return stdout.toString('utf8');
    },
  };
}

function failure(stderr: string, otherwise: string): GitAnswer {
  const lines = stderr.split('\n');
  const said = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines[0] ?? '';
  return { ok: false, problem: said === '' ? otherwise : said };
}
