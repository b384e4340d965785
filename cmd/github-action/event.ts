import { readFileSync } from 'node:fs';
import { ActionFailure } from './failure.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface PullRequest {
  readonly number: number;
  readonly headSha: string;
  readonly baseSha: string;
  /** Why this run has no token of the service, and must not be given one. */
  readonly unprivileged: string | undefined;
}

/** What started the run. */
export interface Event {
  readonly name: string;
  /** `owner/name`. */
  readonly repository: string;
  /** The commit that is checked out, unless the workflow says otherwise. */
  readonly sha: string;
  readonly runUrl: string;
  readonly pull: PullRequest | undefined;
}

/** From the variables and the payload that GitHub gives to every run. */
export function readEvent(env: Env): Event {
  const name = env.GITHUB_EVENT_NAME ?? '';
  const repository = env.GITHUB_REPOSITORY ?? '';
  const sha = env.GITHUB_SHA ?? '';
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || !isHash(sha)) {
    throw new ActionFailure(3, 'this program is started by action.yml within a GitHub workflow');
  }
  if (name === 'pull_request_target') {
    throw new ActionFailure(
      4,
      'pull_request_target is refused: it gives secrets and a writing token to a run on what a stranger proposes',
      'Use `on: pull_request`: there, pull requests of forks are validated and nothing more.',
    );
  }
  const server = env.GITHUB_SERVER_URL ?? 'https://github.com';
  return {
    name,
    repository,
    sha,
    runUrl: `${server}/${repository}/actions/runs/${env.GITHUB_RUN_ID ?? ''}`,
    pull: name === 'pull_request' ? pullOf(payloadOf(env), env) : undefined,
  };
}

/** As much of the payload as is read here. */
interface PullPayload {
  readonly pull_request?: {
    readonly number?: unknown;
    readonly head?: { readonly sha?: unknown; readonly repo?: { readonly full_name?: unknown } | null };
    readonly base?: { readonly sha?: unknown; readonly repo?: { readonly full_name?: unknown } };
  };
}

function payloadOf(env: Env): PullPayload {
  try {
    const payload: unknown = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH ?? '', 'utf8'));
    if (typeof payload === 'object' && payload !== null) return payload;
  } catch {
    // Said below.
  }
  throw new ActionFailure(1, 'the event of this run (GITHUB_EVENT_PATH) cannot be read');
}

function pullOf({ pull_request: pull }: PullPayload, env: Env): PullRequest {
  const number = pull?.number;
  const headSha = pull?.head?.sha;
  const baseSha = pull?.base?.sha;
  const home = pull?.base?.repo?.full_name;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || !isHash(headSha) || !isHash(baseSha)) {
    throw new ActionFailure(1, 'the event of this run holds no pull request');
  }
  // The repository of a head may be gone; what is not certainly ours is treated as a fork.
  const ours = typeof home === 'string' && pull?.head?.repo?.full_name === home;
  const dependabot = env.GITHUB_ACTOR === 'dependabot[bot]';
  const unprivileged = !ours
    ? 'it comes from a fork'
    : dependabot
      ? 'Dependabot started this run'
      : undefined;
  return { number, headSha, baseSha, unprivileged };
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{40,64}$/.test(value);
}
