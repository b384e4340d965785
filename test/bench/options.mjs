import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const CASES = ['startup', 'plan', 'validate', 'apply'];

export const HELP = `npm run bench -- [options]

  --only CASES         of ${CASES.join(',')}; default all: about 15 minutes on two idle cores
  --sizes NUMBERS      tasks; default 100,1000,10000,50000
  --latencies NUMBERS  milliseconds before each answer; default 0,20,100
  --runs NUMBER        of floor and tradeform in turn; default 3 (above 10,000 tasks always 1)
  --program FILE       another tradeform than dist/tradeform.cjs, such as an earlier build
  --quick              small sizes, two runs, a minute: shows that everything works, proves nothing
`;

const PROGRAM = fileURLToPath(new URL('../../dist/tradeform.cjs', import.meta.url));
const GOAL_SIZE = 10_000;
const QUICK = { sizes: [100, 1_000], latencies: [0, 20], runs: 2, changes: 100 };
const FULL = {
  sizes: [100, 1_000, 10_000, 50_000],
  latencies: [0, 20, 100],
  runs: 3,
  changes: 1_000,
};

/** What is measured, or undefined where only help was asked for. Throws for options that do not exist. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      sizes: { type: 'string' },
      latencies: { type: 'string' },
      runs: { type: 'string' },
      program: { type: 'string' },
      quick: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return undefined;
  const preset = values.quick ? QUICK : FULL;
  const only = values.only?.split(',') ?? CASES;
  const unknown = only.filter((name) => !CASES.includes(name));
  if (unknown.length > 0) throw new Error(`no case is called ${unknown.join(', ')}\n\n${HELP}`);
  const sizes = numbers(values.sizes) ?? preset.sizes;
  return {
    ...preset,
    only,
    program: values.program === undefined ? PROGRAM : resolve(values.program),
    sizes,
    /** The size that goals are about: 10,000 tasks, or the next smaller one that is measured. */
    goalSize: Math.max(...sizes.filter((tasks) => tasks <= GOAL_SIZE), Math.min(...sizes)),
    latencies: numbers(values.latencies) ?? preset.latencies,
    runs: numbers(values.runs)?.[0] ?? preset.runs,
  };
}

function numbers(text) {
  if (text === undefined) return undefined;
  const read = text.split(',').map(Number);
  if (!read.every((value) => Number.isInteger(value) && value >= 0))
    throw new Error(`${text}: whole numbers\n\n${HELP}`);
  return read;
}
