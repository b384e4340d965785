import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './host.ts';

export const HEAD = 'b'.repeat(40);
export const BASE = 'c'.repeat(40);
export const MERGED = 'a'.repeat(40);

/** What a runner sets in a job of a push to main, without a payload. */
export const PUSH = {
  GITHUB_ACTIONS: 'true',
  GITHUB_EVENT_NAME: 'push',
  GITHUB_REPOSITORY: REPOSITORY,
  GITHUB_SHA: MERGED,
  GITHUB_REF: 'refs/heads/main',
} as const;

export interface PullEvent {
  readonly event?: string;
  readonly number?: number;
  /** Where the change comes from; `null`: that repository is gone. */
  readonly from?: string | null;
  readonly actor?: string;
  readonly headSha?: string;
  readonly baseSha?: string;
  readonly sha?: string;
}

/** The variables of a run on a pull request; its payload goes into that folder. */
export function pullRequest(folder: string, options: PullEvent = {}): Record<string, string> {
  const { event = 'pull_request', number = 7, from = REPOSITORY, actor = 'mira' } = options;
  const { headSha = HEAD, baseSha = BASE, sha = 'd'.repeat(40) } = options;
  const payload = {
    action: 'synchronize',
    number,
    pull_request: {
      number,
      head: {
        ref: 'change',
        sha: headSha,
        repo: from === null ? null : { full_name: from, fork: from !== REPOSITORY },
      },
      base: { ref: 'main', sha: baseSha, repo: { full_name: REPOSITORY, fork: false } },
      user: { login: actor },
    },
    repository: { full_name: REPOSITORY },
  };
  return {
    ...variables(folder, event, payload),
    GITHUB_SHA: sha,
    GITHUB_ACTOR: actor,
    GITHUB_BASE_REF: 'main',
  };
}

/** The variables of a run on a push to main, by hand, on a schedule, or on something else that is no pull request. */
export function onMain(folder: string, event: string, sha = MERGED, ref = 'refs/heads/main', before = BASE) {
  const payload = {
    ref,
    ...(event === 'push' ? { before } : {}),
    repository: { full_name: REPOSITORY, default_branch: 'main' },
  };
  return {
    ...variables(folder, event, payload),
    GITHUB_SHA: sha,
    GITHUB_REF: ref,
    GITHUB_ACTOR: 'mira',
  };
}

const GITLAB = {
  GITLAB_CI: 'true',
  CI: 'true',
  CI_DEFAULT_BRANCH: 'main',
  CI_PIPELINE_URL: 'https://gitlab.invalid/p/9',
};

/** The same on GitLab, in a pipeline of a merge request. */
function mergeRequest({ number = 7, headSha = HEAD, baseSha = BASE, sha = 'd'.repeat(40) }: PullEvent) {
  return {
    ...GITLAB,
    CI_PIPELINE_SOURCE: 'merge_request_event',
    // The job runs on a merge for trial (merged results pipelines), unless the two are one.
    CI_COMMIT_SHA: sha,
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: headSha,
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    CI_MERGE_REQUEST_IID: String(number),
    CI_MERGE_REQUEST_DIFF_BASE_SHA: baseSha,
  };
}

/** The same on GitLab, in a pipeline of a branch. */
function branchPipeline(event: string, sha: string, ref: string, before: string) {
  const branch = /^refs\/heads\/(.*)$/.exec(ref)?.[1] ?? '';
  const source = event === 'workflow_dispatch' ? 'web' : event;
  const former = event === 'push' ? before : '0'.repeat(40);
  return {
    ...GITLAB,
    CI_PIPELINE_SOURCE: source,
    CI_COMMIT_SHA: sha,
    CI_COMMIT_BRANCH: branch,
    CI_COMMIT_BEFORE_SHA: former,
  };
}

/** `pullRequest` and `onMain` of a host. */
export const EVENTS = {
  github: { pullRequest, onMain },
  gitea: { pullRequest, onMain },
  gitlab: {
    pullRequest: (_folder: string, options: PullEvent = {}): Record<string, string> => mergeRequest(options),
    onMain: (
      _folder: string,
      event: string,
      sha = MERGED,
      ref = 'refs/heads/main',
      before = BASE,
    ): Record<string, string> => branchPipeline(event, sha, ref, before),
  },
} as const;

function variables(folder: string, event: string, payload: object): Record<string, string> {
  const file = join(folder, 'event.json');
  writeFileSync(file, JSON.stringify(payload));
  return {
    GITHUB_ACTIONS: 'true',
    CI: 'true',
    GITHUB_EVENT_NAME: event,
    GITHUB_EVENT_PATH: file,
    GITHUB_RUN_ID: '4711',
    RUNNER_TEMP: folder,
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
  };
}
