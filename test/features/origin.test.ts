import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplyOptions } from '../../src/core/features/apply.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { type DriftRun, itemOf, openDrift, PROJECT, said, task } from './drift/drift-run.ts';
import { expectSchema } from './operator/operate.ts';

/** Who made a difference: git, or a person (DESIGN 3, "The version"). One row of a table for each way to lose money. */

let run: DriftRun;
beforeEach(async () => {
  run = await openDrift();
  run.write(
    'tradeform.yaml',
    `${PROJECT}spec:\n  settle: { replace: 0s }\n  guardrails: { max_factor: 1000 }\n`,
  );
});

type TextOf = Parameters<typeof task>[1] | null;

/** Commits one manifest `alpha`, and returns the commit. */
function commit(text: TextOf, subject: string): string {
  run.manifests({ alpha: text === null ? null : task('alpha', text), keep: task('keep', { target: 1 }) });
  return run.commit(subject);
}

/** What runs after a merge. */
async function merged(options: ApplyOptions = {}) {
  return run.apply(undefined, { autoApprove: true, only: 'pending', ...options });
}

async function leftAt(options: ApplyOptions = {}): Promise<readonly string[]> {
  const { stdout } = await run.plan({ only: 'pending', output: 'json', ...options });
  const { left = [] } = JSON.parse(stdout) as Plan;
  return left.map(
    ({ address, text, fields }) => `${address}: ${text ?? fields.map((field) => field.text).join(', ')}`,
  );
}

const buys = () => run.live('alpha').config.buy_amount;
const stored = () => JSON.stringify(run.tasks());

describe('an old, green job is run again', () => {
  it.each([
    ['a newer merge had paused the task', { state: 'paused' as const }],
    ['a newer merge took back a raise', { buy: '0.1' }],
  ])('%s: nothing is done', async (_title, newer) => {
    commit({ buy: '0.1' }, 'one');
    await run.applied();
    const base = run.git('rev-parse', 'HEAD');
    const raise = commit({ buy: '9' }, 'raise');
    expect((await merged({ base })).code).toBe(0);
    expect(buys()).toBe('9');
    commit(newer, 'newer');
    expect((await merged({ base: raise })).code).toBe(0);
    const after = { ...run.live('alpha') };
    run.git('checkout', '-q', raise);
    expect((await merged({ base })).code).toBe(0);
    expect(run.live('alpha')).toEqual(after);
    expect(await leftAt({ base })).toEqual([
      expect.stringMatching(/^sniper\/alpha: It was written from a newer commit/),
    ]);
  });
});

describe('a rename was taken back, and the old, green job of the rename is run again', () => {
  it.each([
    ['both were applied, without a base', true],
    ['the job of the rename was dropped', false],
  ])('%s: the task keeps its name, and the next merge deletes nothing', async (_title, whole) => {
    const named = (name: string, previous?: string) => {
      const metadata = previous === undefined ? '' : `  previous_name: ${previous}\n`;
      run.manifests({ one: task(name, { remark: 'Note', metadata }), keep: task('keep', { target: 1 }) });
    };
    named('beta');
    const one = run.commit('one');
    await run.applied();
    named('alpha', 'beta');
    const two = run.commit('beta is alpha');
    if (whole) expect((await merged()).code).toBe(0);
    named('beta', 'alpha');
    const three = run.commit('alpha is beta');
    expect((await merged(whole ? {} : { base: one })).code).toBe(0);
    named('beta');
    const four = run.commit('tidy');
    expect((await merged({ base: three })).code).toBe(0);
    run.git('checkout', '-q', two);
    await merged({ base: one });
    expect(run.live('beta').is_active).toBe(true);
    run.git('checkout', '-q', 'main');
    run.manifests({ keep: task('keep', { target: 1, buy: '0.2' }) });
    run.commit('keep');
    expect((await merged({ base: four })).code).toBe(0);
    expect(run.live('beta').is_active).toBe(true);
  });
});

