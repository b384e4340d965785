// Gitea and its runner, built once from the Go module proxy and kept in a folder, or those that GITEA and GITEA_RUNNER name; and
// gitlab-ci-local, from npm.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const GITEA = { module: 'code.gitea.io/gitea', version: '1.26.0' };
const NODE = '22.23.3';
const GITLAB_CI = '4.75.1';
const RUNNER = { module: 'gitea.com/gitea/runner', version: '1.0.8' };

/** What this machine lacks for a part or, without one, for both, with the way to get it; empty where all is there. */
export function missingTools(only) {
  const there = (name) =>
    (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
  const { GITEA: gitea, GITEA_RUNNER: runner, GITEA_SOURCE: source } = process.env;
  const given = [gitea, runner, source].filter((one) => one);
  if (given.length > 0 && given.length < 3)
    return [
      ['GITEA, GITEA_RUNNER and GITEA_SOURCE', 'set all three: two programs, and the folder with templates/'],
    ];
  return [
    ['git', 'apt-get install git'],
    // gitlab-ci-local copies files with it.
    ...(only === 'gitea' ? [] : [['rsync', 'apt-get install rsync']]),
    ...(given.length === 3 || only === 'gitlab'
      ? []
      : [
          ['go', 'Go 1.26 or later, https://go.dev/dl'],
          ['gcc', 'apt-get install gcc'],
        ]),
  ].filter(([name]) => !there(name));
}

/** Paths: the two programs, and the folder with what Gitea reads; `TRADEFORM_FORGE` names another folder than that of the user's cache. */
export function buildTools() {
  const { GITEA: gitea, GITEA_RUNNER: runner, GITEA_SOURCE: source } = process.env;
  if (gitea && runner && source) return { gitea, runner, source };
  const folder = cached(`${GITEA.version}-${RUNNER.version}`);
  const made = {
    gitea: join(folder, 'gitea'),
    runner: join(folder, 'runner'),
    source: join(folder, 'src/gitea'),
  };
  const version = `gitea.com/gitea/runner/internal/pkg/ver.version=${RUNNER.version}`;
  if (!existsSync(made.runner))
    build(copyOf(RUNNER, join(folder, 'src/runner')), made.runner, ['-ldflags', `-s -w -X ${version}`], {});
  if (!existsSync(made.gitea)) {
    const flags = [
      '-tags',
      'sqlite sqlite_unlock_notify',
      '-ldflags',
      `-s -w -X main.Version=${GITEA.version}`,
    ];
    // -O0 is for the C of SQLite alone, which is quick enough for a test.
    build(copyOf(GITEA, made.source), made.gitea, flags, { CGO_ENABLED: '1', CGO_CFLAGS: '-O0' });
  }
  return made;
}

function cached(name) {
  const { TRADEFORM_FORGE: own, XDG_CACHE_HOME: home = join(homedir(), '.cache') } = process.env;
  return join(own ?? join(home, 'tradeform-forge'), name);
}

/** The programs gitlab-ci-local and a Node that reads TypeScript, without the scripts of any package. */
export function installGitLabCi() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isNew = major > 22 || (major === 22 && minor >= 18);
  const folder = cached(`gitlab-ci-local-${GITLAB_CI}`);
  const bin = join(folder, 'node_modules/.bin');
  if (!existsSync(join(bin, 'gitlab-ci-local'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{}');
    const names = [
      `gitlab-ci-local@${GITLAB_CI}`,
      ...(isNew ? [] : [`node-${process.platform}-${process.arch}@${NODE}`]),
    ];
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...names];
    execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
  }
  const own = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  return { node: isNew ? process.execPath : own, gitlabCi: join(bin, 'gitlab-ci-local') };
}

/** The sources of a module. `go install` refuses both modules, because their go.mod replace others. */
function copyOf({ module, version }, folder) {
  if (existsSync(folder)) return folder;
  const get = join(folder, '../get');
  mkdirSync(get, { recursive: true });
  if (!existsSync(join(get, 'go.mod'))) writeFileSync(join(get, 'go.mod'), 'module get\n');
  const printed = execFileSync('go', ['mod', 'download', '-json', `${module}@v${version}`], {
    cwd: get,
    encoding: 'utf8',
  });
  cpSync(JSON.parse(printed).Dir, folder, { recursive: true });
  execFileSync('chmod', ['-R', 'u+w', folder]);
  return folder;
}

/** Two packages at a time, behind whatever else the machine does. */
function build(cwd, file, flags, env) {
  console.log(`Building ${cwd}; the program is kept as ${file}`);
  const args = ['-n', '10', 'go', 'build', '-buildvcs=false', '-p', '2', ...flags, '-o', file, '.'];
  const { status } = spawnSync('nice', args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${file} could not be built`);
}
