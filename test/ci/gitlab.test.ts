import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CANARY } from '../cmd/run.ts';
import { sniperConfig, walletOf } from '../support/builders.ts';
import { BOT } from './host.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000 });

/** The jobs of the template. What `tradeform comment` does on each host is tested in comment.test.ts and approval.test.ts. */
let gitlab: Pipeline['gitlab'];
let pipeline: Pipeline;
/** What the pipeline of the test has besides. */
let now: Record<string, string>;

beforeAll(async () => {
  const service = { TRADEFORM_TOKEN: CANARY };
  pipeline = await openPipeline({
    files: ['tradeform.gitlab-ci.yml', '.gitlab-ci.yml'],
    seed: { accounts: [{ login_username: 'whales', tokens: [{ token: CANARY }] }] },
    secrets: () => ({ 'tradeform-read': service, 'tradeform-stop': service, production: service }),
  });
  gitlab = pipeline.gitlab;
  const environments = { production: { base_url: pipeline.baseUrl, account: { login_username: 'whales' } } };
  pipeline.repository.write('tradeform.yaml', document('Project', 'harbor', { environments }));
  sniper('dawn', '0.1');
  pipeline.repository.commit();
});
/** What was applied last, as GitLab keeps it for a job with an environment. */
let deployed: readonly (typeof gitlab.statuses)[number][] = [];
beforeEach(() => {
  gitlab.reset();
  gitlab.statuses = [...deployed];
  pipeline.clean();
  now = {};
});

function sniper(name: string, buyAmount: string): void {
  const config = sniperConfig({ buy_amount: buyAmount });
  const spec = { state: 'active', remark: 'Note', target_wallet: walletOf(name), config };
  pipeline.repository.write(`manifests/${name}.yaml`, document('SniperTask', name, spec));
}

function document(kind: string, name: string, spec: object): string {
  return `${JSON.stringify({ apiVersion: 'tradeform/v1', kind, metadata: { name }, spec }, null, 2)}\n`;
}

const tasks = () => [...pipeline.sandbox.state.tasks.values()];
const live = (name: string) => tasks().find(({ remark }) => remark.includes(`/${name}@`));
const asked = () => pipeline.sandbox.log.length;
const head = (name = 'HEAD') => pipeline.repository.git('rev-parse', name);
const onMain = (): Record<string, string> => ({
  CI_COMMIT_BRANCH: 'main',
  CI_PIPELINE_SOURCE: 'push',
  ...now,
});

const HEADER = '<!-- tradeform:plan project=harbor environment=production digest=';

/** The jobs of a merge request, as .gitlab-ci.yml puts them one after the other: each with one secret at most. */
async function plan(more: Record<string, string> = {}): Promise<{ code: number; log: string }> {
  const request = { CI_MERGE_REQUEST_IID: '7', CI_MERGE_REQUEST_DIFF_BASE_SHA: head(), ...more };
  const ended = await pipeline.job('.tradeform-plan', request);
  const noted = await pipeline.job('.tradeform-note', request);
  expect(noted.code, noted.log).toBe(0);
  return ended;
}

async function planned(more?: Record<string, string>): Promise<string> {
  const { code, log } = await plan(more);
  expect(code, log).toBe(0);
  const body = gitlab.comments.at(-1)?.body ?? '';
  expect(body.startsWith(HEADER), body.slice(0, 120)).toBe(true);
  return body.slice(HEADER.length, HEADER.length + 64);
}

/** The jobs of a merge; each has the files that the former ones left. */
async function apply(more: Record<string, string> = {}): Promise<{ code: number; log: string }> {
  pipeline.clean();
  const job = (name: string) => pipeline.job(name, { ...onMain(), ...more });
  const reviewed = await job('.tradeform-reviewed');
  const applied = reviewed.code === 0 ? await job('.tradeform-apply') : reviewed;
  const state = applied.code === 0 ? 'success' : 'failed';
  const made = { sha: head(), login: BOT, context: 'production', state };
  gitlab.statuses.push(made);
  if (applied.code === 0) deployed = [made];
  const told = await job('.tradeform-result');
  expect(told.code, told.log).toBe(0);
  return applied;
}

