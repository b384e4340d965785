import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RunningServer, startServer } from '../../src/sandbox/server.ts';
import { projectFiles } from '../cmd/run.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';
import { BOT, type FakeHost, startHost } from './host.ts';
import { type Artifacts, type JobResult, runWorkflow, type Trigger, trial } from './runner.ts';
import { onMain, pullRequest } from './workflow-event.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 300_000 });

/** The workflow of a fleet in shards, played through: each test goes on where the one before it stopped. */

const secrets = {
  READ_TOKEN_DESK_1: 'svc_live_0000aaa1.reads-canary-1',
  READ_TOKEN_DESK_2: 'svc_live_0000aaa2.reads-canary-2',
  TRADEFORM_TOKEN_DESK_1: 'svc_live_0000bbb1.writes-canary-1',
  TRADEFORM_TOKEN_DESK_2: 'svc_live_0000bbb2.writes-canary-2',
};
/** Eleven accounts are two shards; all but two have a label alone. */
const NAMES = Array.from({ length: 11 }, (_item, index) => `desk-${index + 1}`);
const HEADER = /^<!-- tradeform:fleetplan project=desk environment=- digest=([0-9a-f]{64}|-) -->\n/;

let github: FakeHost;
let sandbox: Sandbox;
let server: RunningServer;
let repository: TestRepository;
let folder: string;
const logs: string[] = [];
const artifacts: Artifacts[] = [];

beforeAll(async () => {
  const { READ_TOKEN_DESK_1, READ_TOKEN_DESK_2, TRADEFORM_TOKEN_DESK_1, TRADEFORM_TOKEN_DESK_2 } = secrets;
  const tokens = [
    [READ_TOKEN_DESK_1, TRADEFORM_TOKEN_DESK_1],
    [READ_TOKEN_DESK_2, TRADEFORM_TOKEN_DESK_2],
  ];
  const accounts = tokens.map((own, at) => ({
    id: `desk-${at + 1}`,
    login_username: `desk-${at + 1}`,
    tokens: own.map((token) => ({ token })),
  }));
  sandbox = createSandbox({ seed: { accounts } });
  server = await startServer(sandbox);
  github = await startHost('github');
  repository = testRepository();
  github.head = (branch) => repository.git('rev-parse', branch);
  folder = temporaryFolder('fleet-shards');
  repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  const units = NAMES.map(
    (name, at) => `{ project: accounts/${name}, token_env: TRADEFORM_TOKEN_DESK_${(at % 2) + 1} }`,
  );
  const spec = `{ base_url: "${server.baseUrl}", units: [${units.join(', ')}] }`;
  const head = 'apiVersion: tradeform/v1\nkind';
  repository.write('fleet.yaml', `${head}: Fleet\nmetadata: { name: desk }\nspec: ${spec}\n`);
  for (const [at, name] of NAMES.entries()) {
    const project = `${head}: Project\nmetadata: { name: p${at} }\nspec: { account: { login_username: desk-${(at % 2) + 1} } }\n`;
    repository.write(`accounts/${name}/tradeform.yaml`, project);
    const label = `${head}: Label\nmetadata: { name: ${name} }\nspec: { sort_order: ${at} }\n`;
    repository.write(`accounts/${name}/manifests/own.yaml`, label);
  }
  buys('0.1');
  // What a pull request brings is no document of a job.
  repository.write('tradeform-shards/3-of-2.json', '{}');
  repository.commit();
});
afterAll(async () => {
  await Promise.all([server.close(), github.close()]);
  for (const kept of [folder, ...artifacts.flatMap((one) => [...one.values()])])
    rmSync(kept, { recursive: true, force: true });
});

function buys(buy: string): void {
  for (const name of NAMES.slice(0, 2))
    for (const [file, text] of Object.entries(projectFiles({ buy })))
      if (file !== 'tradeform.yaml') repository.write(`accounts/${name}/${file}`, text);
}