describe('a person returns an amount to an earlier value', () => {
  beforeEach(async () => {
    commit({ buy: '0.2' }, 'one');
    await run.applied();
    commit({ buy: '0.1' }, 'two');
    expect((await merged()).code).toBe(0);
    run.edit('alpha', { merge: { buy_amount: '0.2' } });
  });

  it('drift says that somebody changed it, also with --ignore pending', async () => {
    const report = await run.report({ ignore: ['pending'] });
    expect(said(report)).toEqual(['changed sniper/alpha']);
    expect(report.code).toBe(2);
    expect(itemOf(report, 'changed', 'sniper/alpha').fields).toMatchObject([{ class: 'changed' }]);
  });

  it('--only pending leaves it, with and without a base, whatever the clocks say', async () => {
    run.sandbox.advance(-86_400_000);
    await merged();
    await merged({ base: run.git('rev-parse', 'HEAD~1') });
    expect(buys()).toBe('0.2');
    expect(await leftAt()).toEqual(['sniper/alpha: changed on the service since the last apply']);
  });

  it('every plan says who set which value and what an apply sets, first of all', async () => {
    const { stdout } = await run.plan({ output: 'json' });
    const plan = JSON.parse(stdout) as Plan;
    expect(plan.changes[0]?.fields).toMatchObject([{ path: 'config.buy_amount', made_by: 'person' }]);
    expect(plan.diagnostics[0]).toMatchObject({
      code: 'undoes-edit',
      message: expect.stringContaining('An apply undoes edits on the service: '),
      hint: expect.stringContaining(`\`tradeform export --out . ${plan.changes[0]?.address}\``),
    });
    const shown = async (output: 'text' | 'markdown', verbose = false) =>
      (await run.plan({ output, verbose })).stdout;
    for (const output of ['text', 'markdown'] as const)
      expect(await shown(output)).toContain('somebody set 0.2 on the service; this apply sets 0.1');
    expect(await shown('text', true)).toContain('0.2 → 0.1 (somebody set 0.2 on the service)');
    // Beside the value that it is about.
    expect(await shown('markdown')).toMatch(
      /^- config\.buy_amount: 0\.2 {2}# somebody set 0\.2 on the service\n\+ config\.buy_amount: 0\.1 {2}# manifests\/alpha\.yaml:\d+$/m,
    );
  });
});

it('an apply that failed says what trades now, beside what the plan wanted', async () => {
  commit({ buy: '0.2' }, 'one');
  await run.applied();
  commit({ buy: '0.3' }, 'two');
  const path = '/resume$';
  run.sandbox.faults.add({
    fault: { type: 'error', code: 'insufficient_scope' },
    times: 9,
    method: 'POST',
    path,
  });
  const failed = await run.apply(undefined, { autoApprove: true, output: 'json' });
  const report = expectSchema('report', failed.stdout);
  expect([failed.code, report.record]).toMatchObject([
    1,
    { exposure: { before: '0.703', after: '0.5015', planned: '0.803' } },
  ]);
  expect(report).toMatchObject({ trading: { running: 1, sol: '0.5015' } });
  const again = await run.apply(undefined, { autoApprove: true });
  expect(again.stdout.replace(/\s+/g, ' ')).toContain(
    'Trading now: 1 task, 0.5015 SOL at stake (planned: 0.803).',
  );
});

