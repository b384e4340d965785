import { beforeEach, describe, expect, it } from 'vitest';
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

describe('apply of a plan file', () => {
  it.each([
    ['--target', { target: ['label/high-risk'] }],
    ['--exclude', { exclude: ['sniper/*'] }],
    ['--resume-stopped', { resumeStopped: true }],
    ['--allow-empty', { allowEmpty: true }],
    ['--take-over', { takeOver: ['other'] }],
  ])('plans with the %s that it was made with, and takes no other', async (_name, options) => {
    const other = {
      firstApply: true,
      ...options,
      target: ['label/*'],
      exclude: ['nothing'],
      takeOver: ['more'],
    };
    await project.plan({ out: 'saved.json', ...options });
    await project.plan({ out: 'plain.json' });
    for (const [file, given] of [
      ['plain.json', options],
      ['saved.json', other],
    ] as const) {
      const { code, stdout, diagnostics } = await project.apply(file, { firstApply: true, ...given });
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(diagnostics.map((one) => one.code)).toContain('invalid-option');
      expect(diagnostics[0]?.message).toMatch(/^--[a-z-]+ says something else than the plan file/);
    }
    const { digest } = JSON.parse(project.read('saved.json')) as { digest: string };
    const { code, stdout } = await project.apply('saved.json', {
      firstApply: true,
      output: 'json',
      ...options,
    });
    expect([code, (JSON.parse(stdout) as { record: object }).record]).toMatchObject([
      0,
      { approval: { from: 'plan-file', digest } },
    ]);
  });

  it('finds held tasks to start by what it names, and carries no other start', async () => {
    await project.applied();
    project.edit('alpha', { is_active: false });
    await project.plan({ out: 'saved.json', resumeStopped: ['sniper/alpha'] });
    expect(await project.apply('saved.json')).toMatchObject({ code: 0 });
    expect(project.live('alpha').is_active).toBe(true);
  });

  it('is let through by an override of what is left of it, and of no other plan', async () => {
    project.settings('guardrails: { max_exposure: 0.05 }');
    project.task('beta', { wallet: WALLETS[1] });
    const override = [`max_exposure=${(await project.planned()).digest}`];
    expect(await project.plan({ out: 'saved.json', override })).toMatchObject({ code: 0 });
    // The label is done: what is left has another digest.
    await project.apply(undefined, { autoApprove: true, target: ['label/*'] });
    expect(await project.apply('saved.json', { override })).toMatchObject({ code: 4 });
    const left = [`max_exposure=${(await project.planned()).digest}`];
    expect(await project.apply('saved.json', { override: left })).toMatchObject({ code: 0 });
    expect(project.tasks()).toHaveLength(2);
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
