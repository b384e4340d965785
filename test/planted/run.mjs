/**
 * Plants the bugs of bugs.mjs one by one in a copy of the sources and prints what caught each: the tests that its record names, or else
 * the suite.
 *
 *   npm run planted [-- WORD ...]     only the bugs whose name holds one of the words
 *
 * Exit 1 where a bug survives, or where the tests fail without any bug.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyOf } from '../support/copy.mjs';
import { BUGS, SUITE } from './bugs.mjs';

const words = process.argv.slice(2);
const chosen = BUGS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) {
  process.stderr.write(`no planted bug has a name like ${words.join(', ')}\n`);
  process.exit(3);
}
const copy = copyOf([
  'src',
  'schemas',
  'test',
  'cmd',
  'dist',
  'bundle.mjs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
]);

let left = chosen;
for (const testsFor of [({ tests }) => [tests], () => SUITE]) {
  if (left.length > 0) requireSound([...new Set(left.flatMap(testsFor))]);
  left = left.filter((bug) => !isCaught(bug, testsFor(bug)));
}
for (const { name } of left) process.stdout.write(`SURVIVED  ${name}\n`);
process.stdout.write(`\n${chosen.length - left.length} of ${chosen.length} planted bugs caught\n`);
process.exitCode = left.length === 0 ? 0 : 1;

function isCaught(bug, tests) {
  const path = join(copy, bug.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(bug.find, () => bug.put),
  );
  const { failed, by, seconds } = run(tests);
  writeFileSync(path, text);
  if (failed) process.stdout.write(`caught    ${bug.name}\n          ${by} (${seconds} s)\n`);
  return failed;
}

/** Ends the run where these tests fail without any bug. */
function requireSound(tests) {
  const { failed, by } = run(tests);
  if (!failed) return;
  process.stderr.write(`The tests fail without any bug: ${by}\n`);
  process.exit(1);
}

/** Builds the program, because many tests run that. */
function run(tests) {
  const begun = Date.now();
  const built = spawnSync(process.execPath, ['bundle.mjs'], { cwd: copy, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const options = ['--project', 'source', '--bail', '1', '--reporter', 'json', '--testTimeout', '600000'];
  const { status, stdout } = spawnSync(process.execPath, [vitest, 'run', ...options, ...tests], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
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
