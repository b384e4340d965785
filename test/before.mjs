// npm runs this before the tests: it builds what they start, and checks what needs no test, side by side. What each part prints
// is shown together at its end. The exit code is the first code that is not 0.
// As with make, dist/ is built again if something that goes into it is newer: `npm ci` has just built it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const program = process.env.npm_execpath;
if (program === undefined) throw new Error('npm starts this: npm test');

/** The build writes it last. */
const BUILT = 'dist/THIRD_PARTY_LICENSES.txt';
const SOURCES = ['cmd', 'src', 'schemas', 'bundle.mjs', 'package.json', 'package-lock.json'];

await Promise.all([
  SOURCES.some((path) => newest(path) > modified(BUILT)) ? run('bundle.mjs') : undefined,
  run('schemas/generate.mjs', '--check'),
  run(program, 'run', '--silent', 'typecheck'),
  run(program, 'run', '--silent', 'lint'),
]);

async function run(...args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode ||= code ?? 1;
}

/** Of a file, or of a folder with all that is in it: a folder changes when a file goes. */
function newest(path) {
  const entries = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }) : [];
  return Math.max(modified(path), ...entries.map((entry) => modified(join(path, entry))));
}

/** 0 where there is nothing. */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
