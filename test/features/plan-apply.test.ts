import { beforeEach, describe, expect, it } from 'vitest';
import type { Plan } from '../../src/model/generated/plan.ts';
import { planIntegrity } from '../../src/plan/review/digest.ts';
import { WALLETS } from '../manifest/samples.ts';
import { openProject, type ProjectRun } from './project-run.ts';

let project: ProjectRun;
beforeEach(async () => {
  project = await openProject();
});

function reorder(before: number, after: number): void {
  const text = project.read('manifests/label.yaml');
  project.write('manifests/label.yaml', text.replace(`sort_order: ${before}`, `sort_order: ${after}`));
}

describe('a plan that is written', () => {
  it.each([
    ['--out', { out: 'plan.json' }],
    ['-o json', { output: 'json' }],
    ['--report', { report: ['json=plan.json'] }],
  ] as const)('with %s says which manifests it is of, and is sealed', async (_, options) => {
    const { stdout } = await project.plan(options);
    const text = 'output' in options ? stdout : project.read('plan.json');
    const SHA_256 = /^[0-9a-f]{64}$/;
    expect(JSON.parse(text)).toMatchObject({
      source: { manifests_digest: expect.stringMatching(SHA_256) },
      integrity: expect.stringMatching(SHA_256),
    });
  });
});

describe('apply of a plan file', () => {
  it.each([
    ['--target', { target: ['label/high-risk'] }],
    ['--exclude', { exclude: ['label/high-risk'] }],
    ['--resume-stopped', { resumeStopped: true }],
    ['--allow-empty', { allowEmpty: true }],
  ])('accepts no %s', async (name, options) => {
    await project.plan({ out: 'saved.json' });
    const { code, stdout, diagnostics } = await project.apply('saved.json', { firstApply: true, ...options });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(diagnostics).toMatchObject([{ code: 'invalid-option' }]);
    expect(diagnostics[0]?.message).toContain(`${name} cannot be combined with a plan file`);
  });

  it('that is a first one needs --first-apply', async () => {
    await project.plan({ out: 'saved.json' });
    const refused = await project.apply('saved.json');
    expect(refused).toMatchObject({ code: 4, diagnostics: [{ code: 'first-apply' }] });
    const { code, stderr } = await project.apply('saved.json', { firstApply: true });
    expect(code).toBe(0);
    expect(stderr).toContain('label/high-risk done: created\n');
    expect(stderr).toContain('sniper/alpha done: created, started\n');
  });

  it('asks for --first-apply while the project has no task on the service and something is left', async () => {
    await project.plan({ out: 'saved.json' });
    await project.plan({ out: 'label.json', target: ['label/*'] });
    await project.apply('label.json', { firstApply: true });
    expect(await project.apply('label.json')).toMatchObject({ code: 0 });
    expect(await project.apply('saved.json')).toMatchObject({
      code: 4,
      diagnostics: [{ code: 'first-apply' }],
    });
    await project.apply('saved.json', { firstApply: true });
    const again = await project.apply('saved.json');
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toContain('sniper/alpha');
  });

  it('asks for it whatever the notes of the file say', async () => {
    await project.plan({ out: 'saved.json' });
    const plan = JSON.parse(project.read('saved.json')) as Plan;
    expect(plan.diagnostics).toMatchObject([{ code: 'first-apply' }]);
    const silent = { ...plan, diagnostics: [] };
    project.write('silent.json', JSON.stringify({ ...silent, integrity: planIntegrity(silent) }));
    expect(await project.applying({}, 'silent.json')).toMatchObject({
      code: 4,
      diagnostics: [{ code: 'first-apply' }],
      sent: [],
    });
    expect(await project.apply('silent.json', { firstApply: true })).toMatchObject({ code: 0 });
  });

  it('that was not first needs it if it creates and the project has no task any more', async () => {
    await project.apply(undefined, { autoApprove: true, firstApply: true });
    project.task('beta', { wallet: WALLETS[1] });
    await project.plan({ out: 'beta.json' });
    project.edit('alpha', { remark: 'no marker' });
    expect(await project.apply('beta.json')).toMatchObject({
      code: 4,
      diagnostics: [{ code: 'first-apply' }],
    });
    expect(project.sandbox.state.tasks.size).toBe(1);
    expect(await project.apply('beta.json', { firstApply: true })).toMatchObject({ code: 0 });
    expect(project.sandbox.state.tasks.size).toBe(2);
  });

  it('continues without it after a task of the project exists', async () => {
    project.task('beta', { wallet: WALLETS[1] });
    await project.plan({ out: 'saved.json' });
    await project.apply(undefined, { autoApprove: true, firstApply: true, target: ['sniper/alpha'] });
    expect(await project.apply('saved.json')).toMatchObject({ code: 0 });
    expect(project.sandbox.state.tasks.size).toBe(2);
  });

  it('that releases the last task asks for nothing, also if that is done and more is left', async () => {
    await project.apply(undefined, { autoApprove: true, firstApply: true });
    project.erase('manifests/alpha.yaml');
    reorder(1, 2);
    await project.plan({ out: 'empty.json', allowEmpty: true });
    const options = { allowEmpty: true, target: ['sniper/alpha'] };
    const { stdout } = await project.plan({ ...options, output: 'json' });
    const { digest } = JSON.parse(stdout) as { digest: string };
    await project.apply(undefined, { ...options, autoApprove: true, expect: [digest] });
    expect(project.sandbox.state.tasks.size).toBe(0);
    expect(await project.apply('empty.json')).toMatchObject({ code: 0 });
  });

  it('that is a first one needs nothing with a pin', async () => {
    project.settings();
    await project.plan({ out: 'saved.json' });
    expect(await project.apply('saved.json')).toMatchObject({ code: 0 });
  });

  it('first names what moved', async () => {
    await project.apply(undefined, { autoApprove: true, firstApply: true });
    reorder(1, 2);
    await project.plan({ out: 'saved.json' });
    reorder(2, 3);
    await project.apply(undefined, { autoApprove: true });
    const { code, diagnostics } = await project.apply('saved.json');
    expect(code).toBe(4);
    expect(diagnostics.map(({ message }) => message)).toEqual([expect.stringMatching(/^label\/high-risk: /)]);
  });
});

