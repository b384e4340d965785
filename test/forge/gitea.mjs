// A Gitea with Actions and a runner whose jobs are processes of this machine, on 127.0.0.1 and below one folder.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export async function startGitea({ gitea, runner, source }, dir) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const ini = join(dir, 'app.ini');
  mkdirSync(join(dir, 'home'));
  writeFileSync(ini, settings({ dir, port, url, source }));
  const env = {
    PATH: process.env.PATH,
    HOME: join(dir, 'home'),
    USER: userInfo().username,
    GITEA_WORK_DIR: dir,
  };
  const children = [];
  // Also if somebody stops the test, and before the folder goes: a runner with a job would wait for the Gitea that is gone.
  process.prependOnceListener('exit', () => children.map((child) => child.kill('SIGKILL')));
  const start = (name, file, args, cwd) => {
    const out = openSync(join(dir, `${name}.log`), 'a');
    const child = spawn(file, args, { cwd, env: { ...env, HOME: cwd }, stdio: ['ignore', out, out] });
    children.push(child);
    return child;
  };
  const end = async (child) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const stop = async () => {
    for (const child of children.toReversed()) await end(child);
  };
  const startRunner = () =>
    start('runner', runner, ['--config', 'config.yaml', 'daemon'], join(dir, 'runner'));
  let running;
  /** The token that a command prints, if it does: where Gitea runs as root, a warning stands before or after it. */
  const admin = (...args) =>
    execFileSync(gitea, ['--config', ini, ...args], {
      cwd: dir,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
      .split('\n')
      .find((line) => /^\w{40}$/.test(line));
  try {
    admin('migrate');
    start('gitea', gitea, ['--config', ini, 'web'], dir);
    await until('Gitea', 120, async () => (await fetch(`${url}/api/v1/version`)).ok);
    const cwd = join(dir, 'runner');
    mkdirSync(cwd);
    writeFileSync(
      join(cwd, 'config.yaml'),
      `runner: { file: .runner, capacity: 2, fetch_interval: 1s, labels: ["ubuntu-latest:host"] }
cache: { enabled: false }
host: { workdir_parent: ${JSON.stringify(join(cwd, 'work'))} }
`,
    );
    const token = admin('actions', 'generate-runner-token');
    const named = [
      '--no-interactive',
      '--instance',
      url,
      '--token',
      token,
      '--name',
      'host',
      '--labels',
      'ubuntu-latest:host',
    ];
    execFileSync(runner, ['--config', 'config.yaml', 'register', ...named], {
      cwd,
      env: { ...env, HOME: cwd },
      stdio: 'pipe',
    });
    running = startRunner();
  } catch (error) {
    await stop();
    throw error;
  }

  const tokens = {};
  const tokenOf = (user, name, scopes) => {
    const of = ['--username', user, '--token-name', name, '--scopes', scopes, '--raw'];
    return admin('admin', 'user', 'generate-access-token', ...of);
  };
  const user = (name, ...more) => {
    const made = ['--username', name, '--password', PASSWORD, '--email', `${name}@example.invalid`];
    admin('admin', 'user', 'create', ...made, '--must-change-password=false', ...more);
    tokens[name] = tokenOf(name, 'all', 'all');
  };
  user('root1', '--admin');
  /** `as`: a user, or a token. Answers with the status if it is one of `allowed`. */
  const ask = async (as, method, path, body) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `token ${tokens[as] ?? as}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') && text !== '';
    return { status: answer.status, body: isJson ? JSON.parse(text) : text };
  };
  const api = async (as, method, path, body) => {
    const { status, body: answered } = await ask(as, method, path, body);
    if (status >= 400)
      throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answered).slice(0, 300)}`);
    return answered;
  };
  const runsOf = async (repo) =>
    (await api('root1', 'GET', `/repos/${repo}/actions/runs?limit=50`)).workflow_runs ?? [];
  return {
    url,
    dir,
    user,
    tokenOf,
    ask,
    api,
    runsOf,
    stop,
    withJobs,
    /** What is done while no runner is up. */
    async withoutRunner(act) {
      await end(running);
      const done = await act();
      running = startRunner();
      return done;
    },
    /** The address of a repository for git, with the token of a user. */
    remote: (as, repo) => `http://${as}:${tokens[as]}@127.0.0.1:${port}/${repo}.git`,
    /** What somebody does, and the runs that come of it, the oldest first, ended, each with its jobs and their logs. */
    async runsAfter(repo, act, many = 1) {
      const before = Math.max(0, ...(await runsOf(repo)).map(({ id }) => id));
      await act();
      let runs = [];
      await until(`${many} runs of ${repo}`, 600, async () => {
        runs = (await runsOf(repo)).filter(({ id }) => id > before);
        return runs.length >= many && runs.every(({ status }) => status === 'completed');
      });
      return Promise.all(runs.toReversed().map((run) => withJobs(repo, run)));
    },
    /** A run that was started again. */
    async rerun(repo, { id, completed_at: before }) {
      await api('root1', 'POST', `/repos/${repo}/actions/runs/${id}/rerun`);
      let run;
      await until(`run ${id} again`, 600, async () => {
        run = await api('root1', 'GET', `/repos/${repo}/actions/runs/${id}`);
        return run.status === 'completed' && run.completed_at !== before;
      });
      return withJobs(repo, run);
    },
    /** Somebody lets the jobs of a stranger's pull request run. */
    async approve(repo, { id }) {
      const form = { 'content-type': 'application/x-www-form-urlencoded', origin: url };
      const login = await fetch(`${url}/user/login`, {
        method: 'POST',
        headers: form,
        body: new URLSearchParams({ user_name: 'root1', password: PASSWORD }),
        redirect: 'manual',
      });
      // Of two with one name the last counts.
      const set = login.headers.getSetCookie().map((one) => one.split(';')[0].split('='));
      const cookie = [...new Map(set)].map((one) => one.join('=')).join('; ');
      const answer = await fetch(`${url}/${repo}/actions/runs/${id}/approve`, {
        method: 'POST',
        headers: { ...form, cookie },
      });
      if (!answer.ok) throw new Error(`approve: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
    },
  };

  async function withJobs(repo, run) {
    const { jobs } = await api('root1', 'GET', `/repos/${repo}/actions/runs/${run.id}/jobs`);
    const told = await Promise.all(
      jobs.map(async ({ id, name, conclusion }) => {
        const { status, body } = await ask('root1', 'GET', `/repos/${repo}/actions/jobs/${id}/logs`);
        return {
          name,
          conclusion,
          log: status === 200 ? stripVTControlCharacters(String(body)).replace(/^\S+Z /gm, '') : '',
        };
      }),
    );
    return { ...run, jobs: told };
  }
}

const PASSWORD = 'Pass-word-1';

function settings({ dir, port, url, source }) {
  return `RUN_MODE = prod
RUN_USER = ${userInfo().username}
WORK_PATH = ${dir}
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = ${userInfo().uid === 0}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = ${url}/
LOCAL_ROOT_URL = ${url}/
STATIC_ROOT_PATH = ${source}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${join(dir, 'gitea.db')}
SQLITE_JOURNAL_MODE = WAL
[repository]
ROOT = ${join(dir, 'repositories')}
[security]
INSTALL_LOCK = true
SECRET_KEY = ${randomBytes(32).toString('hex')}
[service]
DISABLE_REGISTRATION = true
[actions]
ENABLED = true
DEFAULT_ACTIONS_URL = self
[mailer]
ENABLED = false
[cron.update_checker]
ENABLED = false
[log]
MODE = file
LEVEL = Info
ROOT_PATH = ${join(dir, 'log')}
`;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

export async function until(what, seconds, test) {
  for (const end = Date.now() + seconds * 1_000; ; ) {
    const done = await test().catch(() => false);
    if (done) return done;
    if (Date.now() > end) throw new Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
