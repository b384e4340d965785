import { readFileSync } from 'node:fs';
import { ActionFailure } from './failure.ts';
import type { ActionCommand } from './inputs.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface PullRequest {
  readonly number: number;
  readonly headSha: string;
  readonly baseSha: string;
  /** The branch that it would be merged into. */
  readonly baseRef: string | undefined;
  /** Why this run has no token of the service and must not get one. */
  readonly unprivileged: string | undefined;
}

/** The event that started the run. */
export interface Event {
  readonly name: string;
  /** `owner/name`. */
  readonly repository: string;
  /** The checked-out commit, unless the workflow says otherwise. */
  readonly sha: string;
  /** `refs/heads/main`. */
  readonly ref: string;
  /** Undefined if the payload does not name it. */
  readonly defaultBranch: string | undefined;
  readonly runUrl: string;
  readonly pull: PullRequest | undefined;
  /** For a push: the former commit of the branch, unless the branch is new. */
  readonly before: string | undefined;
}

/** Events that only bring what is in the repository: a branch, or the queue that merges into one. */
const OWN = ['push', 'workflow_dispatch', 'schedule', 'merge_group'];
/** Events with a pull request, whose payload tells whether it comes from a fork. */
const PULLS = ['pull_request', 'pull_request_review', 'pull_request_review_comment'];

/**
 * Reads the variables and the payload that GitHub gives to every run. In a called workflow (`workflow_call`), the event is the
 * caller's.
 */
export function readEvent(env: Env): Event {
  const name = env.GITHUB_EVENT_NAME ?? '';
  const repository = env.GITHUB_REPOSITORY ?? '';
  const sha = env.GITHUB_SHA ?? '';
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || !isHash(sha)) {
    throw new ActionFailure(3, 'this program must be started by action.yml in a GitHub workflow');
  }
  if (name === 'pull_request_target') {
    throw new ActionFailure(
      4,
      'pull_request_target is refused: it gives secrets and a token with write permission to code that a stranger proposes',
      'Use `on: pull_request`: it only validates pull requests of forks.',
    );
  }
  const server = env.GITHUB_SERVER_URL ?? 'https://github.com';
  const payload = payloadOf(env);
  const branch = payload?.repository?.default_branch;
  const before = payload?.before;
  return {
    name,
    repository,
    sha,
    ref: env.GITHUB_REF ?? '',
    defaultBranch: typeof branch === 'string' ? branch : undefined,
    runUrl: `${server}/${repository}/actions/runs/${env.GITHUB_RUN_ID ?? ''}`,
    pull: PULLS.includes(name) ? pullOf(payload, env) : undefined,
    before: name === 'push' && isHash(before) && !/^0+$/.test(before) ? before : undefined,
  };
}

/**
 * Fails (4) if the event may bring unmerged content. Such a run must not apply, and must not get a token of the service. Both
 * lists name what is allowed, because GitHub adds events.
 */
export function requireEvent(command: ActionCommand, event: Event): void {
  const { name, pull } = event;
  if (command === 'validate' || command === 'matrix' || runsMergedCode(event)) return;
  if (command === 'apply') {
    throw new ActionFailure(
      4,
      `apply does not run on ${said(name)}: ${pull === undefined ? 'it may contain changes that are not merged' : 'a pull request is not merged'}`,
      `Apply runs on ${OWN.join(', ')}. Use \`on: push\` to the main branch, in a job with a protected environment.`,
    );
  }
  if (pull !== undefined) return;
  throw new ActionFailure(
    4,
    `${command} does not run on ${said(name)}: the checkout may contain what a stranger proposes, and the run has the secrets of the repository`,
    `${command} runs on ${[...PULLS, ...OWN].join(', ')}. Use \`on: pull_request\` for pull requests, and workflow_dispatch to start it by hand; validate runs on every event.`,
  );
}

/**
 * False if the checkout may contain a project file that nobody merged. The list names what is allowed, because GitHub adds events.
 */
export function runsMergedCode({ name }: Event): boolean {
  return OWN.includes(name);
}

function said(name: string): string {
  return name === '' ? 'an event without a name' : name;
}

/** The fields of the payload that are read here. */
interface Payload {
  readonly pull_request?: {
    readonly number?: unknown;
    readonly head?: { readonly sha?: unknown; readonly repo?: { readonly full_name?: unknown } | null };
    readonly base?: {
      readonly ref?: unknown;
      readonly sha?: unknown;
      readonly repo?: { readonly full_name?: unknown };
    };
  };
  readonly repository?: { readonly default_branch?: unknown };
  readonly before?: unknown;
}

/** Undefined if it cannot be read. */
function payloadOf(env: Env): Payload | undefined {
  try {
    const payload: unknown = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH ?? '', 'utf8'));
    return typeof payload === 'object' && payload !== null ? payload : undefined;
  } catch {
    // Only a pull request needs the payload, and reports that it is missing.
    return undefined;
  }
}

function pullOf(payload: Payload | undefined, env: Env): PullRequest {
  if (payload === undefined) {
    throw new ActionFailure(1, 'the event of this run (GITHUB_EVENT_PATH) cannot be read');
  }
  const { pull_request: pull } = payload;
  const number = pull?.number;
  const headSha = pull?.head?.sha;
  const baseSha = pull?.base?.sha;
  const ref = pull?.base?.ref;
  const baseRef = typeof ref === 'string' ? ref : undefined;
  const home = pull?.base?.repo?.full_name;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || !isHash(headSha) || !isHash(baseSha)) {
    throw new ActionFailure(1, 'the event of this run contains no pull request');
  }
  // The repository of a head may be deleted. Everything that is not certainly this repository counts as a fork.
  const ours = typeof home === 'string' && pull?.head?.repo?.full_name === home;
  const dependabot = env.GITHUB_ACTOR === 'dependabot[bot]';
  const unprivileged = !ours
    ? 'it comes from a fork'
    : dependabot
      ? 'Dependabot started this run'
      : undefined;
  return { number, headSha, baseSha, baseRef, unprivileged };
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{40,64}$/.test(value);
}
