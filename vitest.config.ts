import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Half of the files wait for processes that they started. */
const WORKERS = availableParallelism() * 2;

/**
 * Temporary files of all tests, of which nothing stays, also where a test fails or is left out. The name is short, because the
 * path of a socket may have only about 100 characters. Vitest loads this file again for each project.
 */
if (process.env.TRADEFORM_SCRATCH === undefined) {
  const scratch = mkdtempSync(join(tmpdir(), 'tf-'));
  Object.assign(process.env, { TMPDIR: scratch, TRADEFORM_SCRATCH: scratch });
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
}

export default defineConfig({
  test: {
    // Vitest leaves style sheets empty, also where their text is asked for.
    css: { include: [/\/src\/render\/html\//] },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The modules keep nothing between tests, and loading them again for each file would take a third of the processor time.
    isolate: false,
    maxWorkers: WORKERS,
    // Each one reads and loads all modules anew: no more of them than need another setting. All run side by side, so that no
    // worker is idle while the last file of another project ends.
    projects: [
      {
        extends: true,
        test: {
          name: 'source',
          include: ['test/**/*.test.ts'],
          exclude: ['test/http/**'],
        },
      },
      // Against the packed executable, which is made once before them.
      {
        extends: true,
        test: {
          name: 'http',
          include: ['test/http/**/*.test.ts'],
          globalSetup: 'test/http/packed.ts',
        },
      },
    ],
  },
});
