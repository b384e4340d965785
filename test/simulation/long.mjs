#!/usr/bin/env node
// Long runs of the simulation, outside the test runner:
//   npm run simulate -- [--cases N] [--seed S]     N random worlds from seed S on (default 10,000 from the time of day)
//   npm run simulate -- --pairs [--cases N]        every pair of all kinds of disturbances, in a random order
//   npm run simulate -- --replay NAME              plays one case again and prints its trace: `swarm 7`, or a scene, ` +hold`
//                                                  and ` +saved` where it ran so, and disturbances: `stop +hold:pause@8`
// The first failure is made as small as it can be, printed with its trace, and ends the run with 1.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { scriptOptions } from '../support/script-options.mjs';

const { values } = scriptOptions({
  options: {
    cases: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
    pairs: { type: 'boolean', default: false },
    replay: { type: 'string' },
  },
});

const folder = await mkdtemp(join(tmpdir(), 'tradeform-simulation-'));
const outfile = join(folder, 'long.mjs');
try {
  await build({
    entryPoints: [fileURLToPath(new URL('./long.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    sourcemap: 'inline',
    logLevel: 'error',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  const { main } = await import(pathToFileURL(outfile).href);
  process.exitCode = await main(values);
} finally {
  await rm(folder, { recursive: true });
}
