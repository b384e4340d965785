import { beforeEach, describe, expect, it, test } from 'vitest';
import type { ApplyOptions } from '../../src/core/features/apply.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import { KINDS } from '../../src/core/model/kind.ts';
import { WALLETS } from '../manifest/samples.ts';
import { openProject, type ProjectRun } from './project-run.ts';

let project: ProjectRun;

/** Three running tasks, applied; then a change of the first and the second is planned, and approved as Markdown. */
beforeEach(async () => {
  project = await openProject({ tasks: ['alpha', 'beta', 'gamma'] });
  project.task('alpha', { amount: '0.75' });
  project.task('beta', { amount: '0.8' });
});

async function deleteLive(name: string): Promise<void> {
  const { id, version } = project.live(name);
  project.sandbox.editStored(id, { is_active: false });
  const headers = {
    authorization: `Bearer ${project.sandbox.tokens()[0]?.token}`,
    'if-match': `"v${version + 1}"`,
  };
  const path = KINDS.find(({ collection }) => collection === 'sniper')?.path;
  const { status } = await fetch(`${project.baseUrl}${path}/${id}`, { method: 'DELETE', headers });
  expect(status).toBe(204);
}

async function approve(file = 'approved.md'): Promise<string> {
  const { stdout } = await project.plan({ output: 'markdown' });
  project.write(file, stdout);
  return stdout;
}

const apply = (options: ApplyOptions = {}, file = 'approved.md') => project.applying(options, file);

const REFUSED = { code: 4, diagnostics: [{ code: 'digest-differs' }], sent: [] };

async function nothingIsLeft(): Promise<void> {
  expect(await project.plan({ detailedExitcode: true })).toMatchObject({ code: 0 });
}

describe('what is left of the approved changes is carried out', () => {
  it('all of them, from Markdown and from JSON', async () => {
    await approve();
    expect(await apply()).toMatchObject({ code: 0 });
    expect(project.live('alpha').config.buy_amount).toBe('0.75');
    project.task('alpha', { amount: '0.9' });
    project.write('approved.json', (await project.plan({ output: 'json' })).stdout);
    expect(await apply({}, 'approved.json')).toMatchObject({ code: 0 });
    expect(project.live('alpha').config.buy_amount).toBe('0.9');
    await nothingIsLeft();
  });

  it('if somebody made one of them by hand, the other; the report says which', async () => {
    await approve();
    project.edit('beta', { merge: { buy_amount: '0.8' } });
    const { version } = project.live('beta');
    const result = await apply({ output: 'json' });
    expect(result).toMatchObject({ code: 0 });
    const report = JSON.parse(result.stdout) as { diagnostics: object[]; changes: object[] };
    expect(report.diagnostics).toMatchObject([{ code: 'approved-change-gone', address: 'sniper/beta' }]);
    // Of the other only the version in its marker is written.
    expect(report.changes).toMatchObject([
      { address: 'sniper/alpha', status: 'done' },
      { address: 'sniper/beta', actions: ['update'], operations: [{ verb: 'patch', status: 'done' }] },
    ]);
    expect(project.live('beta')).toMatchObject({ is_active: true, version: version + 1 });
    await nothingIsLeft();
  });

  it('if a task is gone whose deletion was approved', async () => {
    project.erase('manifests/gamma.yaml');
    await approve();
    await deleteLive('gamma');
    const { code, stdout } = await apply();
    expect(code).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'Already done, or no longer needed: sniper/gamma (delete, stop).',
    );
    await nothingIsLeft();
  });

  it('of several approved plans together', async () => {
    project.erase('manifests/beta.yaml');
    project.task('beta');
    await approve('one.md');
    project.task('alpha');
    project.task('beta', { amount: '0.8' });
    await approve('two.md');
    // The plan of now is that of one document, and what the other one approved is not done.
    expect(await project.applying({ approvals: ['two.md', 'one.md'] })).toMatchObject(REFUSED);
    project.task('alpha', { amount: '0.75' });
    expect(await apply({}, 'one.md')).toMatchObject(REFUSED);
    expect(await project.applying({ approvals: ['one.md', 'two.md'] })).toMatchObject({ code: 0 });
    await nothingIsLeft();
  });
});

