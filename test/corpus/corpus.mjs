/**
 * `npm run corpus -- REV [--only TEXT] [--keep FOLDER]`: plays the same scenes with the program of a revision and with that of this
 * tree, and shows what differs: plans, reports, output in each format, exit codes, requests, and seeds of the simulation. Each
 * difference is shown once, with the places where it occurs. Ends with 2 if there is one. `--only` takes the scenes whose
 * names have this text; `--keep` leaves the records in `FOLDER/former` and `FOLDER/present`, for `git diff --no-index`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { structuredPatch } from 'diff';
import { scriptOptions } from '../support/script-options.mjs';

const TREE = fileURLToPath(new URL('../..', import.meta.url));
/** Longer differences are shortened to this many lines, and have at most this many places. */
const LINES = 24;
const PLACES = 3;

const { values, positionals } = scriptOptions({
  options: { only: { type: 'string', default: '' }, keep: { type: 'string' } },
  allowPositionals: true,
});
const [revision] = positionals;
if (revision === undefined) throw new Error('Usage: npm run corpus -- REV [--only TEXT] [--keep FOLDER]');

const folder = mkdtempSync(join(tmpdir(), 'tradeform-corpus-'));
const records = values.keep ?? join(folder, 'records');
try {
  const former = join(folder, 'tree');
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', former, revision], { cwd: TREE });
  packages(former);
  await Promise.all([play(former, 'former'), play(TREE, 'present')]);
  process.exitCode = show();
} finally {
  rmSync(folder, { recursive: true, force: true });
  execFileSync('git', ['worktree', 'prune'], { cwd: TREE });
}

/** The packages of this tree, if the revision locks the same ones. */
function packages(tree) {
  const [here, there] = [TREE, tree].map((path) => readFileSync(join(path, 'package-lock.json'), 'utf8'));
  const install = ['ci', '--ignore-scripts', '--silent', '--prefer-offline'];
  if (here === there) symlinkSync(join(TREE, 'node_modules'), join(tree, 'node_modules'));
  else execFileSync('npm', install, { cwd: tree, stdio: 'inherit' });
}

async function play(tree, name) {
  const into = join(records, name);
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  await run('npm', ['run', '--silent', 'build'], tree);
  await run(process.execPath, [join(TREE, 'test/corpus/play.mjs'), tree, into, values.only], tree);
}

async function run(program, args, cwd) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code} in ${cwd}`);
}

/** Prints the differences, each once, the most frequent first. Returns the exit code. */
function show() {
  const found = new Map();
  const listed = ['former', 'present'].flatMap((name) =>
    readdirSync(join(records, name), { recursive: true }),
  );
  const files = [...new Set(listed)].filter((file) => file.endsWith('.txt')).sort();
  for (const file of files) {
    const [former, present] = ['former', 'present'].map((name) => textOf(join(records, name, file)));
    if (former === present) continue;
    for (const { lines } of structuredPatch('', '', former, present, '', '', { context: 0 }).hunks) {
      const key = lines.join('\n').replaceAll(/[0-9a-f]{12,}/g, '#');
      found.set(key, (found.get(key) ?? new Set()).add(`${file} ${former.slice(0, former.indexOf('\n'))}`));
    }
  }
  for (const [key, places] of [...found].sort(([, one], [, other]) => other.size - one.size)) {
    const lines = key.split('\n');
    const more = lines.length > LINES ? [`… ${lines.length - LINES} more`] : [];
    const some = [...places].slice(0, PLACES).join(', ');
    print([`${places.size} of ${files.length}: ${some}`, ...lines.slice(0, LINES), ...more, ''].join('\n'));
  }
  print(`${files.length} records, ${found.size} differences`);
  return found.size === 0 ? 0 : 2;
}

/** Ids are numbered by their first place: the service takes one for each request as well. */
function textOf(file) {
  const ids = [];
  const numbered = (id) => (ids.includes(id) ? ids.indexOf(id) : ids.push(id) - 1);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '(no record)\n';
  return text.replaceAll(/\b0000[0-9a-f]{4}\b/g, (id) => `id-${numbered(id)}`);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
