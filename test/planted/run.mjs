/**
 * Plants the bugs of bugs.mjs one by one in a copy of the sources and prints what caught each: the tests of its room, or else the suite,
 * at last with every case.
 *
 *   npm run planted [-- WORD ...]     only the bugs whose name holds one of the words
 *
 * Exit 1 where a bug survives, or where the suite fails without any bug.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUGS, SUITE } from './bugs.mjs';

const COPIED = ['src', 'schemas', 'test', 'cmd', 'dist', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
const PLAYED = { tests: SUITE, env: {} };
/** Every case of what `npm test` only samples. */
const WHOLE = { tests: SUITE, env: { TRADEFORM_TEST: 'full' } };
const sound = new Set();
const words = process.argv.slice(2);
const chosen = BUGS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) {
  process.stderr.write(`no planted bug has a name like ${words.join(', ')}\n`);
  process.exit(3);
}
const copy = mkdtempSync(join(tmpdir(), 'tradeform-planted-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));

for (const entry of COPIED) cpSync(entry, join(copy, entry), { recursive: true });
symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));

let left = chosen;
for (const testsFor of [({ file }) => testsOf(file), () => PLAYED, () => WHOLE])
  left = left.filter((bug) => !isCaught(bug, testsFor(bug)));
for (const { name } of left) process.stdout.write(`SURVIVED  ${name}\n`);
process.stdout.write(`\n${chosen.length - left.length} of ${chosen.length} planted bugs caught\n`);
process.exitCode = left.length === 0 ? 0 : 1;

function isCaught(bug, attempt) {
  if (attempt === undefined) return false;
  requireSound(attempt);
  const path = join(copy, bug.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(bug.find, () => bug.put),
  );
  const { failed, by, seconds } = run(attempt);
  writeFileSync(path, text);
  if (failed) process.stdout.write(`caught    ${bug.name}\n          ${by} (${seconds} s)\n`);
  return failed;
}

/** The folder with the tests of a source's room, if there is one. */
function testsOf(file) {
  const [, room, ...rest] = file.split('/');
  const folder = room === 'features' ? `test/features/${rest[0]}/` : `test/${room}/`;
  const has = existsSync(join(copy, folder)) ? readdirSync(join(copy, folder), { recursive: true }) : [];
  return has.some((name) => name.endsWith('.test.ts')) ? { tests: [folder], env: {} } : undefined;
}

/** Ends the run where these tests fail without any bug. */
function requireSound(attempt) {
  const key = JSON.stringify(attempt);
  if (sound.has(key)) return;
  const { failed, by } = run(attempt);
  if (failed) {
    process.stderr.write(`The suite fails without any bug: ${by}\n`);
    process.exit(1);
  }
  sound.add(key);
}

function run({ tests, env }) {
  const begun = Date.now();
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const options = [
    'run',
    '--project',
    'source',
    '--bail',
    '1',
    '--reporter',
    'json',
    '--testTimeout',
    '600000',
    ...tests,
  ];
  const { status, stdout } = spawnSync(process.execPath, [vitest, ...options], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    env: { ...process.env, ...env },
  });
  const seconds = Math.round((Date.now() - begun) / 1000);
  return { failed: status !== 0, by: status === 0 ? 'nothing failed' : firstFailure(stdout), seconds };
}

function firstFailure(stdout) {
  const start = stdout.indexOf('{"');
  const { testResults = [] } = start < 0 ? {} : JSON.parse(stdout.slice(start));
  for (const { name, message, assertionResults } of testResults) {
    const failure = assertionResults.find(({ status }) => status === 'failed');
    const file = name.slice(name.indexOf('/test/') + 1);
    if (failure !== undefined) return `${file}: ${failure.fullName}`;
    if (message) return `${file}: ${message.split('\n')[0]}`;
  }
  return 'the suite did not start';
}
