import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RunningServer, startServer } from '../../src/sandbox/server.ts';
import { projectFiles } from '../cmd/run.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';
import { type FakeHost, startHost } from './host.ts';
import { type JobResult, runWorkflow, trial } from './runner.ts';
import { onMain, pullRequest } from './workflow-event.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000 });

/** The complete workflow files of a fleet, played through: each test goes on where the one before it stopped. */

const secrets = {
  READ_TOKEN_DESK_1: 'svc_live_0000aaa1.reads-canary-1',
  READ_TOKEN_DESK_2: 'svc_live_0000aaa2.reads-canary-2',
  TRADEFORM_TOKEN_DESK_1: 'svc_live_0000bbb1.writes-canary-1',
  TRADEFORM_TOKEN_DESK_2: 'svc_live_0000bbb2.writes-canary-2',
};
const HEADER = /^<!-- tradeform:fleetplan project=desk environment=- digest=([0-9a-f]{64}|-) -->\n/;

let github: FakeHost;
let sandbox: Sandbox;
let server: RunningServer;
let repository: TestRepository;
let folder: string;
const logs: string[] = [];

beforeAll(async () => {
  const accounts = [1, 2].map((number) => ({
    id: `desk-${number}`,
    login_username: `desk-${number}`,
    tokens: [
      { token: number === 1 ? secrets.READ_TOKEN_DESK_1 : secrets.READ_TOKEN_DESK_2, scopes: READS },
      { token: number === 1 ? secrets.TRADEFORM_TOKEN_DESK_1 : secrets.TRADEFORM_TOKEN_DESK_2 },
    ],
  }));
  sandbox = createSandbox({ seed: { accounts } });
  server = await startServer(sandbox);
  github = await startHost('github');
  repository = testRepository();
  github.head = (branch) => repository.git('rev-parse', branch);
  folder = temporaryFolder('fleet-ci');
  repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  for (const number of [1, 2]) {
    buys(number, '0.1');
    const spec = `{ account: { login_username: desk-${number} } }`;
    repository.write(
      `accounts/desk-${number}/tradeform.yaml`,
      `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: ${spec}\n`,
    );
  }
  fleetFile(server.baseUrl);
  repository.commit();
});
afterAll(() => Promise.all([server.close(), github.close()]));

const READS = ['account:read', 'sniper:read', 'copy_trade:read', 'transfer_snipe:read'];

function fleetFile(baseUrl: string): void {
  const units = '[{ project: accounts/*, token_env: "TRADEFORM_TOKEN_{NAME}" }]';
  const spec = `{ base_url: "${baseUrl}", units: ${units}, waves: [[desk-1], ["*"]] }`;
  repository.write(
    'fleet.yaml',
    `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: ${spec}\n`,
  );
}

function buys(number: number, buy: string): void {
  for (const [name, text] of Object.entries(projectFiles({ buy })))
    if (name !== 'tradeform.yaml') repository.write(`accounts/desk-${number}/${name}`, text);
}

