import { readFileSync } from 'node:fs';
import { CommandFailure, usage } from '../diagnostics/diagnostic.ts';
import { valueAt } from '../model/json.ts';

export type CiEnv = Readonly<Record<string, string | undefined>>;

interface PullRequest {
  readonly number: number;
  readonly headSha: string;
  /** The branch that it would be merged into. */
  readonly baseRef: string;
  /** Why this run has no token of the service and must not get one. */
  readonly unprivileged: string | undefined;
}

export type ForgeName = 'github' | 'gitea' | 'gitlab';

/** What started a job, from the variables and the payload that the CI itself gives to it. */
export interface Event {
  readonly host: ForgeName;
  readonly name: string;
  /** The checked-out commit, unless the workflow says otherwise. */
  readonly sha: string;
  /** The branch with this commit. Undefined for a tag or a pull request. */
  readonly branch: string | undefined;
  readonly runUrl: string;
  readonly pull: PullRequest | undefined;
  /** Only those who can write to the repository cause such an event: it brings a branch or a tag of it. */
  readonly own: boolean;
  /** False if the checkout may contain what nobody merged into the default branch. */
  readonly merged: boolean;
}

/** Events of GitHub that only bring what is in the repository. GitHub adds events. */
const OWN = ['push', 'workflow_dispatch', 'schedule'];

/**
 * `actor`: the variable with the name of whoever started the run. `writes`: where that runs. `setting`: how the base URL gets there.
 * `blob`: what links to files have before the commit. `readsOutput`: the runner executes what looks like its commands. `protects`:
 * secrets, from those who push a branch.
 */
type Host = Readonly<Record<'actor' | 'writes' | 'setting' | 'pull' | 'blob', string>> &
  Readonly<Record<'readsOutput' | 'protects' | 'actsElsewhere', boolean>> & {
    readonly isHere: (env: CiEnv) => boolean;
    readonly event: (env: CiEnv) => Event;
    readonly run: (env: CiEnv) => string | undefined;
    /** The URL of the repository, and the commit that is checked out, unless the workflow says otherwise. */
    readonly files: (env: CiEnv) => readonly (string | undefined)[];
  };

const MERGED = `on ${OWN.join(', ')}, of the default branch: in a`;
const ACTIONS = {
  event: actionsEvent,
  run(env: CiEnv) {
    const { GITHUB_SERVER_URL: server = 'https://github.com', GITHUB_RUN_ID: id } = env;
    // In the repository of the job also where it acts for another one.
    const repository = env.GITHUB_RUN_REPOSITORY ?? repositoryIn(env);
    return repository && id ? `${server}/${repository}/actions/runs/${id}` : undefined;
  },
  actor: 'GITHUB_ACTOR',
  setting: '`TRADEFORM_BASE_URL: ${{ vars.TRADEFORM_BASE_URL }}`, a variable of the repository’s settings',
  pull: 'pull_request',
  readsOutput: true,
  actsElsewhere: true,
  files: (env: CiEnv) => [`${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY ?? ''}`, env.GITHUB_SHA],
};

/** No workflow can set these variables of GITHUB_*. */
const HOSTS: Readonly<Record<ForgeName, Host>> = {
  github: {
    ...ACTIONS,
    isHere: (env) => env.GITHUB_ACTIONS === 'true' && env.GITHUB_GRAPHQL_URL !== '',
    writes: `${MERGED} job with a protected environment, which allows that branch alone`,
    protects: true,
    blob: 'blob',
  },
  /**
   * Gitea and Forgejo have no GraphQL, and their runners say so last, over all that a workflow sets. GITEA_ACTIONS would be no proof: a
   * step can set it.
   */
  gitea: {
    ...ACTIONS,
    isHere: (env) => env.GITHUB_ACTIONS === 'true' && env.GITHUB_GRAPHQL_URL === '',
    writes: `${MERGED} repository of its own, which only those can write to who may apply`,
    protects: false,
    blob: 'src/commit',
  },
  gitlab: {
    isHere: (env) => env.GITHUB_ACTIONS !== 'true' && env.GITLAB_CI === 'true',
    event: gitlabEvent,
    run: (env) => env.CI_PIPELINE_URL,
    actor: 'GITLAB_USER_LOGIN',
    writes: 'in pipelines of the default branch',
    setting: 'the variable TRADEFORM_BASE_URL in the settings of the project',
    pull: 'a merge request',
    readsOutput: false,
    protects: true,
    actsElsewhere: false,
    blob: '-/blob',
    files: (env) => [env.CI_PROJECT_URL, env.CI_COMMIT_SHA],
  },
};
export const FORGE_NAMES = Object.keys(HOSTS) as readonly ForgeName[];

/**
 * The event of this job, of GitHub, Gitea or GitLab. In a called workflow (`workflow_call`), it is the caller's. Fails with 3 outside of a
 * CI, and with 4 for an event that must not be used.
 */
export function readEvent(env: CiEnv): Event {
  return (hostIn(env) ?? HOSTS.github).event(env);
}

function actionsEvent(env: CiEnv): Event {
  const [name = '', sha, ref = ''] = [env.GITHUB_EVENT_NAME, env.GITHUB_SHA, env.GITHUB_REF];
  const repository = repositoryIn(env);
  if (repository === undefined || !isHash(sha))
    throw usage(
      'this runs in a job of GitHub, Gitea or GitLab alone',
      'Neither GITLAB_CI nor GITHUB_SHA is set.',
    );
  if (name === 'pull_request_target')
    throw refused(
      'pull_request_target is refused: it gives secrets and a token with write permission to code that a stranger proposes',
      'Use `on: pull_request`: it only validates pull requests of forks.',
    );
  const payload = payloadOf(env);
  const main = valueAt(payload, 'repository', 'default_branch');
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  // A queue has a branch of its own, which is not merged yet.
  const own = OWN.includes(name) || name === 'merge_group';
  return {
    host: hostOf(env),
    name,
    sha,
    branch,
    runUrl: ACTIONS.run(env) ?? '',
    pull: name === 'pull_request' ? pullOf(payload, env) : undefined,
    own,
    merged: own && name !== 'merge_group' && branch !== undefined && branch === (main ?? branch),
  };
}

