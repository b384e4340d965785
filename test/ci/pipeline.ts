import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { afterwards } from '../support/cleanup.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';
import { textOf } from './files.ts';
import { type FakeHost, startHost } from './host.ts';
import { install, shell } from './runner.ts';

interface GitLabJob {
  readonly script?: readonly string[];
  readonly environment?: { readonly name: string };
  readonly artifacts?: {
    readonly when?: string;
    readonly reports?: Readonly<Record<string, string>>;
  };
}

type Ended = { readonly code: number; readonly log: string };
type Variables = Readonly<Record<string, string>>;

/** The jobs of a pipeline of GitLab: their scripts line for line, in a clone with tradeform among its node_modules. */
export interface Pipeline {
  readonly gitlab: FakeHost;
  readonly sandbox: Sandbox;
  readonly baseUrl: string;
  readonly repository: TestRepository;
  readonly jobs: Readonly<Record<string, GitLabJob>>;
  readonly ran: ReadonlySet<string>;
  /** One job of the newest commit, with the secrets of its environment; `cwd`: another clone. */
  job(name: string, more?: Variables, cwd?: string): Promise<Ended>;
  /** Merge request 7 was merged as this commit, or as the newest one. */
  merged(commit?: string): void;
  /** What an earlier pipeline left is gone. */
  clean(): void;
}

interface Opening {
  /** The file with the jobs, and another one with variables. */
  readonly files: readonly string[];
  readonly seed: NonNullable<NonNullable<Parameters<typeof createSandbox>[0]>['seed']>;
  /** The variables that each environment has; `*` stands for all. */
  readonly secrets: (baseUrl: string) => Readonly<Record<string, Variables>>;
}

const LEFT = ['reviewed', 'shards', 'plan', 'apply', 'drift', 'quality'];

export async function openPipeline({ files, seed, secrets }: Opening): Promise<Pipeline> {
  const gitlab = await startHost('gitlab');
  const sandbox = createSandbox({ seed });
  const server = await startServer(sandbox, 0);
  afterwards(() => server.close());
  const repository = testRepository();
  install(repository.path);
  repository.write('.gitignore', 'node_modules/\n.npm/\ntradeform-*\n');
  const head = () => repository.git('rev-parse', 'HEAD');
  gitlab.head = head;
  gitlab.pullHead = () => head();
  const all = files.map((file) => parse(textOf('examples/ci/gitlab', file)) as Record<string, GitLabJob>);
  const jobs = Object.fromEntries(
    Object.entries(Object.assign({}, ...all.toReversed())).filter(([, one]) => 'script' in (one as object)),
  ) as Pipeline['jobs'];
  const given = Object.assign({}, ...all.map(({ variables }) => variables)) as Variables;
  const own = secrets(server.baseUrl);
  const hidden = Object.values({ ...own, gitlab: gitlab.env })
    .flatMap((one) => Object.entries(one))
    .flatMap(([name, value]) => (/TOKEN(?!.*HOSTS)/.test(name) ? [value.split('.').at(-1) ?? value] : []));
  const ran = new Set<string>();
  const { TRADEFORM_GITLAB_TOKEN = '', ...ambient } = gitlab.env;
  const variables = (name: string) => {
    const environment = jobs[name]?.environment?.name.replace(/^\$/, '') ?? '';
    const secret =
      environment === 'tradeform-note' ? { TRADEFORM_GITLAB_TOKEN } : own[given[environment] ?? environment];
    return {
      PATH: process.env.PATH ?? '',
      HOME: repository.path,
      NO_COLOR: '1',
      COLUMNS: '999',
      CI: 'true',
      GITLAB_CI: 'true',
      ...ambient,
      CI_PIPELINE_ID: '9',
      CI_PIPELINE_URL: 'https://gitlab.invalid/p/9',
      CI_DEFAULT_BRANCH: 'main',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_REPOSITORY_URL: `file://${repository.path}`,
      CI_COMMIT_SHA: head(),
      ...given,
      ...own['*'],
      ...secret,
    };
  };
  return {
    gitlab,
    sandbox,
    baseUrl: server.baseUrl,
    repository,
    jobs,
    ran,
    async job(name, more = {}, cwd = repository.path) {
      const { script, artifacts: { when, reports = {} } = {} } = jobs[name] ?? expect.fail(`no job ${name}`);
      ran.add(name);
      if (more.CI_MERGE_REQUEST_IID !== undefined) gitlab.pulls.splice(0);
      const ended = await shell((script ?? []).join('\n'), cwd, { ...variables(name), ...more });
      for (const secret of hidden) expect(ended.log).not.toContain(secret);
      for (const file of Object.values(when === 'always' && ended.code < 3 ? reports : {}))
        expect(existsSync(join(cwd, file)), `${name} leaves ${file}\n${ended.log}`).toBe(true);
      return ended;
    },
    merged(commit = head()) {
      gitlab.pulls.push({ number: 7, merged_at: '2026-11-21T09:00:00Z', merge_commit_sha: commit });
    },
    clean() {
      for (const name of LEFT)
        for (const ending of ['', '.json', '.md', '.html'])
          rmSync(join(repository.path, `tradeform-${name}${ending}`), { recursive: true, force: true });
    },
  };
}
