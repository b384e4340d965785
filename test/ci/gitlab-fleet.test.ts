import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RunningServer, startServer } from '../../src/sandbox/server.ts';
import { projectFiles } from '../cmd/run.ts';
import { ROOT } from '../examples/program.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';
import { textOf } from './files.ts';
import { type FakeGitLab, GITLAB_TOKEN, startGitLab } from './gitlab.ts';
import { shell } from './runner.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000 });

/** The scripts of the fleet's pipeline, line for line, with what GitLab gives each job: each test goes on where the one before it stopped. */

interface Job {
  readonly script: readonly string[];
  readonly environment?: { readonly name: string };
}
const { variables, ...jobs } = parse(textOf('examples/ci/gitlab/fleet.gitlab-ci.yml')) as Record<
  string,
  Job
> & {
  readonly variables: Record<string, string>;
};
const tokens = {
  TRADEFORM_TOKEN_DESK_1: 'svc_live_0000bbb1.canary-1',
  TRADEFORM_TOKEN_DESK_2: 'svc_live_0000bbb2.canary-2',
};
/** One secret, or the tokens of one kind, by the environment of a job. */
const SECRETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tradeform-read': tokens,
  production: tokens,
  'tradeform-note': { TRADEFORM_GITLAB_TOKEN: GITLAB_TOKEN },
};
let gitlab: FakeGitLab;
let sandbox: Sandbox;
let server: RunningServer;
let repository: TestRepository;
const ran = new Set<string>();

beforeAll(async () => {
  gitlab = await startGitLab();
  const accounts = Object.values(tokens).map((token, at) => ({
    id: `desk-${at + 1}`,
    login_username: `desk-${at + 1}`,
    tokens: [{ token }],
  }));
  sandbox = createSandbox({ seed: { accounts } });
  server = await startServer(sandbox);
  repository = testRepository();
  gitlab.history.line = (commit) => repository.git('rev-list', '--first-parent', commit).split('\n');
  const bin = join(repository.path, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(ROOT, join(repository.path, 'node_modules/tradeform'));
  symlinkSync('../tradeform/dist/tradeform.cjs', join(bin, 'tradeform'));
  repository.write('.gitignore', 'node_modules/\ntradeform-*\n');
  for (const number of [1, 2]) buys(number, '0.1');
  const units = '[{ project: accounts/*, token_env: "TRADEFORM_TOKEN_{NAME}" }]';
  const spec = `{ base_url: "${server.baseUrl}", units: ${units} }`;
  const fleet = `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: ${spec}\n`;
  repository.write('fleet.yaml', fleet);
  repository.commit();
  // The first time somebody applies it by hand.
  const first = 'node_modules/.bin/tradeform fleet apply --auto-approve';
  succeeded(
    await shell(first, repository.path, {
      PATH: process.env.PATH ?? '',
      HOME: repository.path,
      ...hosts(),
      ...tokens,
    }),
  );
});
afterAll(async () => {
  await Promise.all([server.close(), gitlab.close()]);
  repository.remove();
});

function buys(number: number, buy: string): void {
  const pin = `spec: { account: { login_username: desk-${number} } }\n`;
  for (const [name, text] of Object.entries(projectFiles({ buy })))
    repository.write(
      `accounts/desk-${number}/${name}`,
      name === 'tradeform.yaml' ? withPin(text, pin) : text,
    );
}

function withPin(text: string, pin: string): string {
  return text.includes('spec:') ? text : `${text.trimEnd()}\n${pin}`;
}

/** The setting of the project: the host that the tokens may go to. */
const hosts = () => ({ TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN_*=${new URL(server.baseUrl).origin}` });

async function job(
  name: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ code: number; log: string }> {
  const { script, environment } = jobs[name] ?? expect.fail(`no job ${name}`);
  ran.add(name);
  const ended = await shell(script.join('\n'), repository.path, {
    PATH: process.env.PATH ?? '',
    HOME: repository.path,
    CI: 'true',
    CI_API_V4_URL: gitlab.url,
    CI_PROJECT_ID: '42',
    CI_PIPELINE_ID: '9',
    CI_PIPELINE_URL: 'https://gitlab.invalid/p/9',
    CI_DEFAULT_BRANCH: 'main',
    CI_REPOSITORY_URL: `file://${repository.path}`,
    CI_COMMIT_SHA: repository.git('rev-parse', 'HEAD'),
    ...variables,
    ...hosts(),
    ...SECRETS[environment?.name ?? ''],
    ...more,
  });
  for (const secret of [GITLAB_TOKEN, ...Object.values(tokens).map((token) => token.slice(18))])
    expect(ended.log).not.toContain(secret);
  return ended;
}

