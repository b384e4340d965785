import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Half of the files wait for processes that they started, a fifth of the time in all. */
const WORKERS = Math.ceil(availableParallelism() * 1.5);

export default defineConfig({
  test: {
    // Vitest leaves style sheets empty, also where their text is asked for.
    css: { include: [/\/src\/render\/html\//] },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The modules keep nothing between tests, and loading them again for each file would take a third of the processor time.
    isolate: false,
    // Each one reads and loads all modules anew: no more of them than need another setting.
    projects: [
      {
        extends: true,
        test: {
          name: 'source',
          include: ['test/**/*.test.ts'],
          exclude: ['test/http/**', 'test/simulation/**'],
          maxWorkers: WORKERS,
        },
      },
      // After the others, and side by side: while the one waits for its processes, the other computes.
      {
        extends: true,
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      // Against the packed executable, which is made once before them.
      {
        extends: true,
        test: {
          name: 'http',
          include: ['test/http/**/*.test.ts'],
          globalSetup: 'test/http/packed.ts',
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