describe('a merged change that nobody but tradeform wrote', () => {
  it('drift names the commit that has git’s value, and how many earlier ones wait', async () => {
    commit({ buy: '0.15' }, 'one');
    await run.applied();
    commit({ buy: '0.40' }, 'buys 0.40');
    commit({ buy: '0.33' }, 'buys 0.33');
    const item = itemOf(await run.report(), 'pending', 'sniper/alpha');
    expect(item).toMatchObject({
      commit: { subject: 'one' },
      moved_on: { subject: 'buys 0.33' },
      earlier: 1,
      fields: [{ class: 'pending', commit: { subject: 'buys 0.33' } }],
    });
    expect(item.text).toMatch(/Git has 0\.33 since commit \w+ of [\d-]+ \(buys 0\.33\), and 1 earlier\.$/);
  });

  it('a rollback is told as a rollback', async () => {
    commit({ buy: '0.15' }, 'one');
    await run.applied();
    commit({ buy: '0.40' }, 'two');
    expect((await merged()).code).toBe(0);
    await run.apply(undefined, { autoApprove: true, at: 'HEAD~1' });
    expect(buys()).toBe('0.15');
    const item = itemOf(await run.report(), 'pending', 'sniper/alpha');
    expect(item.text).toMatch(/^It was rolled back to the values from commit \w+ of [\d-]+ \(one\)/);
  });
});

describe('an edit and a change of git', () => {
  it('of two fields of one task: git’s arrives, the person’s stays', async () => {
    commit({ buy: '0.2' }, 'one');
    await run.applied();
    commit({ buy: '0.2', remark: 'Another note' }, 'two');
    run.edit('alpha', { merge: { buy_amount: '0.05' } });
    const report = await run.report();
    expect(
      itemOf(report, 'changed', 'sniper/alpha').fields.map(({ path, class: kind }) => [path, kind]),
    ).toEqual([
      ['remark', 'pending'],
      ['config.buy_amount', 'changed'],
    ]);
    expect((await merged()).code).toBe(0);
    expect(buys()).toBe('0.05');
    expect(run.live('alpha').remark).toMatch(/^Another note /);
    // The version is renewed, so that the note is not pending for ever.
    expect(said(await run.report())).toEqual(['changed sniper/alpha']);
    expect(await leftAt()).toEqual(['sniper/alpha: changed on the service since the last apply']);
  });

  it('a start is left, and a person sets what was written back: it stays', async () => {
    commit({ buy: '0.2', state: 'paused' }, 'one');
    await run.applied();
    const { relay_mode: mode } = run.live('alpha').config as { relay_mode: object };
    run.edit('alpha', { merge: { relay_mode: { ...mode, tip_amount: '0.009' } } });
    commit({ buy: '0.4' }, 'two');
    expect((await merged()).code).toBe(0);
    expect([buys(), run.live('alpha').is_active]).toEqual(['0.4', false]);
    run.edit('alpha', { merge: { buy_amount: '0.2' } });
    await merged();
    expect([buys(), run.live('alpha').is_active]).toEqual(['0.2', false]);
    expect(await leftAt()).toEqual([
      expect.stringContaining('it would start with values that git does not have'),
    ]);
  });

  it('of one field: both', async () => {
    commit({ buy: '0.2' }, 'one');
    await run.applied();
    commit({ buy: '0.3' }, 'two');
    run.edit('alpha', { merge: { buy_amount: '0.05' } });
    expect(itemOf(await run.report(), 'changed', 'sniper/alpha').fields).toMatchObject([{ class: 'both' }]);
    await merged();
    expect(buys()).toBe('0.05');
  });
});

describe('what nobody can know', () => {
  it('a version that is not in this history: nothing is done, and it is said', async () => {
    commit({ buy: '0.2' }, 'one');
    await run.applied();
    const { remark } = run.live('alpha');
    run.edit('alpha', { remark: remark.replace(/\.\w{4}/, '.zzzz') });
    commit({ buy: '0.3' }, 'two');
    expect(said(await run.report())).toEqual(['unknown sniper/alpha']);
    const before = stored();
    await merged();
    expect(stored()).toBe(before);
    expect(await leftAt()).toEqual([expect.stringMatching(/a commit that is not in this history/)]);
    await run.applied();
    expect(buys()).toBe('0.3');
    expect(said(await run.report())).toEqual([]);
  });
});

