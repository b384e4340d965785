import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { projectFiles } from '../cmd/run.ts';
import { BOT } from './host.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000 });

/** The jobs of a fleet's pipeline: each test goes on where the one before it stopped. */

const tokens = {
  TRADEFORM_TOKEN_DESK_1: 'svc_live_0000bbb1.canary-1',
  TRADEFORM_TOKEN_DESK_2: 'svc_live_0000bbb2.canary-2',
};
let pipeline: Pipeline;
let gitlab: Pipeline['gitlab'];

/** The setting of the project: the host that the tokens may go to. */
const hosts = (baseUrl: string) => ({
  TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN_*=${new URL(baseUrl).origin}`,
});

beforeAll(async () => {
  const accounts = Object.values(tokens).map((token, at) => ({
    id: `desk-${at + 1}`,
    login_username: `desk-${at + 1}`,
    tokens: [{ token }],
  }));
  pipeline = await openPipeline({
    files: ['fleet.gitlab-ci.yml'],
    seed: { accounts },
    secrets: (baseUrl) => ({
      'tradeform-read': tokens,
      'tradeform-stop': tokens,
      production: tokens,
      '*': hosts(baseUrl),
    }),
  });
  gitlab = pipeline.gitlab;
  const { repository, baseUrl } = pipeline;
  for (const number of [1, 2]) {
    buys(number, '0.1');
    const spec = `{ account: { login_username: desk-${number} } }`;
    const project = `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: ${spec}\n`;
    repository.write(`accounts/desk-${number}/tradeform.yaml`, project);
  }
  const units = '[{ project: accounts/*, token_env: "TRADEFORM_TOKEN_{NAME}" }]';
  const spec = `{ base_url: "${baseUrl}", units: ${units} }`;
  const fleet = `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: ${spec}\n`;
  repository.write('fleet.yaml', fleet);
  repository.commit();
});

function buys(number: number, buy: string): void {
  for (const [name, text] of Object.entries(projectFiles({ buy })))
    if (name !== 'tradeform.yaml') pipeline.repository.write(`accounts/desk-${number}/${name}`, text);
}

function succeeded({ code, log }: { code: number; log: string }): void {
  expect(code, log).toBe(0);
}

const main = { CI_COMMIT_BRANCH: 'main', CI_PIPELINE_SOURCE: 'push' };
const head = (name = 'HEAD') => pipeline.repository.git('rev-parse', name);
const request = () => ({ CI_MERGE_REQUEST_IID: '7', CI_MERGE_REQUEST_DIFF_BASE_SHA: head('HEAD^1') });

/** A job, or several by `parallel` that look at their own accounts; the worst code. */
async function looks(
  name: 'plan' | 'drift',
  more: Readonly<Record<string, string>>,
  jobs = 1,
): Promise<number> {
  pipeline.clean();
  const codes: number[] = [];
  for (let index = 1; index <= jobs; index += 1) {
    const node = jobs === 1 ? {} : { CI_NODE_INDEX: String(index), CI_NODE_TOTAL: String(jobs) };
    codes.push((await pipeline.job(name, { ...more, ...node })).code);
  }
  return Math.max(...codes);
}

async function plan(jobs = 1): Promise<void> {
  expect(await looks('plan', request(), jobs)).toBe(0);
  succeeded(await pipeline.job('note', request()));
}

async function apply(more: Readonly<Record<string, string>> = {}): Promise<{ code: number; log: string }> {
  pipeline.clean();
  const merged = { ...main, ...more };
  succeeded(await pipeline.job('reviewed', merged));
  const applied = await pipeline.job('apply', merged);
  const state = applied.code === 0 ? 'success' : 'failed';
  gitlab.statuses.push({ sha: head(), login: BOT, context: 'production', state });
  succeeded(await pipeline.job('result', merged));
  return applied;
}

function amounts(): readonly unknown[] {
  const tasks = [...pipeline.sandbox.state.tasks.values()];
  return tasks.map(({ account, config }) => [account, config.buy_amount]).sort();
}

const HEADER = /^<!-- tradeform:fleetplan project=desk environment=- digest=([0-9a-f]{64}|-) -->\n/;

describe('a change', () => {
  it('is refused before somebody applied the first manifests by hand', async () => {
    expect((await pipeline.job('reviewed', main)).code).toBe(4);
    succeeded(await apply({ EXPECT: 'none', TRADEFORM_ONLY: '', CI_PIPELINE_SOURCE: 'web' }));
    expect(amounts()).toEqual([
      ['desk-1', '0.1'],
      ['desk-2', '0.1'],
    ]);
  });

  it('is shown in one note for all accounts, and applied as reviewed', async () => {
    buys(1, '0.2');
    pipeline.repository.commit();
    succeeded(await pipeline.job('validate', { CI_MERGE_REQUEST_IID: '7' }));
    await plan(2);
    expect(gitlab.comments).toHaveLength(1);
    const body = gitlab.comments[0]?.body ?? '';
    expect(HEADER.exec(body)?.[1]).toHaveLength(64);
    for (const name of ['desk-1', 'desk-2']) expect(body).toContain(`| \`${name}\` |`);
    pipeline.merged();
    succeeded(await apply({ CI_COMMIT_BEFORE_SHA: head('HEAD^1') }));
    expect(amounts()).toEqual([
      ['desk-1', '0.2'],
      ['desk-2', '0.1'],
    ]);
    expect(gitlab.comments).toHaveLength(2);
  });

  it('that brings a document of a shard is told of none', async () => {
    pipeline.repository.write('tradeform-shards/9.json', '{}');
    pipeline.repository.git('add', '-f', 'tradeform-shards/9.json');
    for (const name of ['note', 'issue'])
      expect((await pipeline.job(name, { ...request(), ...main })).code, name).not.toBe(0);
    pipeline.repository.git('rm', '-qrf', 'tradeform-shards/9.json');
  });
});