export function hostOf(env: CiEnv): ForgeName {
  return FORGE_NAMES.find((name) => HOSTS[name].isHere(env)) ?? 'github';
}

/** What the forge of this job does its own way. Undefined outside of one. */
export function hostIn(env: CiEnv): Host | undefined {
  return Object.values(HOSTS).find(({ isHere }) => isHere(env));
}

/** True in a job of a forge, whatever started it. */
export function isInJob(env: CiEnv): boolean {
  return hostIn(env) !== undefined;
}

function gitlabEvent(env: CiEnv): Event {
  const { CI_COMMIT_SHA: sha = '', CI_MERGE_REQUEST_IID: iid } = env;
  const [branch, defaultBranch] = [env.CI_COMMIT_BRANCH || undefined, env.CI_DEFAULT_BRANCH];
  const pull = {
    number: Number(iid),
    headSha: env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || sha,
    baseRef: env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME ?? '',
    unprivileged: undefined,
  };
  return {
    host: 'gitlab',
    name: env.CI_PIPELINE_SOURCE ?? '',
    sha,
    branch,
    runUrl: env.CI_PIPELINE_URL ?? '',
    pull: iid ? pull : undefined,
    own: !iid && env.CI_PIPELINE_SOURCE !== 'external_pull_request_event',
    merged: !iid && branch !== undefined && branch === defaultBranch,
  };
}

/** Fails (4) if the event may bring what nobody merged: `command` must not write by it. */
export function requireMerged(command: string, event: Event): void {
  const { host, merged, own, pull, branch } = event;
  if (merged) return;
  const what = own ? (branch === undefined ? 'a tag' : `the branch ${branch}`) : eventName(event);
  const why =
    pull === undefined ? 'it may contain changes that are not merged' : 'a pull request is not merged';
  throw refused(`${command} does not run on ${what}: ${why}`, `${command} runs ${HOSTS[host].writes}.`);
}

/**
 * Fails (4) if a stranger may have caused the event, or if only what is not merged would decide which host gets the token. `named`:
 * something else decides that.
 */
export function requireKnown(command: string, event: Event, named: boolean): void {
  const { host, own, merged, pull } = event;
  if (!own && pull === undefined)
    throw refused(
      `${command} does not run on ${eventName(event)}: the checkout may contain what a stranger proposes, and the run has the secrets of the repository`,
      `${command} runs on pull_request, ${OWN.join(', ')}; validate runs on every event.`,
    );
  if (pull?.unprivileged !== undefined)
    throw refused(
      `${command} does not run on this pull request: ${pull.unprivileged}, and such a run gets no token`,
      'Only validate it.',
    );
  if (merged || named) return;
  throw refused(
    `only what is not merged would decide which host gets the token: TRADEFORM_BASE_URL is missing or empty, and ${command} has no base to compare with; nothing was sent`,
    `Give ${HOSTS[host].setting}; \`plan --base\` compares with the project file of the base instead.`,
  );
}

function eventName({ host, name, pull }: Event): string {
  return pull === undefined ? name || 'an event without a name' : HOSTS[host].pull;
}

function refused(message: string, hint: string): CommandFailure {
  return CommandFailure.of(4, 'event-refused', message, hint);
}

/** `owner/name` of GitHub. Undefined if it is none. */
export function repositoryIn({ GITHUB_REPOSITORY = '' }: CiEnv): string | undefined {
  return /^[\w.-]+\/[\w.-]+$/.test(GITHUB_REPOSITORY) ? GITHUB_REPOSITORY : undefined;
}

/** Undefined if it cannot be read: only a pull request needs the payload, and reports that it is missing. */
function payloadOf(env: CiEnv): unknown {
  try {
    return JSON.parse(readFileSync(env.GITHUB_EVENT_PATH ?? '', 'utf8'));
  } catch {
    return undefined;
  }
}

function pullOf(payload: unknown, env: CiEnv): PullRequest {
  const of = (...keys: readonly string[]) => valueAt(payload, 'pull_request', ...keys);
  const [number, headSha] = [of('number'), of('head', 'sha')];
  const ref = of('base', 'ref');
  if (payload === undefined) throw forgeError('the event of this run (GITHUB_EVENT_PATH) cannot be read');
  if (!Number.isSafeInteger(number) || !isHash(headSha) || typeof ref !== 'string')
    throw forgeError('the event of this run contains no pull request');
  // The repository of a head may be deleted. Everything that is not certainly this repository counts as a fork.
  const home = of('base', 'repo', 'full_name');
  const ours = typeof home === 'string' && of('head', 'repo', 'full_name') === home;
  const dependabot = env.GITHUB_ACTOR === 'dependabot[bot]';
  return {
    number: Number(number),
    headSha,
    baseRef: ref,
    unprivileged: !ours ? 'it comes from a fork' : dependabot ? 'Dependabot started this run' : undefined,
  };
}

/** Something is wrong with the forge, not with the service (exit 1). */
export function forgeError(message: string, hint?: string): CommandFailure {
  return CommandFailure.of(1, 'forge-error', message, hint);
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{40,64}$/.test(value);
}
