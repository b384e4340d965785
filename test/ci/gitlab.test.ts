import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { CANARY } from '../cmd/run.ts';
import { ROOT } from '../examples/program.ts';
import { walletOf } from '../http/repository.ts';
import { sniperConfig } from '../support/builders.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';
import { FULL } from '../support/sample.ts';
import { textOf } from './files.ts';
import { type FakeGitLab, GITLAB_TOKEN, ME, startGitLab } from './gitlab.ts';
import { shell } from './runner.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000 });

/** The scripts of the template, line for line, in a clone with tradeform among its node_modules. */
let gitlab: FakeGitLab;
let sandbox: Sandbox;
let stop: () => Promise<void>;
let variables: Record<string, string>;
let repository: TestRepository;
let baseUrl: string;

beforeAll(async () => {
  gitlab = await startGitLab();
  sandbox = createSandbox({
    seed: { accounts: [{ login_username: 'whales', tokens: [{ token: CANARY }] }] },
  });
  const server = await startServer(sandbox, 0);
  baseUrl = server.baseUrl;
  stop = () => server.close();
  repository = testRepository();
  gitlab.history.line = (commit) => repository.git('rev-list', '--first-parent', commit).split('\n');
  const bin = join(repository.path, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(ROOT, join(repository.path, 'node_modules/tradeform'));
  symlinkSync('../tradeform/dist/tradeform.cjs', join(bin, 'tradeform'));
  repository.write('.gitignore', 'node_modules/\n.npm/\ntradeform-*\n');
  repository.write(
    'tradeform.yaml',
    document('Project', 'harbor', {
      environments: { production: { base_url: baseUrl, account: { login_username: 'whales' } } },
    }),
  );
  sniper('0.1');
  repository.commit();
});
beforeEach(() => {
  gitlab.notes.splice(0);
  gitlab.merged.splice(0);
  gitlab.deployments.splice(0);
  const [head = '', main = ''] = repository.git('rev-parse', 'HEAD', 'main').split('\n');
  variables = {
    PATH: process.env.PATH ?? '',
    HOME: repository.path,
    CI: 'true',
    CI_API_V4_URL: gitlab.url,
    CI_PROJECT_ID: '42',
    CI_PIPELINE_URL: 'https://gitlab.invalid/p/9',
    CI_DEFAULT_BRANCH: 'main',
    CI_REPOSITORY_URL: `file://${repository.path}`,
    CI_COMMIT_SHA: head,
    CI_MERGE_REQUEST_DIFF_BASE_SHA: main,
    TRADEFORM_TOKEN: CANARY,
    TRADEFORM_GITLAB_TOKEN: GITLAB_TOKEN,
    ...(parse(textOf('examples', 'ci', 'gitlab', '.gitlab-ci.yml')) as { variables: Record<string, string> })
      .variables,
  };
});
afterAll(async () => {
  await Promise.all([stop(), gitlab.close()]);
  repository.remove();
});

function sniper(buyAmount: string): void {
  const config = sniperConfig({ buy_amount: buyAmount });
  const spec = { state: 'active', remark: 'Note', target_wallet: walletOf('dawn'), config };
  repository.write('manifests/dawn.yaml', document('SniperTask', 'dawn', spec));
}

function document(kind: string, name: string, spec: object): string {
  return `${JSON.stringify({ apiVersion: 'tradeform/v1', kind, metadata: { name }, spec }, null, 2)}\n`;
}

const TEMPLATE = parse(textOf('examples', 'ci', 'gitlab', 'tradeform.gitlab-ci.yml')) as Readonly<
  Record<
    string,
    {
      readonly variables?: Record<string, string>;
      readonly script?: readonly string[];
      readonly artifacts?: { readonly when?: string; readonly reports: object };
    }
  >
>;
const ran = new Set<string>();

/** What GitLab sets by the kind of pipeline: a merge request has no branch of its own. */
function pipeline(name: string): Record<string, string> {
  const ofRequest = ['.tradeform-validate', '.tradeform-plan', '.tradeform-note'].includes(name);
  return ofRequest ? { CI_MERGE_REQUEST_IID: '7' } : { CI_COMMIT_BRANCH: 'main' };
}

/** The script of one job, as the runner's shell takes it. */
async function job(name: string, more: Record<string, string> = {}): Promise<{ code: number; log: string }> {
  const lines = TEMPLATE[name]?.script ?? expect.fail(`no job ${name}`);
  ran.add(name);
  const ended = await shell(lines.join('\n'), repository.path, { ...variables, ...pipeline(name), ...more });
  const { when, reports = {} } = TEMPLATE[name]?.artifacts ?? {};
  for (const file of Object.values(when === 'always' || ended.code === 0 ? reports : {})) {
    expect(existsSync(join(repository.path, String(file))), `${name} leaves ${file}`).toBe(true);
  }
  expect(ended.log).not.toContain(GITLAB_TOKEN);
  return ended;
}

const HEADER = '<!-- tradeform:plan project=harbor environment=production digest=';

/** The jobs of a merge request, as .gitlab-ci.yml puts them one after the other: each with one secret at most. */
async function plan(more: Record<string, string> = {}): Promise<{ code: number; log: string }> {
  const ended = await job('.tradeform-plan', { TRADEFORM_GITLAB_TOKEN: '', ...more });
  await note(more);
  return ended;
}

async function note(more: Record<string, string> = {}): Promise<void> {
  const { code, log } = await job('.tradeform-note', { ...more, TRADEFORM_TOKEN: '' });
  expect(code, log).toBe(0);
}

/** The jobs of a merge; the second has the files that the first left. */
async function apply(more: Record<string, string> = {}): Promise<{ code: number; log: string }> {
  for (const file of ['tradeform-reviewed', 'tradeform-apply.md', 'tradeform-apply.code']) {
    rmSync(join(repository.path, file), { recursive: true, force: true });
  }
  const reviewed = await job('.tradeform-reviewed', { ...more, TRADEFORM_TOKEN: '' });
  if (reviewed.code !== 0) return reviewed;
  const applied = await job('.tradeform-apply', { ...more, TRADEFORM_GITLAB_TOKEN: '' });
  deployed(applied.code);
  const told = await job('.tradeform-result', { ...more, TRADEFORM_TOKEN: '' });
  expect(told.code, told.log).toBe(0);
  return applied;
}

/** Commits what is written to main, for the pipeline of this push. */
function commit(): string {
  const sha = repository.commit();
  variables.CI_COMMIT_SHA = sha;
  return sha;
}

/** As GitLab keeps it for a job with an environment, which does not stop there. */
function deployed(code: number): void {
  const status = code === 0 ? 'success' : 'failed';
  gitlab.deployments.push({ sha: repository.git('rev-parse', 'HEAD'), status, environment: 'production' });
}

/** The note that says what came of the apply. */
function result(): string {
  return gitlab.notes.find(({ body }) => body.startsWith('<!-- tradeform:apply '))?.body ?? '';
}

async function planned(): Promise<string> {
  const { code, log } = await plan();
  expect(code, log).toBe(0);
  const body = gitlab.notes.at(-1)?.body ?? '';
  expect(body.startsWith(HEADER), body.slice(0, 120)).toBe(true);
  expect(body.split('<!-- tradeform:plan'), 'one header').toHaveLength(2);
  return body.slice(HEADER.length, HEADER.length + 64);
}

describe('the jobs', () => {
  it('validate', async () => {
    const { code, log } = await job('.tradeform-validate', { TRADEFORM_TOKEN: '' });
    expect(code, log).toBe(0);
    expect(JSON.parse(readFileSync(join(repository.path, 'tradeform-quality.json'), 'utf8'))).toEqual([]);
  });

  it('plan: writes one note, and updates it', async () => {
    const digest = await planned();
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    sniper('0.2');
    repository.commit();
    expect(await planned()).not.toBe(digest);
    expect(gitlab.notes).toHaveLength(1);
    expect(gitlab.notes[0]?.body).toContain('sniper/dawn');
  });

  it('plan: a note of somebody else is left alone, and ours is found on a later page', async () => {
    const forged = `${HEADER}${'1'.repeat(64)} -->\nApprove this`;
    for (let id = 1; id < 6; id += 1) gitlab.notes.push({ id, author: 9, body: forged });
    gitlab.notes.push({ id: 6, author: ME, body: `${HEADER}- -->\nBefore` });
    await planned();
    expect(gitlab.notes).toHaveLength(6);
    expect(gitlab.notes.filter(({ author }) => author === 9).every(({ body }) => body === forged)).toBe(true);
    expect(gitlab.notes[5]?.body).not.toContain('Before');
  });

  it('plan: after a failure, the note says so and the job fails', async () => {
    gitlab.notes.push({ id: 1, author: ME, body: `${HEADER}${'1'.repeat(64)} -->\nBefore` });
    const { code } = await plan({ TRADEFORM_TOKEN: 'svc_live_00000000.wrong' });
    expect(code).toBe(1);
    expect(gitlab.notes).toHaveLength(1);
    expect(gitlab.notes[0]?.body.startsWith(`${HEADER}- -->\n`), gitlab.notes[0]?.body).toBe(true);
  });

  it('plan: a merge request that moves the service is refused; the variable of the project has priority', async () => {
    const environments = { production: { base_url: 'https://elsewhere.invalid/v1' } };
    repository.write('tradeform.yaml', document('Project', 'harbor', { environments }));
    try {
      expect((await plan()).code).toBe(4);
      expect(gitlab.notes[0]?.body).toContain('`base-url-unconfirmed`');
      const { code, log } = await plan({ TRADEFORM_BASE_URL: baseUrl });
      expect(code, log).toBe(0);
      expect(gitlab.notes[0]?.body).toContain('- `base_url` loosened: ');
    } finally {
      repository.git('checkout', '-q', 'tradeform.yaml');
    }
  });

  it.each([
    ['in a clone of one commit', true],
    ['without a base', false],
  ])('plan %s: nothing is sent', async (_name, shallow) => {
    const base = repository.git('rev-parse', 'HEAD');
    const environments = { production: { base_url: baseUrl, account: { login_username: 'whales' } } };
    repository.write('tradeform.yaml', `${document('Project', 'harbor', { environments })}\n`);
    repository.commit();
    const clone = join(repository.path, 'node_modules/clone');
    const depth = shallow ? ['--depth=1'] : [];
    repository.git('clone', '-q', ...depth, `file://${repository.path}`, clone);
    symlinkSync('..', join(clone, 'node_modules'));
    const asked = sandbox.log.length;
    try {
      const script = (TEMPLATE['.tradeform-plan']?.script ?? []).join('\n');
      const env = { ...variables, ...pipeline('.tradeform-plan') };
      const { code, log } = await shell(script, clone, {
        ...env,
        CI_MERGE_REQUEST_DIFF_BASE_SHA: shallow ? base : '',
      });
      expect(code, log).toBe(3);
      expect(log).toContain(shallow ? 'revision-unknown' : 'is not a git revision');
      expect(sandbox.log.length).toBe(asked);
    } finally {
      rmSync(clone, { recursive: true, force: true });
    }
  });

  it.each<[string, Record<string, string>]>([
    ['a merge request', { CI_COMMIT_BRANCH: '', CI_MERGE_REQUEST_IID: '7' }],
    ['a merge request of the default branch', { CI_MERGE_REQUEST_IID: '7' }],
    ['another branch', { CI_COMMIT_BRANCH: 'change', TRADEFORM_BASE_URL: '' }],
  ])(
    'drift: in a pipeline of %s nothing is sent unless the settings name the service',
    async (_name, pipe) => {
      const asked = sandbox.log.length;
      const script = (TEMPLATE['.tradeform-drift']?.script ?? []).join('\n');
      const env = { ...variables, ...pipeline('.tradeform-drift'), ...pipe };
      const { code, log } = await shell(script, repository.path, env);
      expect(code, log).toBe(4);
      expect(log).toContain('needs TRADEFORM_BASE_URL');
      expect(sandbox.log.length).toBe(asked);
    },
  );

  it('drift: in a pipeline of a merge request, where the settings name the service', async () => {
    const asked = sandbox.log.length;
    const named = { CI_MERGE_REQUEST_IID: '7', CI_COMMIT_BRANCH: '', TRADEFORM_BASE_URL: baseUrl };
    await job('.tradeform-drift', named);
    expect(sandbox.log.length).toBeGreaterThan(asked);
  });

  it('plan: without a token for notes there is no note and no failure', async () => {
    await note({ TRADEFORM_GITLAB_TOKEN: '' });
    expect(gitlab.notes).toEqual([]);
  });

  it('plan: if its job left nothing, the note has no digest to apply', async () => {
    rmSync(join(repository.path, 'tradeform-plan.md'));
    await note();
    expect(gitlab.notes).toHaveLength(1);
    expect(gitlab.notes[0]?.body).toMatch(/digest=- -->\nThere is no plan of this merge request/);
  });

  it('apply: nothing that nobody reviewed', async () => {
    const sha = variables.CI_COMMIT_SHA ?? '';
    const note = { id: 1, author: ME, body: `${HEADER}${'1'.repeat(64)} -->\n` };
    const merge = { merge_commit_sha: sha, squash_commit_sha: null, state: 'merged' };
    const before = sandbox.state.tasks.size;
    const refused = async (says: RegExp) => {
      const { code, log } = await apply();
      expect(code).not.toBe(0);
      expect(log).toMatch(says);
    };
    gitlab.notes.push(note);
    await refused(/0 merge requests were merged as/);
    gitlab.merged.push({ ...merge, state: 'opened' });
    await refused(/0 merge requests were merged as/);
    gitlab.merged.splice(0, 1, { ...merge, target_branch: 'develop' });
    await refused(/0 merge requests were merged as/);
    gitlab.merged.splice(0, 1, merge);
    gitlab.notes.splice(0, 1, { ...note, author: 9 });
    await refused(/has no note with one plan/);
    gitlab.notes.splice(0, 1, { ...note, body: `${HEADER}- -->\n` });
    await refused(/has no note with one plan/);
    gitlab.notes.splice(0, 1, note, { ...note, id: 2, body: `${HEADER}${'2'.repeat(64)} -->\n` });
    await refused(/has no note with one plan/);
    gitlab.notes.splice(0, 2, note);
    await refused(/digest-differs/);
    expect(sandbox.state.tasks.size).toBe(before);
    // Another note was not made for each try, and this one says how to go on.
    expect(gitlab.notes).toHaveLength(2);
    expect(result()).toContain('`digest-differs`');
    // Where the job before it failed, apply never ran.
    rmSync(join(repository.path, 'tradeform-apply.md'));
    rmSync(join(repository.path, 'tradeform-apply.code'));
    expect(await job('.tradeform-result', { TRADEFORM_TOKEN: '' })).toMatchObject({ code: 0 });
    expect(result()).toMatch(
      /did not begin because no plan was reviewed.* the digest of `tradeform plan .*` as `EXPECT`\.\n$/s,
    );
  });

  it.each<[string, Record<string, string>]>([
    ['a merge request', { CI_COMMIT_BRANCH: '', CI_MERGE_REQUEST_IID: '7' }],
    ['a merge request of the default branch', { CI_MERGE_REQUEST_IID: '7' }],
    ['another branch', { CI_COMMIT_BRANCH: 'change' }],
    ['a tag', { CI_COMMIT_BRANCH: '' }],
  ])('apply: not in a pipeline of %s, whatever the rules of a job say', async (_name, pipe) => {
    const asked = sandbox.log.length;
    const script = (TEMPLATE['.tradeform-apply']?.script ?? []).join('\n');
    const env = { ...variables, ...pipeline('.tradeform-apply'), EXPECT: '1'.repeat(64), ...pipe };
    const { code, log } = await shell(script, repository.path, env);
    expect(code, log).toBe(4);
    expect(log).toContain('apply runs on the default branch, and not for merge requests');
    expect(sandbox.log.length).toBe(asked);
  });

  it('apply: what the note shows, also merged as a squash', async () => {
    await planned();
    const sha = variables.CI_COMMIT_SHA ?? '';
    gitlab.merged.push({ merge_commit_sha: null, squash_commit_sha: sha, state: 'merged' });
    const { code, log } = await apply();
    expect(code, log).toBe(0);
    expect([...sandbox.state.tasks.values()]).toMatchObject([
      { is_active: true, config: { buy_amount: '0.2' } },
    ]);
    expect(result()).toMatch(/ — Applied: 1 done in .*\s+1 started trading/);
    expect(result()).not.toContain('What to do next');
  });

  it.runIf(FULL)(
    'apply: what somebody changed or deleted stays, unless TRADEFORM_ONLY says otherwise',
    async () => {
      const task = (name: string, buyAmount: string) => {
        const spec = { state: 'active', remark: name, target_wallet: walletOf(name) };
        const config = sniperConfig({ buy_amount: buyAmount });
        repository.write(`manifests/${name}.yaml`, document('SniperTask', name, { ...spec, config }));
      };
      const live = (name: string) =>
        [...sandbox.state.tasks.values()].find(({ remark }) => remark.includes(`/${name}@`));
      const merged = async (only: string) => {
        const before = repository.git('rev-parse', 'HEAD^1');
        const sha = repository.git('rev-parse', 'HEAD');
        const more = { TRADEFORM_ONLY: only, CI_COMMIT_SHA: sha, CI_MERGE_REQUEST_DIFF_BASE_SHA: before };
        const { code, log } = await plan(more);
        expect(code, log).toBe(0);
        gitlab.merged.splice(0, 1, { merge_commit_sha: sha, squash_commit_sha: null, state: 'merged' });
        const applied = await apply({ ...more, CI_COMMIT_BEFORE_SHA: before });
        expect(applied.code, applied.log).toBe(0);
      };
      const { TRADEFORM_ONLY = '' } = TEMPLATE['.tradeform']?.variables ?? {};
      task('dusk', '0.4');
      task('noon', '0.4');
      repository.commit();
      await merged(TRADEFORM_ONLY);
      sandbox.editStored(live('dusk')?.id ?? '', { merge: { buy_amount: '0.3' } });
      sandbox.editStored(live('noon')?.id ?? '', { is_active: false });
      const noon = live('noon');
      const headers = { authorization: `Bearer ${CANARY}`, 'if-match': `"v${noon?.version}"` };
      await fetch(`${baseUrl}/sniper/configs/${noon?.id}`, { method: 'DELETE', headers });
      sniper('0.22');
      repository.commit();
      await merged(TRADEFORM_ONLY);
      expect([live('dawn'), live('dusk')]).toMatchObject([
        { config: { buy_amount: '0.22' } },
        { config: { buy_amount: '0.3' } },
      ]);
      expect(live('noon')).toBeUndefined();
      expect(result()).toContain('### Left as they are on the service (2)');
      repository.commit();
      await merged('');
      expect([live('dusk'), live('noon')]).toMatchObject([
        { config: { buy_amount: '0.4' } },
        { is_active: true },
      ]);
      repository.git('rm', '-q', 'manifests/dusk.yaml', 'manifests/noon.yaml');
      repository.commit();
      await merged('');
    },
  );

  it('apply: what is left of the changes in the note, and nothing that moved; the note names the digest', async () => {
    sniper('0.25');
    commit();
    await planned();
    const merge = {
      merge_commit_sha: variables.CI_COMMIT_SHA ?? '',
      squash_commit_sha: null,
      state: 'merged',
    };
    gitlab.merged.push(merge);
    const [task] = sandbox.state.tasks.values();
    sandbox.editStored(task?.id ?? '', { is_active: false });
    const refused = await apply();
    expect(refused.code, refused.log).toBe(4);
    expect(result()).toContain('`sniper/dawn` was paused: it would be changed and stay paused');
    expect(result()).toContain('[this pipeline](https://gitlab.invalid/p/9)');
    const [, digest = ''] = /`EXPECT` = `([0-9a-f]{64})`/.exec(result()) ?? [];
    // By hand with that digest; the merge request is told of it. With that its review is used up.
    expect(await apply({ EXPECT: digest })).toMatchObject({ code: 0 });
    expect(result()).toMatch(/ — Applied: 1 done/);
    sandbox.editStored(task?.id ?? '', { is_active: true });
    const [told, asked] = [result(), sandbox.log.length];
    const again = await apply();
    expect(again.code, again.log).toBe(0);
    expect(again.log).toContain('was applied whole before, which used up its review; nothing was done');
    expect([result(), sandbox.log.length]).toEqual([told, asked]);
  });

  it.runIf(FULL)('apply: by hand, the plan with that digest', async () => {
    sniper('0.3');
    commit();
    const digest = await planned();
    const { code, log } = await apply({ EXPECT: digest });
    expect(code, log).toBe(0);
    expect([...sandbox.state.tasks.values()]).toMatchObject([{ config: { buy_amount: '0.3' } }]);
  });

  it('drift: fails if there is any', async () => {
    expect((await job('.tradeform-drift')).code).toBe(0);
    const [task] = sandbox.state.tasks.values();
    sandbox.editStored(task?.id ?? '', { merge: { buy_amount: '0.9' } });
    const { code, log } = await job('.tradeform-drift');
    expect(code, log).toBe(2);
    const quality = readFileSync(join(repository.path, 'tradeform-quality.json'), 'utf8');
    expect(quality).toContain('sniper/dawn');
  });

  it('apply: of an old commit nothing, with a code that GitLab shows as a warning', async () => {
    sniper('0.31');
    const old = commit();
    await planned();
    gitlab.merged.push({ merge_commit_sha: old, squash_commit_sha: null, state: 'merged' });
    sniper('0.3');
    const head = commit();
    const [notes, asked] = [structuredClone(gitlab.notes), sandbox.log.length];
    const done = await apply({ CI_COMMIT_SHA: old });
    expect(done.code, done.log).toBe(5);
    expect(done.log).toContain(`${old} is superseded by ${head}; nothing was done`);
    expect([gitlab.notes, sandbox.log.length]).toEqual([notes, asked]);
    expect(TEMPLATE['.tradeform-apply']).toMatchObject({ allow_failure: { exit_codes: [5] } });
    // Where GitLab does not answer, nothing is done either.
    const cut = await job('.tradeform-apply', { CI_REPOSITORY_URL: 'file:///nowhere' });
    expect([cut.code, sandbox.log.length], cut.log).toEqual([128, asked]);
  });

  it('apply: what dropped pipelines left, as it was reviewed, from the last commit that was applied whole', async () => {
    gitlab.deployments.push({ sha: commit(), status: 'success', environment: 'production' });
    const merged = (iid: number) => {
      const sha = variables.CI_COMMIT_SHA ?? '';
      gitlab.merged.push({ iid, merge_commit_sha: sha, squash_commit_sha: null, state: 'merged' });
    };
    const spec = { state: 'active', remark: 'r', target_wallet: walletOf('eve'), config: sniperConfig({}) };
    repository.write('manifests/eve.yaml', document('SniperTask', 'eve', spec));
    const before = commit();
    expect(await plan({ CI_MERGE_REQUEST_DIFF_BASE_SHA: `${before}^1` })).toMatchObject({ code: 0 });
    merged(7);
    gitlab.deployments.push({ sha: before, status: 'failed', environment: 'production' });
    gitlab.deployments.push({ sha: before, status: 'success', environment: 'elsewhere' });
    sniper('0.27');
    commit();
    const [dawn] = sandbox.state.tasks.values();
    const request = { CI_MERGE_REQUEST_IID: '8', CI_MERGE_REQUEST_DIFF_BASE_SHA: before };
    expect(await plan(request)).toMatchObject({ code: 0 });
    merged(8);
    const done = await apply({ CI_COMMIT_BEFORE_SHA: before });
    expect(done.code, done.log).toBe(0);
    const eve = [...sandbox.state.tasks.values()].find(({ remark }) => remark.includes('/eve@'));
    expect(eve).toMatchObject({ is_active: true });
    expect(sandbox.state.tasks.get(dawn?.id ?? '')).toMatchObject({ config: { buy_amount: '0.27' } });
    const told = gitlab.notes.filter(({ body }) => body.startsWith('<!-- tradeform:apply '));
    expect(told.map(({ on }) => on).sort()).toEqual([7, 8]);
  });

  it('apply: before anything was applied whole, by hand from the commit before', async () => {
    sniper('0.26');
    commit();
    const digest = await planned();
    const parent = repository.git('rev-parse', 'HEAD^1');
    expect(await apply({ EXPECT: digest, CI_COMMIT_BEFORE_SHA: '0'.repeat(40) })).toMatchObject({ code: 0 });
    expect(readFileSync(join(repository.path, 'tradeform-reviewed/base'), 'utf8')).toBe('HEAD^1');
    gitlab.deployments.splice(0);
    await job('.tradeform-reviewed', { EXPECT: digest, CI_COMMIT_BEFORE_SHA: parent });
    expect(readFileSync(join(repository.path, 'tradeform-reviewed/base'), 'utf8')).toBe(parent);
  });

  it('apply: not with reviews that are files of the repository', async () => {
    repository.write('tradeform-reviewed/2.md', 'Approved');
    repository.git('add', '-f', 'tradeform-reviewed/2.md');
    const asked = sandbox.log.length;
    expect((await job('.tradeform-apply')).code).toBe(1);
    expect(sandbox.log.length).toBe(asked);
    repository.git('rm', '-qrf', 'tradeform-reviewed');
  });

  it('are all tested here', () => {
    expect([...ran].sort()).toEqual(
      Object.keys(TEMPLATE)
        .filter((name) => name !== '.tradeform')
        .sort(),
    );
  });
});
