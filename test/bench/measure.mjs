// Runs one program to its end and says what it took.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PRELOAD = fileURLToPath(new URL('./usage.cjs', import.meta.url));

/**
 * Runs Node with these arguments: wall and CPU (user and system, children included) in milliseconds, peak memory in MB.
 * Throws where the program does not end with one of `codes`.
 */
export async function measure(args, { env = {}, codes = [0] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tradeform-usage-'));
  try {
    const begun = process.hrtime.bigint();
    const child = spawn(process.execPath, ['--require', PRELOAD, ...args], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, BENCH_USAGE: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        output[name] += text;
      });
    }
    const [code] = await once(child, 'close');
    const wall = Number(process.hrtime.bigint() - begun) / 1e6;
    if (!codes.includes(code)) {
      throw new Error(
        `${args.join(' ')} ended with ${code}\n${output.stderr}\n${output.stdout.slice(0, 2_000)}`,
      );
    }
    const used = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
    const sum = (name) => used.reduce((total, each) => total + each[name], 0);
    return { wall, cpu: sum('cpu'), memory: sum('memory'), ...output };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
