// How fast tradeform starts, as ratios against an empty Node in the same run:
//   node test/bench/startup.mjs [runs]
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const RUNS = Math.max(15, Number(process.argv[2] ?? 21));
const EXECUTABLE = 'dist/tradeform.cjs';
const PROJECT = 'examples/quickstart';

const cases = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'tradeform --version', args: [EXECUTABLE, '--version'], goal: 1.3 },
  { name: 'tradeform --help', args: [EXECUTABLE, '--help'] },
  ...(existsSync(PROJECT)
    ? [{ name: `tradeform validate (${PROJECT})`, args: [EXECUTABLE, 'validate', '-C', PROJECT], goal: 2 }]
    : []),
];

function milliseconds(args) {
  const begun = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args);
  const elapsed = Number(process.hrtime.bigint() - begun) / 1e6;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}\n${stderr}`);
  return elapsed;
}

const times = cases.map(() => []);
for (const { args } of cases) milliseconds(args);
for (let run = 0; run < RUNS; run += 1) {
  for (const [index, { args }] of cases.entries()) times[index].push(milliseconds(args));
}

function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return { min: sorted[0], median: sorted[Math.floor(sorted.length / 2)], max: sorted.at(-1) };
}

const floor = spread(times[0]);
console.log(
  `${RUNS} interleaved runs, Node ${process.versions.node}; ratio = median ÷ median of the floor\n`,
);
console.log(
  `${'case'.padEnd(44)}${'min'.padStart(8)}${'median'.padStart(8)}${'max'.padStart(8)}   ratio  goal`,
);
for (const [index, { name, goal }] of cases.entries()) {
  const { min, median, max } = spread(times[index]);
  const cells = [min, median, max].map((value) => value.toFixed(1).padStart(8)).join('');
  const ratio = (median / floor.median).toFixed(2).padStart(8);
  console.log(`${name.padEnd(44)}${cells}${ratio}${goal === undefined ? '' : `  ≤ ${goal}`}`);
}
