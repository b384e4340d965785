// npm run bench: what tradeform takes, against floors of the same run, from the package as users install it.
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptOptions } from '../support/script-options.mjs';
import { measureApply } from './apply.mjs';
import { writeProject } from './manifests.mjs';
import { measure } from './measure.mjs';
import { measurePause } from './pause.mjs';
import { bundleSandbox, startService } from './service.mjs';
import { ratios, spread } from './statistics.mjs';

const HELP = `npm run bench -- [options]

  --only CASES    of start,plan,small,network,pause,apply; default all: about 25 minutes on two idle cores
  --runs NUMBER   of floor and tradeform in turn; default 5
  --program FILE  a tradeform.cjs to measure instead of the packed package
  --quick         small sizes, two runs: shows that everything works, proves nothing
`;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IDENTITY = [
  '-c',
  'user.name=bench',
  '-c',
  'user.email=bench@example.com',
  '-c',
  'commit.gpgsign=false',
];
const FLOOR = fileURLToPath(new URL('./plan-floor.mjs', import.meta.url));

const { values } = scriptOptions({
  options: {
    only: { type: 'string', default: 'start,plan,small,network,pause,apply' },
    runs: { type: 'string' },
    program: { type: 'string' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const runs = Number(values.runs ?? (values.quick ? 2 : 5));
/** As many as stand in the name of a case, or a tenth. */
const size = (tasks) => (values.quick ? tasks / 10 : tasks);
const CASES = {
  ...{ start: benchStart, plan: benchPlan, small: benchSmall },
  ...{ network: benchNetwork, pause: benchPause, apply: benchApply },
};

async function bench(only) {
  const work = mkdtempSync(join(tmpdir(), 'tradeform-bench-'));
  const load = () => `load ${loadavg()[0].toFixed(1)}`;
  console.log(
    `Node ${process.versions.node}, ${cpus().length} cores, ${runs} runs, ${load()} at the beginning\n`,
  );
  try {
    const program = values.program === undefined ? installPacked(work) : resolve(values.program);
    const context = { work, program, bundle: await bundleSandbox(work) };
    console.log('| case | floor | tradeform | ratio: least, median, most | goal |\n|---|---|---|---|---|');
    for (const name of only) await CASES[name](context);
    console.log(`\n${load()} at the end`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What a user gets: packed, and installed into an empty folder. */
function installPacked(work) {
  const npm = (args, cwd) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  npm(['pack', '--pack-destination', work], ROOT);
  const file = readdirSync(work).find((name) => name.endsWith('.tgz'));
  const folder = join(work, 'installed');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  npm(['install', '--offline', '--no-audit', '--no-fund', join(work, file)], folder);
  return join(folder, 'node_modules/tradeform/dist/tradeform.cjs');
}

/** One row: `least`, where given, is a floor of each run; a goal is met by the median. */
function row(name, goal, measured, least, show) {
  const { min, median, max } = least === undefined ? spread(measured) : ratios(measured, least);
  const figures = [min, median, max].map((value) => value.toFixed(2)).join(' ');
  const both = [least, measured].map((all) => (all === undefined || !show ? '' : show(spread(all).median)));
  const verdict = goal === undefined ? '' : `${goal} ${median <= goal ? 'met' : 'NOT MET'}`;
  console.log(`| ${name} | ${both.join(' | ')} | ${figures} | ${verdict} |`);
}

const seconds = (ms) => `${(ms / 1_000).toFixed(2)} s`;
const megabytes = (value) => `${value.toFixed(0)} MB`;

async function benchStart({ work, program }) {
  const empty = join(work, 'empty.cjs');
  writeFileSync(empty, '');
  const quickstart = join(ROOT, 'examples/quickstart');
  for (const [args, goal] of [
    [['--help'], 1.5],
    [['validate', '-C', quickstart], 4],
  ]) {
    const times = 10;
    const [floor, own] = await inTurn(runs, [
      () => measure([empty], { times }),
      () => measure([program, ...args], { times }),
    ]);
    row(`\`${args[0]}\`, CPU`, goal, cpuOf(own), cpuOf(floor), (ms) => `${ms.toFixed(0)} ms`);
  }
}

/** Cold, with one file edited, and the third identical run: each against a floor that is taken right before it. */
async function benchPlan(context) {
  const goals = { 100: [], 1000: [12], 10000: [15, 6, 4] };
  for (const tasks of Object.keys(goals).map((key) => size(Number(key)))) {
    const [cold, edited, repeated] = goals[values.quick ? tasks * 10 : tasks];
    await onAccount(context, { tasks, labels: 1 }, async ({ floor, plan, files, forget }) => {
      const planCold = () => {
        forget();
        return plan();
      };
      const planEdited = () => {
        appendFileSync(files[0], '# edited\n');
        return plan();
      };
      const first = await inTurn(runs, [floor, planCold]);
      const second = await inTurn(runs, [floor, planEdited]);
      await plan();
      const third = await inTurn(runs, [floor, plan]);
      const name = `plan, ${tasks.toLocaleString('en')} tasks`;
      row(`${name}, cold, CPU`, cold, cpuOf(first[1]), cpuOf(first[0]), seconds);
      row(`${name}, one file edited, CPU`, edited, cpuOf(second[1]), cpuOf(second[0]), seconds);
      row(`${name}, repeated, CPU`, repeated, cpuOf(third[1]), cpuOf(third[0]), seconds);
      if (tasks === size(10_000))
        row(`${name}, cold, peak memory`, 3, of(first[1], 'memory'), of(first[0], 'memory'), megabytes);
      if (tasks === size(100))
        row(
          `${name}, repeated, CPU in seconds`,
          0.25,
          cpuOf(third[1]).map((ms) => ms / 1_000),
        );
    });
  }
}

async function benchNetwork(context) {
  const cases = [
    { tasks: 3_000, labels: 1, latency: 0, requests: 1.1 },
    { tasks: 10_000, labels: 1, latency: 20, wall: 2.2 },
    { tasks: 10_000, labels: 20, latency: 20, requests: 1.1, wall: 2 },
    { tasks: 10_000, labels: 20, latency: 100, wall: 0.6 },
  ];
  for (const { tasks: most, labels, latency, requests, wall } of cases) {
    const tasks = size(most);
    await onAccount(context, { tasks, labels, latency }, async ({ floor, plan }) => {
      const [least, own] = await inTurn(Math.min(3, runs), [floor, plan]);
      const name = `plan, ${tasks.toLocaleString('en')} tasks, ${labels} ${labels === 1 ? 'label' : 'labels'}`;
      if (requests !== undefined)
        row(`${name}, requests`, requests, of(own, 'requests'), of(least, 'requests'), String);
      if (wall !== undefined)
        row(`${name}, ${latency} ms, wall`, wall, of(own, 'wall'), of(least, 'wall'), seconds);
    });
  }
}

/**
 * A small account far away, over TLS: a plan may take as long as its three round trips, the start of Node, and what tradeform needs
 * to start. In a folder without a repository, and in a clone, compared with the branch that it merges into.
 */
async function benchSmall(context) {
  const [tasks, latency, allowed] = [size(100), 100, 150];
  for (const kinds of [1, 3]) {
    const sizes = { tasks, labels: 1, kinds, latency, tls: true };
    await onAccount(context, sizes, async ({ floor, plan, clone, forget }) => {
      const planCold = (options) => () => {
        forget();
        return plan(options);
      };
      const based = clone();
      const [least, own, withBase] = await inTurn(runs, [
        floor,
        planCold(),
        planCold({ folder: based, args: ['--base', 'main'] }),
      ]);
      const bound = of(least, 'wall').map((ms) => ms + allowed);
      const name = `plan, ${tasks} tasks, ${kinds} ${kinds === 1 ? 'kind' : 'kinds'}, ${latency} ms, TLS`;
      row(`${name}, wall ÷ (floor + ${allowed} ms)`, 1.25, of(own, 'wall'), bound, seconds);
      row(`${name}, --base, wall ÷ (floor + ${allowed} ms)`, 1.25, of(withBase, 'wall'), bound, seconds);
    });
  }
}

async function benchPause(context) {
  const tasks = size(1_000);
  for (const latency of [20, 100]) {
    const results = await measurePause(context, { tasks, latency, runs: Math.min(3, runs) });
    const [floors, own] = [of(results, 'floor'), of(results, 'own')];
    const name = `pause --all, ${own[0].count} of ${tasks.toLocaleString('en')} tasks, ${latency} ms, TLS`;
    row(`${name}, to the first pause`, 1.3, of(own, 'first'), of(floors, 'first'), seconds);
    row(`${name}, to the last pause`, undefined, of(own, 'last'), of(floors, 'last'), seconds);
  }
}

async function benchApply(context) {
  const settings = { changes: size(1_000), latency: 20, concurrency: 16, runs: 1 };
  const applies = [false, true].map((mixed) => () => measureApply(context, { ...settings, mixed }));
  const [results, mixed] = (await inTurn(Math.min(3, runs), applies)).map((all) => all.flat());
  const name = `apply, ${settings.changes.toLocaleString('en')} changes`;
  row(
    `${name}, wall ÷ (requests × latency ÷ concurrency)`,
    1.45,
    of(results, 'wall'),
    of(results, 'least'),
    seconds,
  );
  row(
    `${name}, mean pause ÷ round trip`,
    2.15,
    of(results, 'paused'),
    of(results, 'roundTrip'),
    (ms) => `${ms.toFixed(0)} ms`,
  );
  // What lowers goes first: an order that raises alone do not need.
  row(`${name}, cuts and raises mixed ÷ raises alone`, 1.05, of(mixed, 'wall'), of(results, 'wall'), seconds);
}

/** A service with an account of this size, and the project that describes it. */
async function onAccount({ work, program, bundle }, { latency = 0, tls = false, ...sizes }, use) {
  const project = join(work, 'project');
  const home = join(work, 'home');
  const files = writeProject(project, sizes);
  const service = await startService(bundle, sizes);
  const plainly = { BENCH_BASE_URL: service.baseUrl, TRADEFORM_BASE_URL: service.baseUrl };
  const env = { ...service.env, ...(tls ? {} : plainly), HOME: home };
  const served = async (run) => ({ ...run, ...(await service.figures()), cpu: run.cpu });
  try {
    await service.setLatency(latency);
    await service.figures();
    await use({
      files,
      forget: () => rmSync(home, { recursive: true, force: true }),
      floor: async () => served(await measure([FLOOR], { env, memory: true })),
      /** A clone of a repository with the project: a branch with one change that plans nothing. */
      clone() {
        const [origin, folder] = [join(work, 'origin'), join(work, 'clone')];
        const git = (cwd, ...args) =>
          execFileSync('git', ['-C', cwd, ...IDENTITY, ...args], { stdio: 'ignore' });
        for (const path of [origin, folder]) rmSync(path, { recursive: true, force: true });
        cpSync(project, origin, { recursive: true });
        git(origin, 'init', '-b', 'main');
        git(origin, 'add', '.');
        git(origin, 'commit', '-m', 'tasks');
        git(work, 'clone', origin, folder);
        git(folder, 'switch', '-c', 'change');
        appendFileSync(join(folder, 'manifests/labels.yaml'), '# changed\n');
        git(folder, 'commit', '-a', '-m', 'change');
        return folder;
      },
      async plan({ folder = project, args = [] } = {}) {
        const run = await measure([program, 'plan', '-C', folder, ...args], { env, memory: true });
        if (!run.stdout.includes('No changes.'))
          throw new Error(`the plan is not empty\n${run.stdout.slice(0, 2_000)}`);
        return served(run);
      },
    });
  } finally {
    await service.stop();
  }
}

/** Each in turn, so that what else the machine does meets all of them. */
async function inTurn(times, programs) {
  const results = programs.map(() => []);
  for (let run = 0; run < times; run += 1)
    for (const [index, program] of programs.entries()) results[index].push(await program());
  return results;
}

function of(results, what) {
  return results.map((result) => result[what]);
}

function cpuOf(results) {
  return of(results, 'cpu');
}

if (values.help) console.log(HELP);
else await bench(values.only.split(','));