describe('every new or different change is refused by name, and nothing is written', () => {
  const refused = async (says: RegExp) => {
    const result = await apply();
    expect(result).toMatchObject(REFUSED);
    expect(result.diagnostics[0]?.message).toMatch(says);
  };

  test('a task to be changed was paused', async () => {
    await approve();
    project.edit('alpha', { is_active: false });
    await refused(/Since then: sniper\/alpha was paused: it would be changed and stay paused$/);
  });

  test('a task to be changed was changed and paused by hand', async () => {
    await approve();
    project.edit('alpha', { is_active: false, merge: { buy_amount: '0.75' } });
    await refused(/sniper\/alpha was paused: it would stay paused$/);
  });

  test('a start, of a task that was to be changed and of one that was not', async () => {
    project.edit('alpha', { is_active: false });
    await approve();
    project.task('alpha', { amount: '0.75', spec: '  rearm: b\n' });
    await deleteLive('gamma');
    await refused(/sniper\/alpha would now also start; sniper\/gamma would now also be created and start$/);
  });

  test('a release is done only where the task has no marker of the project: not where that is damaged', async () => {
    project.write(
      'manifests/gamma.yaml',
      'apiVersion: tradeform/v1\nkind: Removal\nmetadata: { name: gone }\nspec: { release: true, resources: [sniper/gamma] }\n',
    );
    const { id } = project.live('gamma');
    await approve();
    expect(await apply()).toMatchObject({ code: 0 });
    expect(await apply()).toMatchObject({ code: 0 });
    project.sandbox.editStored(id, { remark: 'Early launches [git:core/gam' });
    await refused(/sniper\/gamma/);
  });

  test('a list that was edited, or is of another account', async () => {
    const text = await approve();
    const [first = '', second = ''] = text.split('\n');
    const more = second.replace(' -->', ` sniper/gamma:update:${'0'.repeat(32)} -->`);
    project.write('approved.md', [first, more].join('\n'));
    project.edit('beta', { merge: { buy_amount: '0.8' } });
    await refused(/the list of changes does not match its digest/);
    project.write('approved.md', [first, second.replace(/ sniper\/beta\S+/, '')].join('\n'));
    await refused(/the list of changes does not match its digest/);
  });

  test('a digest without a list cannot tell what is no longer needed; the changes of the current plan are named', async () => {
    const text = await approve();
    project.edit('beta', { merge: { buy_amount: '0.8' } });
    project.edit('gamma', { is_active: false });
    project.write('approved.md', text.split('\n', 1).join('\n'));
    await refused(/Current plan: sniper\/alpha would be updated; sniper\/gamma is held$/);
    const { digest } = JSON.parse((await project.plan({ output: 'json' })).stdout) as Plan;
    expect(await project.applying({ expect: [digest] })).toMatchObject({ code: 0 });
  });
});

describe('an approved change that is left on the service refuses the apply, and names what stands in the way', () => {
  it.each<{
    scene: string;
    before?: () => Promise<void>;
    after: () => void;
    says: RegExp;
  }>([
    {
      scene: 'a person set another value',
      after: () => project.edit('alpha', { merge: { buy_amount: '9' } }),
      says: /sniper\/alpha stays as it is on the service: config.buy_amount is 9, not 0.75: changed in git and on the/,
    },
    {
      scene: 'the branch was applied by hand, and then squashed',
      before: async () => {
        await project.applied();
        project.task('alpha', { amount: '0.1' });
        project.commit();
      },
      after: () => {
        project.git('reset', '--soft', 'HEAD~2');
        project.commit('squashed');
      },
      says: /sniper\/alpha stays as it is on the service: It was written from a commit that is not in this history/,
    },
    {
      scene: 'the checkout lacks what was approved',
      after: () => project.git('reset', '--hard', 'HEAD~1'),
      says: /sniper\/alpha is not as approved, and this plan does nothing to it/,
    },
  ])('$scene', async ({ before, after, says }) => {
    project.commit();
    await before?.();
    const only = { only: 'pending' } as const;
    const { stdout } = await project.plan({ output: 'markdown', ...only });
    const { digest } = await project.planned(only);
    after();
    const former = structuredClone(project.tasks());
    project.write('../approved.md', stdout);
    for (const [expected, file] of [
      [[], '../approved.md'],
      [[digest], undefined],
    ] as const) {
      const result = await project.applying({ expect: expected, ...only }, file);
      expect(result).toMatchObject(REFUSED);
      if (file !== undefined) expect(result.diagnostics[0]?.message).toMatch(says);
      expect(result.diagnostics[0]?.hint).toMatch(/To approve the current plan|already/);
    }
    expect(project.tasks()).toEqual(former);
  });
});

test('what a plan with a base creates, an apply without one leaves: it does not end with 0', async () => {
  project.commit();
  project.task('delta', { wallet: WALLETS[0] });
  project.commit();
  const { stdout } = await project.plan({ output: 'markdown', only: 'pending', base: 'HEAD~1' });
  project.write('../approved.md', stdout);
  const result = await project.applying({ only: 'pending', approvals: ['../approved.md'] });
  expect(result).toMatchObject(REFUSED);
  expect(result.diagnostics[0]?.message).toContain('sniper/delta stays as it is on the service');
  const whole = { only: 'pending', base: 'HEAD~1', approvals: ['../approved.md'] } as const;
  expect(await project.applying(whole)).toMatchObject({ code: 0 });
});

test('a file without an approved plan is 3, and nothing is sent', async () => {
  project.write('approved.md', '<!-- tradeform:plan project=core environment=- digest=- -->\n## Refused\n');
  expect(await apply()).toMatchObject({ code: 3, diagnostics: [{ code: 'plan-file-invalid' }], sent: [] });
});
