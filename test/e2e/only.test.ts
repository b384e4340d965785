import { execFileSync } from 'node:child_process';
import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runPlan } from '../../src/core/features/plan.ts';
import { said, task } from '../features/drift/drift-run.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { gitThatAlso, gitThatCommits } from '../support/repository.ts';
import { leftOf, type OnlyRun, openOnly, PENDING } from './only-run.ts';

let run: OnlyRun;
let first: string;
beforeEach(async () => {
  run = await openOnly();
  run.committed({ dawn: task('dawn', { buy: '0.5' }), dusk: task('dusk') });
  run.committed({ dawn: task('dawn', { buy: '2' }) }, 'dawn goes up');
  first = run.git('rev-parse', 'HEAD');
  await run.applied({});
});

const label = (name: string, order: number) =>
  `apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: ${name} }\nspec: { sort_order: ${order} }\n`;

const projectWith = (setting: string) =>
  `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { ${setting} }\n`;

describe('--only pending: what people changed', () => {
  it.each([
    ['0.3', 'changed sniper/dawn'],
    // As git had it once: the marker says that it was not applied last.
    ['0.5', 'changed sniper/dawn'],
  ])('an emergency edit of dawn to %s stays when a commit touches dusk', async (amount, drift) => {
    run.edited('dawn', { merge: { buy_amount: amount } });
    run.committed({ dusk: task('dusk', { buy: '0.7' }) });
    const report = await run.applied();
    expect([run.is('dawn')[1], run.is('dusk')[1]]).toEqual([amount, '0.7']);
    expect(leftOf(report)).toEqual(['sniper/dawn config.buy_amount']);
    expect(said(await run.report())).toEqual([drift]);
    await run.applied({});
    expect(run.is('dawn')[1]).toBe('2');
  });

  it('a pause stays under stopped_tasks: resume, and an apply without the option reverts it', async () => {
    run.write('tradeform.yaml', projectWith('stopped_tasks: resume'));
    run.committed({});
    run.edited('dawn', { is_active: false });
    run.committed({ dawn: task('dawn', { buy: '3' }) });
    expect(leftOf(await run.planned())).toEqual(['sniper/dawn state']);
    await run.applied();
    expect(run.is('dawn').slice(0, 2)).toEqual([false, '3']);
    await run.applied({});
    expect(run.is('dawn')[0]).toBe(true);
  });
});

describe('--only pending: what git changed', () => {
  it('a task that somebody deleted stays deleted if git gives it another name', async () => {
    const base = run.git('rev-parse', 'HEAD');
    run.edited('dawn', { is_active: false });
    const { id, version } = run.live('dawn');
    await run.call('DELETE', `/sniper/configs/${id}`, undefined, version);
    run.committed({ dawn: null, noon: task('noon', { metadata: '  previous_name: dawn\n' }) });
    expect(leftOf(await run.applied({ ...PENDING, base }))).toEqual(['sniper/noon']);
    expect(() => run.live('noon')).toThrow();
  });

  it('labels and templates, field by field', async () => {
    const config = task('x').slice(task('x').indexOf('  config:'));
    const template = (buy: string, tip: string) =>
      `apiVersion: tradeform/v1\nkind: SniperTemplate\nmetadata: { name: base }\nspec:\n${config}`
        .replace('buy_amount: 0.5', `buy_amount: ${buy}`)
        .replace('tip_amount: 0.001', `tip_amount: ${tip}`);
    run.committed({ base: template('0.5', '0.001'), hot: label('hot', 1) });
    await run.applied({ ...PENDING, base: first });
    const live = () => [...run.sandbox.state.templates.values()][0];
    const { id = '', version, config: stored } = live() ?? {};
    const edit = { config: { ...stored, buy_amount: '0.8' } };
    run.sandbox.advance(60_000);
    await run.call('PATCH', `/sniper/templates/${id}`, edit, version);
    run.committed({ base: template('0.5', '0.002'), hot: label('hot', 2) });
    await run.applied();
    expect(live()?.config).toMatchObject({ buy_amount: '0.8', relay_mode: { tip_amount: '0.002' } });
    expect([...run.sandbox.state.labels.values()][0]?.sort_order).toBe(2);
  });
});