/** The note that says what came of the apply. */
function result(): string {
  return gitlab.comments.find(({ body }) => body.startsWith('<!-- tradeform:apply '))?.body ?? '';
}

describe('the jobs', () => {
  it('validate', async () => {
    const { code, log } = await pipeline.job('.tradeform-validate', { CI_MERGE_REQUEST_IID: '7' });
    expect(code, log).toBe(0);
    const quality = join(pipeline.repository.path, 'tradeform-quality.json');
    expect(JSON.parse(readFileSync(quality, 'utf8'))).toEqual([]);
  });

  it('plan: writes one note, and updates it, also after a failure', async () => {
    const digest = await planned();
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    sniper('dawn', '0.2');
    pipeline.repository.commit();
    expect(await planned({ CI_MERGE_REQUEST_DIFF_BASE_SHA: head('HEAD^1') })).not.toBe(digest);
    expect(gitlab.comments).toHaveLength(1);
    expect(gitlab.comments[0]?.body).toContain('sniper/dawn');
    expect((await plan({ TRADEFORM_TOKEN: 'svc_live_00000000.wrong' })).code).toBe(1);
    expect(gitlab.comments).toHaveLength(1);
    expect(gitlab.comments[0]?.body.startsWith(`${HEADER}- -->\n`), gitlab.comments[0]?.body).toBe(true);
  });

  // Which pipelines may do what is told in events.test.ts.
  const OF_DEFAULT_BRANCH = { CI_COMMIT_BRANCH: 'main', CI_MERGE_REQUEST_IID: '7' };

  it('apply: not in a pipeline of a merge request, whatever the rules of a job say', async () => {
    // Somebody with a job of his own brings the folder.
    await pipeline.job('.tradeform-reviewed', { ...onMain(), EXPECT: 'none' });
    const before = asked();
    const { code, log } = await pipeline.job('.tradeform-apply', OF_DEFAULT_BRANCH);
    expect(code, log).not.toBe(0);
    expect(log).toContain('apply does not run on');
    expect(asked()).toBe(before);
  });

  it('apply: nothing that nobody reviewed; the first time by hand, with the digest that the note names', async () => {
    const before = asked();
    const refused = await apply();
    expect(refused.code).toBe(4);
    expect(refused.log).toContain('nothing was applied before');
    expect([asked(), result()]).toEqual([before, '']);
    const digest = await planned();
    const applied = await apply({ EXPECT: digest, CI_PIPELINE_SOURCE: 'web', TRADEFORM_ONLY: '' });
    expect(applied.code, applied.log).toBe(0);
    expect(live('dawn')).toMatchObject({ is_active: true, config: { buy_amount: '0.2' } });
  });

  it('apply: what the note shows', async () => {
    sniper('dawn', '0.22');
    pipeline.repository.commit();
    await planned({ CI_MERGE_REQUEST_DIFF_BASE_SHA: head('HEAD^1') });
    pipeline.merged();
    const { code, log } = await apply({ CI_COMMIT_BEFORE_SHA: head('HEAD^1') });
    expect(code, log).toBe(0);
    expect(live('dawn')).toMatchObject({ is_active: true, config: { buy_amount: '0.22' } });
    expect(result()).toMatch(/## Applied: 1 done in /);
    expect(result()).not.toContain('What to do next');
  });

  it('apply: nothing that moved; the note names the digest; run again alone, the job does nothing', async () => {
    sniper('dawn', '0.25');
    pipeline.repository.commit();
    now = { CI_COMMIT_BEFORE_SHA: head('HEAD^1') };
    await planned({ CI_MERGE_REQUEST_DIFF_BASE_SHA: head('HEAD^1') });
    pipeline.merged();
    pipeline.sandbox.editStored(live('dawn')?.id ?? '', { is_active: false });
    const refused = await apply();
    expect(refused.code, refused.log).toBe(4);
    expect(result()).toContain('`sniper/dawn` was paused: it would be changed and stay paused');
    expect(result()).toContain('[the pipeline](https://gitlab.invalid/p/9)');
    const [, digest = ''] = /`EXPECT` = `([0-9a-f]{64})`/.exec(result()) ?? [];
    // By hand with that digest; the merge request is told of it. With that its review is used up.
    expect(await apply({ EXPECT: digest })).toMatchObject({ code: 0 });
    expect(result()).toMatch(/## Applied: 1 done/);
    pipeline.sandbox.editStored(live('dawn')?.id ?? '', { is_active: true });
    const [told, before] = [result(), asked()];
    const again = await apply();
    expect(again.code, again.log).toBe(0);
    expect(again.log).toContain('was applied whole before, which used up its review; nothing was done');
    expect([result(), asked()]).toEqual([told, before]);
    // The job alone has what `reviewed` found before it was applied.
    gitlab.statuses = [{ sha: head('HEAD^1'), login: BOT, context: 'production', state: 'success' }];
    await pipeline.job('.tradeform-reviewed', onMain());
    gitlab.statuses.push(...deployed);
    const alone = await pipeline.job('.tradeform-apply', onMain());
    expect([alone.code, asked()], alone.log).toEqual([0, before]);
  });

  it('drift: fails, and is one issue, which is closed when it is gone', async () => {
    const night = async () => {
      const schedule = { CI_COMMIT_BRANCH: 'main', CI_PIPELINE_SOURCE: 'schedule' };
      const { code } = await pipeline.job('.tradeform-drift', schedule);
      const issue = await pipeline.job('.tradeform-issue', schedule);
      expect(issue.code, issue.log).toBe(0);
      return code;
    };
    expect([await night(), gitlab.issues]).toEqual([0, []]);
    const [task] = tasks();
    pipeline.sandbox.editStored(task?.id ?? '', { merge: { buy_amount: '0.9' } });
    expect(await night()).toBe(2);
    const quality = readFileSync(join(pipeline.repository.path, 'tradeform-quality.json'), 'utf8');
    expect(quality).toContain('sniper/dawn');
    const title = 'tradeform: harbor (production) differs from git';
    expect(gitlab.issues).toMatchObject([{ title, state: 'open' }]);
    expect(gitlab.issues[0]?.body).toContain('sniper/dawn');
    const [, digest = ''] = /`EXPECT` = `([0-9a-f]{64})`/.exec(gitlab.issues[0]?.body ?? '') ?? [];
    const form = { EXPECT: digest, CI_PIPELINE_SOURCE: 'web', TRADEFORM_ONLY: '' };
    expect(await apply(form)).toMatchObject({ code: 0 });
    expect(await night()).toBe(0);
    expect(gitlab.issues).toMatchObject([{ state: 'closed' }]);
  });

  it('apply: of an old commit nothing, with a code that GitLab shows as a warning', async () => {
    sniper('dawn', '0.31');
    const old = pipeline.repository.commit();
    await planned({ CI_MERGE_REQUEST_DIFF_BASE_SHA: head('HEAD^1') });
    pipeline.merged();
    await pipeline.job('.tradeform-reviewed', { ...onMain(), CI_COMMIT_BEFORE_SHA: head('HEAD^1') });
    sniper('dawn', '0.25');
    const newer = pipeline.repository.commit();
    const [notes, before] = [structuredClone(gitlab.comments), asked()];
    const waited = await pipeline.job('.tradeform-apply', { ...onMain(), CI_COMMIT_SHA: old });
    expect(waited.code, waited.log).toBe(5);
    expect(waited.log.replace(/\s+/g, ' ')).toContain(
      `${old.slice(0, 12)} is superseded by ${newer.slice(0, 12)}, the head of main; nothing was done`,
    );
    const told = await pipeline.job('.tradeform-result', { ...onMain(), CI_COMMIT_SHA: old });
    expect([told.code, gitlab.comments, asked()]).toEqual([0, notes, before]);
    expect((await apply({ CI_COMMIT_SHA: old })).code).toBe(5);
    expect(pipeline.jobs['.tradeform-apply']).toMatchObject({ allow_failure: { exit_codes: [5] } });
    // Where GitLab does not answer, nothing is done either.
    const cut = await pipeline.job('.tradeform-apply', { ...onMain(), CI_REPOSITORY_URL: 'file:///nowhere' });
    expect([cut.code !== 0, asked()], cut.log).toEqual([true, before]);
  });

  it('pause and resume: what is typed into the form chooses tasks, and is no option', async () => {
    const press = async (job: 'pause' | 'resume', form: Record<string, string>) =>
      (await pipeline.job(`.tradeform-${job}`, { ...onMain(), ...form })).code;
    expect(live('dawn')?.is_active).toBe(true);
    const before = asked();
    for (const TASKS of ['--base-url=https://elsewhere.invalid', '-- --all', '$(id)'])
      expect(await press('pause', { TASKS }), TASKS).not.toBe(0);
    expect(await press('pause', { LABEL: '--all' })).not.toBe(0);
    expect(pipeline.sandbox.log.slice(before).every(({ method }) => method === 'GET')).toBe(true);
    expect(await press('pause', { TASKS: 'sniper/dawn' })).toBe(0);
    expect(live('dawn')?.is_active).toBe(false);
    expect(await press('resume', { TASKS: '--base-url=https://elsewhere.invalid' })).not.toBe(0);
    expect(await press('resume', { EXPECT: `${'0'.repeat(64)} --auto-approve` })).toBe(3);
    expect(live('dawn')?.is_active).toBe(false);
    expect(await press('pause', {})).toBe(0);
    expect(tasks().some(({ is_active }) => is_active)).toBe(false);
    expect(pipeline.jobs['.tradeform-pause']).toMatchObject({
      rules: [{ if: expect.stringContaining('"schedule"'), when: 'manual', allow_failure: true }],
    });
  });

  it('pause: UNMANAGED is true or nothing', async () => {
    const job = (more: Record<string, string>) => pipeline.job('.tradeform-pause', { ...onMain(), ...more });
    const [dawn] = tasks();
    const before = dawn?.remark ?? '';
    pipeline.sandbox.editStored(dawn?.id ?? '', { is_active: true, remark: 'Mine alone' });
    for (const UNMANAGED of ['', 'false']) await job({ UNMANAGED });
    expect(tasks()[0]?.is_active).toBe(true);
    expect((await job({ UNMANAGED: 'true' })).code).toBe(0);
    expect(tasks()[0]?.is_active).toBe(false);
    pipeline.sandbox.editStored(dawn?.id ?? '', { remark: before });
  });

  it('resume: shows what would start, and starts that with the digest alone', async () => {
    const job = (more: Record<string, string> = {}) =>
      // The pause before was of the whole account, and so is its freeze.
      pipeline.job('.tradeform-resume', { ...onMain(), UNMANAGED: 'true', ...more });
    const show = async (): Promise<string> => {
      const { code, log } = await job();
      expect(code, log).toBe(0);
      expect(log).toMatch(/Would start trading[\s\S]*sniper\/dawn[\s\S]*with the digest above as EXPECT/);
      expect(live('dawn')?.is_active).toBe(false);
      return /^Digest ([0-9a-f]{64})$/m.exec(log)?.[1] ?? '';
    };
    const stale = await show();
    const { config } = live('dawn') ?? {};
    pipeline.sandbox.editStored(live('dawn')?.id ?? '', { merge: { buy_amount: '0.9' } });
    const refused = await job();
    expect([refused.code, refused.log.includes('resume-as-stored')], refused.log).toEqual([4, true]);
    expect((await job({ EXPECT: stale, AS_STORED: 'true' })).code).toBe(4);
    expect(live('dawn')?.is_active).toBe(false);
    pipeline.sandbox.editStored(live('dawn')?.id ?? '', { merge: { buy_amount: config?.buy_amount ?? '' } });
    const digest = await show();
    // The job of an old commit, or where GitLab does not answer.
    const before = asked();
    const old = await job({ EXPECT: digest, CI_COMMIT_SHA: head('HEAD^1') });
    expect([old.code, old.log.includes('main has a newer commit')], old.log).toEqual([5, true]);
    expect((await job({ EXPECT: digest, CI_REPOSITORY_URL: 'file:///nowhere' })).code).not.toBe(0);
    expect(asked()).toBe(before);
    expect((await job({ EXPECT: digest })).code).toBe(0);
    expect(live('dawn')?.is_active).toBe(true);
  });

  it('are all tested here', () => {
    expect([...pipeline.ran].sort()).toEqual(Object.keys(pipeline.jobs).sort());
  });
});
