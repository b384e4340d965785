import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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

/** The complete workflow files of a fleet, with shards and without, played through: each test goes on where the one before it stopped. */

const secrets = {
  READ_TOKEN_DESK_1: 'svc_live_0000aaa1.reads-canary-1',
  READ_TOKEN_DESK_2: 'svc_live_0000aaa2.reads-canary-2',
  TRADEFORM_TOKEN_DESK_1: 'svc_live_0000bbb1.writes-canary-1',
  TRADEFORM_TOKEN_DESK_2: 'svc_live_0000bbb2.writes-canary-2',
};
const READS = ['account:read', 'sniper:read', 'copy_trade:read', 'transfer_snipe:read'];
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
    [{ token: READ_TOKEN_DESK_1, scopes: READS }, { token: TRADEFORM_TOKEN_DESK_1 }],
    [{ token: READ_TOKEN_DESK_2, scopes: READS }, { token: TRADEFORM_TOKEN_DESK_2 }],
  ];
  const accounts = tokens.map((own, at) => {
    const id = `desk-${at + 1}`;
    return { id, login_username: id, tokens: own };
  });
  sandbox = createSandbox({ seed: { accounts } });
  server = await startServer(sandbox);
  github = await startHost('github');
  repository = testRepository();
  github.head = (branch) => repository.git('rev-parse', branch);
  folder = temporaryFolder('fleet-ci');
  repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  const units = NAMES.map(
    (name, at) => `{ project: accounts/${name}, token_env: TRADEFORM_TOKEN_DESK_${(at % 2) + 1} }`,
  );
  const spec = `{ base_url: "${server.baseUrl}", units: [${units.join(', ')}], waves: [[desk-1], ["*"]] }`;
  const head = 'apiVersion: tradeform/v1\nkind';
  repository.write('fleet.yaml', `${head}: Fleet\nmetadata: { name: desk }\nspec: ${spec}\n`);
  for (const [at, name] of NAMES.entries()) {
    const project = `${head}: Project\nmetadata: { name: p${at} }\nspec: { account: { login_username: desk-${(at % 2) + 1} } }\n`;
    repository.write(`accounts/${name}/tradeform.yaml`, project);
    const label = `${head}: Label\nmetadata: { name: ${name} }\nspec: { sort_order: ${at} }\n`;
    repository.write(`accounts/${name}/manifests/own.yaml`, label);
  }
  buys('0.1', 1, 2);
  // What a pull request brings is no document of a job.
  repository.write('tradeform-shards/3-of-2.json', '{}');
  repository.commit();
});
afterAll(async () => {
  await Promise.all([server.close(), github.close()]);
  for (const kept of [folder, ...artifacts.flatMap((one) => [...one.values()])])
    rmSync(kept, { recursive: true, force: true });
});

