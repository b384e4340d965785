import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplyOptions } from '../../src/core/features/apply.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { type DriftRun, openDrift, PROJECT, task } from './drift/drift-run.ts';

/** A job of an older commit does nothing that a newer one took back, also to what carries no version of its own. */

let run: DriftRun;
beforeEach(async () => {
  run = await openDrift();
  run.write(
    'tradeform.yaml',
    `${PROJECT}spec:\n  settle: { replace: 0s }\n  guardrails: { max_factor: 1000, max_deletes: 100% }\n`,
  );
});

type Files = Readonly<Record<string, string | null>>;

function commit(files: Files, keep = '0.5'): string {
  run.manifests({ ...files, keep: task('keep', { target: 1, buy: keep }) });
  return run.commit();
}

/** What runs after a merge. */
async function merged(options: ApplyOptions) {
  return run.apply(undefined, { autoApprove: true, only: 'pending', ...options });
}

function template(buy: string): string {
  return task('base')
    .replace('kind: SniperTask', 'kind: SniperTemplate')
    .replace(/ {2}state: .*\n {2}remark: .*\n {2}target_wallet: .*\n/, '')
    .replace(/buy_amount: .*/, `buy_amount: ${buy}`);
}

function removal(address: string, release = ''): string {
  return `apiVersion: tradeform/v1\nkind: Removal\nmetadata: { name: gone }\nspec:\n${release}  resources: [${address}]\n`;
}

const RELEASE = '  release: true\n';

function stored(): string {
  const { tasks, templates, labels } = run.sandbox.state;
  return JSON.stringify([[...tasks.values()], [...templates.values()], [...labels.values()]]);
}

const byId = (id: string) => task('other', { target: 1, buy: '0.8', metadata: `  id: ${id}\n` });
function stray(): ReturnType<DriftRun['call']> {
  const { config, target_wallet } = run.live('keep');
  return run.call('POST', '/sniper/configs', { target_wallet, remark: 'Mine', config });
}

describe('nothing is done, and it is said', () => {
  it.each<[string, string, (id: string) => readonly Files[]]>([
    [
      'it wrote a template, which a newer commit set back',
      'sniper-template/base',
      () => [{ base: template('0.1') }, { base: template('0.4') }, { base: template('0.1') }],
    ],
    [
      'it removed a template, which a newer commit brought back',
      'sniper-template/base',
      () => [
        { base: template('0.1') },
        { base: null, gone: removal('sniper-template/base') },
        { base: template('0.1'), gone: null },
      ],
    ],
    [
      'it adopted a task, which a newer commit released',
      'sniper/other',
      (id) => [{}, { other: byId(id) }, { other: null, gone: removal('sniper/other', RELEASE) }],
    ],
    [
      'it released a task, which a newer commit took back',
      'sniper/other',
      (id) => [
        { other: byId(id) },
        { other: null, gone: removal('sniper/other', RELEASE) },
        { other: byId(id), gone: null },
      ],
    ],
  ])('%s', async (_title, address, files) => {
    commit({});
    await run.applied();
    const [one = {}, two = {}, three = {}] = files((await stray()).id);
    const base = commit(one);
    await run.applied();
    const old = commit(two);
    expect((await merged({ base })).code).toBe(0);
    const between = stored();
    commit(three, '0.6');
    expect((await merged({ base: old })).code).toBe(0);
    const after = stored();
    expect(after).not.toBe(between);
    run.git('checkout', '-q', old);
    await merged({ base });
    expect(stored()).toBe(after);
    const { stdout } = await run.plan({ only: 'pending', base, output: 'json' });
    expect((JSON.parse(stdout) as Plan).left).toContainEqual(
      expect.objectContaining({ address, text: expect.stringMatching(/^A newer commit than this one/) }),
    );
  });
});

it.each<[string, ApplyOptions]>([
  ['a job of all', {}],
  ['a job of that task alone', { target: ['sniper/beta'] }],
  ['a job without the other task', { exclude: ['sniper/gamma'] }],
])('%s creates no task beside the one that has its target under a newer name', async (_title, options) => {
  const named = (name: string, former?: string) => ({
    ...(former === undefined ? {} : { [former]: null }),
    [name]: task(name),
  });
  const base = commit(named('alpha'));
  await run.applied();
  const old = commit(named('beta', 'alpha'));
  commit(named('gamma', 'beta'));
  // Without --only: the marker has no number.
  await run.applied();
  const after = stored();
  run.git('checkout', '-q', old);
  const { stdout } = await merged({ base, ...options });
  expect(stdout.replace(/\s+/g, ' ')).toContain('sniper/beta: Another task of this project has its target');
  expect(stored()).toBe(after);
});

it('a plan of all differences in a clone that is behind says that it takes a newer commit back', async () => {
  const old = commit({ alpha: task('alpha') });
  await run.applied();
  const codes = async () => {
    const { stdout } = await run.plan({ output: 'json' });
    return (JSON.parse(stdout) as Plan).diagnostics.map(({ code, message }) => `${code} ${message}`);
  };
  commit({ alpha: task('alpha', { state: 'paused' }), beta: task('beta') });
  expect((await merged({ base: old })).code).toBe(0);
  expect(await codes()).toEqual([]);
  run.git('checkout', '-q', old);
  expect(await codes()).toContainEqual(
    expect.stringMatching(/^takes-back a newer commit.*: sniper\/alpha, sniper\/beta$/),
  );
});

/** Somebody deletes it. */
async function erased(name: string): Promise<void> {
  const { id, version } = run.live(name);
  await run.call('POST', `/sniper/configs/${id}/pause`, undefined, version);
  await run.call('DELETE', `/sniper/configs/${id}`, undefined, run.live(name).version);
}

