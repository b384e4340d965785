import { describe, expect, it } from 'vitest';
import { sampled } from '../support/sample.ts';
import { environmentsOf, exampleFolders, openExample } from './example.ts';

/** A new folder with a project file is run by itself; `npm test` plays a sample of its other environments. */
const CASES = exampleFolders().flatMap((folder, salt) => {
  const [first, ...others] = environmentsOf(folder);
  return [first, ...sampled(others, 4, salt)].map((environment) => ({ folder, environment }));
});

describe.each(CASES)('$folder $environment', ({ folder, environment }) => {
  it('is valid without a warning, is applied, and a second plan is empty and only reads', async () => {
    const example = await openExample(folder, environment);
    const validated = await example.validate();
    expect(validated).toMatchObject({ code: 0, stderr: '' });

    const report = await example.applied();
    const left = report.changes.filter(({ status }) => status !== 'done' && status !== 'held');
    expect({ outcome: report.outcome, left }).toEqual({ outcome: 'done', left: [] });

    example.sandbox.clearLog();
    const second = await example.plan({ output: 'json', detailedExitcode: true });
    expect(second).toMatchObject({ code: 0 });
    const plan = JSON.parse(second.stdout);
    expect(plan.operations).toEqual([]);
    // What was released stays, and nobody manages it.
    const released = report.changes.filter(({ actions }) => actions.includes('release')).length;
    expect(plan.summary).toMatchObject({ blocked: 0, unmanaged: released, foreign: 0 });
    expect(new Set(example.sandbox.log.map(({ method }) => method))).toEqual(new Set(['GET']));
  });
});

it('the quick start has all six kinds, and at least twelve tasks', async () => {
  const example = await openExample('quickstart', undefined);
  const { manifests } = JSON.parse((await example.validate({ output: 'json' })).stdout);
  expect(Object.keys(manifests).sort()).toEqual([
    'CopyTradeTask',
    'CopyTradeTemplate',
    'Label',
    'SniperTask',
    'SniperTemplate',
    'TransferSnipeTask',
  ]);
  const tasks = manifests.SniperTask + manifests.CopyTradeTask + manifests.TransferSnipeTask;
  expect(tasks).toBeGreaterThanOrEqual(12);
});
