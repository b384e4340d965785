import { BaseSequencer } from 'vitest/node';
import { FIRST, LAST, QUICK, SUITE } from './suite.mjs';

const folders = (process.env.MUTATED ?? Object.keys(SUITE).join()).split(',');

class QuickFirst extends BaseSequencer {
  sort(files) {
    const at = (list, id) => list.findIndex((file) => id.endsWith(file));
    const isOfCommand = ({ moduleId }) => moduleId.includes('/test/features/');
    const rank = ({ moduleId }) => (at(FIRST, moduleId) >= 0 ? -1 : at(LAST, moduleId) + 1);
    return files.toSorted((one, other) => rank(one) - rank(other) || isOfCommand(one) - isOfCommand(other));
  }
}

// biome-ignore lint/style/noDefaultExport: so that Vitest finds it.
export default {
  test: {
    exclude: process.env.QUICK ? LAST : [],
    include: [...new Set(folders.flatMap((folder) => (process.env.QUICK ? QUICK : SUITE)[folder]))],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/setup.ts', 'test/mutation/setup.mjs'],
    sequence: { sequencer: QuickFirst },
    isolate: false,
  },
};