describe('git that cannot tell', () => {
  const refused = async (options: Parameters<OnlyRun['plan']>[0] = PENDING) => {
    run.sandbox.clearLog();
    const plan = await run.plan(options);
    const apply = await run.apply(undefined, { ...options, autoApprove: true });
    expect(run.sandbox.log.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(plan.diagnostics).toEqual(apply.diagnostics);
    return [plan.code, apply.code, plan.diagnostics.map(({ code }) => code)];
  };
  const REFUSED = [4, 4, ['only-refused']];

  it('a base that is no ancestor of HEAD: history was rewritten', async () => {
    const base = run.committed({ dawn: task('dawn', { buy: '3' }) });
    run.git('reset', '-q', '--hard', 'HEAD~1');
    run.committed({ dawn: task('dawn', { buy: '4' }) });
    expect(await refused({ only: 'pending', base })).toEqual(REFUSED);
  });

  it('a base that is missing, does not compile, or belongs to another project', async () => {
    expect(await refused({ only: 'pending', base: 'nowhere' })).toEqual(REFUSED);
    run.write('manifests/broken.yaml', 'kind: Nonsense\n');
    const broken = run.committed({});
    run.committed({ broken: null, dusk: task('dusk', { buy: '0.7' }) });
    expect(await refused({ only: 'pending', base: broken })).toEqual(REFUSED);
  });

  it('uncommitted manifests', async () => {
    run.manifests({ dusk: task('dusk', { buy: '0.7' }) });
    expect(await refused()).toEqual(REFUSED);
  });

  it('uncommitted manifests with the size and the time that the index noted', async () => {
    const path = join(run.path, 'manifests/dawn.yaml');
    const at = new Date(1_700_000_000_000);
    utimesSync(path, at, at);
    run.git('update-index', '--refresh');
    run.manifests({ dawn: task('dawn', { buy: '3' }) });
    utimesSync(path, at, at);
    expect(await refused()).toEqual(REFUSED);
  });

  it.runIf(process.platform !== 'win32').each([
    ['changes', { dawn: task('dawn', { buy: '3' }) }],
    ['adds', { noon: task('noon') }],
  ])('a manifest that a commit %s after HEAD was asked', async (_does, manifests) => {
    const older = run.git('rev-parse', 'HEAD');
    const newer = run.committed(manifests);
    run.git('checkout', '-q', older);
    const does = `checkout -q ${newer}`;
    const bin = gitThatAlso(run.path, { around: 'HEAD^{commit}', when: 'after', does });
    const { code, diagnostics } = await run.run((io) =>
      runPlan(PENDING, { ...io, env: { ...io.env, PATH: `${bin}:${io.env.PATH}` } }),
    );
    expect(run.git('rev-parse', 'HEAD')).toBe(newer);
    expect([code, diagnostics.map((each) => each.code)]).toEqual([4, ['only-refused']]);
  });

  it.runIf(process.platform !== 'win32')('manifests that are committed while git is asked', async () => {
    run.manifests({ dusk: task('dusk', { buy: '0.7' }) });
    const bin = gitThatCommits(run.path);
    const { code, diagnostics } = await run.run((io) =>
      runPlan(PENDING, { ...io, env: { ...io.env, PATH: `${bin}:${io.env.PATH}` } }),
    );
    rmSync(bin, { recursive: true });
    expect([code, diagnostics.map((each) => each.code)]).toEqual([4, ['only-refused']]);
    expect(run.git('log', '-1', '--format=%s')).toBe('now');
    expect((await run.plan(PENDING)).code).toBe(0);
  });

  it('a shallow clone, and no repository', async () => {
    run.committed({ dusk: task('dusk', { buy: '0.7' }) });
    const clone = temporaryFolder('clone');
    execFileSync('git', ['clone', '-q', '--depth', '2', `file://${run.path}`, clone]);
    const project = join(clone, 'tradeform.yaml');
    expect(await refused({ ...PENDING, project })).toEqual(REFUSED);
    expect(await refused({ only: 'pending', base: 'HEAD~1', project })).toEqual(REFUSED);
    rmSync(join(clone, '.git'), { recursive: true });
    expect(await refused({ ...PENDING, project })).toEqual(REFUSED);
  });

  it('values that a commit rewrote long after they were applied do not count as new', async () => {
    run.edited('dawn', { merge: { buy_amount: '0.5' } });
    // As a rebase does: the author's date stays, the committer's is now.
    run.sandbox.advance(60_000);
    run.git('commit', '-q', '--amend', '--no-edit', '--date', run.git('log', '-1', '--format=%aI'));
    expect(leftOf(await run.planned())).toEqual(['sniper/dawn config.buy_amount']);
  });

  it('options that cannot be combined are mistakes of the command line', async () => {
    expect((await run.apply(undefined, { base: first, autoApprove: true })).code).toBe(3);
    expect((await run.apply('plan.json', { only: 'pending' })).code).toBe(3);
  });
});

describe('the resulting plan', () => {
  beforeEach(() => {
    run.edited('dawn', { merge: { buy_amount: '0.3' } });
    run.committed({ dusk: task('dusk', { buy: '0.7' }) });
  });

  it('is saved, and applied as saved', async () => {
    await run.plan({ ...PENDING, out: 'plan.json' });
    const { code, diagnostics } = await run.apply('plan.json', {});
    expect([code, diagnostics]).toEqual([0, []]);
    expect([run.is('dawn')[1], run.is('dusk')[1]]).toEqual(['0.3', '0.7']);
  });

  it('says in text and Markdown what is left, and both ways out', async () => {
    const { stdout } = await run.plan(PENDING);
    expect(stdout).toMatch(
      /Left as they are on the service \(1\): service → git, not applied\n[\s\S]*sniper\/dawn \(running\)\n\s*changed on the service since the last apply\n\s*amount 0\.3 → 2 SOL ×6\.67/,
    );
    expect(stdout).toContain('tradeform export --out .');
    expect(stdout).toContain('1 left');
    const { stdout: markdown } = await run.plan({ ...PENDING, output: 'markdown' });
    expect(markdown).toContain('### Left as they are on the service (1): service → git, not applied');
    expect(markdown).toContain('  - amount 0.3 → 2 SOL ×6.67');
  });

  it('is what guardrails and the digest see', async () => {
    run.write('tradeform.yaml', projectWith('guardrails: { max_changes: 1 }'));
    run.committed({});
    expect((await run.plan()).code).toBe(4);
    const { digest } = await run.planned();
    // Somebody edits it once more: of what is carried out nothing is otherwise.
    run.edited('dawn', { merge: { buy_amount: '0.4' } });
    expect((await run.planned()).digest).toBe(digest);
    await run.applied();
  });
});
