import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './github.ts';

export const HEAD = 'b'.repeat(40);
export const BASE = 'c'.repeat(40);
export const MERGED = 'a'.repeat(40);

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
  return { ...variables(folder, event, payload), GITHUB_SHA: sha, GITHUB_ACTOR: actor };
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
