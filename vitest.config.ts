import { defineConfig } from 'vitest/config';

/** Tests of rooms by themselves, in process: they need no build. */
const FAST = ['apply', 'desired', 'project', 'manifest', 'model', 'plan', 'render', 'schemas', 'service'];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: [`test/{${FAST.join()}}/**/*.test.ts`, 'test/architecture.test.ts'],
          // Modules of a pure room keep nothing between tests, and loading them anew for each file would take half of the time.
          isolate: false,
          // Vitest would leave one of two cores idle.
          maxWorkers: '100%',
        },
      },
      {
        extends: true,
        test: {
          name: 'source',
          include: ['test/**/*.test.ts'],
          exclude: [
            `test/{${FAST.join()}}/**`,
            'test/architecture.test.ts',
            'test/http/**',
            'test/simulation/**',
          ],
          maxWorkers: '100%',
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