function buys(buy: string, ...accounts: readonly number[]): void {
  for (const account of accounts)
    for (const [file, text] of Object.entries(projectFiles({ buy })))
      if (file !== 'tradeform.yaml') repository.write(`accounts/desk-${account}/${file}`, text);
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

const codes = (results: readonly JobResult[]) => results.map(({ job, code }) => `${job} ${code}`).join(', ');

const main = (event: string, inputs: Readonly<Record<string, string>> = {}) =>
  [onMain(folder, event, repository.git('rev-parse', 'main')), { inputs }] as const;
const apply = (inputs: Readonly<Record<string, string>>) =>
  play('fleet-apply.yml', ...main('workflow_dispatch', inputs));

/** Pushes what is written to a branch from main and runs a workflow of its pull request. */
async function pull(branch: string, workflow = 'fleet-shards.yml'): Promise<readonly JobResult[]> {
  const event = trial(repository.path, branch);
  github.pullHead = () => event.headSha;
  github.pulls.splice(0);
  return play(workflow, pullRequest(folder, event));
}

/** Merges the branch, and runs the workflow of the push. */
async function merge(branch: string): Promise<readonly JobResult[]> {
  const { git } = repository;
  const before = git('rev-parse', 'main');
  git('merge', '-q', '--no-ff', '-m', `Merge ${branch}`, branch);
  const sha = git('rev-parse', 'HEAD');
  github.pulls.push({ number: 7, merged_at: new Date().toISOString(), merge_commit_sha: sha });
  return play('fleet-apply.yml', onMain(folder, 'push', sha, undefined, before));
}

const amounts = () =>
  [...sandbox.state.tasks.values()].map(({ account, config }) => `${account} ${config.buy_amount}`).sort();
const writes = () => sandbox.log.filter(({ method }) => method !== 'GET').length;

it('the first manifests are applied by hand, and then no issue reports drift', async () => {
  expect(codes(await apply({ expect: 'none', only: 'all' })), logs.join('\n')).toBe('apply 0');
  expect(amounts()).toEqual(['desk-1 0.1', 'desk-2 0.1']);
  expect(codes(await play('fleet-drift.yml', ...main('schedule')))).toBe('drift 0');
  expect(github.issues).toEqual([]);
});

describe('a pull request', () => {
  it('gets one comment of all shards; merged, one job applies exactly what it shows, wave by wave', async () => {
    const before = writes();
    buys('0.2', 1, 2);
    const results = await pull('change');
    expect(codes(results), logs.join('\n')).toBe('validate 0, shards 0, shard 0, shard 0, report 0');
    expect([github.comments.length, writes()]).toEqual([1, before]);
    const body = github.comments[0]?.body ?? '';
    expect(HEADER.exec(body)?.[1]).toBe(results.at(-1)?.document?.digest);
    for (const name of NAMES) expect(body).toContain(`| \`${name}\` |`);
    const applied = await merge('change');
    expect(codes(applied), logs.join('\n')).toBe('apply 0');
    expect(applied[0]?.log).toMatch(/Wave 1: desk-1[\s\S]*Wave 2: desk-2/);
    expect(amounts()).toEqual(['desk-1 0.2', 'desk-2 0.2']);
    expect(github.comments[1]?.body).toMatch(/^<!-- tradeform:fleetapply project=desk /);
  });

  it('whose plan moved is applied in no account, and the comment says how to continue', async () => {
    buys('0.4', 1);
    expect(codes(await pull('later', 'fleet-pull-request.yml')), logs.join('\n')).toBe('validate 0, plan 0');
    buys('0.5', 2);
    repository.commit();
    const before = writes();
    expect([codes(await merge('later')), writes()]).toEqual(['apply 4', before]);
    const body = github.comments.at(-1)?.body ?? '';
    const digest = /`expect` = `([0-9a-f]{64})`/.exec(body)?.[1] ?? expect.fail(body);
    expect(codes(await apply({ expect: digest }))).toBe('apply 0');
    expect(amounts()).toEqual(['desk-1 0.4', 'desk-2 0.5']);
  });

  it('of a fork is validated, and gets neither a plan nor a token', async () => {
    const before = sandbox.log.length;
    const sha = repository.git('rev-parse', 'main');
    const fork = pullRequest(folder, { headSha: sha, baseSha: sha, sha, from: 'mallory/tasks' });
    expect(codes(await play('fleet-shards.yml', fork))).toBe(
      'validate 0, shards 0, shard undefined, shard undefined, report undefined',
    );
    expect(sandbox.log.length).toBe(before);
  });

  it('whose fleet file is invalid shows no former plan', async () => {
    repository.write('fleet.yaml', 'kind: [');
    github.comments.splice(0);
    github.comment(BOT, `<!-- tradeform:fleetplan project=- environment=- digest=${'1'.repeat(64)} -->`);
    expect(codes(await pull('broken'))).toBe('validate 3, shards 3, report 3');
    expect(github.comments.at(-1)?.body).toMatch(/ digest=- -->\n.*### Errors/s);
  });
});

it('drift in any account is one issue, which is closed when the drift is gone', async () => {
  const night = async () => codes(await play('fleet-drift.yml', ...main('schedule')));
  const [task] = sandbox.state.tasks.values();
  sandbox.editStored(task?.id ?? '', { is_active: false });
  expect(await night()).toBe('drift 0');
  expect(github.issues).toMatchObject([{ title: 'tradeform: desk differs from git', state: 'open' }]);
  sandbox.editStored(task?.id ?? '', { is_active: true });
  // An account that nobody could look at is told as well, and fails the step.
  const fault = { token: secrets.READ_TOKEN_DESK_2.slice(0, 17), times: 0 } as const;
  sandbox.faults.add({ ...fault, fault: { type: 'error', code: 'invalid_api_token' } });
  expect(await night()).toBe('drift 1');
  expect(github.issues).toMatchObject([{ state: 'open' }]);
  expect(github.issues[0]?.body).toMatch(/\d failed/);
  sandbox.faults.clear();
  expect(await night()).toBe('drift 0');
  expect(github.issues).toMatchObject([{ state: 'closed' }]);
});

it('what an earlier attempt left does not stand for a job that is cut off', async () => {
  const night = (attempt: string, more: Partial<Trigger>) => {
    const [env] = main('schedule');
    return play('fleet-shards.yml', { ...env, GITHUB_RUN_ATTEMPT: attempt }, more);
  };
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

it('the button pauses one account, then all of them; what is typed into the form chooses accounts, and is no option', async () => {
  const press = async (accounts: string) =>
    codes(await play('fleet-stop.yml', ...main('workflow_dispatch', { accounts, unmanaged: 'false' })));
  const running = () =>
    [...sandbox.state.tasks.values()].flatMap((one) => (one.is_active ? [one.account] : [])).sort();
  const before = writes();
  for (const accounts of ['--exclude=desk-1', '--dry-run', 'desk-1;true', 'desk-99'])
    expect(await press(accounts), accounts).toBe('pause 3');
  expect([writes(), running()]).toEqual([before, ['desk-1', 'desk-2']]);
  expect(await press('desk-2')).toBe('pause 0');
  expect(running()).toEqual(['desk-1']);
  expect(await press('all')).toBe('pause 0');
  expect(running()).toEqual([]);
});

it('no token stands in any log, comment or issue', () => {
  const said = [...logs, ...[...github.comments, ...github.issues].map(({ body }) => body)].join('\n');
  for (const token of Object.values(secrets)) expect(said).not.toContain(token.slice(18));
});