function succeeded({ code, log }: { code: number; log: string }): void {
  expect(code, log).toBe(0);
}

/** A job, or several by `parallel` that look at their own accounts; the worst code. */
async function looks(
  name: 'plan' | 'drift',
  more: Readonly<Record<string, string>>,
  jobs = 1,
): Promise<number> {
  rmSync(join(repository.path, 'tradeform-shards'), { recursive: true, force: true });
  const codes: number[] = [];
  for (let index = 1; index <= jobs; index += 1) {
    const node = jobs === 1 ? {} : { CI_NODE_INDEX: String(index), CI_NODE_TOTAL: String(jobs) };
    codes.push((await job(name, { ...more, ...node })).code);
  }
  return Math.max(...codes);
}

async function plan(jobs = 1): Promise<void> {
  const request = {
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_DIFF_BASE_SHA: repository.git('rev-parse', 'HEAD^1'),
  };
  expect(await looks('plan', request, jobs)).toBe(0);
  succeeded(await job('note', request));
}

async function apply(more: Readonly<Record<string, string>> = {}): Promise<{ code: number; log: string }> {
  for (const file of ['reviewed', 'apply.md', 'apply.code'])
    rmSync(join(repository.path, `tradeform-${file}`), { recursive: true, force: true });
  const merged = { CI_COMMIT_BRANCH: 'main', ...more };
  succeeded(await job('reviewed', merged));
  const applied = await job('apply', merged);
  const status = applied.code === 0 ? 'success' : 'failed';
  gitlab.deployments.push({ sha: repository.git('rev-parse', 'HEAD'), status, environment: 'production' });
  succeeded(await job('result', merged));
  return applied;
}

const pushed = () => ({ CI_COMMIT_BEFORE_SHA: repository.git('rev-parse', 'HEAD^1') });
const isMerged = () => {
  const merge_commit_sha = repository.git('rev-parse', 'HEAD');
  gitlab.merged.splice(0, gitlab.merged.length, {
    merge_commit_sha,
    squash_commit_sha: null,
    state: 'merged',
  });
};

function amounts(): readonly unknown[] {
  return [...sandbox.state.tasks.values()].map(({ account, config }) => [account, config.buy_amount]).sort();
}

const HEADER = /^<!-- tradeform:fleetplan project=desk environment=- digest=([0-9a-f]{64}|-) -->\n/;

