// Runs one program to its end and says what it took.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PRELOAD = fileURLToPath(new URL('./peak-memory.cjs', import.meta.url));
/** The shell says what whole processes took, their beginning and end and their children included, in hundredths of a second. */
const SHELL = 'for run in $RUNS; do "$@" || exit; done; times > "$USAGE/times"';

/**
 * Runs Node with these arguments, `times` over: when it began (ms since the epoch), wall time and CPU (user and system) of one run in
 * milliseconds, and its peak memory in MB where that is asked for. Throws where the program fails.
 */
export async function measure(args, { env = {}, times = 1, memory = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tradeform-usage-'));
  try {
    const begun = Date.now();
    const since = process.hrtime.bigint();
    const preload = memory ? ['--require', PRELOAD] : [];
    const child = spawn('sh', ['-c', SHELL, 'sh', process.execPath, ...preload, ...args], {
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, TRADEFORM_JOURNAL: '', ...env },
        ...{ USAGE: folder, RUNS: Array(times).fill('x').join(' ') },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        output[name] += text;
      });
    }
    const [code] = await once(child, 'close');
    const wall = Number(process.hrtime.bigint() - since) / 1e6 / times;
    if (code !== 0)
      throw new Error(
        `${args.join(' ')} ended with ${code}\n${output.stderr}\n${output.stdout.slice(0, 2_000)}`,
      );
    const [, ofChildren = ''] = readFileSync(join(folder, 'times'), 'utf8').split('\n');
    const peak = memory ? Number(readFileSync(join(folder, 'memory'), 'utf8')) : undefined;
    return { begun, wall, cpu: millisecondsOf(ofChildren) / times, memory: peak, ...output };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `0m1.230s 0m0.120s`: both together. */
function millisecondsOf(text) {
  const parts = [...text.matchAll(/([0-9]+)m([0-9.]+)s/g)];
  return parts.reduce(
    (sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1_000,
    0,
  );
}
