import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** One more than there are cores, because some tests wait. Each loads all modules: 3 s of processor time for the rooms without processes. */
const WORKERS = availableParallelism() + 1;

const MEMORY = '/dev/shm';
/** In bytes; a run needs a tenth of it. */
const ROOM = 1_000_000_000;

/**
 * Whether there is a file system in memory with room: tests make and remove some 100,000 files, and a disk takes an eighth of their
 * time for that. Some tests write programs, so it must be allowed to start them.
 */
function hasMemory(): boolean {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : '';
  const options = [...mounts.matchAll(/^\S+ \/dev\/shm (?:tmpfs )?(\S+)/gm)].at(-1)?.[1] ?? 'noexec';
  if (process.env.TMPDIR !== undefined || /\b(?:ro|noexec)\b/.test(options)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ROOM;
}

/** The name is short, because the path of a socket may have only about 100 characters. */
function temporaryFolder(): string {
  try {
    if (hasMemory()) return mkdtempSync(join(MEMORY, 'tf-'));
  } catch {
    // It looked usable, and is not: the usual place is.
  }
  return mkdtempSync(join(tmpdir(), 'tf-'));
}

/**
 * Temporary files of all tests, of which nothing stays, also where a test fails or is left out. Vitest loads this file again for
 * each project.
 */
if (process.env.TRADEFORM_SCRATCH === undefined) {
  const scratch = temporaryFolder();
  Object.assign(process.env, { TMPDIR: scratch, TRADEFORM_SCRATCH: scratch });
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
}

/** First those that start many processes: a start costs by the memory of the worker, which grows. Then those that take long. */
const FIRST = [
  'http',
  'e2e',
  'ci',
  'hostile',
  'project',
  'features',
  'cmd',
  'examples',
  'browser',
  'terminal',
  'simulation',
  'act',
];

/** By folder; within one as Vitest does, on a fresh clone the larger files first. */
class ByFolder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const [, folder = ''] = /\/test\/([\w-]+)\//.exec(moduleId) ?? [];
      return FIRST.includes(folder) ? FIRST.indexOf(folder) : FIRST.length;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: ByFolder },
    setupFiles: ['test/setup.ts'],
    // Vitest leaves style sheets empty, also where their text is asked for.
    css: { include: [/\/src\/kit\/html\//] },
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
