// npm run simulate:fleet: a fleet of many accounts against one sandbox process, in 1, 4 and 16 shards at the same time.
//   --apply: instead of a plan, each account gets one changed task, anew for each number of shards
//   --accounts 500  --tasks 200  --shards 1,4,16  --limit 5 (requests a second for each token)  --latency 50 (ms)  --timeout 60s
// Every twentieth account fails, each in another way. Ends with 1 if an account is missing from the report or has another result
// than it must have, if anything of one account reached another, or if an account is refused more often than it is served.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptOptions } from '../support/script-options.mjs';
import { accountOf, labelNames, PROJECT, taskOf } from './account.mjs';
import { taskText } from './manifests.mjs';
import { bundleSandbox, startService } from './service.mjs';

const text = (value) => ({ type: 'string', default: value });
const { values } = scriptOptions({
  options: {
    accounts: text('500'),
    tasks: text('200'),
    shards: text('1,4,16'),
    limit: text('5'),
    latency: text('50'),
    timeout: text('60s'),
    apply: { type: 'boolean', default: false },
  },
});
const [accounts, tasks, limit, latency] = ['accounts', 'tasks', 'limit', 'latency'].map((name) =>
  Number(values[name]),
);
const PROGRAM = fileURLToPath(new URL('../../dist/tradeform.cjs', import.meta.url));
const PRELOAD = fileURLToPath(new URL('./peak-memory.cjs', import.meta.url));
const LABELS = 5;
const WINDOW = 1_000;