/** The setting of the repository: the host that the tokens may go to. */
const hosts = () => ({ TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN_*=${new URL(server.baseUrl).origin}` });

async function play(
  workflow: string,
  env: Readonly<Record<string, string>>,
  inputs: Readonly<Record<string, string>> = {},
): Promise<JobResult> {
  const all = { ...github.env, ...env };
  const results = await runWorkflow(workflow, {
    origin: repository.path,
    env: all,
    secrets,
    vars: hosts(),
    inputs,
  });
  for (const { log, summary, outputs } of results) logs.push(log, summary, JSON.stringify(outputs));
  return results.at(-1) ?? expect.fail('no job');
}

/** Pushes what is written to a branch from main and runs the workflow of its pull request. */
async function pull(branch: string): Promise<JobResult> {
  const event = trial(repository.path, branch);
  github.pullHead = () => event.headSha;
  github.pulls.splice(0);
  return play('fleet-pull-request.yml', pullRequest(folder, event));
}

/** Merges the branch, and runs the workflow of the push. */
async function merge(branch: string): Promise<JobResult> {
  const { git } = repository;
  const before = git('rev-parse', 'main');
  git('merge', '-q', '--no-ff', '-m', `Merge ${branch}`, branch);
  const sha = git('rev-parse', 'HEAD');
  github.pulls.splice(0, github.pulls.length, {
    number: 7,
    merged_at: new Date().toISOString(),
    merge_commit_sha: sha,
  });
  return play('fleet-apply.yml', onMain(folder, 'push', sha, undefined, before));
}

function amounts(): readonly unknown[] {
  return [...sandbox.state.tasks.values()].map(({ account, config }) => [account, config.buy_amount]).sort();
}

function writes(): number {
  return sandbox.log.filter(({ method }) => method !== 'GET').length;
}

function succeeded({ code, log }: JobResult): void {
  expect(code, log).toBe(0);
}

it('the first manifests are applied by hand, and then no issue reports drift', async () => {
  const main = repository.git('rev-parse', 'main');
  succeeded(
    await play('fleet-apply.yml', onMain(folder, 'workflow_dispatch', main), { expect: 'none', only: 'all' }),
  );
  expect(amounts()).toEqual([
    ['desk-1', '0.1'],
    ['desk-2', '0.1'],
  ]);
  succeeded(await play('fleet-drift.yml', onMain(folder, 'schedule', main)));
  expect(github.issues).toEqual([]);
});

describe('a change', () => {
  it('is shown in one comment for all accounts; nothing is written to the service', async () => {
    const before = writes();
    buys(1, '0.2');
    buys(2, '0.3');
    const planned = await pull('change');
    succeeded(planned);
    expect([github.comments.length, writes()]).toEqual([1, before]);
    const body = github.comments[0]?.body ?? '';
    expect(HEADER.exec(body)?.[1]).toBe(planned.document?.digest);
    for (const name of ['desk-1', 'desk-2']) expect(body).toContain(`| \`${name}\` |`);
  });

  it('is applied as reviewed after the merge, wave by wave, and a second comment says so', async () => {
    const applied = await merge('change');
    succeeded(applied);
    expect(applied.log).toMatch(/Wave 1: desk-1[\s\S]*Wave 2: desk-2/);
    expect(amounts()).toEqual([
      ['desk-1', '0.2'],
      ['desk-2', '0.3'],
    ]);
    expect(github.comments).toHaveLength(2);
    expect(github.comments[1]?.body).toMatch(/^<!-- tradeform:fleetapply project=desk /);
  });

  it('that differs from the reviewed one is applied in no account, and the comment says how to continue', async () => {
    buys(1, '0.4');
    succeeded(await pull('later'));
    buys(2, '0.5');
    repository.commit();
    const before = writes();
    const applied = await merge('later');
    expect([applied.code, writes()]).toEqual([4, before]);
    const body = github.comments.at(-1)?.body ?? '';
    const digest = /`expect` = `([0-9a-f]{64})`/.exec(body)?.[1] ?? expect.fail(body);
    const main = repository.git('rev-parse', 'main');
    succeeded(await play('fleet-apply.yml', onMain(folder, 'workflow_dispatch', main), { expect: digest }));
    expect(amounts()).toContainEqual(['desk-1', '0.4']);
  });
});

describe('drift', () => {
  it('in any account is one issue, which is closed when the drift is gone', async () => {
    const main = repository.git('rev-parse', 'main');
    const night = () => play('fleet-drift.yml', onMain(folder, 'schedule', main));
    succeeded(await night());
    const [task] = sandbox.state.tasks.values();
    sandbox.editStored(task?.id ?? '', { is_active: false });
    succeeded(await night());
    expect(github.issues).toMatchObject([{ title: 'tradeform: desk differs from git', state: 'open' }]);
    sandbox.editStored(task?.id ?? '', { is_active: true });
    // An account that nobody could look at is told as well, and fails the step.
    const fault = { token: secrets.READ_TOKEN_DESK_2.slice(0, 17), times: 0 } as const;
    sandbox.faults.add({ ...fault, fault: { type: 'error', code: 'invalid_api_token' } });
    expect((await night()).code).toBe(1);
    expect(github.issues).toMatchObject([{ state: 'open' }]);
    expect(github.issues[0]?.body).toContain('1 failed');
    sandbox.faults.clear();
    succeeded(await night());
    expect(github.issues).toMatchObject([{ state: 'closed' }]);
  });
});

it('the button pauses one account, then all of them; what is typed into the form chooses accounts, and is no option', async () => {
  const main = repository.git('rev-parse', 'main');
  const press = (accounts: string) =>
    play('fleet-stop.yml', onMain(folder, 'workflow_dispatch', main), { accounts, unmanaged: 'false' });
  const running = () =>
    [...sandbox.state.tasks.values()]
      .filter(({ is_active }) => is_active)
      .map(({ account }) => account)
      .sort();
  const before = writes();
  for (const accounts of ['--exclude=desk-1', '--dry-run', 'desk-1;true', 'desk-9'])
    expect((await press(accounts)).code, accounts).toBe(3);
  expect([writes(), running()]).toEqual([before, ['desk-1', 'desk-2']]);
  succeeded(await press('desk-2'));
  expect(running()).toEqual(['desk-1']);
  succeeded(await press('all'));
  expect(running()).toEqual([]);
});

it('no log, comment or issue contains a token', () => {
  const said = [
    ...logs,
    ...github.comments.map(({ body }) => body),
    ...github.issues.map(({ body }) => body),
  ].join('\n');
  for (const token of Object.values(secrets)) expect(said).not.toContain(token.slice(18));
});