describe('a change', () => {
  it('is shown in one note for all accounts, and applied as reviewed', async () => {
    buys(1, '0.2');
    repository.commit();
    succeeded(await job('validate', { CI_MERGE_REQUEST_IID: '7' }));
    await plan(2);
    expect(gitlab.notes).toHaveLength(1);
    const body = gitlab.notes[0]?.body ?? '';
    expect(HEADER.exec(body)?.[1]).toHaveLength(64);
    for (const name of ['desk-1', 'desk-2']) expect(body).toContain(`| \`${name}\` |`);
    isMerged();
    succeeded(await apply(pushed()));
    expect(amounts()).toEqual([
      ['desk-1', '0.2'],
      ['desk-2', '0.1'],
    ]);
    expect(gitlab.notes).toHaveLength(2);
  });

  it('that changed since the review is applied in no account, and the note says how to continue', async () => {
    buys(1, '0.3');
    repository.commit();
    await plan();
    const before = repository.git('rev-parse', 'HEAD^1');
    buys(2, '0.4');
    repository.commit();
    isMerged();
    const applied = await apply({ CI_COMMIT_BEFORE_SHA: before });
    expect([applied.code, amounts()]).toEqual([
      4,
      [
        ['desk-1', '0.2'],
        ['desk-2', '0.1'],
      ],
    ]);
    const told = gitlab.notes.find(({ body }) => body.startsWith('<!-- tradeform:fleetapply '))?.body ?? '';
    const expected = /`EXPECT` = `([0-9a-f]{64})`/.exec(told)?.[1] ?? expect.fail(told);
    succeeded(await apply({ EXPECT: expected }));
    expect(amounts()).toEqual([
      ['desk-1', '0.3'],
      ['desk-2', '0.4'],
    ]);
  });

  it('with an account that cannot be planned shows no digest, and is not applied', async () => {
    buys(1, '0.5');
    repository.write('accounts/desk-2/manifests/bad.yaml', 'kind: Nothing\n');
    repository.commit();
    const request = {
      CI_MERGE_REQUEST_IID: '7',
      CI_MERGE_REQUEST_DIFF_BASE_SHA: repository.git('rev-parse', 'HEAD^1'),
    };
    expect(await looks('plan', request)).toBe(3);
    succeeded(await job('note', request));
    expect(HEADER.exec(gitlab.notes.find(({ body }) => HEADER.test(body))?.body ?? '')?.[1]).toBe('-');
    isMerged();
    expect((await job('reviewed', { CI_COMMIT_BRANCH: 'main' })).code).toBe(1);
    rmSync(join(repository.path, 'accounts/desk-2/manifests/bad.yaml'));
    buys(1, '0.3');
    repository.commit();
  });

  it('that brings a document of a shard is told of none', async () => {
    repository.write('tradeform-shards/9.json', '{}');
    repository.git('add', '-f', 'tradeform-shards/9.json');
    const request = { CI_MERGE_REQUEST_IID: '7', CI_MERGE_REQUEST_DIFF_BASE_SHA: 'HEAD^1' };
    for (const name of ['note', 'issue'])
      expect((await job(name, { ...request, CI_COMMIT_BRANCH: 'main' })).code, name).not.toBe(0);
    repository.git('rm', '-qrf', 'tradeform-shards/9.json');
  });

  it('is not applied for a merge request, nor on another branch, whatever the rules of a job say', async () => {
    for (const more of [
      { CI_MERGE_REQUEST_IID: '7', CI_COMMIT_BRANCH: 'main' },
      { CI_COMMIT_BRANCH: 'other' },
    ]) {
      expect((await job('apply', { EXPECT: '0'.repeat(64), ...more })).code).toBe(4);
      expect((await job('drift', more)).code).toBe(4);
    }
  });
});

it('drift in any account is one issue, which is closed when everything matches git', async () => {
  const main = { CI_COMMIT_BRANCH: 'main' };
  const night = async (jobs = 1) => {
    const code = await looks('drift', main, jobs);
    succeeded(await job('issue', main));
    return code;
  };
  gitlab.issues.push({
    iid: 1,
    author: { id: 9 },
    labels: ['tradeform-drift'],
    title: 'Mine',
    description: '<!-- tradeform:fleetdrift project=desk environment=- digest=- -->',
    state: 'opened',
  });
  expect([await night(), gitlab.issues.length]).toEqual([0, 1]);
  const [task] = sandbox.state.tasks.values();
  sandbox.editStored(task?.id ?? '', { is_active: false });
  expect(await night(2)).toBe(2);
  expect(gitlab.issues).toMatchObject([
    { title: 'Mine', state: 'opened' },
    { title: 'tradeform: desk differs from git', state: 'opened' },
  ]);
  expect(gitlab.issues[1]?.description).toContain('desk-1');
  sandbox.editStored(task?.id ?? '', { is_active: true });
  expect(await night()).toBe(0);
  expect(gitlab.issues.map(({ state }) => state)).toEqual(['opened', 'closed']);
  // Of a job that is cut off no document is left: its accounts count as not reached.
  expect(await looks('drift', main, 2)).toBe(0);
  rmSync(join(repository.path, 'tradeform-shards/2.json'));
  succeeded(await job('issue', main));
  expect(gitlab.issues.map(({ state }) => state)).toEqual(['opened', 'closed', 'opened']);
  expect(gitlab.issues[2]?.description).toContain('not-run');
});

it('every job was run', () => {
  expect([...ran].sort()).toEqual(
    Object.keys(jobs)
      .filter((name) => 'script' in (jobs[name] ?? {}))
      .sort(),
  );
});
