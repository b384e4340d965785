import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Half of the files wait for processes that they started. */
const WORKERS = availableParallelism() * 2;

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
