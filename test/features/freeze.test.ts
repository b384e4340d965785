import { beforeEach, expect, it } from 'vitest';
import { runStatus } from '../../src/core/features/status/status.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import { type DriftRun, openDrift, PROJECT, task } from './drift/drift-run.ts';

/** A label of the account that anybody may set: nothing starts, and nothing is raised (DESIGN 3, "The freeze"). */

let run: DriftRun;
beforeEach(async () => {
  run = await openDrift();
  run.write('tradeform.yaml', `${PROJECT}spec:\n  guardrails: { max_factor: 1000 }\n`);
  run.manifests({
    alpha: task('alpha'),
    beta: task('beta', { target: 1 }),
    gamma: task('gamma', { target: 1 }),
  });
  run.commit('one');
  await run.applied();
});

const FREEZE = 'Freeze after the exploit';

async function planned(): Promise<Plan> {
  return JSON.parse((await run.plan({ output: 'json' })).stdout) as Plan;
}

it('apply does what lowers and stops, and blocks the rest, until the label is gone', async () => {
  run.manifests({
    alpha: task('alpha', { buy: '0.1' }),
    beta: task('beta', { target: 1, buy: '0.9' }),
    gamma: task('gamma', { target: 1, state: 'paused' }),
    delta: task('delta', { target: 0 }),
  });
  run.commit('two');
  const { digest } = await planned();
  const { id } = await run.call('POST', '/labels', { name: FREEZE, sort_order: 1 });
  const frozen = await planned();
  expect(frozen.digest).toBe(digest);
  expect(frozen.diagnostics[0]).toMatchObject({ code: 'frozen', severity: 'warning' });
  const head = (await run.plan()).stdout;
  expect(head.indexOf(`frozen by the label "${FREEZE}"`)).toBeLessThan(head.indexOf('sniper/alpha'));
  expect(head).toMatch(/Of\s+this\s+plan\s+it\s+blocks\s+sniper/);
  const { code, stdout } = await run.apply(undefined, { autoApprove: true, output: 'json' });
  const { changes, outcome } = JSON.parse(stdout) as ApplyReport;
  expect([code, outcome]).toEqual([1, 'incomplete']);
  expect(changes.map(({ address, status, error }) => [address, status, error?.code])).toEqual([
    ['sniper/alpha', 'done', undefined],
    ['sniper/beta', 'blocked', 'frozen'],
    ['sniper/delta', 'blocked', 'frozen'],
    ['sniper/gamma', 'done', undefined],
  ]);
  expect(run.live('alpha')).toMatchObject({ is_active: true, config: { buy_amount: '0.1' } });
  expect(run.live('beta').config.buy_amount).not.toBe('0.9');
  expect(run.live('gamma').is_active).toBe(false);
  expect(() => run.live('delta')).toThrow('no task');
  await run.call('DELETE', `/labels/${id}`);
  await run.applied();
  expect(run.live('delta').is_active).toBe(true);
  expect((await run.plan({ detailedExitcode: true })).code).toBe(0);
});

it('drift and status say it', async () => {
  await run.call('POST', '/labels', { name: 'freeze', sort_order: 1 });
  const report = await run.report();
  expect([report.code, report.diagnostics.map(({ code }) => code)]).toEqual([0, ['frozen']]);
  expect((await run.drift()).stdout).toContain('frozen by the label "freeze"');
  const status = await run.run((io) => runStatus([], {}, io));
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining('frozen by the label "freeze"')]);
});

it('a label with another name freezes nothing, and no manifest has the name of a freeze', async () => {
  await run.call('POST', '/labels', { name: 'freezer', sort_order: 1 });
  expect((await planned()).diagnostics.map(({ code }) => code)).toEqual(['task-twice']);
  const label = (name: string, shown = '') =>
    `apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: ${name} }\nspec: {${shown} }\n`;
  run.write('manifests/one.yaml', label('freeze'));
  run.write('manifests/two.yaml', label('cold', ' name: Freeze all'));
  run.write('manifests/three.yaml', label('freezer'));
  const { code, diagnostics } = await run.plan();
  expect([code, diagnostics.map(({ code: one, location }) => [one, location?.file, location?.line])]).toEqual(
    [
      3,
      [
        ['label-reserved', 'manifests/one.yaml', 3],
        ['label-reserved', 'manifests/two.yaml', 4],
      ],
    ],
  );
});
