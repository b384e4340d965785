// What the check of a release fetches from the registry, once, into a folder outside of the repository.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tradeform-release');
const WINDOWS = process.platform === 'win32';

export const NODES = [20, 22, 24, 26];
/** Without what `npm run` hands down of a user's settings: an npm of another version warns of what it does not know. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('npm_config_')),
);

/** The versions of npm, each with the oldest Node of ours that it supports. */
export const NPMS = { 10: 20, 11: 20, 12: 22 };

/** The folder of a package, which is fetched if it is not there yet. No script of it runs. */
export function fetched(name, version) {
  const folder = join(CACHE, `${name.replace('/', '+')}@${version}`);
  const found = join(folder, 'node_modules', name);
  if (existsSync(join(found, 'package.json'))) return found;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...quiet, `${name}@${version}`], { cwd: folder, shell: WINDOWS });
  return found;
}

/** The program of a Node: npm serves its binaries as packages. */
export function nodeOf(major) {
  const platform = WINDOWS ? 'win' : process.platform;
  return join(fetched(`node-${platform}-${process.arch}`, major), 'bin', WINDOWS ? 'node.exe' : 'node');
}

/** Runs npm of this version with a Node of that one. */
export function npm(version, node, args, { cwd, env = {} }) {
  return run(node, [join(fetched('npm', version), 'bin/npm-cli.js'), ...args], { cwd, env });
}

/** The end of a program, with this Node first in its path. Throws with what the program said if it fails. */
export function run(node, args, { cwd, env = {}, input } = {}) {
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const { status, stdout, stderr, error } = spawnSync(node, args, {
    cwd,
    input,
    env: { ...ENVIRONMENT, PATH: path, ...env },
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status ?? error}\n${stdout}\n${stderr}`);
  return { stdout, stderr };
}

/** The files below a folder: path → bytes. */
export function filesBelow(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = names.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort();
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path))]));
}
