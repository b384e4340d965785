// npm run test:nodes [-- MAJOR ...]: `npm test` of the commit that is checked out with each supported Node, each in a clone of its own,
// one after the other. Prints what differs between them, and a table of results, time and memory. Exit 1 where a test fails or a
// result differs.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetched, NODES, nodeOf, npm, run } from './tools.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NPM = 11;
const WORDS = ['passed', 'failed', 'skipped'];

const chosen = process.argv.slice(2).map(Number);
const work = mkdtempSync(join(tmpdir(), 'tradeform-nodes-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));

const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const commit = git('rev-parse', 'HEAD');
const rows = [];
/** The name of a test → its result with each Node, in the order of `rows`. */
const results = new Map();
for (const major of chosen.length === 0 ? NODES : chosen) rows.push(testWith(major, rows.length));

const unlike = [...results].filter(([, states]) => new Set(states).size > 1 || states.length < rows.length);
for (const [name, states] of unlike) console.log(`differs  ${name}: ${states.join(', ')}`);
console.log(
  '\n| Node | passed, failed, skipped | npm test | plan of 10,000 tasks, CPU and peak memory |\n|---|---|---|---|',
);
for (const { version, counts, seconds, plan } of rows)
  console.log(`| ${version} | ${counts.join(', ')} | ${seconds} s | ${plan.join(', ')} |`);
console.log(`\n${results.size} tests, ${unlike.length} with another result on some Node`);
process.exitCode = unlike.length > 0 || rows.some(({ failed }) => failed) ? 1 : 0;

/** Tests a clone with this Node, and measures the program that it built. */
function testWith(major, index) {
  const node = nodeOf(major);
  const version = run(node, ['--version']).stdout.trim();
  const folder = join(work, version);
  git('clone', '--quiet', '--no-checkout', ROOT, folder);
  git('-C', folder, 'checkout', '--quiet', '--detach', commit);
  npm(NPM, node, ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });

  const file = join(folder, 'results.json');
  const begun = Date.now();
  const program = join(fetched('npm', NPM), 'bin/npm-cli.js');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { status } = spawnSync(node, [program, 'test', '--', ...reporters], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const seconds = Math.round((Date.now() - begun) / 1_000);
  const tests = JSON.parse(readFileSync(file, 'utf8')).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({
      name: `${name.slice(folder.length + 1)}: ${fullName}`,
      state: WORDS.includes(status) ? status : 'skipped',
    })),
  );
  // Tests of one name in one file are told apart by their order.
  const seen = new Map();
  for (const { name, state } of tests) {
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    const key = nth === 1 ? name : `${name} (${nth})`;
    const states = results.get(key) ?? [];
    results.set(key, [...states, ...Array(index - states.length).fill('absent'), state]);
  }
  const counts = WORDS.map((word) => tests.filter(({ state }) => state === word).length);
  return { version, counts, seconds, plan: planWith(node, folder), failed: status !== 0 };
}

/** What the bench says of tradeform for a first plan of 10,000 tasks: CPU and peak memory. */
function planWith(node, folder) {
  const program = join(folder, 'dist/tradeform.cjs');
  const args = ['test/bench/run.mjs', '--only', 'plan', '--runs', '3', '--program', program];
  const { stdout } = run(node, args, { cwd: folder });
  return ['cold, CPU', 'cold, peak memory'].map(
    (what) => stdout.match(new RegExp(`^\\| plan, 10,000 tasks, ${what} \\|[^|]*\\| ([^|]*) \\|`, 'm'))[1],
  );
}