/** The setting of the repository: the host that the tokens may go to. */
const hosts = () => ({ TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN_*=${new URL(server.baseUrl).origin}` });

async function play(
  workflow: string,
  env: Readonly<Record<string, string>>,
  more: Partial<Trigger> = {},
): Promise<readonly JobResult[]> {
  const all = { ...github.env, ...env };
  const attempt = { artifacts: new Map<string, string>(), ...more.attempt };
  artifacts.push(attempt.artifacts);
  const trigger = { origin: repository.path, env: all, secrets, vars: hosts(), ...more, attempt };
  const results = await runWorkflow(workflow, trigger);
  for (const { log, summary, outputs } of results) logs.push(log, summary, JSON.stringify(outputs));
  return results;
}

function codes(results: readonly JobResult[]): string {
  return results.map(({ job, code }) => `${job} ${code}`).join(', ');
}

const night = (attempt: string, more: Partial<Trigger> = {}) => {
  const env = {
    ...onMain(folder, 'schedule', repository.git('rev-parse', 'main')),
    GITHUB_RUN_ATTEMPT: attempt,
  };
  return play('fleet-shards.yml', env, more);
};

it('the first manifests are applied by hand', async () => {
  const main = repository.git('rev-parse', 'main');
  const results = await play('fleet-apply.yml', onMain(folder, 'workflow_dispatch', main), {
    inputs: { expect: 'none', only: 'all' },
  });
  expect(codes(results), logs.join('\n')).toBe('apply 0');
});

it('a pull request gets one comment of all shards; merged, one job applies exactly what the comment shows', async () => {
  const { git } = repository;
  buys('0.2');
  const { headSha, baseSha, sha } = trial(repository.path, 'change');
  github.pullHead = () => headSha;
  const results = await play('fleet-shards.yml', pullRequest(folder, { headSha, baseSha, sha }));
  expect(codes(results), logs.join('\n')).toBe('validate 0, shards 0, shard 0, shard 0, report 0');
  expect(github.comments).toHaveLength(1);
  const body = github.comments[0]?.body ?? '';
  expect(HEADER.exec(body)?.[1]).toBe(results.at(-1)?.document?.digest);
  for (const name of NAMES) expect(body).toContain(name);
  git('merge', '-q', '--no-ff', '-m', 'Merge change', 'change');
  const merged = git('rev-parse', 'HEAD');
  github.pulls.push({ number: 7, merged_at: new Date().toISOString(), merge_commit_sha: merged });
  const pushed = onMain(folder, 'push', merged, undefined, baseSha);
  expect(codes(await play('fleet-apply.yml', pushed)), logs.join('\n')).toBe('apply 0');
  expect([...sandbox.state.tasks.values()].map(({ config }) => config.buy_amount)).toEqual(['0.2', '0.2']);
});

it('a pull request of a fork is validated, and gets neither a plan nor a token', async () => {
  const before = sandbox.log.length;
  const sha = repository.git('rev-parse', 'main');
  const fork = pullRequest(folder, { headSha: sha, baseSha: sha, sha, from: 'mallory/tasks' });
  expect(codes(await play('fleet-shards.yml', fork))).toBe(
    'validate 0, shards 0, shard undefined, shard undefined, report undefined',
  );
  expect(sandbox.log.length).toBe(before);
});

it('a pull request whose fleet file is invalid shows no former plan', async () => {
  repository.write('fleet.yaml', 'kind: [');
  const event = trial(repository.path, 'broken');
  github.pullHead = () => event.headSha;
  github.pulls.splice(0);
  github.comment(BOT, `<!-- tradeform:fleetplan project=- environment=- digest=${'1'.repeat(64)} -->`);
  const results = await play('fleet-shards.yml', pullRequest(folder, event));
  expect(codes(results)).toBe('validate 3, shards 3, report 3');
  expect(github.comments.at(-1)?.body).toMatch(/ digest=- -->\n.*### Errors/s);
});

it('what an earlier attempt left does not stand for a job that is cut off', async () => {
  const attempt = { jobs: new Map<string, JobResult>(), artifacts: new Map<string, string>() };
  expect(codes(await night('1', { attempt }))).toBe(
    'validate undefined, shards 0, shard 0, shard 0, report 0',
  );
  expect(github.issues.every(({ state }) => state === 'closed')).toBe(true);
  // Somebody runs a good job again, in the run of the first attempt.
  const lost = [...attempt.jobs.keys()].find((key) => key.includes('"2/2"'));
  expect(attempt.jobs.delete(lost ?? '')).toBe(true);
  expect(codes(await night('2', { attempt, lost: '2/2' }))).toBe(
    'validate undefined, shards 0, shard 0, shard 1, report 1',
  );
  expect(github.issues).toMatchObject([{ state: 'open' }]);
  expect(github.issues[0]?.body).toContain('not-run');
});

it('no token stands in any log, comment or issue', () => {
  const said = [...logs, ...[...github.comments, ...github.issues].map(({ body }) => body)].join('\n');
  for (const token of Object.values(secrets)) expect(said).not.toContain(token.slice(18));
});