describe('an apply was interrupted', () => {
  it('while it replaced a task, and a person lowered the former one: nothing is deleted', async () => {
    commit({ buy: '0.5' }, 'one');
    await run.applied();
    commit({ buy: '0.5', target: 1 }, 'two');
    const { id } = run.live('alpha');
    // Mark, create and pause go through; the deletion of the former task does not.
    run.sandbox.faults.add({
      fault: { type: 'error', code: 'internal_error' },
      times: 0,
      method: 'DELETE',
      path: `/sniper/configs/${id}`,
    });
    await run.apply(undefined, { autoApprove: true, only: 'pending' });
    run.sandbox.faults.clear();
    const former = run.sandbox.state.tasks.get(id);
    run.sandbox.editStored(id, { merge: { buy_amount: '0.01' } });
    expect(former).toBeDefined();
    await merged();
    expect(run.sandbox.state.tasks.get(id)?.config.buy_amount).toBe('0.01');
    expect(await leftAt()).toEqual([
      expect.stringMatching(/somebody changed the task that would be deleted/),
    ]);
    // Without --only, the guardrails judge the completion as the whole replacement.
    run.write('tradeform.yaml', `${PROJECT}spec:\n  settle: { replace: 0s }\n`);
    const { code, stdout } = await run.plan({ output: 'json' });
    expect(code).toBe(4);
    expect((JSON.parse(stdout) as Plan).diagnostics).toContainEqual(
      expect.objectContaining({ code: 'guardrail-max-factor', severity: 'error' }),
    );
  });

  it('while it updated a task that somebody started although git wants it paused: it runs again, and is named', async () => {
    commit({ buy: '0.2', state: 'paused' }, 'one');
    await run.applied();
    const { version } = run.live('alpha');
    await run.call('POST', `/sniper/configs/${run.live('alpha').id}/resume`, undefined, version);
    commit({ buy: '0.3', state: 'paused' }, 'two');
    const path = `/sniper/configs/${run.live('alpha').id}`;
    // Killed after its own pause.
    run.sandbox.faults.add({
      fault: { type: 'error', code: 'insufficient_scope' },
      times: 0,
      method: 'PATCH',
      path,
      skip: 1,
    });
    run.sandbox.faults.add({
      fault: { type: 'error', code: 'insufficient_scope' },
      times: 0,
      method: 'POST',
      path: `${path}/resume`,
    });
    await merged();
    run.sandbox.faults.clear();
    expect(run.live('alpha').is_active).toBe(false);
    expect(said(await run.report())).toContain('interrupted sniper/alpha');
    expect((await leftAt()).join()).toMatch(/an interrupted apply is finished, and it runs on/);
    await merged();
    expect(run.live('alpha')).toMatchObject({ is_active: true, config: { buy_amount: '0.3' } });
  });
});

describe('two tasks exchange their targets', () => {
  it.each(['copy-trade', 'each-kind'] as const)('where targets are unique for %s', async (unique) => {
    run = await openDrift({ seed: { choices: { target_unique: unique }, accounts: [{}] } });
    run.write('tradeform.yaml', `${PROJECT}spec:\n  settle: { replace: 0s }\n`);
    run.manifests({ alpha: task('alpha'), beta: task('beta', { target: 1 }) });
    run.commit('one');
    await run.applied();
    run.manifests({ alpha: task('alpha', { target: 1 }), beta: task('beta') });
    run.commit('exchanged');
    const { code, diagnostics } = await merged();
    expect([code, diagnostics]).toEqual([0, []]);
    const targets = [run.live('alpha'), run.live('beta')].map((one) => [
      one.target_wallet.slice(0, 4),
      one.is_active,
    ]);
    expect(targets).toEqual([
      ['7dHb', true],
      ['5Q54', true],
    ]);
    expect((await run.plan({ detailedExitcode: true })).code).toBe(0);
  });
});
