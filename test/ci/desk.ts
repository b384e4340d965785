import type { JsonObject } from '../../src/core/model/json.ts';
import { KINDS } from '../../src/core/model/kind.ts';
import type { StoredTask } from '../../src/sandbox/records.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { sniperConfig, walletOf } from '../support/builders.ts';
import { afterwards, temporaryFolder } from '../support/cleanup.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';
import { type FakeHost, startHost } from './host.ts';
import { gitSteps, type JobResult, runWorkflow, trial } from './runner.ts';
import { onMain, pullRequest } from './workflow-event.ts';

export const SECRETS = {
  TRADEFORM_READ_TOKEN: 'svc_live_0000aaaa.reads-only-canary-1',
  TRADEFORM_TOKEN: 'svc_live_0000bbbb.writes-too-canary-2',
};

interface PushOptions {
  readonly from?: string;
  readonly actor?: string;
  readonly event?: string;
  readonly vars?: Record<string, string>;
  /** The job that validates is taken to have passed, and is not run. */
  readonly validated?: boolean;
}

/** A desk that works with pull requests: its repository on a forge, and its account on the service. */
export interface Desk {
  readonly github: FakeHost;
  readonly sandbox: Sandbox;
  readonly baseUrl: string;
  readonly repository: TestRepository;
  /** Writes the manifest of a sniper task, on main or on the branch that is checked out. */
  sniper(name: string, buyAmount: string, more?: { spec?: object; config?: JsonObject }): void;
  /** The one task that carries this name in its marker. */
  live(name: string): StoredTask;
  /** Commits on a branch, opens or updates its pull request, and runs pull-request.yml on the trial merge. */
  push(branch: string, options?: PushOptions): Promise<readonly JobResult[]>;
  /** Merges the branch, without any run. The commit that GitHub says it was merged as. */
  merge(branch: string, how?: 'merge' | 'squash' | 'rebase'): string;
  /** The job of this commit, perhaps an old one; that of main without it. The push was of this commit alone. */
  run(
    workflow: string,
    event: 'push' | 'schedule' | 'workflow_dispatch',
    inputs?: Record<string, string>,
    commit?: string,
  ): Promise<JobResult>;
  /** The same, with every job of the workflow. */
  runJobs(...given: Parameters<Desk['run']>): Promise<readonly JobResult[]>;
}

const PASSED: JobResult = { job: 'validate', code: 0, log: '', summary: '', outputs: {} };

const MERGE = {
  merge: 'git merge -q --no-ff -m "Merge $1" "$1"',
  squash: 'git merge -q --squash "$1"; git commit -qm "Squashed $1"',
  // As GitHub does: new commits, also where none is needed.
  rebase: 'git cherry-pick --allow-empty "main..$1"',
} as const;

const HEAD = 'git rev-list --parents -1 "$1"';

const READS = KINDS.flatMap(({ scopes }) => scopes.read);

export async function openDesk(): Promise<Desk> {
  const tokens = [
    { token: SECRETS.TRADEFORM_READ_TOKEN, scopes: [...new Set(READS)] },
    { token: SECRETS.TRADEFORM_TOKEN },
  ];
  const sandbox = createSandbox({ seed: { accounts: [{ login_username: 'whales', tokens }] } });
  const server = await startServer(sandbox, 0);
  afterwards(() => server.close());
  const github = await startHost('github');
  const repository = testRepository();
  github.head = (branch) => repository.git('rev-parse', branch);
  const folder = temporaryFolder('desk');
  const { git, write } = repository;
  // Runs fetch the commit that GitHub names, a trial merge that is on no branch.
  git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  const production = { base_url: server.baseUrl, account: { login_username: 'whales' } };
  write('.gitignore', 'node_modules/\n');
  write('tradeform.yaml', document('Project', 'core', { environments: { production } }));
  const numbers = new Map<string, number>();
  const numberOf = (branch: string) => numbers.get(branch) ?? numbers.set(branch, numbers.size + 7).size + 6;
  github.pullHead = (number) => {
    const [branch = ''] = [...numbers].find(([, one]) => one === number) ?? [];
    return repository.git('rev-parse', branch);
  };
  const secrets = SECRETS;
  const settings = { TRADEFORM_BASE_URL: server.baseUrl };

  const desk: Desk = {
    github,
    sandbox,
    baseUrl: server.baseUrl,
    repository,
    sniper(name, buyAmount, more = {}) {
      const config = sniperConfig({ buy_amount: buyAmount, ...more.config });
      const spec = {
        state: 'active',
        remark: 'Note',
        target_wallet: walletOf(name),
        config,
        ...more.spec,
      };
      write(`manifests/${name}.yaml`, document('SniperTask', name, spec));
    },
    live(name) {
      const [task, ...more] = [...sandbox.state.tasks.values()].filter(({ remark }) =>
        remark.includes(`[git:core/${name}@`),
      );
      if (task === undefined || more.length > 0) throw new Error(`not one task is ${name}`);
      return task;
    },
    async push(branch, { vars = settings, validated = false, ...options } = {}) {
      const event = { number: numberOf(branch), ...trial(repository.path, branch), ...options };
      const env = { ...github.env, ...pullRequest(folder, event) };
      const fork = options.from !== undefined || options.actor !== undefined;
      const results = await runWorkflow('pull-request.yml', {
        origin: repository.path,
        env,
        secrets: fork ? {} : secrets,
        vars,
        ...(validated ? { attempt: { jobs: new Map([['validate {}', PASSED]]), artifacts: new Map() } } : {}),
      });
      return results;
    },
    merge(branch, how = 'merge') {
      const sha = gitSteps(
        repository.path,
        `git checkout -q main; { ${MERGE[how]}; } >/dev/null; git rev-parse HEAD`,
        branch,
      );
      const merged_at = new Date().toISOString();
      github.pulls.push({ number: numberOf(branch), merged_at, merge_commit_sha: sha });
      return sha;
    },
    async run(workflow, ...given) {
      const [result] = await desk.runJobs(workflow, ...given);
      if (result === undefined) throw new Error(`${workflow} has no job`);
      return result;
    },
    runJobs(workflow, event, inputs = {}, commit = 'main') {
      // The first commit of all is that of a new branch.
      const [sha = '', before = '0'.repeat(40)] = gitSteps(repository.path, HEAD, commit).split(' ');
      const env = { ...github.env, ...onMain(folder, event, sha, undefined, before) };
      return runWorkflow(workflow, {
        origin: repository.path,
        env,
        secrets,
        vars: settings,
        inputs,
      });
    },
  };
  return desk;
}

function document(kind: string, name: string, spec: object): string {
  return `${JSON.stringify({ apiVersion: 'tradeform/v1', kind, metadata: { name }, spec }, null, 2)}\n`;
}

export const PULL_HEADER =
  /^<!-- tradeform:plan project=core environment=production digest=([0-9a-f]{64}) -->\n/;
