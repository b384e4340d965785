import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ran, tradeform } from '../cmd/run.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testRepository } from '../support/repository.ts';
import { type FakeHost, type HostName, startHost } from './host.ts';
import { EVENTS, HEAD, MERGED, type PullEvent } from './workflow-event.ts';

/** A job of a host that runs `tradeform comment`, in the process of the test. */
export interface CiJob {
  readonly host: FakeHost;
  /** The working directory: a project `core` with an environment `production`, in a repository. */
  readonly repository: ReturnType<typeof testRepository>;
  /** In a job of a pull request. */
  onPull(args: readonly string[], event?: PullEvent): Promise<Ran>;
  /** In a job of main, of its newest commit unless another one is named. */
  onMain(args: readonly string[], event?: string, sha?: string, ref?: string): Promise<Ran>;
  /** The variables of that job. */
  variables(event?: string, sha?: string, ref?: string): Record<string, string>;
  /** What an earlier step wrote with `--report`; without a document, it wrote nothing. */
  reported(name: string, document?: object, markdown?: string): void;
  /** What says that this commit was applied whole. */
  recorded(sha: string, more?: Partial<FakeHost['statuses'][number]>): void;
  reset(): void;
}

const PROJECT = `apiVersion: tradeform/v1
kind: Project
metadata: { name: core }
spec: { environments: { production: {} } }
`;

export async function openJob(name: HostName): Promise<CiJob> {
  const host = await startHost(name);
  const repository = testRepository();
  const folder = temporaryFolder('event');
  const events = EVENTS[name];
  const run = (args: readonly string[], event: Record<string, string>) =>
    tradeform(['comment', ...args], {
      cwd: repository.path,
      env: { HOME: repository.path, NO_COLOR: '1', COLUMNS: '999', ...host.env, ...event },
    });
  const commits = () => repository.git('rev-list', '--first-parent', 'HEAD').split('\n');
  const variables: CiJob['variables'] = (event = 'push', sha, ref) => {
    const [head = '', before] = commits();
    return events.onMain(folder, event, sha ?? head, ref, before);
  };
  const job: CiJob = {
    host,
    repository,
    variables,
    onPull: (args, event) => run(args, events.pullRequest(folder, event)),
    onMain: (args, event, sha, ref) => run(args, variables(event, sha, ref)),
    reported(file, document, markdown) {
      const path = join(repository.path, file);
      for (const ending of ['json', 'md']) rmSync(`${path}.${ending}`, { force: true });
      if (document !== undefined) writeFileSync(`${path}.json`, JSON.stringify(document));
      if (markdown !== undefined) writeFileSync(`${path}.md`, markdown);
    },
    recorded(sha, more = {}) {
      const context = name !== 'gitlab' ? 'tradeform/apply/core/production' : 'production';
      host.statuses.push({ sha, login: 'github-actions[bot]', context, state: 'success', ...more });
    },
    reset() {
      host.reset();
      host.head = () => commits()[0] ?? '';
      host.pullHead = () => HEAD;
      repository.write('tradeform.yaml', PROJECT);
      rmSync(join(repository.path, 'approved'), { recursive: true, force: true });
    },
  };
  repository.write('tradeform.yaml', PROJECT);
  repository.commit();
  job.reset();
  return job;
}

export { HEAD, MERGED };