describe('an address that matches nothing', () => {
  it.each([
    ['--target', { target: ['sniper/alhpa'] }],
    ['--exclude', { exclude: ['sniper/alhpa'] }],
    ['--resume-stopped', { resumeStopped: ['sniper/alhpa'] }],
  ])('of %s is a mistake of the command line: nothing is shown', async (_name, options) => {
    for (const run of [project.plan(options), project.apply(undefined, { ...options, autoApprove: true })]) {
      const { code, stdout, diagnostics } = await run;
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(diagnostics).toEqual([
        {
          severity: 'error',
          code: 'target-unknown',
          message: 'sniper/alhpa matches nothing in the manifests or on the service',
          hint: 'Did you mean sniper/alpha? An address is <collection>/<name>, such as sniper/morning; * stands for any text.',
        },
      ]);
    }
  });
});

describe('a selection', () => {
  it('is in the header with the number of changes that it leaves out, and an empty one is only about the selected addresses', async () => {
    const text = await project.plan({ target: ['label/*'], exclude: ['sniper/*'] });
    expect(text.stdout).toMatch(/\n {2}Only: label\/\*; without: sniper\/\*; \d+ other changes? left out\n/);
    const markdown = await project.plan({ exclude: ['sniper/*'], output: 'markdown' });
    expect(markdown.stdout).toMatch(/\nWithout: `sniper\/\*`; \d+ other changes? left out\n/);
    await project.apply(undefined, { autoApprove: true, firstApply: true, target: ['label/*'] });
    const empty = await project.plan({ target: ['label/*'] });
    expect(empty.stdout).toContain('No changes among the selected addresses.');
    expect(empty.stdout).not.toContain('as the manifests want it');
  });
});

it('a refused plan does not say that all is well', async () => {
  await project.apply(undefined, { autoApprove: true, firstApply: true });
  project.erase('manifests/alpha.yaml');
  const { code, stdout } = await project.plan();
  expect(code).toBe(4);
  expect(stdout).toMatch(/Refused: all-owned-gone\. The plan:/);
  expect(stdout).not.toContain('No changes');
});

it('an unreachable service is named', async () => {
  const { code, diagnostics } = await project.plan({ baseUrl: 'http://127.0.0.1:9/v1' });
  expect(code).toBe(1);
  expect(diagnostics[0]?.message).toMatch(/^127\.0\.0\.1:9: /);
});

describe('plan --out', () => {
  it.each(['manifests/alpha.yaml', 'notes.txt'])('does not overwrite %s', async (name) => {
    project.write('notes.txt', 'mine');
    const before = project.read(name);
    const { code, diagnostics } = await project.plan({ out: name });
    expect({ code, diagnostics }).toMatchObject({ code: 3, diagnostics: [{ code: 'invalid-option' }] });
    expect(project.read(name)).toBe(before);
  });

  it('overwrites a plan file and an empty file', async () => {
    project.write('saved.json', '');
    expect(await project.plan({ out: 'saved.json' })).toMatchObject({ code: 0 });
    expect(await project.plan({ out: 'saved.json' })).toMatchObject({ code: 0 });
  });

  it('says in words what is wrong', async () => {
    const { diagnostics } = await project.plan({ out: 'no/such/folder.json' });
    expect(diagnostics[0]?.message).toContain('there is no such file or folder');
  });
});

it('the request beside a refused change is the one that was refused, not a later one', async () => {
  const own = await openProject({ tasks: ['alpha'] });
  own.task('alpha', { amount: '0.75' });
  own.sandbox.faults.add({ method: 'PATCH', skip: 1, fault: { type: 'error', code: 'insufficient_scope' } });
  const { stdout } = await own.applying({ autoApprove: true, output: 'json', report: ['text=apply.txt'] });
  const [{ error, request_ids: ids }] = JSON.parse(stdout).changes;
  // A mark, a pause, the refused patch, and what brings the task back.
  expect(ids.length).toBeGreaterThan(3);
  expect(error).toMatchObject({ code: 'insufficient_scope', request_id: ids[2] });
  expect(own.read('apply.txt')).toContain(`request ${ids[2]}`);
});
