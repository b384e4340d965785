// The hook of examples/ci/pre-commit, as a commit of a user runs it: installed by the newest npm.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fetched, nodeOf } from './tools.mjs';

const NODE = 24;
const NPM = 12;
const CONFIG = 'examples/ci/pre-commit/.pre-commit-config.yaml';

/**
 * Installs the packed file as the hook, and commits a project with it, and then one that is not valid. Returns false if there is no
 * pre-commit here.
 */
export function tryHook({ checkout, file, folder }) {
  const [bin, project] = ['bin', 'project'].map((name) => join(folder, name));
  mkdirSync(bin, { recursive: true });
  symlinkSync(nodeOf(NODE), join(bin, 'node'));
  const program = join(fetched('npm', NPM), 'bin/npm-cli.js');
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\nexec node '${program}' "$@"\n`, { mode: 0o755 });
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    PRE_COMMIT_HOME: join(folder, 'home'),
  };
  const call = (...[name, ...args]) => spawnSync(name, args, { cwd: project, env, encoding: 'utf8' });

  cpSync(join(checkout, 'examples/quickstart'), project, { recursive: true });
  const config = readFileSync(join(checkout, CONFIG), 'utf8').replace(/tradeform@[\d.]+/, file);
  // The project of the example has one environment, without a name.
  writeFileSync(join(project, '.pre-commit-config.yaml'), config.replace(/^ *args: .*\n/m, ''));
  call('git', 'init', '--quiet');
  const commits = () => {
    call('git', 'add', '--all');
    return call('pre-commit', 'run', '--all-files');
  };
  const { status, stdout, stderr, error } = commits();
  if (error?.code === 'ENOENT') return false;
  if (status !== 0) throw new Error(`pre-commit ended with ${status}\n${stdout}${stderr}`);
  writeFileSync(join(project, 'tradeform.yaml'), 'kind: Project\n');
  if (commits().status !== 1) throw new Error('pre-commit let a project pass that is not valid');
  return true;
}
