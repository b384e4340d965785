// How fast tradeform starts, against an empty Node.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const QUICKSTART = fileURLToPath(new URL('../../examples/quickstart', import.meta.url));

const casesOf = (program) => [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'tradeform --version', args: [program, '--version'] },
  { name: 'tradeform --help', args: [program, '--help'] },
  { name: 'tradeform validate (quickstart)', args: [program, 'validate', '-C', QUICKSTART] },
];

/** Wall times in milliseconds by case, the cases in turn. */
export function measureStartup({ program, say }, { runs }) {
  say(`startup: ${runs} runs`);
  const cases = casesOf(program);
  const times = cases.map(({ name }) => ({ name, values: [] }));
  // The first run warms up.
  for (let run = 0; run <= runs; run += 1) {
    for (const [index, { args }] of cases.entries()) {
      const taken = milliseconds(args);
      if (run > 0) times[index].values.push(taken);
    }
  }
  return times;
}

function milliseconds(args) {
  const begun = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args);
  const elapsed = Number(process.hrtime.bigint() - begun) / 1e6;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}\n${stderr}`);
  return elapsed;
}
