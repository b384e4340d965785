// One night of tests, which a release asks for: npm run night [-- --only seeds,planted] [--seeds 100000] [--minutes 60]
// Writes reports/night.md: what ran, what did not, what failed. What a part printed stands beside it, in a file of its name.
// A failed part does not stop the next one. The exit code is 1 if one failed; a part that this machine cannot run (exit code 77) is named.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { scriptOptions } from './support/script-options.mjs';

const FOLDER = 'reports/night';
/** The exit code of a test that lacks what it needs, as in Automake. */
const SKIPPED = 77;
const program = process.env.npm_execpath;
if (program === undefined) throw new Error('npm starts this: npm run night');
const { values } = scriptOptions({
  options: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '60' },
  },
});
const first = Math.floor(Date.now() / 1000);
const each = Math.ceil(Number(values.seeds) / availableParallelism());
const shares = Array.from({ length: availableParallelism() }, (_, n) => String(first + n * each));
const script = (name, ...args) => ['run', name, '--', ...args];

/** What each runs side by side. */
const PARTS = {
  tests: ['`npm test` with all cases of the long lists', [['test']]],
  seeds: [
    `the simulation, ${values.seeds} seeds from ${first} on`,
    shares.map((seed) => script('simulate', '--seed', seed, '--cases', String(each))),
  ],
  planted: ['planted bugs', [script('planted')]],
  mutants: [
    `mutants of the core, ${values.minutes} minutes`,
    [script('mutate', '--quick', '--record', '--minutes', values.minutes)],
  ],
  forge: ['the story of a change on a real Gitea, and the jobs for GitLab', [script('test:forge')]],
  kubernetes: ['the manifests against a control plane', [script('test:kubernetes')]],
  release: ['two builds compared, each Node and each npm', [script('release:check')]],
};

const names = values.only?.split(',') ?? Object.keys(PARTS);
const stray = names.filter((name) => !Object.hasOwn(PARTS, name));
if (stray.length > 0) {
  process.stderr.write(`no part ${stray.join(', ')}: ${Object.keys(PARTS).join(', ')}\n`);
  process.exit(3);
}
mkdirSync(FOLDER, { recursive: true });
const rows = [];
for (const name of names) {
  const [what, commands] = PARTS[name];
  process.stdout.write(`\n${name}: ${what}\n`);
  const began = Date.now();
  const codes = await Promise.all(
    commands.map((words, index) => run(words, `${FOLDER}/${name}-${index + 1}.log`)),
  );
  const bad = codes.filter((code) => code !== 0);
  const result = bad.length === 0 ? 'held' : bad.every((code) => code === SKIPPED) ? 'DID NOT RUN' : 'FAILED';
  rows.push({
    name,
    what,
    result,
    minutes: ((Date.now() - began) / 60_000).toFixed(1),
    logs: commands.length,
  });
  writePage();
}
process.exitCode = rows.some(({ result }) => result === 'FAILED') ? 1 : 0;

async function run(words, log) {
  const out = createWriteStream(log);
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TRADEFORM_TEST: 'full', NO_COLOR: '1' },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(out, { end: false });
    stream.pipe(process.stdout, { end: false });
  }
  const [code] = await once(child, 'close');
  out.end();
  await once(out, 'finish');
  return code;
}

function writePage() {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain') === '' ? '' : ', with uncommitted changes';
  const missing = Object.keys(PARTS).filter((name) => !rows.some((row) => row.name === name));
  const page = [
    `# A night of tests: ${git('rev-parse', '--short', 'HEAD')}${dirty}`,
    '',
    `Begun ${new Date(first * 1000).toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 1e9)} GB.`,
    '',
    '| part | result | minutes | what |',
    '|---|---|--:|---|',
    ...rows.map(({ name, result, minutes, what }) => `| ${name} | ${result} | ${minutes} | ${what} |`),
    ...(missing.length === 0 ? [] : ['', `Not asked for: ${missing.join(', ')}.`]),
    ...rows.filter(({ result }) => result !== 'held').flatMap(endOfLogs),
  ];
  writeFileSync('reports/night.md', `${page.join('\n')}\n`);
}

/** The last lines of what a part printed that did not hold. */
function endOfLogs({ name, result, logs }) {
  return Array.from({ length: logs }, (_, index) => `${FOLDER}/${name}-${index + 1}.log`).flatMap((log) => [
    '',
    `## ${name}: ${result}`,
    '',
    `The end of \`${log}\`:`,
    '',
    ...readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(-30)
      .map((line) => `    ${line}`),
  ]);
}
