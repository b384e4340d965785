import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplyOptions } from '../../src/core/features/apply.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { type DriftRun, itemOf, openDrift, PROJECT, said, type TaskText, task } from './drift/drift-run.ts';

/** Who made a difference, where the task that remains does not tell it: replacements that were interrupted, and removed manifests. */

const SPEC = 'spec:\n  settle: { replace: 0s }\n  guardrails: { max_factor: 1000 }\n';

let run: DriftRun;
beforeEach(async () => {
  run = await openDrift();
  run.write('tradeform.yaml', PROJECT + SPEC);
});

/** Commits `alpha` beside another task, and returns the commit. */
function commit(text: TaskText, subject: string): string {
  run.manifests({ alpha: task('alpha', text), keep: task('keep', { target: 1 }) });
  return run.commit(subject);
}

/** What runs after a merge. */
function merged(options: ApplyOptions = {}) {
  return run.apply(undefined, { autoApprove: true, only: 'pending', ...options });
}

async function planned(options: ApplyOptions = {}): Promise<Plan> {
  return JSON.parse((await run.plan({ output: 'json', ...options })).stdout) as Plan;
}

async function leftAt(options: ApplyOptions = {}): Promise<readonly string[]> {
  const { left = [] } = await planned({ only: 'pending', ...options });
  return left.map(
    ({ address, text, fields }) => `${address}: ${text ?? fields.map((field) => field.text).join(', ')}`,
  );
}

/** A request of this method fails until the faults are cleared. */
function failing(method: 'POST' | 'DELETE', path: string): void {
  run.sandbox.faults.add({ fault: { type: 'error', code: 'insufficient_scope' }, times: 0, method, path });
}

describe('a replacement was interrupted, and a person lowered the former half', () => {
  it('drift and the plan call that field a person’s', async () => {
    commit({ buy: '0.5' }, 'one');
    await run.applied();
    commit({ buy: '0.5', target: 1 }, 'two');
    const { id } = run.live('alpha');
    failing('DELETE', `/sniper/configs/${id}`);
    await merged();
    run.sandbox.faults.clear();
    run.sandbox.editStored(id, { merge: { buy_amount: '0.01' } });
    const { fields, text } = itemOf(await run.report(), 'interrupted', 'sniper/alpha');
    expect(text).toMatch(/an apply without --only completes the replacement/);
    expect(fields.map(({ path, class: kind }) => [path, kind])).toContainEqual([
      'config.buy_amount',
      'changed',
    ]);
    const { changes, diagnostics } = await planned();
    expect(changes[0]?.fields).toContainEqual(
      expect.objectContaining({ path: 'config.buy_amount', made_by: 'person' }),
    );
    expect(diagnostics[0]).toMatchObject({
      code: 'undoes-edit',
      message: expect.stringContaining('edits on the service: sniper/alpha'),
    });
    expect(await leftAt()).toEqual([
      expect.stringMatching(/somebody changed the task that would be deleted/),
    ]);
  });
});

describe('a replacement had no room for both tasks, and was interrupted after its delete', () => {
  /** The former task is deleted, the new one is not created. */
  async function halfway(): Promise<string> {
    run = await openDrift({ seed: { accounts: [{ quota: { max: 2 } }] } });
    run.write('tradeform.yaml', PROJECT + SPEC);
    const base = commit({}, 'one');
    await run.applied();
    commit({ target: 1 }, 'two');
    failing('POST', '/sniper/configs$');
    expect((await merged({ base })).code).toBe(1);
    run.sandbox.faults.clear();
    expect(() => run.live('alpha')).toThrow('no task');
    return base;
  }

  it('the next job with that base creates it, also if git went back to the former target meanwhile', async () => {
    const base = await halfway();
    commit({}, 'back');
    expect((await merged({ base })).code).toBe(0);
    expect(run.live('alpha').is_active).toBe(true);
    expect(await leftAt({ base })).toEqual([]);
  });

  it('without a base it is left, and with the base of a job that changed no target', async () => {
    await halfway();
    await merged();
    await merged({ base: 'HEAD' });
    expect(run.tasks()).toHaveLength(1);
    expect(await leftAt({ base: 'HEAD' })).toEqual([
      expect.stringMatching(/^sniper\/alpha: No task of this project is on the service/),
    ]);
  });
});