/** How a unit fails: what it must end with, and a fault of the service for its token or a change of what belongs to it. */
const WAYS = [
  { result: 'failed', fault: { type: 'error', code: 'internal_error' } },
  { result: 'failed', fault: { type: 'html' } },
  { result: 'failed', fault: { type: 'drop' } },
  { result: 'failed', fault: { type: 'hang' } },
  { result: 'failed', fault: { type: 'truncate' } },
  { result: 'failed', fault: { type: 'rate-limit', max: 0, window_ms: WINDOW } },
  { result: 'failed', token: ({ index }) => `svc_live_${String(index).padStart(8, '0')}.revoked` },
  { result: 'invalid', token: () => undefined },
  { result: 'refused', token: ({ index }) => accountOf(accounts + Math.floor(index / 260)).token },
  { result: 'invalid', project: '  base_url: https://elsewhere.invalid/v1\n' },
  { result: 'invalid', manifests: () => 'kind: Nothing\n' },
  {
    result: 'refused',
    manifests: (own) => own.replace(/(buy_amount|amount_sol): ["']?0\.(\d+)["']?/, '$1: "99.$2"'),
  },
  {
    result: 'differs',
    manifests: (own) => own.replace(/buy_amount: ["']?0\.(\d)\d+["']?/, 'buy_amount: "0.$199"'),
  },
];

const folder = mkdtempSync(join(tmpdir(), 'tradeform-fleet-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(
  `${accounts} accounts of ${tasks} tasks, ${limit} requests a second for each token, ${latency} ms for each answer`,
);
const units = Array.from({ length: accounts }, (_item, index) => {
  const way = index % 20 === 19 ? WAYS[Math.floor(index / 20) % WAYS.length] : undefined;
  return { index, ...accountOf(index), way, unit: `unit-${String(index).padStart(3, '0')}` };
});
const service = await startService(await bundleSandbox(folder), {
  tasks,
  labels: LABELS,
  // The last are not of the fleet: a unit has the token of such an account by mistake.
  accounts: accounts + Math.ceil(accounts / 260),
});
try {
  writeFleet();
  const rules = units.map(({ way, token }) => ({ token: token.split('.')[0], times: 0, fault: way?.fault }));
  const limits = rules.map((rule) => ({
    ...rule,
    fault: { type: 'rate-limit', max: limit, window_ms: WINDOW },
  }));
  const delay = { times: 0, fault: { type: 'delay', ms: latency } };
  await service.addFaults([delay, ...rules.filter(({ fault }) => fault !== undefined), ...limits]);
  const rows = [];
  let former;
  for (const [index, of] of values.shards.split(',').map(Number).entries()) {
    if (values.apply) for (const unit of units) writeManifests(unit, index + 1);
    const { row, merged } = await run(of);
    rows.push(row);
    assert.deepEqual(merged, former ?? merged, `${of} shards give another report`);
    former = merged;
  }
  console.log(
    `\n${cpus().length} cores, load ${loadavg()[0].toFixed(1)} at the end, Node ${process.version}\n`,
  );
  console.log('| shards | wall | CPU | memory of the largest | of all | requests | asked to wait |');
  console.log('|---|---|---|---|---|---|---|');
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
} finally {
  await service.stop();
}

function writeFleet() {
  mkdirSync(join(folder, 'tokens'));
  for (const { index, unit, way, token } of units) {
    const home = join(folder, 'accounts', unit);
    mkdirSync(join(home, 'manifests'), { recursive: true });
    const head = `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: ${PROJECT} }\nspec:\n`;
    writeFileSync(
      join(home, 'tradeform.yaml'),
      `${head}${way?.project ?? '  guardrails: { max_changes: 100% }\n'}`,
    );
    writeManifests({ index, unit, way });
    const given = way?.token === undefined ? token : way.token({ index });
    if (given !== undefined) writeFileSync(join(folder, 'tokens', unit), given, { mode: 0o600 });
  }
  const entries = units.map(
    ({ unit, name }) =>
      `    - { name: ${unit}, project: accounts/${unit}, token_file: tokens/${unit}, account: { login_username: ${name} } }`,
  );
  const head = `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: sim }\nspec:\n  base_url: ${service.baseUrl}\n  units:\n`;
  writeFileSync(join(folder, 'fleet.yaml'), `${head}${entries.join('\n')}\n`);
}

/** As the service has them, but for the first task that runs: its amounts are those of a revision. */
function writeManifests({ index, unit, way }, revision = 0) {
  const labels = labelNames(LABELS);
  const labelTexts = labels.map(
    (name, at) =>
      `apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: ${name} }\nspec:\n  sort_order: ${at}\n`,
  );
  const numbers = Array.from({ length: tasks }, (_item, at) => index * tasks + at);
  const changed = numbers.find((number) => taskOf(number, { labels }).active);
  const texts = numbers.map((number) =>
    taskText(taskOf(number, { labels, ...(number === changed ? { revision } : {}) })),
  );
  const own = [...labelTexts, ...texts].join('---\n');
  writeFileSync(join(folder, 'accounts', unit, 'manifests/all.yaml'), way?.manifests?.(own) ?? own);
}

/** Of an apply nothing differs afterwards. */
function resultOf({ way }) {
  const { result = 'ok' } = way ?? {};
  return values.apply && result === 'differs' ? 'ok' : result;
}

/** One plan or apply of the whole fleet in `of` processes at the same time. */
async function run(of) {
  await service.clearLog();
  const home = join(folder, `run-${of}`);
  mkdirSync(home);
  const begun = performance.now();
  const used = await Promise.all(Array.from({ length: of }, (_item, at) => shard(home, at + 1, of)));
  const wall = (performance.now() - begun) / 1_000;
  const merging = [PROGRAM, 'fleet', 'merge', home, '--run', `sim-${of}`, '-o', 'json', '-q'];
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 31 };
  let printed;
  try {
    printed = execFileSync(process.execPath, merging, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  } catch (error) {
    // It ends with the code of the worst unit.
    printed = error.stdout;
  }
  const report = JSON.parse(printed);
  check(report, printed);
  const { requests, waits } = checkLog(await service.log());
  const sum = (name) => used.reduce((total, one) => total + one[name], 0);
  const row = [
    of,
    `${wall.toFixed(0)} s`,
    `${sum('cpu').toFixed(0)} s`,
    `${Math.max(...used.map(({ memory }) => memory)).toFixed(0)} MB`,
    `${sum('memory').toFixed(0)} MB`,
    requests,
    waits,
  ];
  console.log(`${of} shards: ${row.slice(1).join(', ')}`);
  const merged = report.units.map(({ name, result, digest, stakes }) =>
    values.apply ? { name, result } : { name, result, digest, stakes },
  );
  return { row, merged: merged.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

async function shard(home, index, of) {
  const usage = mkdtempSync(join(folder, 'usage-'));
  const named = [
    '--shard',
    `${index}/${of}`,
    '--run',
    `sim-${of}`,
    '--report',
    `json=${join(home, `${index}.json`)}`,
  ];
  const command = values.apply ? ['apply', '--auto-approve'] : ['plan', '--detailed-exitcode'];
  const args = ['fleet', ...command, '--timeout', values.timeout, '--quiet', ...named];
  const child = spawn(process.execPath, ['--require', PRELOAD, PROGRAM, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, USAGE: usage },
    stdio: 'ignore',
  });
  await once(child, 'exit');
  const [memory, cpu] = ['memory', 'cpu'].map((name) => Number(readFileSync(join(usage, name), 'utf8')));
  return { memory, cpu };
}

/** Every unit is there once, ended as it must, and with nothing of another account. */
function check(report, printed) {
  const known = new Map(units.map((one) => [one.unit, one]));
  assert.deepEqual(report.units.map(({ name }) => name).sort(), [...known.keys()].sort());
  const others = report.units.filter(({ name, result }) => result !== resultOf(known.get(name)));
  const said = others.map(({ name, result, diagnostics }) => [
    name,
    known.get(name).way,
    result,
    diagnostics,
  ]);
  assert.equal(said.length, 0, JSON.stringify(said, undefined, 1));
  for (const { name, account, document } of report.units) {
    const own = known.get(name);
    if (account !== null) assert.equal(account, own.name, `${name} has the account ${account}`);
    for (const [, number] of JSON.stringify(document).matchAll(
      /(?:sniper|copy-trade|transfer-snipe)-(\d{5,})/g,
    ))
      assert.equal(Math.floor(Number(number) / tasks), own.index, `${name} shows the task ${number}`);
  }
  for (const { token } of units) assert(!printed.includes(token.split('.')[1]), 'a token was printed');
}

/** Nothing was written, or one task of each account that must be ok; and no account that is well was refused more often than it was served: who is asked to wait waits. */
function checkLog(entries) {
  const isRefused = ({ code }) => code === 'rate_limit_exceeded';
  const byToken = groupByToken(entries);
  for (const unit of units) {
    const own = byToken.get(unit.token.split('.')[0]) ?? [];
    const written = own.filter(({ method, status }) => method !== 'GET' && status < 300);
    assert.equal(
      written.length > 0,
      values.apply && resultOf(unit) === 'ok',
      `${unit.unit}: ${written.length} writes`,
    );
  }
  for (const { token } of units.filter(({ way }) => way === undefined)) {
    const own = byToken.get(token.split('.')[0]) ?? [];
    const refused = own.filter(isRefused).length;
    assert(refused <= own.length - refused, `${token.split('.')[0]}: ${refused} of ${own.length} refused`);
  }
  return { requests: entries.length, waits: entries.filter(isRefused).length };
}

function groupByToken(entries) {
  const groups = new Map();
  for (const entry of entries) {
    const own = groups.get(entry.token_prefix);
    if (own === undefined) groups.set(entry.token_prefix, [entry]);
    else own.push(entry);
  }
  return groups;
}