describe('a saved plan, and a newer commit is applied before it', () => {
  const file = () => join(run.path, 'plan.json');

  async function saved(): Promise<void> {
    const base = commit({ alpha: task('alpha', { state: 'paused' }) });
    await run.applied();
    commit({ alpha: task('alpha'), other: task('other') });
    expect((await run.plan({ only: 'pending', base, out: file() })).code).toBe(0);
  }

  it('creates and starts nothing', async () => {
    await saved();
    commit({ alpha: task('alpha', { state: 'paused' }), other: null }, '0.6');
    expect((await merged({})).code).toBe(0);
    const after = stored();
    const { code, diagnostics } = await run.apply(file());
    expect([code, diagnostics[0]?.code]).toEqual([4, 'digest-differs']);
    for (const address of ['sniper/alpha', 'sniper/other'])
      expect(diagnostics[0]?.message).toContain(address);
    expect(stored()).toBe(after);
  });

  it('raises nothing without --only either, until it is planned again', async () => {
    commit({ alpha: task('alpha', { buy: '0.1' }) });
    await run.applied();
    const old = commit({ alpha: task('alpha', { buy: '0.4' }) });
    expect((await run.plan({ out: file() })).code).toBe(0);
    const approved = run.read('plan.json');
    const { stdout: shown } = await run.plan({ output: 'markdown' });
    commit({ alpha: task('alpha', { buy: '0.1' }) });
    expect((await merged({})).code).toBe(0);
    const after = stored();
    run.git('checkout', '-q', old);
    run.write('plan.json', approved);
    run.write('plan.md', shown);
    for (const one of [file(), join(run.path, 'plan.md')]) {
      const { code, diagnostics } = await run.apply(one);
      expect([code, diagnostics[0]?.code, stored()], one).toEqual([4, 'takes-back', after]);
    }
    expect((await run.plan({ out: file() })).code).toBe(0);
    const { stdout } = await run.apply(undefined, { expect: [(JSON.parse(approved) as Plan).digest] });
    expect(stdout).toContain('warning[takes-back]');
    expect((await run.apply(file())).code).toBe(0);
    expect(run.live('alpha').config.buy_amount).toBe('0.4');
  });

  it('is carried out where a task is gone that it names and was to delete or to leave', async () => {
    commit({ alpha: task('alpha'), other: task('other') });
    await run.applied();
    commit({ alpha: null, other: null }, '0.4');
    const chosen = { target: ['sniper/keep', 'sniper/alpha'], exclude: ['sniper/other'] };
    expect((await run.plan({ ...chosen, out: file() })).code).toBe(0);
    for (const name of ['alpha', 'other']) await erased(name);
    const { code, stdout } = await run.apply(file());
    expect([code, run.live('keep').config.buy_amount]).toEqual([0, '0.4']);
    expect(stdout).toContain('Already done, or no longer needed: sniper/alpha');
  });
});

describe('the branch takes commits up that were applied already, and an urgent commit lowers the amount', () => {
  const buys = (buy: string) => ({ alpha: task('alpha', { buy }) });
  const urgent = async (base: string) => {
    commit(buys('0.01'));
    const { code, stdout } = await merged({ base });
    return [code, run.live('alpha').config.buy_amount, stdout.includes('Left as they are')];
  };
  const head = () => run.git('rev-parse', 'HEAD').trim();

  async function begun(): Promise<string> {
    const first = commit(buys('0.5'));
    await run.applied();
    return first;
  }

  it('it was merged into a side branch, to which the branch was moved on', async () => {
    const first = await begun();
    for (const buy of ['0.1', '0.2', '0.3', '0.4']) commit(buys(buy));
    expect((await merged({ base: first })).code).toBe(0);
    const applied = head();
    run.git('checkout', '-q', '-b', 'side', first);
    run.write('README', 'x');
    run.commit('side');
    run.git('merge', '-q', '-m', 'merge', 'main');
    run.git('checkout', '-q', 'main');
    run.git('merge', '-q', '--ff-only', 'side');
    expect(await urgent(applied)).toEqual([0, '0.01', false]);
  });

  it('a side branch was applied, and then merged', async () => {
    const first = await begun();
    run.git('checkout', '-q', '-b', 'side');
    for (const buy of ['0.1', '0.2', '0.3']) commit(buys(buy));
    expect((await merged({ base: first })).code).toBe(0);
    run.git('checkout', '-q', 'main');
    run.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
    expect(await urgent(head())).toEqual([0, '0.01', false]);
  });

  it.each(['a side branch was applied, and then squashed', 'it was set back'])(
    '%s: nobody can tell, and it is said what to do',
    async (what) => {
      const first = await begun();
      const set = what === 'it was set back';
      if (!set) run.git('checkout', '-q', '-b', 'side');
      for (const buy of ['0.1', '0.2', '0.3']) commit(buys(buy));
      expect((await merged({ base: first })).code).toBe(0);
      if (set) run.git('reset', '-q', '--hard', first);
      else {
        run.git('checkout', '-q', 'main');
        run.git('merge', '-q', '--squash', 'side');
      }
      expect(await urgent(first)).toEqual([0, '0.3', true]);
      const { stdout } = await run.plan({ only: 'pending' });
      expect(stdout.replace(/\s+/g, ' ')).toContain(
        'If this is the newest commit of the branch: an apply without --only writes what git wants.',
      );
      await run.applied();
      expect(run.live('alpha').config.buy_amount).toBe('0.01');
      commit(buys('0.02'));
      expect((await merged({ base: head() })).code).toBe(0);
      expect(run.live('alpha').config.buy_amount).toBe('0.02');
    },
  );
});