describe('prune: pause, and a person starts the task without a manifest again', () => {
  it('it runs on, drift calls it started, and a plan says that an apply undoes it', async () => {
    run.write('tradeform.yaml', `${PROJECT}${SPEC}  prune: { tasks: pause }\n`);
    commit({}, 'one');
    await run.applied();
    run.manifests({ alpha: null });
    run.commit('removed');
    expect(said(await run.report())).toEqual(['pending sniper/alpha']);
    expect((await merged()).code).toBe(0);
    const { id, version, is_active: runs } = run.live('alpha');
    expect(runs).toBe(false);
    await run.call('POST', `/sniper/configs/${id}/resume`, undefined, version);
    const report = await run.report();
    expect(said(report)).toEqual(['started sniper/alpha']);
    expect(itemOf(report, 'started', 'sniper/alpha').fields).toMatchObject([{ path: 'state' }]);
    await merged();
    expect(run.live('alpha').is_active).toBe(true);
    expect(await leftAt()).toEqual([expect.stringMatching(/somebody started it since/)]);
    expect((await planned()).diagnostics[0]).toMatchObject({ code: 'undoes-edit' });
  });
});

describe('a value comes from the environment, and differs on the service', () => {
  it('it is left, and nobody is blamed', async () => {
    Object.assign(run.env, { SIZE: '0.5' });
    commit({ buy: '"${env.SIZE}"' }, 'one');
    await run.applied();
    Object.assign(run.env, { SIZE: '0.2' });
    const { changes, diagnostics } = await planned();
    expect(changes[0]?.fields).toMatchObject([{ path: 'config.buy_amount', made_by: 'unknown' }]);
    expect(diagnostics[0]?.message).toContain('Nobody can tell whether the environment or somebody');
    const report = await run.report();
    expect(said(report)).toEqual(['unknown sniper/alpha']);
    expect(itemOf(report, 'unknown', 'sniper/alpha').text).toMatch(/values that come from the environment/);
    expect((await merged()).code).toBe(0);
    expect(run.live('alpha').config.buy_amount).toBe('0.5');
    expect(await leftAt()).toEqual([expect.stringMatching(/its value comes from the environment/)]);
  });
});

describe('what git changed, and what a person changed', () => {
  it('contradict each other: the task is left whole, and not paused', async () => {
    const range = (buy: string, least: string, most: string) =>
      task('alpha', { buy }).replace(
        '    dex_source',
        `    dev_min_amount: ${least}\n    dev_max_amount: ${most}\n    dex_source`,
      );
    run.manifests({ alpha: range('0.5', '1', '10') });
    run.commit('one');
    await run.applied();
    run.edit('alpha', { merge: { dev_max_amount: '3' } });
    run.manifests({ alpha: range('0.2', '5', '10') });
    run.commit('two');
    const { code, sent } = await run.applying({ autoApprove: true, only: 'pending' });
    expect([code, sent]).toEqual([0, []]);
    expect(await leftAt()).toEqual([expect.stringMatching(/^sniper\/alpha: .*contradict each other/)]);
    await run.applied();
    expect(run.live('alpha').config).toMatchObject({ buy_amount: '0.2', dev_max_amount: '10' });
  });

  it.each([
    ['that fits: git’s amount arrives beside it', 0, '0.01', /changed on the service since/],
    ['that leaves no room for a longer version: that is said', 9, '0.5', /note leaves no room/],
  ])('a long note %s', async (_title, further, amount, said) => {
    commit({ buy: '0.5' }, 'one');
    await run.applied();
    const marker = run.live('alpha').remark.replace(/^.*\[/, '[');
    const note = 'n'.repeat(63 - marker.length);
    run.edit('alpha', { remark: `${note} ${marker}` });
    for (let edit = 0; edit < further; edit += 1) run.edit('alpha', {});
    commit({ buy: '0.01' }, 'two');
    expect((await merged()).code).toBe(0);
    expect(run.live('alpha').config.buy_amount).toBe(amount);
    expect(run.live('alpha').remark.startsWith(`${note} [`)).toBe(true);
    expect(await leftAt()).toEqual([expect.stringMatching(said)]);
  });

  it('a new start would run with a person’s values: drift does not call it pending', async () => {
    commit({ buy: '0.5' }, 'one');
    await run.applied();
    run.edit('alpha', { is_active: false, merge: { buy_amount: '0.02' } });
    commit({ buy: '0.5', spec: '  rearm: c\n' }, 'asks for a start');
    const { fields } = itemOf(await run.report(), 'changed', 'sniper/alpha');
    expect(fields.map(({ path, class: kind }) => [path, kind])).toEqual([
      ['state', 'both'],
      ['config.buy_amount', 'changed'],
    ]);
    await merged();
    expect(run.live('alpha').is_active).toBe(false);
  });
});
