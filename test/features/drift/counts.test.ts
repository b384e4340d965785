import { beforeEach, expect, it } from 'vitest';
import { runStatus } from '../../../src/core/features/status/status.ts';
import type { StatusReport } from '../../../src/core/model/generated/status.ts';
import { type DriftRun, openDrift, task } from './drift-run.ts';

let run: DriftRun;
beforeEach(async () => {
  run = await openDrift();
  run.manifests({ alpha: task('alpha'), bravo: task('bravo', { target: 1 }) });
  run.commit();
  await run.applied();
});

const metrics = () => run.read('plan.prom');
const planned = async () => {
  const text = (await run.plan()).stdout.replace(/\s+/g, ' ');
  const plan = await run.planned({ metrics: 'plan.prom' });
  const status = await run.run((io) => runStatus([], { output: 'json' }, io));
  return { text, plan, status: JSON.parse(status.stdout) as StatusReport };
};

it('a clone with the marker of a running task trades for the project, and no line counts it as unmanaged', async () => {
  const { remark, config } = run.live('alpha');
  const made = { remark, config, target_wallet: '9wFFmLAAYZ2YhvFfcFAj5vFn4WoQoTq7BhSpYoJSPcGg' };
  const { id } = await run.call('POST', '/sniper/configs', made);
  await run.call('POST', `/sniper/configs/${id}/resume`, undefined, 1);
  const { text, plan, status } = await planned();
  expect(text).toContain('No changes. Nothing can be done: 1 blocked.');
  expect(text).not.toContain('unmanaged');
  expect(text).not.toContain('Unmanaged');
  expect([plan.summary.unmanaged, status.outside]).toEqual([0, []]);
  expect(metrics()).toMatch(/tradeform_unmanaged_running_tasks\{.*\} 0\n/);
});

it('a task that a plan releases trades on, and its plan says so beside the sum that it leaves', async () => {
  run.manifests({ bravo: null });
  run.write(
    'manifests/gone.yaml',
    'apiVersion: tradeform/v1\nkind: Removal\nmetadata: { name: gone }\nspec:\n  release: true\n  resources: [sniper/bravo]\n',
  );
  const { text, plan } = await planned();
  expect(plan.exposure).toMatchObject({ before: '1.003', after: '0.5015' });
  expect(text).toContain('2 → 1 trading · 1 released task trades on');
  expect(text).not.toMatch(/[Ss]tops/);

  const { id } = await run.call('POST', '/sniper/configs', {
    remark: '',
    config: run.live('alpha').config,
    target_wallet: '9wFFmLAAYZ2YhvFfcFAj5vFn4WoQoTq7BhSpYoJSPcGg',
  });
  await run.call('POST', `/sniper/configs/${id}/resume`, undefined, 1);
  expect((await planned()).text).toMatch(
    /SOL at stake[^·]*, and 2 tasks outside git\s+trade\s+1\.003 SOL[\s\S]*1 released task trades on/,
  );
});

it('the metric of what the exposure leaves out has no task that it counts', async () => {
  run.edit('bravo', { remark: 'Theirs [git:desk/x@0]' });
  const { plan } = await planned();
  expect(plan.exposure.left_out.map(({ reason }) => reason)).toContain('unknown-route');
  const left = metrics().match(/^tradeform_exposure_left_out_tasks.*$/gm);
  expect(left).toEqual([expect.stringContaining('reason="outside"} 1')]);
});
