import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { versionDigest } from '../../src/core/desired/version.ts';
import { readProject } from '../../src/core/project/project.ts';
import { createWorld } from '../support/world.ts';
import { seedOf } from './account.mjs';
import { writeProject } from './manifests.mjs';
import { median, ratios } from './statistics.mjs';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tradeform-bench-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

const SIZE = { tasks: 60, labels: 3 };

/** What the bench measures is what it says: the account is as the manifests want it, but for the changes that it plants. */
async function planned(settings: { readonly changed?: number; readonly owned?: number }) {
  const [account] = seedOf({ ...SIZE, ...settings }, versionDigest).accounts;
  writeProject(folder, { ...SIZE, ...settings, tasks: settings.owned ?? SIZE.tasks });
  const { state, diagnostics } = await readProject({
    cwd: folder,
    projectFile: undefined,
    environment: undefined,
  });
  if (state === undefined || account === undefined) throw new Error(JSON.stringify(diagnostics));
  return { diagnostics, plan: await createWorld(account).plan(state) };
}

describe('the account of the bench', () => {
  test('matches its manifests, without a warning', async () => {
    const { diagnostics, plan } = await planned({});
    expect(diagnostics).toEqual([]);
    expect(plan.diagnostics).toEqual([]);
    expect(plan.operations).toEqual([]);
    expect(plan.summary).toMatchObject({ unchanged: SIZE.tasks + SIZE.labels, unmanaged: 0, foreign: 0 });
    expect(plan.exposure.kinds.map(({ kind }) => kind)).toEqual(['sniper', 'copy-trade', 'transfer-snipe']);
  });

  test('has the requested number of running tasks whose config changes', async () => {
    const { plan } = await planned({ changed: 12 });
    expect(plan.changes.map(({ actions }) => actions)).toEqual(Array(12).fill(['update']));
    const verbs = plan.operations.map(({ verb }) => verb);
    expect(verbs.filter((verb) => verb === 'pause')).toHaveLength(12);
    expect(verbs.filter((verb) => verb === 'resume')).toHaveLength(12);
  });

  test('leaves tasks without a manifest to another project', async () => {
    const { plan } = await planned({ owned: 10 });
    expect(plan.operations).toEqual([]);
    expect(plan.summary).toMatchObject({ foreign: SIZE.tasks - 10 });
  });
});

describe('statistics', () => {
  test('the median of an even number is between the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([3, 1, 2])).toBe(2);
  });

  test('each run is compared with the floor directly before it', () => {
    expect(ratios([2, 6, 20], [1, 2, 4])).toEqual({ min: 2, median: 3, max: 5 });
  });
});