it('drift in any account is one issue, which is closed when everything matches git', async () => {
  const night = async (jobs = 1) => {
    const code = await looks('drift', main, jobs);
    succeeded(await pipeline.job('issue', main));
    return code;
  };
  expect([await night(), gitlab.issues]).toEqual([0, []]);
  const [task] = pipeline.sandbox.state.tasks.values();
  pipeline.sandbox.editStored(task?.id ?? '', { is_active: false });
  expect(await night(2)).toBe(2);
  expect(gitlab.issues).toMatchObject([{ title: 'tradeform: desk differs from git', state: 'open' }]);
  expect(gitlab.issues[0]?.body).toContain('desk-1');
  pipeline.sandbox.editStored(task?.id ?? '', { is_active: true });
  expect(await night()).toBe(0);
  expect(gitlab.issues.map(({ state }) => state)).toEqual(['closed']);
  // Of a job that is cut off no document is left: its accounts count as not reached.
  expect(await looks('drift', main, 2)).toBe(0);
  rmSync(join(pipeline.repository.path, 'tradeform-shards/2.json'));
  succeeded(await pipeline.job('issue', main));
  expect(gitlab.issues.map(({ state }) => state)).toEqual(['open']);
  expect(gitlab.issues[0]?.body).toContain('not-run');
});

it('the button pauses the accounts that are named, or all; what is typed into the form is no option', async () => {
  const running = () =>
    [...pipeline.sandbox.state.tasks.values()].filter((task) => task.is_active).map(({ account }) => account);
  expect((await pipeline.job('pause', { ...main, ACCOUNTS: '--dry-run' })).code).toBe(3);
  expect(running()).toHaveLength(2);
  succeeded(await pipeline.job('pause', { ...main, ACCOUNTS: 'desk-1' }));
  expect(running()).toEqual(['desk-2']);
  succeeded(await pipeline.job('pause', main));
  expect(running()).toEqual([]);
});

it('every job was run', () => {
  expect([...pipeline.ran].sort()).toEqual(
    Object.keys(pipeline.jobs)
      .filter((name) => !name.startsWith('.'))
      .sort(),
  );
});
