/**
 * Changes the code at every place where a slip is plausible (Stryker's mutants) and tells which changes no test noticed.
 *
 *   npm run mutate [-- --folder src/core/plan] [--file 'src/core/act/d*.ts'] [--since REV] [--minutes 60] [--quick] [--record] [--report FILE]
 *
 * All in a copy of the sources in a temporary folder. Stryker is installed there, on demand: in package.json it would
 * nearly double what `npm ci` brings. `--since REV` changes only the lines that differ from a revision. `--minutes` begins no
 * further round after that time: files whose text has no score yet come first, so that a night goes on where the last one ended.
 * `--quick` takes few tests beside the folder's own, without the long ones: a score that all tests together can only raise.
 * `--record` keeps the score of each file in test/mutation/scores.json, which is committed, and ends with 1 where one has fallen.
 * `--report` keeps Stryker's own report, as JSON. Stryker keeps for each test which mutants it meets, so it runs for some files at
 * a time: all at once would take more than 12 GB. What runs only once, when a module is loaded, is left alone: each such change
 * would need all tests in a process of its own.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { copyOf } from '../support/copy.mjs';
import { scriptOptions } from '../support/script-options.mjs';
import { changedLines, inRounds, matcher, together } from './chosen.mjs';
import { recorded, scoresOf, stalestFirst } from './score.mjs';
import { BUDGET, SUITE } from './suite.mjs';
import { table } from './table.mjs';

const STRYKER = ['@stryker-mutator/core@9.6.1', '@stryker-mutator/vitest-runner@9.6.1'];

const { values } = scriptOptions({
  options: {
    folder: { type: 'string', multiple: true },
    file: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    since: { type: 'string' },
    minutes: { type: 'string' },
    report: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const known = Object.keys(SUITE);
const asked = [
  ...(values.folder ?? []).map((folder) => `${folder.replace(/\/$/, '')}/**`),
  ...(values.file ?? []),
];
const files = known
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`))
  .filter((path) => path.endsWith('.ts'));
const stray = asked.filter((pattern) => !files.some(matcher(pattern)));
if (stray.length > 0) {
  process.stderr.write(`Not in ${known.join(', ')}: ${stray.join(', ')}\n`);
  process.exit(3);
}
const FIELDS = ['text', 'tests', 'noticed', 'of'];
const SCORES = 'test/mutation/scores.json';
const scores = JSON.parse(readFileSync(SCORES, 'utf8'));
const tests = values.quick ? 'quick' : 'all';
const ends = values.minutes === undefined ? Infinity : Date.now() + Number(values.minutes) * 60_000;
if (Number.isNaN(ends) || (values.since !== undefined && values.record)) {
  process.stderr.write('--minutes takes a number, and lines of --since are no score of a file\n');
  process.exit(3);
}
const lines =
  values.since &&
  changedLines(git('diff', '--unified=0', '--no-prefix', '--no-ext-diff', values.since, '--', ...known));
const chosen = files
  .filter((path) => asked.length === 0 || asked.some((pattern) => matcher(pattern)(path)))
  .filter((path) => lines?.has(path) !== false)
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
const rounds = inRounds(
  stalestFirst(chosen, scores, tests).map(({ path, text }) => ({ path, lines: text.split('\n').length })),
);

// Without them most files of tests cannot be loaded, and Stryker says nothing of a file that cannot.
run(process.execPath, ['schemas/generate.mjs', '--validators'], process.cwd());
const copy = copyOf(['src', 'docs', 'schemas', 'test', 'cmd', 'package.json', 'tsconfig.json']);
const place = dirname(copy);
const npm = [
  'install',
  '--prefix',
  place,
  '--no-save',
  '--no-audit',
  '--no-fund',
  '--legacy-peer-deps',
  '--ignore-scripts',
];
run('npm', [...npm, ...STRYKER], process.cwd());
// The runner drives the Vitest of this repository.
symlinkSync(resolve('node_modules/vitest'), join(place, 'node_modules', 'vitest'));
const reports = [];
for (const [index, paths] of rounds.entries()) {
  if (Date.now() >= ends) break;
  process.stderr.write(`\nRound ${index + 1} of ${rounds.length}: ${paths.join(' ')}\n`);
  const report = reportOf(paths.flatMap((path) => lines?.get(path) ?? [path]));
  reports.push(report);
  if (values.record) record(report);
}
const result = together(reports);
if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(result));
process.stdout.write(table(result));

function reportOf(mutate) {
  const report = join(place, 'report.json');
  const settings = {
    mutate,
    // The strings are messages, which tests of the pictures read, and names that the compiler knows.
    mutator: { excludedMutations: ['StringLiteral'] },
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.mjs', related: false },
    coverageAnalysis: 'perTest',
    // What runs once, when a module is loaded: each would need all tests in a process of its own.
    ignoreStatic: true,
    concurrency: 2,
    timeoutMS: values.quick ? 15_000 : 60_000,
    // The first run has all tests, on a machine that may be busy.
    dryRunTimeoutMinutes: 60,
    // Stryker rewrites it with the TypeScript of before 7; without a checker nothing reads it.
    tsconfigFile: 'none.json',
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    // The copy is the sandbox; a second one would come without node_modules.
    inPlace: true,
    tempDirName: join(place, 'backup'),
    allowConsoleColors: false,
  };
  writeFileSync(join(place, 'stryker.config.json'), JSON.stringify(settings));
  const folders = known.filter((folder) => mutate.some((path) => path.startsWith(`${folder}/`)));
  const stryker = join(place, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  run(process.execPath, [stryker, 'run', join(place, 'stryker.config.json')], copy, {
    MUTATED: folders.join(),
    QUICK: values.quick ? '1' : '',
  });
  return JSON.parse(readFileSync(report, 'utf8'));
}

function record(report) {
  const { kept, fallen } = recorded(scores, scoresOf(report, tests));
  Object.assign(scores, kept);
  writeFileSync(SCORES, `${JSON.stringify(scores, Object.keys(scores).sort().concat(FIELDS), 2)}\n`);
  for (const line of fallen) process.stderr.write(`${line}\n`);
  if (fallen.length > 0) process.exitCode = 1;
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e9 });
}

function run(command, args, cwd, variables = {}) {
  const { status, error } = spawnSync('nice', ['-n', '19', command, ...args], {
    cwd,
    env: { ...process.env, ...BUDGET, ...variables },
    stdio: ['ignore', 2, 2],
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(1);
}
