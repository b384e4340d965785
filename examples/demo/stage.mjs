import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SEED } from './account.mjs';

const ROOT = new URL('../../', import.meta.url);
const { bin } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
const PROGRAM = fileURLToPath(new URL(bin.tradeform, ROOT));
const AUTHOR = [
  '-c',
  'user.name=Demo',
  '-c',
  'user.email=demo@example.invalid',
  '-c',
  'commit.gpgsign=false',
];

/** The demo's processes and files. All of them must be removed when the demo ends, however it ends. */
export class Stage {
  /** The working copy of the example. */
  folder;
  #top;
  #seed;
  #children = new Set();
  #git = hasGit();

  /** `example`: a folder of examples/. `seed`: the initial content of the service. */
  constructor(example = 'quickstart', seed = SEED) {
    this.#seed = seed;
    if (!existsSync(PROGRAM)) throw new Error(`${bin.tradeform} is not built: run npm ci, or npm run build`);
    this.#top = mkdtempSync(join(tmpdir(), 'tradeform-demo-'));
    this.folder = join(this.#top, example);
    cpSync(fileURLToPath(new URL(`../${example}`, import.meta.url)), this.folder, { recursive: true });
    process.once('exit', () => this.clear());
    // The reader of the output is gone, so the demo ends.
    process.stdout.once('error', () => process.exit(141));
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ]) {
      process.once(signal, () => process.exit(code));
    }
  }

  /** Starts `tradeform sandbox` and resolves with its output: base URL and tokens. */
  startSandbox() {
    const seed = join(this.#top, 'account.json');
    writeFileSync(seed, JSON.stringify(this.#seed));
    const child = this.#start(['sandbox', '--port', '0', '--seed', seed, '-o', 'json', '--quiet'], {});
    return new Promise((resolve, reject) => {
      let printed = '';
      child.stdout.on('data', (chunk) => {
        printed += chunk;
        if (!printed.endsWith('\n')) return;
        const document = JSON.parse(printed);
        if (document.base_url === undefined) reject(new Error(`the sandbox does not start: ${printed}`));
        else resolve(document);
      });
      child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
    });
  }

  /** Runs one command line of tradeform in the working copy. `parts` are in the order in which they were written. */
  run(args, env) {
    const child = this.#start(args, env);
    const parts = [];
    const collect = (stream) => (chunk) => parts.push({ stream, text: String(chunk) });
    child.stdout.setEncoding('utf8').on('data', collect('stdout'));
    child.stderr.setEncoding('utf8').on('data', collect('stderr'));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        const of = (stream) =>
          parts
            .filter((part) => part.stream === stream)
            .map(({ text }) => text)
            .join('');
        resolve({ code, stdout: of('stdout'), stderr: of('stderr') });
      });
    });
  }

  /** Replaces text that must occur in the file exactly once, so that the story cannot diverge from the example. */
  edit(file, before, after) {
    const path = join(this.folder, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(before).length !== 2) throw new Error(`${file} does not hold ${before} exactly once`);
    writeFileSync(
      path,
      text.replace(before, () => after),
    );
  }

  /** Removes the document that names `name` from a file. */
  removeDocument(file, name) {
    const path = join(this.folder, file);
    const documents = readFileSync(path, 'utf8').split(/^---\n/m);
    const kept = documents.filter((document) => !document.includes(`\n  name: ${name}\n`));
    if (kept.length !== documents.length - 1) throw new Error(`${file} does not hold ${name} exactly once`);
    writeFileSync(path, kept.join('---\n'));
  }

  /** Commits everything. Without git, the plan names no commit, and everything else is the same. */
  commit(message) {
    if (!this.#git) return;
    const git = (...args) => execFileSync('git', [...AUTHOR, ...args], { cwd: this.folder, stdio: 'pipe' });
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', message);
  }

  #start(args, env) {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: this.folder,
      env: { ...ownEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
    return child;
  }

  /** Ends every process and removes every file. */
  clear() {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.#top, { recursive: true, force: true });
  }
}

function hasGit() {
  try {
    execFileSync('git', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The user's own settings do not reach the demo. */
function ownEnvironment() {
  const others = Object.entries(process.env).filter(([name]) => !/^(TRADEFORM_|GIT_)/.test(name));
  return Object.fromEntries(others);
}
