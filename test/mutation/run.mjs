/**
 * Changes the code at every place where a slip is plausible (Stryker's mutants) and tells which changes no test noticed.
 *
 *   npm run mutate [-- --folder src/core/plan] [--file 'src/core/act/d*.ts'] [--quick] [--part 1/8]
 *                   [--again REPORT] [--report FILE] [--record]
 *
 * All in a copy of the sources in a temporary folder. Stryker is installed there, on demand: in package.json it would
 * nearly double what `npm ci` brings. `--report` keeps Stryker's own report, as JSON. `--quick` takes few
 * tests beside the folder's own, without the long ones: some minutes instead of hours, and a score that all tests together can only raise.
 * `--again REPORT` tries only what an earlier, quick run did not notice, and tells of both. `--part 1/8` takes one
 * of eight parts of the mutants, which are the whole together: a fair sample of each file. Stryker keeps for each test which mutants it meets, so it runs for
 * some files at a time: all at once would take more than 12 GB. What runs only once, when a module is loaded, is left alone: each
 * such change would need all tests in a process of its own. `--record` writes the score, with commit and date, into
 * test/mutation/scores.json, which is committed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { copyOf } from '../support/copy.mjs';
import { scriptOptions } from '../support/script-options.mjs';
import { inRounds, matcher, merged, missedIn, parsePart, together } from './chosen.mjs';
import { recorded, scoreOf } from './score.mjs';
import { BUDGET, SUITE } from './suite.mjs';
import { table } from './table.mjs';

const STRYKER = ['@stryker-mutator/core@9.6.1', '@stryker-mutator/vitest-runner@9.6.1'];

const { values } = scriptOptions({
  options: {
    folder: { type: 'string', multiple: true },
    file: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    part: { type: 'string' },
    again: { type: 'string' },
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
const part = parsePart(values.part ?? '1/1');
if (part === undefined) {
  process.stderr.write(`--part takes K/N, as 3/8, and not ${values.part}\n`);
  process.exit(3);
}
const earlier = values.again === undefined ? undefined : JSON.parse(readFileSync(values.again, 'utf8'));
const missed = earlier && new Set(missedIn(earlier).map((name) => name.split(':')[0]));
const isWhole = earlier === undefined && part.parts === 1;
const rounds = inRounds(
  files
    .filter((path) => asked.length === 0 || asked.some((pattern) => matcher(pattern)(path)))
    .filter((path) => missed?.has(path) !== false)
    .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length })),
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
const reports = rounds.map((paths, index) => {
  process.stderr.write(`\nRound ${index + 1} of ${rounds.length}: ${paths.join(' ')}\n`);
  return reportOf(paths);
});
const found = together(reports);
const result = earlier === undefined ? found : merged(earlier, found);
if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(result));
process.stdout.write(table(result));
if (values.record) record();

function reportOf(mutate) {
  const report = join(place, 'report.json');
  const settings = {
    mutate,
    // The strings are messages, which tests of the pictures read, and names that the compiler knows.
    mutator: { excludedMutations: ['StringLiteral'] },
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', join(copy, 'test/mutation/chosen.mjs')],
    checkers: isWhole ? [] : ['chosen'],
    vitest: { configFile: 'test/mutation/vitest.config.mjs', related: false },
    coverageAnalysis: 'perTest',
    // What runs once, when a module is loaded: each would need all tests in a process of its own.
    ignoreStatic: true,
    // Where there is a checker it takes half of them.
    concurrency: isWhole ? 2 : 4,
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
    MUTATED_AGAIN: values.again === undefined ? '' : resolve(values.again),
    MUTATED_PART: values.part ?? '1/1',
    QUICK: values.quick ? '1' : '',
  });
  return JSON.parse(readFileSync(report, 'utf8'));
}

function record() {
  const file = 'test/mutation/scores.json';
  const score = {
    mutated: (asked.length === 0 ? known : asked).join(' '),
    tests: values.quick ? 'quick' : 'all',
    part: values.part ?? '1/1',
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    ...scoreOf(result),
  };
  const scores = recorded(JSON.parse(readFileSync(file, 'utf8')), score);
  writeFileSync(file, `${JSON.stringify(scores, undefined, 2)}\n`);
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
